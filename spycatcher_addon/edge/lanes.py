"""The flow lane: mitmproxy's HTTP layer, corrected where hooks cannot reach.

Installed through the ``next_layer`` hook in place of the stock layer, in both modes. It carries bytes and decides nothing
about cassettes. What it does that hooks cannot:

* answers every failure as the harness's own JSON, never as mitmproxy's HTML page;
* keeps upstream time limits, refuses bodies over the limit before reading them to the end;
* survives what the stock HTTP/1 reader hangs or crashes on: trailers, 1xx answers, blank lines before a request;
* sends a replayed stream in its pieces, and lets a broken answer end as visibly broken.

mitmproxy's layers are sans-io generators: they are fed events and yield commands. Each override below wraps the stock
generator and changes single commands, so that the state machine stays mitmproxy's.
"""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable, Generator
from typing import Any, Protocol

import h11
from h11._readers import ChunkedReader
from mitmproxy import http
from mitmproxy.connection import Connection
from mitmproxy.net.http import http1
from mitmproxy.proxy import commands, events, layer
from mitmproxy.proxy.context import Context
from mitmproxy.proxy.layers.http import (
    DropStream,
    GetHttpConnection,
    HttpClient,
    HttpLayer,
    HTTPMode,
    HttpStream,
    RegisterHttpConnection,
    SendHttp,
)
from mitmproxy.proxy.layers.http._base import ReceiveHttp
from mitmproxy.proxy.layers.http._events import (
    ErrorCode,
    HttpEvent,
    RequestHeaders,
    RequestProtocolError,
    ResponseData,
    ResponseEndOfMessage,
    ResponseHeaders,
    ResponseProtocolError,
)
from mitmproxy.proxy.layers.http._hooks import HttpRequestHeadersHook, HttpResponseHook
from mitmproxy.proxy.layers.http._http1 import Http1Client, Http1Server

from spycatcher_addon import answers
from spycatcher_addon.config import LimitsConfig
from spycatcher_addon.edge.conversion import Outgoing, to_flow_response
from spycatcher_addon.exchange import Ending, ReplayResponse

type _Commands = layer.CommandGenerator[None]

TIMED_OUT = "timed out"
"""Begins the message of every error a time limit of ours causes."""
CONNECT_TIMED_OUT = f"{TIMED_OUT} while connecting"
"""The message where that was the limit of a connection attempt."""
LINGER_S = 10.0
"""How long a client that was refused before its request was complete may go on sending before its connection closes."""
UPSTREAM_RESET = "the upstream reset the connection"
"""The message of an error caused by a TCP reset within an answer's body."""


class LaneHost(Protocol):
    """What a lane asks of the mode it serves."""

    max_body_bytes: int
    limits: LimitsConfig
    connect_timeout_s: float
    total_timeout_s: float
    """From the request going upstream to the end of a plain answer."""
    idle_timeout_s: float
    """Longest silence within a streamed answer."""

    def head_began(self, client_id: str) -> None:
        """A request head has begun to come on this client connection. May be told more than once of the same head."""

    def exchange_began(self, client_id: str) -> None:
        """A request head arrived on this client connection."""

    def exchange_ended(self, client_id: str) -> None:
        """The lane is done with one exchange of this client connection, well or badly."""

    def is_streaming(self, flow: http.HTTPFlow) -> bool:
        """Whether the answer to this flow is passed on as it arrives."""

    def client_left(self, flow: http.HTTPFlow) -> None:
        """The client hung up before its answer was complete."""

    def take_outgoing(self, flow: http.HTTPFlow) -> Outgoing | None:
        """How the answer to this flow is to be sent, or ``None`` to send it whole and at once."""

    def answer_for_failure(self, message: str, phase: str) -> ReplayResponse:
        """The harness-made answer for a failure on the way to an upstream."""

    def reset_client(self, client: Connection) -> None:
        """End the client's connection so that it cannot be taken for a clean end."""

    def was_reset(self, client: Connection, server: Connection) -> bool:
        """Whether the upstream's connection ended by a reset rather than by a close."""

    def partial_body(self, flow: http.HTTPFlow, body: bytes) -> None:
        """What had come of a plain answer that now breaks."""

    def breaks_off(self, flow: http.HTTPFlow) -> bool:
        """Whether an answer that ends now must have been cut: its only end mark is the close, and it is inside an event."""

    @property
    def wants_flows(self) -> bool:
        """Whether somebody looks at the flows; only then the next three are called."""

    def cover(self, flow: http.HTTPFlow) -> None:
        """Others may look at this flow now: put what may be shown into it."""

    def lift(self, flow: http.HTTPFlow) -> None:
        """Nobody looks until :meth:`cover`: put what really travels into it."""

    def was_answered(self, flow: http.HTTPFlow, answer: ReplayResponse) -> None:
        """The lane itself gave this answer; no hook is called any more."""


