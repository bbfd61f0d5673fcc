"""Take the secrets out of a whole interaction: the one way to a tape, also for requests that are compared with it.

What is forwarded and what a client receives never comes by here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate

from spycatcher_addon.cassette.model import (
    Interaction,
    RecordedRequest,
    RecordedResponse,
    StreamEvent,
    StreamResponse,
    Timing,
)
from spycatcher_addon.cassette.tokens import MARK
from spycatcher_addon.content_coding import ContentCodingError, UnknownCodingError, decode_body, stream_decoder
from spycatcher_addon.errors import StreamParseError
from spycatcher_addon.exchange import Headers
from spycatcher_addon.redaction.finder import SecretFinder
from spycatcher_addon.redaction.messages import Redactor
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.redaction.streams import redact_events, tail_completes_secret
from spycatcher_addon.sse import SseParser, encode_event, encode_events

_EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A secret that was taken out."""

    rule: str
    place: str
    """The field of the interaction, ``request.body``."""
    secret: str


class InteractionRedactor:
    """One set of rules, applied to any number of interactions."""

    def __init__(self, rules: RedactionRules, max_body_bytes: int) -> None:
        """Prepare the rules.

        Args:
            max_body_bytes: Largest body that is decoded to be searched.
        """
        self.rules = rules
        self._finder = SecretFinder(rules)
        self._max_body_bytes = max_body_bytes

    def text(self, text: str) -> str:
        """A text without secrets: a message, a path."""
        return Redactor(self.rules, self._finder).body(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def request(self, request: RecordedRequest) -> RecordedRequest:
        """The request without secrets, its hash left out where it changed; the same object if it had none."""
        return self._request(request, self._start(request), [])

    def interaction(self, interaction: Interaction) -> tuple[Interaction, tuple[FoundSecret, ...]]:
        """The interaction without secrets, and what was found; the same object if it had none.

        The hash of a changed request is left out, for the caller to compute.

        Raises:
            InvalidPointerPathError: A body path is not a usable pointer.
        """
        found: list[FoundSecret] = []
        redactor = self._start(interaction.request)
        request = self._request(interaction.request, redactor, found)
        response = self._response(interaction.response, redactor, found)
        if request is interaction.request and response is interaction.response:
            return interaction, tuple(found)
        return replace(interaction, request=request, response=response), tuple(found)

    def _start(self, request: RecordedRequest) -> Redactor:
        redactor = Redactor(self.rules, self._finder)
        if MARK.encode() in request.body:
            redactor.book.reserve(request.body.decode("utf-8", "surrogateescape"))
        if MARK in request.query:
            redactor.book.reserve(request.query)
        return redactor

    def _request(self, request: RecordedRequest, redactor: Redactor, found: list[FoundSecret]) -> RecordedRequest:
        query = redactor.query(request.query)
        _note(redactor, "request.query", found)
        body, headers = self._body(request.body, request.headers, redactor)
        _note(redactor, "request.body", found)
        headers = redactor.headers(headers)
        _note(redactor, "request.headers", found)
        if (query, body) == (request.query, request.body):
            return request if headers == request.headers else _with_headers(request, headers)
        return RecordedRequest(request.method, request.path, query, headers, body)

    def _response(self, response: RecordedResponse, redactor: Redactor, found: list[FoundSecret]) -> RecordedResponse:
        redacted: RecordedResponse
        if isinstance(response, StreamResponse):
            redacted = _redact_stream(response, redactor, self._max_body_bytes)
            _note(redactor, "response.events", found)
        else:
            body, headers = self._body(response.body, response.headers, redactor)
            redacted = response if body is response.body else replace(response, body=body, headers=headers)
            _note(redactor, "response.body", found)
        headers = redactor.headers(redacted.headers)
        _note(redactor, "response.headers", found)
        return redacted if headers == redacted.headers else replace(redacted, headers=headers)

    def _body(self, body: bytes, headers: Headers, redactor: Redactor) -> tuple[bytes, Headers]:
        """Body and headers; a coded body with a secret is given decoded, and the headers no longer name a coding."""
        decoded = decode_body(body, headers, self._max_body_bytes)
        if decoded is None:
            # Broken, or of an unknown coding: what can be read in it is searched all the same.
            redacted = redactor.body(body)
            return redacted, headers
        redacted = _redact_event_text(decoded, redactor) if _is_event_stream(headers) else redactor.body(decoded)
        return (body, headers) if redacted == decoded else (redacted, _without_coding(headers))


def _note(redactor: Redactor, place: str, found: list[FoundSecret]) -> None:
    for rule, secret in dict.fromkeys(redactor.book.uses):
        found.append(FoundSecret(rule, place, secret))
    redactor.book.uses.clear()


def _with_headers(request: RecordedRequest, headers: Headers) -> RecordedRequest:
    return RecordedRequest(
        request.method,
        request.path,
        request.query,
        headers,
        request.body,
        request.parsed_json,
        request.canonical_request,
        request.stable_hash,
    )


def _without_coding(headers: Headers) -> Headers:
    return tuple((name, value) for name, value in headers if name.lower() != "content-encoding")


def _is_event_stream(headers: Headers) -> bool:
    types = [value for name, value in headers if name.lower() == "content-type"]
    return bool(types) and types[0].partition(";")[0].strip().lower() == _EVENT_STREAM


def _redact_event_text(body: bytes, redactor: Redactor) -> bytes:
    """A plain answer that is a stream all the same, where nobody asked for one."""
    parser = SseParser()
    try:
        events = (*parser.feed(body), *parser.finish())
    except StreamParseError:
        return redactor.body(body)
    redacted = redact_events(events, redactor)
    if any(new is not old for new, old in zip(redacted, events, strict=True)):
        return encode_events(redacted)
    return redactor.body(body)


def _redact_stream(response: StreamResponse, redactor: Redactor, limit: int) -> StreamResponse:
    events = redact_events(response.events, redactor)
    has_changed = any(new is not old for new, old in zip(events, response.events, strict=True))
    if not has_changed:
        # What is no event (unknown fields, the rest of a broken stream) is on the tape too.
        if response.raw_transcript == encode_events(events):
            return response
        transcript = b"".join(_decoded_chunks(response, limit))
        if redactor.body(transcript) == transcript and not tail_completes_secret(events, _tail(transcript), redactor):
            return response
    transcript = encode_events(events)
    timing = None if response.timing is None else _moved(response, response.timing, _event_ends(events), limit)
    return StreamResponse(response.status, _without_coding(response.headers), events, transcript, timing)


def _tail(transcript: bytes) -> str:
    """What follows the last whole event."""
    parser = SseParser()
    with suppress(StreamParseError):
        parser.feed(transcript)
    ends = parser.event_end_offsets
    return transcript[ends[-1] if ends else 0 :].decode("utf-8", "replace")


def _event_ends(events: Iterable[StreamEvent]) -> list[int]:
    """Where each event ends in the canonical transcript; the first entry is where the first begins."""
    return [0, *accumulate(len(encode_event(event)) for event in events)]


def _moved(response: StreamResponse, timing: Timing, ends: list[int], limit: int) -> Timing:
    """The chunks as they would have come: each ends behind the events that it completed, the last one behind all."""
    parser, count = SseParser(), 0
    chunks: list[tuple[int, int]] = []
    decoded = _decoded_chunks(response, limit)
    for _, ms in timing.chunks:
        with suppress(StreamParseError):  # the events end there, the chunks go on
            count += len(parser.feed(next(decoded, b"")))
        chunks.append((ends[min(count, len(ends) - 1)], ms))
    if chunks:
        chunks[-1] = (ends[-1], chunks[-1][1])
    return Timing(timing.ttft_ms, tuple(chunks))


def _decoded_chunks(response: StreamResponse, limit: int) -> Iterator[bytes]:
    """The transcript, chunk by chunk, without its content coding; nothing more once that is broken."""
    try:
        decoder = stream_decoder(response.headers, limit)
    except UnknownCodingError:
        return
    start = 0
    chunk_ends = [len(response.raw_transcript)] if response.timing is None else [end for end, _ in response.timing.chunks]
    for end in chunk_ends:
        chunk = response.raw_transcript[start:end]
        start = end
        try:
            yield chunk if decoder is None else decoder.feed(chunk)
        except ContentCodingError:
            return
