"""The socket calls the lane: what is sent at once, what is left to mitmproxy, and when it gives the connection back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from mitmproxy import connection, options
from mitmproxy.proxy import context, events, mode_specs
from mitmproxy.proxy.layers.http import HTTPMode
from mitmproxy.proxy.server import SimpleConnectionHandler

from spycatcher_addon.cassette import Cassette
from spycatcher_addon.edge.direct_reading import DirectReading, read_directly
from spycatcher_addon.edge.fast_lane import FastLane
from spycatcher_addon.edge.mitm import ReplayHooks
from spycatcher_addon.edge.wire import prepare_wire
from spycatcher_addon.exchange import Delivery, ReplayResponse
from spycatcher_addon.replaying import ReplayPolicy, ReplaySession

REQUEST = b"POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}"


class Connected:
    """A lane behind a real socket, whose handler writes down what it is told instead of carrying it out."""

    def __init__(self, handler: SimpleConnectionHandler, reader: asyncio.StreamReader) -> None:
        self.handler = handler
        self.reader = reader
        self.client: connection.Client = handler.client
        self.told: list[events.Event] = []
        self.lane = FastLane(
            context.Context(self.client, options.Options()),
            HTTPMode.transparent,
            ReplayHooks(ReplaySession(Cassette(2), ReplayPolicy()), 1000),
        )

        async def note(event: events.Event) -> None:
            self.told.append(event)

        handler.server_event = note  # type: ignore[method-assign]

    @property
    def protocol(self) -> asyncio.BaseProtocol:
        writer = self.handler.transports[self.client].writer
        assert isinstance(writer, asyncio.StreamWriter)
        return writer.transport.get_protocol()


def connected(work: Callable[[Connected, asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]) -> None:
    """Run a check with both ends of a connection: the harness's, and the client's reader and writer."""

    async def run() -> None:
        arrived: asyncio.Queue[Connected] = asyncio.Queue()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            mode = mode_specs.ProxyMode.parse("reverse:http://upstream.invalid:1")
            made = options.Options()
            made.add_option("tcp_timeout", int, 600, "")
            await arrived.put(Connected(SimpleConnectionHandler(reader, writer, made, mode, {}), reader))

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            here = await arrived.get()
            await work(here, reader, writer)
            writer.close()
            await writer.wait_closed()
            harness_writer = here.handler.transports[here.client].writer
            assert isinstance(harness_writer, asyncio.StreamWriter)
            harness_writer.close()
            await asyncio.wait_for(here.reader.read(), 5)

    asyncio.run(run())


async def soon(is_done: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(5):
        while not is_done():
            await asyncio.sleep(0.001)


def test_an_answer_is_sent_without_mitmproxy() -> None:
    async def check(here: Connected, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert read_directly(here.lane, here.handler, here.client)
        writer.write(REQUEST * 2)
        for _ in range(2):
            assert (await reader.readuntil(b"}}")).startswith(b"HTTP/1.1 409 ")
        assert here.told == []

    connected(check)


def test_after_the_hand_over_mitmproxy_reads_on() -> None:
    async def check(here: Connected, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert read_directly(here.lane, here.handler, here.client)
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        await soon(lambda: here.lane.has_handed_over)
        writer.write(b"more")
        assert await here.reader.read(9) == b"more"
        assert type(here.protocol) is asyncio.StreamReaderProtocol
        assert len(here.told) == 1

    connected(check)


def test_nothing_is_taken_over_before_all_that_came_is_read() -> None:
    async def check(here: Connected, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"abc")
        await soon(lambda: bool(here.reader._buffer))  # type: ignore[attr-defined]
        assert not read_directly(here.lane, here.handler, here.client)
        assert await here.reader.read(9) == b"abc"
        assert read_directly(here.lane, here.handler, here.client)
        assert not read_directly(here.lane, here.handler, here.client)

    connected(check)


def test_a_client_that_reads_nothing_is_not_read_from() -> None:
    async def check(here: Connected, _: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
        read_directly(here.lane, here.handler, here.client)
        protocol = here.protocol
        assert isinstance(protocol, DirectReading)
        harness_writer = here.handler.transports[here.client].writer
        assert isinstance(harness_writer, asyncio.StreamWriter)
        transport: Any = harness_writer.transport
        protocol.pause_writing()
        assert not transport.is_reading()
        draining = asyncio.create_task(harness_writer.drain())
        await asyncio.sleep(0)
        assert not draining.done()
        protocol.resume_writing()
        assert transport.is_reading()
        await draining

    connected(check)


def test_the_end_of_the_connection_is_seen_by_mitmproxy() -> None:
    async def check(here: Connected, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        read_directly(here.lane, here.handler, here.client)
        writer.write_eof()
        assert await here.reader.read() == b""

    connected(check)


TIMED = prepare_wire(ReplayResponse(200, (), (b"a", b"b"), is_stream=True, delivery=Delivery((0.0, 20.0), ending_due_ms=20.0)))


def test_pieces_of_a_timed_answer_are_sent_without_mitmproxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReplayHooks, "answer_on_wire", lambda *_: TIMED)

    async def check(here: Connected, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        monkeypatch.setattr(ReplayHooks, "read_directly", lambda _, lane, client: read_directly(lane, here.handler, client))
        list(here.lane.take(b""))
        writer.write(REQUEST * 2)
        for _ in range(2):
            assert (await reader.readuntil(b"\r\n0\r\n\r\n")).endswith(b"\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n")
        assert here.told == []

    connected(check)


def test_a_lane_is_not_called_any_more_when_its_connection_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReplayHooks, "answer_on_wire", lambda *_: TIMED)
    woken: list[object] = []

    def wake(_: FastLane, wakeup: object) -> tuple[()]:
        woken.append(wakeup)
        return ()

    monkeypatch.setattr(FastLane, "wake", wake)

    async def check(here: Connected, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        monkeypatch.setattr(ReplayHooks, "read_directly", lambda _, lane, client: read_directly(lane, here.handler, client))
        list(here.lane.take(b""))
        protocol = here.protocol
        assert isinstance(protocol, DirectReading)
        writer.write(REQUEST)
        await reader.readuntil(b"1\r\na\r\n")
        protocol.connection_lost(None)
        await asyncio.sleep(0.04)
        assert woken == []

    connected(check)
