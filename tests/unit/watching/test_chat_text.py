"""An exchange as text."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from spycatcher_addon.cassette.diff import differences
from spycatcher_addon.cassette.model import FailureKind, Interaction, NonStreamResponse, RecordedRequest, StreamResponse
from spycatcher_addon.watching.chat_text import (
    MAX_DIFFERENCES,
    MAX_EVENTS,
    MAX_MESSAGES,
    MAX_TEXT_CHARS,
    first_words,
    interaction_text,
    request_text,
    response_text,
)
from spycatcher_addon.watching.story import Outcome, Story, not_recorded, recorded
from tests.support.tool_samples import TOOL_CALL, plain, streamed

SSE = (("Content-Type", "text/event-stream; charset=utf-8"),)
JSON = (("content-type", "application/json"),)


def body_of(**members: object) -> bytes:
    return json.dumps(members).encode()


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


# --- requests ---------------------------------------------------------------------------------------------------------


def test_a_request_is_a_conversation() -> None:
    messages = [
        {"role": "system", "content": "Be short."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}],
        },
        {"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
    ]
    tools = [{"type": "function", "function": {"name": "get_weather"}}]
    text = request_text(body_of(model="m-1", stream=True, stop=["a"], tools=tools, messages=messages), None)
    assert text == (
        "model: m-1\nstream: true\ntools: get_weather\n\n"
        "system:\n  Be short.\n\n"
        "user:\n  What is it?\n  [image_url: image/png, 3 bytes]\n\n"
        'assistant:\n  [tool call] get_weather call_1\n    {"city": "Paris"}\n\n'
        "tool (answers call_1):\n  sunny\n"
    )


def test_the_story_comes_first() -> None:
    assert request_text(body_of(model="m"), not_recorded("why")) == "not recorded: why\n\nmodel: m\n"


def test_a_body_that_is_no_object_is_shown_as_it_is() -> None:
    assert request_text(b"\xff[]", None) == "body (no JSON object):\n  \ufffd[]\n"
    assert request_text(b"", None) == "body (no JSON object):\n"


def test_a_request_without_settings_has_only_messages() -> None:
    assert request_text(body_of(messages=[{"content": "?"}]), None) == "message:\n  ?\n"


def test_long_texts_and_many_messages_are_cut() -> None:
    messages = [{"role": "user", "content": f"number {number}"} for number in range(MAX_MESSAGES + 20)]
    messages[-1]["content"] = "x" * (MAX_TEXT_CHARS + 5)
    text = request_text(body_of(metadata={"a": "y" * 1000}, messages=messages), None)
    assert "number 0\n" in text
    assert "number 20\n" not in text
    assert "number 21\n" in text
    assert "… 20 messages left out …" in text
    assert "x… (5 characters left out)" in text
    assert "… (1009 characters)" in text


# --- answers ----------------------------------------------------------------------------------------------------------


def test_a_plain_answer() -> None:
    interaction = plain()
    assert isinstance(interaction.response, NonStreamResponse)
    text = response_text(JSON, 200, interaction.response.body, recorded(0, interaction))
    assert lines_of(text)[1:] == [
        "answer from the upstream, on the cassette now",
        "",
        "assistant (finish_reason: stop):",
        "Hello.",
        "",
        "tokens: 12 in, 5 out",
    ]


def test_what_an_answer_may_have_besides_text() -> None:
    message = {"role": "assistant", "content": "So.", "reasoning": "Hm.", "refusal": "No.", "tool_calls": [TOOL_CALL]}
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 2}}
    text = response_text(JSON, 200, body_of(choices=[{"message": message}], usage=usage), None)
    assert lines_of(text) == [
        "assistant:",
        "[reasoning]",
        "Hm.",
        "So.",
        "[refusal]",
        "No.",
        "[tool call] get_weather call_1",
        '{"city": "Paris"}',
        "",
        "tokens: 3 in, 4 out, 2 read from a cache",
    ]


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b'{"error": {"message": "slow down", "code": 429}}', "error:\n  slow down\n"),
        (b'{"error": "odd"}', 'error:\n  "odd"\n'),
        (b'{"object": "list"}', 'body:\n  {"object":"list"}\n'),
        (b"<html>", "body:\n  <html>\n"),
        (b"", "\n"),
    ],
)
def test_answers_that_are_no_completion(body: bytes, shown: str) -> None:
    assert response_text((), 500, body, None) == shown


def test_a_stream_is_put_together_and_its_events_are_timed() -> None:
    interaction = streamed()
    assert isinstance(interaction.response, StreamResponse)
    text = response_text(SSE, 200, interaction.response.raw_transcript, recorded(4, interaction))
    lines = lines_of(text)
    assert "Hello." in lines
    assert "stream: 6 events, 1 comments; first after 120 ms" in lines
    assert "0    120 ms  : PROCESSING" in lines
    assert '2    120 ms  "Hel"' in lines
    assert '3    480 ms  "lo."' in lines
    assert "4    480 ms  finish_reason: stop" in lines
    assert "6    480 ms  [DONE]" in lines


def test_times_that_do_not_fit_what_was_sent_are_left_out() -> None:
    interaction = streamed()
    for story in (None, recorded(0, interaction), recorded(0, plain()), Story(Outcome.MISMATCH, interaction=interaction)):
        assert " ms " not in response_text(SSE, 200, b"data: 1\n\n", story)
    untimed = replace(interaction, response=replace(interaction.response, timing=None))  # type: ignore[type-var]
    assert isinstance(untimed.response, StreamResponse)
    assert " ms " not in response_text(SSE, 200, untimed.response.raw_transcript, recorded(0, untimed))


def test_half_a_stream_is_shown_as_far_as_it_came() -> None:
    half = b'data: {"choices":[{"index":0,"delta":{"content":"Half"}}]}\n\ndata: {"cho'
    text = response_text(SSE, 200, half, not_recorded("the upstream cut the body"))
    assert "  Half" in text
    assert "the stream is broken or ends early: " in text
    broken = response_text(SSE, 200, b'data: {"choices":[{"delta":{"content":"A"}}]}\n\ndata: \xff\n\n', None)
    assert "  A" in broken
    assert "the stream is broken or ends early: " in broken


def test_a_stream_of_another_kind() -> None:
    text = response_text(SSE, 200, b'event: delta\ndata: {"x": 1}\n\ndata: {"choices": [1]}\n\ndata: {"choices": [{}]}\n\n', None)
    assert 'delta: {"x": 1}' in text
    assert '2  {"choices": [{}]}' in text


def test_a_chunk_with_more_than_text_is_shown_whole() -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": "", "tool_calls": [TOOL_CALL]}}]}
    assert '{"choices": [{"index": 0, "delta": {"content": "", "tool_calls"' in response_text(
        SSE, 200, b"data: " + json.dumps(chunk).encode() + b"\n\n", None
    )
    last = {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "length"}]}
    assert "0  finish_reason: length" in response_text(SSE, 200, b"data: " + json.dumps(last).encode() + b"\n\n", None)


def test_of_many_events_the_middle_is_left_out() -> None:
    transcript = b"".join(b"data: %d\n\n" % number for number in range(MAX_EVENTS + 30))
    text = response_text(SSE, 200, transcript, None)
    assert "… 30 left out …" in text
    assert "  99  99\n" in text
    assert " 100  100\n" not in text
    assert " 130  130\n" in text


# --- mismatches -------------------------------------------------------------------------------------------------------


def test_a_mismatch_shows_both_sides_and_the_recording() -> None:
    expected = {"canonical_body": {"messages": [{"content": "Hi?"}], "seed": 1}}
    observed = {"canonical_body": {"messages": [{"content": "Ho?"}], "top_p": 2}}
    story = Story(Outcome.MISMATCH, index=2, interaction=plain(), differences=differences(expected, observed))
    for text in (request_text(b"{}", story), response_text(JSON, 409, b'{"error": {"message": "no"}}', story)):
        assert (
            "what differs from interaction 2:\n"
            "  seed (removed)\n    recorded: 1\n"
            "  top_p (added)\n    sent:     2\n"
            '  messages[0].content (changed)\n    recorded: "Hi?"\n    sent:     "Ho?"\n\n'
            "interaction 2 as it was recorded:\n  user:\n    Hi?\n\n  assistant (finish_reason: stop):\n    Hello.\n\n"
            "this exchange:\n"
        ) in text
    assert "answer made by the harness, not recorded" in text


def test_a_mismatch_with_nothing_to_compare() -> None:
    text = request_text(b"{}", Story(Outcome.MISMATCH, "all 2 interactions are used up"))
    assert text == "mismatch: all 2 interactions are used up\n"


def test_of_many_differences_the_first_are_shown() -> None:
    found = differences({str(number): 1 for number in range(MAX_DIFFERENCES + 3)}, {})
    assert "  … and 3 more\n" in request_text(b"{}", Story(Outcome.MISMATCH, differences=found, index=0))


# --- interactions -----------------------------------------------------------------------------------------------------


def test_an_interaction_by_itself() -> None:
    text = interaction_text(3, streamed())
    assert text.startswith("interaction 3, recorded ")
    assert "status 200\n\nmodel: m-1\n" in text
    assert "user:\n  Hi?\n" in text
    assert "  Hello.\n" in text
    assert "first after 120 ms" in text
    assert interaction_text(0, plain()).endswith("tokens: 12 in, 5 out\n")


def test_an_interaction_that_is_no_conversation() -> None:
    odd = Interaction(RecordedRequest("POST", "/", body=b"[]"), NonStreamResponse(500, (), b"oops"), plain().metadata, FailureKind.CUT)
    text = interaction_text(0, odd)
    assert "status 500, kept as a failure (cut)" in text
    assert text.endswith("body:\n  oops\n")
    error = replace(odd, response=NonStreamResponse(429, (), b'{"error": {"message": "slow down"}}'))
    assert interaction_text(0, error).endswith("error:\n  slow down\n")


def test_the_first_words_are_those_of_the_last_question() -> None:
    assert first_words(plain()) == "Hi?"
    messages = [{"role": "user", "content": "a " * 100}, {"role": "assistant", "content": "b"}]
    assert first_words(plain(messages=messages)) == "a " * 30 + "…"
    assert first_words(plain(messages=[])) == ""
