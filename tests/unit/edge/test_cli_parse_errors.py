"""Command lines that cannot be parsed; whole command lines are tried in test_cli.py."""

from __future__ import annotations

import pytest
import typer

from spycatcher_addon.edge.cli_options import BadValueError
from spycatcher_addon.edge.cli_parse_errors import invalid_utf8_lines, parse_error_lines
from tests.support.texts import ENGLISH, without_marks


def test_an_error_of_no_known_kind_is_told_in_typers_words() -> None:
    (line,) = parse_error_lines(ENGLISH, typer.BadParameter("odd"))
    assert without_marks(line) == "error: the command line cannot be understood: Invalid value: odd"


def test_a_file_that_cannot_be_opened() -> None:
    class FileError(typer.BadParameter):
        """Stands in for click's class, which typer does not give out."""

    (line,) = parse_error_lines(ENGLISH, FileError("x"))
    assert without_marks(line).startswith("error: input or output failed: ")


@pytest.mark.parametrize("texts", [ENGLISH, None])
def test_an_argument_that_is_no_text_is_shown_escaped(texts: object) -> None:
    lines = invalid_utf8_lines(texts, "\udcff", "program")  # type: ignore[arg-type]
    assert without_marks(lines[0]) == "error: invalid UTF-8 in argument '\\udcff'"
    assert lines[-1] == "For help, try: program --help"


def test_a_value_with_parts_is_explained_by_the_part_that_is_wrong() -> None:
    lines = parse_error_lines(ENGLISH, BadValueError("status=418", "fault", detail="fault.status is 418"))
    assert lines[1:3] == ["  expected a fault rule such as status=429,interaction=0", "  fault.status is 418"]