def install(next_layer: layer.NextLayer, host: LaneHost) -> None:
    """Put our HTTP layer in the place of the stock one that mitmproxy's own add-on chose, if it chose one."""
    parent: Any = next_layer
    attribute = "layer"
    candidate = next_layer.layer
    while candidate is not None:
        if type(candidate) is HttpLayer:
            candidate.context.layers.remove(candidate)
            setattr(parent, attribute, HarnessHttpLayer(candidate.context, candidate.mode, host))
            return
        parent, attribute = candidate, "child_layer"
        candidate = getattr(candidate, "child_layer", None)


class HarnessHttpLayer(HttpLayer):
    """One client connection: makes our streams and connections, and keeps the time limits of all of them."""

    def __init__(self, context: Context, mode: HTTPMode, host: LaneHost) -> None:
        super().__init__(context, mode)
        self.host = host
        self._connect_deadlines: dict[Connection, float] = {}
        self._overdue: set[Connection] = set()
        self._linger_until: float | None = None
        self._wakeup: commands.RequestWakeup | None = None
        self._wakeup_at = 0.0

    def _handle_event(self, event: events.Event) -> _Commands:
        if isinstance(event, events.Wakeup) and event.command is self._wakeup:
            self._wakeup = None
            yield from self._expire(time.monotonic())
        elif isinstance(event, events.Wakeup) and event.command not in self.command_sources:
            pass  # an earlier wake-up of ours that a nearer deadline has replaced
        else:
            if isinstance(event, events.Start) and self.context.client.alpn != b"h2" and self.context.client not in self.connections:
                # The stock layer keeps a connection that is already there.
                self.connections[self.context.client] = HarnessHttp1Server(self.context.fork(), self.host, self.linger)
            yield from _written_together(super()._handle_event(event))
        yield from self._arm()

    def make_stream(self, stream_id: int) -> _Commands:
        stream = HarnessHttpStream(self.context.fork(), stream_id, self.host, self.linger)
        self.streams[stream_id] = stream
        yield from self.event_to_child(stream, events.Start())

    def linger(self) -> None:
        """A client of HTTP/1 was refused while it was still sending: let it see the answer, but not stay for ever."""
        if self.context.client.alpn != b"h2" and self._linger_until is None:
            self._linger_until = time.monotonic() + LINGER_S

    def get_connection(self, event: GetHttpConnection, *, reuse: bool = True) -> _Commands:
        yield from super().get_connection(event, reuse=reuse)
        deadline = time.monotonic() + self.host.connect_timeout_s
        for connection in self.waiting_for_establishment:
            self._connect_deadlines.setdefault(connection, deadline)

    def register_connection(self, command: RegisterHttpConnection) -> _Commands:
        connection = command.connection
        self._connect_deadlines.pop(connection, None)
        if command.err is None:
            self._adopt_http1_client(connection)
        elif connection in self._overdue:
            self._overdue.discard(connection)
            command.err = CONNECT_TIMED_OUT
        yield from super().register_connection(command)

    def _adopt_http1_client(self, connection: Connection) -> None:
        """Replace the stock HTTP/1 client, which nothing lets us choose earlier, before it has seen any data."""
        candidate: Any = self.connections[connection]
        while not isinstance(candidate, HttpClient):
            candidate = candidate.child_layer
        stock = candidate.child_layer
        if type(stock) is not Http1Client:
            return
        stock.context.layers.remove(stock)
        ours = HarnessHttp1Client(stock.context, self.host)
        for _ in ours.handle_event(events.Start()):
            raise AssertionError("an HTTP/1 client starts without commands")
        candidate.child_layer = ours
        candidate._handle_event = ours.handle_event

    def _expire(self, now: float) -> _Commands:
        if self._linger_until is not None and self._linger_until <= now:
            self._linger_until = None
            yield commands.CloseConnection(self.context.client)
        for connection, deadline in list(self._connect_deadlines.items()):
            if deadline <= now:
                del self._connect_deadlines[connection]
                self._overdue.add(connection)
                yield commands.CloseConnection(connection)
        for stream in list(self.streams.values()):
            if isinstance(stream, HarnessHttpStream) and stream.deadline is not None and stream.deadline <= now:
                stream.deadline = None
                message = f"{TIMED_OUT} waiting for the upstream"
                yield from self._hang_up_upstream(stream, message)
                error = ResponseProtocolError(stream.stream_id, message, ErrorCode.GENERIC_SERVER_ERROR)
                yield from self.event_to_child(stream, error)

    def _hang_up_upstream(self, stream: HarnessHttpStream, message: str) -> _Commands:
        server = stream.flow.server_conn
        if server in self.connections and server not in self.waiting_for_establishment:
            abort = RequestProtocolError(stream.stream_id, message, ErrorCode.CANCEL)
            yield from self.event_to_child(self.connections[server], abort)

    def _arm(self) -> _Commands:
        """Ask for one wake-up at the nearest deadline. At most a few are ever outstanding on a connection."""
        deadlines = [stream.deadline for stream in self.streams.values() if isinstance(stream, HarnessHttpStream) and stream.deadline]
        deadlines.extend(self._connect_deadlines.values())
        if self._linger_until is not None:
            deadlines.append(self._linger_until)
        if not deadlines:
            return
        nearest = min(deadlines)
        if self._wakeup is None or nearest < self._wakeup_at:
            self._wakeup = commands.RequestWakeup(max(0.0, nearest - time.monotonic()))
            self._wakeup_at = nearest
            yield self._wakeup


