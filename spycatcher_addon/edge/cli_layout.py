"""Text laid out for a terminal: widths of characters, line breaks, columns. Wide characters take two columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

WIDTH = 80
"""Columns a help page may take."""
GAP = "  "
"""Indentation, and what stands between two columns."""
_NEVER_FIRST = frozenset("ぁぃぅぇぉっゃゅょァィゥェォッャュョー々")
"""Small kana and marks that belong to the character before them."""
TIE = "\x00"
"""A blank where no line may be broken, nor anywhere else in its word; :func:`table` turns it into a blank."""


def display_width(line: str) -> int:
    """Columns a text takes in a terminal: two for wide characters, none for marks and formatting characters."""
    return sum(
        0 if unicodedata.category(character) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in line
    )


def wrap(paragraph: str, width: int) -> list[str]:
    """Break a text into lines of at most ``width`` columns; wide characters may be parted from each other."""
    lines: list[str] = []
    for source in paragraph.split("\n"):
        line = ""
        for word, is_after_blank in _words(source):
            joined = f"{line} {word}" if line and is_after_blank else line + word
            if line and display_width(joined) > width:
                lines.append(line)
                line = word
            else:
                line = joined
        lines.append(line)
    return lines


def _words(line: str) -> Iterator[tuple[str, bool]]:
    """Pieces that may start a new line, each with whether a blank stands before it."""
    for word in line.split(" "):
        piece, is_after_blank = "", True
        for character in word:
            if piece and TIE not in word and _may_break_between(piece[-1], character):
                yield piece, is_after_blank
                piece, is_after_blank = "", False
            piece += character
        yield piece, is_after_blank


def _may_break_between(before: str, after: str) -> bool:
    """Text in wide characters has no blanks; a line may end beside any of them, unless the next one would start badly."""
    is_wide = "W" in (unicodedata.east_asian_width(before), unicodedata.east_asian_width(after))
    ends_badly = unicodedata.category(before) == "Ps"
    return is_wide and not ends_badly and after not in _NEVER_FIRST and unicodedata.category(after) not in ("Po", "Pe", "Mn")


def table(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Two columns, the second one wrapped; the first is as wide as its widest cell that leaves room for the second."""
    left_width = max((display_width(left) for left, _ in rows if display_width(left) <= 28), default=28)
    indent = " " * (len(GAP) + left_width + len(GAP))
    lines: list[str] = []
    for left, right in rows:
        right_lines = wrap(right, WIDTH - len(indent))
        if display_width(left) > left_width:
            lines.append(GAP + left)
        else:
            lines.append(GAP + left + " " * (left_width - display_width(left)) + GAP + right_lines.pop(0))
        lines += [indent + line for line in right_lines]
    return [line.replace(TIE, " ") for line in lines]


def indented(paragraph: str) -> list[str]:
    """A text wrapped and indented by one gap."""
    return [GAP + line for line in wrap(paragraph, WIDTH - len(GAP))]
