from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.cassette.model import CommentEvent, DataEvent, StreamEvent
from spycatcher_addon.redaction.messages import Redactor
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.redaction.shapes import SHAPE_NAMES
from spycatcher_addon.redaction.streams import redact_events, tail_completes_secret
from spycatcher_addon.sse import encode_events
from tests.support.secrets import BY_SHAPE, ORDINARY

KEY = BY_SHAPE["openai-key"]
TOKEN = "[redacted:openai-key:1]"
KNOWN = 'fake "known" välue'
RULES = RedactionRules(shapes=frozenset(SHAPE_NAMES), known=(KNOWN,), body_paths=("/choices/*/secret",))


def delta(content: str, index: int = 0, field: str = "content") -> DataEvent:
    chunk = {"id": "chatcmpl-AbCdEfGhIjKlMnOpQrStUv", "choices": [{"index": index, "delta": {field: content}}]}
    return DataEvent(json.dumps(chunk))


def redacted(events: Sequence[StreamEvent]) -> tuple[StreamEvent, ...]:
    return redact_events(events, Redactor(RULES))


def content(events: Sequence[StreamEvent], index: int = 0, field: str = "content") -> list[str]:
    choices = [event.parsed_json["choices"][0] for event in events if isinstance(event, DataEvent) and isinstance(event.parsed_json, dict)]  # type: ignore[index, call-overload]
    return [choice["delta"][field] for choice in choices if choice["index"] == index]  # type: ignore[index, call-overload]


def test_the_token_stands_where_the_secret_began_and_the_rest_is_dropped() -> None:
    pieces = ["Your key is " + KEY[:4], KEY[4:20], KEY[20:] + ". Keep", " it."]
    assert content(redacted([delta(piece) for piece in pieces])) == [f"Your key is {TOKEN}", "", ". Keep", " it."]


@given(st.sets(st.integers(0, len(KEY) + 12)), st.sampled_from([KEY, KNOWN]), st.sampled_from(["content", "reasoning_content"]))
def test_no_cut_hides_a_secret(cuts: set[int], secret: str, field: str) -> None:
    text = f"Hello {secret} bye"
    ends = [*sorted(cut for cut in cuts if cut < len(text)), len(text)]
    pieces = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    events = redacted([delta(piece, field=field) for piece in pieces])
    rule = "env" if secret == KNOWN else "openai-key"
    assert "".join(content(events, field=field)) == f"Hello [redacted:{rule}:1] bye"


def test_choices_are_put_together_each_by_itself() -> None:
    events = [delta(piece, index) for one, other in zip(KEY[:30] + " ", "plain text of the other one    ", strict=True)
              for index, piece in ((0, one), (1, other))]  # fmt: skip
    result = redacted([*events, delta(KEY[30:])])
    assert "".join(content(result, 1)) == "plain text of the other one    "
    assert redacted(events[1::2]) == tuple(events[1::2])


def test_tool_call_arguments_with_escaped_json() -> None:
    arguments = json.dumps({"key": KEY, "n": 1})
    pieces = [arguments[start : start + 5] for start in range(0, len(arguments), 5)]
    events = [DataEvent(json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 1, "function": {"arguments": piece}}]}}]}))
              for piece in pieces]  # fmt: skip
    joined = "".join(event.parsed_json["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] for event in redacted(events))  # type: ignore[index, call-overload, misc, union-attr]
    assert json.loads(joined) == {"key": TOKEN, "n": 1}


def test_secrets_in_text_that_is_no_json_comments_and_fields() -> None:
    events = [CommentEvent(KEY), DataEvent(KEY[:9]), DataEvent(KEY[9:], event=f"e {KEY}", id=KEY, retry="5"), DataEvent("[DONE]")]
    assert redacted(events) == (
        CommentEvent(TOKEN), DataEvent(TOKEN), DataEvent("", event=f"e {TOKEN}", id=TOKEN, retry="5"), DataEvent("[DONE]"),
    )  # fmt: skip


def test_a_field_that_every_event_repeats_is_redacted_in_each() -> None:
    event = DataEvent(json.dumps({"id": f"x {KEY}", KEY: 1}))
    expected = DataEvent(json.dumps({"id": f"x {TOKEN}", TOKEN: 1}))
    assert redacted([event, event]) == (expected, expected)


def test_named_paths() -> None:
    event = DataEvent('{"choices":[{"index":0,"secret":"a"}]}')
    assert redacted([event]) == (DataEvent('{"choices":[{"index":0,"secret":"[redacted:body-path:1]"}]}'),)


def test_tokens_are_numbered_as_a_reader_meets_them() -> None:
    other = "sk-proj-" + "x" * 40
    events = [delta("a"), delta(f"{other} ", 1), delta(f"{KEY} ", 0), delta(KEY, 1)]
    result = redacted(events)
    assert content(result, 1) == [f"{TOKEN} ", "[redacted:openai-key:2]"]
    assert content(result, 0) == ["a", "[redacted:openai-key:2] "]


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_ordinary_streams_come_back_as_they_are(size: int) -> None:
    events: list[StreamEvent] = [CommentEvent("PROCESSING")]
    text = " ".join(text for text in ORDINARY if len(text) < 400)
    events += [delta(text[start : start + size]) for start in range(0, len(text), size)]
    result = redacted(events)
    assert all(new is old for new, old in zip(result, events, strict=True))
    assert encode_events(result) == encode_events(events)


@pytest.mark.parametrize("rest", ["7890abcdef", "zzz"])
def test_a_tail_that_completes_a_secret_is_noticed(rest: str) -> None:
    redactor = Redactor(RedactionRules(known=("fake1234567890abcdef",)))
    events = [DataEvent('{"delta":"fake123456"}')]
    tail = 'data: {"id":"x","delta":"' + rest
    assert tail_completes_secret(events, tail, redactor) is (rest == "7890abcdef")
