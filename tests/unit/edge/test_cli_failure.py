"""The lines of a command that cannot go on."""

from __future__ import annotations

from spycatcher_addon.edge.cli_failure import CommandError


def test_lines_and_code() -> None:
    error = CommandError("no")
    assert (error.lines, error.exit_code) == (["Error: no"], 1)
    error = CommandError("no", "because", exit_code=2)
    assert (error.lines, error.exit_code) == (["Error: no", "Caused by: because"], 2)
