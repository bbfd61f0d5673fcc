"""A cassette as a file of format version 1, for the Rust harness (docs/cassette-format.md, "Version 1")."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import astuple

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, canonicalize, stable_hash
from spycatcher_addon.cassette.fields import JsonObject
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import (
    Cassette,
    CommentEvent,
    DataEvent,
    Hashing,
    Interaction,
    NonStreamResponse,
    RecordedRequest,
    RecordedResponse,
    StreamEvent,
    StreamResponse,
)
from spycatcher_addon.pacing import event_arrivals_ms
from spycatcher_addon.tools.losses import Loss, LossKind, count_losses


def encode_version_one(cassette: Cassette) -> tuple[bytes, tuple[Loss, ...]]:
    """Print a cassette in format version 1, and say what that format has no place for.

    The hashes are those without ignore paths: the other program reads none of our settings.
    """
    document: JsonObject = {"format_version": 1, "interactions": [_interaction(each) for each in cassette.interactions]}
    losses = list(_losses(cassette))
    return json.dumps(document, ensure_ascii=False, indent=2).encode("utf-8", "surrogatepass"), count_losses(losses)


def _losses(cassette: Cassette) -> Iterator[LossKind]:
    if cassette.hashing != Hashing():
        yield LossKind.SETTINGS
    for interaction in cassette.interactions:
        response = interaction.response
        if interaction.failure is not None:
            yield LossKind.FAILURES
        if isinstance(response, NonStreamResponse):
            if response.answers_stream:
                yield LossKind.ANSWERS_STREAM
            if interaction.metadata.duration_ms is not None:
                yield LossKind.DURATIONS
            continue
        yield from (
            LossKind.EVENT_FIELDS for event in response.events if isinstance(event, DataEvent) and (event.event or event.id or event.retry)
        )
        if response.timing is not None:
            yield LossKind.CHUNK_TIMES


def _interaction(interaction: Interaction) -> JsonObject:
    metadata = interaction.metadata
    return {
        "request": _request(interaction.request),
        "response": _response(interaction.response),
        "metadata": {
            "protocol_id": metadata.protocol_id,
            "upstream_id": metadata.upstream_id,
            "recorded_at": metadata.recorded_at,
            "relative_offset_ms": metadata.relative_offset_ms,
        },
    }


def _request(request: RecordedRequest) -> JsonObject:
    canonical = canonicalize(request, NOTHING_IGNORED)
    method, path, query, body = astuple(canonical)
    return {
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "headers": _headers(request.headers),
        "body": list(request.body),
        "parsed_json": request.parse_body(),
        "canonical_request": {"method": method, "path": path, "canonical_query": query, "canonical_body": body},
        "stable_hash": stable_hash(canonical),
    }


def _response(response: RecordedResponse) -> JsonObject:
    if isinstance(response, NonStreamResponse):
        return {
            "kind": "non_stream",
            "status": response.status,
            "headers": _headers(response.headers),
            "body": list(response.body),
            "parsed_json": response.parsed_json,
        }
    return {
        "kind": "stream",
        "status": response.status,
        "headers": _headers(response.headers),
        "events": [_event(event) for event in response.events],
        "raw_transcript": list(response.raw_transcript),
        "timing": _timing(response),
    }


def _headers(headers: tuple[tuple[str, str], ...]) -> list[JsonValue]:
    return [[name, value] for name, value in headers]


def _event(event: StreamEvent) -> JsonObject:
    if isinstance(event, CommentEvent):
        return {"kind": "comment", "text": event.text}
    return {"kind": "data", "raw": event.raw, "parsed_json": event.parsed_json}


def _timing(response: StreamResponse) -> JsonValue:
    if response.timing is None:
        return None
    return {"ttft_ms": response.timing.ttft_ms, "chunk_offsets_ms": list(event_arrivals_ms(response) or ())}
