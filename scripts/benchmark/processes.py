"""Servers under measurement: each a process of its own, started until it answers, with its CPU time and memory read from outside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
PATIENCE_S = 60.0
_ADDRESS = re.compile(rb"listening (?:on|at) (?:http://)?\[?(?:127\.0\.0\.1|\*)\]?:(\d+)")
FAKE_KEY = "sk-fake-0123456789abcdef"


class Server:
    """A process that says ``listening on 127.0.0.1:PORT`` somewhere in its output."""

    def __init__(self, command: Sequence[str], cwd: Path, settings: Mapping[str, str] | None = None) -> None:
        """Start it and wait for its address.

        Args:
            settings: Environment variables beside a clean environment.

        Raises:
            RuntimeError: It ended, or did not say where it listens.
        """
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop()
        self.started_at_s = time.perf_counter()
        self._process = subprocess.Popen(command, cwd=cwd, env=clean_environment(cwd, settings), stdout=self._output, stderr=self._output)
        try:
            self.port = self._await_port(" ".join(command))
        except BaseException:
            self.stop()
            raise

    def cpu_s(self) -> float:
        """CPU time of all its threads so far."""
        return time.clock_gettime((~self._process.pid << 3) | 2)

    def memory_mb(self) -> float:
        """The most memory it has had resident, in megabytes of 10^6 bytes."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        kibibytes = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert kibibytes is not None
        return int(kibibytes[1]) * 1024 / 1e6

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _await_port(self, command: str) -> int:
        while time.perf_counter() - self.started_at_s < PATIENCE_S:
            has_ended = self._process.poll() is not None
            said = os.pread(self._output.fileno(), 65536, 0)
            found = _ADDRESS.search(said)
            if found:
                return int(found[1])
            if has_ended:
                raise RuntimeError(f"{command} ended: {said.decode(errors='replace')[-2000:]}")
            time.sleep(0.002)
        raise RuntimeError(f"{command} does not listen: {said.decode(errors='replace')[-2000:]}")


def clean_environment(home: Path, settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """The present environment without settings of the harness, with ``home`` as home directory and this checkout's modules."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SPYCATCHER_HARNESS_")}
    return {**kept, "HOME": str(home), "PYTHONPATH": str(ROOT), "BENCH_API_KEY": FAKE_KEY, **(settings or {})}


def replay_command(tape: Path, *more: str) -> list[str]:
    """``spycatcher-harness replay`` of a tape, keyed, on a free port."""
    where = ["--listen", "127.0.0.1:0", "--cassette-dir", str(tape.parent), "--cassette-name", tape.name]
    return [sys.executable, "-m", "spycatcher_addon", "replay", *where, "--match-mode", "keyed", *more]


def record_command(tape: Path, upstream_port: int) -> list[str]:
    """``spycatcher-harness record`` onto a tape, on a free port."""
    where = ["--listen", "127.0.0.1:0", "--cassette-dir", str(tape.parent), "--cassette-name", tape.name]
    upstream = ["--base-url", f"http://127.0.0.1:{upstream_port}/v1", "--api-key-env", "BENCH_API_KEY"]
    return [sys.executable, "-m", "spycatcher_addon", "record", *where, *upstream]


def reference_command(kind: str, *arguments: str) -> list[str]:
    """One of the servers of ``scripts/benchmark/references.py``."""
    return [sys.executable, "-m", "scripts.benchmark.references", kind, *arguments]


def mitmdump_command(script: str, mode: str, *options: str) -> list[str]:
    """Stock mitmdump with one of the scripts beside this file (or none), on a free port, with as little logging as its start needs."""
    scripts = ["-s", str(Path(__file__).with_name(script))] if script else []
    sets = [part for option in ("flow_detail=0", *options) for part in ("--set", option)]
    return [str(BIN / "mitmdump"), "--listen-host", "127.0.0.1", "--listen-port", "0", "--mode", mode, *scripts, *sets]
