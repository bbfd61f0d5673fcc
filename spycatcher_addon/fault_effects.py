"""Carry one fault out on one answer: bytes, times or the end of a replayed answer change as the rule says, nothing else.

Works on the pieces of the answer as they are, so an event means the same whether the stream is replayed from its events
or from its transcript. Knows nothing of tapes, of clocks, or of when a rule strikes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import assert_never

from spycatcher_addon.cassette.jsontext import NotJsonError, parse_json
from spycatcher_addon.event_frames import EventFrame, Span, event_frames
from spycatcher_addon.exchange import Delivery, Ending, ReplayResponse
from spycatcher_addon.fault_rules import (
    CorruptEvent,
    Cut,
    Delay,
    DropEvent,
    DuplicateEvent,
    ErrorStatus,
    FaultRule,
    Point,
    Refuse,
    SplitUtf8,
    Stall,
)

_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_DATA_LINE = re.compile(rb"(?:^|(?<=[\r\n]))data:[ ]?([^\r\n]*)")

_ERRORS = {
    429: ("Rate limit reached; try again later", "requests", "rate_limit_exceeded"),
    500: ("The server had an error while processing the request", "server_error", None),
    503: ("The engine is currently overloaded; try again later", "server_error", "service_unavailable"),
    529: ("Overloaded", "overloaded_error", "overloaded"),
}
"""Status -> message, type and code, as providers word them."""


class NotApplicableError(Exception):
    """The answer has nothing the fault could change; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class _Piece:
    data: bytes
    due_ms: float


def apply_fault(rule: FaultRule, reply: ReplayResponse) -> ReplayResponse:
    """Give the answer as the fault leaves it. What the fault does not touch keeps its bytes and its times.

    Args:
        reply: A recorded answer, with a delivery plan or without one.

    Raises:
        NotApplicableError: The rule does not fit this answer.
    """
    action = rule.action
    pieces, plan = _unpack(reply)
    match action:
        case Delay():
            moved = [_Piece(piece.data, piece.due_ms + action.delay_ms) for piece in pieces]
            head_due_ms, ending_due_ms = plan.head_due_ms + action.delay_ms, plan.ending_due_ms + action.delay_ms
            return _pack(reply, moved, replace(plan, head_due_ms=head_due_ms, ending_due_ms=ending_due_ms))
        case Stall():
            return _pack(reply, _kept(reply, pieces, action.after), replace(plan, ending=Ending.STALL))
        case Cut():
            kept = _kept(reply, pieces, action.after)
            if action.ending is Ending.COMPLETE and sum(len(piece.data) for piece in kept) == len(reply.body):
                raise NotApplicableError("a clean cut there changes nothing")
            ending_due_ms = kept[-1].due_ms if kept else plan.head_due_ms
            return _pack(reply, kept, replace(plan, ending=action.ending, ending_due_ms=ending_due_ms))
        case DuplicateEvent():
            return _pack(reply, _with_duplicate(pieces, _frame(reply, action.event)), plan)
        case DropEvent():
            return _pack(reply, _without(pieces, _frame(reply, action.event)), plan)
        case CorruptEvent():
            return _pack(reply, _corrupted(pieces, reply.body, _frame(reply, action.event), action.event), plan)
        case SplitUtf8():
            return _pack(reply, _split_inside_character(reply, pieces), plan)
        case ErrorStatus():
            return _error_answer(action, reply)
        case Refuse():
            return _pack(reply, [], Delivery((), ending=Ending.RESET, has_head=False))
        case _:
            assert_never(action)


def _unpack(reply: ReplayResponse) -> tuple[list[_Piece], Delivery]:
    plan = reply.delivery or Delivery((0.0,) * len(reply.pieces))
    return [_Piece(data, due_ms) for data, due_ms in zip(reply.pieces, plan.due_ms, strict=True)], plan


def _pack(reply: ReplayResponse, pieces: list[_Piece], plan: Delivery) -> ReplayResponse:
    delivery = replace(plan, due_ms=tuple(piece.due_ms for piece in pieces))
    return replace(reply, pieces=tuple(piece.data for piece in pieces), delivery=delivery)


def _split_at(pieces: list[_Piece], offset: int) -> tuple[list[_Piece], list[_Piece]]:
    """The pieces before and after a byte of the body; one that lies across it is parted, both parts due as before."""
    ends = accumulate(len(piece.data) for piece in pieces)
    for number, (piece, end) in enumerate(zip(pieces, ends, strict=True)):
        if offset < end:
            at = offset - (end - len(piece.data))
            head, tail = _Piece(piece.data[:at], piece.due_ms), _Piece(piece.data[at:], piece.due_ms)
            return [*pieces[:number], *([head] if at else [])], [tail, *pieces[number + 1 :]]
    return pieces, []


