"""Both sides of an interaction as messages."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from spycatcher_addon.cassette.model import Interaction, NonStreamResponse
from spycatcher_addon.tools.conversation import Message, ToolCall, Usage, read_conversation
from tests.support.tool_samples import TOOL_CALL, plain, request, streamed


def answered(body: object, **request_members: object) -> Interaction:
    text = body if isinstance(body, str) else json.dumps(body)
    return replace(plain(), request=request(**request_members), response=NonStreamResponse(200, (), text.encode()))  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [plain, streamed], ids=["plain", "stream"])
def test_question_and_answer(make: object) -> None:
    read = read_conversation(make())  # type: ignore[operator]
    assert read.model == "m-1"
    assert read.asked == (Message("user", "Hi?"),)
    assert read.answered == (Message("assistant", "Hello.", finish_reason="stop"),)
    assert read.usage == Usage(12, 5)
    assert read.usage.is_known
    assert (read.error, read.other) == (None, "")


def test_tool_calls_on_both_sides() -> None:
    tools = [{"type": "function", "function": {"name": "get_weather"}}, {"name": "old_style"}, {}]
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
    ]
    interaction = plain(text=None, tool_calls=[TOOL_CALL], finish_reason="tool_calls", tools=tools, messages=messages)
    read = read_conversation(interaction)
    call = ToolCall("get_weather", '{"city": "Paris"}', "call_1")
    assert read.tools == ("get_weather", "old_style", "")
    assert read.asked == (Message("assistant", "", (call,)), Message("tool", "sunny", tool_call_id="call_1"))
    assert read.answered == (Message("assistant", "", (call,), finish_reason="tool_calls"),)


def test_contents_in_parts() -> None:
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "data:..."}}, {}, "loose"]
    (message,) = read_conversation(plain(messages=[{"role": "user", "content": parts}])).asked
    assert message.text == "What is this?\n[image_url]\n[part]\nloose"


def test_reasoning_and_refusal() -> None:
    message = {"role": "assistant", "content": "", "reasoning_content": "hm", "refusal": "no"}
    (read,) = read_conversation(answered({"choices": [{"message": message}]})).answered
    assert (read.reasoning, read.refusal, read.finish_reason) == ("hm", "no", None)


def test_cached_tokens() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 8}}
    assert read_conversation(plain(usage=usage)).usage == Usage(10, 1, 8)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": True, "completion_tokens": -1}, {"prompt_tokens": 1.5}])
def test_usage_that_says_nothing(usage: dict[str, object] | None) -> None:
    read = read_conversation(plain(usage=usage)).usage
    assert read == Usage()
    assert not read.is_known


def test_errors_and_other_answers() -> None:
    assert read_conversation(answered({"error": {"message": "slow down"}})).error == {"message": "slow down"}
    assert read_conversation(answered("Bad gateway")).other == "Bad gateway"
    assert read_conversation(answered({"b": 1, "a": 2})).other == '{"a":2,"b":1}'


@pytest.mark.parametrize("members", [{"messages": None}, {"messages": [1, None]}, {"model": 3}, {"tools": {}}])
def test_odd_requests_are_no_failure(members: dict[str, object]) -> None:
    read_conversation(plain(**members))  # type: ignore[arg-type]


def test_for_programs() -> None:
    members = read_conversation(plain(tool_calls=[TOOL_CALL])).as_json()
    assert json.loads(json.dumps(members)) == members
    assert members["usage"] == {"input_tokens": 12, "output_tokens": 5, "cached_input_tokens": None}
    assert members["answered"] == [
        {
            "role": "assistant",
            "text": "Hello.",
            "reasoning": "",
            "refusal": "",
            "tool_calls": [{"id": "call_1", "name": "get_weather", "arguments": '{"city": "Paris"}'}],
            "tool_call_id": "",
            "finish_reason": "stop",
        }
    ]


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, "[image_url: image/png, 3 bytes]"),
        ({"type": "image_url", "image_url": "data:image/jpeg;x=1;base64,AAA="}, "[image_url: image/jpeg, 2 bytes]"),
        ({"type": "image_url", "image_url": {"url": "data:;base64,AA=="}}, "[image_url: 1 bytes]"),
        ({"type": "input_audio", "input_audio": {"data": "AAAAAAAA", "format": "wav"}}, "[input_audio: wav, 6 bytes]"),
        ({"type": "image_url", "image_url": {"url": "https://example.test/a.png"}}, "[image_url]"),
        ({"type": "file", "file": {"file_id": "f"}}, "[file]"),
    ],
)
def test_parts_that_carry_data_say_how_much(part: object, shown: str) -> None:
    (message,) = read_conversation(plain(messages=[{"role": "user", "content": [part]}])).asked
    assert message.text == shown