def _written_together(work: _Commands) -> _Commands:
    """Join what is sent to a connection in a row: the chunks that came in one packet also leave in one, for one call of the system."""
    waiting: list[commands.SendData] = []
    reply = None
    while True:
        try:
            command = work.send(reply)
        except StopIteration:
            break
        except Exception:  # what was sent before it still goes out
            if waiting:
                yield _joined(waiting)
            raise
        if waiting and not (isinstance(command, commands.SendData) and command.connection is waiting[0].connection):
            yield _joined(waiting)
            waiting.clear()
        if isinstance(command, commands.SendData):
            waiting.append(command)
            reply = None
        else:
            reply = yield command
    if waiting:
        yield _joined(waiting)


def _joined(writes: list[commands.SendData]) -> commands.SendData:
    return writes[0] if len(writes) == 1 else commands.SendData(writes[0].connection, b"".join(each.data for each in writes))


class HarnessHttpStream(HttpStream):
    """One exchange."""

    def __init__(self, context: Context, stream_id: int, host: LaneHost, linger: Callable[[], None]) -> None:
        super().__init__(context, stream_id)
        self.host = host
        self._linger = linger
        self.deadline: float | None = None
        """When the upstream must have moved on, by ``time.monotonic()``; ``None`` while nothing is waited for."""
        self._is_head_sent = False
        self._is_ended = False
        self._outgoing: Outgoing | None = None
        self._pieces_sent = 0
        self._requested_at_s = 0.0
        host.exchange_began(context.client.id)

    def _handle_event(self, event: events.Event) -> _Commands:
        return self._uncovered(self._handle(event)) if self.host.wants_flows else self._handle(event)

    def _uncovered(self, work: _Commands) -> _Commands:
        """Do the work with the real messages in the flow. Wherever it waits, and others get their turn, they are covered."""
        self._lift()
        try:
            reply = None
            while True:
                try:
                    command = work.send(reply)
                except StopIteration:
                    return
                if isinstance(command, SendHttp) and isinstance(command.event, RequestHeaders):
                    # HTTP/2 may keep it until a stream is free.
                    command.event.request = _copy_request(command.event.request)
                if command.blocking:
                    self._cover()
                    reply = yield command
                    self._lift()
                else:
                    reply = yield command
        finally:
            self._cover()

    def _lift(self) -> None:
        if hasattr(self, "flow"):
            self.host.lift(self.flow)

    def _cover(self) -> None:
        if hasattr(self, "flow"):
            self.host.cover(self.flow)

    def _handle(self, event: events.Event) -> _Commands:
        if isinstance(event, events.Wakeup):
            yield from self._translate(self._deliver())
            return
        if isinstance(event, ResponseEndOfMessage):
            self.deadline = None
            if self.host.breaks_off(self.flow):
                message = "the upstream closed the connection inside an event"
                event = ResponseProtocolError(self.stream_id, message, ErrorCode.GENERIC_SERVER_ERROR)
        elif isinstance(event, (ResponseHeaders, ResponseData)) and self.deadline is not None and self.host.is_streaming(self.flow):
            self.deadline = time.monotonic() + self.host.idle_timeout_s
        elif isinstance(event, RequestProtocolError) and hasattr(self, "flow"):
            self.host.client_left(self.flow)
        elif isinstance(event, ResponseProtocolError) and self.response_body_buf:
            self.host.partial_body(self.flow, bytes(self.response_body_buf))
        yield from self._translate(super()._handle_event(event))

    def _translate(self, stock: Generator[commands.Command, Any, None]) -> _Commands:
        """Pass the stock commands on, turning each error page into an answer of ours."""
        reply = None
        while True:
            try:
                command = stock.send(reply)
            except StopIteration:
                return
            reply = None
            if isinstance(command, SendHttp) and command.connection is self.context.client:
                if self._is_ended and isinstance(command.event, ResponseProtocolError):
                    continue  # a second failure, told while the answer to the first went out: the client may be at its next request
                message = command.event
                if isinstance(message, ResponseHeaders) and message.response.status_code >= 200:
                    self._is_head_sent = True
                if isinstance(message, ResponseProtocolError) and self._is_answerable(message):
                    yield from self._answer(self._answer_for(message))
                    continue
            if isinstance(command, DropStream):
                self._end_exchange()
            reply = yield command

    def _end_exchange(self) -> None:
        self.deadline = None
        self._outgoing = None
        if not self._is_ended:
            self._is_ended = True
            self.host.exchange_ended(self.context.client.id)

    def make_server_connection(self) -> layer.CommandGenerator[bool]:
        is_streaming = self.host.is_streaming(self.flow)
        self.deadline = time.monotonic() + (self.host.idle_timeout_s if is_streaming else self.host.total_timeout_s)
        return (yield from super().make_server_connection())

    def check_body_size(self, request: bool) -> layer.CommandGenerator[bool]:
        """Refuse a request body over our limit: from its announced length at once, or as soon as it passes the limit."""
        if not request:
            return False
        announced = self.flow.request.headers.get("content-length", "0")
        size = len(self.request_body_buf) or (int(announced) if announced.isdecimal() else 0)
        if size <= self.host.max_body_bytes:
            return False
        if not self.request_body_buf:
            yield HttpRequestHeadersHook(self.flow)
        self.request_body_buf.clear()
        self.client_state = self.server_state = self.state_errored
        yield from self._answer(answers.request_too_large(self.host.max_body_bytes))
        return True

    def send_response(self, already_streamed: bool = False) -> _Commands:
        outgoing = None if already_streamed else self.host.take_outgoing(self.flow)
        if outgoing is None:
            yield from super().send_response(already_streamed)
            return
        assert self.flow.response is not None
        self._requested_at_s = time.monotonic()
        self.flow.response.timestamp_end = time.time()
        yield HttpResponseHook(self.flow)
        # From here on a client that leaves ends this exchange and nothing else: there is no upstream to tell.
        self.server_state = self.state_done
        if (yield from self.check_killed(False)):
            return
        self._outgoing = outgoing
        self._pieces_sent = 0
        yield from self._deliver()

    def _deliver(self) -> _Commands:
        """Send what is due, then ask to be woken for the next piece."""
        if self._outgoing is None:
            return  # the exchange ended while its wake-up was under way
        pieces, delivery = self._outgoing.pieces, self._outgoing.delivery
        if delivery.has_head and not self._is_head_sent:
            if (yield from self._must_wait_until(delivery.head_due_ms)):
                return
            assert self.flow.response is not None
            yield SendHttp(ResponseHeaders(self.stream_id, self.flow.response), self.context.client)
            self._is_head_sent = True
        while self._pieces_sent < len(pieces):
            if (yield from self._must_wait_until(delivery.due_ms[self._pieces_sent])):
                return
            yield SendHttp(ResponseData(self.stream_id, pieces[self._pieces_sent]), self.context.client)
            self._pieces_sent += 1
        if delivery.ending is Ending.STALL or (yield from self._must_wait_until(delivery.ending_due_ms)):
            return
        self._outgoing = None
        if delivery.ending is Ending.COMPLETE:
            yield from self.flow_done()
            return
        if delivery.ending is Ending.RESET:
            self.host.reset_client(self.context.client)
        broken = ResponseProtocolError(self.stream_id, "the replayed answer breaks off here", ErrorCode.KILL)
        yield SendHttp(broken, self.context.client)
        self.flow.live = False
        yield DropStream(self.stream_id)

    def _must_wait_until(self, due_ms: float) -> layer.CommandGenerator[bool]:
        remaining_s = self._requested_at_s + due_ms / 1000 - time.monotonic()
        if remaining_s <= 0:
            return False
        yield commands.RequestWakeup(remaining_s)
        return True

    def _is_answerable(self, error: ResponseProtocolError) -> bool:
        return not self._is_head_sent and error.code.http_status_code() is not None

    def _answer_for(self, error: ResponseProtocolError) -> ReplayResponse:
        match error.code:
            case ErrorCode.GENERIC_CLIENT_ERROR | ErrorCode.REQUEST_VALIDATION_FAILED | ErrorCode.DESTINATION_UNKNOWN:
                return answers.malformed_request(self._what_is_wrong(error.message))
            case ErrorCode.CONNECT_FAILED:
                return self.host.answer_for_failure(error.message, "connect")
            case _:
                return self.host.answer_for_failure(error.message, "answer")

    def _what_is_wrong(self, message: str) -> str:
        """mitmproxy's finding without its advice, which is for people who run a proxy."""
        if self.flow.request.method == "CONNECT":
            return "this is an API endpoint, not a proxy, and takes no CONNECT"
        return message.partition(" from client, refusing")[0]

    def _answer(self, answer: ReplayResponse) -> _Commands:
        """Send a harness-made answer in place of whatever was going on, and end the exchange."""
        self._is_head_sent = True
        response = to_flow_response(answer, self.flow.request)
        self.flow.response = response
        if ("connection", "close") in answer.headers:
            self._linger()
        yield SendHttp(ResponseHeaders(self.stream_id, response), self.context.client)
        if response.raw_content:
            yield SendHttp(ResponseData(self.stream_id, response.raw_content), self.context.client)
        yield SendHttp(ResponseEndOfMessage(self.stream_id), self.context.client)
        self.flow.live = False
        self._end_exchange()
        if self.host.wants_flows:
            self._cover()
            self.host.was_answered(self.flow, answer)
        yield DropStream(self.stream_id)


