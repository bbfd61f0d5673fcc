"""Exchanges that other tools wrote down, turned into interactions under the same rules as a recording.

Knows no file format. Only exchanges with an endpoint the harness answers become interactions: nothing else could be replayed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.jsontext import NotJsonError, parse_json
from spycatcher_addon.cassette.model import (
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    RecordedResponse,
    StreamEvent,
    StreamResponse,
)
from spycatcher_addon.content_coding import decode_body
from spycatcher_addon.errors import StreamParseError
from spycatcher_addon.exchange import Headers, RawHeaders
from spycatcher_addon.headers import media_type, select_persisted_request, select_persisted_response
from spycatcher_addon.protocols import PROTOCOLS
from spycatcher_addon.protocols.adapter import ProtocolAdapter
from spycatcher_addon.sse import SseParser
from spycatcher_addon.tools.editing import with_hash
from spycatcher_addon.tools.losses import Loss, LossKind

ALWAYS_DROPPED = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
"""Browsers write these into their archives; no rule of a configuration keeps them."""


class ImportFormatError(ValueError):
    """A file is not what it was taken for; the text says what is missing where."""


@dataclass(frozen=True, slots=True)
class ForeignExchange:
    """One exchange as the other tool kept it."""

    method: str
    url: str
    request_headers: Headers
    request_body: bytes
    status: int
    response_headers: Headers
    response_body: bytes
    recorded_at: str
    """RFC 3339, UTC, ends in ``Z``."""
    relative_offset_ms: int = 0
    duration_ms: int | None = None
    """From the request to the end of the answer, where the other tool noted it."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a foreign file."""

    interactions: tuple[Interaction, ...]
    losses: tuple[Loss, ...]


def import_exchange(
    exchange: ForeignExchange, drop_headers: frozenset[str], ignore: IgnorePathConfig
) -> tuple[Interaction | None, list[LossKind]]:
    """Make an interaction of an exchange, or ``None``, with what is lost.

    Args:
        drop_headers: Lower-case names of header fields that must not get onto the tape.

    Raises:
        InvalidPointerPathError: An ignore path does not fit the body.
    """
    try:
        split = urlsplit(exchange.url)
    except ValueError:
        return None, [LossKind.FOREIGN]
    protocol = next((each for each in PROTOCOLS if split.path.endswith(each.upstream_path)), None)
    if protocol is None or exchange.method.upper() != "POST":
        return None, [LossKind.FOREIGN]
    if not 100 <= exchange.status <= 999:
        return None, [LossKind.UNUSABLE]
    drop = drop_headers | ALWAYS_DROPPED
    raw_request, raw_response = _raw(exchange.request_headers), _raw(exchange.response_headers)
    losses = [LossKind.REDACTED for name, _ in (*exchange.request_headers, *exchange.response_headers) if name.lower() in drop]
    request = RecordedRequest("POST", protocol.path, split.query, select_persisted_request(raw_request, drop), exchange.request_body)
    request = replace(request, headers=_without_untrue_coding(request.headers, exchange.request_body))
    response = _response(exchange, protocol, request, raw_response, drop)
    if response is None:
        return None, [LossKind.UNUSABLE]
    if isinstance(response, StreamResponse):
        losses.append(LossKind.CHUNK_TIMES)
    metadata = Metadata(
        protocol_id=protocol.protocol_id,
        upstream_id=split.hostname or "imported",
        recorded_at=exchange.recorded_at,
        relative_offset_ms=exchange.relative_offset_ms,
        duration_ms=exchange.duration_ms if isinstance(response, NonStreamResponse) else None,
    )
    return with_hash(Interaction(request, response, metadata), ignore), losses


def _response(
    exchange: ForeignExchange, protocol: ProtocolAdapter, request: RecordedRequest, raw: RawHeaders, drop: frozenset[str]
) -> RecordedResponse | None:
    headers = _without_untrue_coding(select_persisted_response(raw, drop), exchange.response_body)
    asks_for_stream = protocol.is_stream_shaped(request.parse_body())
    if not (asks_for_stream and media_type(raw) in ("text/event-stream", None)):
        return NonStreamResponse(exchange.status, headers, exchange.response_body, answers_stream=asks_for_stream)
    events = _events(decode_body(exchange.response_body, headers), protocol)
    return None if events is None else StreamResponse(exchange.status, headers, events, exchange.response_body)


def _events(transcript: bytes | None, protocol: ProtocolAdapter) -> tuple[StreamEvent, ...] | None:
    """The events of a whole stream; ``None`` for one that breaks off."""
    parser = SseParser()
    events: list[StreamEvent] = []
    try:
        events += parser.feed(transcript or b"")
        events += parser.finish()
    except StreamParseError:
        # What follows the end mark cannot undo a stream that was complete with it.
        return tuple(events) if any(protocol.is_last_event(event) for event in events) else None
    return tuple(events)


def _without_untrue_coding(headers: Headers, body: bytes) -> Headers:
    """Many tools keep the decoded body beside the header field that says it is compressed."""
    if decode_body(body, headers) is not None and not _is_plain_json(body):
        return headers
    return tuple((name, value) for name, value in headers if name != "content-encoding")


def _is_plain_json(body: bytes) -> bool:
    try:
        parse_json(body)
    except NotJsonError:
        return False
    return True


def _raw(headers: Headers) -> RawHeaders:
    # Names of HTTP/2 begin with a colon where they are no header fields.
    return tuple((name.encode("utf-8"), value.encode("utf-8")) for name, value in headers if not name.startswith(":"))
