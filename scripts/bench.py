"""Measures the harness against references in the same run: ``bench.py [TABLE ...] [--rounds N] [--quick] [--json FILE]``.

Absolute times say little on a shared machine, so what counts are ratios: within each round the candidates take turns, and
medians over the rounds are shown. Every server is a process of its own; the clients are another. CPU time is what moves
least with what else the machine does. Nothing here gates a test. What the figures mean is in docs/performance.md.

To add a table: write a module in ``scripts/benchmark`` with a function that measures, and name it in ``TABLES``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

from scripts.benchmark.clients import measure_timing
from scripts.benchmark.long_tapes import measure_long_tapes
from scripts.benchmark.recording import measure_recording
from scripts.benchmark.replay import measure_replay
from scripts.benchmark.report import Table, report_json, summary
from scripts.benchmark.start_up import measure_start_up

type Measure = Callable[[int, bool], list[Table]]

TABLES: dict[str, Measure] = {
    "start-up": measure_start_up,
    "replay": measure_replay,
    "recording": measure_recording,
    "timing": measure_timing,
    "long-tapes": measure_long_tapes,
}


def machine() -> dict[str, object]:
    """What the figures were taken on."""
    return {
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "mitmproxy": metadata.version("mitmproxy"),
    }


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and write the JSON file if one is wanted."""
    parser = argparse.ArgumentParser(prog="bench", description="Measure the harness against references in the same run.")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"any of {', '.join(TABLES)}; all if none is named")
    parser.add_argument("--rounds", type=int, default=3, help="samples per candidate (default: 3)")
    parser.add_argument("--quick", action="store_true", help="only see that everything runs; the figures are worth nothing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to this file, too")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.tables if name not in TABLES]
    if unknown or options.rounds < 1:
        parser.error(f"no such table: {', '.join(unknown)}" if unknown else "--rounds must be 1 or more")
    measured: list[Table] = []
    for name in options.tables or TABLES:
        for table in TABLES[name](1 if options.quick else options.rounds, options.quick):
            print("\n".join(("", *table.lines())), flush=True)
            measured.append(table)
    print("\n".join(("", *summary(measured))))
    if options.json is not None:
        options.json.write_text(json.dumps(report_json(measured, machine()), indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