class _WithoutTrailers:
    """A chunked body reader that reads trailers and forgets them: the stock connection crashes on them.

    A recipient may discard trailers (RFC 9110 section 6.5.1), and nothing in this project's protocols uses any.
    """

    def __init__(self, reader: ChunkedReader) -> None:
        self._reader = reader

    def __call__(self, buffer: Any) -> Any:
        event = self._reader(buffer)
        return h11.EndOfMessage() if isinstance(event, h11.EndOfMessage) else event

    def read_eof(self) -> Any:
        return self._reader.read_eof()


class HarnessHttp1Server(Http1Server):
    """The client's side of an HTTP/1 connection."""

    def __init__(self, context: Context, host: LaneHost, linger: Callable[[], None]) -> None:
        super().__init__(context)
        self._host = host
        self._linger = linger
        self._discarded_bytes = 0

    def read_headers(self, event: events.ConnectionEvent) -> _Commands:
        _skip_empty_lines(self.buf)  # the stock reader would wait for ever
        received_bytes = len(self.buf)
        if received_bytes > self._host.limits.max_header_bytes and not _has_head(self.buf, self._host.limits.max_header_bytes):
            yield from self._refuse_head("max_header_bytes")
            return
        if received_bytes:
            self._host.head_began(self.conn.id)
        for command in super().read_headers(event):
            if isinstance(command, commands.SendData):
                # All that the stock reader itself sends from here is its HTML page about a bad request head.
                yield commands.SendData(self.conn, _assemble(answers.malformed_request(_bad_head_detail(command.data))))
            elif isinstance(command, ReceiveHttp) and isinstance(command.event, RequestHeaders):
                if len(command.event.request.headers.fields) > self._host.limits.max_headers:
                    yield from self._refuse_head("max_headers")
                    return
                # The exchange gets a copy: it strips headers, but whether this connection goes on is read from the original.
                command.event.request = _copy_request(command.event.request)
                yield command
            else:
                yield command

    def _refuse_head(self, setting: str) -> _Commands:
        limit = getattr(self._host.limits, setting)
        named = f"{limit} bytes" if setting == "max_header_bytes" else f"{limit} fields"
        yield commands.SendData(self.conn, _assemble(answers.request_head_too_large(named, f"limits.{setting}")))
        # A client that is still sending would not see the answer if the connection closed now.
        yield commands.CloseTcpConnection(self.conn, half_close=True)
        self._discarded_bytes = len(self.buf)
        self.state = self._discard
        self._linger()

    def _discard(self, event: events.Event) -> _Commands:
        if isinstance(event, events.DataReceived):
            self._discarded_bytes += len(event.data)
            self.buf.maybe_extract_at_most(len(self.buf))
            if self._discarded_bytes <= self._host.max_body_bytes:
                return
        yield commands.CloseConnection(self.conn)
        self.state = self.done

    def read_body(self, event: events.Event) -> _Commands:
        if isinstance(self.body_reader, ChunkedReader):
            self.body_reader = _WithoutTrailers(self.body_reader)  # type: ignore[assignment]
        if self.response_done and isinstance(event, events.DataReceived):
            # The answer is out already (a refusal). Reading on lets the client see it; but not for ever.
            self._discarded_bytes += len(event.data)
            if self._discarded_bytes > self._host.max_body_bytes:
                yield commands.CloseConnection(self.conn)
                return
        yield from self._answer_broken_body(event, super().read_body(event))

    def _answer_broken_body(self, event: events.Event, stock: _Commands) -> _Commands:
        """The stock reader just hangs up on a body it cannot read, and says why one command later: answer in between."""
        hang_up = None
        for command in stock:
            if isinstance(command, commands.CloseConnection) and isinstance(event, events.DataReceived):
                hang_up = command
                continue
            if hang_up is not None:
                if isinstance(command, ReceiveHttp) and isinstance(command.event, RequestProtocolError) and self.response is None:
                    yield commands.SendData(self.conn, _assemble(answers.malformed_request(command.event.message)))
                yield hang_up
                hang_up = None
            yield command
        if hang_up is not None:
            yield hang_up

    def send(self, event: HttpEvent) -> _Commands:
        if isinstance(event, ResponseProtocolError) and self._would_end_look_clean():
            self._host.reset_client(self.conn)
        yield from super().send(event)

    def _would_end_look_clean(self) -> bool:
        """Whether closing now would be taken for the end of a body: neither a length nor chunks say otherwise."""
        if self.response is None or self.response.status_code < 200:
            return False
        return "content-length" not in self.response.headers and "transfer-encoding" not in self.response.headers