def _frames(reply: ReplayResponse) -> list[EventFrame]:
    if not reply.is_stream:
        raise NotApplicableError("the answer is no stream and has no events")
    _refuse_compressed(reply)
    return event_frames(reply.body)


def _refuse_compressed(reply: ReplayResponse) -> None:
    coding = next((value for name, value in reply.headers if name.lower() == "content-encoding"), "identity")
    if coding.strip().lower() != "identity":
        raise NotApplicableError(f"the body is compressed ({coding}); replay it with replay.stream_source = events")


def _frame(reply: ReplayResponse, event: int) -> EventFrame:
    frames = _frames(reply)
    if event >= len(frames):
        raise NotApplicableError(f"there is no event {event}; the stream has {len(frames)}, counted from 0")
    return frames[event]


def _kept(reply: ReplayResponse, pieces: list[_Piece], after: Point) -> list[_Piece]:
    if after.is_bytes or not after.count:
        available, unit, offset = len(reply.body), "bytes", after.count
    else:
        frames = _frames(reply)
        available, unit = len(frames), "events"
        offset = frames[min(after.count, available) - 1][-1].end if frames else 0
    if after.count > available:
        raise NotApplicableError(f"the answer has only {available} {unit}")
    return _split_at(pieces, offset)[0]


def _with_duplicate(pieces: list[_Piece], frame: EventFrame) -> list[_Piece]:
    before, after = _split_at(pieces, frame[-1].end)
    body = b"".join(piece.data for piece in before)
    copy = b"".join(body[span.start : span.end] for span in frame)
    return [*before, _Piece(copy, before[-1].due_ms), *after]


def _without(pieces: list[_Piece], spans: EventFrame) -> list[_Piece]:
    """The pieces less some of their bytes; a piece that loses all of them is gone."""
    for span in reversed(spans):
        ends = accumulate(len(piece.data) for piece in pieces)
        kept = []
        for piece, end in zip(pieces, ends, strict=True):
            start = end - len(piece.data)
            data = piece.data[: max(span.start - start, 0)] + piece.data[max(span.end - start, 0) :]
            kept.append(_Piece(data, piece.due_ms))
        pieces = [piece for piece in kept if piece.data]
    return pieces


def _corrupted(pieces: list[_Piece], body: bytes, frame: EventFrame, event: int) -> list[_Piece]:
    """Take the second half out of the event's last line of data, which always leaves its JSON open."""
    lines = [
        (match.start(1) + span.start, match[1])
        for span in frame
        for match in _DATA_LINE.finditer(body[span.start : span.end])
        if match[1].strip()
    ]
    data = b"\n".join(text for _, text in lines)
    try:
        is_container = isinstance(parse_json(data), dict | list)
    except NotJsonError:
        is_container = False
    if not is_container:
        raise NotApplicableError(f"event {event} holds no JSON object or array")
    start, text = lines[-1]
    text = text.rstrip()
    middle = len(text) // 2
    while text[middle] & 0xC0 == 0x80:  # inside a character, which would be a fault of another kind
        middle -= 1
    return _without(pieces, (Span(start + middle, start + len(text)),))


def _split_inside_character(reply: ReplayResponse, pieces: list[_Piece]) -> list[_Piece]:
    _refuse_compressed(reply)
    found = _MULTIBYTE.search(reply.body)
    if found is None:
        raise NotApplicableError("the body has no character of several bytes")
    before, after = _split_at(pieces, found.start() + 1)
    return [*before, *after]


def _error_answer(action: ErrorStatus, reply: ReplayResponse) -> ReplayResponse:
    """An error as a provider words it, without ``x-should-retry``: a stock SDK reacts to it as in real life."""
    message, kind, code = _ERRORS[action.status]
    error = {"message": f"{message} (a fault put in by spycatcher-harness)", "type": kind, "param": None, "code": code}
    headers = [("content-type", "application/json")]
    if action.retry_after_s is not None:
        headers.append(("retry-after", str(action.retry_after_s)))
    body = json.dumps({"error": error}, separators=(",", ":")).encode()
    return replace(reply, status=action.status, headers=tuple(headers), pieces=(body,), is_stream=False, delivery=None)
