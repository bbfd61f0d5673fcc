"""A cassette in memory: the same values whatever format version the file has.

Names are the guide's. ``parsed_json`` is derived from the bytes, once, when somebody asks; it is never stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, parse_json
from spycatcher_addon.cassette.normalizing import NormalizeRule
from spycatcher_addon.content_coding import decode_body
from spycatcher_addon.exchange import Headers


def _json_or_none(body: bytes) -> JsonValue:
    try:
        return parse_json(body)
    except NotJsonError:
        return None


@dataclass(frozen=True, slots=True)
class CanonicalRequest:
    """The part of a request that is hashed and compared (guide, "Canonical request hashing")."""

    method: str
    path: str
    canonical_query: str
    canonical_body: JsonValue


@dataclass(frozen=True, init=False)
class RecordedRequest:
    """A request on the tape: the client's own, after header selection and redaction."""

    method: str
    path: str
    query: str
    headers: Headers
    body: bytes
    """Exactly as received; still compressed when the client compressed it."""
    canonical_request: CanonicalRequest | None = field(compare=False)
    stable_hash: str | None
    """64 lower-case hex digits of SHA-256, or ``None`` on a hand-written tape."""

    def __init__(
        self,
        method: str,
        path: str,
        query: str = "",
        headers: Headers = (),
        body: bytes = b"",
        parsed_json: JsonValue = None,
        canonical_request: CanonicalRequest | None = None,
        stable_hash: str | None = None,
    ) -> None:
        """Take the fields as given; ``parsed_json`` is derived from ``body`` unless given."""
        values = locals()
        for name in ("method", "path", "query", "headers", "body", "canonical_request", "stable_hash"):
            object.__setattr__(self, name, values[name])
        if parsed_json is not None:
            self.__dict__["parsed_json"] = parsed_json

    @cached_property
    def parsed_json(self) -> JsonValue:
        """The body as JSON after content decoding, or ``None`` when it is not JSON (or is JSON ``null``)."""
        return self.parse_body()

    def parse_body(self) -> JsonValue:
        """Give ``parsed_json`` without keeping it: for who walks a long tape and needs each body once."""
        if "parsed_json" in self.__dict__:
            return self.parsed_json
        decoded = decode_body(self.body, self.headers)
        return None if decoded is None else _json_or_none(decoded)


@dataclass(frozen=True)
class CommentEvent:
    """An SSE comment line; ``text`` is what followed the colon, less one leading space."""

    text: str


@dataclass(frozen=True)
class DataEvent:
    """An SSE event with data; ``raw`` is its data lines joined with line feeds."""

    raw: str
    event: str | None = None
    """Value of the block's ``event`` field, if it had one."""
    id: str | None = None
    retry: str | None = None

    @cached_property
    def parsed_json(self) -> JsonValue:
        """``raw`` as JSON, or ``None`` when it is not JSON."""
        return _json_or_none(self.raw.encode("utf-8", "surrogatepass"))


type StreamEvent = CommentEvent | DataEvent


@dataclass(frozen=True, slots=True)
class Timing:
    """When the pieces of a streamed body arrived, in whole milliseconds since the request went upstream."""

    ttft_ms: int
    """First body chunk; 0 when there was none."""
    chunks: tuple[tuple[int, int], ...]
    """``(end_offset_bytes, ms)`` per received chunk: where in the transcript it ended, and when it came."""


@dataclass(frozen=True)
class NonStreamResponse:
    """A plain answer; its body bytes are what the upstream sent."""

    status: int
    headers: Headers
    body: bytes
    answers_stream: bool = False
    """The request asked for a stream and this is what came all the same; replayed as recorded."""

    @cached_property
    def parsed_json(self) -> JsonValue:
        """The body as JSON, or ``None`` when it is not JSON."""
        return _json_or_none(self.body)


@dataclass(frozen=True, slots=True)
class StreamResponse:
    """A streamed answer: its parsed events and every byte received."""

    status: int
    headers: Headers
    events: tuple[StreamEvent, ...]
    raw_transcript: bytes
    timing: Timing | None = None
    is_canonical: bool = field(default=False, compare=False)
    """Whether the transcript is known to be the canonical print of the events; that of others may still be."""


