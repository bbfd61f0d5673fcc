from __future__ import annotations

import copy
from typing import Any

import pytest

from spycatcher_addon.cassette.fields import MalformedFieldError
from spycatcher_addon.cassette.format_v1 import parse_interaction
from spycatcher_addon.cassette.model import CommentEvent, DataEvent, Metadata, NonStreamResponse, StreamResponse, Timing

BODY = b'{"model": "m"}'
TRANSCRIPT = b": hi\n\ndata: 1\n\ndata: [DONE]\n\n"


def non_stream() -> dict[str, Any]:
    return {
        "request": {
            "method": "POST",
            "path": "/v1/chat/completions",
            "query": "a=1",
            "headers": [["content-type", "application/json"], ["x", "1"], ["x", "2"]],
            "body": list(BODY),
            "parsed_json": {"anything": "not looked at"},
            "canonical_request": None,
            "stable_hash": "0" * 64,
        },
        "response": {"status": 200, "headers": [], "body": [0, 255], "parsed_json": None, "kind": "non_stream"},
        "metadata": {
            "protocol_id": "openai.chat_completions.v1",
            "upstream_id": "openrouter",
            "recorded_at": "2026-01-01T00:00:00Z",
            "relative_offset_ms": 7,
        },
    }


def stream() -> dict[str, Any]:
    value = non_stream()
    value["response"] = {
        "kind": "stream",
        "status": 200,
        "headers": [["content-type", "text/event-stream"]],
        "events": [
            {"text": "hi", "kind": "comment"},
            {"kind": "data", "raw": "1", "parsed_json": 1},
            {"kind": "data", "raw": "[DONE]"},
        ],
        "raw_transcript": list(TRANSCRIPT),
        "timing": {"ttft_ms": 3, "chunk_offsets_ms": [3, 5, 9]},
    }
    return value


def test_a_plain_answer() -> None:
    interaction = parse_interaction(non_stream())
    request = interaction.request
    assert (request.method, request.path, request.query, request.body) == ("POST", "/v1/chat/completions", "a=1", BODY)
    assert request.headers == (("content-type", "application/json"), ("x", "1"), ("x", "2"))
    assert request.stable_hash == "0" * 64
    assert request.parsed_json == {"model": "m"}
    assert interaction.response == NonStreamResponse(200, (), b"\0\xff")
    assert interaction.metadata == Metadata("openai.chat_completions.v1", "openrouter", "2026-01-01T00:00:00Z", 7)


def test_a_stream() -> None:
    assert parse_interaction(stream()).response == StreamResponse(
        200,
        (("content-type", "text/event-stream"),),
        (CommentEvent("hi"), DataEvent("1"), DataEvent("[DONE]")),
        TRANSCRIPT,
        Timing(3, ((5, 3), (15, 5), (len(TRANSCRIPT), 9))),
    )


@pytest.mark.parametrize(
    ("transcript", "offsets", "chunks"),
    [
        (TRANSCRIPT, [3, 5], ((len(TRANSCRIPT), 5),)),
        (TRANSCRIPT, [], ((len(TRANSCRIPT), 3),)),
        (b"", [], ()),
        (b"data: \xff\n\n", [4], ((9, 4),)),
        (b"data: 1\n\ndata: open", [4], ((19, 4),)),
    ],
    ids=["too few", "none", "no bytes", "broken transcript", "open transcript"],
)
def test_times_of_events_become_times_of_chunks(transcript: bytes, offsets: list[int], chunks: tuple[tuple[int, int], ...]) -> None:
    value = stream()
    value["response"]["raw_transcript"] = list(transcript)
    value["response"]["timing"]["chunk_offsets_ms"] = offsets
    response = parse_interaction(value).response
    assert isinstance(response, StreamResponse)
    assert response.timing == Timing(3, chunks)


@pytest.mark.parametrize(
    "path", ["request.parsed_json", "request.canonical_request", "request.stable_hash", "response.parsed_json", "response.timing"]
)
@pytest.mark.parametrize("is_null", [True, False])
def test_optional_fields_may_be_null_or_absent(path: str, is_null: bool) -> None:
    part, key = path.split(".")
    for value in (non_stream(), stream()):
        if is_null:
            value[part][key] = None
        else:
            value[part].pop(key, None)
        parse_interaction(value)


