from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from spycatcher_addon.cassette.byte_layouts import sha256
from spycatcher_addon.cassette.fields import MalformedFieldError
from spycatcher_addon.cassette.format_v2 import parse_interaction, print_interaction
from spycatcher_addon.cassette.model import (
    CommentEvent,
    DataEvent,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    StreamEvent,
    StreamResponse,
    Timing,
)
from spycatcher_addon.sse import encode_events

METADATA = Metadata("openai.chat_completions.v1", "openrouter", "2026-01-01T00:00:00.5Z", 12)
REQUEST = RecordedRequest(
    "POST",
    "/v1/chat/completions",
    "b=2&a=1",
    (("content-type", "application/json"), ("x", '"é"')),
    '{"model":"m","messages":[{"role":"user","content":"Grüße"}],"stream":true}'.encode(),
    stable_hash="ab" * 32,
)
EVENTS = (
    CommentEvent("OPENROUTER PROCESSING"),
    DataEvent('{"id":"1","delta":{"content":"Hé"}}'),
    DataEvent('{"id": "2"}', event="delta", id="7", retry="100"),
    DataEvent("[DONE]"),
)
STREAM = Interaction(
    REQUEST,
    StreamResponse(
        200, (("content-type", "text/event-stream"),), EVENTS, encode_events(EVENTS), Timing(3, tuple((n, n) for n in range(9)))
    ),
    METADATA,
)
PLAIN = Interaction(REQUEST, NonStreamResponse(429, (), b"slow\ndown\n", answers_stream=True), METADATA)


def stream(*events: StreamEvent, transcript: bytes | None = None, timing: Timing | None = None) -> Interaction:
    return Interaction(
        REQUEST, StreamResponse(200, (), events, encode_events(events) if transcript is None else transcript, timing), METADATA
    )


def printed(interaction: Interaction) -> Any:
    return json.loads(print_interaction(interaction))


def test_a_stream_as_it_stands_in_the_file() -> None:
    assert (
        print_interaction(STREAM)
        == f"""\
    {{
      "request": {{
        "method": "POST",
        "path": "/v1/chat/completions",
        "query": "b=2&a=1",
        "headers": [
          ["content-type", "application/json"],
          ["x", "\\"é\\""]
        ],
        "body": {{
          "layout": "compact",
          "sha256": "{sha256(REQUEST.body)}",
          "json": {{
            "model": "m",
            "messages": [
              {{
                "role": "user",
                "content": "Grüße"
              }}
            ],
            "stream": true
          }}
        }},
        "stable_hash": "{"ab" * 32}"
      }},
      "response": {{
        "kind": "stream",
        "status": 200,
        "headers": [
          ["content-type", "text/event-stream"]
        ],
        "events": [
          {{"comment": "OPENROUTER PROCESSING"}},
          {{"json": {{"id":"1","delta":{{"content":"Hé"}}}}}},
          {{"json": {{"id":"2"}}, "layout": "spaced", "event": "delta", "id": "7", "retry": "100"}},
          {{"data": "[DONE]"}}
        ],
        "raw_transcript": {{
          "layout": "events",
          "sha256": "{sha256(encode_events(EVENTS))}"
        }},
        "timing": {{
          "ttft_ms": 3,
          "chunks": [
            [0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [6, 6], [7, 7],
            [8, 8]
          ]
        }}
      }},
      "metadata": {{
        "protocol_id": "openai.chat_completions.v1",
        "upstream_id": "openrouter",
        "recorded_at": "2026-01-01T00:00:00.5Z",
        "relative_offset_ms": 12
      }}
    }}"""
    )


def test_a_plain_answer_as_it_stands_in_the_file() -> None:
    text = print_interaction(PLAIN)
    assert (
        """\
        "kind": "non_stream",
        "status": 429,
        "headers": [],
        "body": {
          "text": [
            "slow",
            "down",
            ""
          ]
        },
        "answers_stream": true
      },
"""
        in text
    )


@pytest.mark.parametrize(
    "interaction",
    [
        STREAM,
        PLAIN,
        stream(),
        stream(timing=Timing(0, ())),
        stream(DataEvent("x", event="", id="")),
        stream(DataEvent("a"), transcript=b"data:a\r\n\r\n"),
        stream(DataEvent("a"), transcript=b"\x1f\x8b\xff"),
        stream(transcript=b'{"error": {}}'),
        stream(DataEvent('{\n  "a": 1\n}'), DataEvent('"\\u00e9"'), DataEvent("1.0"), DataEvent("1e5"), DataEvent("null"), DataEvent("")),
        Interaction(RecordedRequest("POST", "/"), NonStreamResponse(204, (), b""), METADATA),
        replace(PLAIN, metadata=replace(METADATA, duration_ms=0)),
    ],
)
def test_what_is_printed_is_read_back(interaction: Interaction) -> None:
    assert parse_interaction(printed(interaction)) == interaction


def test_the_duration_of_a_plain_answer_stands_last_in_its_metadata() -> None:
    timed = replace(PLAIN, metadata=replace(METADATA, duration_ms=740))
    assert list(printed(timed)["metadata"].items())[-1] == ("duration_ms", 740)
    assert "duration_ms" not in printed(PLAIN)["metadata"]


