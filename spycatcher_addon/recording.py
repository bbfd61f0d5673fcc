"""Turn one observed exchange into one interaction, or say why it must not be kept.

Knows no clock, disk or framework: chunks, clock readings and the way the exchange ended arrive as arguments. A broken or
cut answer never becomes a good interaction; what the redaction rules name never reaches the value this module returns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum, auto

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, parse_json
from spycatcher_addon.cassette.model import (
    CanonicalRequest,
    FailureKind,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    RecordedResponse,
    StreamEvent,
    StreamResponse,
    Timing,
)
from spycatcher_addon.content_coding import ContentCodingError, StreamDecoder, UnknownCodingError, decode_body, stream_decoder
from spycatcher_addon.errors import InvalidPointerPathError, StreamParseError
from spycatcher_addon.exchange import ObservedRequest, ObservedResponseHead
from spycatcher_addon.headers import content_encoding_of, media_type, select_persisted_request, select_persisted_response
from spycatcher_addon.protocols.adapter import ProtocolAdapter
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.sse import SseParser

_SSE_MEDIA_TYPE = "text/event-stream"


class AnswerKind(StrEnum):
    """How an answer will be kept."""

    PLAIN = auto()
    STREAM = auto()


@dataclass(frozen=True, slots=True)
class RecordingPolicy:
    """What is the same for every exchange of a recording."""

    ignore: IgnorePathConfig
    rules: RedactionRules
    """What must not reach the tape."""
    upstream_id: str
    max_body_bytes: int
    keeps_failures: bool = False
    """Whether exchanges that ended badly are kept, marked, instead of dropped."""
    expected_statuses: frozenset[int] = frozenset()
    """Error statuses that are recorded on purpose."""


@dataclass(frozen=True, slots=True)
class NotRecorded:
    """An exchange that is not kept, and why, in words for the log."""

    reason: str


class Recorder:
    """Collects one exchange from its request to its end."""

    def __init__(
        self,
        request: ObservedRequest,
        protocol: ProtocolAdapter,
        policy: RecordingPolicy,
        relative_offset_ms: int,
        known: Iterable[str] = (),
    ) -> None:
        """Note the client's own request, before anything is changed for the way upstream.

        Args:
            known: Values that are secrets wherever they occur in this exchange, besides those of the policy's rules.
        """
        self._request = request
        self._protocol = protocol
        self._policy = policy
        self._rules = policy.rules.with_known(known)
        self._relative_offset_ms = relative_offset_ms
        self._head: ObservedResponseHead | None = None
        self._kind = AnswerKind.PLAIN
        self._body: list[bytes] = []
        self._length = 0
        self._chunks: list[tuple[int, int]] = []
        self._parser = SseParser()
        self._decoder: StreamDecoder | None = None
        self._events: list[StreamEvent] = []
        self._is_readable = True
        """Whether events can still be read; after the first broken line or block the rest is only passed on."""
        self._fault: str | None = None
        self._is_given_up = False
        self.warnings: list[str] = []
        """What a person should know about this exchange although it is kept."""
        self.saw_last_event = False
        """Whether the protocol's own end mark came; such a stream is complete even if a side then hangs up."""
        self._request_json = self._parse_request()
        self.is_stream_shaped = protocol.is_stream_shaped(self._request_json)

    @property
    def status(self) -> int | None:
        """Status of the upstream's answer, once it began."""
        return None if self._head is None else self._head.status

    @property
    def is_stream(self) -> bool:
        """Whether the answer will be kept as a stream."""
        return self._kind is AnswerKind.STREAM

    @property
    def received(self) -> bytes:
        """The body as far as it has come, as its bytes came."""
        return b"".join(self._body)

    def response_started(self, head: ObservedResponseHead) -> None:
        """Note status and headers; decides whether the answer is kept as a stream."""
        self._head = head
        if not 100 <= head.status <= 999:
            # Not three digits (RFC 9110 section 15). On the tape it would make the whole file unreadable.
            self.give_up(f"the upstream answered with status {head.status}, which is none")
            return
        try:
            decoder = stream_decoder(content_encoding_of(head.headers), self._policy.max_body_bytes)
        except UnknownCodingError as error:
            self.warnings.append(f"{error}; the answer is kept as its bytes came and was not searched for events or secrets")
            return
        if self.is_stream_shaped and media_type(head.headers) in (_SSE_MEDIA_TYPE, None):
            self._kind = AnswerKind.STREAM
            self._decoder = decoder

    def feed(self, chunk: bytes, elapsed_ms: int) -> None:
        """Take one received chunk, ``elapsed_ms`` after the request went upstream. Never raises on bad content."""
        self._body.append(chunk)
        self._length += len(chunk)
        self._chunks.append((self._length, elapsed_ms))
        if self._kind is AnswerKind.STREAM and self._is_readable:
            try:
                self._take_events(self._parser.feed(chunk if self._decoder is None else self._decoder.feed(chunk)))
            except (StreamParseError, ContentCodingError) as error:
                self._stop_reading(error)

    def finish(self, recorded_at: str) -> Interaction | NotRecorded:
        """Build the interaction of an answer the upstream ended cleanly.

        Args:
            recorded_at: RFC 3339, UTC, ending in ``Z``.
        """
        if self._kind is AnswerKind.STREAM and self._is_readable:
            try:
                if self._decoder is not None:
                    self._decoder.finish()
                self._take_events(self._parser.finish())
            except (StreamParseError, ContentCodingError) as error:
                self._stop_reading(error)
        return self._build(recorded_at)

    def finish_after_last_event(self, recorded_at: str) -> Interaction | NotRecorded:
        """Build the interaction of a stream whose end mark came whole, although a side then hung up."""
        if not self.saw_last_event:
            return NotRecorded("the stream broke before its end")
        return self._build(recorded_at)

    def finish_failed(self, failure: FailureKind, recorded_at: str) -> Interaction | NotRecorded:
        """Build the interaction of an answer that ended badly after its head had come, marked as what it was."""
        return self._build(recorded_at, failure)

    def give_up(self, reason: str) -> None:
        """Note that this exchange must not be kept, not even as a failure; chunks may go on coming."""
        self._is_readable = False
        self._is_given_up = True
        self._fault = self._fault or reason

    @property
    def ends_inside_event(self) -> bool:
        """Whether a stream that stopped now would stop inside a line or an event."""
        return self.is_stream and not self.saw_last_event and (self._fault is not None or self._parser.is_inside_event)

    def _stop_reading(self, error: Exception) -> None:
        """Give up on the events to come. What follows the end mark cannot undo a stream that was complete with it."""
        self._is_readable = False
        if not self.saw_last_event:
            self._fault = str(error)

    def _take_events(self, events: list[StreamEvent]) -> None:
        self._events.extend(events)
        if any(self._protocol.is_last_event(event) for event in events):
            self.saw_last_event = True

    def _parse_request(self) -> JsonValue:
        codings = content_encoding_of(self._request.headers)
        body = decode_body(self._request.body, codings, self._policy.max_body_bytes) if codings else self._request.body
        if body is None:
            self.warnings.append(
                "the request's content coding could not be undone; its body is kept as it came and was not searched for secrets"
            )
        try:
            return None if body is None else parse_json(body)
        except NotJsonError:
            return None

    def _build(self, recorded_at: str, failure: FailureKind | None = None) -> Interaction | NotRecorded:
        if self._head is None:
            return NotRecorded("the upstream never answered")
        if self._fault is not None:
            if self._is_given_up or not self._policy.keeps_failures:
                return NotRecorded(self._fault)
            failure = failure or FailureKind.INVALID_STREAM
        metadata = Metadata(
            protocol_id=self._protocol.protocol_id,
            upstream_id=self._policy.upstream_id,
            recorded_at=recorded_at,
            relative_offset_ms=self._relative_offset_ms,
            duration_ms=self._chunks[-1][1] if self._kind is AnswerKind.PLAIN and self._chunks else None,
        )
        observed = Interaction(self._observed_request(), self._observed_response(self._head), metadata, failure)
        # From here on there is nothing that the rules name: not in what is returned, not in what is said about it.
        redacted, _ = InteractionRedactor(self._rules, self._policy.max_body_bytes).interaction(observed)
        try:
            canonical = canonicalize(redacted.request, self._policy.ignore)
        except InvalidPointerPathError as error:
            return NotRecorded(f"an ignore path does not fit this request: {error}")
        return replace(redacted, request=_hashed(redacted.request, canonical))

    def _observed_request(self) -> RecordedRequest:
        headers = select_persisted_request(self._request.headers, self._rules.drop_headers)
        request = self._request
        return RecordedRequest(request.method, request.path, request.query, headers, request.body, self._request_json)

    def _observed_response(self, head: ObservedResponseHead) -> RecordedResponse:
        headers = select_persisted_response(head.headers, self._rules.drop_headers)
        body = b"".join(self._body)
        if self._kind is AnswerKind.PLAIN:
            if decode_body(body, headers, self._policy.max_body_bytes) is None and not self.warnings:
                self.warnings.append(
                    "the answer's content coding could not be undone; it is kept as its bytes came and was not searched for secrets"
                )
            return NonStreamResponse(head.status, headers, body, answers_stream=self.is_stream_shaped)
        timing = Timing(ttft_ms=self._chunks[0][1] if self._chunks else 0, chunks=tuple(self._chunks))
        return StreamResponse(head.status, headers, tuple(self._events), body, timing)


def _hashed(request: RecordedRequest, canonical: CanonicalRequest) -> RecordedRequest:
    return RecordedRequest(
        method=request.method,
        path=request.path,
        query=request.query,
        headers=request.headers,
        body=request.body,
        parsed_json=request.parsed_json,
        canonical_request=canonical,
        stable_hash=stable_hash(canonical),
    )
