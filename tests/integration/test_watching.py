"""A recording and a replay under mitmweb, over real sockets and mitmweb's own API."""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mitmproxy.io import FlowReader, FlowWriter
from mitmproxy.test import tflow

from scripts.stub_upstream import LAST_CHUNK, SSE_HEAD, Close, Send, Signal, StubUpstream, Wait, chunk, encode_head, encode_response
from spycatcher_addon.cassette import StreamResponse
from spycatcher_addon.config import HarnessConfig, ListenAddr, Mode, UiConfig, UiKind
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.errors import CassetteNotFoundError, HarnessIOError, InvalidConfigError
from tests.support.cli import FAKE_KEY
from tests.support.in_process import InProcessHarness, record_config, replay_config
from tests.support.page import Page
from tests.support.raw_http import BodyEnd, RawConnection, RawResponse, encode_json_request, exchange

ASK = {"model": "stub", "messages": [{"role": "user", "content": "hi"}]}
ASK_STREAM = {**ASK, "stream": True}
CLIENT_KEY = "sk-clientfake0123456789abcdef0123456789"
COOKIE = "session=fake-cookie-0123456789"
QUERY_KEY = "fake-query-key-0123456789"
SECRET_HEADERS = [("Authorization", f"Bearer {CLIENT_KEY}"), ("Cookie", COOKIE)]
SECRETS = [FAKE_KEY, CLIENT_KEY, COOKIE, QUERY_KEY]
TARGET = f"/v1/chat/completions?key={QUERY_KEY}"
PAGE = UiConfig(kind=UiKind.WEB, port=0)


def watched(config: HarnessConfig, **settings: Any) -> HarnessConfig:
    return config.model_copy(update={"ui": PAGE.model_copy(update=settings)})


@pytest.fixture
def recorder(tmp_path: Path, upstream: StubUpstream) -> Iterator[InProcessHarness]:
    with InProcessHarness(watched(record_config(tmp_path, upstream.base_url))) as running:
        yield running


def page_of(harness: InProcessHarness) -> Page:
    assert harness.running.page_url is not None
    return Page(harness.running.page_url)


def ask(harness: InProcessHarness, value: Any = ASK, **options: Any) -> RawResponse:
    return exchange(harness.addr, encode_json_request(value, **options))


def recorded_tape(tmp_path: Path, upstream: StubUpstream, *asked: Any) -> None:
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as harness:
        for value in asked:
            ask(harness, value)


def comments(page: Page) -> list[str]:
    return [flow["comment"] for flow in page.flows()]


# --- stories ----------------------------------------------------------------------------------------------------------


