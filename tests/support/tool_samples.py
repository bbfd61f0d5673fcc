"""Chat interactions for tests of the tape tools: plain answers and streams, as providers send them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, canonicalize, stable_hash
from spycatcher_addon.cassette.model import (
    Cassette,
    CommentEvent,
    DataEvent,
    FailureKind,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    StreamEvent,
    StreamResponse,
    Timing,
)
from spycatcher_addon.sse import encode_events

USAGE: Mapping[str, object] = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
TOOL_CALL: Mapping[str, object] = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}


def request(question: str = "Hi?", **more: object) -> RecordedRequest:
    """A request with its hash."""
    body = {"model": "m-1", "messages": [{"role": "user", "content": question}], **more}
    made = RecordedRequest("POST", "/v1/chat/completions", "", (("content-type", "application/json"),), json.dumps(body).encode())
    digest = stable_hash(canonicalize(made, NOTHING_IGNORED))
    return RecordedRequest(made.method, made.path, "", made.headers, made.body, stable_hash=digest)


def metadata(number: int = 0) -> Metadata:
    """Metadata of a recording."""
    return Metadata("openai.chat_completions.v1", "openai", f"2026-01-02T03:04:{number:02}.000000Z", number * 1000)


def plain(
    question: str = "Hi?",
    text: str | None = "Hello.",
    *,
    number: int = 0,
    status: int = 200,
    finish_reason: str = "stop",
    tool_calls: Sequence[Mapping[str, object]] = (),
    usage: Mapping[str, object] | None = USAGE,
    failure: FailureKind | None = None,
    **more: object,
) -> Interaction:
    """A plain chat completion."""
    message: dict[str, object] = {"role": "assistant", "content": text}
    if tool_calls:
        message["tool_calls"] = list(tool_calls)
    body = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000 + number,
        "model": "m-1-0613",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        **({} if usage is None else {"usage": usage}),
    }
    response = NonStreamResponse(status, (("content-type", "application/json"),), json.dumps(body).encode())
    return Interaction(request(question, **more), response, metadata(number), failure)


def streamed(
    question: str = "Hi?", deltas: Sequence[Mapping[str, object]] = ({"content": "Hel"}, {"content": "lo."}), *, number: int = 0
) -> Interaction:
    """A streamed chat completion: a comment, a first chunk with the role, the deltas, the finish reason, the usage, ``[DONE]``."""
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1_700_000_000 + number, "model": "m-1-0613"}
    choices: list[Mapping[str, object]] = [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]
    choices += [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    chunks = [{**head, "choices": [choice], "usage": None} for choice in choices] + [{**head, "choices": [], "usage": USAGE}]
    data = [DataEvent(json.dumps(chunk, separators=(",", ":"))) for chunk in chunks]
    events: tuple[StreamEvent, ...] = (CommentEvent("PROCESSING"), *data, DataEvent("[DONE]"))
    transcript = encode_events(events)
    timing = Timing(120, ((len(transcript) // 2, 120), (len(transcript), 480)))
    headers = (("content-type", "text/event-stream"),)
    return Interaction(request(question, stream=True), StreamResponse(200, headers, events, transcript, timing), metadata(number))


def cassette(*interactions: Interaction) -> Cassette:
    """A tape of these."""
    return Cassette(2, interactions)
