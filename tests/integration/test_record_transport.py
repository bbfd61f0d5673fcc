"""Recording over real sockets: what an upstream does, what the client sees, what is on the tape."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.stub_upstream import (
    LAST_CHUNK,
    SSE_HEAD,
    Close,
    Reset,
    Send,
    Signal,
    Stall,
    StubUpstream,
    Wait,
    chunk,
    encode_head,
    encode_response,
)
from spycatcher_addon.cassette import CommentEvent, DataEvent, NonStreamResponse, StreamResponse
from spycatcher_addon.sse import SseParser
from tests.support.in_process import InProcessHarness, record_config, replay_config
from tests.support.raw_http import BodyEnd, RawConnection, RawResponse, encode_json_request, encode_request, exchange

ASK = {"model": "stub", "messages": [{"role": "user", "content": "hi"}]}
ASK_STREAM = {**ASK, "stream": True}
DONE = b"data: [DONE]\n\n"
ONE = b'data: {"n":1}\n\n'
TWO = b'data: {"n":2}\n\n'


@pytest.fixture
def recorder(tmp_path: Path, upstream: StubUpstream) -> Iterator[InProcessHarness]:
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as running:
        yield running


def ask(harness: InProcessHarness, value: Any = ASK, **options: Any) -> RawResponse:
    return exchange(harness.addr, encode_json_request(value, **options))


def replayed(tmp_path: Path, value: Any = ASK_STREAM) -> RawResponse:
    with InProcessHarness(replay_config(tmp_path)) as replay:
        return ask(replay, value)


# --- plain answers ----------------------------------------------------------------------------------------------------


def test_a_plain_answer_reaches_client_and_tape_byte_for_byte(recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path) -> None:
    body = b'{ "a" : 1.10,\n "big": 12345678901234567890, "a": NaN }\n'
    upstream.script([Send(encode_response(200, body, headers=[("X-One", "1"), ("x-dup", "a"), ("X-Dup", "b")]))])
    answer = ask(recorder)
    assert (answer.status, answer.body, answer.end) == (200, body, BodyEnd.COMPLETE)
    assert answer.head.all("x-dup") == ["a", "b"]
    recorded = recorder.tape().interactions[0].response
    assert isinstance(recorded, NonStreamResponse)
    assert recorded.body == body
    assert recorded.headers == (("content-type", "application/json"), ("x-one", "1"), ("x-dup", "a"), ("x-dup", "b"))
    recorder.stop()
    again = replayed(tmp_path, ASK)
    assert (again.status, again.body) == (200, body)
    assert again.head.all("x-dup") == ["a", "b"]


def test_the_outbound_request_has_our_key_and_the_clients_headers(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    headers = [
        ("Authorization", "Bearer client-key"),
        ("Accept-Encoding", "gzip"),
        ("Connection", "keep-alive, X-Hop"),
        ("X-Hop", "1"),
        ("X-Kept", "a"),
        ("TE", "trailers"),
        ("x-kept", "b"),
    ]
    ask(recorder, headers=headers, target="/v1/chat/completions?b=2&a=%41")
    (seen,) = upstream.requests
    assert seen.target == "/api/v1/chat/completions?b=2&a=%41"
    names = [name.lower() for name, _ in seen.headers]
    assert seen.header("authorization") == b"Bearer sk-fake-key-of-the-test-suite"
    assert names.count(b"authorization") == 1
    assert not {b"accept-encoding", b"connection", b"x-hop", b"te"} & set(names)
    assert [value for name, value in seen.headers if name.lower() == b"x-kept"] == [b"a", b"b"]
    assert seen.header("accept") == b"*/*"
    assert seen.header("host") == f"127.0.0.1:{upstream.port}".encode()
    assert seen.json() == ASK
    request = recorder.tape().interactions[0].request
    assert request.query == "b=2&a=%41"
    assert dict(request.headers) == {"content-type": "application/json", "x-kept": "b"}
    assert "client-key" not in Path(recorder.running.cassette_path).read_text()
    assert "sk-fake" not in Path(recorder.running.cassette_path).read_text()


def test_values_that_are_not_ascii_go_through_raw_and_are_kept_encoded(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(encode_head(200, [("x-raw", "\xff\xfe a"), ("content-length", "2")]) + b"{}")])
    answer = ask(recorder, headers=[("X-Odd", "a \xe9")])
    assert answer.header("x-raw") == "\xff\xfe a"
    assert upstream.requests[0].header("x-odd") == b"a \xe9"
    interaction = recorder.tape().interactions[0]
    assert ("x-odd", "a%20%E9") in interaction.request.headers
    assert ("x-raw", "%FF%FE%20a") in interaction.response.headers


@pytest.mark.parametrize("status", [201, 301, 400, 401, 404, 429, 500, 503, 529])
def test_every_status_is_an_ordinary_answer(recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path, status: int) -> None:
    body = b'{"error":{"message":"no"}}'
    upstream.script([Send(encode_response(status, body, headers=[("retry-after", "7"), ("location", "/x")]))])
    answer = ask(recorder)
    assert (answer.status, answer.body, answer.header("retry-after")) == (status, body, "7")
    assert recorder.stop().recorded == 1
    again = replayed(tmp_path, ASK)
    assert (again.status, again.body, again.header("retry-after")) == (status, body, "7")
    assert again.header("x-should-retry") is None


@pytest.mark.parametrize("ask_body", [ASK, ASK_STREAM], ids=["plain", "stream"])
@pytest.mark.parametrize("status", [204, 304])
def test_answers_without_body(
    recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path, status: int, ask_body: dict[str, Any]
) -> None:
    upstream.script([Send(encode_head(status, [("x-one", "1")]))])
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ask_body))
        answer = connection.read_response()
        assert (answer.status, answer.body, answer.header("transfer-encoding")) == (status, b"", None)
        connection.send(encode_json_request(ASK))
        assert connection.read_response().status == 200
    recorder.stop()
    again = replayed(tmp_path, ask_body)
    assert (again.status, again.body, again.header("content-length"), again.header("transfer-encoding")) == (status, b"", None, None)


@pytest.mark.parametrize("ask_body", [ASK, ASK_STREAM], ids=["plain", "stream"])
def test_an_empty_body_with_length_zero(
    recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path, ask_body: dict[str, Any]
) -> None:
    upstream.script([Send(encode_head(200, [("content-length", "0")]))])
    answer = ask(recorder, ask_body)
    assert (answer.status, answer.body, answer.end) == (200, b"", BodyEnd.COMPLETE)
    assert recorder.stop().recorded == 1
    assert replayed(tmp_path, ask_body).end is BodyEnd.COMPLETE


def test_a_plain_body_that_ends_with_the_connection(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(encode_head(200, [("content-type", "application/json")]) + b'{"a":1}'), Close()])
    answer = ask(recorder)
    assert (answer.body, answer.end, answer.header("content-length")) == (b'{"a":1}', BodyEnd.COMPLETE, "7")
    assert recorder.stop().recorded == 1


def test_a_plain_chunked_body_gets_a_length(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    head = encode_head(200, [("content-type", "application/json"), ("transfer-encoding", "chunked")])
    upstream.script([Send(head), Send(chunk(b'{"a"')), Send(chunk(b":1}")), Send(LAST_CHUNK)])
    answer = ask(recorder)
    assert (answer.body, answer.header("transfer-encoding"), answer.header("content-length")) == (b'{"a":1}', None, "7")


def test_a_plain_compressed_body_is_kept_as_it_came(recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path) -> None:
    body = gzip.compress(b'{"a":1}')
    upstream.script([Send(encode_response(200, body, headers=[("content-encoding", "gzip")]))])
    answer = ask(recorder)
    assert (answer.body, answer.header("content-encoding")) == (body, "gzip")
    recorder.stop()
    again = replayed(tmp_path, ASK)
    assert (again.body, again.header("content-encoding")) == (body, "gzip")


# --- streams ------------------------------------------------------------------------------------------------------------


def test_the_client_holds_the_first_chunk_before_the_second_is_sent(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    seen = threading.Event()
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Wait(seen), Send(chunk(TWO)), Send(chunk(DONE)), Send(LAST_CHUNK)])
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ASK_STREAM))
        head = connection.read_head()
        assert head.header("transfer-encoding") == "chunked"
        assert connection.read_chunk() == ONE
        seen.set()
        rest = connection.read_rest(head)
    assert (rest.chunks, rest.end) == ((TWO, DONE), BodyEnd.COMPLETE)
    assert not upstream.problems


def test_the_end_of_a_stream_means_that_it_is_on_the_tape(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(encode_response(200, ONE + DONE, "text/event-stream"))])
    answer = ask(recorder, ASK_STREAM)
    assert answer.body == ONE + DONE
    assert answer.header("content-length") is None, "a full length would show the end before the tape has it"
    recorded = recorder.tape().interactions[0].response
    assert isinstance(recorded, StreamResponse)
    assert recorded.raw_transcript == ONE + DONE
    assert recorded.events == (DataEvent('{"n":1}'), DataEvent("[DONE]"))


@pytest.mark.parametrize("last", ["upstream goes on", "upstream has closed"])
def test_a_client_that_hangs_up_at_done_has_its_stream_recorded(recorder: InProcessHarness, upstream: StubUpstream, last: str) -> None:
    steps = [Send(SSE_HEAD), Send(chunk(ONE)), Send(chunk(DONE))]
    upstream.script([*steps, Stall()] if last == "upstream goes on" else [*steps, Reset()])
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ASK_STREAM))
        connection.read_head()
        assert connection.read_until(b"[DONE]\n\n") == ONE + DONE
    upstream.wait_for_no_connections()
    stats = recorder.stop()
    assert (stats.recorded, stats.failed, stats.abandoned) == (1, 0, 0)


def test_a_client_that_hangs_up_mid_stream_is_not_recorded(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Stall()])
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ASK_STREAM))
        connection.read_head()
        assert connection.read_chunk() == ONE
    upstream.wait_for_no_connections()
    stats = recorder.stop()
    assert (stats.recorded, stats.failed, stats.abandoned) == (0, 0, 1)


def test_a_client_that_leaves_before_a_plain_answer_is_not_recorded(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Stall()])
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ASK))
        upstream.wait_for_requests(1)
    upstream.wait_for_no_connections()
    stats = recorder.stop()
    assert (stats.recorded, stats.failed, stats.abandoned) == (0, 0, 1)


BROKEN_STREAMS = {
    "FIN between chunks": [Send(SSE_HEAD), Send(chunk(ONE)), Close()],
    "FIN inside a chunk": [Send(SSE_HEAD), Send(chunk(ONE)), Send(b"20\r\ndata: half"), Close()],
    "RST between chunks": [Send(SSE_HEAD), Send(chunk(ONE)), Reset()],
    "too short for its length": [
        Send(encode_head(200, [("content-type", "text/event-stream"), ("content-length", "500")])),
        Send(ONE),
        Close(),
    ],
    "bad chunk size": [Send(SSE_HEAD), Send(chunk(ONE)), Send(b"zz\r\n"), Close()],
    "RST without framing": [Send(encode_head(200, [("content-type", "text/event-stream")]) + ONE), Reset()],
    "FIN without framing, inside an event": [
        Send(encode_head(200, [("content-type", "text/event-stream")]) + ONE),
        Send(b"data: ha"),
        Close(),
    ],
}


@pytest.mark.parametrize("name", BROKEN_STREAMS)
def test_a_stream_that_breaks_ends_unfinished_and_is_not_stored(recorder: InProcessHarness, upstream: StubUpstream, name: str) -> None:
    got_first = threading.Event()
    steps = list(BROKEN_STREAMS[name])
    steps.insert(len(steps) - (2 if name.endswith("inside an event") else 1), Wait(got_first))
    upstream.script(steps)
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ASK_STREAM))
        head = connection.read_head()
        assert connection.read_chunk() == ONE
        got_first.set()
        rest = connection.read_rest(head)
    assert rest.end in (BodyEnd.UNFINISHED, BodyEnd.RESET)
    stats = recorder.stop()
    assert (stats.recorded, stats.failed) == (0, 1)


def test_a_broken_stream_is_a_reset_for_a_client_without_chunks(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    got_first = threading.Event()
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Wait(got_first), Close()])
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ASK_STREAM).replace(b" HTTP/1.1\r\n", b" HTTP/1.0\r\n"))
        head = connection.read_head()
        assert head.header("transfer-encoding") is None
        assert connection.read_chunk() == ONE
        got_first.set()
        assert connection.read_rest(head).end is BodyEnd.RESET


def test_a_whole_stream_for_a_client_without_chunks(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Send(chunk(DONE)), Send(LAST_CHUNK)])
    answer = exchange(recorder.addr, encode_json_request(ASK_STREAM).replace(b" HTTP/1.1\r\n", b" HTTP/1.0\r\n"))
    assert (answer.body, answer.end) == (ONE + DONE, BodyEnd.CLOSED)
    assert recorder.stop().recorded == 1


def test_a_stream_without_framing_that_ends_after_an_event_is_whole(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(encode_head(200, [("content-type", "text/event-stream")]) + ONE), Send(TWO), Close()])
    answer = ask(recorder, ASK_STREAM)
    assert (answer.body, answer.end) == (ONE + TWO, BodyEnd.COMPLETE)
    assert recorder.stop().recorded == 1


@pytest.mark.parametrize("bad", [b"data: \xff\xfe\n\n", b"data: open"], ids=["invalid UTF-8", "inside an event"])
def test_a_clean_end_of_a_bad_stream_is_passed_on_and_not_stored(recorder: InProcessHarness, upstream: StubUpstream, bad: bytes) -> None:
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Send(chunk(bad)), Send(LAST_CHUNK)])
    answer = ask(recorder, ASK_STREAM)
    assert (answer.body, answer.end) == (ONE + bad, BodyEnd.COMPLETE)
    stats = recorder.stop()
    assert (stats.recorded, stats.failed) == (0, 1)


def test_a_json_error_to_a_streamed_request_is_kept_and_replayed_as_it_is(
    recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path
) -> None:
    body = b'{"error":{"message":"slow down","code":429}}'
    upstream.script([Send(encode_response(429, body, headers=[("retry-after", "3")]))])
    answer = ask(recorder, ASK_STREAM)
    assert (answer.status, answer.body) == (429, body)
    recorded = recorder.tape().interactions[0].response
    assert isinstance(recorded, NonStreamResponse)
    assert recorded.answers_stream
    recorder.stop()
    again = replayed(tmp_path)
    assert (again.status, again.body, again.header("content-type")) == (429, body, "application/json")


def test_a_stream_without_content_type_is_a_stream(recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path) -> None:
    upstream.script([Send(encode_head(200, [("transfer-encoding", "chunked")])), Send(chunk(ONE + DONE)), Send(LAST_CHUNK)])
    assert ask(recorder, ASK_STREAM).header("content-type") is None
    assert isinstance(recorder.tape().interactions[0].response, StreamResponse)
    recorder.stop()
    assert replayed(tmp_path).header("content-type") == "text/event-stream"


def test_a_streamed_answer_to_a_plain_request_is_a_plain_one(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Send(chunk(DONE)), Send(LAST_CHUNK)])
    assert ask(recorder, ASK).body == ONE + DONE
    recorded = recorder.tape().interactions[0].response
    assert isinstance(recorded, NonStreamResponse)
    assert (recorded.body, recorded.answers_stream) == (ONE + DONE, False)


def test_a_compressed_stream_is_passed_on_as_it_came_and_replayed_as_events(
    recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path
) -> None:
    packed = gzip.compress(b": hello\n\n" + ONE + DONE)
    head = encode_head(200, [("content-type", "text/event-stream"), ("content-encoding", "gzip"), ("transfer-encoding", "chunked")])
    upstream.script([Send(head), Send(chunk(packed[:10])), Send(chunk(packed[10:])), Send(LAST_CHUNK)])
    answer = ask(recorder, ASK_STREAM)
    assert (answer.chunks, answer.header("content-encoding")) == ((packed[:10], packed[10:]), "gzip")
    recorded = recorder.tape().interactions[0].response
    assert isinstance(recorded, StreamResponse)
    assert recorded.raw_transcript == packed
    assert recorded.events == (CommentEvent("hello"), DataEvent('{"n":1}'), DataEvent("[DONE]"))
    recorder.stop()
    again = replayed(tmp_path)
    assert (again.body, again.header("content-encoding")) == (b": hello\n\n" + ONE + DONE, None)


def test_a_stream_in_an_unknown_coding_is_kept_byte_for_byte(recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path) -> None:
    head = encode_head(200, [("content-type", "text/event-stream"), ("content-encoding", "rot13"), ("transfer-encoding", "chunked")])
    upstream.script([Send(head), Send(chunk(b"qngn: 1\n\n")), Send(LAST_CHUNK)])
    ask(recorder, ASK_STREAM)
    assert recorder.stop().recorded == 1
    again = replayed(tmp_path)
    assert (again.body, again.header("content-encoding")) == (b"qngn: 1\n\n", "rot13")


ODD_FRAMINGS = {
    "CRLF": b": a\r\n\r\ndata: 1\r\n\r\ndata: [DONE]\r\n\r\n",
    "CR": b"data: 1\r\rdata: [DONE]\r\r",
    "no space": b"data:1\n\ndata:[DONE]\n\n",
    "event, id and retry": b"event: delta\nid: 7\nretry: 10\ndata: 1\n\ndata: [DONE]\n\n",
    "only fields": b"event: x\n\nretry: 5\n\ndata: [DONE]\n\n",
    "many data lines": b"data: a\ndata:\ndata: b\n\ndata: [DONE]\n\n",
    "separators that are no line ends": "data: a\u2028b\u0085c\x0bd\n\ndata: [DONE]\n\n".encode(),
    "comment inside an event": b"data: a\n: ping\ndata: b\n\ndata: [DONE]\n\n",
}


@pytest.mark.parametrize("name", ODD_FRAMINGS)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_odd_streams_pass_unchanged_and_replay_event_for_event(
    recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path, name: str, size: int
) -> None:
    transcript = ODD_FRAMINGS[name]
    pieces = [transcript[at : at + size] for at in range(0, len(transcript), size)]
    upstream.script([Send(SSE_HEAD), *(Send(chunk(piece)) for piece in pieces), Send(LAST_CHUNK)])
    answer = ask(recorder, ASK_STREAM)
    assert answer.chunks == tuple(pieces)
    recorded = recorder.tape().interactions[0].response
    assert isinstance(recorded, StreamResponse)
    assert recorded.raw_transcript == transcript
    assert recorded.timing is not None
    assert [end for end, _ in recorded.timing.chunks] == [min(at + size, len(transcript)) for at in range(0, len(transcript), size)]
    recorder.stop()
    parser = SseParser()
    events = parser.feed(replayed(tmp_path).body) + parser.finish()
    assert tuple(events) == recorded.events


# --- what an upstream may do to HTTP itself ---------------------------------------------------------------------------


@pytest.mark.parametrize("ask_body", [ASK, ASK_STREAM], ids=["plain", "stream"])
def test_upstream_trailers_do_not_hang_anyone(recorder: InProcessHarness, upstream: StubUpstream, ask_body: dict[str, Any]) -> None:
    head = encode_head(200, [("content-type", "text/event-stream"), ("transfer-encoding", "chunked"), ("trailer", "x-sum")])
    upstream.script([Send(head), Send(chunk(DONE)), Send(b"0\r\nx-sum: 1\r\n\r\n")])
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ask_body))
        answer = connection.read_response()
        assert (answer.body, answer.end, answer.header("trailer")) == (DONE, BodyEnd.COMPLETE, None)
        connection.send(encode_json_request(ASK))
        assert connection.read_response().status == 200
    assert recorder.stop().recorded == 2


@pytest.mark.parametrize("ask_body", [ASK, ASK_STREAM], ids=["plain", "stream"])
def test_interim_answers_are_not_the_answer(recorder: InProcessHarness, upstream: StubUpstream, ask_body: dict[str, Any]) -> None:
    hints = encode_head(103, [("link", "</x>")]) + encode_head(100, []) + encode_head(102, [])
    upstream.script([Send(hints[:20]), Send(hints[20:]), Send(encode_response(200, DONE, "text/event-stream"))])
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ask_body))
        answer = connection.read_response()
        assert (answer.status, answer.body) == (200, DONE)
        connection.send(encode_json_request(ASK))
        assert connection.read_response().status == 200
    assert recorder.stop().recorded == 2


DEAD_UPSTREAMS = {
    "closes before the head": [Close()],
    "resets before the head": [Reset()],
    "closes inside the head": [Send(b"HTTP/1.1 200 OK\r\ncontent-ty"), Close()],
    "is no HTTP": [Send(b"SSH-2.0-nonsense\r\n\r\n"), Close()],
    "has an illegal header": [Send(b"HTTP/1.1 200 OK\r\nbad name: 1\r\ncontent-length: 0\r\n\r\n")],
    "has two lengths": [Send(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab")],
    "has length and chunks": [Send(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n")],
    "switches protocols": [Send(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n")],
}


@pytest.mark.parametrize("ask_body", [ASK, ASK_STREAM], ids=["plain", "stream"])
@pytest.mark.parametrize("name", DEAD_UPSTREAMS)
def test_an_upstream_that_dies_before_its_answer_is_a_json_502(
    recorder: InProcessHarness, upstream: StubUpstream, name: str, ask_body: dict[str, Any]
) -> None:
    upstream.script(DEAD_UPSTREAMS[name])
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ask_body))
        assert_upstream_failed(connection.read_response(), upstream)
        connection.send(encode_json_request(ASK))
        assert connection.read_response().status == 200, "the client's connection goes on"
    stats = recorder.stop()
    assert (stats.recorded, stats.failed) == (1, 1)


PLAIN_BREAKS = {
    "too short": [Send(encode_head(200, [("content-length", "500")]) + b"{"), Close()],
    "cut in a chunk": [Send(encode_head(200, [("transfer-encoding", "chunked")]) + b"20\r\n{"), Close()],
    "reset without framing": [Send(encode_head(200, [("content-type", "application/json")]) + b"{"), Reset()],
}


@pytest.mark.parametrize("name", PLAIN_BREAKS)
def test_a_plain_answer_that_breaks_is_a_json_502(recorder: InProcessHarness, upstream: StubUpstream, name: str) -> None:
    upstream.script(PLAIN_BREAKS[name])
    assert_upstream_failed(ask(recorder), upstream)
    stats = recorder.stop()
    assert (stats.recorded, stats.failed) == (0, 1)


def assert_upstream_failed(answer: RawResponse, upstream: StubUpstream) -> None:
    assert answer.status == 502
    assert (answer.header("content-type"), answer.header("x-should-retry")) == ("application/json", "false")
    error = answer.json()["error"]
    assert list(error) == ["kind", "message", "type", "code"]
    assert error["kind"] == error["type"] == error["code"] == "upstream_request_failed"
    assert error["message"].startswith("upstream request failed")
    text = answer.body.decode()
    assert "127.0.0.1" not in text and str(upstream.port) not in text and "sk-fake" not in text and "STUB_API_KEY" not in text


def test_a_refused_connection_is_a_json_502(tmp_path: Path, upstream: StubUpstream) -> None:
    upstream.stop()
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        with RawConnection(recorder.addr) as connection:
            for _ in range(2):
                connection.send(encode_json_request(ASK))
                answer = connection.read_response()
                assert_upstream_failed(answer, upstream)
                assert "refused" in answer.json()["error"]["message"]
        assert recorder.stats.failed == 2


def test_an_upstream_without_tls_is_a_json_502(tmp_path: Path, upstream: StubUpstream) -> None:
    upstream.script_connection([Send(b"220 mail server, no TLS here\r\n"), Close()])
    config = record_config(tmp_path, upstream.base_url.replace("http:", "https:"))
    with InProcessHarness(config) as recorder:
        answer = ask(recorder)
        assert_upstream_failed(answer, upstream)
        assert "TLS" in answer.json()["error"]["message"]


@pytest.mark.parametrize("ask_body", [ASK, ASK_STREAM], ids=["plain", "stream"])
def test_a_silent_upstream_is_given_up(
    tmp_path: Path, upstream: StubUpstream, ask_body: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    config = record_config(tmp_path, upstream.base_url, total_timeout_s=0.2, idle_timeout_s=0.2)
    upstream.script([Stall()])
    with InProcessHarness(config) as recorder, RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ask_body))
        answer = connection.read_response()
        assert_upstream_failed(answer, upstream)
        assert "too long" in answer.json()["error"]["message"]
        upstream.wait_for_no_connections()
        connection.send(encode_json_request(ASK))
        assert connection.read_response().status == 200
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_stream_that_falls_silent_ends_unfinished(tmp_path: Path, upstream: StubUpstream) -> None:
    config = record_config(tmp_path, upstream.base_url, total_timeout_s=0.05, idle_timeout_s=0.3)
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Stall()])
    with InProcessHarness(config) as recorder:
        answer = ask(recorder, ASK_STREAM)
        assert (answer.body, answer.end) == (ONE, BodyEnd.UNFINISHED)
        assert recorder.stats.failed == 1


def test_an_upstream_that_never_accepts_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:  # a full backlog: further connection attempts get no answer
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        config = record_config(tmp_path, f"http://127.0.0.1:{port}/v1", connect_timeout_s=0.2)
        with InProcessHarness(config) as recorder:
            answer = ask(recorder)
            assert answer.status == 502
            assert "connection timed out" in answer.json()["error"]["message"]
        for filler in fillers:
            filler.close()


def test_an_upstream_that_stalls_in_its_tls_handshake_is_given_up(tmp_path: Path, upstream: StubUpstream) -> None:
    upstream.script_connection([Stall()])
    config = record_config(tmp_path, upstream.base_url.replace("http:", "https:"), connect_timeout_s=0.3)
    with InProcessHarness(config) as recorder:
        answer = ask(recorder)
        assert_upstream_failed(answer, upstream)


def test_an_upstream_that_closes_after_each_answer_is_dialled_again(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    for _ in range(3):
        upstream.script([Send(encode_response(200, b"{}", headers=[("connection", "close")])), Close()])
    with RawConnection(recorder.addr) as connection:
        for _ in range(3):
            connection.send(encode_json_request(ASK))
            answer = connection.read_response()
            assert (answer.status, answer.header("connection")) == (200, None)
    assert upstream.connection_count == 3


# --- what a client may do ---------------------------------------------------------------------------------------------


def test_the_key_is_looked_up_at_each_request(tmp_path: Path, upstream: StubUpstream) -> None:
    environ: dict[str, str] = {}
    with InProcessHarness(record_config(tmp_path, upstream.base_url), environ) as recorder:
        assert any("STUB_API_KEY" in notice for notice in recorder.running.notices)
        answer = ask(recorder)
        assert answer.status == 502
        error = answer.json()["error"]
        assert error["kind"] == "upstream_credentials_missing"
        assert error["message"].startswith("upstream credentials are not configured")
        assert "upstream.api_key_env" in error["message"] and "STUB_API_KEY" not in error["message"]
        assert upstream.connection_count == 0
        environ["STUB_API_KEY"] = "sk-fake-later"
        assert ask(recorder).status == 200
        assert upstream.requests[0].header("authorization") == b"Bearer sk-fake-later"


def test_expect_is_answered_and_not_passed_on(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    body = json.dumps(ASK).encode()
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_request(b"", [("content-length", str(len(body))), ("Expect", "100-continue")]))
        assert connection.read_head().status == 100
        connection.send(body)
        assert connection.read_response().status == 200
    assert upstream.requests[0].header("expect") is None
    assert ("expect", "100-continue") in recorder.tape().interactions[0].request.headers


def test_a_chunked_request_body_with_trailers(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    body = json.dumps(ASK).encode()
    framed = chunk(body[:5]) + chunk(body[5:]) + b"0\r\nx-sum: 1\r\n\r\n"
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_request(b"", [("transfer-encoding", "chunked"), ("trailer", "x-sum")]) + framed)
        assert connection.read_response().status == 200
        connection.send(encode_json_request(ASK))
        assert connection.read_response().status == 200
    assert upstream.requests[0].body == body
    assert upstream.requests[0].header("content-length") == str(len(body)).encode()
    assert recorder.tape().interactions[0].request.body == body


def test_pipelined_requests_are_answered_in_order(recorder: InProcessHarness) -> None:
    asks = [{**ASK, "n": number} for number in range(8)]
    with RawConnection(recorder.addr) as connection:
        connection.send(b"".join(encode_json_request(each) for each in asks))
        ids = [connection.read_response().json()["id"] for _ in asks]
    assert len(set(ids)) == 8
    tape = recorder.tape()
    assert [json.loads(each.request.body)["n"] for each in tape.interactions] == list(range(8))


def test_empty_lines_before_a_request_are_ignored(recorder: InProcessHarness) -> None:
    with RawConnection(recorder.addr) as connection:
        connection.send(b"\r\n\r\n" + encode_json_request(ASK))
        assert connection.read_response().status == 200
        connection.send(b"\r\n" + encode_json_request(ASK))
        assert connection.read_response().status == 200


def test_a_compressed_request_is_forwarded_and_kept_as_sent(recorder: InProcessHarness, upstream: StubUpstream, tmp_path: Path) -> None:
    packed = gzip.compress(json.dumps(ASK_STREAM).encode())
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Send(chunk(DONE)), Send(LAST_CHUNK)])
    request = encode_request(packed, [("content-encoding", "gzip"), ("content-type", "application/json")])
    exchange(recorder.addr, request)
    assert upstream.requests[0].body == packed
    interaction = recorder.tape().interactions[0]
    assert interaction.request.body == packed
    assert isinstance(interaction.response, StreamResponse)
    recorder.stop()
    assert replayed(tmp_path, ASK_STREAM).body == ONE + DONE, "the same question unpacked is the same question"


def test_a_malformed_body_is_forwarded_and_recorded(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(encode_response(400, b'{"error":{}}'))])
    answer = exchange(recorder.addr, encode_request(b"{not json"))
    assert answer.status == 400
    assert upstream.requests[0].body == b"{not json"
    request = recorder.tape().interactions[0].request
    assert (request.body, request.parsed_json) == (b"{not json", None)


@pytest.mark.parametrize(
    ("method", "target", "status", "kind"),
    [
        ("GET", "/v1/models", 404, "not_found"),
        ("POST", "/v1/chat/completions/", 404, "not_found"),
        ("POST", "/v1/chat%2Fcompletions", 404, "not_found"),
        ("POST", "/chat/completions", 404, "not_found"),
        ("GET", "/v1/chat/completions", 405, "method_not_allowed"),
        ("OPTIONS", "/v1/chat/completions", 405, "method_not_allowed"),
        ("post", "/v1/chat/completions", 405, "method_not_allowed"),
    ],
)
def test_nothing_but_the_one_route_is_forwarded(
    recorder: InProcessHarness, upstream: StubUpstream, method: str, target: str, status: int, kind: str
) -> None:
    answer = exchange(recorder.addr, encode_request(method=method, target=target))
    assert (answer.status, answer.json()["error"]["kind"], answer.header("x-should-retry")) == (status, kind, "false")
    assert answer.header("allow") == ("POST" if status == 405 else None)
    assert upstream.connection_count == 0


def test_head_is_refused_without_a_body(recorder: InProcessHarness) -> None:
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_request(method="HEAD"))
        answer = connection.read_response("HEAD")
        assert (answer.status, answer.body) == (405, b"")
        connection.send(encode_json_request(ASK))
        assert connection.read_response().status == 200


MALFORMED = {
    "garbage": b"\x00\x01\x02 garbage\r\n\r\n",
    "no version": b"POST /v1/chat/completions\r\n\r\n",
    "space in a header name": b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nbad name: 1\r\n\r\n",
    "length and chunks": encode_request(b"", [("content-length", "2"), ("transfer-encoding", "chunked")]) + LAST_CHUNK,
    "two lengths": b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
    "negative length": b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
    "CONNECT": b"CONNECT example.invalid:443 HTTP/1.1\r\nhost: example.invalid\r\n\r\n",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_requests_get_a_json_400(recorder: InProcessHarness, upstream: StubUpstream, name: str) -> None:
    with RawConnection(recorder.addr) as connection:
        connection.send(MALFORMED[name])
        answer = connection.read_response()
        assert (answer.status, answer.header("content-type")) == (400, "application/json")
        assert answer.json()["error"]["kind"] == "malformed_request"
        assert connection.read_end() in (BodyEnd.CLOSED, BodyEnd.RESET)
    assert upstream.connection_count == 0


def test_bodies_over_the_limit_get_a_json_413(tmp_path: Path, upstream: StubUpstream) -> None:
    config = record_config(tmp_path, upstream.base_url)
    config = config.model_copy(update={"limits": config.limits.model_copy(update={"max_body_bytes": 1000})})
    with InProcessHarness(config) as recorder:
        for request in (
            encode_request(b"x" * 1500),
            encode_request(b"", [("content-length", "1500"), ("expect", "100-continue")]),
            encode_request(b"", [("transfer-encoding", "chunked")]) + chunk(b"x" * 600) + chunk(b"x" * 600) + LAST_CHUNK,
        ):
            answer = exchange(recorder.addr, request)
            assert (answer.status, answer.json()["error"]["kind"], answer.interim) == (413, "request_too_large", ())
            assert answer.header("connection") == "close"
        assert ask(recorder).status == 200
        assert upstream.connection_count == 1


def test_twenty_clients_at_once_lose_nothing(recorder: InProcessHarness) -> None:
    results: list[RawResponse] = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(ask(recorder, {**(ASK_STREAM if n % 2 else ASK), "n": n}))) for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.end for answer in results] == [BodyEnd.COMPLETE] * 20
    assert sorted(json.loads(each.request.body)["n"] for each in recorder.tape().interactions) == list(range(20))


def test_shutdown_lets_a_running_stream_end(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    go_on, stopping = threading.Event(), threading.Event()
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Signal(stopping), Wait(go_on), Send(chunk(DONE)), Send(LAST_CHUNK)])
    with RawConnection(recorder.addr) as connection, RawConnection(recorder.addr) as idle:
        connection.send(encode_json_request(ASK_STREAM))
        head = connection.read_head()
        assert connection.read_chunk() == ONE
        stopper = threading.Thread(target=recorder.stop, args=(10.0,))
        stopper.start()
        assert idle.read_end() is BodyEnd.CLOSED, "an idle connection is closed at once"
        go_on.set()
        rest = connection.read_rest(head)
        stopper.join()
    assert (rest.body, rest.end) == (DONE, BodyEnd.COMPLETE)
    assert recorder.stats.recorded == 1


def test_shutdown_cuts_what_outlasts_the_grace(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Stall()])
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ASK_STREAM))
        head = connection.read_head()
        assert connection.read_chunk() == ONE
        stats = recorder.stop(0.05)
        assert connection.read_rest(head).end in (BodyEnd.UNFINISHED, BodyEnd.RESET)
    assert (stats.recorded, stats.abandoned + stats.failed) == (0, 1)


# --- who left, and when -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["close", "reset", "half close"])
@pytest.mark.parametrize("ask_body", [ASK, ASK_STREAM], ids=["plain", "stream"])
def test_a_client_that_leaves_right_after_asking_counts_as_gone(
    recorder: InProcessHarness, upstream: StubUpstream, way: str, ask_body: dict[str, Any]
) -> None:
    upstream.script([Stall()])
    connection = RawConnection(recorder.addr)
    connection.send(encode_json_request(ask_body))
    {"close": connection.close, "reset": connection.reset, "half close": connection.half_close}[way]()
    if way == "half close":
        assert connection.read_end() is BodyEnd.CLOSED
        connection.close()
    exchange(recorder.addr, encode_request(method="GET"))  # has its turn after the one that left
    stats = recorder.stop()
    assert (stats.recorded, stats.failed, stats.abandoned) == (0, 0, 1)


@pytest.mark.parametrize(
    "status", [b"600", b"999", b"2000", b"99", b"100000000000000000000000"], ids=["600", "999", "2000", "99", "very long"]
)
@pytest.mark.parametrize("ask_body", [ASK, ASK_STREAM], ids=["plain", "stream"])
def test_a_status_no_client_knows_becomes_a_502(
    recorder: InProcessHarness, upstream: StubUpstream, status: bytes, ask_body: dict[str, Any]
) -> None:
    upstream.script([Send(b"HTTP/1.1 " + status + b" Odd\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")])
    answer = ask(recorder, ask_body)
    assert (answer.status, answer.body) == (502, b"{}")


BAD_CHUNKS = {"no number": b"zz\r\n{}\r\n", "negative": b"-1\r\n", "no line end": b"2\r\n{}xx0\r\n\r\n"}


@pytest.mark.parametrize("name", BAD_CHUNKS)
def test_a_broken_chunked_request_gets_a_json_400(recorder: InProcessHarness, upstream: StubUpstream, name: str) -> None:
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_request(b"", [("transfer-encoding", "chunked")]) + BAD_CHUNKS[name])
        answer = connection.read_response()
        assert (answer.status, answer.json()["error"]["kind"]) == (400, "malformed_request")
        assert connection.read_end() in (BodyEnd.CLOSED, BodyEnd.RESET)
    assert upstream.connection_count == 0


def test_an_empty_line_before_the_upstreams_answer_is_ignored(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(b"\r\n\r\n" + encode_response(200, b"{}"))])
    assert ask(recorder).status == 200


def test_messages_about_bad_requests_are_our_own(recorder: InProcessHarness) -> None:
    for name in ("CONNECT", "length and chunks"):
        with RawConnection(recorder.addr) as connection:
            connection.send(MALFORMED[name])
            message = connection.read_response().json()["error"]["message"]
            assert "mitmproxy" not in message and "validate_inbound" not in message


def test_a_refused_connection_does_not_stay_open_for_ever(tmp_path: Path, upstream: StubUpstream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spycatcher_addon.edge.lanes.LINGER_S", 0.05)
    config = record_config(tmp_path, upstream.base_url)
    config = config.model_copy(update={"limits": config.limits.model_copy(update={"max_body_bytes": 1000})})
    with InProcessHarness(config) as recorder, RawConnection(recorder.addr) as connection:
        connection.send(encode_request(b"", [("content-length", "5000")]) + b"x")
        assert connection.read_response().status == 413
        assert connection.read_end() in (BodyEnd.CLOSED, BodyEnd.RESET)


def test_a_stream_that_unpacks_without_end_is_passed_on_and_not_recorded(tmp_path: Path, upstream: StubUpstream) -> None:
    config = record_config(tmp_path, upstream.base_url)
    config = config.model_copy(update={"limits": config.limits.model_copy(update={"max_body_bytes": 100_000})})
    packed = gzip.compress(b": x\n" * 1_000_000)
    head = encode_head(200, [("content-type", "text/event-stream"), ("content-encoding", "gzip"), ("transfer-encoding", "chunked")])
    upstream.script([Send(head), Send(chunk(packed)), Send(LAST_CHUNK)])
    with InProcessHarness(config) as recorder:
        answer = ask(recorder, ASK_STREAM)
        assert (answer.body, answer.end) == (packed, BodyEnd.COMPLETE)
        assert (recorder.stats.recorded, recorder.stats.failed) == (0, 1)
