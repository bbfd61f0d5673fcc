"""Read the interactions of format version 1, the layout of the Rust harness (docs/cassette-format.md, "Version 1").

Bodies are arrays of byte values there. ``parsed_json`` and ``canonical_request`` are not trusted: both follow from the body.
This version is only read, never written.
"""

from __future__ import annotations

from typing import Final

# The module as such: it needs the model, so whoever imports it first comes by here before it has any names.
from spycatcher_addon import sse
from spycatcher_addon.cassette.fields import (
    MAX_STATUS,
    MAX_UNSIGNED,
    JsonObject,
    MalformedFieldError,
    as_integer,
    as_object,
    depth_exceeds,
    headers_at,
    integer_at,
    list_at,
    object_at,
    optional_integer_at,
    optional_text_at,
    shown,
    text_at,
)
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import (
    CommentEvent,
    DataEvent,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedAnswer,
    RecordedRequest,
    RecordedResponse,
    StreamEvent,
    StreamResponse,
    Timing,
)
from spycatcher_addon.errors import StreamParseError

_MAX_DEPTH: Final = 127 - 2
"""The format allows 127 levels in the whole document, and an interaction begins at the third."""


def parse_interaction(value: JsonValue) -> Interaction:
    """Read one element of ``interactions``.

    Raises:
        MalformedFieldError: A field is missing, of the wrong type or out of range.
    """
    members = as_object(value, "")
    if depth_exceeds(members, _MAX_DEPTH):
        raise MalformedFieldError("", "nested more than 127 levels deep")
    return Interaction(
        parse_request(members),
        _parse_response(object_at(members, "response", "")),
        parse_metadata(object_at(members, "metadata", "")),
    )


def parse_metadata(members: JsonObject) -> Metadata:
    """Read ``metadata``, which is the same in every version but for ``duration_ms``, which version 1 never has."""
    return Metadata(
        text_at(members, "protocol_id", "metadata"),
        text_at(members, "upstream_id", "metadata"),
        text_at(members, "recorded_at", "metadata"),
        integer_at(members, "relative_offset_ms", "metadata"),
        optional_integer_at(members, "duration_ms", "metadata"),
    )


def parse_request(interaction: JsonObject) -> RecordedRequest:
    """Read the member ``request`` of an interaction alone; raises what :func:`parse_interaction` does."""
    members = object_at(interaction, "request", "")
    return RecordedRequest(
        text_at(members, "method", "request"),
        text_at(members, "path", "request"),
        text_at(members, "query", "request"),
        headers_at(members, "request"),
        _bytes_at(members, "body", "request"),
        stable_hash=optional_text_at(members, "stable_hash", "request"),
    )


def parse_answer(interaction: JsonObject) -> RecordedAnswer:
    """Read an interaction without its request; raises what :func:`parse_interaction` does."""
    return RecordedAnswer(
        _parse_response(object_at(interaction, "response", "")),
        parse_metadata(object_at(interaction, "metadata", "")),
    )


def _parse_response(members: JsonObject) -> RecordedResponse:
    kind = text_at(members, "kind", "response")
    status = integer_at(members, "status", "response", MAX_STATUS)
    headers = headers_at(members, "response")
    if kind == "non_stream":
        return NonStreamResponse(status, headers, _bytes_at(members, "body", "response"))
    if kind != "stream":
        raise MalformedFieldError("response.kind", f'expected "non_stream" or "stream", found {shown(kind)}')
    events = tuple(_parse_event(event, index) for index, event in enumerate(list_at(members, "events", "response")))
    transcript = _bytes_at(members, "raw_transcript", "response")
    timing = None if members.get("timing") is None else _parse_timing(object_at(members, "timing", "response"), transcript)
    return StreamResponse(status, headers, events, transcript, timing)


def _bytes_at(members: JsonObject, key: str, place: str) -> bytes:
    values = list_at(members, key, place)
    # The check of types first: bytes() would take true for 1.
    if set(map(type, values)) <= {int}:
        try:
            return bytes(values)  # type: ignore[arg-type]
        except ValueError:
            pass
    # Slow, and only to name the value that is not a byte.
    return bytes(as_integer(value, f"{place}.{key}[{index}]", 255) for index, value in enumerate(values))


def _parse_event(value: JsonValue, index: int) -> StreamEvent:
    place = f"response.events[{index}]"
    members = as_object(value, place)
    kind = text_at(members, "kind", place)
    if kind == "comment":
        return CommentEvent(text_at(members, "text", place))
    if kind == "data":
        return DataEvent(text_at(members, "raw", place))
    raise MalformedFieldError(f"{place}.kind", f'expected "comment" or "data", found {shown(kind)}')


def _parse_timing(members: JsonObject, transcript: bytes) -> Timing:
    ttft_ms = integer_at(members, "ttft_ms", "response.timing")
    offsets_ms = [
        as_integer(value, f"response.timing.chunk_offsets_ms[{index}]", MAX_UNSIGNED)
        for index, value in enumerate(list_at(members, "chunk_offsets_ms", "response.timing"))
    ]
    ends = _event_ends(transcript)
    if len(ends) == len(offsets_ms):
        # Every byte belongs to a chunk, so the last one also takes what follows the last event.
        if ends:
            ends[-1] = len(transcript)
        return Timing(ttft_ms, tuple(zip(ends, offsets_ms, strict=True)))
    # Which event came when cannot be told; that the last byte came at the last offset still can.
    return Timing(ttft_ms, ((len(transcript), offsets_ms[-1] if offsets_ms else ttft_ms),))


def _event_ends(transcript: bytes) -> list[int]:
    parser = sse.SseParser()
    try:
        parser.feed(transcript)
        parser.finish()
    except StreamParseError:
        # Events before the broken place keep their offsets; the count decides whether they are of use.
        pass
    return parser.event_end_offsets