def test_events_that_are_not_what_a_layout_prints_are_kept_as_text() -> None:
    events = printed(stream(DataEvent('{"a":1.10}'), DataEvent('"\\ud800"'), DataEvent("[1e400]"), DataEvent("NaN")))["response"]["events"]
    assert events == [{"data": '{"a":1.10}'}, {"data": '"\\ud800"'}, {"data": "[1e400]"}, {"data": "NaN"}]


@pytest.mark.parametrize(
    "path", ["request.stable_hash", "response.timing", "response.answers_stream", "response.raw_transcript.events_sha256"]
)
def test_fields_a_hand_written_tape_may_leave_out(path: str) -> None:
    value = printed(stream(DataEvent("a"), transcript=b"", timing=Timing(0, ())))
    *parents, key = path.split(".")
    target = value
    for parent in parents:
        target = target[parent]
    target.pop(key, None)
    parse_interaction(value)


def changed(interaction: Interaction, path: str, value: Any) -> Any:
    root = printed(interaction)
    target = root
    *parents, key = [int(part) if part.isdigit() else part for part in path.split(".")]
    for parent in parents:
        target = target[parent]
    target[key] = value
    return root


@pytest.mark.parametrize(
    ("interaction", "path", "value", "message"),
    [
        (STREAM, "request.body", "text", "request.body: expected an object, found a string"),
        (STREAM, "request.body.json.model", "n", "request.body.sha256: the SHA-256 is not that of the recorded bytes"),
        (STREAM, "request.path", None, "request.path: expected a string, found null"),
        (STREAM, "response.kind", "streamed", "response.kind: expected"),
        (STREAM, "response.status", "200", "response.status: expected an integer from 0 to 65535, found a string"),
        (STREAM, "response.events.1.json.id", "2", "response.raw_transcript.sha256: the SHA-256 is not"),
        (STREAM, "response.events.1", {}, "response.events[1]: expected exactly one of"),
        (STREAM, "response.events.1", {"data": "a", "comment": "b"}, "response.events[1]: expected exactly one of"),
        (STREAM, "response.events.1", [], "response.events[1]: expected an object, found an array"),
        (STREAM, "response.events.1", {"data": 1}, "response.events[1].data: expected a string"),
        (STREAM, "response.events.1", {"json": 1, "layout": "x"}, "response.events[1].layout: unknown layout 'x'"),
        (STREAM, "response.events.1", {"json": float("inf")}, "response.events[1].json: a number is beyond"),
        (STREAM, "response.events.1", {"data": "a", "event": 1}, "response.events[1].event: expected a string"),
        (STREAM, "response.events.1", {"data": "a", "id": "x\ndata: y"}, "response.events[1].id: a line break"),
        (STREAM, "response.events.1", {"data": "a", "retry": "\r"}, "response.events[1].retry: a line break"),
        (
            STREAM,
            "response.raw_transcript.layout",
            "compact",
            'response.raw_transcript.layout: the only layout of a transcript is "events"',
        ),
        (STREAM, "response.raw_transcript.text", [], "response.raw_transcript: expected exactly one of"),
        (STREAM, "response.raw_transcript", {}, 'response.raw_transcript: expected exactly one of "layout", "text" and "base64"'),
        (STREAM, "response.timing.chunks.8", [6, 8], "response.timing.chunks[8]: expected"),
        (STREAM, "response.timing.chunks.8", [100_000, 8], "response.timing.chunks[8]: expected"),
        (STREAM, "response.timing.chunks.8", [8], "response.timing.chunks[8]: expected"),
        (STREAM, "response.timing.chunks.8", [8, 8, 8], "response.timing.chunks[8]: expected"),
        (STREAM, "response.timing.chunks.8", [8, True], "response.timing.chunks[8]: expected"),
        (STREAM, "response.timing.chunks.8", [8, -1], "response.timing.chunks[8]: expected"),
        (STREAM, "response.timing.chunks.8", [8.0, 1], "response.timing.chunks[8]: expected"),
        (STREAM, "response.timing.ttft_ms", None, "response.timing.ttft_ms: expected an integer"),
        (PLAIN, "response.answers_stream", 1, "response.answers_stream: expected a boolean, found an integer"),
        (PLAIN, "response.body", {}, "response.body: expected exactly one of"),
        (PLAIN, "metadata", {}, "metadata.protocol_id: missing"),
        (
            stream(DataEvent('{"b":1,"a":2}'), transcript=b'data:{"b":1,"a":2}\n\n'),
            "response.events.0.json",
            {"a": 2, "b": 1},
            "response.raw_transcript.events_sha256: the SHA-256 is not",
        ),
    ],
)
def test_what_does_not_fit_is_named(interaction: Interaction, path: str, value: Any, message: str) -> None:
    with pytest.raises(MalformedFieldError) as caught:
        parse_interaction(changed(interaction, path, value))
    assert f"{caught.value.place}: {caught.value.problem}".startswith(message)
