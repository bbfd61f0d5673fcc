"""How long the small commands take, which load no mitmproxy."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.benchmark import tapes
from scripts.benchmark.processes import BIN, clean_environment
from scripts.benchmark.report import Row, Table, Target

WALL, CPU = "wall ms", "cpu ms"
HARNESS = (sys.executable, "-m", "spycatcher_addon")
AT_MOST = 0.5


def measure_start_up(rounds: int, is_quick: bool) -> list[Table]:
    """Each command as a process of its own, in turn; ``mitmdump --version`` is the reference."""
    with tempfile.TemporaryDirectory() as folder:
        cwd = Path(folder)
        tape = cwd / "fixtures" / "llm" / "default"
        tape.parent.mkdir(parents=True)
        tapes.write_tape(tape, tapes.SMALL, 10)
        commands: dict[str, Sequence[str]] = {
            "mitmdump --version": (str(BIN / "mitmdump"), "--version"),
            "python -c pass": (sys.executable, "-c", "pass"),
            "--version": (*HARNESS, "--version"),
            "--help": (*HARNESS, "--help"),
            "record --help": (*HARNESS, "record", "--help"),
            "config": (*HARNESS, "config"),
            "verify, 10 interactions": (*HARNESS, "verify"),
        }
        targets = {name: (Target(WALL, AT_MOST), Target(CPU, AT_MOST)) for name, command in commands.items() if command[:3] == HARNESS}
        return [measure_commands("Start of small commands", commands, 1 if is_quick else rounds, cwd, targets)]


def measure_commands(
    title: str, commands: Mapping[str, Sequence[str]], rounds: int, cwd: Path, targets: Mapping[str, tuple[Target, ...]]
) -> Table:
    """Run each command once per round, all in turn."""
    rows = {name: Row(name, targets=targets.get(name, ())) for name in commands}
    environment = clean_environment(cwd)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is measured is not the compiler
    for number in range(rounds + 1):
        for name, command in commands.items():
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(command, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            took_ms = (time.perf_counter() - began) * 1000
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if number:  # the first round fills caches and writes byte code
                cpu_ms = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000
                rows[name].add(**{WALL: took_ms, CPU: cpu_ms})
    return Table(title, (WALL, CPU), tuple(rows.values()), ratio_of=CPU)