class HarnessHttp1Client(Http1Client):
    """The upstream's side of an HTTP/1 connection."""

    def __init__(self, context: Context, host: LaneHost) -> None:
        super().__init__(context)
        self._host = host

    def read_headers(self, event: events.ConnectionEvent) -> _Commands:
        if self.request is not None:
            self._skip_informational()
        for command in super().read_headers(event):
            if isinstance(command, ReceiveHttp) and isinstance(command.event, ResponseHeaders):
                if command.event.response.status_code == 101:
                    yield commands.CloseConnection(self.conn)
                    yield self._failure("the upstream switched protocols without being asked to")
                    return
                # As above: framing of this connection is judged by what the upstream said, not by what goes on.
                command.event.response = _copy_response(command.event.response)
            yield command

    def read_body(self, event: events.Event) -> _Commands:
        if isinstance(self.body_reader, ChunkedReader):
            self.body_reader = _WithoutTrailers(self.body_reader)  # type: ignore[assignment]
        if isinstance(event, events.ConnectionClosed) and self._host.was_reset(self.context.client, self.conn):
            # Not even the end of a body that has no other end mark than the close of its connection.
            yield commands.CloseConnection(self.conn)
            yield self._failure(UPSTREAM_RESET)
            return
        yield from super().read_body(event)

    def mark_done(self, *, request: bool = False, response: bool = False) -> _Commands:
        """Use each upstream connection once.

        An upstream may close a kept connection without a word at the moment the next request is sent on it. A POST cannot
        simply be sent again, so the client would get a 502 that is nobody's fault and differs from run to run.
        """
        yield from super().mark_done(request=request, response=response)
        if self.request is None:
            yield commands.CloseConnection(self.conn)
            self.state = self.done

    def _skip_informational(self) -> None:
        """Drop complete 1xx heads (RFC 9110 section 15.2), which the stock client takes for the answer, and empty lines."""
        while True:
            _skip_empty_lines(self.buf)
            status = bytes(self.buf)[:14].partition(b" ")[2].split(b" ")[0].split(b"\r")[0]
            if len(status) != 3 or not status.isdigit() or not status.startswith(b"1") or status == b"101":
                return
            if self.buf.maybe_extract_lines() is None:
                return

    def _failure(self, message: str) -> ReceiveHttp:
        assert self.stream_id is not None
        return ReceiveHttp(ResponseProtocolError(self.stream_id, message, ErrorCode.GENERIC_SERVER_ERROR))


