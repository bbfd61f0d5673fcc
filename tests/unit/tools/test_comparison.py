"""Pairs of interactions, and what is different in them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.model import FailureKind, Interaction, NonStreamResponse
from spycatcher_addon.tools.comparison import compare_answers, compare_cassettes
from tests.support.tool_samples import TOOL_CALL, cassette, plain, streamed


def indexes(left: list[Interaction], right: list[Interaction]) -> list[tuple[int | None, int | None]]:
    return [(pair.left, pair.right) for pair in compare_cassettes(cassette(*left), cassette(*right))]


def test_what_is_new_in_every_recording_takes_no_part() -> None:
    """Ids, times and token ids differ from run to run."""
    again = plain(number=7, tool_calls=[{**TOOL_CALL, "id": "call_other"}])
    (pair,) = compare_cassettes(cassette(plain(tool_calls=[TOOL_CALL])), cassette(again))
    assert pair.is_same


def test_equal_requests_are_paired_wherever_they_stand() -> None:
    assert indexes([plain("a"), plain("b"), plain("a")], [plain("b"), plain("a"), plain("a")]) == [(0, 1), (1, 0), (2, 2)]


def test_a_changed_request_is_paired_with_the_nearest() -> None:
    left = [plain("Tell me about the weather in Paris, please"), plain("What is 2 + 2?")]
    right = [plain("What is 2 + 2?"), plain("Tell me about the weather in Rome, please")]
    first, second = compare_cassettes(cassette(*left), cassette(*right))
    assert (first.left, first.right) == (0, 1)
    assert [difference.path for difference in first.request] == ["canonical_body.messages[0].content"]
    assert not first.is_same and second.is_same


def test_requests_with_nothing_in_common_stay_alone() -> None:
    other = plain()
    request = replace(other.request, method="GET", path="/elsewhere", body=b"[]")
    pairs = compare_cassettes(cassette(plain()), cassette(replace(other, request=request)))
    assert [(pair.left, pair.right, pair.is_paired, pair.is_same) for pair in pairs] == [(0, None, False, False), (None, 0, False, False)]


def test_surplus_interactions_are_told_on_both_sides() -> None:
    assert indexes([plain("a")], []) == [(0, None)]
    assert indexes([], [plain("a")]) == [(None, 0)]
    assert indexes([plain("a")], [plain("a"), plain("a")]) == [(0, 0), (None, 1)]


def test_ignored_paths_make_requests_equal() -> None:
    left, right = cassette(plain(user="u1")), cassette(plain(user="u2"))
    assert not compare_cassettes(left, right)[0].is_same
    assert compare_cassettes(left, right, IgnorePathConfig(["/user"]))[0].is_same


BEHAVIOUR = [
    (plain(status=429), ["status"]),
    (plain(finish_reason="length"), ["answer.choices[0].finish_reason"]),
    (plain(failure=FailureKind.CUT), ["failure"]),
    (plain(tool_calls=[TOOL_CALL]), ["answer.choices[0].message.tool_calls"]),
    (plain(text=None), ["answer.choices[0].message.content"]),
    (plain(usage=None), ["answer.usage"]),
    (replace(plain(), response=streamed().response), ["stream"]),
    (replace(plain(), response=NonStreamResponse(200, (), b'{"error": {}}')), None),
]


@pytest.mark.parametrize(("other", "paths"), BEHAVIOUR, ids=lambda value: "")
def test_behaviour(other: Interaction, paths: list[str] | None) -> None:
    behaviour, wording = compare_answers(plain(), other)
    assert wording == ()
    assert behaviour
    if paths is not None:
        assert [difference.path for difference in behaviour] == paths


def test_wording() -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 9, "total_tokens": 21}
    behaviour, wording = compare_answers(plain(), plain(text="Good day to you.", usage=usage))
    assert behaviour == ()
    assert [difference.path for difference in wording] == [
        "answer.choices[0].message.content",
        "answer.usage.completion_tokens",
        "answer.usage.total_tokens",
    ]


def test_texts_that_are_no_json_are_wording() -> None:
    one, other = (replace(plain(), response=NonStreamResponse(200, (), body)) for body in (b"Good morning", b"Good evening"))
    behaviour, wording = compare_answers(one, other)
    assert (behaviour, [difference.path for difference in wording]) == ((), ["answer"])


@pytest.mark.parametrize(
    ("arguments", "is_same"),
    [('{"city":"Paris"}', True), ('{"city": "Rome"}', False), ("not JSON", False)],
)
def test_arguments_of_tool_calls_are_compared_as_values(arguments: str, is_same: bool) -> None:
    other = {**TOOL_CALL, "function": {"name": "get_weather", "arguments": arguments}}
    behaviour, wording = compare_answers(plain(tool_calls=[TOOL_CALL]), plain(tool_calls=[other]))
    assert (behaviour == (), wording) == (is_same, ())


def test_for_programs() -> None:
    (pair,) = compare_cassettes(cassette(plain(user="u1")), cassette(plain(text="Bye.", user="u2")))
    assert json.loads(json.dumps(pair.as_json())) == {
        "left": 0,
        "right": 0,
        "request": [{"kind": "changed", "path": "canonical_body.user", "expected": "u1", "observed": "u2"}],
        "behaviour": [],
        "wording": [{"kind": "changed", "path": "answer.choices[0].message.content", "expected": "Hello.", "observed": "Bye."}],
    }
