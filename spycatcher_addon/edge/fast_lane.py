"""The fast lane: our own layer for ordinary requests over plain HTTP/1.1, in a replay that nobody watches.

It makes no flows and calls no hooks, and it has no way upstream at all. Whatever is not an ordinary request, from its first
byte on, goes to the flow lane, and the connection stays there (:mod:`spycatcher_addon.edge.request_head` says what is
ordinary). From the client's side nothing tells which lane answered.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mitmproxy.connection import Connection, ConnectionState
from mitmproxy.proxy import commands, events, layer
from mitmproxy.proxy.context import Context
from mitmproxy.proxy.layers.http import HttpLayer, HTTPMode

from spycatcher_addon.edge.lanes import HarnessHttpLayer, LaneHost
from spycatcher_addon.edge.request_head import HEAD_END, METHOD, RequestHead, may_become_ordinary, parse_ordinary_head
from spycatcher_addon.edge.wire import TimedAnswer, WireAnswer, join_short
from spycatcher_addon.exchange import Ending, ObservedRequest

type _Commands = layer.CommandGenerator[None]

_MOST_UNSENT_BYTES = 262_144
"""While more than this waits for a client to read, it is given no more."""
_MOST_UNREAD_BYTES = 262_144
"""While an answer is under way, no more than about this of the requests behind it is read."""
_FULL_WAIT_MS = 10.0
"""How soon to look again whether a client has read."""


class Caller(Protocol):
    """Calls a lane without mitmproxy."""

    def wake_later(self, wakeup: commands.RequestWakeup) -> None:
        """Call :meth:`FastLane.wake` with it when its delay is over."""


class FastLaneHost(LaneHost, Protocol):
    """What the fast lane asks of a replay, beyond what the flow lane it hands over to asks."""

    @property
    def is_stopping(self) -> bool:
        """Whether the harness has begun to end connections."""

    def answer_on_wire(self, request: ObservedRequest) -> WireAnswer:
        """The answer to a request; never raises."""

    def wire_for_error(self, error: Exception) -> WireAnswer:
        """The answer that says that the lane itself has failed."""

    def read_directly(self, lane: FastLane, client: Connection) -> Caller | None:
        """Have what the client sends given to :meth:`FastLane.take` from now on; ``None`` where that cannot be done now."""

    def unsent_bytes(self, client: Connection) -> int:
        """What was given to the client's socket and waits for the client to read."""

    def hold_reading(self, client: Connection, is_held: bool) -> None:
        """Read no more from the client's socket for now, or go on reading."""

    def left_wire(self, wire: WireAnswer) -> None:
        """The client hung up before it had the whole answer."""


def install(next_layer: layer.NextLayer, host: FastLaneHost) -> bool:
    """Take a connection from mitmproxy's stock layer, if it is plain HTTP/1 and its first bytes may be an ordinary request."""
    stock = next_layer.layer
    if type(stock) is not HttpLayer or not METHOD.startswith(next_layer.data_client()[: len(METHOD)]):
        return False
    stock.context.layers.remove(stock)
    next_layer.layer = FastLane(stock.context, stock.mode, host)
    return True


@dataclass
class Decided(events.Event):
    """What the lane has decided on outside of mitmproxy's own turn, to be carried out in it."""

    commands: Iterable[commands.Command]


