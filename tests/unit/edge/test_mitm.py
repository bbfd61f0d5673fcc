"""The hooks of both modes, driven with flows that no socket carries."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from mitmproxy import flow as mitmflow
from mitmproxy import http
from mitmproxy.connection import Server
from mitmproxy.proxy.server_hooks import ServerConnectionHookData
from mitmproxy.test import tflow, tutils

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED
from spycatcher_addon.cassette.model import Cassette, FailureKind, Interaction, NonStreamResponse, StreamResponse
from spycatcher_addon.config import AuthScheme, UpstreamConfig
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from spycatcher_addon.errors import HarnessIOError
from spycatcher_addon.exchange import ReplayResponse
from spycatcher_addon.fault_injection import FaultInjector
from spycatcher_addon.fault_rules import parse_fault_rules
from spycatcher_addon.recording import Recorder, RecordingPolicy
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.replaying import ReplayPolicy, ReplaySession

ASK = {"model": "stub", "messages": []}
KEY = {"STUB_KEY": "sk-fake"}
ONE = b'data: {"n":1}\n\n'
DONE = b"data: [DONE]\n\n"
SSE = http.Headers(((b"content-type", b"text/event-stream"), (b"transfer-encoding", b"chunked")))
CLIENT_HEADERS = ((b"Authorization", b"Bearer client"), (b"X-Kept", b"1"), (b"Host", b"harness"), (b"Accept-Encoding", b"gzip"))


class FakeWriter:
    """Keeps what is appended; fails on request."""

    def __init__(self) -> None:
        self.kept: list[Interaction] = []
        self.threads: set[str] = set()
        self.failure: Exception | None = None
        self.closed = 0
        self.users: list[RecordHooks] = []

    def append(self, interaction: Interaction) -> None:
        self.threads.add(threading.current_thread().name)
        if self.failure is not None:
            raise self.failure
        self.kept.append(interaction)

    def close(self) -> None:
        self.closed += 1


def make_flow(value: Any = ASK, path: bytes = b"/v1/chat/completions", method: bytes = b"POST", **changes: Any) -> http.HTTPFlow:
    body = json.dumps(value).encode()
    request = tutils.treq(method=method, path=path, content=body, headers=http.Headers(CLIENT_HEADERS), **changes)
    made: http.HTTPFlow = tflow.tflow(req=request)
    return made


@pytest.fixture
def writer() -> Iterator[FakeWriter]:
    made = FakeWriter()
    yield made
    for hooks in made.users:
        hooks.close()  # ends their threads


def make_hooks(
    writer: FakeWriter, environ: dict[str, str] = KEY, base_url: str = "https://api.test:8443/base/v1/", **upstream: Any
) -> RecordHooks:
    config = UpstreamConfig(base_url=base_url, api_key_env="STUB_KEY", **upstream)
    policy = RecordingPolicy(NOTHING_IGNORED, RedactionRules(frozenset({"authorization"})), "stub", 1_000_000)
    hooks = RecordHooks(writer, config, policy, environ)  # type: ignore[arg-type]
    writer.users.append(hooks)
    return hooks


def answered(flow: http.HTTPFlow) -> tuple[int, str]:
    assert flow.response is not None
    return flow.response.status_code, json.loads(flow.response.content or b"")["error"]["kind"]


# --- replay -----------------------------------------------------------------------------------------------------------------


def replay_hooks() -> ReplayHooks:
    return ReplayHooks(ReplaySession(Cassette(2), ReplayPolicy()), 1000)


def test_replay_answers_every_request_itself() -> None:
    hooks = replay_hooks()
    for flow, expected in (
        (make_flow(), (409, "request_mismatch")),
        (make_flow(path=b"/v1/models"), (404, "not_found")),
        (make_flow(method=b"PUT"), (405, "method_not_allowed")),
    ):
        hooks.request(flow)
        assert answered(flow) == expected


@pytest.mark.parametrize("error", [RuntimeError("secret detail"), MemoryError(), RecursionError()])
def test_replay_fails_closed(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception) -> None:
    hooks = replay_hooks()

    def explode(request: object) -> None:
        raise error

    monkeypatch.setattr(hooks.session, "handle", explode)
    flow = make_flow()
    with caplog.at_level(logging.WARNING):
        hooks.request(flow)
    assert answered(flow) == (500, "internal")
    assert flow.response is not None and b"secret detail" not in (flow.response.content or b"")
    (record,) = caplog.records
    assert type(error).__name__ in record.getMessage() and record.exc_info is None


def test_replay_vetoes_every_connection() -> None:
    data = ServerConnectionHookData(Server(address=("127.0.0.1", 80)), tflow.tclient_conn())
    replay_hooks().server_connect(data)
    assert data.server.error


def test_a_client_that_leaves_a_faulted_answer_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = FaultInjector(parse_fault_rules("stall"), 0, lambda: 0.0)
    hooks = ReplayHooks(ReplaySession(Cassette(2), ReplayPolicy(), faults), 1000)

    def handle(request: object) -> ReplayResponse:
        faults.note_request("h")
        return faults.answer(0, "/", ReplayResponse(200, (), (b"x",), interaction_index=0))[0]

    monkeypatch.setattr(hooks.session, "handle", handle)
    flow = make_flow()
    hooks.request(flow)
    hooks.client_left(make_flow())
    assert not faults.findings().verdicts[0].has_left
    hooks.client_left(flow)
    assert faults.findings().verdicts[0].has_left


def test_a_plan_for_sending_is_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = replay_hooks()
    large = ReplayResponse(200, (), (b"x" * 40_000, b"y" * 40_000), is_stream=True)
    monkeypatch.setattr(hooks.session, "handle", lambda request: large)
    flow = make_flow()
    hooks.request(flow)
    outgoing = hooks.take_outgoing(flow)
    assert outgoing is not None and outgoing.pieces == large.pieces
    assert hooks.take_outgoing(flow) is None


# --- recording: the way up ----------------------------------------------------------------------------------------------------


def test_the_outbound_request_is_made_anew(writer: FakeWriter) -> None:
    flow = make_flow(path=b"/v1/chat/completions?b=2&a=%41")
    make_hooks(writer, extra_headers={"x-extra": "e"}).request(flow)
    request = flow.request
    assert flow.response is None
    assert (request.scheme, request.host, request.port) == ("https", "api.test", 8443)
    assert (request.path, request.authority, request.http_version) == ("/base/v1/chat/completions?b=2&a=%41", "", "HTTP/1.1")
    fields = {name.lower(): value for name, value in request.headers.fields}
    assert fields[b"host"] == b"api.test:8443"
    assert fields[b"authorization"] == b"Bearer sk-fake"
    assert fields[b"content-length"] == str(len(json.dumps(ASK))).encode()
    assert (fields[b"x-kept"], fields[b"x-extra"]) == (b"1", b"e")
    assert b"accept-encoding" not in fields
    assert request.raw_content == json.dumps(ASK).encode()


def test_http_2_upstream_has_an_authority_and_no_host(writer: FakeWriter) -> None:
    flow = make_flow(http_version=b"HTTP/2.0")
    make_hooks(writer).request(flow)
    assert (flow.request.authority, "host" in flow.request.headers) == ("api.test:8443", False)


@pytest.mark.parametrize(
    ("changes", "environ", "upstream", "expected"),
    [
        ({"path": b"/v1/models"}, KEY, {}, (404, "not_found")),
        ({"method": b"GET"}, KEY, {}, (405, "method_not_allowed")),
        ({}, {}, {}, (502, "upstream_credentials_missing")),
        ({}, {"STUB_KEY": ""}, {}, (502, "upstream_credentials_missing")),
        ({}, {"STUB_KEY": "two\nlines"}, {}, (502, "upstream_credentials_missing")),
    ],
)
def test_what_is_refused_goes_nowhere(
    writer: FakeWriter, changes: dict[str, Any], environ: dict[str, str], upstream: dict[str, Any], expected: tuple[int, str]
) -> None:
    hooks = make_hooks(writer, environ, **upstream)
    flow = make_flow(**changes)
    hooks.request(flow)
    assert answered(flow) == expected
    assert (hooks.counts.refused, hooks.counts.failed) == (1, 0)


def test_without_auth_no_key_is_needed_and_the_clients_own_does_not_travel(writer: FakeWriter) -> None:
    flow = make_flow()
    make_hooks(writer, {}, auth=AuthScheme.NONE).request(flow)
    assert flow.response is None
    assert "authorization" not in flow.request.headers


def test_an_error_inside_the_harness_is_a_500_and_not_a_way_through(
    writer: FakeWriter, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def explode(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("spycatcher_addon.edge.mitm.outbound_headers", explode)
    hooks = make_hooks(writer)
    flow = make_flow()
    with caplog.at_level(logging.WARNING):
        hooks.request(flow)
    assert answered(flow) == (500, "internal")
    assert (hooks.counts.failed, hooks.is_streaming(flow)) == (1, False)
    assert "secret detail" not in caplog.text


def test_flows_that_are_not_a_clients_are_left_alone(writer: FakeWriter) -> None:
    hooks = make_hooks(writer)
    replayed_by_the_ui, answered_by_another = make_flow(), make_flow()
    replayed_by_the_ui.is_replay = "request"
    answered_by_another.response = tutils.tresp()
    for flow in (replayed_by_the_ui, answered_by_another):
        before = flow.request.get_state()
        hooks.request(flow)
        hooks.responseheaders(flow)
        asyncio.run(hooks.response(flow))
        asyncio.run(hooks.error(flow))
        assert flow.request.get_state() == before
    assert writer.kept == [] and hooks.counts.refused == 0


@pytest.mark.parametrize(
    ("address", "is_allowed"),
    [(("api.test", 8443), True), (("api.test", 443), False), (("elsewhere.test", 8443), False), (None, False)],
)
def test_only_the_configured_upstream_is_dialled(writer: FakeWriter, address: tuple[str, int] | None, is_allowed: bool) -> None:
    data = ServerConnectionHookData(Server(address=address), tflow.tclient_conn())
    make_hooks(writer).server_connect(data)
    assert (data.server.error is None) is is_allowed


# --- recording: the way down --------------------------------------------------------------------------------------------------


def begin(hooks: RecordHooks, flow: http.HTTPFlow, response: http.Response) -> None:
    hooks.requestheaders(flow)
    hooks.request(flow)
    assert flow.response is None
    flow.response = response
    hooks.responseheaders(flow)


def plain_answer(status: int = 200, content: bytes = b'{"a":1}') -> http.Response:
    made: http.Response = tutils.tresp(status_code=status, content=content, headers=http.Headers(((b"content-type", b"application/json"),)))
    return made


def stream_answer() -> http.Response:
    made: http.Response = tutils.tresp(content=None, headers=http.Headers(SSE.fields))
    return made


def send(flow: http.HTTPFlow, chunk: bytes) -> Any:
    assert flow.response is not None and callable(flow.response.stream)
    return flow.response.stream(chunk)


def test_the_headers_on_the_tape_are_those_before_mitmproxy_touched_them(writer: FakeWriter) -> None:
    hooks = make_hooks(writer)
    flow = make_flow()
    flow.request.headers["expect"] = "100-continue"
    hooks.requestheaders(flow)
    del flow.request.headers["expect"]  # what mitmproxy does once it has answered it
    hooks.request(flow)
    flow.response = plain_answer()
    hooks.responseheaders(flow)
    asyncio.run(hooks.response(flow))
    names = [name for name, _ in writer.kept[0].request.headers]
    assert "expect" in names and "authorization" not in names


def test_a_plain_answer_is_kept_and_gets_its_length(writer: FakeWriter) -> None:
    hooks = make_hooks(writer)
    flow = make_flow()
    begin(hooks, flow, plain_answer(status=429))
    assert flow.response is not None and not flow.response.stream
    asyncio.run(hooks.response(flow))
    (kept,) = writer.kept
    assert isinstance(kept.response, NonStreamResponse) and (kept.response.status, kept.response.body) == (429, b'{"a":1}')
    assert flow.response.headers["content-length"] == "7"
    assert (hooks.counts.recorded, hooks.counts.error_statuses) == (1, 1)


def test_a_streamed_answer_is_passed_on_chunk_by_chunk_and_kept(writer: FakeWriter) -> None:
    hooks = make_hooks(writer)
    flow = make_flow({**ASK, "stream": True})
    begin(hooks, flow, stream_answer())
    assert hooks.is_streaming(flow)
    for chunk in (ONE[:5], ONE[5:], DONE, b""):
        assert send(flow, chunk) is chunk
    asyncio.run(hooks.response(flow))
    (kept,) = writer.kept
    assert isinstance(kept.response, StreamResponse) and kept.response.raw_transcript == ONE + DONE
    assert kept.response.timing is not None and [end for end, _ in kept.response.timing.chunks] == [5, len(ONE), len(ONE + DONE)]


def test_a_recorder_that_fails_on_a_chunk_never_disturbs_the_client(
    writer: FakeWriter, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hooks = make_hooks(writer)
    flow = make_flow({**ASK, "stream": True})
    begin(hooks, flow, stream_answer())

    def explode(*_: object) -> None:
        raise RuntimeError("secret detail")

    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING):
        patched.setattr(Recorder, "feed", explode)
        assert send(flow, ONE) is ONE
    assert send(flow, DONE) is DONE
    with caplog.at_level(logging.WARNING):
        asyncio.run(hooks.response(flow))
    assert (writer.kept, hooks.counts.failed) == ([], 1), "a stream with a hole is not kept"
    assert "secret detail" not in caplog.text and "NOT RECORDED" in caplog.text


@pytest.mark.parametrize("failure", [HarnessIOError("cannot append to cassette x: No space left on device"), RuntimeError("secret detail")])
def test_a_tape_that_cannot_be_written_does_not_cost_the_client_its_answer(
    writer: FakeWriter, failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    hooks = make_hooks(writer)
    writer.failure = failure
    flow = make_flow()
    begin(hooks, flow, plain_answer())
    with caplog.at_level(logging.WARNING):
        asyncio.run(hooks.response(flow))
    assert flow.response is not None and (flow.response.status_code, flow.response.content) == (200, b'{"a":1}')
    assert (hooks.counts.recorded, hooks.counts.failed) == (0, 1)
    assert "NOT RECORDED" in caplog.text and "secret detail" not in caplog.text
    # The next one is kept again.
    writer.failure = None
    flow = make_flow()
    begin(hooks, flow, plain_answer())
    asyncio.run(hooks.response(flow))
    assert len(writer.kept) == 1


def test_appending_happens_in_one_thread_of_its_own_and_none_is_lost(writer: FakeWriter) -> None:
    hooks = make_hooks(writer)
    flows = [make_flow({**ASK, "n": number}) for number in range(20)]

    async def run() -> None:
        for flow in flows:
            begin(hooks, flow, plain_answer())
        await asyncio.gather(*(hooks.response(flow) for flow in flows))

    asyncio.run(run())
    assert len(writer.kept) == 20
    assert len(writer.threads) == 1 and threading.current_thread().name not in writer.threads


# --- recording: exchanges that break ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chunks", "has_client_left", "expected"),
    [
        ((ONE,), False, (0, 1, 0)),
        ((ONE,), True, (0, 0, 1)),
        ((ONE, DONE), False, (1, 0, 0)),
        ((ONE, DONE), True, (1, 0, 0)),
        ((ONE, DONE[:-1]), True, (0, 0, 1)),
    ],
    ids=["upstream breaks", "client leaves", "upstream breaks after the last event", "client leaves after it", "client leaves inside it"],
)
def test_a_broken_stream_is_kept_only_after_its_own_end_mark(
    writer: FakeWriter, chunks: tuple[bytes, ...], has_client_left: bool, expected: tuple[int, int, int]
) -> None:
    hooks = make_hooks(writer)
    flow = make_flow({**ASK, "stream": True})
    begin(hooks, flow, stream_answer())
    for chunk in chunks:
        send(flow, chunk)
    if has_client_left:
        hooks.client_left(flow)
    flow.error = mitmflow.Error("the connection is gone")
    asyncio.run(hooks.error(flow))
    counts = hooks.counts
    assert (counts.recorded, counts.failed, counts.abandoned) == expected
    assert len(writer.kept) == expected[0]
    # A flow ends once, whatever else mitmproxy says about it.
    asyncio.run(hooks.error(flow))
    asyncio.run(hooks.response(flow))
    assert (counts.recorded, counts.failed, counts.abandoned) == expected


@pytest.mark.parametrize(
    ("message", "connected_at", "cause"),
    [
        ("[Errno 111] Connect call failed ('api.test', 8443)", None, "the connection was refused"),
        ("something about api.test", None, "the connection could not be made"),
        ("something about api.test", 1.0, "the connection broke before the answer was complete"),
        ("timed out while connecting", 1.0, "the connection timed out (upstream.connect_timeout_s)"),
        ("timed out waiting for the upstream", 1.0, "the answer took too long (upstream.total_timeout_s or upstream.idle_timeout_s)"),
    ],
)
def test_the_log_gives_the_kind_of_failure_and_only_when_debugging_what_mitmproxy_says(
    writer: FakeWriter, caplog: pytest.LogCaptureFixture, message: str, connected_at: float | None, cause: str
) -> None:
    hooks = make_hooks(writer)
    flow = make_flow()
    hooks.requestheaders(flow)
    hooks.request(flow)
    flow.server_conn.timestamp_tcp_setup = connected_at
    flow.error = mitmflow.Error(message)
    with caplog.at_level(logging.DEBUG, "spycatcher_addon"):
        asyncio.run(hooks.error(flow))
    said = [(record.levelno, record.getMessage()) for record in caplog.records if record.name == "spycatcher_addon"]
    assert said == [
        (logging.WARNING, f"NOT RECORDED: the upstream failed: {cause}"),
        (logging.DEBUG, f"the upstream failed: {message}"),
    ]


@pytest.mark.parametrize(("has_client_left", "failure"), [(False, FailureKind.CUT), (True, FailureKind.CLIENT_LEFT)])
def test_a_broken_stream_is_kept_as_a_failure_where_that_is_wanted(writer: FakeWriter, has_client_left: bool, failure: FailureKind) -> None:
    hooks = make_hooks(writer)
    hooks._policy = replace(hooks._policy, keeps_failures=True)
    flow = make_flow({**ASK, "stream": True})
    begin(hooks, flow, stream_answer())
    send(flow, ONE)
    if has_client_left:
        hooks.client_left(flow)
    flow.error = mitmflow.Error("the connection is gone")
    asyncio.run(hooks.error(flow))
    assert [kept.failure for kept in writer.kept] == [failure]
    assert (hooks.counts.kept_failures, hooks.counts.recorded, hooks.counts.failed, hooks.counts.abandoned) == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("is_close_delimited", "chunk", "expected"),
    [(True, ONE, False), (True, ONE + b"data: ha", True), (False, ONE + b"data: ha", False)],
)
def test_only_a_body_that_ends_with_its_connection_can_break_off(
    writer: FakeWriter, is_close_delimited: bool, chunk: bytes, expected: bool
) -> None:
    hooks = make_hooks(writer)
    flow = make_flow({**ASK, "stream": True})
    answer = stream_answer()
    if is_close_delimited:
        del answer.headers["transfer-encoding"]
    begin(hooks, flow, answer)
    send(flow, chunk)
    assert hooks.breaks_off(flow) is expected


def test_questions_about_unknown_flows_have_quiet_answers(writer: FakeWriter) -> None:
    hooks = make_hooks(writer)
    flow = make_flow()
    hooks.client_left(flow)
    assert (hooks.is_streaming(flow), hooks.breaks_off(flow), hooks.take_outgoing(flow)) == (False, False, None)


def test_failures_are_named_without_naming_the_upstream(writer: FakeWriter) -> None:
    answer = make_hooks(writer).answer_for_failure("[Errno 111] Connect call failed ('api.test', 8443)", "connect")
    assert (answer.status, answer.error_kind) == (502, "upstream_request_failed")
    assert b"refused" in answer.body and b"api.test" not in answer.body


# --- ends ---------------------------------------------------------------------------------------------------------------------


def test_close_may_be_called_twice_and_what_ends_later_is_not_recorded(writer: FakeWriter, caplog: pytest.LogCaptureFixture) -> None:
    hooks = make_hooks(writer)
    flow = make_flow()
    begin(hooks, flow, plain_answer())
    hooks.close()
    hooks.close()
    assert writer.closed >= 1
    with caplog.at_level(logging.WARNING):
        asyncio.run(hooks.response(flow))
    assert (writer.kept, hooks.counts.failed) == ([], 1)
    assert "NOT RECORDED" in caplog.text


def test_a_connection_is_idle_when_its_last_exchange_has_ended(writer: FakeWriter) -> None:
    hooks = make_hooks(writer)
    idle: list[str] = []
    hooks.on_idle = idle.append
    hooks.exchange_began("a")
    hooks.exchange_began("a")
    hooks.exchange_began("b")
    hooks.exchange_ended("a")
    assert (hooks.is_busy("a"), idle) == (True, [])
    hooks.exchange_ended("a")
    assert (hooks.is_busy("a"), hooks.is_busy("b"), idle) == (False, True, ["a"])
