r"""Text inside text: JSON escapes, percent-encoding, base64. Undoes one layer and remembers where each character came from.

A secret found in the undone text can so be taken out of the text as it stands, without touching anything around it.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_JSON_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SIMPLE_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/_-]{20,}(?:(?<=[A-Za-z0-9+/_-]{60})\r?\n[A-Za-z0-9+/_-]{4,})*")
"""One run, also when it is wrapped (RFC 2045 section 6.8); the lines of prose are never that long without a space."""
_SEPARATOR = re.compile(r"[+/_-]")
_LINE_END = re.compile(r"\r?\n")
_URL_SAFE = str.maketrans("-_", "+/")
_ALIGNMENTS = 4
_LONGEST_GLUED = 4096
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Layer:
    """A text with one layer of encoding undone."""

    text: str
    starts: tuple[int, ...]
    """Where in ``text`` a stretch begins whose characters stand one to one in the outer text, or one undone character."""
    outer_starts: tuple[int, ...]
    """Where that stretch begins in the outer text."""

    def outer(self, position: int) -> int:
        """Where in the outer text the character at a position of ``text`` begins; its end for the position behind the last."""
        index = bisect_right(self.starts, position) - 1
        return self.outer_starts[index] + position - self.starts[index]


class _Builder:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.starts: list[int] = []
        self.outer_starts: list[int] = []

    def add(self, text: str, outer_start: int) -> None:
        self.starts.append(self.length)
        self.outer_starts.append(outer_start)
        self.parts.append(text)
        self.length += len(text)

    def finish(self, outer_end: int) -> Layer:
        self.add("", outer_end)
        return Layer("".join(self.parts), tuple(self.starts), tuple(self.outer_starts))


def undo_json_escapes(text: str) -> Layer | None:
    """Undo backslash escapes as JSON strings have them (RFC 8259 section 7); ``None`` when there are none.

    Escapes that JSON does not know stand for the character behind the backslash, so that a nesting that was cut
    somewhere is still read.
    """
    if "\\" not in text:
        return None
    built, position, high = _Builder(), 0, ""
    for match in _JSON_ESCAPE.finditer(text):
        if match.start() > position:
            built.add(text[position : match.start()], position)
            high = ""
        character = chr(int(match[1], 16)) if match[1] else _SIMPLE_ESCAPES.get(match[2], match[2])
        if high and "\udc00" <= character <= "\udfff":
            built.parts[-1] = chr(0x10000 + ((ord(high) - 0xD800) << 10) + ord(character) - 0xDC00)
            high = ""
        else:
            built.add(character, match.start())
            high = character if "\ud800" <= character <= "\udbff" else ""
        position = match.end()
    if position < len(text):
        built.add(text[position:], position)
    return built.finish(len(text))


def undo_percent(text: str) -> Layer | None:
    """Undo percent-encoding (RFC 3986 section 2.1, UTF-8); ``None`` when there is none."""
    if "%" not in text or not _PERCENT.search(text):
        return None
    built, position = _Builder(), 0
    for match in _PERCENT.finditer(text):
        if match.start() > position:
            built.add(text[position : match.start()], position)
        outer = match.start()
        for character in bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "surrogateescape"):
            built.add(character, outer)
            outer += 3 * len(character.encode("utf-8", "surrogateescape"))
        position = match.end()
    if position < len(text):
        built.add(text[position:], position)
    return built.finish(len(text))


@dataclass(frozen=True, slots=True)
class EncodedRun:
    """A run of characters that may be base64, and what it then says."""

    start: int
    end: int
    text: str
    """UTF-8, other bytes as lone surrogates."""

    @property
    def is_text(self) -> bool:
        """Whether this was meant to be read; the bytes of an image are not, nor is what only looks like base64."""
        return _NO_TEXT.search(self.text) is None


def undo_base64(text: str) -> Iterator[EncodedRun]:
    """Decode everything that may be base64 or base64url (RFC 4648), from every place where it may begin.

    A run may have a path or a name glued to its front, so it is read from behind each separator too, as far as that
    gives another alignment.
    """
    for match in _BASE64_RUN.finditer(text):
        run = match[0]
        begins = {0: 0}
        # Nothing is glued to the front of something as long as an image.
        for separator in _SEPARATOR.finditer(run, 0, 256 if len(run) <= _LONGEST_GLUED else 0):
            begins.setdefault(separator.end() % _ALIGNMENTS, separator.end())
        for begin in begins.values():
            body = _LINE_END.sub("", run[begin:]).translate(_URL_SAFE)
            body = body[: len(body) - 1] if len(body) % 4 == 1 else body
            try:
                decoded = base64.b64decode(body + "=" * (-len(body) % 4))
            except (binascii.Error, ValueError):
                continue
            padding = len(text[match.end() : match.end() + 2]) - len(text[match.end() : match.end() + 2].lstrip("="))
            yield EncodedRun(match.start() + begin, match.end() + padding, decoded.decode("utf-8", "surrogateescape"))
