"""Where the events of a stream lie in its bytes, whatever its line ends, so that single events can be cut out of them.

Agrees with :class:`spycatcher_addon.sse.SseParser` on what an event is, but neither decodes nor keeps any: it also serves
for bytes that no parser would take to their end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Span:
    """A run of bytes: from ``start`` up to, not including, ``end``."""

    start: int
    end: int


type EventFrame = tuple[Span, ...]
"""The bytes of one event, in ascending order: one span, or several when comments stand between its lines."""


def event_frames(transcript: bytes) -> list[EventFrame]:
    r"""Find the frame of every whole event, comments included, in the order in which the events are complete.

    The blank line behind a comment that stands alone belongs to it. Blocks without data, and what follows the last
    whole event, belong to no frame.

    >>> event_frames(b": ping\n\ndata: a\r\n\r\nretry: 5\n\ndata: unfinished")
    [(Span(start=0, end=8),), (Span(start=8, end=19),)]
    """
    frames: list[EventFrame] = []
    block: list[Span] = []
    has_data = is_after_comment = False
    for line, span in _lines(transcript):
        if line.startswith(b":"):
            frames.append((span,))
            is_after_comment = not block
            continue
        if line:
            block.append(span)
            has_data = has_data or line == b"data" or line.startswith(b"data:")
        elif has_data:
            frames.append(_joined([*block, span]))
        elif is_after_comment:
            frames[-1] = _joined([*frames[-1], span])
        if not line:
            block, has_data = [], False
        is_after_comment = False
    return frames


def _lines(transcript: bytes) -> Iterator[tuple[bytes, Span]]:
    """Each ended line without its end, and where it lies with its end."""
    start = 0
    for line_end in _LINE_END.finditer(transcript):
        yield transcript[start : line_end.start()], Span(start, line_end.end())
        start = line_end.end()


def _joined(spans: list[Span]) -> EventFrame:
    joined: list[Span] = []
    for span in spans:
        if joined and joined[-1].end == span.start:
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return tuple(joined)
