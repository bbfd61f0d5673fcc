"""Measures the harness against a reference in the same run: ``bench.py [TABLE ...] [--rounds N]``.

Absolute times say little on a shared machine, so every row has a ratio to the first row of its table, and the candidates take
turns within each round. CPU time is what moves least with what else the machine does. Nothing here gates a test.

To add a table: write a function that takes the number of rounds, measures and prints, and name it in ``TABLES``.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.bench_timing import measure_lateness, print_lateness

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
HARNESS = (sys.executable, "-m", "spycatcher_addon")


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate: its samples, one per round."""

    name: str
    wall_ms: list[float]
    cpu_ms: list[float]
    target: float | None = None
    """Largest ratio to the first row's CPU time that is good enough."""


@dataclass(frozen=True, slots=True)
class Table:
    """Candidates that were measured together; the first row is the reference."""

    title: str
    rows: list[Row]


def print_table(table: Table) -> None:
    """Medians, and ratios of medians to the first row."""
    reference = table.rows[0]
    width = max(len(row.name) for row in table.rows)
    print(f"\n{table.title}\n")
    print(f"{'':{width}}  {'wall ms':>9}  {'cpu ms':>9}  {'wall ratio':>10}  {'cpu ratio':>9}  target")
    for row in table.rows:
        wall, cpu = statistics.median(row.wall_ms), statistics.median(row.cpu_ms)
        ratios = wall / statistics.median(reference.wall_ms), cpu / statistics.median(reference.cpu_ms)
        verdict = "" if row.target is None else f"<= {row.target:g} {'ok' if ratios[1] <= row.target else 'MISSED'}"
        print(f"{row.name:{width}}  {wall:9.1f}  {cpu:9.1f}  {ratios[0]:10.2f}  {ratios[1]:9.2f}  {verdict}")


def measure_commands(title: str, candidates: Sequence[tuple[str, Sequence[str], float | None]], rounds: int, cwd: Path) -> Table:
    """Run each command once per round, all in turn.

    Args:
        candidates: Name, command line, target ratio (or none) of each; the first is the reference.
    """
    rows = [Row(name, [], [], target) for name, _, target in candidates]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPYCATCHER_HARNESS_")}
    environment |= {"HOME": str(cwd), "PYTHONPATH": str(ROOT)}
    for number in range(rounds + 1):
        for row, (_, command, _) in zip(rows, candidates, strict=True):
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(command, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            took_ms = (time.perf_counter() - began) * 1000
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if number:  # the first round fills caches and writes byte code
                row.wall_ms.append(took_ms)
                row.cpu_ms.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return Table(title, rows)


def start_up(rounds: int) -> Table:
    """How long the small commands take, which load no mitmproxy."""
    with tempfile.TemporaryDirectory() as folder:
        cwd = Path(folder)
        write_tape = (
            "import sys; from spycatcher_addon.cassette import Cassette, encode_cassette; "
            "from tests.support.tape_samples import HASHING, sample_interaction; "
            "sys.stdout.buffer.write(encode_cassette(Cassette(2, tuple(map(sample_interaction, range(10))), HASHING)))"
        )
        tape = cwd / "fixtures" / "llm" / "default"
        tape.parent.mkdir(parents=True)
        tape.write_bytes(subprocess.run([sys.executable, "-c", write_tape], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
        return measure_commands(
            "Start of small commands",
            [
                ("mitmdump --version", (str(BIN / "mitmdump"), "--version"), None),
                ("python -c pass", (sys.executable, "-c", "pass"), None),
                ("--version", (*HARNESS, "--version"), 0.5),
                ("--help", (*HARNESS, "--help"), 0.5),
                ("record --help", (*HARNESS, "record", "--help"), 0.5),
                ("config", (*HARNESS, "config"), 0.5),
                ("verify, 10 interactions", (*HARNESS, "verify", "--ignore-path", "/metadata"), 0.5),
            ],
            rounds,
            cwd,
        )


TABLES: dict[str, Callable[[int], None]] = {
    "start-up": lambda rounds: print_table(start_up(rounds)),
    "timing": lambda rounds: print_lateness(measure_lateness(rounds)),
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench", description="Measure the harness against a reference in the same run.")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"any of {', '.join(TABLES)}; all if none is named")
    parser.add_argument("--rounds", type=int, default=15, help="samples per candidate (default: 15)")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.tables if name not in TABLES]
    if unknown or options.rounds < 1:
        parser.error(f"no such table: {', '.join(unknown)}" if unknown else "--rounds must be 1 or more")
    for name in options.tables or TABLES:
        TABLES[name](options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
