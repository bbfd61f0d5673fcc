"""HTTP archives (HAR 1.2) as interactions, and a cassette as an archive."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import parse_qsl

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.fields import JsonObject
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import Cassette, Interaction, NonStreamResponse, RecordedResponse, StreamResponse
from spycatcher_addon.exchange import Headers
from spycatcher_addon.tools.importing import ForeignExchange, Imported, ImportFormatError, import_exchange
from spycatcher_addon.tools.losses import Loss, LossKind, count_losses

MADE_UP_ORIGIN = "http://upstream.invalid"
"""A cassette does not know its provider's address; this one can belong to nobody (RFC 6761)."""


def import_har(document: JsonValue, drop_headers: frozenset[str], ignore: IgnorePathConfig, recorded_at: str) -> Imported:
    """Read an archive.

    Args:
        drop_headers: Lower-case names of header fields that must not get onto the tape.
        recorded_at: RFC 3339, UTC: for entries that give no usable time.

    Raises:
        ImportFormatError: It is no archive.
        InvalidPointerPathError: An ignore path does not fit a body.
    """
    interactions = []
    losses: list[LossKind] = []
    started: datetime | None = None
    for exchange, moment in _exchanges(document, recorded_at):
        started = started or moment
        offset_ms = 0 if started is None or moment is None else max(0, round((moment - started).total_seconds() * 1000))
        interaction, lost = import_exchange(replace(exchange, relative_offset_ms=offset_ms), drop_headers, ignore)
        losses += lost
        if interaction is not None:
            interactions.append(interaction)
    return Imported(tuple(interactions), count_losses(losses))


def encode_har(cassette: Cassette, version: str) -> tuple[JsonObject, tuple[Loss, ...]]:
    """Give a cassette as an archive, and say what an archive has no place for.

    Args:
        version: Of this program, for ``creator``.
    """
    losses = [loss for interaction in cassette.interactions for loss in _losses(interaction)]
    log: JsonObject = {
        "version": "1.2",
        "creator": {"name": "spycatcher-harness", "version": version},
        "entries": [_entry(interaction) for interaction in cassette.interactions],
    }
    return {"log": log}, count_losses(losses)


def _exchanges(document: JsonValue, recorded_at: str) -> Iterator[tuple[ForeignExchange, datetime | None]]:
    log = document.get("log") if isinstance(document, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise ImportFormatError("an HTTP archive has a list log.entries; this file has none")
    for index, entry in enumerate(entries):
        place = f"log.entries[{index}]"
        request, response = _member(entry, "request", place), _member(entry, "response", place)
        method, url, status = request.get("method"), request.get("url"), response.get("status")
        if not isinstance(method, str) or not isinstance(url, str) or not isinstance(status, int):
            raise ImportFormatError(f"{place}: expected request.method, request.url and response.status")
        assert isinstance(entry, dict), "it has members"
        moment = _moment(entry.get("startedDateTime"))
        yield (
            ForeignExchange(
                method=method,
                url=url,
                request_headers=_fields(request.get("headers")),
                request_body=_body(request.get("postData"), f"{place}.request.postData"),
                status=status,
                response_headers=_fields(response.get("headers")),
                response_body=_body(response.get("content"), f"{place}.response.content"),
                recorded_at=recorded_at if moment is None else f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z",
                duration_ms=_whole_ms(entry.get("time")),
            ),
            moment,
        )


def _member(value: JsonValue, key: str, place: str) -> JsonObject:
    member = value.get(key) if isinstance(value, dict) else None
    if not isinstance(member, dict):
        raise ImportFormatError(f"{place}.{key}: expected an object")
    return member


def _moment(value: JsonValue) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        return None if moment is None or moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _whole_ms(value: JsonValue) -> int | None:
    """A time of the archive, where it gives one: a number of milliseconds, 0 or -1 when it is not known."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value < 2**53 else None


def _fields(value: JsonValue) -> Headers:
    pairs = [(field.get("name"), field.get("value")) for field in value if isinstance(field, dict)] if isinstance(value, list) else []
    return tuple((name, text) for name, text in pairs if isinstance(name, str) and isinstance(text, str))


def _body(value: JsonValue, place: str) -> bytes:
    text = value.get("text") if isinstance(value, dict) else None
    if not isinstance(text, str):
        return b""
    if isinstance(value, dict) and value.get("encoding") == "base64":
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError) as error:
            raise ImportFormatError(f"{place}.text: {error}") from error
    return text.encode("utf-8", "surrogatepass")


def _losses(interaction: Interaction) -> Iterator[LossKind]:
    yield LossKind.HOSTS
    if interaction.request.stable_hash is not None:
        yield LossKind.HASHES
    if interaction.failure is not None:
        yield LossKind.FAILURES
    if isinstance(interaction.response, StreamResponse) and interaction.response.timing is not None:
        yield LossKind.CHUNK_TIMES


def _entry(interaction: Interaction) -> JsonObject:
    request, response = interaction.request, interaction.response
    wait_ms, receive_ms = _times_ms(interaction)
    query = f"?{request.query}" if request.query else ""
    return {
        "startedDateTime": interaction.metadata.recorded_at,
        "time": wait_ms + receive_ms,
        "request": {
            "method": request.method,
            "url": f"{MADE_UP_ORIGIN}{request.path}{query}",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": _named(request.headers),
            "queryString": [{"name": name, "value": value} for name, value in parse_qsl(request.query, keep_blank_values=True)],
            "postData": {"mimeType": _mime_type(request.headers), **_text(request.body)},
            "headersSize": -1,
            "bodySize": len(request.body),
        },
        "response": {
            "status": response.status,
            "statusText": "",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": _named(response.headers),
            "content": {"size": len(_answer(response)), "mimeType": _mime_type(response.headers), **_text(_answer(response))},
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": len(_answer(response)),
        },
        "cache": {},
        "timings": {"send": 0, "wait": wait_ms, "receive": receive_ms},
    }


def _times_ms(interaction: Interaction) -> tuple[int, int]:
    """Wait for the first byte, and from there to the last; a plain answer is timed as a whole."""
    response = interaction.response
    if isinstance(response, NonStreamResponse):
        return interaction.metadata.duration_ms or 0, 0
    timing = response.timing
    if timing is None or not timing.chunks:
        return 0, 0
    return timing.ttft_ms, max(0, timing.chunks[-1][1] - timing.ttft_ms)


def _answer(response: RecordedResponse) -> bytes:
    return response.raw_transcript if isinstance(response, StreamResponse) else response.body


def _named(headers: Headers) -> list[JsonValue]:
    return [{"name": name, "value": value} for name, value in headers]


def _mime_type(headers: Headers) -> str:
    return next((value for name, value in headers if name == "content-type"), "application/octet-stream")


def _text(body: bytes) -> JsonObject:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(body).decode("ascii"), "encoding": "base64"}