def _skip_empty_lines(buffer: Any) -> None:
    """Drop empty lines before a message (RFC 9112 section 2.2)."""
    while buffer and bytes(buffer)[:1] in (b"\r", b"\n"):
        buffer.maybe_extract_at_most(1)


def _has_head(buffer: Any, max_bytes: int) -> bool:
    """Whether a head ends within so many bytes; like the stock reader, a line may end without a carriage return."""
    return _HEAD_END.search(bytes(buffer)[:max_bytes]) is not None


def _copy_request(request: http.Request) -> http.Request:
    data = request.data
    return http.Request(
        host=data.host,
        port=data.port,
        method=data.method,
        scheme=data.scheme,
        authority=data.authority,
        path=data.path,
        http_version=data.http_version,
        headers=http.Headers(data.headers.fields),
        content=data.content,
        trailers=data.trailers,
        timestamp_start=data.timestamp_start,
        timestamp_end=data.timestamp_end,
    )


def _copy_response(response: http.Response) -> http.Response:
    data = response.data
    return http.Response(
        http_version=data.http_version,
        status_code=data.status_code,
        reason=data.reason,
        headers=http.Headers(data.headers.fields),
        content=data.content,
        trailers=data.trailers,
        timestamp_start=data.timestamp_start,
        timestamp_end=data.timestamp_end,
    )


def _assemble(answer: ReplayResponse) -> bytes:
    raw: bytes = http1.assemble_response(to_flow_response(answer, None))
    return raw


_HEAD_END = re.compile(rb"\n\r?\n")
_PAGE_TEXT = re.compile(rb"<p>(.*)</p>", re.DOTALL)


def _bad_head_detail(page: bytes) -> str:
    """What the stock reader disliked, taken from the page it would have sent: it tells nobody else."""
    found = _PAGE_TEXT.search(page)
    return html.unescape(found[1].decode("utf-8", "replace")) if found else "bad request head"
