from __future__ import annotations

import pytest

from spycatcher_addon.cassette.jsontext import parse_json
from spycatcher_addon.cassette.model import CommentEvent, DataEvent, StreamEvent
from spycatcher_addon.protocols.chat_completions import CHAT_COMPLETIONS


@pytest.mark.parametrize(
    ("body", "is_stream_shaped"),
    [
        (b'{"stream":true}', True),
        (b'{"stream":false,"stream":true}', True),
        (b'{"stream":false}', False),
        (b'{"stream":"true"}', False),
        (b'{"stream":1}', False),
        (b'{"stream":1.0}', False),
        (b'{"stream":null}', False),
        (b'{"stream":[true]}', False),
        (b'{"Stream":true}', False),
        (b'{"options":{"stream":true}}', False),
        (b"{}", False),
        (b'[{"stream":true}]', False),
        (b'"stream"', False),
        (b"true", False),
        (b"null", False),
    ],
)
def test_only_the_literal_true_at_the_top_asks_for_a_stream(body: bytes, is_stream_shaped: bool) -> None:
    assert CHAT_COMPLETIONS.is_stream_shaped(parse_json(body)) is is_stream_shaped


@pytest.mark.parametrize(
    ("event", "is_last"),
    [
        (DataEvent("[DONE]"), True),
        (DataEvent("[DONE]", event="end"), True),
        # The OpenAI client hangs up at whatever begins so; a relay may add a blank, or an empty line of data.
        (DataEvent("[DONE] "), True),
        (DataEvent("[DONE]\n"), True),
        (DataEvent(" [DONE]"), False),
        (DataEvent("[DONE"), False),
        (DataEvent("[done]"), False),
        (DataEvent('{"finish_reason":"stop"}'), False),
        (CommentEvent("[DONE]"), False),
    ],
)
def test_the_end_mark(event: StreamEvent, is_last: bool) -> None:
    assert CHAT_COMPLETIONS.is_last_event(event) is is_last


def test_what_the_tape_and_the_upstream_call_it() -> None:
    assert CHAT_COMPLETIONS.protocol_id == "openai.chat_completions.v1"
    # The base URL of an upstream brings its own /v1.
    assert (CHAT_COMPLETIONS.path, CHAT_COMPLETIONS.upstream_path) == ("/v1/chat/completions", "/chat/completions")
