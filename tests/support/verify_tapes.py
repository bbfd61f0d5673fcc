"""Small exchanges, their findings, and cassettes of both formats as files."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import (
    Cassette,
    CommentEvent,
    DataEvent,
    Hashing,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    StreamResponse,
    Timing,
)
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.sse import encode_events
from spycatcher_addon.verifying.findings import Finding
from spycatcher_addon.verifying.whole_tape import verify_cassette

EVENTS = (CommentEvent("PROCESSING"), DataEvent('{"n":1}'), DataEvent("[DONE]"))
TRANSCRIPT = encode_events(EVENTS)
JSON_HEADERS = (("content-type", "application/json"),)
SSE_HEADERS = (("content-type", "text/event-stream"),)
METADATA = Metadata("openai.chat_completions.v1", "openrouter", "2026-01-02T03:04:05.678901Z", 0)
NO_SETTINGS = Hashing()
DROP = frozenset({"authorization", "x-api-key"})


def hashed(body: bytes, *ignored: str, query: str = "", headers: Any = JSON_HEADERS) -> RecordedRequest:
    """A request with its hash."""
    request = RecordedRequest("POST", "/v1/chat/completions", query, headers, body)
    digest = stable_hash(canonicalize(request, IgnorePathConfig(ignored)))
    return RecordedRequest("POST", "/v1/chat/completions", query, headers, body, stable_hash=digest)


def plain(**changes: Any) -> Interaction:
    """An exchange with a plain answer."""
    return replace(Interaction(hashed(b'{"model":"m"}'), NonStreamResponse(200, JSON_HEADERS, b'{"ok":true}'), METADATA), **changes)


def answered(body: bytes) -> Interaction:
    """One with another answer."""
    return plain(response=NonStreamResponse(200, JSON_HEADERS, body))


def stream(**changes: Any) -> Interaction:
    """An exchange with a stream; the changes are to its answer."""
    half = len(TRANSCRIPT) // 2
    answer = StreamResponse(200, SSE_HEADERS, EVENTS, TRANSCRIPT, Timing(5, ((half, 5), (len(TRANSCRIPT), 9))))
    return Interaction(hashed(b'{"model":"m","stream":true}'), replace(answer, **changes), METADATA)


def check(*interactions: Interaction, ignored: tuple[str, ...] = (), hashing: Hashing = NO_SETTINGS, version: int = 2) -> list[Finding]:
    """The findings of a cassette of these interactions."""
    return list(verify_cassette(Cassette(version, interactions, hashing), IgnorePathConfig(ignored), RedactionRules(DROP)))


def only(findings: list[Finding]) -> tuple[str, dict[str, str], bool]:
    """Message id, arguments and severity of the only finding."""
    (finding,) = findings
    return finding.message_id, dict(finding.arguments), finding.is_warning


def tape_of(*interactions: Interaction) -> bytes:
    """A file of format 2, as the recorder writes it."""
    return encode_cassette(Cassette(2, interactions, Hashing(redaction_rules=("header.authorization",)), "a test"))


def version_1_document() -> dict[str, Any]:
    """A plain answer and a stream as format 1 has them, with everything that it stores twice."""
    canonical = {"method": "POST", "path": "/v1/chat/completions", "canonical_query": ""}
    request: dict[str, Any] = {"method": "POST", "path": "/v1/chat/completions", "query": "", "headers": [list(JSON_HEADERS[0])]}
    metadata = {"protocol_id": "p", "upstream_id": "u", "recorded_at": METADATA.recorded_at, "relative_offset_ms": 0}

    def with_body(body: bytes) -> dict[str, Any]:
        parsed = json.loads(body)
        derived = {"parsed_json": parsed, "canonical_request": canonical | {"canonical_body": parsed}}
        return request | {"body": list(body), **derived, "stable_hash": hashed(body).stable_hash}

    events = [
        {"kind": "comment", "text": "PROCESSING"},
        {"kind": "data", "raw": '{"n":1}', "parsed_json": {"n": 1}},
        {"kind": "data", "raw": "[DONE]", "parsed_json": None},
    ]
    answer = {"kind": "non_stream", "status": 200, "headers": [], "body": list(b'{"ok":true}'), "parsed_json": {"ok": True}}
    timing = {"ttft_ms": 5, "chunk_offsets_ms": [5, 5, 9]}
    streamed = {"kind": "stream", "status": 200, "headers": [], "events": events, "raw_transcript": list(TRANSCRIPT), "timing": timing}
    interactions = [
        {"request": with_body(b'{"model":"m"}'), "response": answer, "metadata": metadata},
        {"request": with_body(b'{"model":"m","stream":true}'), "response": streamed, "metadata": metadata},
    ]
    return {"format_version": 1, "interactions": interactions}
