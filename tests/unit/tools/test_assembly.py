"""A streamed answer put together is the plain one."""

from __future__ import annotations

import gzip
import json

import pytest

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import DataEvent, NonStreamResponse, StreamResponse
from spycatcher_addon.tools.assembly import answer_bytes, assemble_answer
from tests.support.tool_samples import TOOL_CALL, plain, streamed


def stream_of(*payloads: object) -> StreamResponse:
    events = tuple(DataEvent(payload if isinstance(payload, str) else json.dumps(payload)) for payload in payloads)
    return StreamResponse(200, (), events, b"")


def test_a_stream_is_the_completion_it_would_have_been() -> None:
    assert assemble_answer(streamed().response) == assemble_answer(plain().response)


def test_tool_calls_come_in_pieces() -> None:
    deltas: list[dict[str, object]] = [
        {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"city"'}}]},
        {"tool_calls": [{"index": 0, "id": None, "function": {"name": "", "arguments": ': "Paris"}'}}]},
        {"tool_calls": [{"index": 1, "id": "call_2", "function": {"name": "now", "arguments": "{}"}}]},
    ]
    answer = assemble_answer(streamed(deltas=deltas).response)
    assert isinstance(answer, dict) and isinstance(answer["choices"], list) and isinstance(answer["choices"][0], dict)
    assert answer["choices"][0]["message"] == {
        "role": "assistant",
        "content": "",
        "tool_calls": [TOOL_CALL, {"id": "call_2", "function": {"name": "now", "arguments": "{}"}}],
    }


def test_choices_are_told_apart_and_put_in_order() -> None:
    answer = assemble_answer(
        stream_of(
            {"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"role": "assistant", "content": "a"}}]},
            {"choices": [{"index": 1, "delta": {"content": "B", "role": "assistant"}, "finish_reason": "length"}]},
            {"choices": [{"index": 0, "delta": {"content": "A", "role": "assistant"}, "finish_reason": "stop"}]},
        )
    )
    assert answer == {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "aA"}, "finish_reason": "stop"},
            {"index": 1, "message": {"content": "bB", "role": "assistant"}, "finish_reason": "length"},
        ]
    }


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": None},
        {"choices": [None, 3]},
        {"choices": [{"index": "x", "delta": None, "message": 7}]},
        {"choices": [{"delta": {"tool_calls": [None, {"index": 9, "function": 3}]}}]},
        [1],
        "no JSON",
    ],
)
def test_odd_chunks_are_no_failure(odd: object) -> None:
    first = {"choices": [{"index": 0, "delta": {"content": "a"}}]}
    answer = assemble_answer(stream_of(first, odd, first))
    assert isinstance(answer, dict)
    (choice,) = answer["choices"] if isinstance(answer["choices"], list) else []
    assert isinstance(choice, dict) and isinstance(choice["message"], dict)
    assert choice["message"]["content"] == "aa"


def test_assembling_twice_gives_the_same() -> None:
    """The parsed events are shared; putting them together must not change them."""
    response = streamed(deltas=[{"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{"}}]}, {"content": "x"}]).response
    assert assemble_answer(response) == assemble_answer(response)


def test_a_stream_of_another_kind_stays_a_list() -> None:
    assert assemble_answer(stream_of({"type": "ping"}, "[DONE]")) == {"events": [{"type": "ping"}, "[DONE]"]}
    assert assemble_answer(stream_of()) == {"events": []}


@pytest.mark.parametrize(
    ("body", "headers", "expected"),
    [
        (b'{"a": 1}', (), {"a": 1}),
        (b"not JSON", (), "not JSON"),
        (b"\xff", (), "\ufffd"),
        (b"", (), ""),
        (gzip.compress(b"[2]", mtime=0), (("content-encoding", "gzip"),), [2]),
        (b"[3]", (("content-encoding", "gzip"),), [3]),
    ],
)
def test_plain_answers(body: bytes, headers: tuple[tuple[str, str], ...], expected: JsonValue) -> None:
    response = NonStreamResponse(200, headers, body)
    assert assemble_answer(response) == expected
    assert answer_bytes(response) == len(body)


def test_the_size_of_a_stream_is_that_of_its_transcript() -> None:
    response = streamed().response
    assert isinstance(response, StreamResponse)
    assert answer_bytes(response) == len(response.raw_transcript) > 0
