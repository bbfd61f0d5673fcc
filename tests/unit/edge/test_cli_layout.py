"""Text laid out for a terminal."""

from __future__ import annotations

import pytest

from spycatcher_addon.edge.cli_layout import TIE, display_width, indented, table, wrap


@pytest.mark.parametrize(("line", "width"), [("abc", 3), ("日本", 4), ("é", 1), ("e\u0301", 1), ("\u2068a\u2069", 1), ("ａ", 2)])
def test_display_width(line: str, width: int) -> None:
    assert display_width(line) == width


def test_wrap_at_blanks_and_between_wide_characters() -> None:
    assert wrap("aa bb cc", 5) == ["aa bb", "cc"]
    assert wrap("one\n\ntwo", 10) == ["one", "", "two"]
    assert wrap("unbreakable", 4) == ["unbreakable"]
    assert wrap("記録して再生", 6) == ["記録し", "て再生"]
    assert wrap("記録。再生", 5) == ["記", "録。", "再生"]
    assert wrap("は、$HOME", 6) == ["は、", "$HOME"]
    assert wrap("カセット", 5) == ["カ", "セッ", "ト"]
    assert wrap("あ「い", 4) == ["あ", "「い"]


def test_table_lines_up_wide_characters() -> None:
    assert table([("日本", "x"), ("abc", "y")]) == ["  日本  x", "  abc   y"]


def test_table_puts_a_too_wide_cell_on_a_line_of_its_own() -> None:
    assert table([("a", "x"), ("b" * 30, "y")]) == ["  a  x", "  " + "b" * 30, "     y"]


def test_table_keeps_tied_words_on_one_line() -> None:
    assert table([("a", f"{'x' * 73} y{TIE}z")]) == ["  a  " + "x" * 73, "     y z"]
    assert table([("a", f"{'x' * 70} 既定値{TIE}z")]) == ["  a  " + "x" * 70, "     既定値 z"]


def test_indented() -> None:
    assert indented("x " * 40 + "y") == ["  " + ("x " * 39).strip(), "  x y"]