type RecordedResponse = NonStreamResponse | StreamResponse


@dataclass(frozen=True, slots=True)
class Metadata:
    """Where and when an interaction was recorded."""

    protocol_id: str
    upstream_id: str
    recorded_at: str
    """RFC 3339, UTC, ends in ``Z``."""
    relative_offset_ms: int
    """From the start of the recorder to the arrival of the request."""
    duration_ms: int | None = None
    """Of a plain answer: from the request going upstream to the answer's end. A stream has its :class:`Timing` instead."""


class FailureKind(StrEnum):
    """How an exchange ended badly."""

    RESET = "reset"
    """The upstream's connection was reset."""
    CUT = "cut"
    """The upstream closed its connection before the end of the body."""
    CLIENT_LEFT = "client_left"
    """The client hung up first."""
    TIME_OUT = "time_out"
    """The upstream fell silent for too long."""
    INVALID_STREAM = "invalid_stream"
    """The upstream ended cleanly, but what it sent is not a whole stream of events."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """One request and the answer it got."""

    request: RecordedRequest
    response: RecordedResponse
    metadata: Metadata
    failure: FailureKind | None = None
    """Set on an exchange that ended badly and was kept all the same; its answer holds the bytes that came."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An interaction without its request: all that is needed to answer with it."""

    response: RecordedResponse
    metadata: Metadata
    failure: FailureKind | None = None


type Answering = Interaction | RecordedAnswer


@dataclass(frozen=True, slots=True)
class Outline:
    """What must be known of an interaction to find it on a tape."""

    stable_hash: str | None
    failure: FailureKind | None
    body_bytes: int
    """Length of the request's body."""


def outline_of(interaction: Interaction) -> Outline:
    """Give what must be known of an interaction to find it."""
    return Outline(interaction.request.stable_hash, interaction.failure, len(interaction.request.body))


@dataclass(frozen=True, slots=True)
class Hashing:
    """What the stored hashes of a tape were made with; under other settings they are recomputed."""

    ignore_paths: tuple[str, ...] = ()
    redaction_rules: tuple[str, ...] = ()
    normalize: tuple[NormalizeRule, ...] = ()

    def compares_like(self, ignore_paths: Sequence[str], normalize: Sequence[NormalizeRule]) -> bool:
        """Whether bodies are compared alike under these settings; order and repetition of paths make no difference."""
        return set(self.ignore_paths) == set(ignore_paths) and self.normalize == tuple(normalize)


@dataclass(frozen=True, slots=True)
class Cassette:
    """A whole tape."""

    format_version: int
    interactions: tuple[Interaction, ...] = ()
    hashing: Hashing = Hashing()
    generator: str = ""

    def outlines(self) -> tuple[Outline, ...]:
        """What must be known of each interaction to find it, in their order."""
        return tuple(map(outline_of, self.interactions))

    def interaction(self, index: int) -> Interaction:
        """The interaction of that zero-based index."""
        return self.interactions[index]

    def answer(self, index: int) -> Answering:
        """All that is needed to answer with it."""
        return self.interactions[index]

    def request(self, index: int) -> RecordedRequest:
        """Its request alone."""
        return self.interactions[index].request


class Tape(Protocol):
    """What replaying needs of a tape, be it in memory (:class:`Cassette`) or in its file."""

    @property
    def format_version(self) -> int: ...

    @property
    def hashing(self) -> Hashing: ...

    def outlines(self) -> tuple[Outline, ...]:
        """What must be known of each interaction to find it, in their order."""

    def interaction(self, index: int) -> Interaction:
        """The interaction of that zero-based index.

        Raises:
            InvalidCassetteError: It is not there any more.
        """

    def answer(self, index: int) -> Answering:
        """All that is needed to answer with it, which may be cheaper.

        Raises:
            InvalidCassetteError: It is not there any more.
        """

    def request(self, index: int) -> RecordedRequest:
        """Its request alone, which may be cheaper.

        Raises:
            InvalidCassetteError: It is not there any more.
        """
