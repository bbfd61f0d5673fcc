"""An interaction as a conversation: who said what, which tools were called, what it cost in tokens.

Reads Chat Completions; of anything else it says what can be said without knowing the protocol. Nothing is shortened here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spycatcher_addon.cassette.fields import JsonObject
from spycatcher_addon.cassette.jsontext import JsonValue, encode_canonical
from spycatcher_addon.cassette.model import Interaction
from spycatcher_addon.tools.assembly import assemble_answer

_DATA_URL = re.compile(r"data:(?P<type>[^;,]*)[^,]*;base64,(?P<data>.+)", re.DOTALL)

REASONING_KEYS = ("reasoning", "reasoning_content")
"""Where providers put what a model thinks before it answers."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that the model asked for."""

    name: str
    arguments: str
    """As the model wrote them: mostly JSON, not always."""
    call_id: str = ""

    def as_json(self) -> JsonObject:
        """The call for programs."""
        return {"id": self.call_id, "name": self.name, "arguments": self.arguments}


@dataclass(frozen=True, slots=True)
class Message:
    """One turn."""

    role: str
    text: str
    """Parts that are no text are named in brackets."""
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    refusal: str = ""
    tool_call_id: str = ""
    """For the role ``tool``: which call it answers."""
    finish_reason: str | None = None
    """For an answer: why it ended."""

    def as_json(self) -> JsonObject:
        """The message for programs."""
        return {
            "role": self.role,
            "text": self.text,
            "reasoning": self.reasoning,
            "refusal": self.refusal,
            "tool_calls": [call.as_json() for call in self.tool_calls],
            "tool_call_id": self.tool_call_id,
            "finish_reason": self.finish_reason,
        }


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; ``None`` where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    """Those of the input tokens that were read from a cache."""

    @property
    def is_known(self) -> bool:
        """Whether both counts were given."""
        return self.input_tokens is not None and self.output_tokens is not None

    def as_json(self) -> JsonObject:
        """The counts for programs."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_input_tokens": self.cached_input_tokens,
        }


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was asked and what came."""

    model: str
    """As requested; empty when the request names none."""
    tools: tuple[str, ...]
    """Names of the tools that were offered."""
    asked: tuple[Message, ...]
    answered: tuple[Message, ...]
    """One per choice."""
    usage: Usage
    error: JsonValue = None
    """What the answer says of an error, if it is one."""
    other: str = ""
    """The answer as text when it is no chat completion and no error."""

    def as_json(self) -> JsonObject:
        """The conversation for programs."""
        return {
            "model": self.model,
            "tools": list(self.tools),
            "asked": [message.as_json() for message in self.asked],
            "answered": [message.as_json() for message in self.answered],
            "usage": self.usage.as_json(),
            "error": self.error,
            "other": self.other,
        }


def read_conversation(interaction: Interaction) -> Conversation:
    """Read both sides of an interaction; what is missing or of another type is left out, never an error."""
    body = interaction.request.parse_body()
    request = body if isinstance(body, dict) else {}
    answer = assemble_answer(interaction.response)
    members = answer if isinstance(answer, dict) else {}
    answered = tuple(_choice(choice) for choice in _objects(members.get("choices")))
    error = members.get("error")
    other = "" if answered or error is not None else _as_text(answer)
    return Conversation(
        model=_text(request.get("model")),
        tools=tuple(_tool_name(tool) for tool in _objects(request.get("tools"))),
        asked=tuple(_message(message) for message in _objects(request.get("messages"))),
        answered=answered,
        usage=read_usage(answer),
        error=error,
        other=other,
    )


def read_usage(answer: JsonValue) -> Usage:
    """Read the token counts of an assembled answer."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached))


def _count(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _objects(value: JsonValue) -> Iterator[JsonObject]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else encode_canonical(value)


def _choice(choice: JsonObject) -> Message:
    message = choice.get("message")
    reason = choice.get("finish_reason")
    return _message(message if isinstance(message, dict) else {}, reason if isinstance(reason, str) else None)


def _message(message: JsonObject, finish_reason: str | None = None) -> Message:
    return Message(
        role=_text(message.get("role")),
        text=_content(message.get("content")),
        tool_calls=tuple(_tool_call(call) for call in _objects(message.get("tool_calls"))),
        reasoning=next((text for key in REASONING_KEYS if (text := _text(message.get(key)))), ""),
        refusal=_text(message.get("refusal")),
        tool_call_id=_text(message.get("tool_call_id")),
        finish_reason=finish_reason,
    )


def _content(content: JsonValue) -> str:
    if isinstance(content, list):
        return "\n".join(_part(part) for part in content)
    return "" if content is None else _as_text(content)


def _part(part: JsonValue) -> str:
    if not isinstance(part, dict):
        return _as_text(part)
    text = part.get("text")
    if isinstance(text, str):
        return text
    kind = _text(part.get("type")) or "part"
    return f"[{kind}{_inline_data(part.get(kind))}]"


def _inline_data(value: JsonValue) -> str:
    """Media type and size of what a part carries itself: a ``data:`` URL (RFC 2397) or bare base64."""
    members = value if isinstance(value, dict) else {"url": value}
    match = _DATA_URL.match(_text(members.get("url")))
    data = _text(members.get("data")) if match is None else match["data"]
    media_type = _text(members.get("format")) if match is None else match["type"]
    if not data:
        return ""
    size = len(data) * 3 // 4 - data[-2:].count("=")
    return f": {media_type}, {size} bytes" if media_type else f": {size} bytes"


def _tool_call(call: JsonObject) -> ToolCall:
    function = call.get("function")
    members = function if isinstance(function, dict) else {}
    return ToolCall(_text(members.get("name")), _content(members.get("arguments")), _text(call.get("id")))


def _tool_name(tool: JsonObject) -> str:
    function = tool.get("function")
    return _text(function.get("name") if isinstance(function, dict) else tool.get("name"))
