"""Which line of a file an interaction begins on, for messages that point into a cassette."""

from __future__ import annotations

import re
from collections.abc import Iterator

_OWN_HEAD = b'{\n  "format_version": 2,\n'
_OWN_START = re.compile(rb"^    \{$", re.MULTILINE)
_OWN_OPENING = b'\n  "interactions": [\n'
_OWN_CLOSING = b"\n  ]"
"""As the harness prints it, nothing else between the last two begins like the first: strings have no raw line breaks."""
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}:]')


def interaction_lines(data: bytes) -> tuple[int, ...]:
    """The line of each interaction's opening brace, counted from 1.

    Args:
        data: A cassette file of any layout, or a damaged one: then those that can be told.
    """
    lines = []
    line, place = 1, 0
    for start in interaction_starts(data):
        line += data.count(b"\n", place, start)
        place = start
        lines.append(line)
    return tuple(lines)


def interaction_starts(data: bytes) -> Iterator[int]:
    """Where each interaction's opening brace stands, for the same files."""
    opening = data.find(_OWN_OPENING) if data.startswith(_OWN_HEAD) else -1
    if opening < 0:
        return _starts(data)
    closing = data.find(_OWN_CLOSING, opening)
    return (match.end() - 1 for match in _OWN_START.finditer(data, opening, closing if closing >= 0 else len(data)))


def _starts(data: bytes) -> Iterator[int]:
    """Where the elements of the top-level member ``interactions`` begin."""
    depth = 0
    key = text = b""
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token in b"[{":
            if depth == 2 and token == b"{" and key == b'"interactions"':
                yield match.start()
            depth += 1
        elif token in b"]}":
            depth -= 1
        elif token == b":":
            if depth == 1:
                key = text
        else:
            text = token
