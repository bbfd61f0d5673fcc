"""What files of format 1 store beside the bytes, although it follows from them: taken along, so that it can be checked.

The reader of that format derives ``parsed_json`` and ``canonical_request`` anew and passes over what the file says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spycatcher_addon.cassette.diff import differences
from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, parse_json
from spycatcher_addon.cassette.model import (
    CanonicalRequest,
    DataEvent,
    Interaction,
    NonStreamResponse,
    RecordedRequest,
    StreamResponse,
)
from spycatcher_addon.verifying.findings import Finding, finding

type _Members = dict[str, JsonValue]


def with_stored_values(interaction: Interaction, element: bytes) -> tuple[Interaction, tuple[Finding, ...]]:
    """The interaction with what its element of the file says of itself; and what does not even fit the model.

    Args:
        element: The JSON text of the interaction, which has been read without an error.
    """
    try:
        stored = _object(parse_json(element))
    except NotJsonError:
        # Numbers that this reader refuses; the bytes, which count, were read.
        return interaction, ()
    request = _with_request(interaction.request, _object(stored.get("request")))
    answer = _object(stored.get("response"))
    response = interaction.response
    if isinstance(response, NonStreamResponse):
        parsed = answer.get("parsed_json")
        if parsed is not None:
            response = replace(response)
            vars(response)["parsed_json"] = parsed
        return replace(interaction, request=request, response=response), ()
    findings = (*_check_events(response, _list(answer.get("events"))), *_check_count(response, answer))
    return replace(interaction, request=request), findings


def _check_events(response: StreamResponse, stored: list[JsonValue]) -> Iterator[Finding]:
    for number, (event, members) in enumerate(zip(response.events, stored, strict=True)):
        parsed = _object(members).get("parsed_json")
        if parsed is not None and isinstance(event, DataEvent) and differences(parsed, event.parsed_json):
            yield finding("event-json-mismatch", ("response", "events", number), event=number)


def _check_count(response: StreamResponse, answer: _Members) -> tuple[Finding, ...]:
    """One time for each event is what the format asks for."""
    if response.timing is None:
        return ()
    times = _list(_object(answer.get("timing")).get("chunk_offsets_ms"))
    if len(times) == len(response.events):
        return ()
    path = ("response", "timing", "chunk_offsets_ms")
    return (finding("chunks-count", path, times=len(times), events=len(response.events)),)


def _with_request(request: RecordedRequest, stored: _Members) -> RecordedRequest:
    canonical = _object(stored.get("canonical_request"))
    return RecordedRequest(
        request.method,
        request.path,
        request.query,
        request.headers,
        request.body,
        stored.get("parsed_json"),
        _canonical_request(canonical) if canonical else None,
        request.stable_hash,
    )


def _canonical_request(stored: _Members) -> CanonicalRequest:
    method, path, query = (str(stored.get(name)) for name in ("method", "path", "canonical_query"))
    return CanonicalRequest(method, path, query, stored.get("canonical_body"))


def _object(value: JsonValue) -> _Members:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
