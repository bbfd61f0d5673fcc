"""What sockets cannot show of the flow lane: its bookkeeping. Its behaviour on the wire is tested in tests/integration."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mitmproxy.proxy import commands
from mitmproxy.proxy.context import Context
from mitmproxy.proxy.layer import Layer, NextLayer
from mitmproxy.proxy.layers import ServerTLSLayer, TCPLayer
from mitmproxy.proxy.layers.http import HttpLayer, HTTPMode
from mitmproxy.proxy.layers.modes import ReverseProxy
from mitmproxy.test import tflow

from scripts.stub_upstream import SSE_HEAD, Close, Reset, Send, Stall, StubUpstream, chunk, encode_response
from spycatcher_addon.config import LimitsConfig
from spycatcher_addon.edge import lanes
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from tests.support.in_process import InProcessHarness, record_config, replay_config
from tests.support.raw_http import RawConnection, encode_json_request, encode_request

ASK = {"model": "stub", "messages": [{"role": "user", "content": "hi"}]}
ASK_STREAM = {**ASK, "stream": True}
ONE = b'data: {"n":1}\n\n'


def hooks_of(harness: InProcessHarness) -> RecordHooks | ReplayHooks:
    return harness.running._hosted.hooks  # type: ignore[return-value]


@pytest.fixture
def recorder(tmp_path: Path, upstream: StubUpstream) -> Iterator[InProcessHarness]:
    config = record_config(tmp_path, upstream.base_url, total_timeout_s=60).model_copy(
        update={"limits": LimitsConfig(max_body_bytes=10_000)}
    )
    with InProcessHarness(config) as running:
        yield running


# --- installing -------------------------------------------------------------------------------------------------------------


def context() -> Context:
    return Context(tflow.tclient_conn(), None)


def install_into(chosen: Layer | None) -> NextLayer:
    next_layer = NextLayer(context())
    next_layer.layer = chosen
    lanes.install(next_layer, object())  # type: ignore[arg-type]
    return next_layer


def test_the_stock_http_layer_is_replaced() -> None:
    stock = HttpLayer(context(), HTTPMode.transparent)
    installed = install_into(stock).layer
    assert isinstance(installed, lanes.HarnessHttpLayer)
    assert (installed.mode, installed.context) == (HTTPMode.transparent, stock.context)
    assert installed.context.layers[-1] is installed and stock not in installed.context.layers


def test_a_stock_http_layer_deeper_in_the_stack_is_replaced() -> None:
    outer = ServerTLSLayer(context())
    outer.child_layer = HttpLayer(outer.context, HTTPMode.transparent)
    assert install_into(outer).layer is outer
    assert isinstance(outer.child_layer, lanes.HarnessHttpLayer)


@pytest.mark.parametrize(
    "make",
    [
        lambda: None,
        lambda: TCPLayer(context()),
        lambda: ReverseProxy(context()),
        lambda: lanes.HarnessHttpLayer(context(), HTTPMode.transparent, object()),  # type: ignore[arg-type]
    ],
    ids=["nothing chosen yet", "TCP", "proxy mode", "ours already"],
)
def test_other_layers_are_left_alone(make: Callable[[], Layer | None]) -> None:
    chosen = make()
    assert install_into(chosen).layer is chosen


# --- wake-ups ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["kept alive", "closed by the upstream each time"])
@pytest.mark.parametrize("asked", [ASK, ASK_STREAM], ids=["plain", "stream"])
def test_many_requests_on_one_connection_leave_few_wake_ups_waiting(
    recorder: InProcessHarness, upstream: StubUpstream, asked: dict[str, Any], ending: str
) -> None:
    hooks = hooks_of(recorder)

    async def waiting() -> list[int]:
        return [len(handler.wakeup_timer) for handler in hooks.connections.values()]

    most = 0
    with RawConnection(recorder.addr) as connection:
        for _ in range(60):
            if ending != "kept alive":
                upstream.script([Send(encode_response(200, ONE, "text/event-stream")), Close()])
            connection.send(encode_json_request(asked))
            assert connection.read_response().status == 200
            (count,) = recorder.call(waiting())
            most = max(most, count)
    assert 1 <= most <= 3


def test_replay_asks_for_no_wake_ups(recorder: InProcessHarness, tmp_path: Path) -> None:
    with RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ASK))
        connection.read_response()
    recorder.stop()
    with InProcessHarness(replay_config(tmp_path)) as replay, RawConnection(replay.addr) as connection:

        async def waiting() -> list[int]:
            return [len(handler.wakeup_timer) for handler in hooks_of(replay).connections.values()]

        connection.send(encode_json_request(ASK))
        assert connection.read_response().status == 200
        assert replay.call(waiting()) == [0]


# --- every exchange that begins also ends -------------------------------------------------------------------------------------


def finish(connection: RawConnection) -> None:
    connection.read_response()


def finish_two(connection: RawConnection) -> None:
    finish(connection)
    finish(connection)


def finish_head(connection: RawConnection) -> None:
    connection.read_response("HEAD")


def hang_up(connection: RawConnection) -> None:
    connection.read_head()
    connection.reset()


def hang_up_at_once(connection: RawConnection) -> None:
    connection.close()


STREAM_THEN = [Send(SSE_HEAD), Send(chunk(ONE))]
EXCHANGES: dict[str, tuple[bytes, list[Any] | None, Callable[[RawConnection], None], int]] = {
    # Request, what the upstream does (None: answers politely), what the client does then, exchanges that must have begun
    # (0 where the client may be gone before the lane has looked at its request).
    "plain": (encode_json_request(ASK), None, finish, 1),
    "stream": (encode_json_request(ASK_STREAM), None, finish, 1),
    "two at once": (encode_json_request(ASK) * 2, None, finish_two, 2),
    "unknown path": (encode_request(method="GET", target="/nowhere"), None, finish, 1),
    "HEAD": (encode_request(method="HEAD"), None, finish_head, 1),
    "too large by its length": (encode_request(b"x" * 20_000), None, finish, 1),
    "too large in chunks": (encode_request(chunk(b"x" * 20_000), [("transfer-encoding", "chunked")]), None, finish, 1),
    "no HTTP": (b"GET / HTTP/1.1\r\nbad name: 1\r\n\r\n", None, finish, 0),
    "broken body": (encode_request(b"zz\r\n", [("transfer-encoding", "chunked")]), None, hang_up_at_once, 0),
    "client leaves a stream": (encode_json_request(ASK_STREAM), [*STREAM_THEN, Stall()], hang_up, 1),
    "client leaves before the answer": (encode_json_request(ASK), [Stall()], hang_up_at_once, 1),
    "client leaves inside its body": (encode_json_request(ASK)[:-5], None, hang_up_at_once, 0),
    "upstream leaves before the answer": (encode_json_request(ASK), [Close()], finish, 1),
    "upstream resets": (encode_json_request(ASK), [Reset()], finish, 1),
    "upstream breaks the stream": (encode_json_request(ASK_STREAM), [*STREAM_THEN, Close()], finish, 1),
    "upstream is no HTTP": (encode_json_request(ASK), [Send(b"SSH-2.0\r\n\r\n"), Close()], finish, 1),
    "HTTP/1.0": (encode_json_request(ASK).replace(b"HTTP/1.1\r\n", b"HTTP/1.0\r\n", 1), None, finish, 1),
}


@pytest.mark.parametrize("name", EXCHANGES)
def test_every_exchange_that_begins_ends_once(
    recorder: InProcessHarness, upstream: StubUpstream, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, steps, then, least = EXCHANGES[name]
    hooks = hooks_of(recorder)
    counted: Counter[str] = Counter()

    def counting(name: str) -> Callable[[str], None]:
        through = getattr(hooks, name)

        def count_and_pass_on(client_id: str) -> None:
            counted[name] += 1
            through(client_id)

        return count_and_pass_on

    for callback in ("exchange_began", "exchange_ended"):
        monkeypatch.setattr(hooks, callback, counting(callback))
    if steps is not None:
        upstream.script(steps)
    with RawConnection(recorder.addr) as connection:
        connection.send(request)
        if steps is not None:
            upstream.wait_for_requests(1)
        then(connection)
    recorder.stop()
    assert counted["exchange_began"] == counted["exchange_ended"]
    assert counted["exchange_began"] >= least
    assert hooks._active == {}


def test_an_upstream_that_is_not_there_ends_the_exchange_too(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with InProcessHarness(record_config(tmp_path, f"http://127.0.0.1:{port}/v1")) as recorder:

        async def active() -> dict[str, int]:
            return dict(hooks_of(recorder)._active)

        with RawConnection(recorder.addr) as connection:
            connection.send(encode_json_request(ASK))
            assert connection.read_response().status == 502
            # The connection lives on, and is not busy.
            assert recorder.call(active()) == {}
            connection.send(encode_json_request(ASK))
            assert connection.read_response().status == 502


def test_what_is_sent_in_a_row_leaves_in_one_write_and_in_order() -> None:
    one, other = tflow.tclient_conn(), tflow.tserver_conn()
    hook = commands.Log("between")

    def work() -> Iterator[commands.Command]:
        yield commands.SendData(one, b"1")
        yield commands.SendData(one, b"2")
        yield commands.SendData(other, b"3")
        yield hook
        yield commands.SendData(one, b"4")
        yield commands.SendData(one, b"5")

    sent = [(each.connection, each.data) if isinstance(each, commands.SendData) else each for each in lanes._written_together(work())]  # type: ignore[arg-type]
    assert sent == [(one, b"12"), (other, b"3"), hook, (one, b"45")]


def test_what_was_sent_before_a_crash_still_leaves() -> None:
    client = tflow.tclient_conn()

    def work() -> Iterator[commands.Command]:
        yield commands.SendData(client, b"answer")
        raise ValueError("broken")

    joined = lanes._written_together(work())  # type: ignore[arg-type]
    [sent] = [next(joined)]
    assert isinstance(sent, commands.SendData) and sent.data == b"answer"
    with pytest.raises(ValueError, match="broken"):
        next(joined)
