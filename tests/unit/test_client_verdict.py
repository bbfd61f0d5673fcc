"""How the client took its faults, judged from what it asked afterwards."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from spycatcher_addon.client_verdict import ClientVerdict, Reaction, VerdictBook
from spycatcher_addon.fault_rules import parse_fault_rule


@dataclass(frozen=True)
class Ask:
    """A request for the question ``hash``, and what it was given."""

    hash: str
    at_ms: float
    index: int | None
    fault: str | None = None
    is_stream: bool = True


@dataclass(frozen=True)
class Leave:
    """The client hangs up on the answer of an interaction."""

    index: int


def judge(*steps: Ask | Leave) -> tuple[ClientVerdict, ...]:
    book = VerdictBook()
    for step in steps:
        if isinstance(step, Leave):
            book.note_client_left(step.index)
            continue
        book.note_request(step.hash, step.at_ms)
        if step.index is not None and step.fault is not None:
            book.note_fault(step.index, parse_fault_rule("fault", step.fault), step.is_stream)
        elif step.index is not None:
            book.note_answer(step.index)
    return book.verdicts()


def fault(text: str, at_ms: float = 0.0) -> Ask:
    return Ask("q", at_ms, 0, text)


OTHER = Ask("other", 900.0, 1)
HALF, ALTERED = Reaction.ACCEPTED_HALF_STREAM, Reaction.ACCEPTED_ALTERED_STREAM


@pytest.mark.parametrize(
    ("text", "nothing_more", "went_on", "left"),
    [
        ("status=500", Reaction.GAVE_UP, Reaction.GAVE_UP, Reaction.GAVE_UP),
        ("refuse", Reaction.GAVE_UP, Reaction.GAVE_UP, Reaction.GAVE_UP),
        ("stall", Reaction.GAVE_UP, HALF, Reaction.GAVE_UP),
        ("cut_after_events=1", HALF, HALF, Reaction.GAVE_UP),
        ("cut_after_events=1,ending=unfinished", Reaction.GAVE_UP, HALF, Reaction.GAVE_UP),
        ("cut_after_events=1,ending=reset", Reaction.GAVE_UP, HALF, Reaction.GAVE_UP),
        ("drop_event=1", ALTERED, ALTERED, Reaction.GAVE_UP),
        ("duplicate_event=1", ALTERED, ALTERED, Reaction.GAVE_UP),
        ("corrupt_event=1", ALTERED, ALTERED, Reaction.GAVE_UP),
        ("delay_ms=1", Reaction.TOOK_ANSWER, Reaction.TOOK_ANSWER, Reaction.GAVE_UP),
        ("split_utf8", Reaction.TOOK_ANSWER, Reaction.TOOK_ANSWER, Reaction.GAVE_UP),
    ],
)
def test_reactions_without_a_retry(text: str, nothing_more: Reaction, went_on: Reaction, left: Reaction) -> None:
    (verdict,) = judge(fault(text))
    assert (verdict.reaction, verdict.retries, verdict.went_on, verdict.has_left) == (nothing_more, 0, False, False)
    (verdict,) = judge(fault(text), OTHER)
    assert (verdict.reaction, verdict.retries, verdict.went_on) == (went_on, 0, True)
    (verdict,) = judge(fault(text), Leave(0))
    assert (verdict.reaction, verdict.has_left) == (left, True)


@pytest.mark.parametrize("text", ["cut_after_bytes=1", "stall"])
def test_half_of_a_plain_answer_is_no_half_stream(text: str) -> None:
    (verdict,) = judge(Ask("q", 0.0, 0, text, is_stream=False), OTHER)
    assert verdict.reaction is Reaction.ACCEPTED_HALF_ANSWER


def test_a_retry_that_finds_its_answer() -> None:
    (verdict,) = judge(fault("status=500"), Ask("q", 512.0, 0), OTHER)
    assert (verdict.reaction, verdict.waits_ms, verdict.went_on) == (Reaction.RETRIED, (512.0,), True)
    assert (verdict.index, verdict.hash, [str(rule) for rule in verdict.rules]) == (0, "q", ["status=500"])


def test_retries_that_meet_faults_again() -> None:
    (verdict,) = judge(fault("status=500,times=3"), fault("status=500,times=3", 400.0), fault("status=500,times=3", 1300.0))
    assert (verdict.reaction, verdict.waits_ms, len(verdict.rules)) == (Reaction.GAVE_UP, (400.0, 900.0), 3)


def test_a_retry_after_a_used_up_answer_finds_nothing_and_still_is_one() -> None:
    (verdict,) = judge(fault("cut_after_events=1"), Ask("q", 100.0, None))
    assert (verdict.reaction, verdict.waits_ms) == (Reaction.RETRIED, (100.0,))


def test_the_same_question_again_in_the_recorded_conversation_is_no_retry() -> None:
    (verdict,) = judge(fault("cut_after_events=1"), Ask("q", 100.0, 4))
    assert (verdict.reaction, verdict.retries, verdict.went_on) == (HALF, 0, True)


@pytest.mark.parametrize(
    ("back_at_ms", "early_ms", "is_honoured"),
    [(2000.0, 0.0, True), (9000.0, 0.0, True), (1985.0, 0.0, True), (1500.0, 500.0, False), (0.0, 2000.0, False)],
)
def test_retry_after(back_at_ms: float, early_ms: float, is_honoured: bool) -> None:
    (verdict,) = judge(fault("status=429,retry_after_s=2"), Ask("q", back_at_ms, 0))
    assert (verdict.early_ms, verdict.is_retry_after_honoured) == (early_ms, is_honoured)


def test_the_hastiest_retry_counts() -> None:
    rule = "status=429,retry_after_s=1,times=3"
    (verdict,) = judge(fault(rule), fault(rule, 1000.0), fault(rule, 1600.0), Ask("q", 2500.0, 0))
    assert (verdict.early_ms, verdict.waits_ms) == (400.0, (1000.0, 600.0, 900.0))


@pytest.mark.parametrize("text", ["status=429", "refuse"])
def test_without_retry_after_there_is_nothing_to_honour(text: str) -> None:
    (verdict,) = judge(fault(text), Ask("q", 1.0, 0))
    assert verdict.is_retry_after_honoured is None
    (verdict,) = judge(fault("status=429,retry_after_s=1"), OTHER)
    assert verdict.is_retry_after_honoured is None, "no retry came that could have been early"


def test_requests_before_the_fault_do_not_count() -> None:
    (verdict,) = judge(Ask("q", 0.0, 5), OTHER, Ask("q", 1000.0, 6, "status=500"))
    assert (verdict.index, verdict.retries, verdict.went_on) == (6, 0, False)


def test_one_verdict_for_each_faulted_interaction() -> None:
    verdicts = judge(Ask("b", 0.0, 1, "status=500"), Ask("a", 1.0, 0, "drop_event=0"), Ask("b", 2.0, 1), Ask("c", 3.0, 2))
    assert [(verdict.index, verdict.reaction) for verdict in verdicts] == [(1, Reaction.RETRIED), (0, ALTERED)]
    assert judge(OTHER) == ()


def test_only_the_latest_answer_of_an_interaction_was_left() -> None:
    (verdict,) = judge(fault("stall"), Leave(0), Ask("q", 100.0, 0), Leave(7))
    assert (verdict.reaction, verdict.has_left) == (Reaction.RETRIED, True)


def test_the_verdict_for_programs() -> None:
    (verdict,) = judge(fault("status=429,retry_after_s=1"), Ask("q", 600.4, 0))
    assert verdict.as_json() == {
        "interaction": 0,
        "stable_hash": "q",
        "faults": ["status=429,retry_after_s=1"],
        "reaction": "retried",
        "retries": 1,
        "retried_after_ms": [600],
        "retry_after_honoured": False,
        "retry_after_early_ms": 400,
        "went_on": False,
        "client_left": False,
    }
    (verdict,) = judge(fault("stall"))
    assert (verdict.as_json()["retry_after_honoured"], verdict.as_json()["retry_after_early_ms"]) == (None, None)


def test_thousands_of_faults_are_judged_quickly() -> None:
    steps = [step for index in range(20_000) for step in (Ask("q", index, index, "status=500"), Ask("q", index + 0.5, index))]
    started = time.perf_counter()
    verdicts = judge(*steps)
    assert {verdict.retries for verdict in verdicts} == {1}
    assert time.perf_counter() - started < 5
