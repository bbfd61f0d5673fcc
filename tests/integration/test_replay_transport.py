"""Replaying over real sockets: what is answered, what is refused, and that no network is ever touched."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.stub_upstream import StubUpstream
from spycatcher_addon.cassette import (
    Cassette,
    DataEvent,
    Interaction,
    MatchMode,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    RecordedResponse,
    StreamResponse,
    canonicalize,
    encode_cassette,
    stable_hash,
)
from spycatcher_addon.cassette.canonical import NOTHING_IGNORED
from spycatcher_addon.config import MatchingConfig, UpstreamConfig
from tests.support.in_process import TAPE_NAME, InProcessHarness, replay_config
from tests.support.raw_http import BodyEnd, RawConnection, RawResponse, encode_json_request, encode_request, exchange

JSON = (("content-type", "application/json"),)


def ask_body(number: int = 0, **more: Any) -> dict[str, Any]:
    return {"model": "stub", "messages": [{"role": "user", "content": f"question {number}"}], **more}


def interaction(asked: Any, response: RecordedResponse) -> Interaction:
    request = RecordedRequest("POST", "/v1/chat/completions", "", (), json.dumps(asked).encode())
    hashed = RecordedRequest(
        request.method, request.path, request.query, (), request.body, stable_hash=stable_hash(canonicalize(request, NOTHING_IGNORED))
    )
    return Interaction(hashed, response, Metadata("openai.chat_completions.v1", "openrouter", "2026-01-01T00:00:00Z", 0))


def plain(number: int) -> NonStreamResponse:
    return NonStreamResponse(200, JSON, b'{"answer":%d}' % number)


def write_tape(folder: Path, *interactions: Interaction) -> None:
    (folder / TAPE_NAME).write_bytes(encode_cassette(Cassette(2, interactions)))


def numbered_tape(folder: Path, count: int = 3) -> None:
    write_tape(folder, *(interaction(ask_body(number), plain(number)) for number in range(count)))


def ask(harness: InProcessHarness, value: Any, **options: Any) -> RawResponse:
    return exchange(harness.addr, encode_json_request(value, **options))


@pytest.fixture
def replay(tmp_path: Path) -> Iterator[InProcessHarness]:
    numbered_tape(tmp_path)
    with InProcessHarness(replay_config(tmp_path)) as running:
        yield running


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[InProcessHarness]:
    numbered_tape(tmp_path)
    with InProcessHarness(replay_config(tmp_path, match_mode=MatchMode.KEYED)) as running:
        yield running


def test_sequential_answers_in_order_and_then_no_more(replay: InProcessHarness) -> None:
    for number in range(3):
        answer = ask(replay, ask_body(number))
        assert (answer.status, answer.body) == (200, b'{"answer":%d}' % number)
        assert [name for name, _ in answer.head.headers] == ["content-type", "content-length"]
    answer = ask(replay, ask_body(0))
    assert answer.status == 409
    error = answer.json()["error"]
    assert error["position"] == {"kind": "exhausted", "count": 3}
    assert error["diff_summary"] == "cassette-exhausted: no more interactions available"
    assert (replay.stats.matched, replay.stats.mismatched, replay.stats.unused) == (3, 1, ())


def test_a_mismatch_says_what_changed_and_consumes_nothing(replay: InProcessHarness) -> None:
    changed = ask_body(0, temperature=0.5)
    for _ in range(3):
        answer = ask(replay, changed)
        assert (answer.status, answer.header("x-should-retry")) == (409, "false")
        error = answer.json()["error"]
        assert list(error)[:8] == ["kind", "message", "type", "code", "position", "expected_hash", "observed_hash", "diff_summary"]
        assert error["kind"] == error["type"] == error["code"] == "request_mismatch"
        assert error["position"] == {"kind": "expected", "index": 0}
        assert error["diff_summary"] == "added: canonical_body.temperature: 0.5"
        assert error["message"].startswith("replay request did not match the cassette")
        assert "added: canonical_body.temperature: 0.5" in error["message"]
    assert ask(replay, ask_body(0)).status == 200


def test_a_known_request_out_of_order_says_where_it_is(replay: InProcessHarness) -> None:
    message = ask(replay, ask_body(2)).json()["error"]["message"]
    assert "recorded as interaction 2" in message
    assert "--match-mode keyed" in message


def test_keyed_answers_any_order_each_once(keyed: InProcessHarness) -> None:
    for number in (2, 0, 1):
        assert ask(keyed, ask_body(number)).body == b'{"answer":%d}' % number
    error = ask(keyed, ask_body(1)).json()["error"]
    assert error["position"] == {"kind": "keyed_miss", "count": 3}
    assert error["diff_summary"].startswith("interaction-already-consumed")
    assert (error["expected_hash"], error["nearest_index"]) == ("", 1)


def test_a_keyed_miss_shows_the_nearest(keyed: InProcessHarness) -> None:
    error = ask(keyed, ask_body(1, temperature=1)).json()["error"]
    assert error["diff_summary"].startswith("no-matching-interaction")
    assert error["nearest_index"] == 1
    assert "added: canonical_body.temperature: 1" in error["message"]
    assert keyed.stats.unused == (0, 1, 2)


def test_ignored_paths_are_named_in_the_answer(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    config = replay_config(tmp_path, matching=MatchingConfig(ignore_paths=("metadata.run_id", "/messages/*/name")))
    with InProcessHarness(config) as replay:
        asked = ask_body(0, metadata={})
        error = ask(replay, asked).json()["error"]
        assert error["ignored_paths"] == ["/metadata/run_id", "/messages/*/name"]
        assert "/metadata/run_id" in error["message"]
        named = ask_body(0)
        named["messages"][0]["name"] = "anyone"
        assert ask(replay, named).status == 200


def test_key_order_spacing_and_escapes_do_not_matter(replay: InProcessHarness) -> None:
    body = b'{ "messages": [{"content": "\\u0071uestion 0", "role": "user"}],\r\n\t"model": "stub" }'
    assert exchange(replay.addr, encode_request(body)).status == 200


@pytest.mark.parametrize(
    "body", [b"", b"{", b"not json", b'{"a":NaN}', b'{"a":1e400}', b'\xef\xbb\xbf{"a":1}', b'{"a":"\xff"}', b'{"a":"\\ud800"}', b"[" * 200]
)
def test_a_body_that_is_no_json_is_a_400(replay: InProcessHarness, body: bytes) -> None:
    request = encode_request(body, [] if body else [("content-length", "0")])
    answer = exchange(replay.addr, request)
    assert answer.status == 400
    error = answer.json()["error"]
    assert error["kind"] == "malformed_json"
    assert error["message"].startswith("chat completions replay requires a valid JSON request body")
    assert replay.stats.rejected == 1
    assert ask(replay, ask_body(0)).status == 200


def test_a_null_body_is_json_and_simply_unknown(replay: InProcessHarness) -> None:
    assert exchange(replay.addr, encode_request(b"null")).status == 409


def test_a_stream_asked_of_a_plain_interaction_is_a_501(tmp_path: Path) -> None:
    asked = ask_body(0, stream=True)
    write_tape(tmp_path, interaction(asked, plain(0)))
    with InProcessHarness(replay_config(tmp_path)) as replay:
        for _ in range(2):
            answer = ask(replay, asked)
            assert (answer.status, answer.json()["error"]["kind"]) == (501, "stream_cassette_required")
        assert replay.stats.unused == (0,)


def test_a_stream_is_served_to_a_request_that_is_not_stream_shaped(tmp_path: Path) -> None:
    asked = ask_body(0, stream="true")
    write_tape(tmp_path, interaction(asked, StreamResponse(200, (), (DataEvent("1"),), b"data: 1\n\n")))
    with InProcessHarness(replay_config(tmp_path)) as replay:
        answer = ask(replay, asked)
        assert (answer.body, answer.header("content-type")) == (b"data: 1\n\n", "text/event-stream")


def test_a_small_stream_has_a_length_and_a_large_one_comes_in_pieces(tmp_path: Path) -> None:
    small, large = ask_body(0, stream=True), ask_body(1, stream=True)
    few = tuple(DataEvent(str(number)) for number in range(3))
    many = tuple(DataEvent("x" * 100) for _ in range(1000))
    write_tape(tmp_path, interaction(small, StreamResponse(200, (), few, b"")), interaction(large, StreamResponse(200, (), many, b"")))
    with InProcessHarness(replay_config(tmp_path)) as replay, RawConnection(replay.addr) as connection:
        connection.send(encode_json_request(small) + encode_json_request(large))
        first = connection.read_response()
        assert (first.body, first.header("content-length")) == (b"data: 0\n\ndata: 1\n\ndata: 2\n\n", "27")
        second = connection.read_response()
        assert second.header("transfer-encoding") == "chunked"
        assert second.chunks == (b"data: " + b"x" * 100 + b"\n\n",) * 1000
        assert second.end is BodyEnd.COMPLETE


@pytest.mark.parametrize("status", [100, 199, 600, 999])
def test_a_status_that_cannot_be_sent_is_a_502(tmp_path: Path, status: int) -> None:
    write_tape(tmp_path, interaction(ask_body(0), NonStreamResponse(status, JSON, b"{}")))
    with InProcessHarness(replay_config(tmp_path)) as replay:
        answer = ask(replay, ask_body(0))
        assert (answer.status, answer.body) == (502, b"{}")


def test_hand_written_headers_that_cannot_be_sent_are_dropped(tmp_path: Path) -> None:
    headers = (
        ("Content-Type", "text/plain"),
        ("content-length", "999"),
        ("transfer-encoding", "chunked"),
        ("connection", "x-hop"),
        ("x-hop", "1"),
        ("bad name", "1"),
        ("x-lines", "a\r\nset-cookie: b"),
        ("x-dup", "1"),
        ("x-dup", "2"),
        ("alt-svc", 'h3=":443"'),
    )
    write_tape(tmp_path, interaction(ask_body(0), NonStreamResponse(200, headers, b"ok")))
    with InProcessHarness(replay_config(tmp_path)) as replay:
        answer = ask(replay, ask_body(0))
        assert answer.head.headers == (
            ("Content-Type", "text/plain"),
            ("x-dup", "1"),
            ("x-dup", "2"),
            ("alt-svc", 'h3=":443"'),
            ("content-length", "2"),
        )
        assert set(replay.stats.dropped_headers) == {"content-length", "transfer-encoding", "connection", "x-hop", "bad name", "x-lines"}


def test_identical_requests_at_once_each_get_their_own_interaction(tmp_path: Path) -> None:
    write_tape(tmp_path, *(interaction(ask_body(0), plain(number)) for number in range(20)))
    answers: list[bytes] = []
    with InProcessHarness(replay_config(tmp_path)) as replay:
        threads = [threading.Thread(target=lambda: answers.append(ask(replay, ask_body(0)).body)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(answers) == sorted(b'{"answer":%d}' % number for number in range(20))


def test_http_1_0_gets_its_answer_and_a_close(replay: InProcessHarness) -> None:
    with RawConnection(replay.addr) as connection:
        connection.send(encode_json_request(ask_body(0)).replace(b" HTTP/1.1\r\n", b" HTTP/1.0\r\n"))
        answer = connection.read_response()
        assert (answer.status, answer.header("content-length")) == (200, "12")
        assert connection.read_end() is BodyEnd.CLOSED


def test_connection_close_is_honoured(replay: InProcessHarness) -> None:
    with RawConnection(replay.addr) as connection:
        connection.send(encode_json_request(ask_body(0), [("connection", "close")]))
        assert connection.read_response().status == 200
        assert connection.read_end() is BodyEnd.CLOSED


def test_a_request_split_into_single_bytes(replay: InProcessHarness) -> None:
    with RawConnection(replay.addr) as connection:
        for byte in encode_json_request(ask_body(0)):
            connection.send(bytes([byte]))
        assert connection.read_response().status == 200


def test_an_absolute_form_target_is_the_same_request(replay: InProcessHarness) -> None:
    answer = ask(replay, ask_body(0), target="http://elsewhere.invalid/v1/chat/completions")
    assert answer.status == 200


# --- nothing leaves -------------------------------------------------------------------------------------------------

ANYTHING = {
    "hit": encode_json_request(ask_body(0)),
    "miss": encode_json_request(ask_body(99)),
    "unknown path": encode_request(method="GET", target="/v1/models"),
    "wrong method": encode_request(method="DELETE"),
    "no JSON": encode_request(b"{"),
    "no HTTP": b"\x00\x00\r\n\r\n",
    "space in a name": b"GET / HTTP/1.1\r\nbad name: 1\r\n\r\n",
    "CONNECT": b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n",
    "absolute form": b"GET http://127.0.0.1:%d/v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
    "upgrade": encode_request(b"", [("connection", "upgrade"), ("upgrade", "websocket")], method="GET"),
}


@pytest.mark.parametrize("is_matcher_broken", [False, True], ids=["as is", "matcher raises"])
@pytest.mark.parametrize("name", ANYTHING)
def test_replay_never_reaches_a_living_upstream(
    tmp_path: Path, upstream: StubUpstream, name: str, is_matcher_broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbered_tape(tmp_path)
    config = replay_config(tmp_path, upstream=UpstreamConfig(base_url=upstream.base_url, api_key_env="STUB_API_KEY"))
    with InProcessHarness(config) as replay:
        if is_matcher_broken:

            def explode(*_: object) -> None:
                raise RuntimeError("the matcher is broken")

            monkeypatch.setattr("spycatcher_addon.replaying.canonicalize_parts", explode)
        request = ANYTHING[name]
        answer = exchange(replay.addr, request.replace(b"%d", str(upstream.port).encode()))
        if is_matcher_broken and name in ("hit", "miss"):
            assert (answer.status, answer.json()["error"]["kind"]) == (500, "internal")
        assert answer.header("content-type") == "application/json"
    assert upstream.connection_count == 0
