"""Finds the runnable code blocks of a Markdown page and runs them the way a reader would.

A fenced block is runnable when the word ``run`` follows its language: ```` ```sh run ````. The blocks of a page run in
order, in one empty folder. ```` ```sh run background ```` starts something that keeps serving (a second terminal of the
reader); the next background block, or the page's end, interrupts it as Ctrl-C does. Languages: ``sh`` and ``python``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.cli import CompletedRun, HarnessCli, RunningCli, record_environment

FENCE = re.compile(r"^```(?P<info>\S[^\n]*)\n(?P<code>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
BLOCK_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class DocBlock:
    """A runnable block of a page."""

    language: str
    code: str
    line: int
    """One-based line of the opening fence."""
    is_background: bool


def parse_blocks(markdown: str) -> Iterator[DocBlock]:
    """The runnable blocks of a page, in order."""
    for match in FENCE.finditer(markdown):
        language, *words = match["info"].split()
        if "run" in words:
            yield DocBlock(language, match["code"], markdown.count("\n", 0, match.start()) + 1, "background" in words)


class PageRun:
    """One reader working through one page: a folder, a provider stub instead of the real one, one background program."""

    def __init__(self, cli: HarnessCli, upstream_base_url: str) -> None:
        self._cli = cli
        self._background: RunningCli | None = None
        self._env = record_environment(upstream_base_url)
        # The page's own key variable, with a value that is plainly fake; free ports instead of the default one.
        self._env["OPENROUTER_API_KEY"] = self._env["STUB_API_KEY"]
        self._env["SPYCATCHER_HARNESS_CMDS_RECORD_LISTEN"] = self._env["SPYCATCHER_HARNESS_CMDS_REPLAY_LISTEN"] = "127.0.0.1:0"
        self._env["OPENAI_API_KEY"] = "sk-fake"
        # What pages call "your provider".
        self._env["PROVIDER_BASE_URL"] = upstream_base_url
        self._env["PROVIDER_API_KEY"] = self._env["STUB_API_KEY"]
        # "spycatcher-harness" and "python" are those of the environment the tests run in.
        self._env["PATH"] = f"{Path(sys.executable).parent}:/usr/bin:/bin"

    def run(self, block: DocBlock) -> CompletedRun | None:
        """Run one block; ``None`` for a background block that now serves."""
        command = ("sh", "-e", "-c", block.code) if block.language == "sh" else (sys.executable, "-c", block.code)
        if not block.is_background:
            return self._cli.spawn(command, env=self._env).wait(BLOCK_TIMEOUT_S)
        self.interrupt_background()
        # exec: the signal of interrupt_background must reach the program, not a shell around it.
        *before, last = block.code.strip().splitlines()
        self._background = self._cli.spawn(("sh", "-e", "-c", "\n".join([*before, f"exec {last}"])), env=self._env)
        printed = self._background.wait_for_text("stdout", "/v1\n")
        self._env["OPENAI_BASE_URL"] = printed.rpartition("export OPENAI_BASE_URL=")[2].strip()
        return None

    def interrupt_background(self) -> CompletedRun | None:
        """Stop the background program, if any, and say how it ended."""
        if self._background is None:
            return None
        try:
            return self._background.stop()
        except subprocess.TimeoutExpired:
            return self._background.kill()
        finally:
            self._background = None
