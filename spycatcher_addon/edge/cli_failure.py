"""How a command says that it cannot go on."""

from __future__ import annotations

from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.errors import CassetteNotFoundError, HarnessError, UnsupportedCassetteFormatVersionError

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


def cassette_advice(texts: Texts, error: HarnessError, cassette_path: str) -> str:
    """A further line on what to do about a cassette, where the error itself names neither file nor cure; else nothing."""
    match error:
        case CassetteNotFoundError():
            message_id = "cli-cassette-not-found-advice"
        case UnsupportedCassetteFormatVersionError():
            message_id = "cli-cassette-version-advice"
        case _:
            return ""
    return f"\n{texts(message_id)} {cassette_path}"