class FastLane(layer.Layer):
    """One client connection.

    :meth:`handle_event` is called by mitmproxy with each thing that happens, and gives back what is to be done about it.
    Nothing here waits for a reply to a command, so no generator is needed.
    """

    def __init__(self, context: Context, mode: HTTPMode, host: FastLaneHost) -> None:
        super().__init__(context)
        self._client: Connection = context.client
        self._mode = mode
        self._host = host
        self._commands: list[commands.Command] = []
        """What is to be done about the present event."""
        self._flow_lane: HarnessHttpLayer | None = None
        self._caller: Caller | None = None
        self._is_over = False
        self._is_busy = False
        """Whether an exchange has begun and not ended."""
        self._is_held = False
        """Whether reading from the client is held up."""
        self._unread = b""
        """What has come and is not part of the request being read."""
        self._searched_bytes = 0
        """How much of it holds no end of a head."""
        self._head: RequestHead | None = None
        """Of the request whose body is being read."""
        self._body: list[bytes] = []
        self._missing_bytes = 0
        self._wire: WireAnswer | None = None
        """The answer that is being sent over some time."""
        self._sent = 0
        """How many of its pieces are out."""
        self._is_head_sent = False
        self._requested_at_s = 0.0
        self._queued_bytes = 0
        """How much is sent because of the present event."""
        self._wakeup: commands.RequestWakeup | None = None
        """What is waited for before anything goes on: the time of the next piece, or that the client reads."""

    def _handle_event(self, event: events.Event) -> _Commands:
        yield from self.handle_event(event)

    def handle_event(self, event: events.Event) -> _Commands:
        """Take an event; gives the commands that follow from it.

        A generator, because a parent that was waiting takes its own place by this method and then sends to what it gives.
        """
        yield from self._commands_for(event)

    @property
    def has_handed_over(self) -> bool:
        """Whether the connection belongs to the flow lane."""
        return self._flow_lane is not None

    def take(self, data: bytes) -> Iterable[commands.Command]:
        """Take what the client has sent; gives the commands that follow from it."""
        return self._commands_for(events.DataReceived(self._client, data))

    def wake(self, wakeup: commands.RequestWakeup) -> Iterable[commands.Command]:
        """The time has come that was asked for; gives the commands that follow from it."""
        return self._commands_for(events.Wakeup(wakeup))

    def _commands_for(self, event: events.Event) -> Iterable[commands.Command]:
        if isinstance(event, Decided):
            return event.commands
        if self._flow_lane is not None:
            return self._flow_lane.handle_event(event)
        self._queued_bytes = 0
        try:
            if isinstance(event, events.DataReceived):
                if self._caller is None:
                    self._caller = self._host.read_directly(self, self._client)
                if not self._is_over:
                    self._receive(event.data)
            elif isinstance(event, events.Wakeup):
                if event.command is self._wakeup:
                    self._wakeup = None
                    self._deliver()
                    self._wait_for_reader()
                    self._go_on()
            elif isinstance(event, events.ConnectionClosed):
                self._client_closed()
        except Exception as error:  # mitmproxy would log it and let the client wait for ever
            self._fail(error)
        done, self._commands = self._commands, []
        return done if self._flow_lane is None else self._with_flow_lane(self._flow_lane, done)

    def _receive(self, data: bytes) -> None:
        if self._head is None:
            self._unread = self._unread + data if self._unread else data
        elif len(data) <= self._missing_bytes:
            self._body.append(data)
            self._missing_bytes -= len(data)
        else:
            self._body.append(data[: self._missing_bytes])
            self._unread += data[self._missing_bytes :]
            self._missing_bytes = 0
        self._go_on()

    def _hold_or_release(self) -> None:
        """Let a client that sends on and on while it is being answered wait, so that its requests do not pile up here."""
        is_waiting = self._wire is not None or self._wakeup is not None
        is_flooded = is_waiting and len(self._unread) > _MOST_UNREAD_BYTES
        if is_flooded or self._is_held:  # again and again, because others let go of it when the client reads
            self._host.hold_reading(self._client, is_flooded)
        self._is_held = is_flooded

    def _go_on(self) -> None:
        """Read requests and answer them, one after the other, as far as they have come."""
        while self._wire is None and self._wakeup is None and not self._is_over:
            if self._head is None and self._host.is_stopping:
                break  # a request behind the last one would be cut off
            if self._head is None and not (self._unread and self._read_head()):
                break
            head = self._head
            if head is None or self._missing_bytes:
                break
            body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
            self._head = None
            self._body = []
            self._send(self._host.answer_on_wire(ObservedRequest("POST", head.path, head.query, head.headers, body)))
            self._wait_for_reader()
        self._hold_or_release()

    def _wait_for_reader(self) -> None:
        """Answer no further requests for now, if the client has enough to read."""
        if self._unread and self._wire is None:
            unsent_bytes = self._host.unsent_bytes(self._client)
            if self._queued_bytes + unsent_bytes > _MOST_UNSENT_BYTES:
                self._wake_in(_FULL_WAIT_MS if unsent_bytes else 0.0)

    def _read_head(self) -> bool:
        """Read the head of an ordinary request, and what has come of its body; hand over where it is another request."""
        unread, limits = self._unread, self._host.limits
        end = unread.find(HEAD_END, max(0, self._searched_bytes - len(HEAD_END)))
        body_start = end + len(HEAD_END)
        if end < 0:
            self._searched_bytes = len(unread)
            self._host.head_began(self._client.id)
            if len(unread) > limits.max_header_bytes or not may_become_ordinary(unread):
                self._hand_over()
            return False
        head = parse_ordinary_head(unread[:body_start], limits.max_headers) if body_start <= limits.max_header_bytes else None
        if head is None or head.body_bytes > self._host.max_body_bytes:
            self._hand_over()
            return False
        self._host.exchange_began(self._client.id)
        self._is_busy = True
        self._head = head
        body_end = body_start + head.body_bytes
        came = unread[body_start:body_end]
        self._body = [came]
        self._missing_bytes = head.body_bytes - len(came)
        self._unread = unread[body_end:]
        self._searched_bytes = 0
        return True

    def _hand_over(self) -> None:
        """Give the connection to the flow lane, which reads from the first byte of this request on."""
        self.context.layers.remove(self)
        self._flow_lane = HarnessHttpLayer(self.context, self._mode, self._host)

    def _with_flow_lane(self, flow_lane: HarnessHttpLayer, done: list[commands.Command]) -> _Commands:
        unread, self._unread = self._unread, b""
        yield from done
        yield from flow_lane.handle_event(events.Start())
        yield from flow_lane.handle_event(events.DataReceived(self._client, unread))

    def _send(self, wire: WireAnswer) -> None:
        if wire.timed is None:
            self._write(wire.parts)
            self._end_exchange(wire.is_last)
            return
        self._wire = wire
        self._sent = 0
        self._is_head_sent = False
        self._requested_at_s = time.monotonic()
        self._deliver()

    def _write(self, parts: Sequence[bytes]) -> None:
        for part in parts:
            self._queued_bytes += len(part)
            self._commands.append(commands.SendData(self._client, part))

    def _wake_in(self, wait_ms: float) -> None:
        self._wakeup = commands.RequestWakeup(wait_ms / 1000)
        if self._caller is None:
            self._commands.append(self._wakeup)
        else:
            self._caller.wake_later(self._wakeup)

    def _deliver(self) -> None:
        """Send what is due of an answer that takes its time, as far as the client reads it; then ask to be woken for the rest."""
        wire = self._wire
        if wire is None or wire.timed is None:
            return
        answer, delivery = wire.timed, wire.timed.delivery
        now_ms = (time.monotonic() - self._requested_at_s) * 1000
        due: list[bytes] = []
        if delivery.has_head and not self._is_head_sent:
            if delivery.head_due_ms > now_ms:
                self._wake_in(delivery.head_due_ms - now_ms)
                return
            due.append(answer.head)
            self._is_head_sent = True
        unsent_bytes = self._host.unsent_bytes(self._client)
        room_bytes = _MOST_UNSENT_BYTES - unsent_bytes
        count = len(answer.pieces)
        while self._sent < count and delivery.due_ms[self._sent] <= now_ms and room_bytes > 0:
            piece = answer.framed(answer.pieces[self._sent])
            room_bytes -= len(piece)
            due.append(piece)
            self._sent += 1
        wait_ms = (delivery.due_ms[self._sent] if self._sent < count else delivery.ending_due_ms) - now_ms
        has_all = self._sent == count
        is_at_end = has_all and wait_ms <= 0 and delivery.ending is not Ending.STALL
        if is_at_end and delivery.ending is Ending.COMPLETE:
            due.append(answer.end)
        self._write(join_short(due))
        if is_at_end:
            self._wire = None
            self._finish(wire.is_last, answer)
        elif wait_ms > 0:
            self._wake_in(wait_ms)
        elif not has_all:
            self._wake_in(_FULL_WAIT_MS if unsent_bytes else 0.0)

    def _finish(self, is_last: bool, answer: TimedAnswer) -> None:
        ending = answer.delivery.ending
        if ending is Ending.COMPLETE:
            self._end_exchange(is_last)
            return
        # Without a length or chunks, a mere close would be taken for the end of the body.
        if ending is Ending.RESET or (self._is_head_sent and not answer.is_framed):
            self._host.reset_client(self._client)
        self._end_exchange(is_last=True)

    def _end_exchange(self, is_last: bool) -> None:
        if is_last:
            self._is_over = True
            self._commands.append(commands.CloseConnection(self._client))
        self._leave_exchange()

    def _leave_exchange(self) -> None:
        if self._is_busy:
            self._is_busy = False
            self._host.exchange_ended(self._client.id)

    def _client_closed(self) -> None:
        """The client hung up, or will send no more, which is taken for the same."""
        self._is_over = True
        wire, self._wire = self._wire, None
        if wire is not None:
            self._host.left_wire(wire)
        elif self._head is None and (unread := self._unread.strip()):
            self._commands.append(commands.Log(f"Client closed connection before completing request headers ({len(unread)} bytes)"))
        self._leave_exchange()
        if self._client.state is not ConnectionState.CLOSED:
            self._commands.append(commands.CloseConnection(self._client))

    def _fail(self, error: Exception) -> None:
        """Fail closed: say so where an answer can still be given, and hang up."""
        wire = self._host.wire_for_error(error)
        if not self._is_over:
            if self._wire is None:
                self._write(wire.parts)
            self._wire = None
            self._end_exchange(is_last=True)
