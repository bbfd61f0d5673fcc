"""An answer as the bytes of HTTP/1.1 that carry it, for the lane that sends them itself.

How it is framed is decided where it is for the flow lane, so that no client can tell the lanes apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mitmproxy import http

from spycatcher_addon.edge.conversion import CHUNKED, encode_fields, framing_field, plan_outgoing, reason_phrase
from spycatcher_addon.exchange import Delivery, Ending, Headers, ReplayResponse
from spycatcher_addon.replaying import BODYLESS_STATUSES

LAST_CHUNK = b"0\r\n\r\n"
_JOINED_BYTES = 65_536
"""Up to this size the parts of an answer are put together: one write costs less than two, and copying no more than that."""
_REQUEST = http.Request.make("POST", "http://127.0.0.1/")
"""Stands for every request of the fast lane: what framing depends on is the same for all of them."""
_CLOSING = ("connection", "close")
_REMEMBERED_HEADERS = 256


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """An answer, framed."""

    interaction_index: int | None
    """Of the interaction it was recorded in; ``None`` for a harness-made answer."""
    parts: tuple[bytes, ...]
    """All of it, for an answer that goes out at once; otherwise empty."""
    is_last: bool
    """Whether the connection closes after it."""
    timed: TimedAnswer | None = None
    """How to send an answer that does not go out at once."""


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """An answer that is sent bit by bit, or that ends badly."""

    head: bytes
    pieces: tuple[bytes, ...]
    """The body in the pieces it is sent in."""
    delivery: Delivery
    is_chunked: bool
    """Whether each piece is sent as a chunk. That is done when it is due: a long stream does not wait in a second copy."""
    is_framed: bool
    """Whether the head says where the body ends."""

    def framed(self, piece: bytes) -> bytes:
        """One piece as it is sent."""
        return b"%x\r\n%b\r\n" % (len(piece), piece) if self.is_chunked else piece

    @property
    def end(self) -> bytes:
        """What follows the last piece of a whole body."""
        return LAST_CHUNK if self.is_chunked else b""


def prepare_wire(reply: ReplayResponse) -> WireAnswer:
    """Frame an answer to an ordinary request."""
    framing = framing_field(reply, _REQUEST)
    start = b"HTTP/1.1 %d %b\r\n%b" % (reply.status, reason_phrase(reply.status), _lines(reply.headers))
    head = start + (b"\r\n" if framing is None else b"%b: %b\r\n\r\n" % framing)
    is_last = _CLOSING in reply.headers
    outgoing = plan_outgoing(reply, _REQUEST)
    if outgoing is None:
        pieces = () if reply.status in BODYLESS_STATUSES else reply.pieces
        return WireAnswer(reply.interaction_index, join_short((head, *pieces)), is_last)
    timed = TimedAnswer(
        head, outgoing.pieces, outgoing.delivery, is_chunked=framing == CHUNKED, is_framed=reply.status not in BODYLESS_STATUSES
    )
    if _is_at_once(timed):
        return WireAnswer(reply.interaction_index, join_short((head, *map(timed.framed, timed.pieces), timed.end)), is_last)
    return WireAnswer(reply.interaction_index, (), is_last, timed)


@lru_cache(maxsize=_REMEMBERED_HEADERS)
def _lines(headers: Headers) -> bytes:
    """The header fields of an answer; those of one provider are often the same."""
    return b"".join([b"%b: %b\r\n" % field for field in encode_fields(headers)])


def _is_at_once(answer: TimedAnswer) -> bool:
    """Whether a plan is none: nothing waits, the end is a good one, and it is not so long that a slow client would fill the memory."""
    delivery = answer.delivery
    is_whole = delivery.has_head and delivery.ending is Ending.COMPLETE
    has_waits = delivery.head_due_ms or delivery.ending_due_ms or any(delivery.due_ms)
    return is_whole and not has_waits and sum(map(len, answer.pieces)) <= _JOINED_BYTES


def join_short(parts: Sequence[bytes]) -> tuple[bytes, ...]:
    """The same bytes in few parts; a long part stays what it is, so that it is not copied."""
    total_bytes = sum(map(len, parts))
    if total_bytes <= _JOINED_BYTES:
        return (b"".join(parts),) if total_bytes else ()
    joined: list[bytes] = []
    short: list[bytes] = []
    for part in parts:
        if len(part) > _JOINED_BYTES:
            joined += (b"".join(short), part)
            short = []
        else:
            short.append(part)
    return (*filter(None, joined), b"".join(short)) if short else tuple(filter(None, joined))
