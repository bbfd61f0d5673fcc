"""The one family of failures a caller may want to catch.

Each leaf has typed fields, an English text (``str(error)``), a stable Fluent message id and the exit code the command
line returns for it. Third-party exceptions are translated into these at the edge, with ``raise ... from``.
"""

from __future__ import annotations

from typing import ClassVar


class HarnessError(Exception):
    """Any failure a caller may want to catch."""

    message_id: ClassVar[str]
    """Fluent id of the localized text; stable."""
    exit_code: ClassVar[int] = 1
    """What the command line returns when this ends a command."""


class InvalidConfigError(HarnessError):
    """Configuration validation failed; ``message`` says which setting, which value and where it came from."""

    message_id = "harness-error-invalid-config"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return f"invalid configuration: {self.message}"


class CassetteNotFoundError(HarnessError):
    """The named cassette does not exist (replay and verify never create one)."""

    message_id = "harness-error-cassette-not-found"

    def __init__(self, cassette_name: str) -> None:
        super().__init__(cassette_name)
        self.cassette_name = cassette_name

    def __str__(self) -> str:
        return f"cassette not found: {self.cassette_name}"


class InvalidCassetteError(HarnessError):
    """The cassette is damaged or does not follow its format; ``message`` names file, place and cure."""

    message_id = "harness-error-invalid-cassette"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return f"invalid cassette: {self.message}"


class UnsupportedCassetteFormatVersionError(HarnessError):
    """The cassette is well-formed but of a format version this package does not read."""

    message_id = "harness-error-unsupported-cassette-format-version"

    def __init__(self, found: int, supported: int) -> None:
        super().__init__(found, supported)
        self.found = found
        self.supported = supported

    def __str__(self) -> str:
        return f"unsupported cassette format version {self.found}; supported version is {self.supported}"


class RequestMismatchError(HarnessError):
    """A replayed request did not match the expected interaction (library users; over HTTP it is a 409 answer)."""

    message_id = "harness-error-request-mismatch"

    def __init__(self, interaction_id: int, expected_hash: str, observed_hash: str, diff_summary: str) -> None:
        super().__init__(interaction_id, expected_hash, observed_hash, diff_summary)
        self.interaction_id = interaction_id
        self.expected_hash = expected_hash
        self.observed_hash = observed_hash
        self.diff_summary = diff_summary

    def __str__(self) -> str:
        return f"request mismatch at interaction {self.interaction_id}: expected {self.expected_hash}, observed {self.observed_hash}"


class UpstreamRequestFailedError(HarnessError):
    """A request to the upstream provider failed; ``source`` says how, without host names or keys."""

    message_id = "harness-error-upstream-request-failed"

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.source = source

    def __str__(self) -> str:
        return f"upstream request failed: {self.source}"


class ModeNotYetImplementedError(HarnessError):
    """The selected mode is valid but does not start a running harness."""

    message_id = "harness-error-mode-not-yet-implemented"

    def __init__(self, mode: str) -> None:
        super().__init__(mode)
        self.mode = mode

    def __str__(self) -> str:
        return f"mode not yet implemented: {self.mode}"


class HarnessIOError(HarnessError):
    """An I/O operation failed. ``source`` may carry paths, so it is kept out of ``str(error)``."""

    message_id = "harness-error-io"

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.source = source

    def __str__(self) -> str:
        return "io failure"


class CanonicalError(HarnessError):
    """A request could not be reduced to its canonical form."""

    message_id = "harness-error-canonical"


class InvalidPointerPathError(CanonicalError):
    """An ignored path is not a usable JSON Pointer (RFC 6901), or does not fit the array it meets."""

    message_id = "harness-error-invalid-pointer-path"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f'invalid JSON Pointer path: "{self.path}"'


class StreamParseError(HarnessError):
    """Bytes that were to be Server-Sent Events are not."""

    message_id = "harness-error-stream-parse"


class InvalidUtf8Error(StreamParseError):
    """A completed line of the stream is not UTF-8."""

    message_id = "harness-error-stream-invalid-utf8"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    def __str__(self) -> str:
        return f"SSE stream contained invalid UTF-8: {self.detail}"


class IncompleteEventError(StreamParseError):
    """The stream ended inside a line or before an event's closing blank line."""

    message_id = "harness-error-stream-incomplete-event"

    def __init__(self) -> None:
        super().__init__()

    def __str__(self) -> str:
        return "SSE stream ended before the final event was complete"
