"""The answer a client ends up with: a streamed chat completion put together again, a plain one as its JSON.

Decides how chunks add up, and nothing about what they mean. Streams of another kind stay a list of their events.
"""

from __future__ import annotations

from typing import Final

from spycatcher_addon.cassette.fields import JsonObject
from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, parse_json
from spycatcher_addon.cassette.model import DataEvent, NonStreamResponse, RecordedResponse, StreamResponse
from spycatcher_addon.content_coding import decode_body

_CHUNK_OBJECT: Final = "chat.completion.chunk"
_WHOLE_OBJECT: Final = "chat.completion"


def assemble_answer(response: RecordedResponse) -> JsonValue:
    """Give an answer as one value, whether it was streamed or not.

    Returns:
        A plain answer: its JSON, or its text as a string when it is not JSON. A streamed chat completion: the completion
        that a request without ``stream`` would have got. Any other stream: ``{"events": [...]}``, each the event's JSON or text.
    """
    if isinstance(response, NonStreamResponse):
        return _plain_answer(response)
    return _streamed_answer(response)


def answer_bytes(response: RecordedResponse) -> int:
    """Length of the answer's body as it came."""
    return len(response.raw_transcript if isinstance(response, StreamResponse) else response.body)


def _plain_answer(response: NonStreamResponse) -> JsonValue:
    decoded = decode_body(response.body, response.headers)
    body = response.body if decoded is None else decoded
    try:
        return parse_json(body)
    except NotJsonError:
        return body.decode("utf-8", "replace")


def _streamed_answer(response: StreamResponse) -> JsonValue:
    payloads = [(event.parsed_json, event.raw) for event in response.events if isinstance(event, DataEvent)]
    if not any(isinstance(payload, dict) and isinstance(payload.get("choices"), list) for payload, _ in payloads):
        return {"events": [raw if payload is None else payload for payload, raw in payloads]}
    whole: JsonObject = {}
    choices: dict[int, JsonObject] = {}
    for payload, _ in payloads:
        if isinstance(payload, dict):
            _take_chunk(whole, choices, payload)
    if whole.get("object") == _CHUNK_OBJECT:
        whole["object"] = _WHOLE_OBJECT
    whole["choices"] = [choices[index] for index in sorted(choices)]
    return whole


def _take_chunk(whole: JsonObject, choices: dict[int, JsonObject], chunk: JsonObject) -> None:
    for key, value in chunk.items():
        # The last usage counts: some providers send one with every chunk, most send null until the end.
        if key != "choices" and (key not in whole or (key == "usage" and value is not None)):
            whole[key] = value
    parts = chunk.get("choices")
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict):
            number = part.get("index")
            index = number if isinstance(number, int) else 0
            _take_choice(choices.setdefault(index, {"index": index, "message": {}}), part)


def _take_choice(choice: JsonObject, part: JsonObject) -> None:
    for key, value in part.items():
        if key == "delta" and isinstance(value, dict):
            message = choice["message"]
            assert isinstance(message, dict), "made so by the caller"
            _take_delta(message, value)
        elif key not in ("index", "delta", "message") and (value is not None or key not in choice):
            choice[key] = value


def _take_delta(message: JsonObject, delta: JsonObject) -> None:
    for key, value in delta.items():
        before = message.get(key)
        if key == "tool_calls" and isinstance(value, list):
            calls = before if isinstance(before, list) else []
            message[key] = calls
            _take_tool_calls(calls, value)
        elif isinstance(before, str) and isinstance(value, str):
            # Everything that is text comes in pieces, except the role, which some providers repeat.
            message[key] = before if key == "role" else before + value
        elif value is not None or key not in message:
            message[key] = value


def _take_tool_calls(calls: list[JsonValue], parts: list[JsonValue]) -> None:
    for part in parts:
        if not isinstance(part, dict):
            continue
        number = part.get("index")
        index = number if isinstance(number, int) and 0 <= number <= len(calls) else max(0, len(calls) - 1)
        if index == len(calls):
            calls.append({})
        call = calls[index]
        assert isinstance(call, dict), "only objects are put in"
        for key, value in part.items():
            before = call.get(key)
            if key == "function" and isinstance(value, dict):
                function = before if isinstance(before, dict) else {}
                call[key] = function
                _take_function(function, value)
            elif key != "index" and (before is None or value not in (None, "")):
                call[key] = value


def _take_function(function: JsonObject, part: JsonObject) -> None:
    for key, value in part.items():
        before = function.get(key)
        if key == "arguments" and isinstance(before, str) and isinstance(value, str):
            function[key] = before + value
        elif before is None or value not in (None, ""):
            function[key] = value
