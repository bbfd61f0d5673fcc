"""One HTTP exchange as plain values: what a client sent, what an upstream or the harness answered.

Knows no framework. Header values cross the edge as the bytes that were on the wire (:data:`RawHeaders`); text pairs
(:data:`Headers`) are what a cassette keeps. Bodies are bytes after transfer decoding, before content decoding.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

type RawHeaders = tuple[tuple[bytes, bytes], ...]
"""Header fields as received: original case, order and duplicates."""

type Headers = tuple[tuple[str, str], ...]
"""Header fields as a cassette keeps them: lower-case names, order and duplicates as observed."""


@dataclass(frozen=True, slots=True)
class ObservedRequest:
    """A request as the client sent it, before the harness changes anything for the way upstream."""

    method: str
    """As received; HTTP methods are case-sensitive (RFC 9110 section 9.1)."""
    path: str
    """The request target up to the first ``?``, not decoded."""
    query: str
    """The raw text after the first ``?``; empty when there is none."""
    headers: RawHeaders
    body: bytes


@dataclass(frozen=True, slots=True)
class ObservedResponseHead:
    """Status and headers of an upstream answer, as received."""

    status: int
    headers: RawHeaders


class Ending(StrEnum):
    """How an answer's body ends on the wire."""

    COMPLETE = "complete"
    """As its framing says."""
    UNFINISHED = "unfinished"
    """The connection closes (HTTP/2: the stream is reset) before the framing's end."""
    RESET = "reset"
    """The connection ends by a TCP reset."""
    STALL = "stall"
    """Nothing more comes, and the connection stays open until the client leaves."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """When and how an answer is put on the wire, where it does not simply go out at once.

    All times are milliseconds after the request arrived, so that a late piece never makes the next one later.
    """

    due_ms: tuple[float, ...]
    """Not before this time for each piece, in the pieces' order; never decreasing."""
    head_due_ms: float = 0.0
    ending: Ending = Ending.COMPLETE
    ending_due_ms: float = 0.0
    """When the body ends after its last piece."""
    has_head: bool = True
    """False for a connection that ends before any answer."""


@dataclass(frozen=True, slots=True)
class ReplayResponse:
    """An answer the harness gives: a recorded one, or one of its own."""

    status: int
    headers: Headers
    """Without framing headers; the lane that sends it adds those."""
    pieces: tuple[bytes, ...]
    """The body in the pieces it may be sent in: one for a plain body, for a stream one per event or recorded chunk,
    or one of all events where they go out together anyway."""
    interaction_index: int | None = None
    """Zero-based index of the interaction this answer was recorded in; ``None`` for a harness-made answer."""
    is_stream: bool = False
    """Whether the pieces are those of a stream."""
    delivery: Delivery | None = None
    """``None``: at once, in whatever framing fits."""
    error_kind: str | None = None
    """The ``kind`` of a harness-made answer (``request_mismatch``, ...); ``None`` for a recorded one."""

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self.pieces)
