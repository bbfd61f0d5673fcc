"""The command line in this process, in an empty folder with cassettes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.cassette.schema import encode_cassette, parse_cassette
from spycatcher_addon.edge.cli import main
from tests.support.texts import without_marks


class Commands:
    """Runs commands in a folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.err = ""
        """What the last command wrote to standard error."""

    def write(self, name: str, tape: Cassette) -> Path:
        """Put a cassette into the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_cassette(tape))
        return path

    def read(self, name: str) -> Cassette:
        """Read a cassette of the folder."""
        return parse_cassette((self.folder / name).read_bytes(), name)

    def run(self, *words: str) -> tuple[int, str]:
        """Run a command; gives its exit code and standard output."""
        code = main(words)
        captured = self._capsys.readouterr()
        self.err = without_marks(captured.err)
        return code, without_marks(captured.out)

    def json(self, *words: str) -> Any:
        """Run a command with ``--json``; gives what it printed."""
        _, out = self.run(*words, "--json")
        return json.loads(out)
