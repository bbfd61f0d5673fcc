"""The fast lane, fed with events; over sockets it shares the tests of the flow lane."""

from __future__ import annotations

import json

from mitmproxy import connection, options
from mitmproxy.proxy import commands, context, events, layer
from mitmproxy.proxy.layers import TCPLayer
from mitmproxy.proxy.layers.http import HttpLayer, HTTPMode

from spycatcher_addon.cassette import Cassette
from spycatcher_addon.config import LimitsConfig
from spycatcher_addon.edge import fast_lane
from spycatcher_addon.edge.fast_lane import FastLane
from spycatcher_addon.edge.mitm import ReplayHooks
from spycatcher_addon.edge.wire import WireAnswer, prepare_wire
from spycatcher_addon.exchange import Delivery, Ending, ObservedRequest, ReplayResponse
from spycatcher_addon.replaying import ReplayPolicy, ReplaySession

BODY = json.dumps({"model": "m"}).encode()
REQUEST = b"POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: %d\r\n\r\n%b" % (len(BODY), BODY)
OK = prepare_wire(ReplayResponse(200, (), (b"ok",)))


class Host(ReplayHooks):
    """Gives one prepared answer to everything."""

    def __init__(self, answer: WireAnswer = OK) -> None:
        super().__init__(ReplaySession(Cassette(2), ReplayPolicy()), 1000)
        self.limits = LimitsConfig(max_header_bytes=500)
        self.answer_given = answer
        self.asked: list[ObservedRequest] = []
        self.left: list[int | None] = []
        self.resets = 0

    def answer_on_wire(self, request: ObservedRequest) -> WireAnswer:
        self.asked.append(request)
        return self.answer_given

    def left_wire(self, wire: WireAnswer) -> None:
        self.left.append(wire.interaction_index)

    def reset_client(self, client: connection.Connection) -> None:
        self.resets += 1


class Fed:
    """A lane on a connection that does not exist."""

    def __init__(self, host: Host) -> None:
        self.client = connection.Client(
            peername=("127.0.0.1", 1), sockname=("127.0.0.1", 2), timestamp_start=0.0, state=connection.ConnectionState.OPEN
        )
        self.lane = FastLane(context.Context(self.client, options.Options()), HTTPMode.transparent, host)
        assert self.tell(events.Start()) == []

    def tell(self, event: events.Event) -> list[commands.Command]:
        return list(self.lane.handle_event(event))

    def data(self, data: bytes) -> list[commands.Command]:
        return self.tell(events.DataReceived(self.client, data))

    def sent(self, data: bytes) -> bytes:
        return b"".join(command.data for command in self.data(data) if isinstance(command, commands.SendData))


def test_a_request_in_one_read_and_in_many() -> None:
    host = Host()
    fed = Fed(host)
    assert fed.sent(REQUEST) == OK.parts[0]
    assert b"".join(fed.sent(bytes([byte])) for byte in REQUEST) == OK.parts[0]
    assert [request.body for request in host.asked] == [BODY, BODY]
    assert not host.is_busy(fed.client.id)


def test_requests_that_come_together_are_answered_in_order() -> None:
    host = Host()
    fed = Fed(host)
    other = REQUEST.replace(BODY, BODY[::-1])
    assert fed.sent(REQUEST + other + REQUEST[:-1]) == OK.parts[0] * 2
    assert fed.sent(REQUEST[-1:]) == OK.parts[0]
    assert [request.body for request in host.asked] == [BODY, BODY[::-1], BODY]


def test_a_connection_is_busy_while_a_body_is_awaited() -> None:
    host = Host()
    fed = Fed(host)
    fed.data(REQUEST[:-1])
    assert host.is_busy(fed.client.id)
    assert [type(command) for command in fed.tell(events.ConnectionClosed(fed.client))] == [commands.CloseConnection]
    assert not host.is_busy(fed.client.id)
    assert host.left == []


def timed(ending: Ending = Ending.COMPLETE, has_head: bool = True) -> WireAnswer:
    plan = Delivery((0.0, 60_000.0), ending=ending, ending_due_ms=60_000.0, has_head=has_head)
    return prepare_wire(ReplayResponse(200, (), (b"a", b"b"), interaction_index=4, is_stream=True, delivery=plan))