def test_a_recording_tells_what_is_on_the_tape(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    plain = ask(recorder)
    streamed = ask(recorder, ASK_STREAM)
    missing = ask(recorder, target="/v1/models")
    assert (plain.status, streamed.status, missing.status) == (200, 200, 404)
    page = page_of(recorder)
    first, second, third = page.flows()
    hashes = [(interaction.request.stable_hash or "")[:12] for interaction in recorder.tape().interactions]
    assert first["comment"] == f"recorded #0, 17 tokens · {hashes[0]}"
    assert second["comment"] == f"recorded #1 · {hashes[1]}"
    assert third["comment"] == "answered by the harness: 404 not_found"
    assert [flow["marked"] for flow in (first, second, third)] == ["💾", "💾", "⛔"]
    assert first["request"]["path"] == upstream.requests[0].target
    assert first["request"]["port"] == upstream.port
    assert third["request"]["port"] == recorder.addr[1]
    assert page.content(second, "response") == streamed.body
    shown = page.view(second, "response")
    assert shown["view_name"] == "LLM chat"
    assert "and the stub says: naïve café ☕" in shown["text"]
    assert "stream: 16 events, 2 comments; first after" in shown["text"]
    assert ": OPENROUTER PROCESSING" in shown["text"]
    assert "finish_reason: stop" in shown["text"]
    assert "tokens: 4 in, 13 out" in page.view(first, "response")["text"]
    assert page.view(first, "request")["text"].endswith("user:\n  hi\n")


def test_the_client_and_the_tape_get_the_same_as_without_a_page(tmp_path: Path, upstream: StubUpstream) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    answers = []
    for folder, kind in ((tmp_path / "a", UiKind.WEB), (tmp_path / "b", UiKind.NONE)):
        with InProcessHarness(watched(record_config(folder, upstream.base_url), kind=kind)) as harness:
            got = [ask(harness, value, headers=SECRET_HEADERS) for value in (ASK, ASK_STREAM)]
            answers.append([(each.status, each.head.headers, each.body, each.end) for each in got])
    assert answers[0] == answers[1]
    one, other = upstream.requests[:2], upstream.requests[2:]
    assert [(each.target, each.headers, each.body) for each in one] == [(each.target, each.headers, each.body) for each in other]
    tapes = [read_cassette(tmp_path / name / "tape.json").cassette.interactions for name in "ab"]
    assert [each.request for each in tapes[0]] == [each.request for each in tapes[1]]


def test_a_new_recording_counts_on_from_what_is_on_the_tape(tmp_path: Path, upstream: StubUpstream) -> None:
    recorded_tape(tmp_path, upstream, ASK, ASK_STREAM)
    with InProcessHarness(watched(record_config(tmp_path, upstream.base_url))) as harness:
        ask(harness)
        assert comments(page_of(harness))[0].startswith("recorded #2, 17 tokens · ")


def test_a_cut_stream_shows_how_far_it_came(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    half = b'data: {"choices":[{"index":0,"delta":{"content":"Half"}}]}\n\n'
    upstream.script([Send(SSE_HEAD + chunk(half)), Close()])
    answer = ask(recorder, ASK_STREAM)
    assert (answer.body, answer.end) == (half, BodyEnd.UNFINISHED)
    page = page_of(recorder)
    (flow,) = page.flows()
    assert flow["comment"] == "not recorded: the upstream cut the body"
    assert flow["marked"] == "✂"
    text = page.view(flow, "response")["text"]
    assert "answer from the upstream, not on the cassette" in text
    assert "Half" in text


def test_a_kept_failure_is_told_from_a_recording(tmp_path: Path, upstream: StubUpstream) -> None:
    config = record_config(tmp_path, upstream.base_url)
    config = config.model_copy(update={"record": config.record.model_copy(update={"keep_failures": True})})
    with InProcessHarness(watched(config)) as harness:
        upstream.script([Send(SSE_HEAD + chunk(b"data: 1\n\n")), Close()])
        ask(harness, ASK_STREAM)
        ask(harness)
        first, second = page_of(harness).flows()
        assert first["comment"].startswith("kept as a failure #0: cut · ")
        assert first["marked"] == "⚠"
        assert second["comment"].startswith("recorded #1, ")
        kept = harness.tape().interactions[0].response
        assert isinstance(kept, StreamResponse)
        assert kept.raw_transcript == b"data: 1\n\n", "once, although mitmproxy keeps streamed bodies too"


def test_half_a_plain_answer_is_answered_by_the_harness_and_not_recorded(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    upstream.script([Send(encode_head(200, [("content-type", "application/json"), ("content-length", "99")]) + b'{"choices"'), Close()])
    assert ask(recorder).status == 502
    page = page_of(recorder)
    (flow,) = page.flows()
    assert flow["comment"] == "not recorded: the upstream cut the body"
    assert flow["response"]["status_code"] == 502


def test_an_upstream_that_cannot_be_reached(tmp_path: Path, upstream: StubUpstream) -> None:
    upstream.stop()
    with InProcessHarness(watched(record_config(tmp_path, upstream.base_url))) as harness:
        assert ask(harness).status == 502
        page = page_of(harness)
        (flow,) = page.flows()
        assert flow["comment"] == "not recorded: the upstream failed, the connection was refused"
        assert flow["response"]["status_code"] == 502
        assert "answer made by the harness, not recorded" in page.view(flow, "response")["text"]


def test_an_answer_of_the_lane_itself_is_in_the_list(tmp_path: Path, upstream: StubUpstream) -> None:
    config = record_config(tmp_path, upstream.base_url)
    config = config.model_copy(update={"limits": config.limits.model_copy(update={"max_body_bytes": 10})})
    with InProcessHarness(watched(config)) as harness:
        assert ask(harness).status == 413
        (flow,) = page_of(harness).flows()
        assert flow["comment"] == "answered by the harness: 413 request_too_large"
        assert flow["response"]["status_code"] == 413


def test_a_replay_tells_where_answers_come_from_and_what_does_not_match(tmp_path: Path, upstream: StubUpstream) -> None:
    recorded_tape(tmp_path, upstream, ASK, ASK_STREAM)
    changed = {**ASK_STREAM, "messages": [{"role": "user", "content": "ho"}]}
    with InProcessHarness(watched(replay_config(tmp_path))) as harness:
        statuses = [ask(harness, value).status for value in (ASK, changed, ASK_STREAM, ASK)]
        assert statuses == [200, 409, 200, 409]
        page = page_of(harness)
        first, second, third, fourth = page.flows()
        hashes = [(interaction.request.stable_hash or "")[:12] for interaction in harness.tape().interactions]
        assert first["comment"] == f"replayed #0 · {hashes[0]}"
        assert second["comment"].startswith("mismatch: messages[0].content changed (compared with #1) · ")
        assert third["comment"] == f"replayed #1 · {hashes[1]}"
        assert fourth["comment"] == f"mismatch: all 2 interactions are used up · {hashes[0]}"
        assert [flow["marked"] for flow in (first, second, third, fourth)] == ["🟢", "❌", "🟢", "❌"]
        assert first["request"]["host"] == "127.0.0.1"
        assert first["request"]["port"] == harness.addr[1]
        text = page.view(second, "response")["text"]
        assert "answer made by the harness, not recorded" in text
        assert '  messages[0].content (changed)\n    recorded: "hi"\n    sent:     "ho"\n' in text
        assert "interaction 1 as it was recorded:" in text
        assert "answer from the cassette" in page.view(third, "response")["text"]
        assert "ms  " in page.view(third, "response")["text"]
        assert harness.stats.matched == 2
        assert harness.stats.mismatched == 2


# --- secrets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [ASK, ASK_STREAM], ids=["plain", "stream"])
def test_no_secret_is_ever_shown(recorder: InProcessHarness, upstream: StubUpstream, value: dict[str, Any]) -> None:
    """Not while the request is under way, not while the answer comes, not after the end."""
    asked, answering, finished = threading.Event(), threading.Event(), threading.Event()
    leaky = f'{{"key": "{CLIENT_KEY}"}}'.encode()
    if "stream" in value:
        frame = b"data: " + leaky + b"\n\n"
        head = SSE_HEAD.replace(b"\r\n\r\n", f"\r\nSet-Cookie: {COOKIE}\r\n\r\n".encode())
        steps = [Signal(asked), Wait(answering), Send(head + chunk(frame)), Wait(finished), Send(chunk(b"data: [DONE]\n\n") + LAST_CHUNK)]
    else:
        frame = leaky
        head = encode_head(200, [("content-type", "application/json"), ("content-length", str(len(frame))), ("set-cookie", COOKIE)])
        steps = [Signal(asked), Wait(answering), Send(head), Wait(finished), Send(frame)]
    upstream.script(steps)
    page = page_of(recorder)
    body = {**value, "note": f"my key is {CLIENT_KEY}"}
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(body, headers=SECRET_HEADERS, target=TARGET))
        assert asked.wait(10)
        seen = [page.everything()]
        answering.set()
        wait_until(lambda: bool(page.flows()[0].get("response")))
        seen.append(page.everything())
        finished.set()
        answer = connection.read_response()
    seen.append(page.everything())
    for shown in seen:
        assert b"/chat/completions" in shown
        assert not [secret for secret in SECRETS if secret.encode() in shown]
    # What travels is untouched.
    (sent,) = upstream.requests
    assert sent.header("authorization") == f"Bearer {FAKE_KEY}".encode()
    assert sent.header("cookie") == COOKIE.encode()
    assert sent.target.endswith(f"?key={QUERY_KEY}")
    assert sent.json() == body
    assert answer.header("set-cookie") == COOKIE
    assert CLIENT_KEY.encode() in answer.body
    (flow,) = page.flows()
    assert ["authorization", "[redacted]"] in flow["request"]["headers"]
    assert ["set-cookie", "[redacted]"] in [[name.lower(), text] for name, text in flow["response"]["headers"]]
    assert b"[redacted:" in page.content(flow, "request")
    assert b"[redacted:" in page.content(flow, "response")


def test_masks_can_be_taken_off(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(watched(record_config(tmp_path, upstream.base_url), mask_secrets=False)) as harness:
        ask(harness, headers=SECRET_HEADERS, target=TARGET)
        (flow,) = page_of(harness).flows()
        assert ["authorization", f"Bearer {FAKE_KEY}"] in flow["request"]["headers"]
        assert QUERY_KEY in flow["request"]["path"]


def test_a_compressed_answer_with_a_secret_is_shown_decoded(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    body = gzip.compress(f'{{"k": "{CLIENT_KEY}"}}'.encode(), mtime=0)
    upstream.script([Send(encode_response(200, body, headers=[("content-encoding", "gzip")]))])
    assert ask(recorder).body == body
    page = page_of(recorder)
    (flow,) = page.flows()
    assert page.content(flow, "response").startswith(b'{"k": "[redacted:')
    assert "content-encoding" not in dict(flow["response"]["headers"])


def test_a_compressed_answer_without_a_secret_stays_compressed(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    body = gzip.compress(b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "Zipped."}}]}', mtime=0)
    upstream.script([Send(encode_response(200, body, headers=[("content-encoding", "gzip")]))])
    ask(recorder)
    page = page_of(recorder)
    (flow,) = page.flows()
    assert flow["response"]["contentLength"] == len(body)
    shown = page.view(flow, "response")
    assert (shown["view_name"], shown["description"]) == ("LLM chat", "[decoded gzip]")
    assert "Zipped." in shown["text"]


# --- the list, the page -----------------------------------------------------------------------------------------------


def test_the_list_keeps_as_many_flows_as_it_is_told(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(watched(record_config(tmp_path, upstream.base_url), keep=2)) as harness:
        for _ in range(5):
            ask(harness)
        page = page_of(harness)
        assert [comment.split(",")[0] for comment in comments(page)] == ["recorded #3", "recorded #4"]
        assert len(harness.tape().interactions) == 5
        assert "the list shows the last 2 exchanges" in page.command("spycatcher.status")
        events = [event["message"] for event in page.get("/events")]
        assert sum("the list is full: older exchanges leave it" in message for message in events) == 1


def test_the_handle_knows_where_the_page_is(recorder: InProcessHarness) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:[1-9]\d*/\?token=[0-9a-f]{32}", recorder.running.page_url or "")


def test_a_console_is_not_shown_by_the_start(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(watched(record_config(tmp_path, upstream.base_url), kind=UiKind.CONSOLE)) as harness:
        assert harness.running.page_url is None
        assert ask(harness).status == 200


def test_a_start_without_a_tape_fails_as_without_a_page(tmp_path: Path) -> None:
    with pytest.raises(CassetteNotFoundError):
        InProcessHarness(watched(replay_config(tmp_path)))


def test_the_page_asks_for_its_token(recorder: InProcessHarness) -> None:
    page = page_of(recorder)
    assert Page(page.url, password="wrong").request("GET", "/flows")[0] == 403
    assert page.request("GET", "/")[0] == 200
    assert b".col-comment { width: 45%; }" in page.request("GET", "/")[1]


def test_a_password_takes_the_place_of_the_token_and_is_shown_to_nobody(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(watched(record_config(tmp_path, upstream.base_url), password="fake password")) as harness:
        assert harness.running.page_url is not None
        assert "token" not in harness.running.page_url
        page = Page(harness.running.page_url, password="fake password")
        assert page.flows() == []
        assert b"fake password" not in page.request("GET", "/options")[1]


def test_a_page_that_cannot_be_opened_leaves_nothing_behind(tmp_path: Path, upstream: StubUpstream, recorder: InProcessHarness) -> None:
    config = record_config(tmp_path / "other", upstream.base_url)
    port = int((recorder.running.page_url or "").partition("?")[0].rstrip("/").rpartition(":")[2])
    with pytest.raises(HarnessIOError) as refused:
        InProcessHarness(watched(config, port=port))
    assert refused.value.source.startswith(f"cannot open the page on 127.0.0.1:{port}: ")
    assert refused.value.source.endswith("choose another --ui-port or port 0")
    with InProcessHarness(watched(config)) as harness:  # neither the tape nor the listener is held any more
        assert ask(harness).status == 200


def test_the_record_modes_have_no_page() -> None:
    config = HarnessConfig(mode=Mode.AUTO, listen=ListenAddr("127.0.0.1", 0), ui=PAGE)
    with pytest.raises(InvalidConfigError, match="only `record` and `replay` can be watched"):
        InProcessHarness(config)


def test_after_the_stop_the_page_is_closed(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(watched(record_config(tmp_path, upstream.base_url))) as harness:
        page = page_of(harness)
    with pytest.raises(OSError, match="."):
        page.request("GET", "/flows")


# --- commands and what is sent once more ------------------------------------------------------------------------------


def test_a_flow_sent_once_more_is_not_recorded_and_goes_out_whole(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    ask(recorder, {**ASK, "note": CLIENT_KEY}, headers=SECRET_HEADERS, target=TARGET)
    page = page_of(recorder)
    (flow,) = page.flows()
    assert page.request("POST", f"/flows/{flow['id']}/replay")[0] == 200
    upstream.wait_for_requests(2)
    first, second = upstream.requests
    wait_for_comment(page, "re-sent, not recorded")
    assert (second.target, second.body) == (first.target, first.body)
    assert sorted(second.headers) == sorted(first.headers)
    assert len(recorder.tape().interactions) == 1
    assert recorder.stats.recorded == 1
    (flow,) = page.flows()
    assert flow["marked"] == "🔁"
    assert flow["response"]["status_code"] == 200
    assert not [secret for secret in SECRETS if secret.encode() in page.everything()]


def test_a_flow_sent_once_more_on_request_is_recorded(recorder: InProcessHarness) -> None:
    ask(recorder, ASK_STREAM)
    page = page_of(recorder)
    assert page.command("spycatcher.resend", "@all") == "sent 1 once more"
    wait_for_comment(page, "recorded #1 · ")
    first, second = recorder.tape().interactions
    assert first.request.stable_hash == second.request.stable_hash
    assert first.request.path == second.request.path


def test_what_a_person_changes_before_sending_once_more_is_sent(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    ask(recorder, headers=SECRET_HEADERS)
    page = page_of(recorder)
    (flow,) = page.flows()
    assert page.request("PUT", f"/flows/{flow['id']}", {"request": {"content": json.dumps({**ASK, "model": "edited"})}})[0] == 200
    page.request("POST", f"/flows/{flow['id']}/replay")
    wait_for_comment(page, "re-sent, not recorded")
    assert upstream.requests[1].json()["model"] == "edited"
    assert upstream.requests[1].header("authorization") == f"Bearer {FAKE_KEY}".encode()


def test_a_flow_sent_once_more_consumes_nothing_in_a_replay(tmp_path: Path, upstream: StubUpstream) -> None:
    recorded_tape(tmp_path, upstream, ASK, ASK_STREAM)
    with InProcessHarness(watched(replay_config(tmp_path))) as harness:
        ask(harness)
        page = page_of(harness)
        (flow,) = page.flows()
        page.request("POST", f"/flows/{flow['id']}/replay")
        wait_for_comment(page, "re-sent #0, nothing consumed · ")
        assert harness.stats.unused == (1,)
        assert harness.stats.matched == 1
        assert page.command("spycatcher.unused") == ["#1 hi"]
        assert page.command("spycatcher.rewind") == "replaying from the start; 2 interactions are unused"
        assert page.command("spycatcher.resend", "@all") == "sent 1 once more"
        wait_for_comment(page, "replayed #0 · ")
        assert harness.stats.unused == (1,)
        assert ask(harness, ASK_STREAM).status == 200
        assert page.command("spycatcher.unused") == []
        assert page.command("spycatcher.status").startswith(f"replay of {tmp_path}/tape.json: 2 of 2 interactions used, 0 requests did")


def wait_for_comment(page: Page, text: str) -> None:
    wait_until(lambda: any(comment.startswith(text) for comment in comments(page)))


def wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(1000):
        if is_so():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never came to pass")


def test_commands_of_a_recording(recorder: InProcessHarness, tmp_path: Path) -> None:
    ask(recorder)
    page = page_of(recorder)
    assert page.command("spycatcher.status").startswith(f"recording to {tmp_path}/tape.json: 1 interactions recorded, 1 on the cassette")
    shown = page.command("spycatcher.show", "0")
    assert shown.startswith("interaction 0, recorded ")
    assert "user:\n  hi\n" in shown
    assert page.command("spycatcher.show", "1") == {"error": "there is no interaction 1; the cassette has 1, counted from 0"}
    assert page.command("spycatcher.show", "-1") == {"error": "there is no interaction -1; the cassette has 1, counted from 0"}
    assert page.command("spycatcher.rewind") == {"error": "this is for a replay; a recording uses no interactions up"}


def test_what_a_command_says_is_in_the_log_too(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(watched(record_config(tmp_path, upstream.base_url))) as harness:
        ask(harness)
        page = page_of(harness)
        page.command("spycatcher.show", "0")
        assert any("interaction 0, recorded " in event["message"] for event in page.get("/events"))


def test_selected_flows_become_a_tape(recorder: InProcessHarness, tmp_path: Path) -> None:
    ask(recorder)
    ask(recorder, target="/v1/models")
    ask(recorder, ASK_STREAM)
    page = page_of(recorder)
    path = tmp_path / "selected.json"
    said = page.command("spycatcher.save", "@all", str(path)).splitlines()
    assert said == [
        f"appended 2 to {path}, which has 2 now",
        "left out: answered by the harness: 404 not_found: the answer was made by the harness",
    ]
    assert read_cassette(path).cassette.interactions == recorder.tape().interactions
    refused = page.command("spycatcher.save", "@all", str(tmp_path / "tape.json"))
    assert "another" in refused["error"], "the tape that is being recorded has one writer"


def test_a_dump_becomes_a_tape_and_what_cannot_be_imported_is_named(recorder: InProcessHarness, tmp_path: Path) -> None:
    flow = tflow.tflow(resp=True)
    flow.request.path, flow.request.method = "/v1/chat/completions", "POST"
    flow.request.content = json.dumps({**ASK, "key": CLIENT_KEY}).encode()
    flow.response.content = b'{"choices": []}'
    other, unfinished, streamed = tflow.tflow(resp=True), flow.copy(), flow.copy()
    unfinished.response = None
    streamed.response.raw_content = None
    dump = tmp_path / "some.mitm"
    with dump.open("wb") as file:
        writer = FlowWriter(file)
        for each in (flow, other, unfinished, streamed, tflow.ttcpflow()):
            writer.add(each)
    path = tmp_path / "imported.json"
    said = page_of(recorder).command("spycatcher.import", str(dump), str(path)).splitlines()
    assert said[0] == f"appended 1 to {path}, which has 1 now"
    assert said[1:] == [
        "left out: GET http://address:22/path: another endpoint",
        "left out: POST http://address:22/v1/chat/completions: no whole answer",
        "left out: POST http://address:22/v1/chat/completions: the body is missing "
        "(mitmproxy keeps streamed bodies only with store_streamed_bodies)",
        "left out: a tcp connection, which is no HTTP exchange",
    ]
    assert CLIENT_KEY not in path.read_text()
    assert read_cassette(path).cassette.interactions[0].request.path == "/v1/chat/completions"


def test_an_archive_becomes_a_tape(recorder: InProcessHarness, tmp_path: Path) -> None:
    def entry(url: str) -> dict[str, Any]:
        return {
            "request": {"method": "POST", "url": url, "headers": [], "postData": {"text": json.dumps(ASK)}},
            "response": {"status": 200, "headers": [], "content": {"text": "{}"}},
        }

    archive = tmp_path / "some.har"
    entries = [entry("https://api.example/v1/chat/completions"), entry("https://api.example/v1/other")]
    archive.write_text(json.dumps({"log": {"entries": entries}}))
    path = tmp_path / "imported.json"
    page = page_of(recorder)
    assert page.command("spycatcher.import", str(archive), str(path)).splitlines() == [
        f"appended 1 to {path}, which has 1 now",
        "left out: 1 exchanges with other endpoints",
    ]
    assert "cannot be imported: No such file" in page.command("spycatcher.import", str(tmp_path / "absent"), str(path))["error"]
    archive.write_text("{")
    assert "it is no HAR file" in page.command("spycatcher.import", str(archive), str(path))["error"]
    archive.write_text("neither")
    assert "neither a dump of mitmproxy nor a HAR file" in page.command("spycatcher.import", str(archive), str(path))["error"]
    archive.write_text(json.dumps({"log": {"entries": []}}))
    assert page.command("spycatcher.import", str(archive), str(path)) == {"error": "nothing was written: no exchange can be kept"}


def test_a_dump_of_the_list_can_be_imported_again(recorder: InProcessHarness, tmp_path: Path) -> None:
    ask(recorder, ASK_STREAM)
    page = page_of(recorder)
    dump = tmp_path / "list.mitm"
    dump.write_bytes(page.request("GET", "/flows/dump")[1])
    with dump.open("rb") as file:
        assert len(list(FlowReader(file).stream())) == 1
    page.command("spycatcher.import", str(dump), str(tmp_path / "again.json"))
    (interaction,) = read_cassette(tmp_path / "again.json").cassette.interactions
    assert interaction.request.stable_hash == recorder.tape().interactions[0].request.stable_hash
    assert interaction.response.events == recorder.tape().interactions[0].response.events  # type: ignore[union-attr]


def test_a_body_of_five_megabytes_is_shown_in_part(recorder: InProcessHarness, upstream: StubUpstream) -> None:
    big = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "word " * 1_000_000}}]}
    upstream.script([Send(encode_response(200, json.dumps(big).encode()))])
    asked = {**ASK, "messages": [{"role": "user", "content": f"number {number}"} for number in range(300)]}
    ask(recorder, asked)
    page = page_of(recorder)
    (flow,) = page.flows()
    text = page.view(flow, "response")["text"]
    assert len(text) < 20_000
    assert "4992000 characters left out" in text
    request = page.view(flow, "request")["text"]
    assert "… 200 messages left out …" in request
    assert "number 299" in request


def test_no_home_directory_is_needed(tmp_path: Path, upstream: StubUpstream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "file" / "home"))
    (tmp_path / "file").write_text("")
    with InProcessHarness(watched(record_config(tmp_path, upstream.base_url))) as harness:
        assert ask(harness).status == 200
        assert page_of(harness).get("/events") == []
