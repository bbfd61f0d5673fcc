"""OpenAI-compatible Chat Completions, plain and streamed."""

from __future__ import annotations

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import DataEvent, StreamEvent
from spycatcher_addon.protocols.adapter import ProtocolAdapter


def _is_stream_shaped(body: JsonValue) -> bool:
    return isinstance(body, dict) and body.get("stream") is True


def _is_last_event(event: StreamEvent) -> bool:
    # Not equality: the OpenAI client hangs up at any data that begins so, and a stream it has left is whole.
    return isinstance(event, DataEvent) and event.raw.startswith("[DONE]")


CHAT_COMPLETIONS = ProtocolAdapter(
    protocol_id="openai.chat_completions.v1",
    path="/v1/chat/completions",
    upstream_path="/chat/completions",
    is_stream_shaped=_is_stream_shaped,
    is_last_event=_is_last_event,
)
