"""A small agent: it lets the model call tools until it has an answer, streams that answer, and can do several at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from openai import AsyncOpenAI

MODEL = "gpt-4o-mini"
MAX_ROUNDS = 5
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather in a city, now.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]


def get_weather(city: str) -> str:
    """Stands for a call to some other service."""
    return f"22 degrees and sunny in {city}"


FUNCTIONS: dict[str, Callable[..., str]] = {"get_weather": get_weather}


async def answer(client: AsyncOpenAI, question: str, on_text: Callable[[str], None] = lambda text: None) -> str:
    """Answer one question; the text is also passed on piece by piece while it comes."""
    messages: list[Any] = [{"role": "user", "content": question}]
    for _ in range(MAX_ROUNDS):
        completion = await client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)  # type: ignore[call-overload]
        message = completion.choices[0].message
        if not message.tool_calls:
            break
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            result = FUNCTIONS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    pieces = []
    stream = await client.chat.completions.create(model=MODEL, messages=messages, stream=True)
    async for chunk in stream:
        text = chunk.choices[0].delta.content or "" if chunk.choices else ""
        on_text(text)
        pieces.append(text)
    return "".join(pieces)


async def answer_all(client: AsyncOpenAI, questions: Sequence[str]) -> list[str]:
    """Answer several questions at once."""
    return list(await asyncio.gather(*(answer(client, question) for question in questions)))
