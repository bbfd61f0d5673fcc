"""Writing to the two standard streams without ever failing because nobody reads them."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
from typing import TextIO


def prepare_streams() -> None:
    """Make every text printable, whatever encoding the streams have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write_out(text: str) -> None:
    """Write to standard output and flush; a closed pipe (``| head -1``) or a closed stream is no failure."""
    _write(sys.stdout, text)


def write_err(text: str) -> None:
    """Write to standard error and flush; nobody listening is no failure."""
    _write(sys.stderr, text)


def write_out_bytes(data: bytes) -> None:
    """Write bytes as they are to standard output and flush; nobody reading is no failure."""
    stream = sys.stdout
    if stream is None:
        return
    try:
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()
    except (OSError, ValueError):
        _let_go(stream)


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # the process was started with the stream closed
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _let_go(stream)
    except (OSError, ValueError):
        # A full disk behind a redirection, or a closed file object: there is no place left to say so.
        _let_go(stream)


def _let_go(stream: TextIO) -> None:
    """Point the stream at nothing, so that the interpreter's last flush does not fail as well."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class OneLineFormatter(logging.Formatter):
    """Log records as ``warning: text``; an exception is named at the end instead of printed as a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"{record.levelname.lower()}: {record.getMessage()}"
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line += f" ({type(error).__name__}: {error})"
        return line.replace("\n", "\n  ")


def log_to_standard_error(level: int) -> None:
    """Send log records of this level and above to standard error, one line each."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLineFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
