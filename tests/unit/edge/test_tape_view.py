"""Tables in a pipe and on a terminal."""

from __future__ import annotations

import json

import pytest

from spycatcher_addon.edge import tape_view
from spycatcher_addon.edge.cli_layout import display_width
from spycatcher_addon.edge.tape_view import boxed_table, on_one_line, paragraph, plain_table, show_json, show_table

ROWS = [["0", "short", "1"], ["10", "日本語 and more", "12345"]]
HEADINGS = ["index", "name", "size"]


def test_plain_columns_line_up() -> None:
    text = plain_table(HEADINGS, ROWS, numeric={0, 2})
    assert text.splitlines() == [
        "index  name              size",
        "    0  short                1",
        "   10  日本語 and more  12345",
    ]
    assert len({display_width(line) for line in text.splitlines()}) == 1


def test_no_blanks_at_the_ends_of_lines() -> None:
    assert plain_table(["a", "b"], [["1", ""], ["22", "x"]], numeric=()) == "a   b\n1\n22  x\n"


def test_a_boxed_table_wraps_and_cuts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    text = boxed_table(HEADINGS, [["0", "word " * 30 + "x" * 90, "1"]], {0, 2}, 50)
    assert max(map(display_width, text.splitlines())) <= 50
    assert text.count("word") == 30 and text.count("x") == 90 + 1, "the x of index too"
    assert "\x1b" not in text
    assert "[" not in text, "no markup is left or read"


def test_markup_in_cells_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "[red]x[/red]" in boxed_table(["a"], [["[red]x[/red]"]], (), 60)


def test_the_form_follows_the_stream(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    show_table(HEADINGS, ROWS, {0})
    assert capsys.readouterr().out == plain_table(HEADINGS, ROWS, {0})
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    show_table(HEADINGS, ROWS, {0})
    assert "│" in capsys.readouterr().out


def test_cells_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(["a"], [["x\x1b[31m\ny"]], ())
    assert capsys.readouterr().out == "a\nx\\x1b[31m\\ny\n"
    assert on_one_line("a\u202eb") == "a\\u202eb"


def test_paragraphs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert paragraph("one two\n\nthree\x07", "  ") == "  one two\n\n  three\\x07\n"
    monkeypatch.setattr(tape_view, "terminal_width", lambda: 22)
    assert paragraph("aaaa bbbb cccc dddd eeee", "  ") == "  aaaa bbbb cccc dddd\n  eeee\n"


def test_json_is_readable(capsys: pytest.CaptureFixture[str]) -> None:
    show_json({"a": ["ü"]})
    out = capsys.readouterr().out
    assert json.loads(out) == {"a": ["ü"]}
    assert "ü" in out and out.endswith("}\n")
