"""The lines of a command that cannot go on."""

from __future__ import annotations

import pytest

from spycatcher_addon.edge.cli_failure import CommandError, advice
from spycatcher_addon.errors import (
    CassetteNotFoundError,
    HarnessError,
    InvalidCassetteError,
    InvalidConfigError,
    UnsupportedCassetteFormatVersionError,
)


def test_lines_and_code() -> None:
    error = CommandError("no")
    assert (error.lines, error.exit_code) == (["Error: no"], 1)
    error = CommandError("no", "because", exit_code=2)
    assert (error.lines, error.exit_code) == (["Error: no", "Caused by: because"], 2)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (CassetteNotFoundError("tape"), "\ncli-cassette-not-found-advice fixtures/tape"),
        (UnsupportedCassetteFormatVersionError(9, 2), "\ncli-cassette-version-advice fixtures/tape"),
        (InvalidCassetteError("fixtures/tape: broken"), ""),
        (
            InvalidConfigError("upstream configuration is required for record mode"),
            "\ncli-upstream-missing-advice --upstream-kind openrouter, --base-url https://api.example.com/v1",
        ),
        (InvalidConfigError("something else"), ""),
    ],
)
def test_advice_names_the_file_where_the_error_does_not(error: HarnessError, expected: str) -> None:
    assert advice(lambda message_id: message_id, error, "fixtures/tape") == expected  # type: ignore[arg-type]
