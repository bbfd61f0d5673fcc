"""One run of faults, from the first request to its findings."""

from __future__ import annotations

from itertools import count

from spycatcher_addon.client_verdict import Reaction
from spycatcher_addon.exchange import ReplayResponse
from spycatcher_addon.fault_injection import FaultFindings, FaultInjector
from spycatcher_addon.fault_rules import parse_fault_rules
from spycatcher_addon.faults import AppliedFault, SkippedFault

PATH = "/v1/chat/completions"
REPLY = ReplayResponse(200, (), (b"{}",), interaction_index=0)


def injector(*rules: str, reported: list[AppliedFault | SkippedFault] | None = None) -> FaultInjector:
    ticks = count(0, 500)  # each look at the clock is half a second later
    return FaultInjector(parse_fault_rules(rules), 0, lambda: float(next(ticks)), None if reported is None else reported.append)


def test_an_answer_with_a_fault_then_one_without() -> None:
    reported: list[AppliedFault | SkippedFault] = []
    faults = injector("status=500", reported=reported)
    faults.note_request("h")
    broken, is_used_up = faults.answer(0, PATH, REPLY)
    assert (broken.status, is_used_up) == (500, False)
    faults.note_request("h")
    assert faults.answer(0, PATH, REPLY) == (REPLY, True)
    assert len(reported) == 1
    (verdict,) = faults.findings().verdicts
    assert (verdict.reaction, verdict.waits_ms) == (Reaction.RETRIED, (1000.0,))


def test_a_fault_that_leaves_the_client_content_uses_up_the_interaction() -> None:
    faults = injector("delay_ms=5")
    faults.note_request("h")
    assert faults.answer(0, PATH, REPLY)[1] is True


def test_a_client_that_leaves() -> None:
    faults = injector("delay_ms=5")
    faults.note_request("h")
    faults.answer(0, PATH, REPLY)
    faults.note_client_left(0)
    (verdict,) = faults.findings().verdicts
    assert (verdict.reaction, verdict.has_left) == (Reaction.GAVE_UP, True)


def test_the_findings_for_programs() -> None:
    faults = injector("status=429,retry_after_s=2,interaction=0", "drop_event=0", "refuse,interaction=9")
    for _ in range(2):
        faults.note_request("h")
        faults.answer(0, PATH, REPLY)
    assert faults.findings().as_json() == {
        "faults": [{"rule": 0, "fault": "status=429,retry_after_s=2,interaction=0", "interaction": 0, "attempt": 0, "at_ms": 500}],
        "not_applicable": [{"rule": 1, "fault": "drop_event=0", "interaction": 0, "reason": "the answer is no stream and has no events"}],
        "never_due": [{"rule": 2, "fault": "refuse=true,interaction=9"}],
        "verdicts": [
            {
                "interaction": 0,
                "stable_hash": "h",
                "faults": ["status=429,retry_after_s=2,interaction=0"],
                "reaction": "retried",
                "retries": 1,
                "retried_after_ms": [1000],
                "retry_after_honoured": False,
                "retry_after_early_ms": 1000,
                "went_on": False,
                "client_left": False,
            }
        ],
    }


def test_no_findings() -> None:
    assert FaultFindings().as_json() == {"faults": [], "not_applicable": [], "never_due": [], "verdicts": []}
