"""Answer requests from a cassette. Knows no network: bytes and values in, one answer out.

The order of decisions is the contract of docs/diagnostics.md: route, JSON, match, stream shape, and only then consume.
Everything between looking up and consuming happens in one synchronous call, so concurrent requests need no lock.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spycatcher_addon import answers
from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize_parts, stable_hash
from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, parse_json
from spycatcher_addon.cassette.matching import Matched, MatchMode, ReplayMatchEngine
from spycatcher_addon.cassette.model import Cassette, Interaction, NonStreamResponse, StreamResponse
from spycatcher_addon.content_coding import decode_body
from spycatcher_addon.errors import InvalidPointerPathError
from spycatcher_addon.exchange import Headers, ObservedRequest, ReplayResponse
from spycatcher_addon.headers import content_encoding_of, select_replayed
from spycatcher_addon.protocols import PROTOCOLS, UnknownPath, WrongMethod, route
from spycatcher_addon.protocols.adapter import ProtocolAdapter
from spycatcher_addon.sse import encode_event

BODYLESS_STATUSES = frozenset({204, 304})
"""Statuses whose answers never have a body (RFC 9110 sections 15.3.5 and 15.4.5)."""


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


class ReplaySession:
    """One run of a cassette against a program."""

    def __init__(self, cassette: Cassette, match_mode: MatchMode, ignore: IgnorePathConfig, max_body_bytes: int) -> None:
        """Prepare the match engine.

        Raises:
            InvalidCassetteError: An interaction cannot be matched (no hash).
            InvalidPointerPathError: An ignore path does not fit a recorded body.
        """
        self._engine = ReplayMatchEngine(cassette, match_mode, ignore)
        self._match_mode = match_mode
        self._ignore = ignore
        self._max_body_bytes = max_body_bytes
        self.counts = ReplayCounts()

    def __len__(self) -> int:
        return len(self._engine)

    def unused(self) -> tuple[int, ...]:
        """Zero-based indexes of the interactions nobody asked for yet."""
        return self._engine.unused()

    def handle(self, request: ObservedRequest) -> ReplayResponse:
        """Answer one request; a client's fault becomes an answer, never an exception."""
        protocol = refuse_unrouted(request)
        if isinstance(protocol, ReplayResponse):
            self.counts.rejected += 1
            return protocol
        try:
            body = self._parse_body(request)
        except NotJsonError as error:
            self.counts.rejected += 1
            return answers.malformed_json(str(error))
        try:
            canonical = canonicalize_parts(request.method, request.path, request.query, body, self._ignore)
        except InvalidPointerPathError as error:
            self.counts.rejected += 1
            return answers.internal("replay", f"an ignore path does not fit this request: {error}; correct matching.ignore_paths")
        outcome = self._engine.peek(canonical, stable_hash(canonical))
        if not isinstance(outcome, Matched):
            self.counts.mismatched += 1
            return answers.request_mismatch(outcome, self._match_mode, self._ignore.ignored_body_paths)
        if protocol.is_stream_shaped(body) and _is_plain_only(outcome.interaction):
            self.counts.rejected += 1
            return answers.stream_cassette_required(outcome.index)
        reply = self._recorded_answer(outcome.index, outcome.interaction)
        self._engine.commit(outcome.index)
        self.counts.matched += 1
        return reply

    def _parse_body(self, request: ObservedRequest) -> JsonValue:
        codings = content_encoding_of(request.headers)
        decoded = decode_body(request.body, codings, self._max_body_bytes) if codings else request.body
        if decoded is None:
            named = ", ".join(value for _, value in codings)
            raise NotJsonError(f"its content-encoding {named!r} could not be decoded within limits.max_body_bytes")
        return parse_json(decoded)

    def _recorded_answer(self, index: int, interaction: Interaction) -> ReplayResponse:
        response = interaction.response
        status = response.status if 200 <= response.status <= 599 else 502
        headers, dropped = select_replayed(response.headers)
        self.counts.dropped_headers.extend(dropped)
        if isinstance(response, NonStreamResponse):
            pieces: tuple[bytes, ...] = (response.body,)
        else:
            headers = _stream_headers(headers, has_body=status not in BODYLESS_STATUSES)
            pieces = tuple(encode_event(event) for event in response.events)
        if status in BODYLESS_STATUSES:
            pieces = ()
        return ReplayResponse(status, headers, pieces, interaction_index=index, is_stream=isinstance(response, StreamResponse))


def _is_plain_only(interaction: Interaction) -> bool:
    return isinstance(interaction.response, NonStreamResponse) and not interaction.response.answers_stream


def _stream_headers(headers: Headers, has_body: bool) -> Headers:
    """Fields of a stream that is printed anew from its events: not encoded any more, and always typed."""
    kept = tuple((name, value) for name, value in headers if name.lower() != "content-encoding")
    if has_body and not any(name.lower() == "content-type" for name, _ in kept):
        kept += (("content-type", "text/event-stream"),)
    return kept
