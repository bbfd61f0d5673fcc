"""What a client sends goes to the fast lane at once, without a detour through mitmproxy's reading task.

mitmproxy reads each connection in a task: bytes wait in a stream, the task is woken, takes them, passes them through the layers,
and looks whether the client reads what it is sent. That costs more than answering. Here the socket's own callback calls the
lane, so does a timer of the event loop where mitmproxy would start a task for each piece of a timed answer, and what the lane
sends is sent from there. The rest stays mitmproxy's: every other command, the end of the connection, and all reading once the
flow lane has taken over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import chain
from typing import Any

from mitmproxy.connection import Connection
from mitmproxy.proxy import commands
from mitmproxy.proxy.server import ConnectionHandler

from spycatcher_addon.edge.fast_lane import Decided, FastLane


def read_directly(lane: FastLane, handler: ConnectionHandler, client: Connection) -> DirectReading | None:
    """Let the socket call a lane. ``None`` where the connection is not as expected, or not now; then all stays as it is."""
    streams = handler.transports.get(client)
    reader = None if streams is None else streams.reader
    writer = None if streams is None else streams.writer
    if not isinstance(reader, asyncio.StreamReader) or not isinstance(writer, asyncio.StreamWriter):
        return None
    stock = writer.transport.get_protocol()
    # What has come and was not read yet would be overtaken by what comes next.
    has_unread = bool(reader._buffer)  # type: ignore[attr-defined]
    if type(stock) is not asyncio.StreamReaderProtocol or has_unread or reader.at_eof():
        return None
    direct = DirectReading(lane, handler, writer.transport, stock)
    writer.transport.set_protocol(direct)
    return direct


class DirectReading(asyncio.Protocol):
    """The callbacks of one client's socket."""

    def __init__(
        self, lane: FastLane, handler: ConnectionHandler, transport: asyncio.WriteTransport, stock: asyncio.StreamReaderProtocol
    ) -> None:
        self._lane = lane
        self._handler = handler
        self._transport: Any = transport
        self._stock = stock
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        """Pass on what has come."""
        if self._lane.has_handed_over:
            self._transport.set_protocol(self._stock)
            self._stock.data_received(data)
            return
        self._do(self._lane.take(data))

    def wake_later(self, wakeup: commands.RequestWakeup) -> None:
        """Call the lane when it wants to be called."""
        self._timer = asyncio.get_running_loop().call_later(wakeup.delay, self._wake, wakeup)

    def _wake(self, wakeup: commands.RequestWakeup) -> None:
        self._do(self._lane.wake(wakeup))

    def _do(self, commands_of_lane: Iterable[commands.Command]) -> None:
        self._handler.timeout_watchdog.register_activity()
        decided = iter(commands_of_lane)
        if self._lane.has_handed_over:
            self._carry_out(decided)
            return
        for command in decided:
            if not isinstance(command, commands.SendData):
                self._carry_out(chain((command,), decided))
                return
            if not self._transport.is_closing():
                self._transport.write(command.data)

    def _carry_out(self, decided: Iterable[commands.Command]) -> None:
        task = asyncio.get_running_loop().create_task(self._handler.server_event(Decided(decided)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def pause_writing(self) -> None:
        """The client does not read: take nothing more from it."""
        self._transport.pause_reading()
        self._stock.pause_writing()

    def resume_writing(self) -> None:
        """It reads again."""
        self._transport.resume_reading()
        self._stock.resume_writing()

    def eof_received(self) -> bool | None:
        """The end of what the client sends is mitmproxy's business."""
        return self._stock.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """So is the end of the connection."""
        if self._timer is not None:
            self._timer.cancel()
        self._stock.connection_lost(exc)
