"""The harness as a child process: finding the command, talking to it in lines of JSON.

The protocol is described in :mod:`spycatcher_addon.edge.tape_server`, which may run in another environment than this
module; so nothing of it is imported here.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import queue
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

COMMAND_VARIABLE = "SPYCATCHER_HARNESS_COMMAND"
PROTOCOL = 1
_PROGRAM = "spycatcher-harness"
_START_TIMEOUT_S = 60.0
_ANSWER_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 10.0
_SHOWN_LINES = 20


class ChildError(Exception):
    """The harness could not be started, died, or refused a command; the text is for the user."""


def find_command(configured: str, environ: Mapping[str, str], which: Callable[[str], str | None] = shutil.which) -> list[str]:
    """The command that starts a harness: ini key, variable, ``PATH``, and last this very Python.

    Raises:
        ChildError: What was configured is no command line; or nothing was configured or found, and this Python lacks what the
            harness needs.
    """
    for given in (configured, environ.get(COMMAND_VARIABLE, "")):
        if given.strip():
            try:
                return shlex.split(given)
            except ValueError as error:
                raise ChildError(
                    f"cannot understand the command {given}: {error}; check spycatcher_command and {COMMAND_VARIABLE}"
                ) from None
    found = which(_PROGRAM)
    if found is not None:
        return [found]
    if not _is_installed("mitmproxy"):
        raise ChildError(
            f"the command {_PROGRAM} is not on PATH, and this Python has no mitmproxy to run it with; install it as a tool of its own "
            f"(pipx install spycatcher-harness), or name it in the ini key spycatcher_command or the variable {COMMAND_VARIABLE}"
        )
    return [sys.executable, "-m", "spycatcher_addon"]


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ImportError:
        return False


class Child:
    """A running tape server. May be used from any thread; commands take turns."""

    def __init__(self, command: Sequence[str], cwd: str) -> None:
        """Start it and wait until it is ready.

        Raises:
            ChildError: It did not start.
        """
        self._shown = shlex.join(command)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        try:
            self._process = subprocess.Popen(
                [*command, "serve-tapes"],
                cwd=cwd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                process_group=0,  # Ctrl-C is for pytest, which then has it drop what was being recorded
            )
        except OSError as error:
            self._errors.close()
            raise ChildError(f"cannot run {self._shown}: {error.strerror or error}; check spycatcher_command") from error
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name="spycatcher-child", daemon=True)
        self._reader.start()
        self._turn = threading.Lock()
        self._number = 0
        try:
            self.url: str = self._become_ready()["url"]
            """``http://host:port`` of the server."""
        except BaseException:
            self.stop()
            raise

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked anything."""
        return self._process.poll() is None

    def ask(self, op: str, **fields: object) -> dict[str, Any]:
        """Give a command and wait for its answer.

        Raises:
            ChildError: It was refused, or there is nobody any more to give it to.
        """
        with self._turn:
            self._number += 1
            line = json.dumps({"id": self._number, "op": op, **fields}).encode() + b"\n"
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(line)
                self._process.stdin.flush()
            except OSError:
                raise self._ended("before it took a command") from None
            while True:
                answer = self._next_line(_ANSWER_TIMEOUT_S, f"to {op} a tape")
                if answer.get("id") == self._number:
                    break  # an earlier one may have been interrupted, and its answer come late
        if "error" in answer:
            raise ChildError(answer["error"]["message"])
        result: dict[str, Any] = answer["ok"]
        return result

    def log_length(self) -> int:
        """How much it has written to standard error, in bytes."""
        return os.fstat(self._errors.fileno()).st_size

    def log_since(self, start: int) -> str:
        """What it has written to standard error from there on."""
        return os.pread(self._errors.fileno(), self.log_length() - start, start).decode("utf-8", "replace").strip()

    def stop(self) -> None:
        """Let it end, or end it. A second call does nothing."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError):  # it ended first
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._process.stdout.close()
        self._errors.close()

    def _become_ready(self) -> dict[str, Any]:
        said = self._next_line(_START_TIMEOUT_S, "to start")
        if "failed" in said:
            raise ChildError(f"{self._shown} did not start: {said['failed']['message']}")
        ready: dict[str, Any] = said.get("ready", {})
        if ready.get("protocol") != PROTOCOL:
            raise ChildError(
                f"{self._shown} is of version {ready.get('version', 'unknown')}, which this plugin cannot talk to; install the same "
                "version of spycatcher-harness for the command and beside pytest"
            )
        return ready

    def _next_line(self, timeout_s: float, purpose: str) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            raise ChildError(f"{self._shown} did not answer within {timeout_s:.0f} s when asked {purpose}") from None
        if not line:
            self._lines.put(b"")  # for whoever asks next
            raise self._ended(f"when asked {purpose}")
        try:
            said: dict[str, Any] = json.loads(line)
        except ValueError:
            raise ChildError(
                f"{self._shown} is not a harness this plugin can talk to; it said: {line[:200].decode('utf-8', 'replace').strip()}"
            ) from None
        return said

    def _ended(self, when: str) -> ChildError:
        try:
            code = self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return ChildError(f"{self._shown} closed its output {when}")
        last_lines = "\n".join(self.log_since(0).splitlines()[-_SHOWN_LINES:])
        return ChildError(f"{self._shown} ended with code {code} {when}{f':{chr(10)}{last_lines}' if last_lines else ''}")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")
