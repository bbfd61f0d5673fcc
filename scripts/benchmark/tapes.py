"""Tapes and requests to measure with: made up, the same in every run, of a given number and size."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spycatcher_addon import sse
from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, canonicalize, stable_hash
from spycatcher_addon.cassette.model import (
    DataEvent,
    Hashing,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    RecordedResponse,
    StreamResponse,
    Timing,
)
from spycatcher_addon.cassette.schema import FIRST, SEPARATOR, TAIL, encode_head, encode_interaction
from spycatcher_addon.version import GENERATOR

PATH = "/v1/chat/completions"
JSON = (("content-type", "application/json"),)
WORDS = [bytes(random.Random(number).choices(b"abcdefghijklmnopqrstuvwxyz", k=number % 7 + 3)).decode() for number in range(997)]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of conversation."""

    name: str
    request_words: int
    """In the user's message."""
    answer_words: int = 300
    """Of a plain answer; about 2 kB."""
    events: int = 0
    """Of a streamed answer; 0 makes a plain one."""
    messages: int = 1
    is_always_the_same: bool = False
    """Whether all requests are byte for byte alike."""
    first_ms: int = 100
    gap_ms: int = 20

    def request_body(self, number: int) -> bytes:
        """The request of that number."""
        number = 0 if self.is_always_the_same else number
        messages = [
            {
                "role": "assistant" if index % 2 else "user",
                "content": f"{number}.{index}: {text_of(number * 31 + index, self.request_words)}",
            }
            for index in range(self.messages)
        ]
        return json.dumps({"model": "bench", "stream": self.events > 0, "temperature": 0.5, "messages": messages}).encode()

    def response(self, number: int) -> RecordedResponse:
        """The answer to the request of that number."""
        if not self.events:
            message = {"role": "assistant", "content": text_of(number, self.answer_words)}
            body = {
                "id": f"chatcmpl-{number}",
                "object": "chat.completion",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            }
            return NonStreamResponse(200, JSON, json.dumps(body).encode())
        events = tuple(map(DataEvent, self.event_texts(number)))
        ends, end = [], 0
        for index, event in enumerate(events):
            end += len(sse.encode_event(event))
            ends.append((end, self.first_ms + self.gap_ms * index))
        return StreamResponse(
            200, (("content-type", "text/event-stream"),), events, sse.encode_events(events), Timing(self.first_ms, tuple(ends))
        )

    def event_texts(self, number: int) -> Iterator[str]:
        """The data of the events of that answer, about 330 bytes each."""
        for index in range(self.events - 1):
            choice = {"index": 0, "delta": {"content": text_of(number + index, 28)}, "logprobs": None, "finish_reason": None}
            chunk = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "model": "bench", "choices": [choice]}
            yield json.dumps(chunk, separators=(",", ":"))
        yield "[DONE]"


SMALL = Kind("2 kB JSON", request_words=60)
SHORT = Kind("short JSON", request_words=35, answer_words=110)
"""20,000 of them make a tape of 50 MB."""
STREAM = Kind("60-event stream", request_words=60, events=60)
LARGE = Kind("100 kB request", request_words=66, messages=200)
REPEATED = Kind("100 kB request, always the same bytes", request_words=66, messages=200, is_always_the_same=True)


def text_of(seed: int, words: int) -> str:
    """Words that look like a sentence; the same for the same seed."""
    return " ".join(WORDS[(seed * 7919 + index * 104729 + index * index) % len(WORDS)] for index in range(words))


def interaction(kind: Kind, number: int) -> Interaction:
    """A hashed interaction."""
    headers = (*JSON, ("accept", "application/json"), ("user-agent", "bench"))
    asked = RecordedRequest("POST", PATH, "", headers, kind.request_body(number))
    hashed = RecordedRequest("POST", PATH, "", headers, asked.body, stable_hash=stable_hash(canonicalize(asked, NOTHING_IGNORED)))
    return Interaction(hashed, kind.response(number), Metadata("openai.chat_completions.v1", "bench", "2026-01-01T00:00:00Z", number))


def write_tape(path: Path, kind: Kind, count: int) -> int:
    """Write a tape; returns how many bytes of bodies are on it."""
    payload_bytes = 0
    with path.open("wb") as file:
        file.write(encode_head(Hashing(), GENERATOR) + FIRST)
        for number in range(count):
            each = interaction(kind, number)
            body = each.response.body if isinstance(each.response, NonStreamResponse) else each.response.raw_transcript
            payload_bytes += len(each.request.body) + len(body)
            file.write((SEPARATOR if number else b"") + encode_interaction(each))
        file.write(TAIL)
    return payload_bytes


def http_request(body: bytes) -> bytes:
    """The bytes a client sends."""
    head = f"POST {PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nauthorization: Bearer sk-fake\r\n"
    return head.encode() + b"content-length: %d\r\n\r\n" % len(body) + body
