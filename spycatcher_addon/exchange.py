"""One HTTP exchange as plain values: what a client sent, what an upstream or the harness answered.

Knows no framework. Header values cross the edge as the bytes that were on the wire (:data:`RawHeaders`); text pairs
(:data:`Headers`) are what a cassette keeps. Bodies are bytes after transfer decoding, before content decoding.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class ReplayResponse:
    """An answer the harness gives: a recorded one, or one of its own."""

    status: int
    headers: Headers
    """Without framing headers; the lane that sends it adds those."""
    pieces: tuple[bytes, ...]
    """The body in the pieces it may be sent in: one for a plain body, one per event for a stream."""
    interaction_index: int | None = None
    """Zero-based index of the interaction this answer was recorded in; ``None`` for a harness-made answer."""
    is_stream: bool = False
    """Whether the pieces are the events of a stream."""
    error_kind: str | None = None
    """The ``kind`` of a harness-made answer (``request_mismatch``, ...); ``None`` for a recorded one."""

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self.pieces)
