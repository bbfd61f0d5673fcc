"""What the tests with the real openai client share: stock clients, questions, and bytes of streamed answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from openai import AsyncOpenAI, OpenAI

from scripts.stub_upstream import LAST_CHUNK, SSE_HEAD, Send, Step, chunk

CLIENT_KEY = "sk-fake-key-of-the-client"
MODEL = "stub/polite-1"
TOOL = {
    "type": "function",
    "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}
DONE = b"data: [DONE]\n\n"


def sync_client(base_url: str, **settings: Any) -> OpenAI:
    """A stock client, default retries included; close it, or use it as a context manager."""
    return OpenAI(base_url=base_url, api_key=CLIENT_KEY, **settings)


def async_client(base_url: str, **settings: Any) -> AsyncOpenAI:
    """The same for ``asyncio``."""
    return AsyncOpenAI(base_url=base_url, api_key=CLIENT_KEY, **settings)


def question(text: str, **more: Any) -> dict[str, Any]:
    """Arguments for ``chat.completions.create``."""
    return {"model": MODEL, "messages": [{"role": "user", "content": text}], **more}


def delta_event(content: str, **more: Any) -> bytes:
    """One event of a streamed answer, with ``content`` as it is, not escaped."""
    value = {
        "id": "chatcmpl-stub",
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": MODEL,
        "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": None}],
        **more,
    }
    return b"data: " + json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"


def stream_steps(pieces: Iterable[bytes]) -> list[Step]:
    """Steps of the stub that send a chunked event stream, each piece in a chunk and a write of its own."""
    return [Send(SSE_HEAD), *(Send(chunk(piece)) for piece in pieces), Send(LAST_CHUNK)]


def dumped(models: Iterable[Any]) -> list[Any]:
    """Everything the client was given, as plain values that can be compared."""
    return [model.model_dump() for model in models]


def contents(chunks: Sequence[Any]) -> str:
    """The text that a stream's chunks spell."""
    return "".join(choice["delta"]["content"] or "" for chunk_ in chunks for choice in chunk_["choices"])
