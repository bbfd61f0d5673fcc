"""Many clients of one replay at once: slow streams, idle connections and busy ones, and how late the timed pieces come."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from pathlib import Path

from scripts.benchmark import tapes
from scripts.benchmark.client import Answer, ask_all_async, insist
from scripts.benchmark.processes import Server, reference_command, replay_command
from scripts.benchmark.report import Row, Table, Target
from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.cassette.schema import encode_cassette

STREAMS, IDLE, BUSY = 100, 500, 32
P50, P99, MAX = "late p50 ms", "late p99 ms", "late max ms"
BUSY_RATE, BUSY_P99, MEMORY = "busy answers per s", "busy p99 ms", "memory MB"


def measure_timing(rounds: int, is_quick: bool) -> list[Table]:
    """Lateness of timed streams, alone, and the same beside idle and busy connections."""
    streams = 4 if is_quick else STREAMS
    return [_timing_table(1 if is_quick else rounds, streams), _crowd_table(1 if is_quick else rounds, streams, is_quick)]


def timed_command(tape: Path) -> list[str]:
    """``replay`` at the recorded times."""
    return replay_command(tape, "--timing", "recorded")


def _write_tape(folder: Path, streams: int, plain: int) -> Path:
    """Streams first, then plain answers, all in one tape."""
    tape = folder / "tape"
    interactions = [tapes.interaction(tapes.STREAM, number) for number in range(streams)]
    interactions += [tapes.interaction(tapes.SMALL, number) for number in range(plain)]
    tape.write_bytes(encode_cassette(Cassette(2, tuple(interactions))))
    return tape


def _timing_table(rounds: int, streams: int) -> Table:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tape = _write_tape(folder, streams, 0)
        lanes = {
            "bare asyncio, the same schedule": (reference_command("timed"), {}, None),
            "this project": (timed_command(tape), {}, 5.0),
            "this project, flow lane": (timed_command(tape), {"SPYCATCHER_HARNESS_CMDS_REPLAY_REPLAY__LANE": "flow"}, 10.0),
        }
        rows = {name: Row(name, targets=(Target(P99, limit, is_ratio=False),) if limit else ()) for name, (_, _, limit) in lanes.items()}
        for _ in range(rounds):
            for name, (command, settings, _) in lanes.items():
                with Server(command, folder, settings) as server:
                    rows[name].add(**lateness(asyncio.run(_ask_streams(server.port, streams))))
        title = f"Timed replay: {streams} streams, {tapes.STREAM.events} events, {tapes.STREAM.gap_ms} ms apart"
        return Table(title, (P50, P99, MAX), tuple(rows.values()))


async def _ask_streams(port: int, count: int) -> list[list[float]]:
    """Start streams 10 ms after one another; when each event of each came."""

    async def ask(number: int) -> list[float]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(number * 0.01)
        writer.write(tapes.http_request(tapes.STREAM.request_body(number)))
        times: list[float] = []
        while len(times) < tapes.STREAM.events:
            data = await reader.read(1 << 16)
            if not data:
                raise RuntimeError(f"stream {number} ended after {len(times)} of {tapes.STREAM.events} events")
            times.extend([time.perf_counter()] * data.count(b"data: "))
        writer.close()
        return times

    return await asyncio.gather(*(ask(number) for number in range(count)))


def lateness(streams: list[list[float]]) -> dict[str, float]:
    """How late events came, against the first of their stream, so that the cost of accepting a request hides no drift."""
    late = sorted((at - times[0]) * 1000 - tapes.STREAM.gap_ms * event for times in streams for event, at in enumerate(times))
    return {P50: late[len(late) // 2], P99: late[len(late) * 99 // 100], MAX: late[-1]}


def _crowd_table(rounds: int, streams: int, is_quick: bool) -> Table:
    """The busy clients are measured on the small answers they get while the streams run and the idle ones wait."""
    idle, busy, plain = (5, 2, 20) if is_quick else (IDLE, BUSY, 1600)
    row = Row("this project")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tape = _write_tape(folder, streams, plain)
        for _ in range(rounds):
            with Server(timed_command(tape), folder) as server:
                late, answers, took_s = asyncio.run(_crowd(server.port, streams, idle, busy, plain))
                insist(answers)
                taken_ms = sorted(answer.took_ms for answer in answers)
                figures = {BUSY_RATE: len(answers) / took_s, BUSY_P99: taken_ms[len(taken_ms) * 99 // 100], MEMORY: server.memory_mb()}
                row.add(**{P50: late[P50], P99: late[P99], **figures})
    return Table(
        f"{streams} slow streams, {idle} idle and {busy} busy connections at once", (P50, P99, BUSY_RATE, BUSY_P99, MEMORY), (row,)
    )


async def _crowd(port: int, streams: int, idle: int, busy: int, plain: int) -> tuple[dict[str, float], list[Answer], float]:
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(idle):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
        slow = asyncio.ensure_future(_ask_streams(port, streams))
        await asyncio.sleep(0.3)
        began_s = time.perf_counter()
        answers = await ask_all_async(port, [tapes.http_request(tapes.SMALL.request_body(number)) for number in range(plain)], busy)
        took_s = time.perf_counter() - began_s
        return lateness(await slow), answers, took_s
