"""Writing to the two standard streams without ever failing because nobody reads them."""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import os
import sys
from collections.abc import Callable
from typing import TextIO


class OutputError(Exception):
    """Standard output takes no more, for another reason than that nobody reads it; the text is the system's."""


def prepare_streams() -> None:
    """Make every text printable, whatever encoding the streams have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def is_interactive() -> bool:
    """Whether a person sits in front of standard input and output."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def write_out(text: str) -> None:
    """Write to standard output and flush; a closed pipe (``| head -1``) or a closed stream is no failure.

    Raises:
        OutputError: The disk behind a redirection is full, for example.
    """
    stream = sys.stdout
    if stream is None:  # the process was started with the stream closed
        return
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError) as error:
        _let_go(stream)
        _raise_unless_closed(error)


def write_err(text: str) -> None:
    """Write to standard error and flush; nobody listening is no failure."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):  # there is no place left to say so
        _let_go(stream)


def write_out_bytes(data: bytes) -> None:
    """Write bytes as they are to standard output and flush; nobody reading is no failure.

    Raises:
        OutputError: As :func:`write_out`.
    """
    stream = sys.stdout
    if stream is None:
        return
    try:
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()
    except (OSError, ValueError) as error:
        _let_go(stream)
        _raise_unless_closed(error)


def _raise_unless_closed(error: OSError | ValueError) -> None:
    # ValueError is a closed file object; Windows calls a pipe without a reader EINVAL.
    if isinstance(error, OSError) and not isinstance(error, BrokenPipeError) and error.errno != errno.EINVAL:
        raise OutputError(error.strerror or str(error)) from error


def _let_go(stream: TextIO) -> None:
    """Point the stream at nothing, so that the interpreter's last flush does not fail as well."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class OneLineFormatter(logging.Formatter):
    """Log records as ``warning: text``; an exception is named at the end instead of printed as a traceback."""

    def __init__(self, message_of: Callable[[logging.LogRecord], str] = logging.LogRecord.getMessage) -> None:
        """Make a formatter.

        Args:
            message_of: Puts a record into the user's language.
        """
        super().__init__()
        self._message_of = message_of

    def format(self, record: logging.LogRecord) -> str:
        line = f"{record.levelname.lower()}: {self._message_of(record)}"
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line += f" ({type(error).__name__}: {error})"
        return line.replace("\n", "\n  ")


def log_to_standard_error(level: int, message_of: Callable[[logging.LogRecord], str] = logging.LogRecord.getMessage) -> None:
    """Send log records of this level and above to standard error, one line each.

    Args:
        message_of: Puts a record into the user's language.
    """
    handler = logging.StreamHandler()
    handler.setLevel(level)
    handler.setFormatter(OneLineFormatter(message_of))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
