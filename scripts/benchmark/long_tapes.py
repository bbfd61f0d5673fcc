"""Long tapes: how much longer a replay takes to start, its memory, and whether looking up and appending stay as cheap."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scripts.benchmark import tapes
from scripts.benchmark.client import ask_all
from scripts.benchmark.processes import Server, mitmdump_command, replay_command
from scripts.benchmark.report import Row, Table, Target
from spycatcher_addon.cassette.model import Hashing, Interaction, NonStreamResponse
from spycatcher_addon.edge.tape_writing import CassetteWriter

START, CPU, MORE = "first answer s", "CPU s", "more CPU s"
MEMORY, LOOK_UP = "memory MB", "CPU us per look-up"


def measure_long_tapes(rounds: int, is_quick: bool) -> list[Table]:
    """The start and the look-ups on tapes of different length, the start beside mitmdump's, and appends."""
    long = 200 if is_quick else 20_000
    return [_tape_table(rounds, long, 20 if is_quick else 400), _append_table(1 if is_quick else 3, 200 if is_quick else 2_000)]


def _tape_table(rounds: int, long: int, look_ups: int) -> Table:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        request = tapes.http_request(tapes.SHORT.request_body(0))
        candidates: dict[str, tuple[Callable[[Path], list[str]], Path, int]] = {}
        for count in (10, look_ups * 2, long):
            tape = folder / f"tape-{count}"
            tapes.write_tape(tape, tapes.SHORT, count)
            candidates[f"replay, {count} interactions, {tape.stat().st_size / 1e6:.1f} MB"] = (replay_command, tape, count)
        rows = {"stock mitmdump, short script, 10 interactions": Row("stock mitmdump, short script, 10 interactions")}
        for index, label in enumerate(candidates):
            rows[label] = Row(label)
            if index == 0:
                rows[label].targets = (Target(START, 1.0),)
        rows[label].targets = (Target(MORE, 1.2, is_ratio=False), Target(MEMORY, 240, is_ratio=False))
        for _ in range(rounds):
            small = folder / "tape-10"
            mitmdump = mitmdump_command("mitmdump_replay.py", "reverse:http://127.0.0.1:9", f"tape={small}", "connection_strategy=lazy")
            next(iter(rows.values())).add(**{START: _first_answer_s(mitmdump, folder, request)})
            least_cpu_s = 0.0
            for label, (command, tape, count) in candidates.items():
                with Server(command(tape), folder) as server:
                    ask_all(server.port, [request], 1)
                    start_s = time.perf_counter() - server.started_at_s
                    cpu_s = server.cpu_s()
                    least_cpu_s = least_cpu_s or cpu_s
                    figures = {START: start_s, CPU: cpu_s, MORE: cpu_s - least_cpu_s, MEMORY: server.memory_mb()}
                    if count > look_ups:
                        step = count // (look_ups + 1)
                        asked = [tapes.http_request(tapes.SHORT.request_body(step * (number + 1))) for number in range(look_ups)]
                        began_s = server.cpu_s()
                        ask_all(server.port, asked)
                        figures[LOOK_UP] = (server.cpu_s() - began_s) / look_ups * 1e6
                rows[label].add(**figures)
        return Table("Long tapes", (START, CPU, MORE, MEMORY, LOOK_UP), tuple(rows.values()))


def _first_answer_s(command: list[str], folder: Path, request: bytes) -> float:
    with Server(command, folder) as server:
        ask_all(server.port, [request], 1)
        return time.perf_counter() - server.started_at_s


def _append_table(rounds: int, count: int) -> Table:
    """The writer alone, with every flush to the disk; the last tenth against the first."""
    tenth = count // 10
    first, last = Row("first tenth"), Row("last tenth", targets=(Target("CPU us per append", 1.2),))
    size = Row("the file", targets=(Target("bytes per payload byte", 1.7, is_ratio=False),))
    interactions = [tapes.interaction(tapes.SMALL if number % 4 else tapes.STREAM, number) for number in range(count)]
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            tape = Path(folder) / "tape"
            took: list[tuple[float, float]] = []
            with CassetteWriter.open(tape, Hashing()) as writer:
                for interaction in interactions:
                    began = time.perf_counter(), time.thread_time()
                    writer.append(interaction)
                    took.append((time.perf_counter() - began[0], time.thread_time() - began[1]))
            for row, part in ((first, took[:tenth]), (last, took[-tenth:])):
                wall_us, cpu_us = (sum(column) / tenth * 1e6 for column in zip(*part, strict=True))
                row.add(**{"CPU us per append": cpu_us, "wall us per append": wall_us})
            payload = sum(len(each.request.body) + _body_bytes(each) for each in interactions)
            size.add(**{"bytes per payload byte": tape.stat().st_size / payload})
    columns = ("CPU us per append", "wall us per append", "bytes per payload byte")
    return Table(f"Appending {count} interactions", columns, (first, last, size))


def _body_bytes(interaction: Interaction) -> int:
    response = interaction.response
    return len(response.body if isinstance(response, NonStreamResponse) else response.raw_transcript)
