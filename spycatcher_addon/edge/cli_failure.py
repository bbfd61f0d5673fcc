"""How a command says that it cannot go on."""

from __future__ import annotations

from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.errors import CassetteNotFoundError, HarnessError, InvalidConfigError, UnsupportedCassetteFormatVersionError

EXIT_FAILURE = 1
EXIT_USAGE = 2


class CommandError(Exception):
    """A command cannot go on: the text that follows ``Error:``, and the cause if it is to be shown on a line of its own."""

    def __init__(self, message: str, cause: str | None = None, exit_code: int = EXIT_FAILURE) -> None:
        super().__init__(message, cause, exit_code)
        self.lines = [f"Error: {message}", *([] if cause is None else [f"Caused by: {cause}"])]
        self.message = message
        self.cause = cause
        self.exit_code = exit_code


def advice(texts: Texts, error: HarnessError, cassette_path: str) -> str:
    """A further line on what to do, where the error itself names no cure; else nothing."""
    from spycatcher_addon.config import UPSTREAM_MISSING

    match error:
        case CassetteNotFoundError():
            return f"\n{texts('cli-cassette-not-found-advice')} {cassette_path}"
        case UnsupportedCassetteFormatVersionError():
            return f"\n{texts('cli-cassette-version-advice')} {cassette_path}"
        case InvalidConfigError(message=message) if message == UPSTREAM_MISSING:
            return f"\n{texts('cli-upstream-missing-advice')} --upstream-kind openrouter, --base-url https://api.example.com/v1"
        case _:
            return ""
