"""Answer requests from a cassette. Knows no network: bytes and values in, one answer out.

The order of decisions is the contract of docs/diagnostics.md: route, JSON, match, stream shape, and only then consume.
Everything between looking up and consuming happens in one synchronous call, so concurrent requests need no lock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from spycatcher_addon import answers
from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, IgnorePathConfig, canonicalize, canonicalize_parts, stable_hash
from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, parse_json
from spycatcher_addon.cassette.matching import Matched, MismatchDiagnostic, ReplayMatchEngine
from spycatcher_addon.cassette.model import (
    Answering,
    CanonicalRequest,
    FailureKind,
    Interaction,
    NonStreamResponse,
    RecordedRequest,
    StreamResponse,
    Tape,
)
from spycatcher_addon.choices import MatchMode
from spycatcher_addon.content_coding import decode_body
from spycatcher_addon.errors import InvalidCassetteError, InvalidPointerPathError
from spycatcher_addon.exchange import Delivery, Ending, Headers, ObservedRequest, ReplayResponse
from spycatcher_addon.fault_injection import FaultInjector
from spycatcher_addon.headers import content_encoding_of, select_replayed
from spycatcher_addon.pacing import Pacing, chunk_arrivals_ms, cut_at_chunks, event_arrivals_ms
from spycatcher_addon.protocols import PROTOCOLS, UnknownPath, WrongMethod, route
from spycatcher_addon.protocols.adapter import ProtocolAdapter
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.rules import NO_RULES, RedactionRules, touch_requests_alike
from spycatcher_addon.seen_requests import SeenRequest, SeenRequests
from spycatcher_addon.sse import encode_event, encode_events

_ENDINGS = {
    FailureKind.RESET: Ending.RESET,
    FailureKind.CUT: Ending.UNFINISHED,
    FailureKind.CLIENT_LEFT: Ending.UNFINISHED,
    FailureKind.TIME_OUT: Ending.UNFINISHED,
    FailureKind.INVALID_STREAM: Ending.COMPLETE,
}

SENDABLE_STATUSES = range(200, 600)
"""A recorded answer with any other status becomes 502."""
BODYLESS_STATUSES = frozenset({204, 304})
"""Statuses whose answers never have a body (RFC 9110 sections 15.3.5 and 15.4.5)."""
EAGER_LIMIT_BYTES = 65_536
"""A replayed stream up to this size goes out with a length, a larger one in pieces (docs/users-guide.md, "Replay")."""


@dataclass(slots=True)
class ReplayCounts:
    """How the requests of a session ended."""

    matched: int = 0
    mismatched: int = 0
    """Answered 409."""
    rejected: int = 0
    """Answered 400, 404, 405, 500 or 501: never compared, or not replayable."""
    dropped_headers: list[str] = field(default_factory=list)
    """Names of recorded fields that cannot be sent, as met."""


def refuse_unrouted(request: ObservedRequest) -> ReplayResponse | ProtocolAdapter:
    """Find the endpoint, or the 404 or 405 that says there is none; the same in every mode."""
    routed = route(request)
    if isinstance(routed, UnknownPath):
        return answers.not_found(request.path, [protocol.path for protocol in PROTOCOLS])
    if isinstance(routed, WrongMethod):
        return answers.method_not_allowed(request.method, request.path, routed.allow)
    return routed


@dataclass(frozen=True, slots=True)
class ReplayPolicy:
    """What is the same for every answer of a replay."""

    match_mode: MatchMode = MatchMode.SEQUENTIAL_STRICT
    ignore: IgnorePathConfig = NOTHING_IGNORED
    max_body_bytes: int = 128 * 1024 * 1024
    """Limit for a decoded request body."""
    is_raw: bool = False
    """Whether streams are sent as their transcripts rather than printed from their events."""
    pacing: Pacing = Pacing()
    include_failures: bool = False
    """Whether recorded failures are matched, and repeated as the failures they were."""
    rules: RedactionRules = NO_RULES
    """What is a secret, in a request as it was on the tape."""


@dataclass(frozen=True, slots=True)
class _ReadRequest:
    """A request that can be compared."""

    body: JsonValue
    canonical: CanonicalRequest
    request_hash: str
    is_hashed_as_sent: bool
    """Whether nothing was taken out of the request before it was hashed."""


class ReplaySession:
    """One run of a cassette against a program."""

    def __init__(self, cassette: Tape, policy: ReplayPolicy, faults: FaultInjector | None = None) -> None:
        """Prepare the match engine.

        Args:
            faults: What to break in which answers, if anything.

        Raises:
            InvalidCassetteError: An interaction cannot be matched (no hash).
            InvalidPointerPathError: An ignore path does not fit a recorded body.
        """
        self._redactor = InteractionRedactor(policy.rules, policy.max_body_bytes)
        is_redacted_alike = touch_requests_alike(cassette.hashing.redaction_rules, policy.rules.names)
        redact = None if is_redacted_alike else self._redactor.request
        self._engine = ReplayMatchEngine(cassette, policy.match_mode, policy.ignore, policy.include_failures, redact)
        self._policy = policy
        self.faults = faults
        self._seen = SeenRequests()
        self.counts = ReplayCounts()
        self.on_refusal: Callable[[ObservedRequest, ReplayResponse, MismatchDiagnostic | None], None] | None = None
        """Told of each request that the tape does not answer, before its answer goes out; must not raise."""

    def __len__(self) -> int:
        return self._engine.available

    def unused(self) -> tuple[int, ...]:
        """Zero-based indexes of the interactions nobody asked for yet."""
        return self._engine.unused()

    def handle(self, request: ObservedRequest) -> ReplayResponse:
        """Answer one request; a client's fault becomes an answer, never an exception."""
        protocol = refuse_unrouted(request)
        if isinstance(protocol, ReplayResponse):
            return self._refuse(request, protocol)
        canonical = None
        seen = self._seen.recall(request)
        if seen is None or not self._engine.has_match(seen.request_hash):
            read = self._read(request)
            if isinstance(read, ReplayResponse):
                return self._refuse(request, read)
            canonical = read.canonical
            seen = SeenRequest(read.request_hash, protocol.is_stream_shaped(read.body))
            if read.is_hashed_as_sent:
                self._seen.remember(request, seen)
        if self.faults is not None:
            self.faults.note_request(seen.request_hash)
        try:
            outcome = self._engine.peek(canonical, seen.request_hash)
        except InvalidCassetteError as error:  # a long tape is read as it goes, and its file may have been changed
            return self._refuse(request, answers.internal("replay", error.message))
        if not isinstance(outcome, Matched):
            reply = self._mismatch(outcome)
            return self._refuse(request, reply, outcome)
        if seen.is_stream_shaped and _is_plain_only(outcome.interaction):
            return self._refuse(request, answers.stream_cassette_required(outcome.index))
        reply = self._recorded_answer(outcome.index, outcome.interaction)
        is_used_up = True
        if self.faults is not None:
            reply, is_used_up = self.faults.answer(outcome.index, request.path, reply)
        if is_used_up:
            self._engine.commit(outcome.index)
        self.counts.matched += 1
        return reply

    def _mismatch(self, diagnostic: MismatchDiagnostic) -> ReplayResponse:
        ignore = self._policy.ignore
        normalize = [rule.name for rule in ignore.normalize]
        return answers.request_mismatch(diagnostic, self._policy.match_mode, ignore.ignored_body_paths, normalize)

    def _refuse(self, request: ObservedRequest, reply: ReplayResponse, mismatch: MismatchDiagnostic | None = None) -> ReplayResponse:
        """Count a request that the tape does not answer, and tell whoever listens."""
        if mismatch is None:
            self.counts.rejected += 1
        else:
            self.counts.mismatched += 1
        if self.on_refusal is not None:
            self.on_refusal(request, reply, mismatch)
        return reply

    def interaction(self, index: int) -> Interaction:
        """The interaction of that zero-based index, used or not."""
        return self._engine.interaction(index)

    def stable_hash(self, index: int) -> str:
        """The hash that the tape notes for the interaction of that zero-based index."""
        return self._engine.stable_hash(index)

    def rewind(self) -> None:
        """Answer from the start of the cassette again; what was counted stays counted."""
        self._engine.rewind()

    def explain(self, request: ObservedRequest) -> MismatchDiagnostic | None:
        """Why a request would not match now; ``None`` where it would, or is none that is compared. Changes nothing."""
        read = None if isinstance(refuse_unrouted(request), ReplayResponse) else self._read(request)
        if read is None or isinstance(read, ReplayResponse):
            return None
        outcome = self._engine.peek(read.canonical, read.request_hash)
        return outcome if isinstance(outcome, MismatchDiagnostic) else None

    def answer_again(self, request: ObservedRequest) -> ReplayResponse:
        """Answer a request that somebody sends once more by hand: from where the tape has it, used or not.

        Nothing is consumed, counted or broken on purpose.
        """
        protocol = refuse_unrouted(request)
        if isinstance(protocol, ReplayResponse):
            return protocol
        read = self._read(request)
        if isinstance(read, ReplayResponse):
            return read
        outcome = self._engine.peek(read.canonical, read.request_hash)
        index = outcome.index if isinstance(outcome, Matched) else self._engine.recorded_at(read.request_hash)
        if index is None:
            assert isinstance(outcome, MismatchDiagnostic), "what matches has an index"
            return self._mismatch(outcome)
        interaction = self._engine.interaction(index)
        if protocol.is_stream_shaped(read.body) and _is_plain_only(interaction):
            return answers.stream_cassette_required(index)
        return self._recorded_answer(index, interaction)

    def _read(self, request: ObservedRequest) -> _ReadRequest | ReplayResponse:
        """The body, the request as it is compared and its hash; or the answer to a request that cannot be compared."""
        try:
            body = self._parse_body(request)
        except NotJsonError as error:
            return answers.malformed_json(str(error))
        try:
            return self._canonicalize(request, body)
        except InvalidPointerPathError as error:
            return answers.internal("replay", f"an ignore path does not fit this request: {error}; correct matching.ignore_paths")

    def _canonicalize(self, request: ObservedRequest, body: JsonValue) -> _ReadRequest:
        """The request as it is compared, and its hash.

        A request whose hash is on the tape as it stands has no secret that the tape has not; only others are searched.
        """
        canonical = canonicalize_parts(request.method, request.path, request.query, body, self._policy.ignore)
        request_hash = stable_hash(canonical)
        if self._engine.has_match(request_hash):
            return _ReadRequest(body, canonical, request_hash, is_hashed_as_sent=True)
        codings = content_encoding_of(request.headers)
        recorded = RecordedRequest(request.method, request.path, request.query, codings, request.body, body)
        redacted = self._redactor.request(recorded)
        if redacted is recorded:
            return _ReadRequest(body, canonical, request_hash, is_hashed_as_sent=True)
        canonical = canonicalize(redacted, self._policy.ignore)
        return _ReadRequest(body, canonical, stable_hash(canonical), is_hashed_as_sent=False)

    def _parse_body(self, request: ObservedRequest) -> JsonValue:
        codings = content_encoding_of(request.headers)
        decoded = decode_body(request.body, codings, self._policy.max_body_bytes) if codings else request.body
        if decoded is None:
            named = ", ".join(value for _, value in codings)
            raise NotJsonError(f"its content-encoding {named!r} could not be decoded within limits.max_body_bytes")
        return parse_json(decoded)

    def _recorded_answer(self, index: int, interaction: Answering) -> ReplayResponse:
        response = interaction.response
        status = response.status if response.status in SENDABLE_STATUSES else 502
        headers, dropped = select_replayed(response.headers)
        self.counts.dropped_headers.extend(dropped)
        if isinstance(response, NonStreamResponse):
            pieces: tuple[bytes, ...] = (response.body,)
            due_ms: tuple[float, ...] = (self._policy.pacing.plain_due_ms(response, interaction.metadata.duration_ms, index),)
        else:
            is_raw = self._policy.is_raw or interaction.failure is not None
            headers = _stream_headers(headers, has_body=status not in BODYLESS_STATUSES, keeps_coding=is_raw)
            pieces = cut_at_chunks(response) if is_raw else self._event_pieces(response)
            due_ms = self._stream_due_ms(index, response, is_raw, len(pieces))
        if status in BODYLESS_STATUSES:
            pieces, due_ms = (), ()
        delivery = self._delivery(interaction, due_ms)
        is_stream = isinstance(response, StreamResponse)
        return ReplayResponse(status, headers, pieces, interaction_index=index, is_stream=is_stream, delivery=delivery)

    def _event_pieces(self, response: StreamResponse) -> tuple[bytes, ...]:
        """One piece per event, or one of all where they go out together anyway."""
        if self._policy.pacing.is_off and self.faults is None:
            together = response.raw_transcript if response.is_canonical else encode_events(response.events)
            if len(together) <= EAGER_LIMIT_BYTES:
                return (together,) if together else ()
        return tuple(map(encode_event, response.events))

    def _stream_due_ms(self, index: int, response: StreamResponse, is_raw: bool, count: int) -> tuple[float, ...]:
        pacing = self._policy.pacing
        if pacing.is_off:
            return (0.0,) * count
        arrivals_ms = chunk_arrivals_ms(response) if is_raw else event_arrivals_ms(response)
        return pacing.stream_due_ms(arrivals_ms, count, index)

    def _delivery(self, interaction: Answering, due_ms: tuple[float, ...]) -> Delivery | None:
        """A plan where one is needed: for times, for recorded chunks, for a bad end. ``None`` lets an answer go out at once."""
        is_stream = isinstance(interaction.response, StreamResponse)
        needs_plan = not self._policy.pacing.is_off or interaction.failure is not None or (is_stream and self._policy.is_raw)
        if not needs_plan:
            return None
        last_ms = due_ms[-1] if due_ms else 0.0
        # A stream's head goes out at once, as providers send it; a plain answer is held back whole.
        ending = Ending.COMPLETE if interaction.failure is None else _ENDINGS[interaction.failure]
        return Delivery(due_ms, head_due_ms=0.0 if is_stream else last_ms, ending=ending, ending_due_ms=last_ms)


def _is_plain_only(interaction: Answering) -> bool:
    return isinstance(interaction.response, NonStreamResponse) and not interaction.response.answers_stream


def _stream_headers(headers: Headers, has_body: bool, keeps_coding: bool) -> Headers:
    """Fields of a stream: always typed, and not encoded any more when it is printed anew from its events."""
    kept = tuple((name, value) for name, value in headers if keeps_coding or name.lower() != "content-encoding")
    if has_body and not any(name.lower() == "content-type" for name, _ in kept):
        kept += (("content-type", "text/event-stream"),)
    return kept
