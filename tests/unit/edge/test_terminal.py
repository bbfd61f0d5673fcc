"""The standard streams."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable

import pytest

from spycatcher_addon.edge.terminal import (
    OneLineFormatter,
    OutputError,
    is_interactive,
    log_to_standard_error,
    prepare_streams,
    write_err,
    write_out,
    write_out_bytes,
)


def record(message: str, *, error: BaseException | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error is not None else None
    return logging.LogRecord("name", logging.WARNING, __file__, 1, message, None, info)


def test_log_lines_have_no_tracebacks() -> None:
    try:
        raise ValueError("what happened")
    except ValueError as error:
        line = OneLineFormatter().format(record("it broke", error=error))
    assert line == "warning: it broke (ValueError: what happened)"
    assert OneLineFormatter().format(record("two\nlines")) == "warning: two\n  lines"


def test_log_to_standard_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        log_to_standard_error(logging.WARNING)
        logging.getLogger("any").warning("seen")
        logging.getLogger("any").info("not seen")
        monkeypatch.setattr(logging.getLogger("other"), "level", logging.INFO)
        logging.getLogger("other").info("not seen either: others may look at more")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    assert capsys.readouterr() == ("", "warning: seen\n")


def test_writes(capsys: pytest.CaptureFixture[str]) -> None:
    write_out("a\n")
    write_err("b\n")
    assert capsys.readouterr() == ("a\n", "b\n")


def test_a_closed_stream_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    write_out("nobody")
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdout", closed)
    write_out("nobody")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("write", [lambda: write_out("x"), lambda: write_out_bytes(b"x")])
def test_a_full_disk_behind_standard_output_is_a_failure_told_once(monkeypatch: pytest.MonkeyPatch, write: Callable[[], None]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(OutputError, match="No space left on device"):
            write()
        write()  # the stream leads nowhere now, so that the interpreter's last flush does not fail as well
    with open("/dev/full", "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        write_err("there is no place left to say so")


def test_a_broken_pipe_is_no_failure_and_stays_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        write_out("nobody\n")
        write_out("still nobody\n")


def test_any_text_can_be_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors="strict")
    monkeypatch.setattr(sys, "stdout", stream)
    prepare_streams()
    write_out("é\udcff")
    assert raw.getvalue() == b"\\xe9\\udcff"


def test_bytes_are_written_as_they_are_and_in_order(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_out("a")
    write_out_bytes(b"\xff\x00")
    write_out("b")
    assert capfdbinary.readouterr().out == b"a\xff\x00b"


def test_bytes_that_nobody_reads_are_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        write_out_bytes(b"x")
    monkeypatch.setattr(sys, "stdout", None)
    write_out_bytes(b"x")


@pytest.mark.parametrize(("stdin", "stdout", "expected"), [(True, True, True), (True, False, False), (False, True, False)])
def test_a_person_has_to_sit_at_both_ends(monkeypatch: pytest.MonkeyPatch, stdin: bool, stdout: bool, expected: bool) -> None:
    for name, is_terminal in (("stdin", stdin), ("stdout", stdout)):
        stream = io.StringIO()
        stream.isatty = lambda is_terminal=is_terminal: is_terminal  # type: ignore[method-assign, misc]
        monkeypatch.setattr(sys, name, stream)
    assert is_interactive() is expected
    monkeypatch.setattr(sys, "stdin", None)
    assert not is_interactive()
