"""What a run comes to as a whole."""

from __future__ import annotations

import pytest

from spycatcher_addon.verifying.report import Outcome, TapeReport, VerifyReport, outcome_of
from tests.support.verify_reports import REPORT


@pytest.mark.parametrize(
    ("are_warnings", "is_strict", "outcome"),
    [
        ((), False, Outcome.CLEAN),
        ((), True, Outcome.CLEAN),
        ((True, True), False, Outcome.CLEAN),
        ((True,), True, Outcome.FINDINGS),
        ((True, False), False, Outcome.FINDINGS),
        ((False,), True, Outcome.FINDINGS),
    ],
)
def test_warnings_count_only_when_asked_for(are_warnings: tuple[bool, ...], is_strict: bool, outcome: Outcome) -> None:
    assert outcome_of(are_warnings, is_strict) is outcome


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [
        ((), Outcome.CLEAN),
        ((Outcome.CLEAN, Outcome.CLEAN), Outcome.CLEAN),
        ((Outcome.FINDINGS, Outcome.CLEAN), Outcome.FINDINGS),
        ((Outcome.CLEAN, Outcome.FINDINGS, Outcome.UNREADABLE), Outcome.UNREADABLE),
    ],
)
def test_the_worst_cassette_decides(outcomes: tuple[Outcome, ...], worst: Outcome) -> None:
    assert VerifyReport(tuple(TapeReport("tape", outcome) for outcome in outcomes)).outcome is worst


def test_cassettes_are_counted_by_outcome() -> None:
    assert [REPORT.count(outcome) for outcome in Outcome] == [2, 1, 1]
