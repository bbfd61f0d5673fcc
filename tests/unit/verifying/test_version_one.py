"""What files of format 1 say twice has to agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.schema import parse_cassette
from spycatcher_addon.redaction.rules import NO_RULES
from spycatcher_addon.verifying.findings import Finding
from spycatcher_addon.verifying.tape_text import TapeText
from spycatcher_addon.verifying.whole_tape import verify_cassette

REQUEST_BODY = b'{"model":"m","messages":[],"stream":true,"n":1e2}'
DATA = ['{"n":1.0}', "[DONE]"]
TRANSCRIPT = "".join(f"data: {data}\n\n" for data in DATA).encode()


def document() -> Any:
    """A hand-made cassette of format 1: a stream, and a plain answer."""
    asked = {"model": "m", "messages": [], "stream": True, "n": 100.0}
    request = {
        "method": "POST",
        "path": "/v1/chat/completions",
        "query": "",
        "headers": [],
        "body": list(REQUEST_BODY),
        "parsed_json": asked,
        "canonical_request": {
            "method": "POST",
            "path": "/v1/chat/completions",
            "canonical_query": "",
            "canonical_body": asked,
        },
        "stable_hash": "",
    }
    stream = {
        "kind": "stream",
        "status": 200,
        "headers": [["content-type", "text/event-stream"]],
        "events": [{"kind": "data", "raw": DATA[0], "parsed_json": {"n": 1.0}}, {"kind": "data", "raw": DATA[1], "parsed_json": None}],
        "raw_transcript": list(TRANSCRIPT),
        "timing": {"ttft_ms": 1, "chunk_offsets_ms": [1, 2]},
    }
    plain = {"kind": "non_stream", "status": 200, "headers": [], "body": list(b'{"ok":true}'), "parsed_json": {"ok": True}}
    metadata = {"protocol_id": "p", "upstream_id": "u", "recorded_at": "2026-01-02T03:04:05Z", "relative_offset_ms": 0}
    asked_plainly = {**request, "body": list(b"{}"), "parsed_json": {}, "canonical_request": None}
    return {
        "format_version": 1,
        "interactions": [
            {"request": request, "response": stream, "metadata": metadata},
            {"request": asked_plainly, "response": plain, "metadata": metadata},
        ],
    }


def check(value: Any) -> list[Finding]:
    data = json.dumps(value, indent=2).encode()
    return list(verify_cassette(parse_cassette(data, "tape"), IgnorePathConfig(), NO_RULES, TapeText(data)))


def hashed() -> Any:
    """The same with the right hashes, which the findings name."""
    value = json.loads(json.dumps(document()))
    for finding in check(value):
        assert finding.rule == "hash-mismatch" and finding.interaction is not None
        value["interactions"][finding.interaction]["request"]["stable_hash"] = dict(finding.arguments)["computed"]
    return value


def test_it_agrees() -> None:
    assert check(hashed()) == []


def test_what_need_not_be_there_may_be_missing() -> None:
    value = hashed()
    for interaction in value["interactions"]:
        for part in (interaction["request"], interaction["response"]):
            part.pop("parsed_json", None)
        interaction["request"].pop("canonical_request")
    for event in value["interactions"][0]["response"]["events"]:
        event.pop("parsed_json")
    assert check(value) == []


@pytest.mark.parametrize(
    ("index", "change", "rule", "field"),
    [
        (0, lambda it: it["request"]["parsed_json"].update(n=100), "request-json-mismatch", "request.parsed_json"),
        (0, lambda it: it["request"]["canonical_request"].update(method="PUT"), "canonical-mismatch", "request.canonical_request"),
        (1, lambda it: it["response"]["parsed_json"].update(ok=1), "response-json-mismatch", "response.parsed_json"),
        (0, lambda it: it["response"]["events"][0].update(parsed_json={"n": 1}), "event-json-mismatch", "response.events[0]"),
        (0, lambda it: it["response"]["events"][1].update(parsed_json="[DONE]"), "event-json-mismatch", "response.events[1]"),
        (0, lambda it: it["response"]["timing"]["chunk_offsets_ms"].pop(), "chunks-count", "response.timing.chunk_offsets_ms"),
    ],
)
def test_what_was_edited_is_found(index: int, change: Callable[[Any], None], rule: str, field: str) -> None:
    value = hashed()
    change(value["interactions"][index])
    (finding,) = check(value)
    assert (finding.rule, finding.interaction, finding.field) == (rule, index, field)
    assert finding.line is not None and finding.line > 1
