"""Faults in the log, in the summary and in a file."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from pathlib import Path

import pytest

from spycatcher_addon.client_verdict import ClientVerdict, Reaction
from spycatcher_addon.edge.catalogues import load_catalogues
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.edge.fault_report import fault_verdict_lines, fault_warnings, is_fault_report, log_fault, write_fault_report
from spycatcher_addon.errors import HarnessIOError
from spycatcher_addon.fault_injection import FaultFindings
from spycatcher_addon.fault_rules import parse_fault_rule
from spycatcher_addon.faults import AppliedFault, SkippedFault
from tests.support.texts import ENGLISH, without_marks

RULE = parse_fault_rule("fault", "status=429,retry_after_s=1")
OTHER_RULE = parse_fault_rule("fault", "refuse")


def readable(lines: Iterable[str]) -> list[str]:
    return [without_marks(line) for line in lines]


def test_the_log_names_interaction_and_rule(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "spycatcher_addon"):
        log_fault(AppliedFault(0, RULE, 4, 0, 12.5))
        log_fault(SkippedFault(0, RULE, 5, "no reason"))
    assert [record.getMessage() for record in caplog.records] == [
        "fault in the answer of interaction 4: status=429,retry_after_s=1",
        "a fault had nothing to change in interaction 5 (no reason): status=429,retry_after_s=1",
    ]


@pytest.mark.parametrize(
    ("reaction", "waits_ms", "early_ms", "went_on", "has_left", "sentence"),
    [
        (Reaction.RETRIED, (1003.4,), 0.0, True, False, "the client retried once, after 1003 ms; Retry-After was honored"),
        (
            Reaction.RETRIED,
            (500.0,),
            499.6,
            False,
            False,
            "the client retried once, after 500 ms; Retry-After was not honored, 500 ms too early",
        ),
        (Reaction.RETRIED, (1.0, 2.0), None, False, True, "the client retried 2 times, after 1, 2 ms; it hung up before the end"),
        (Reaction.GAVE_UP, (), None, False, False, "the client gave up without retrying"),
        (Reaction.GAVE_UP, (5.0,), None, True, False, "the client retried once, after 5 ms, then gave up; other requests followed"),
        (Reaction.GAVE_UP, (5.0, 6.0), None, False, False, "the client retried 2 times, after 5, 6 ms, then gave up"),
        (Reaction.ACCEPTED_HALF_STREAM, (), None, True, False, "the client accepted a half stream; other requests followed"),
        (Reaction.ACCEPTED_HALF_ANSWER, (), None, True, False, "the client accepted a half answer; other requests followed"),
        (Reaction.ACCEPTED_ALTERED_STREAM, (), None, False, False, "the client accepted the altered stream; nothing was asked after it"),
        (Reaction.TOOK_ANSWER, (), None, True, False, "the client took the answer"),
    ],
)
def test_verdicts_for_people(
    reaction: Reaction, waits_ms: tuple[float, ...], early_ms: float | None, went_on: bool, has_left: bool, sentence: str
) -> None:
    verdict = ClientVerdict(4, "h", (RULE, RULE), reaction, waits_ms, early_ms, went_on, has_left)
    lines = readable(fault_verdict_lines(FaultFindings(verdicts=(verdict,)), ENGLISH))
    assert lines == [f"interaction 4: status=429,retry_after_s=1 (x 2): {sentence}"]


def test_a_verdict_is_put_together_as_its_language_does() -> None:
    verdict = ClientVerdict(4, "h", (RULE, OTHER_RULE), Reaction.TOOK_ANSWER, (), None, True, True)
    (line,) = readable(fault_verdict_lines(FaultFindings(verdicts=(verdict,)), Texts(load_catalogues(["fr-FR"]))))
    assert line == "interaction 4 : status=429,retry_after_s=1 ; refuse=true : le client a pris la réponse ; il a raccroché avant la fin"


def test_rules_that_came_to_nothing_are_warnings() -> None:
    findings = FaultFindings(skipped=(SkippedFault(0, RULE, 4, "no stream"),), idle=((1, RULE),))
    assert readable(fault_warnings(findings, ENGLISH)) == [
        "this fault had nothing to change in interaction 4 (no stream): status=429,retry_after_s=1",
        "no answer met this fault rule; check its interaction and path: status=429,retry_after_s=1",
    ]
    assert readable(fault_warnings(FaultFindings(), ENGLISH)) == readable(fault_verdict_lines(FaultFindings(), ENGLISH)) == []


def test_the_file_replaces_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "faults.json"
    path.write_text("old")
    findings = FaultFindings(applied=(AppliedFault(0, RULE, 4, 0, 12.5),))
    write_fault_report(str(path), findings)
    assert json.loads(path.read_text(encoding="utf-8")) == findings.as_json()


@pytest.mark.parametrize("name", ["missing/faults.json", "", "a\0b"])
def test_a_file_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(HarnessIOError, match="io failure") as caught:
        write_fault_report(str(tmp_path / name) if name else str(tmp_path), FaultFindings())
    assert "cannot write the report" in caught.value.source
    assert "fault_report" in caught.value.source


def test_an_earlier_report_may_be_replaced_and_nothing_else(tmp_path: Path) -> None:
    write_fault_report(str(tmp_path / "faults.json"), FaultFindings())
    assert is_fault_report((tmp_path / "faults.json").read_bytes())
    assert is_fault_report(b"")
    assert not is_fault_report(b'{"format_version": 2}')
    assert not is_fault_report(b"notes")
