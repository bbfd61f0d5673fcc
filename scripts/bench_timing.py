"""How late the pieces of timed streams come: 100 streams at once, 60 events each, 20 ms apart.

Lateness is taken at the client, against each stream's own first event, so that the cost of accepting requests does not hide
drift. The reference is a bare asyncio server that keeps the same schedule and does nothing else.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spycatcher_addon.cassette import Cassette, DataEvent, Interaction, Metadata, RecordedRequest, StreamResponse, encode_cassette
from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, canonicalize, stable_hash
from spycatcher_addon.cassette.model import Timing
from spycatcher_addon.config import HarnessConfig, ListenAddr, MatchMode, ReplayConfig, TimingMode

STREAMS, EVENTS, GAP_MS, FIRST_MS = 100, 60, 20, 100
FRAME = b"data: " + b"x" * 200 + b"\n\n"
TARGET_P99_MS = 10.0


@dataclass(frozen=True, slots=True)
class Lateness:
    """One server: how late its pieces came, in milliseconds, all rounds together."""

    name: str
    late_ms: list[float]
    target_p99_ms: float | None = None

    def quantile(self, share: float) -> float:
        """The lateness that this share of all pieces stayed below."""
        ordered = sorted(self.late_ms)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def print_lateness(rows: list[Lateness]) -> None:
    """A line per server."""
    print(f"\nTimed replay: {STREAMS} streams, {EVENTS} events, {GAP_MS} ms gaps; lateness in ms\n")
    print(f"{'':28}  {'p50':>7}  {'p99':>7}  {'max':>7}  target")
    for row in rows:
        p99, target = row.quantile(0.99), row.target_p99_ms
        verdict = "" if target is None else f"p99 <= {target:g} {'ok' if p99 <= target else 'MISSED'}"
        print(f"{row.name:28}  {row.quantile(0.5):7.2f}  {p99:7.2f}  {max(row.late_ms):7.2f}  {verdict}")


def measure_lateness(rounds: int) -> list[Lateness]:
    """Measure both servers in turn."""
    rows = [Lateness("bare asyncio", []), Lateness("replay, flow lane", [], TARGET_P99_MS)]
    with tempfile.TemporaryDirectory() as folder:
        _write_tape(Path(folder))
        for _ in range(max(1, rounds // 5)):
            for row, serve in zip(rows, (_serve_bare, _serve_replay), strict=True):
                row.late_ms.extend(_against(serve, folder))
    return rows


def _question(number: int) -> bytes:
    return json.dumps({"model": "bench", "stream": True, "messages": [{"role": "user", "content": f"question {number}"}]}).encode()


def _write_tape(folder: Path) -> None:
    ends = tuple(((event + 1) * len(FRAME), FIRST_MS + GAP_MS * event) for event in range(EVENTS))
    answer = StreamResponse(200, (), (DataEvent("x" * 200),) * EVENTS, FRAME * EVENTS, Timing(FIRST_MS, ends))
    interactions = []
    for number in range(STREAMS):
        asked = RecordedRequest("POST", "/v1/chat/completions", body=_question(number))
        hashed = RecordedRequest(asked.method, asked.path, body=asked.body, stable_hash=stable_hash(canonicalize(asked, NOTHING_IGNORED)))
        interactions.append(Interaction(hashed, answer, Metadata("openai.chat_completions.v1", "custom", "2026-01-01T00:00:00Z", 0)))
    (folder / "tape").write_bytes(encode_cassette(Cassette(2, tuple(interactions))))


def _against(serve: Callable[[str, Any], None], folder: str) -> list[float]:
    context = multiprocessing.get_context("spawn")
    ports: Any = context.Queue()
    server = context.Process(target=serve, args=(folder, ports), daemon=True)
    server.start()
    try:
        return asyncio.run(_ask_all(ports.get(timeout=30)))
    finally:
        server.terminate()
        server.join()


async def _ask_all(port: int) -> list[float]:
    connections = [await asyncio.open_connection("127.0.0.1", port) for _ in range(STREAMS)]
    late: list[float] = []
    await asyncio.gather(*(_read_one(number, *connection, late) for number, connection in enumerate(connections)))
    return late


async def _read_one(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, late: list[float]) -> None:
    await asyncio.sleep(number * 0.01)
    body = _question(number)
    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
    times: list[float] = []
    while len(times) < EVENTS:
        data = await reader.read(65536)
        if not data:
            raise RuntimeError(f"stream {number} ended after {len(times)} of {EVENTS} events")
        times.extend([time.monotonic()] * data.count(b"data: "))
    late.extend((at - times[0]) * 1000 - GAP_MS * event for event, at in enumerate(times))
    writer.close()


def _serve_bare(_: str, ports: Any) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"}]}")
        began = time.monotonic()
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        for event in range(EVENTS):
            await asyncio.sleep(max(0.0, began + (FIRST_MS + GAP_MS * event) / 1000 - time.monotonic()))
            writer.write(b"%x\r\n%s\r\n" % (len(FRAME), FRAME))
        writer.write(b"0\r\n\r\n")

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        ports.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def _serve_replay(folder: str, ports: Any) -> None:
    from spycatcher_addon.edge.server import start_harness

    async def run() -> None:
        config = HarnessConfig(
            listen=ListenAddr("127.0.0.1", 0),
            cassette_dir=folder,
            cassette_name="tape",
            match_mode=MatchMode.KEYED,
            replay=ReplayConfig(timing=TimingMode.RECORDED),
        )
        harness = await start_harness(config)
        ports.put(harness.addr.port)
        await asyncio.Event().wait()

    asyncio.run(run())
