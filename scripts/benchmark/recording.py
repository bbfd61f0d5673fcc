"""What recording costs: CPU time per exchange, time added to each chunk of a stream, and many recordings at once."""

from __future__ import annotations

import asyncio
import re
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from scripts.benchmark import tapes
from scripts.benchmark.client import ask_all, ask_all_async, insist
from scripts.benchmark.processes import Server, mitmdump_command, record_command, reference_command
from scripts.benchmark.report import Row, Table, Target
from spycatcher_addon.cassette.schema import parse_cassette
from spycatcher_addon.edge.disk import read_regular_file

CPU, RATE = "CPU us per exchange", "exchanges per CPU s"
P50, P99 = "p50 us", "p99 us"
WALL = "exchanges per s"
PARALLEL = 32
_SENT = re.compile(rb'"sent_ns":(\d+)')


def measure_recording(rounds: int, is_quick: bool) -> list[Table]:
    """CPU per exchange for plain answers and for streams, added latency, and parallel recordings."""
    count = 24 if is_quick else 240
    return [
        _cpu_table(tapes.SMALL, count, rounds),
        _cpu_table(tapes.STREAM, count, rounds),
        _latency_table(1 if is_quick else rounds, 1 if is_quick else 4),
        _parallel_table(1 if is_quick else rounds, 2 if is_quick else 10),
    ]


def recorders(folder: Path, upstream_port: int) -> dict[str, Sequence[str]]:
    """Name and command of each recorder, the reference first."""
    for left_over in ("tape", "relayed", "flows"):
        (folder / left_over).unlink(missing_ok=True)
    flows = folder / "flows"
    return {
        "bare asyncio relay with a tee": reference_command("relay", str(upstream_port), str(folder / "relayed")),
        "this project": record_command(folder / "tape", upstream_port),
        "stock mitmdump -w": [
            *mitmdump_command("", f"reverse:http://127.0.0.1:{upstream_port}", "stream_large_bodies=1k"),
            "-w",
            str(flows),
        ],
    }


def _cpu_table(kind: tapes.Kind, count: int, rounds: int) -> Table:
    requests = [tapes.http_request(kind.request_body(number)) for number in range(count)]
    warm_up = count // 10
    rows: dict[str, Row] = {}
    with tempfile.TemporaryDirectory() as folder, Server(reference_command("upstream", "0"), Path(folder)) as upstream:
        for _ in range(rounds):
            for name, command in recorders(Path(folder), upstream.port).items():
                with Server(command, Path(folder)) as server:
                    ask_all(server.port, requests[:warm_up])
                    began_s = server.cpu_s()
                    ask_all(server.port, requests[warm_up:])
                    cpu_us = (server.cpu_s() - began_s) / (count - warm_up) * 1e6
                targets = (Target(CPU, 8),) if name == "this project" else ()
                rows.setdefault(name, Row(name, targets=targets)).add(**{CPU: cpu_us, RATE: 1e6 / cpu_us})
    return Table(f"Recording: {kind.name}", (CPU, RATE), tuple(rows.values()), ratio_of=CPU)


def _latency_table(rounds: int, streams: int) -> Table:
    rows: dict[str, Row] = {}
    request = tapes.http_request(tapes.STREAM.request_body(0))
    with tempfile.TemporaryDirectory() as folder, Server(reference_command("upstream", "5"), Path(folder)) as upstream:
        for _ in range(rounds):
            commands = recorders(Path(folder), upstream.port)
            del commands["stock mitmdump -w"]
            direct_us = _chunk_latencies_us(upstream.port, request, streams)
            rows.setdefault("direct", Row("direct")).add(**_quantiles(direct_us), **{"added p50 us": 0.0})
            for name, command in commands.items():
                with Server(command, Path(folder)) as server:
                    _chunk_latencies_us(server.port, request, 1)
                    taken_us = _chunk_latencies_us(server.port, request, streams)
                added_us = statistics.median(taken_us) - statistics.median(direct_us)
                targets = (Target("added p50 us", 300, is_ratio=False),) if name == "this project" else ()
                rows.setdefault(name, Row(name, targets=targets)).add(**_quantiles(taken_us), **{"added p50 us": added_us})
    return Table("Recording: time from upstream to client, per streamed chunk", (P50, P99, "added p50 us"), tuple(rows.values()))


def _quantiles(taken_us: list[float]) -> dict[str, float]:
    return {P50: statistics.median(taken_us), P99: sorted(taken_us)[len(taken_us) * 99 // 100]}


def _chunk_latencies_us(port: int, request: bytes, streams: int) -> list[float]:
    """Ask for streams one after the other; from the time each event names to the time it was read."""

    async def ask() -> list[float]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        taken_us: list[float] = []
        for _ in range(streams):
            writer.write(request)
            tail = b""
            while not tail.endswith(b"0\r\n\r\n"):
                piece = await reader.read(1 << 16)
                now_ns = time.monotonic_ns()
                if not piece:
                    raise RuntimeError("the connection ended in the middle of a stream")
                taken_us.extend((now_ns - int(sent_ns)) / 1000 for sent_ns in _SENT.findall(piece))
                tail = (tail + piece)[-5:]
        writer.close()
        return taken_us

    return asyncio.run(ask())


def _parallel_table(rounds: int, each: int) -> Table:
    """Streams recorded at once over as many connections; afterwards all of them must be on the tape."""
    rows: dict[str, Row] = {}
    count = PARALLEL * each
    requests = [tapes.http_request(tapes.STREAM.request_body(number)) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder, Server(reference_command("upstream", "0"), Path(folder)) as upstream:
        for _ in range(rounds):
            for name, command in recorders(Path(folder), upstream.port).items():
                with Server(command, Path(folder)) as server:
                    began_s = time.perf_counter()
                    answers = asyncio.run(ask_all_async(server.port, requests, PARALLEL))
                    took_s = time.perf_counter() - began_s
                insist(answers)
                if name == "this project":
                    _insist_on_all(Path(folder) / "tape", count)
                slowest_ms = max(answer.took_ms for answer in answers)
                rows.setdefault(name, Row(name)).add(**{WALL: count / took_s, "slowest ms": slowest_ms})
    return Table(f"Recording: {PARALLEL} streams at a time", (WALL, "slowest ms"), tuple(rows.values()), ratio_of=WALL)


def _insist_on_all(tape: Path, count: int) -> None:
    bodies = {interaction.request.body for interaction in parse_cassette(read_regular_file(str(tape))[0], str(tape)).interactions}
    if len(bodies) != count:
        raise RuntimeError(f"{count} exchanges were recorded, {len(bodies)} are on the tape")