def test_unknown_keys_are_passed_over() -> None:
    value = stream()
    value["new"] = value["request"]["new"] = value["response"]["events"][0]["new"] = [1.5]
    assert parse_interaction(value) == parse_interaction(stream())


REMOVED = object()


@pytest.mark.parametrize(
    ("make", "path", "value", "message"),
    [
        (non_stream, "request", REMOVED, "request: missing"),
        (non_stream, "response", [], "response: expected an object, found an array"),
        (non_stream, "metadata", REMOVED, "metadata: missing"),
        (non_stream, "request.method", 1, "request.method: expected a string, found an integer"),
        (non_stream, "request.query", REMOVED, "request.query: missing"),
        (non_stream, "request.headers", [["a"]], "request.headers[0]: expected a pair"),
        (non_stream, "request.body", "aGk=", "request.body: expected an array, found a string"),
        (non_stream, "request.body", [1, 256], "request.body[1]: expected an integer from 0 to 255, found 256"),
        (non_stream, "request.body", [-1], "request.body[0]: expected an integer from 0 to 255, found -1"),
        (non_stream, "request.body", [1.0], "request.body[0]: expected an integer from 0 to 255, found a number with"),
        (non_stream, "request.body", [True], "request.body[0]: expected an integer from 0 to 255, found a boolean"),
        (non_stream, "request.stable_hash", 1, "request.stable_hash: expected a string"),
        (non_stream, "response.kind", REMOVED, "response.kind: missing"),
        (non_stream, "response.kind", "other", 'response.kind: expected "non_stream" or "stream", found \'other\''),
        (non_stream, "response.status", 70000, "response.status: expected an integer from 0 to 65535, found 70000"),
        (non_stream, "response.status", 200.0, "response.status: expected an integer from 0 to 65535, found a number with"),
        (non_stream, "response.body", REMOVED, "response.body: missing"),
        (non_stream, "metadata.relative_offset_ms", -1, "metadata.relative_offset_ms: expected an integer from 0"),
        (non_stream, "metadata.relative_offset_ms", 2**64, "metadata.relative_offset_ms: expected an integer from 0"),
        (non_stream, "metadata.recorded_at", None, "metadata.recorded_at: expected a string, found null"),
        (stream, "response.events", REMOVED, "response.events: missing"),
        (stream, "response.events.1", 5, "response.events[1]: expected an object, found an integer"),
        (stream, "response.events.1.kind", "ping", "response.events[1].kind: expected"),
        (stream, "response.events.1.raw", REMOVED, "response.events[1].raw: missing"),
        (stream, "response.events.0.text", 1, "response.events[0].text: expected a string"),
        (stream, "response.raw_transcript", REMOVED, "response.raw_transcript: missing"),
        (stream, "response.timing", 1, "response.timing: expected an object"),
        (stream, "response.timing.ttft_ms", REMOVED, "response.timing.ttft_ms: missing"),
        (stream, "response.timing.chunk_offsets_ms.1", 1.5, "response.timing.chunk_offsets_ms[1]: expected an integer"),
    ],
)
def test_what_does_not_fit_is_named(make: Any, path: str, value: Any, message: str) -> None:
    interaction = copy.deepcopy(make())
    target = interaction
    *parents, key = [int(part) if part.isdigit() else part for part in path.split(".")]
    for parent in parents:
        target = target[parent]
    if value is REMOVED:
        del target[key]
    else:
        target[key] = value
    with pytest.raises(MalformedFieldError) as caught:
        parse_interaction(interaction)
    assert f"{caught.value.place}: {caught.value.problem}".startswith(message)


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_nesting_is_limited() -> None:
    value = non_stream()
    # The file, the list of interactions, the interaction and its request stand around it.
    value["request"]["parsed_json"] = nested(127 - 4)
    parse_interaction(value)
    value["request"]["parsed_json"] = nested(127 - 3)
    with pytest.raises(MalformedFieldError, match="127 levels"):
        parse_interaction(value)
