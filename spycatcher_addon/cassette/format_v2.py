"""Interactions of format version 2: each fact once, readable, and the exact bytes back (docs/cassette-format.md).

Prints and reads single interactions; the file around them is the business of :mod:`spycatcher_addon.cassette.schema`.
Printing is by hand because the layout is part of the format: one member per line, an event or a header pair on one line, so
that a change of one word is a change of one line.
"""

from __future__ import annotations

from typing import Final, assert_never

# The module as such: it needs the model, so whoever imports it first comes by here before it has any names.
from spycatcher_addon import sse
from spycatcher_addon.cassette.byte_layouts import (
    encode_byte_field,
    encode_plain_bytes,
    encode_with_layout,
    parse_byte_field,
    parse_plain_bytes,
    print_compact,
    select_layout,
    sha256,
    verify_sha256,
)
from spycatcher_addon.cassette.fields import (
    MAX_STATUS,
    MAX_UNSIGNED,
    JsonObject,
    MalformedFieldError,
    as_object,
    headers_at,
    integer_at,
    join,
    list_at,
    object_at,
    optional_text_at,
    shown,
    text_at,
    unexpected,
)
from spycatcher_addon.cassette.format_v1 import parse_metadata
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import (
    CommentEvent,
    DataEvent,
    FailureKind,
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
from spycatcher_addon.exchange import Headers

_CHUNKS_PER_LINE: Final = 8
"""Every recording changes all times, so fewer lines make a smaller diff."""

_IN_INTERACTION: Final = "\n      "
_IN_MESSAGE: Final = "\n        "
_IN_FIELD: Final = "\n          "

_EVENT_FIELDS: Final = ("event", "id", "retry")


def print_interaction(interaction: Interaction) -> str:
    """Print an interaction, indented as it stands in the file, without what separates it from its neighbours.

    The text may hold lone surrogates if the interaction does; encoding it as UTF-8 then fails.
    """
    metadata = interaction.metadata
    parts = [
        '"request": ' + _members(_request_members(interaction.request), _IN_INTERACTION),
        '"response": ' + _members(_response_members(interaction.response), _IN_INTERACTION),
        '"metadata": ' + _members(_metadata_members(metadata), _IN_INTERACTION),
    ]
    if interaction.failure is not None:
        parts.append('"failure": ' + print_compact(interaction.failure.value))
    return "    " + _members(parts, "\n    ")


def parse_interaction(value: JsonValue) -> Interaction:
    """Read one element of ``interactions``.

    Raises:
        MalformedFieldError: A field is missing, of the wrong type or out of range, or is not what was recorded.
    """
    members = as_object(value, "")
    return Interaction(
        parse_request(members),
        _parse_response(object_at(members, "response", "")),
        parse_metadata(object_at(members, "metadata", "")),
        _parse_failure(optional_text_at(members, "failure", "")),
    )


def _parse_failure(value: str | None) -> FailureKind | None:
    if value is None:
        return None
    try:
        return FailureKind(value)
    except ValueError:
        raise MalformedFieldError("failure", f"expected one of {', '.join(FailureKind)}, found {shown(value)}") from None


def _members(members: list[str], newline: str) -> str:
    inner = newline + "  "
    return "{" + inner + ("," + inner).join(members) + newline + "}"


def _lines(key: str, lines: list[str]) -> str:
    if not lines:
        return f'"{key}": []'
    return f'"{key}": [' + _IN_FIELD + ("," + _IN_FIELD).join(lines) + _IN_MESSAGE + "]"


def _metadata_members(metadata: Metadata) -> list[str]:
    members = [
        '"protocol_id": ' + print_compact(metadata.protocol_id),
        '"upstream_id": ' + print_compact(metadata.upstream_id),
        '"recorded_at": ' + print_compact(metadata.recorded_at),
        f'"relative_offset_ms": {metadata.relative_offset_ms}',
    ]
    if metadata.duration_ms is not None:
        members.append(f'"duration_ms": {metadata.duration_ms}')
    return members


def _request_members(request: RecordedRequest) -> list[str]:
    return [
        '"method": ' + print_compact(request.method),
        '"path": ' + print_compact(request.path),
        '"query": ' + print_compact(request.query),
        _headers_member(request.headers),
        '"body": ' + encode_byte_field(request.body, _IN_MESSAGE),
        '"stable_hash": ' + print_compact(request.stable_hash),
    ]


def _response_members(response: RecordedResponse) -> list[str]:
    is_stream = isinstance(response, StreamResponse)
    members = [
        f'"kind": "{"stream" if is_stream else "non_stream"}"',
        f'"status": {response.status}',
        _headers_member(response.headers),
    ]
    match response:
        case NonStreamResponse():
            members.append('"body": ' + encode_byte_field(response.body, _IN_MESSAGE))
            if response.answers_stream:
                members.append('"answers_stream": true')
        case StreamResponse():
            members.append(_lines("events", [_event_line(event) for event in response.events]))
            members.append('"raw_transcript": ' + _members(_transcript_members(response), _IN_MESSAGE))
            if response.timing is not None:
                members.append('"timing": ' + _members(_timing_members(response.timing), _IN_MESSAGE))
        case _:
            assert_never(response)
    return members


def _headers_member(headers: Headers) -> str:
    return _lines("headers", [f"[{print_compact(name)}, {print_compact(value)}]" for name, value in headers])


def _event_line(event: StreamEvent) -> str:
    if isinstance(event, CommentEvent):
        return f'{{"comment": {print_compact(event.text)}}}'
    selected = select_layout(event.raw)
    if selected is None:
        parts = ['"data": ' + print_compact(event.raw)]
    elif selected[0] == "compact":
        # The text is its own compact printing.
        parts = ['"json": ' + event.raw]
    else:
        parts = ['"json": ' + print_compact(selected[1]), f'"layout": "{selected[0]}"']
    fields = (("event", event.event), ("id", event.id), ("retry", event.retry))
    parts += [f'"{name}": {print_compact(value)}' for name, value in fields if value is not None]
    return "{" + ", ".join(parts) + "}"


def _transcript_members(response: StreamResponse) -> list[str]:
    canonical = sse.encode_events(response.events)
    if canonical == response.raw_transcript:
        return ['"layout": "events"', f'"sha256": "{sha256(canonical)}"']
    # Here the transcript says nothing of the events' exact text, so their own digest stands beside it.
    return [f'"events_sha256": "{sha256(canonical)}"', encode_plain_bytes(response.raw_transcript, _IN_FIELD)]


def _timing_members(timing: Timing) -> list[str]:
    pairs = [f"[{end}, {ms}]" for end, ms in timing.chunks]
    lines = [", ".join(pairs[start : start + _CHUNKS_PER_LINE]) for start in range(0, len(pairs), _CHUNKS_PER_LINE)]
    chunks = "[" + _IN_FIELD + "  " + ("," + _IN_FIELD + "  ").join(lines) + _IN_FIELD + "]" if lines else "[]"
    return [f'"ttft_ms": {timing.ttft_ms}', '"chunks": ' + chunks]


def parse_request(interaction: JsonObject) -> RecordedRequest:
    """Read the member ``request`` of an interaction alone; raises what :func:`parse_interaction` does."""
    members = object_at(interaction, "request", "")
    return RecordedRequest(
        text_at(members, "method", "request"),
        text_at(members, "path", "request"),
        text_at(members, "query", "request"),
        headers_at(members, "request"),
        parse_byte_field(object_at(members, "body", "request"), "request.body"),
        stable_hash=optional_text_at(members, "stable_hash", "request"),
    )


def parse_answer(interaction: JsonObject) -> RecordedAnswer:
    """Read an interaction without its request; raises what :func:`parse_interaction` does."""
    return RecordedAnswer(
        _parse_response(object_at(interaction, "response", "")),
        parse_metadata(object_at(interaction, "metadata", "")),
        _parse_failure(optional_text_at(interaction, "failure", "")),
    )


def _parse_response(members: JsonObject) -> RecordedResponse:
    kind = text_at(members, "kind", "response")
    status = integer_at(members, "status", "response", MAX_STATUS)
    headers = headers_at(members, "response")
    if kind == "non_stream":
        body = parse_byte_field(object_at(members, "body", "response"), "response.body")
        answers_stream = members.get("answers_stream", False)
        if not isinstance(answers_stream, bool):
            raise unexpected("response.answers_stream", "a boolean", answers_stream)
        return NonStreamResponse(status, headers, body, answers_stream)
    if kind != "stream":
        raise MalformedFieldError("response.kind", f'expected "non_stream" or "stream", found {shown(kind)}')
    events = tuple(_parse_event(event, index) for index, event in enumerate(list_at(members, "events", "response")))
    field = object_at(members, "raw_transcript", "response")
    transcript = _parse_transcript(field, events)
    timing = None if members.get("timing") is None else _parse_timing(object_at(members, "timing", "response"), len(transcript))
    return StreamResponse(status, headers, events, transcript, timing, is_canonical="layout" in field)


def _parse_event(value: JsonValue, index: int) -> StreamEvent:
    # Events are by far the most numerous, so their place is only spelled when something is wrong with them.
    try:
        members = as_object(value, "")
        if ("comment" in members) + ("data" in members) + ("json" in members) != 1:
            raise MalformedFieldError("", 'expected exactly one of "comment", "data" and "json"')
        if "json" in members:
            layout = text_at(members, "layout", "") if "layout" in members else "compact"
            raw = encode_with_layout(members["json"], layout, "")
        elif "data" in members:
            raw = text_at(members, "data", "")
        else:
            return CommentEvent(text_at(members, "comment", ""))
        if len(members) == 1:
            return DataEvent(raw)
        return DataEvent(raw, *(_event_field(members, name) for name in _EVENT_FIELDS))
    except MalformedFieldError as error:
        raise MalformedFieldError(join(f"response.events[{index}]", error.place), error.problem) from None


def _event_field(members: JsonObject, name: str) -> str | None:
    value = optional_text_at(members, name, "")
    if value is not None and ("\n" in value or "\r" in value):
        raise MalformedFieldError(name, "a line break, which would end the line of the stream that this is written on")
    return value


def _parse_transcript(field: JsonObject, events: tuple[StreamEvent, ...]) -> bytes:
    place = "response.raw_transcript"
    if "layout" not in field:
        if "events_sha256" in field:
            verify_sha256(sse.encode_events(events), field, "events_sha256", place)
        return parse_plain_bytes(field, place, "layout")
    if "text" in field or "base64" in field:
        raise MalformedFieldError(place, 'expected exactly one of "layout", "text" and "base64"')
    if field["layout"] != "events":
        raise MalformedFieldError(f"{place}.layout", 'the only layout of a transcript is "events"')
    transcript = sse.encode_events(events)
    verify_sha256(transcript, field, "sha256", place)
    return transcript


def _parse_timing(members: JsonObject, transcript_bytes: int) -> Timing:
    chunks = []
    last_end = 0
    for index, pair in enumerate(list_at(members, "chunks", "response.timing")):
        match pair:
            case [int(end), int(ms)] if last_end <= end <= transcript_bytes and 0 <= ms <= MAX_UNSIGNED and bool not in map(type, pair):
                chunks.append((end, ms))
                last_end = end
            case _:
                raise MalformedFieldError(
                    f"response.timing.chunks[{index}]",
                    f"expected two integers, [end_offset_bytes, ms], the first from {last_end}, where the chunk begins, "
                    f"to {transcript_bytes}, where the transcript ends",
                )
    return Timing(integer_at(members, "ttft_ms", "response.timing"), tuple(chunks))
