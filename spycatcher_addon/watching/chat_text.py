"""An exchange as text for a content view: the conversation, the answer put together, its events and their times.

Copes with whatever it gets: half a stream, another dialect, no JSON at all. What is long is cut, and says so, because a page
has to show it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from spycatcher_addon.cassette.diff import Difference, DifferenceKind
from spycatcher_addon.cassette.fields import JsonObject
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import (
    CommentEvent,
    DataEvent,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    RecordedResponse,
    StreamEvent,
    StreamResponse,
)
from spycatcher_addon.errors import StreamParseError
from spycatcher_addon.exchange import Headers
from spycatcher_addon.pacing import event_arrivals_ms
from spycatcher_addon.sse import SseParser
from spycatcher_addon.tools.conversation import Conversation, Message, Usage, read_conversation
from spycatcher_addon.watching.story import Outcome, Story, short_path

MAX_TEXT_CHARS: Final = 8_000
"""Of one message."""
MAX_MESSAGES: Final = 100
MAX_EVENTS: Final = 200
MAX_DIFFERENCES: Final = 20
_EVENT_CHARS: Final = 120
_VALUE_CHARS: Final = 400
_WORDS_CHARS: Final = 60
_INDENT: Final = "  "
_NO_METADATA: Final = Metadata("", "", "", 0)
_EVENT_STREAM: Final = "text/event-stream"

_WHERE_FROM = {
    Outcome.REPLAYED: "from the cassette",
    Outcome.RECORDED: "from the upstream, on the cassette now",
    Outcome.KEPT_FAILURE: "from the upstream, on the cassette as a failure",
    Outcome.NOT_RECORDED: "from the upstream, not on the cassette",
    Outcome.RESENT: "to a request sent once more by hand",
}


def request_text(body: bytes, story: Story | None) -> str:
    """A request as a conversation, with what became of it, and for a mismatch what differs from the tape.

    Args:
        body: After content decoding.
    """
    request = RecordedRequest("POST", "/", body=body)
    value = request.parse_body()
    lines: list[str] = []
    if story is not None:
        lines += [story.comment, ""]
    lines += _mismatch_lines(story)
    if not isinstance(value, dict):
        lines += ["body (no JSON object):", *_indented(body.decode("utf-8", "replace"))]
        return _page(lines)
    conversation = read_conversation(Interaction(request, NonStreamResponse(200, (), b"null"), _NO_METADATA))
    lines += [*_settings(conversation, value), *_messages(conversation.asked)]
    return _page(lines)


def response_text(headers: Headers, status: int, body: bytes, story: Story | None) -> str:
    """An answer put together: what was said, why it ended, what it cost, and each event of a stream with its time.

    Args:
        headers: Of the answer; only the media type counts.
        body: After content decoding; of a stream as much as came.
    """
    response, problem = _read(headers, status, body)
    lines: list[str] = []
    if story is not None:
        origin = "made by the harness, not recorded" if story.is_harness_made else _WHERE_FROM[story.outcome]
        lines += [story.comment, f"answer {origin}", ""]
    lines += _mismatch_lines(story)
    conversation = read_conversation(Interaction(RecordedRequest("POST", "/"), response, _NO_METADATA))
    lines += _messages(conversation.answered)
    if conversation.error is not None:
        lines += ["error:", *_indented(_error_text(conversation.error)), ""]
    if conversation.other:
        lines += ["body:", *_indented(conversation.other), ""]
    lines += _usage(conversation.usage)
    if isinstance(response, StreamResponse):
        lines += _events(response.events, _times(response, story), problem)
    return _page(lines)


def _read(headers: Headers, status: int, body: bytes) -> tuple[RecordedResponse, str]:
    """The answer, and what is wrong with its end where it is a stream."""
    media_type = next((value for name, value in headers if name.lower() == "content-type"), "").partition(";")[0].strip().lower()
    if media_type != _EVENT_STREAM:
        return NonStreamResponse(status, (), body), ""
    parser, events, problem = SseParser(), list[StreamEvent](), ""
    try:
        events += parser.feed(body)
        events += parser.finish()
    except StreamParseError as error:
        problem = str(error)
    return StreamResponse(status, (), tuple(events), body), problem


def _times(response: StreamResponse, story: Story | None) -> Sequence[int]:
    """When each event came while it was recorded; empty where that is not known or does not fit what is shown."""
    interaction = None if story is None or story.outcome is Outcome.MISMATCH else story.interaction
    if interaction is None or not isinstance(interaction.response, StreamResponse):
        return ()
    times = event_arrivals_ms(interaction.response) or ()
    return times if len(times) == len(response.events) else ()


def _mismatch_lines(story: Story | None) -> Iterator[str]:
    """What differs, the two sides one under the other, then the recording itself."""
    if story is None or story.outcome is not Outcome.MISMATCH:
        return
    if story.differences:
        yield f"what differs from interaction {story.index}:"
        for difference in story.differences[:MAX_DIFFERENCES]:
            yield f"{_INDENT}{short_path(difference.path)} ({difference.kind})"
            yield from _sides(difference)
        left_out = len(story.differences) - MAX_DIFFERENCES
        if left_out > 0:
            yield f"{_INDENT}… and {left_out} more"
        yield ""
    if story.interaction is not None:
        conversation = read_conversation(story.interaction)
        yield f"interaction {story.index} as it was recorded:"
        yield from (_INDENT + line if line else "" for line in (*_messages(conversation.asked), *_messages(conversation.answered)))
        yield "this exchange:"


def _sides(difference: Difference) -> Iterator[str]:
    if difference.kind is not DifferenceKind.ADDED:
        yield f"{_INDENT * 2}recorded: {_value(difference.expected)}"
    if difference.kind is not DifferenceKind.REMOVED:
        yield f"{_INDENT * 2}sent:     {_value(difference.observed)}"


def _value(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]}… ({len(text)} characters)"


def _settings(conversation: Conversation, body: JsonObject) -> Iterator[str]:
    plain = {key: value for key, value in body.items() if key not in ("messages", "tools") and not isinstance(value, list)}
    for key, value in plain.items():
        yield f"{key}: {_value(value) if not isinstance(value, str) else _cut(value, _VALUE_CHARS)}"
    if conversation.tools:
        yield f"tools: {', '.join(conversation.tools)}"
    if plain or conversation.tools:
        yield ""


def _messages(messages: Sequence[Message]) -> Iterator[str]:
    left_out = len(messages) - MAX_MESSAGES
    for number, message in enumerate(messages):
        if left_out > 0 and 0 < number <= left_out:  # the first one says what it is about, the last ones what is going on
            if number == 1:
                yield f"… {left_out} messages left out …"
                yield ""
            continue
        yield from _message(message)


def _message(message: Message) -> Iterator[str]:
    answers = f" (answers {message.tool_call_id})" if message.tool_call_id else ""
    reason = f" (finish_reason: {message.finish_reason})" if message.finish_reason else ""
    yield f"{message.role or 'message'}{answers}{reason}:"
    if message.reasoning:
        yield f"{_INDENT}[reasoning]"
        yield from _indented(message.reasoning, 2)
    yield from _indented(message.text)
    if message.refusal:
        yield f"{_INDENT}[refusal]"
        yield from _indented(message.refusal, 2)
    for call in message.tool_calls:
        yield f"{_INDENT}[tool call] {call.name} {call.call_id}".rstrip()
        yield from _indented(call.arguments, 2)
    yield ""


def _usage(usage: Usage) -> Iterator[str]:
    named = [(usage.input_tokens, "in"), (usage.output_tokens, "out"), (usage.cached_input_tokens, "read from a cache")]
    known = [f"{count} {name}" for count, name in named if count is not None]
    if known:
        yield f"tokens: {', '.join(known)}"
        yield ""


def _events(events: Sequence[StreamEvent], times_ms: Sequence[int], problem: str) -> Iterator[str]:
    comments = sum(isinstance(event, CommentEvent) for event in events)
    yield f"stream: {len(events) - comments} events, {comments} comments" + (f"; first after {times_ms[0]} ms" if times_ms else "")
    if problem:
        yield f"the stream is broken or ends early: {problem}"
    left_out = len(events) - MAX_EVENTS
    for number, (event, time_ms) in enumerate(zip_longest(events, times_ms)):
        if left_out > 0 and MAX_EVENTS // 2 <= number < MAX_EVENTS // 2 + left_out:
            if number == MAX_EVENTS // 2:
                yield f"{_INDENT}… {left_out} left out …"
            continue
        when = "" if time_ms is None else f"{time_ms:>7} ms"
        yield f"{_INDENT}{number:>4}{when}  {_event(event)}"


def _event(event: StreamEvent) -> str:
    if isinstance(event, CommentEvent):
        return f": {_cut(event.text, _EVENT_CHARS)}"
    name = f"{event.event}: " if event.event else ""
    return f"{name}{_delta(event) or _cut(event.raw, _EVENT_CHARS)}"


def _delta(event: DataEvent) -> str:
    """What a chunk of a chat completion adds, for one choice that adds nothing but text."""
    value = event.parsed_json
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return ""
    delta = choices[0].get("delta")
    reason = choices[0].get("finish_reason")
    if not isinstance(delta, dict) or delta.keys() - {"content", "role", "refusal"}:
        return ""
    text = delta.get("content")
    parts = [_cut(json.dumps(text, ensure_ascii=False), _EVENT_CHARS)] if isinstance(text, str) and (text or not reason) else []
    return " ".join([*parts, *([f"finish_reason: {reason}"] if isinstance(reason, str) else [])])


def _error_text(error: JsonValue) -> str:
    message = error.get("message") if isinstance(error, dict) else None
    return message if isinstance(message, str) else json.dumps(error, ensure_ascii=False, indent=2)


def _indented(text: str, depth: int = 1) -> Iterator[str]:
    if text:
        yield from (f"{_INDENT * depth}{line}" for line in _cut(text, MAX_TEXT_CHARS).split("\n"))


def _page(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} characters left out)"


def interaction_text(index: int, interaction: Interaction) -> str:
    """One interaction of a cassette: when it was recorded, what was asked, what came."""
    response = interaction.response
    failure = f", kept as a failure ({interaction.failure})" if interaction.failure is not None else ""
    conversation = read_conversation(interaction)
    lines = [f"interaction {index}, recorded {interaction.metadata.recorded_at}, status {response.status}{failure}", ""]
    body = interaction.request.parse_body()
    lines += _settings(conversation, body if isinstance(body, dict) else {})
    lines += [*_messages(conversation.asked), *_messages(conversation.answered)]
    if conversation.error is not None:
        lines += ["error:", *_indented(_error_text(conversation.error)), ""]
    if conversation.other:
        lines += ["body:", *_indented(conversation.other), ""]
    lines += _usage(conversation.usage)
    if isinstance(response, StreamResponse):
        lines += _events(response.events, event_arrivals_ms(response) or (), "")
    return _page(lines)


def first_words(interaction: Interaction) -> str:
    """What an interaction is about, in one short line: the last message of the user."""
    asked = read_conversation(interaction).asked
    text = next((message.text for message in reversed(asked) if message.role == "user"), "")
    line = " ".join(text.split())
    return line if len(line) <= _WORDS_CHARS else f"{line[:_WORDS_CHARS]}…"
