"""Take secrets out of a stream of events, also those that arrive in pieces.

A model sends a text a few characters at a time, so the pieces of each field are put together over all events before they
are searched. The token stands where the secret began; what followed of it is missing from the later events.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import CommentEvent, DataEvent, StreamEvent
from spycatcher_addon.redaction.finder import Span, merge_spans
from spycatcher_addon.redaction.json_text import json_parts
from spycatcher_addon.redaction.layers import Layer, undo_json_escapes
from spycatcher_addon.redaction.messages import Redactor

type FieldPath = tuple[str | int, ...]

_PLAIN_DATA: FieldPath = ("data",)
_INDEX_NAMES = ("index", "output_index", "content_index", "summary_index", "item_id")
"""Members that tell which of several texts a piece belongs to, whatever its place in an array."""


_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)')
"""A string of JSON, also one whose end is missing."""
_JOINED_CHARACTERS = 4096
"""How much of a field is looked at together with what follows it."""


@dataclass(slots=True)
class _Piece:
    """One string of one event."""

    event: int
    start: int
    """Of what is between the quotes, in the event's data."""
    end: int
    path: tuple[str | int, ...] | None
    """Where it stands; ``None`` for the name of a member."""
    plain: str
    layer: Layer | None
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    """What to replace, in the plain text."""

    def edited(self, text: str) -> str:
        """``text``, the event's data between ``start`` and ``end``, with the edits made."""
        pieces, position = [], 0
        for start, end, new in sorted(self.edits):
            if self.layer is not None:
                start, end = self.layer.outer(start), self.layer.outer(end)
            pieces += [text[position:start], new]
            position = end
        return "".join((*pieces, text[position:]))


def redact_events(events: Sequence[StreamEvent], redactor: Redactor) -> tuple[StreamEvent, ...]:
    """The events without secrets; those without any are the very objects that went in."""
    if redactor.rules.body_paths:
        events = [_without_named(event, redactor) for event in events]
    events = [_without_secret_fields(event, redactor) for event in events]
    if not any(_suspicious(texts, redactor) for texts in _texts(events)):
        return tuple(events)
    pieces = list(_pieces(events))
    _plan_edits(pieces, events, redactor)
    edits: dict[int, list[_Piece]] = {}
    for piece in pieces:
        if piece.edits:
            edits.setdefault(piece.event, []).append(piece)
    return tuple(_edited(event, edits[number]) if number in edits else event for number, event in enumerate(events))


def tail_completes_secret(events: Sequence[StreamEvent], tail: str, redactor: Redactor) -> bool:
    """Whether what is left of a broken stream goes on with a secret that began in the events.

    Args:
        tail: What follows the last whole event.
    """
    strings = [match[1] for match in _STRING.finditer(tail)] + [line.partition(":")[2].removeprefix(" ") for line in tail.splitlines()]
    ends = [text if layer is None else layer.text for text in strings if text for layer in (undo_json_escapes(text),)]
    for texts in _texts(events):
        start = "".join(texts)[-_JOINED_CHARACTERS:]
        for end in ends:
            if any(span.start < len(start) < span.end for span in redactor.finder.find(start + end)):
                return True
    return False


def _without_named(event: StreamEvent, redactor: Redactor) -> StreamEvent:
    if isinstance(event, CommentEvent) or not isinstance(event.parsed_json, (dict, list)):
        return event
    raw = event.raw
    for part in reversed(list(json_parts(raw, redactor.rules.pointers))):
        if part.is_named:
            raw = raw[: part.start] + redactor.named_value(raw[part.start : part.end]) + raw[part.end :]
    return event if raw == event.raw else replace(event, raw=raw)


def _without_secret_fields(event: StreamEvent, redactor: Redactor) -> StreamEvent:
    """Comments, and fields other than data, are searched one by one."""
    if isinstance(event, CommentEvent):
        text = redactor.text(event.text)
        return event if text == event.text else CommentEvent(text)
    fields = {name: value for name in ("event", "id", "retry") if (value := getattr(event, name)) is not None}
    redacted = {name: redactor.text(value) for name, value in fields.items()}
    return event if redacted == fields else replace(event, **redacted)


def _suspicious(texts: Sequence[str], redactor: Redactor) -> bool:
    if len(set(texts)) == 1:
        texts = texts[:1]  # an id that every event repeats
    pieces = [text.encode("utf-8", "surrogatepass") for text in texts]
    return redactor.finder.suspects(b"".join(pieces)) or redactor.finder.suspects(b" ".join(pieces))


def _texts(events: Iterable[StreamEvent]) -> Iterator[list[str]]:
    """All that the events say, field by field."""
    by_path: dict[FieldPath, list[str]] = {}
    for event in events:
        if isinstance(event, DataEvent):
            if isinstance(event.parsed_json, (dict, list)):
                _collect(event.parsed_json, (), by_path)
                # Names of members, and what one may read in a value only beside its name.
                by_path.setdefault((), []).append(event.raw)
            else:
                by_path.setdefault(_PLAIN_DATA, []).append(event.raw)
    yield from by_path.values()


