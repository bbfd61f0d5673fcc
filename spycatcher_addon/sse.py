"""Server-Sent Events: bytes to events as they arrive, and events back to bytes in one canonical spelling.

Decides where lines and events end (WHATWG HTML, section "Server-sent events") and nothing else: it neither knows HTTP nor
gives any payload a meaning, so ``[DONE]`` is data like any other. Two deliberate differences from a browser: comments are
events here, because a recording has to give them back, and a leading byte order mark is not stripped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from spycatcher_addon.cassette.model import CommentEvent, DataEvent, StreamEvent
from spycatcher_addon.errors import IncompleteEventError, InvalidUtf8Error, StreamParseError

_LINE_END = re.compile(rb"\r\n|\r|\n")
_LINE_FEED = 0x0A


class SseParser:
    r"""Turn the chunks of one stream into events; where the chunks are cut never changes the result.

    A line ends at ``\n``, ``\r\n`` or a lone ``\r``, at no other character. The work is linear in the number of bytes
    however small the chunks are.

    After an error the parser stays failed: every later call raises the same error.

    >>> parser = SseParser()
    >>> parser.feed(b": ping\ndata: a\nda"), parser.feed(b"ta: b\n\n")
    ([CommentEvent(text='ping')], [DataEvent(raw='a\nb', event=None, id=None, retry=None)])
    >>> parser.event_end_offsets, parser.finish()
    ([7, 24], [])
    """

    def __init__(self) -> None:
        self.event_end_offsets: list[int] = []
        """Per event so far, the absolute offset in bytes just behind the line end that completed it."""
        self._offset = 0
        """Absolute offset in bytes of the end of everything fed."""
        self._unfinished = bytearray()
        """The line that has not ended yet, without a carriage return that may be half of its end."""
        self._is_cr_waiting = False
        self._data_lines: list[str] = []
        self._fields: dict[str, str] = {}
        """Last ``event``, ``id`` and ``retry`` value of the block being read."""
        self._failure: StreamParseError | None = None

    @property
    def is_inside_event(self) -> bool:
        """Whether a stream that ended now would end inside a line or an event, so that :meth:`finish` would raise."""
        closes_block = self._is_cr_waiting and not self._unfinished
        return bool(self._unfinished) or (bool(self._data_lines) and not closes_block)

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Take the next bytes and return the events they complete, in order.

        When a broken line follows events within one chunk, those events are returned and the next call raises, so that
        no cut of the stream hides an event that another cut would have shown.

        Raises:
            InvalidUtf8Error: A completed line is not UTF-8.
        """
        self._raise_if_failed()
        events: list[StreamEvent] = []
        base = self._offset
        self._offset += len(chunk)
        try:
            self._split(chunk, base, events)
        except InvalidUtf8Error as error:
            self._failure = error
            if not events:
                raise
        return events

    def finish(self) -> list[StreamEvent]:
        """Say that the stream is over and return the events its end completes.

        Only a carriage return that stood alone on the last line can still complete one.

        Raises:
            IncompleteEventError: A line or an event with data was still open.
            InvalidUtf8Error: An earlier line was broken.
        """
        self._raise_if_failed()
        events: list[StreamEvent] = []
        if self._is_cr_waiting and not self._unfinished:
            self._is_cr_waiting = False
            self._end_block(self._offset, events)
        if self._is_cr_waiting or self._unfinished or self._data_lines:
            self._failure = IncompleteEventError()
            raise self._failure
        return events

    def _raise_if_failed(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _split(self, chunk: bytes, base: int, events: list[StreamEvent]) -> None:
        start = 0
        if self._is_cr_waiting and chunk:
            self._is_cr_waiting = False
            start = 1 if chunk[0] == _LINE_FEED else 0
            self._end_line(b"", base + start, events)
        for line_end in _LINE_END.finditer(chunk, start):
            if line_end.end() == len(chunk) and chunk.endswith(b"\r"):
                # The next chunk may begin with the line feed that belongs to it.
                self._is_cr_waiting = True
                self._unfinished += chunk[start : line_end.start()]
                return
            self._end_line(chunk[start : line_end.start()], base + line_end.end(), events)
            start = line_end.end()
        self._unfinished += chunk[start:]

    def _end_line(self, rest: bytes, end: int, events: list[StreamEvent]) -> None:
        if self._unfinished:
            rest = bytes(self._unfinished) + rest
            self._unfinished.clear()
        try:
            line = rest.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidUtf8Error(str(error)) from error
        if not line:
            self._end_block(end, events)
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if line.startswith(":"):
            events.append(CommentEvent(value))
            self.event_end_offsets.append(end)
        elif name == "data":
            self._data_lines.append(value)
        elif name in ("event", "id", "retry"):
            self._fields[name] = value

    def _end_block(self, end: int, events: list[StreamEvent]) -> None:
        if self._data_lines:
            events.append(DataEvent("\n".join(self._data_lines), **self._fields))
            self.event_end_offsets.append(end)
            self._data_lines = []
        self._fields.clear()


def encode_event(event: StreamEvent) -> bytes:
    r"""Write one event as a canonical frame, blank line included.

    ``event``, ``id`` and ``retry`` stand before the data, in this order, where the event has them. Text is cut at ``\n``
    only, so a carriage return in a hand-written text goes out as it is.

    >>> encode_event(DataEvent("alpha\nbeta", event="delta"))
    b'event: delta\ndata: alpha\ndata: beta\n\n'
    """
    return _frame(event).encode("utf-8")


def encode_events(events: Iterable[StreamEvent]) -> bytes:
    """Write events one after the other; parsing the result gives the same events for all that the parser can produce."""
    return "".join(map(_frame, events)).encode("utf-8")


def _frame(event: StreamEvent) -> str:
    if isinstance(event, CommentEvent):
        return ": " + event.text.replace("\n", "\n: ") + "\n\n"
    head = "" if event.event is None else f"event: {event.event}\n"
    if event.id is not None:
        head += f"id: {event.id}\n"
    if event.retry is not None:
        head += f"retry: {event.retry}\n"
    return head + "data: " + event.raw.replace("\n", "\ndata: ") + "\n\n"
