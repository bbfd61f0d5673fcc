"""The text of a cassette file: which line a finding is about, and what the file holds beside the model.

Works on any layout that is JSON, and only where a finding asks for it: nothing is indexed before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from spycatcher_addon.cassette.document import normalize_text
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.lines import interaction_lines, interaction_starts
from spycatcher_addon.verifying.findings import Path

_BETWEEN: Final = re.compile(r"[\s,:]*")
"""What stands between tokens; the text has been read before, so nothing is checked again."""
_DEEPEST_ESCAPES: Final = 3
_DECODER: Final = json.JSONDecoder()

type _Span = tuple[int, int, int]
"""Where a member begins (its key, if it has one), where its value begins, and where that ends."""


class TapeText:
    """One file that has been read as a cassette without an error."""

    def __init__(self, data: bytes) -> None:
        """Take a file.

        Args:
            data: Its bytes up to the end of what was read.
        """
        self._data = normalize_text(data)
        self._element: int | None = None
        self._text: str | None = None
        self._members: dict[Path, dict[str | int, _Span]] = {}

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(interaction_starts(self._data))

    @cached_property
    def _lines(self) -> tuple[int, ...]:
        return interaction_lines(self._data)

    def elements(self) -> Iterator[JsonValue]:
        """The interactions as JSON, one by one."""
        for index in range(len(self._starts)):
            yield _DECODER.raw_decode(self._text_of(index))[0]

    def element_bytes(self, index: int) -> bytes:
        """The JSON text of an interaction."""
        text = self._text_of(index)
        return text[: _DECODER.raw_decode(text)[1]].encode("utf-8")

    def head(self) -> JsonValue:
        """The document without its interactions."""
        return self._head

    @cached_property
    def _head(self) -> JsonValue:
        text = self._data.decode("utf-8")
        members = _members_of(text, _skip(text, 0)).items()
        return {str(key): json.loads(text[value:end]) for key, (_, value, end) in members if key != "interactions"}

    def line(self, interaction: int | None, path: Path, sought: str = "") -> int | None:
        """The line, from 1, on which something stands.

        Args:
            interaction: Zero-based index; ``None`` for the document.
            path: Where to look; as far as it leads.
            sought: A text within that, or beside it, whose own line is wanted if it can be found. Often a secret: it is kept nowhere.
        """
        if interaction is not None and interaction >= len(self._starts):
            return None
        text = self._select(interaction)
        begin, value, end = self._find(text, path)
        place = _place_of(sought, text, value, end) if sought else -1
        if sought and place < 0 and len(path) > 1:
            # Of a stream the transcript may have what its events have not.
            _, value, end = self._find(text, path[:-1])
            place = _place_of(sought, text, value, end)
        first = 1 if interaction is None else self._lines[interaction]
        return first + text.count("\n", 0, begin if place < 0 else place)

    def _text_of(self, index: int) -> str:
        stop = self._starts[index + 1] if index + 1 < len(self._starts) else len(self._data)
        return self._data[self._starts[index] : stop].decode("utf-8")

    def _select(self, element: int | None) -> str:
        """Findings come interaction by interaction, so the members of one are looked up once."""
        if self._text is None or element != self._element:
            self._element, self._members = element, {}
            self._text = self._data.decode("utf-8") if element is None else self._text_of(element)
        return self._text

    def _find(self, text: str, path: Path) -> _Span:
        start = _skip(text, 0)
        span = (start, start, len(text))
        for depth, key in enumerate(path):
            above = path[:depth]
            if above not in self._members:
                self._members[above] = _members_of(text, span[1])
            if key not in self._members[above]:
                break
            span = self._members[above][key]
        return span


def _members_of(text: str, start: int) -> dict[str | int, _Span]:
    """The members of the object, or the elements of the array, that begins at ``start``; none for any other value."""
    found: dict[str | int, _Span] = {}
    opening = text[start : start + 1]
    position = start + 1
    while opening in ("{", "["):
        position = _skip(text, position)
        if text[position : position + 1] in ("}", "]", ""):
            break
        begin, key = position, len(found)
        if opening == "{":
            key, position = _DECODER.raw_decode(text, position)
            position = _skip(text, position)
        _, end = _DECODER.raw_decode(text, position)
        found[key] = (begin, position, end)
        position = end
    return found


def _skip(text: str, position: int) -> int:
    between = _BETWEEN.match(text, position)
    assert between is not None
    return between.end()


def _place_of(sought: str, text: str, start: int, end: int) -> int:
    """Where a text stands within a stretch, also escaped several times over; -1 where it does not, as in base64."""
    spelled = sought
    for _ in range(_DEEPEST_ESCAPES + 1):
        place = text.find(spelled.partition("\n")[0], start, end)
        if place >= 0:
            return place
        spelled = json.dumps(spelled, ensure_ascii=False)[1:-1]
    return -1