def _collect(value: JsonValue, path: FieldPath, by_path: dict[FieldPath, list[str]]) -> None:
    if isinstance(value, str):
        by_path.setdefault(path, []).append(value)
    elif isinstance(value, dict):
        marked = path + _marks(value)
        for key, member in value.items():
            # Most members are no containers, and a call for each is what this would spend its time on.
            if isinstance(member, str):
                by_path.setdefault((*marked, key), []).append(member)
            elif isinstance(member, (dict, list)):
                _collect(member, (*marked, key), by_path)
    elif isinstance(value, list):
        for number, element in enumerate(value):
            _collect(element, (*path, _index(element, number)), by_path)


def _marks(value: dict[str, JsonValue]) -> FieldPath:
    if value.keys().isdisjoint(_INDEX_NAMES):
        return ()
    return tuple(f"{name}={value[name]}" for name in _INDEX_NAMES if isinstance(value.get(name), (int, str)))


def _index(element: JsonValue, number: int) -> int:
    return -1 if isinstance(element, dict) and not element.keys().isdisjoint(_INDEX_NAMES) else number


def _field_path(value: JsonValue, path: Sequence[str | int]) -> FieldPath:
    """The place of a value in a JSON value, spelled as :func:`_collect` does."""
    spelled: FieldPath = ()
    for key in path:
        if isinstance(value, dict) and isinstance(key, str):
            spelled = (*spelled, *_marks(value), key)
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int):
            value = value[key]
            spelled = (*spelled, _index(value, key))
    return spelled


def _pieces(events: Iterable[StreamEvent]) -> Iterator[_Piece]:
    for number, event in enumerate(events):
        if isinstance(event, CommentEvent):
            continue
        if not isinstance(event.parsed_json, (dict, list)):
            yield _Piece(number, 0, len(event.raw), _PLAIN_DATA, event.raw, None)
            continue
        for part in json_parts(event.raw):
            if event.raw[part.start] == '"':
                start, end = part.start + 1, part.end - 1
                layer = undo_json_escapes(event.raw[start:end])
                plain = event.raw[start:end] if layer is None else layer.text
                yield _Piece(number, start, end, None if part.is_name else part.path, plain, layer)


def _plan_edits(pieces: Sequence[_Piece], events: Sequence[StreamEvent], redactor: Redactor) -> None:
    groups: dict[FieldPath, list[_Piece]] = {}
    alone: list[_Piece] = []
    for piece in pieces:
        event = events[piece.event]
        if piece.path is None or not isinstance(event, DataEvent):
            alone.append(piece)
        elif piece.path == _PLAIN_DATA and not isinstance(event.parsed_json, (dict, list)):
            groups.setdefault(_PLAIN_DATA, []).append(piece)
        else:
            groups.setdefault(("json", *_field_path(event.parsed_json, piece.path)), []).append(piece)
    found: list[tuple[_Piece, Span, list[_Piece]]] = []
    for piece in alone:
        found += [(piece, span, [piece]) for span in redactor.spans_of_json_string(piece.plain, None, is_plain=True)]
    for group in groups.values():
        if len({piece.plain for piece in group}) == 1:
            for piece in group:
                found += [(piece, span, [piece]) for span in redactor.spans_of_json_string(piece.plain, piece.path, is_plain=True)]
        else:
            found += _spans_over(group, redactor)
    # Tokens are numbered as a reader of the stream meets them.
    for first, span, touched in sorted(found, key=lambda each: (each[0].event, each[0].start, each[1].start)):
        offset = 0
        new = redactor.book.tokens(span)
        for piece in touched:
            start, end = max(0, span.start - offset), min(len(piece.plain), span.end - offset)
            if start < end:
                piece.edits.append((start, end, new if piece is first else ""))
            offset += len(piece.plain)


def _spans_over(group: Sequence[_Piece], redactor: Redactor) -> Iterator[tuple[_Piece, Span, list[_Piece]]]:
    """Search the pieces of one field as the one text they make, and each by itself."""
    spans = redactor.finder.find("".join(piece.plain for piece in group))
    starts, offset = [], 0
    for piece in group:
        starts.append(offset)
        for span in redactor.spans_of_json_string(piece.plain, piece.path, is_plain=True):
            spans.append(Span(span.start + offset, span.end + offset, span.rule, span.secrets))
        offset += len(piece.plain)
    number = 0
    for span in merge_spans(spans):
        while number + 1 < len(group) and starts[number] + len(group[number].plain) <= span.start:
            number += 1
        last = number
        while last + 1 < len(group) and starts[last + 1] < span.end:
            last += 1
        moved = Span(span.start - starts[number], span.end - starts[number], span.rule, span.secrets)
        yield group[number], moved, list(group[number : last + 1])


def _edited(event: StreamEvent, pieces: Sequence[_Piece]) -> StreamEvent:
    assert isinstance(event, DataEvent)  # only data has pieces
    raw = event.raw
    for piece in sorted(pieces, key=lambda piece: -piece.start):
        raw = raw[: piece.start] + piece.edited(raw[piece.start : piece.end]) + raw[piece.end :]
    return replace(event, raw=raw)
