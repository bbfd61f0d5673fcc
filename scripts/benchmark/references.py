"""The bare servers that results are compared with: ``python -m scripts.benchmark.references KIND ARGUMENT...``.

They do the least that the job needs, with asyncio and httptools and nothing else, and refuse to know errors, limits or odd
requests. ``keyed TAPE`` answers from a tape: parses, sorts and prints the JSON, hashes it, looks it up. ``timed`` answers
every request with a stream on a schedule. ``relay PORT FILE`` passes everything to an upstream and copies it to a file.
``upstream GAP_MS`` is what recorders record.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httptools

from scripts.benchmark.tapes import STREAM, text_of
from spycatcher_addon import sse
from spycatcher_addon.cassette.model import Interaction, NonStreamResponse
from spycatcher_addon.cassette.schema import parse_cassette
from spycatcher_addon.edge.disk import read_regular_file

STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


class BareServer(asyncio.Protocol):
    """Parses requests and gives their bodies to :meth:`answer`."""

    def __init__(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self._body: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        body = b"".join(self._body)
        self._body.clear()
        self.answer(body)

    def answer(self, body: bytes) -> None:
        """Answer one request."""
        raise NotImplementedError


class KeyedServer(BareServer):
    """Replays a tape by the hash of the sorted request."""

    def __init__(self, answers: dict[str, list[bytes]]) -> None:
        super().__init__()
        self._answers = answers

    def answer(self, body: bytes) -> None:
        key = hash_of(json.loads(body))
        self.transport.write(self._answers[key].pop())


def hash_of(value: object) -> str:
    """SHA-256 of the JSON text with sorted keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(b"POST\n/v1/chat/completions\n" + text.encode()).hexdigest()


def printed(interaction: Interaction) -> bytes:
    """A whole answer, ready to be written."""
    response = interaction.response
    if isinstance(response, NonStreamResponse):
        return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(response.body) + response.body
    body = sse.encode_events(response.events)
    return STREAM_HEAD + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


class TimedServer(BareServer):
    """Sends a stream of ``EVENTS`` events on a schedule, whatever it is asked."""

    def answer(self, body: bytes) -> None:
        began = time.monotonic()
        frames = [b"data: " + text.encode() + b"\n\n" for text in STREAM.event_texts(0)]
        loop = asyncio.get_running_loop()
        self.transport.write(STREAM_HEAD)
        for index, frame in enumerate(frames):
            last = b"0\r\n\r\n" if index == len(frames) - 1 else b""
            due = began + (STREAM.first_ms + STREAM.gap_ms * index) / 1000
            loop.call_at(due, self.transport.write, b"%x\r\n%s\r\n" % (len(frame), frame) + last)


class Upstream(BareServer):
    """A provider: a plain answer of 2 kB, or 60 events that each carry the time they were sent at."""

    def __init__(self, gap_s: float) -> None:
        super().__init__()
        self._gap_s = gap_s
        self._plain = json.dumps({"id": "x", "choices": [{"message": {"content": text_of(1, 300)}}]}).encode()
        self._filler = text_of(2, 28)

    def answer(self, body: bytes) -> None:
        if b'"stream": true' not in body:
            head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(self._plain)
            self.transport.write(head + self._plain)
            return
        self.transport.write(STREAM_HEAD)
        self._send(0)

    def _send(self, index: int) -> None:
        if self.transport.is_closing():
            return
        if index == STREAM.events - 1:
            self.transport.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
            return
        value = {"sent_ns": time.monotonic_ns(), "choices": [{"index": 0, "delta": {"content": self._filler}}]}
        event = json.dumps(value, separators=(",", ":"))
        frame = b"data: " + event.encode() + b"\n\n"
        self.transport.write(b"%x\r\n%s\r\n" % (len(frame), frame))
        loop = asyncio.get_running_loop()
        if self._gap_s:
            loop.call_later(self._gap_s, self._send, index + 1)
        else:
            loop.call_soon(self._send, index + 1)


class Relay(BareServer):
    """Passes requests on and answers back as they come, and copies both to a file."""

    def __init__(self, port: int, file: Path) -> None:
        super().__init__()
        self._port = port
        self._file = file.open("ab")
        self._tasks: set[asyncio.Task[None]] = set()
        self._upstream: RelayUpstream | None = None

    def answer(self, body: bytes) -> None:
        task = asyncio.get_running_loop().create_task(self._relay(body))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _relay(self, body: bytes) -> None:
        if self._upstream is None:
            client = self.transport
            _, self._upstream = await asyncio.get_running_loop().create_connection(lambda: RelayUpstream(client), "127.0.0.1", self._port)
        request = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        answer = await self._upstream.ask(request % len(body) + body)
        record = {"request": body.decode(), "answer": answer.decode()}
        self._file.write(json.dumps(record).encode() + b"\n")
        self._file.flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self._file.close()
        if self._upstream is not None:
            self._upstream.transport.close()


class RelayUpstream(asyncio.Protocol):
    """The connection of a relay to its upstream."""

    def __init__(self, client: asyncio.Transport) -> None:
        self._client = client
        self._body: list[bytes] = []
        self._parser = httptools.HttpResponseParser(self)
        self._done: asyncio.Future[bytes]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def ask(self, request: bytes) -> asyncio.Future[bytes]:
        """Send a request; its answer goes to the client, and its body is the result."""
        self._done = asyncio.get_running_loop().create_future()
        self._body.clear()
        self.transport.write(request)
        return self._done

    def data_received(self, data: bytes) -> None:
        self._client.write(data)
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        self._done.set_result(b"".join(self._body))


def keyed_answers(path: str) -> dict[str, list[bytes]]:
    """The answers of a tape by hash; those with the same one in reverse order."""
    answers: dict[str, list[bytes]] = {}
    for interaction in reversed(parse_cassette(read_regular_file(path)[0], path).interactions):
        answers.setdefault(hash_of(json.loads(interaction.request.body)), []).append(printed(interaction))
    return answers


async def serve(factory: Callable[[], asyncio.BaseProtocol]) -> None:
    """Serve for ever, saying where."""
    server = await asyncio.get_running_loop().create_server(factory, "127.0.0.1", 0, backlog=2048)
    print(f"listening on 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


def main(kind: str, *arguments: str) -> None:
    """Run the server of that kind."""
    match kind:
        case "keyed":
            answers = keyed_answers(arguments[0])
            asyncio.run(serve(lambda: KeyedServer(answers)))
        case "timed":
            asyncio.run(serve(TimedServer))
        case "relay":
            asyncio.run(serve(lambda: Relay(int(arguments[0]), Path(arguments[1]))))
        case "upstream":
            asyncio.run(serve(lambda: Upstream(float(arguments[0]) / 1000)))
        case _:
            raise SystemExit(f"no such server: {kind}")


if __name__ == "__main__":
    main(*sys.argv[1:])