def test_pieces_wait_for_their_time_and_the_next_request_for_the_end() -> None:
    host = Host(timed())
    fed = Fed(host)
    send, wait = fed.data(REQUEST + REQUEST)
    assert isinstance(send, commands.SendData) and send.data.endswith(b"\r\n\r\n1\r\na\r\n")
    assert isinstance(wait, commands.RequestWakeup) and 59 < wait.delay <= 60
    assert fed.tell(events.Wakeup(commands.RequestWakeup(0))) == []
    assert len(host.asked) == 1
    fed.lane._requested_at_s -= 60
    first, *_ = fed.tell(events.Wakeup(wait))
    assert isinstance(first, commands.SendData) and first.data == b"1\r\nb\r\n0\r\n\r\n"
    assert len(host.asked) == 2


def test_a_client_that_leaves_in_the_middle_is_noted() -> None:
    host = Host(timed())
    fed = Fed(host)
    fed.data(REQUEST)
    fed.tell(events.ConnectionClosed(fed.client))
    assert host.left == [4]
    assert not host.is_busy(fed.client.id)


def test_a_stall_asks_for_nothing_more() -> None:
    host = Host(prepare_wire(ReplayResponse(200, (), (b"a",), delivery=Delivery((0.0,), ending=Ending.STALL))))
    fed = Fed(host)
    assert [type(command) for command in fed.data(REQUEST)] == [commands.SendData]
    assert fed.data(REQUEST) == []
    assert host.is_busy(fed.client.id)


def test_a_reset_before_any_answer() -> None:
    host = Host(prepare_wire(ReplayResponse(200, (), (), delivery=Delivery((), ending=Ending.RESET, has_head=False))))
    fed = Fed(host)
    assert [type(command) for command in fed.data(REQUEST)] == [commands.CloseConnection]
    assert host.resets == 1


def test_a_body_over_the_limit_and_an_odd_head_go_to_the_flow_lane() -> None:
    for odd in (REQUEST.replace(b"length: ", b"length: 9999"), b"GET / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\nx: " + b"y" * 600):
        host = Host()
        fed = Fed(host)
        fed.data(REQUEST)
        fed.lane._commands_for(events.DataReceived(fed.client, odd))
        assert fed.lane._flow_lane is not None
        assert fed.lane.context.layers == [fed.lane._flow_lane]
        assert len(host.asked) == 1


def test_a_failure_of_the_lane_is_an_answer_and_the_end() -> None:
    class Broken(Host):
        def answer_on_wire(self, request: ObservedRequest) -> WireAnswer:
            raise RuntimeError("made up")

    fed = Fed(Broken())
    send, close = fed.data(REQUEST)
    assert isinstance(send, commands.SendData) and send.data.startswith(b"HTTP/1.1 500 ")
    assert isinstance(close, commands.CloseConnection)
    assert fed.data(REQUEST) == []


def test_only_plain_http_that_begins_like_a_post_is_taken() -> None:
    for data, is_taken in ((b"POST /", True), (b"PO", True), (b"GET /", False), (b"\x16\x03\x01", False)):
        fed = Fed(Host())
        question = layer.NextLayer(fed.lane.context)
        question.events.append(events.DataReceived(fed.client, data))
        stock = question.layer = HttpLayer(fed.lane.context, HTTPMode.transparent)
        assert fast_lane.install(question, Host()) is is_taken
        assert (question.layer is not stock) is is_taken
        assert (stock in fed.lane.context.layers) is not is_taken
        question.layer = TCPLayer(fed.lane.context)
        assert not fast_lane.install(question, Host())


def test_data_that_comes_while_the_lane_is_being_chosen_is_answered_too() -> None:
    fed = Fed(Host())
    choosing = layer.NextLayer(fed.lane.context)
    asking = list(choosing.handle_event(events.DataReceived(fed.client, REQUEST[:20])))
    assert list(choosing.handle_event(events.DataReceived(fed.client, REQUEST[20:]))) == []
    [hook] = asking
    assert isinstance(hook, layer.NextLayerHook)
    choosing.layer = fed.lane
    done = list(choosing.handle_event(events.HookCompleted(hook, None)))
    assert b"".join(command.data for command in done if isinstance(command, commands.SendData)) == OK.parts[0]
