"""Runs ``spycatcher-harness`` (or ``mitmdump``) as a subprocess, in a folder and environment of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

ROOT = Path(__file__).resolve().parent.parent.parent
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 20.0
COMMAND = (sys.executable, "-m", "spycatcher_addon")
INHERITED = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
FAKE_KEY = "sk-fake-key-of-the-test-suite"


@dataclass(frozen=True, slots=True)
class CompletedRun:
    """A finished process."""

    returncode: int
    """Negative when a signal ended it, as :mod:`subprocess` has it."""
    stdout: str
    stderr: str


class StartError(AssertionError):
    """The process ended, or said nothing, before it was listening; the message holds what it printed."""


def clean_environment(home: Path, env: Mapping[str, str]) -> dict[str, str]:
    """What a child gets: nothing of the tester's own settings, the checkout importable, ``env`` on top."""
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    environment |= {"HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return environment | dict(env)


def record_environment(upstream_base_url: str) -> dict[str, str]:
    """Settings that make ``record`` and ``auto`` use a stub upstream, with a key that is plainly fake."""
    return {
        **{f"SPYCATCHER_HARNESS_CMDS_{mode}_UPSTREAM__BASE_URL": upstream_base_url for mode in ("RECORD", "AUTO")},
        **{f"SPYCATCHER_HARNESS_CMDS_{mode}_UPSTREAM__API_KEY_ENV": "STUB_API_KEY" for mode in ("RECORD", "AUTO")},
        "STUB_API_KEY": FAKE_KEY,
    }


class RunningCli:
    """A process that listens; use it as a context manager, which kills it if the test did not stop it."""

    def __init__(self, command: tuple[str, ...], cwd: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command, cwd=cwd, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self._process.stdout is not None and self._process.stderr is not None
        self._output: dict[str, bytes] = {"stdout": b"", "stderr": b""}
        self._grew = threading.Condition()
        self._readers = [
            threading.Thread(target=self._read_output, args=("stdout", self._process.stdout), daemon=True),
            threading.Thread(target=self._read_output, args=("stderr", self._process.stderr), daemon=True),
        ]
        self._open_pipes = len(self._readers)
        for reader in self._readers:
            reader.start()
        self.addr: tuple[str, int] = ("", 0)
        """Where it listens; set by :func:`start_cli`."""
        self.base_url: str = ""
        """What its second line of output says a client should use."""

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def stdout(self) -> str:
        """Standard output so far."""
        return self._text("stdout")

    @property
    def stderr(self) -> str:
        """Standard error so far."""
        return self._text("stderr")

    def wait_for_text(self, stream: str, text: str, timeout_s: float = START_TIMEOUT_S) -> str:
        """Return the stream's text as soon as ``text`` is in it.

        Raises:
            StartError: The process ended or the time passed first.
        """
        with self._grew:
            self._grew.wait_for(lambda: text.encode() in self._output[stream] or self._open_pipes == 0, timeout_s)
        if text not in self._text(stream):
            raise StartError(f"{text!r} did not appear on {stream}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}")
        return self._text(stream)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def pause(self, seconds: float) -> None:
        """Let up to so much time pass, less if the process ends."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def send_signal(self, number: int) -> None:
        self._process.send_signal(number)

    def stop(self, number: int = signal.SIGINT, timeout_s: float = STOP_TIMEOUT_S) -> CompletedRun:
        """Send a signal, then wait for the end."""
        self.send_signal(number)
        return self.wait(timeout_s)

    def wait(self, timeout_s: float = STOP_TIMEOUT_S) -> CompletedRun:
        """Wait for the process to end by itself.

        Raises:
            subprocess.TimeoutExpired: It did not.
        """
        returncode = self._process.wait(timeout_s)
        for reader in self._readers:
            reader.join(timeout_s)
        return CompletedRun(returncode, self.stdout, self.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.kill()

    def kill(self) -> CompletedRun:
        """End the process at once (SIGKILL); does nothing to one that has ended."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        return self.wait()

    def _text(self, stream: str) -> str:
        with self._grew:
            return self._output[stream].decode("utf-8", "backslashreplace")

    def _read_output(self, name: str, stream: IO[bytes]) -> None:
        with stream:
            while data := os.read(stream.fileno(), 65536):
                with self._grew:
                    self._output[name] += data
                    self._grew.notify_all()
        with self._grew:
            self._open_pipes -= 1
            self._grew.notify_all()


class HarnessCli:
    """Starts and runs the command line in one working folder; ``close`` kills what is left running.

    Tests get one per test from the ``harness`` fixture.
    """

    def __init__(self, folder: Path) -> None:
        self.cwd = folder / "work"
        self.home = folder / "home"
        self.cwd.mkdir()
        self.home.mkdir()
        self._started: list[RunningCli] = []

    def start_cli(self, subcommand: str, *args: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> RunningCli:
        """Start ``record`` or ``replay`` on a free port (unless ``--listen`` is given) and wait until it listens.

        Raises:
            StartError: It ended instead, or printed something other than its two lines.
        """
        if "--listen" not in args:
            args = ("--listen", "127.0.0.1:0", *args)
        running = self.spawn((*COMMAND, subcommand, *args), env=env, cwd=cwd)
        lines = running.wait_for_text("stdout", "/v1\n").splitlines()
        if len(lines) != 2 or not lines[0].startswith("listening on ") or not lines[1].startswith("export OPENAI_BASE_URL="):
            raise StartError(f"not the two lines of a start: {lines}")
        host, _, port = lines[0].removeprefix("listening on ").rpartition(":")
        running.addr = (host.strip("[]"), int(port))
        running.base_url = lines[1].removeprefix("export OPENAI_BASE_URL=")
        return running

    def record(self, upstream_base_url: str, *args: str, env: Mapping[str, str] | None = None) -> RunningCli:
        """Start ``record`` against a stub upstream."""
        return self.start_cli("record", *args, env=record_environment(upstream_base_url) | dict(env or {}))

    def replay(self, *args: str, env: Mapping[str, str] | None = None) -> RunningCli:
        """Start ``replay``."""
        return self.start_cli("replay", *args, env=env)

    def run_cli(self, *args: str, env: Mapping[str, str] | None = None, cwd: Path | None = None, timeout_s: float = 60.0) -> CompletedRun:
        """Run a command that ends by itself."""
        return self.spawn((*COMMAND, *args), env=env, cwd=cwd).wait(timeout_s)

    def spawn(self, command: tuple[str, ...], env: Mapping[str, str] | None = None, cwd: Path | None = None) -> RunningCli:
        """Start any command in the same folder and environment; nothing is waited for."""
        running = RunningCli(command, cwd or self.cwd, clean_environment(self.home, env or {}))
        self._started.append(running)
        return running

    def close(self) -> None:
        for running in self._started:
            running.kill()
