"""The report as JUnit XML: for each cassette one case per group of checks, failed where a finding of the group is."""

from __future__ import annotations

from spycatcher_addon.junit import TestCase, encode_junit
from spycatcher_addon.verifying.findings import Group
from spycatcher_addon.verifying.report import Outcome, ReportedFinding, TapeReport, VerifyReport

_SUITE = "spycatcher-harness verify"


def encode_junit_report(report: VerifyReport) -> str:
    """One test suite as a document. Warnings are the output of a case that passes."""
    return encode_junit(_SUITE, [case for tape in report.tapes for case in _cases(tape, report.is_strict)])


def _cases(tape: TapeReport, is_strict: bool) -> list[TestCase]:
    # Of what cannot be read nothing else is known.
    groups = (Group.FILE,) if tape.outcome is Outcome.UNREADABLE else tuple(Group)
    cases = []
    for group in groups:
        found = [each for each in tape.findings if each.group is group]
        failures = [_line(each) for each in found if is_strict or not each.is_warning]
        warnings = [_line(each) for each in found if each.is_warning and not is_strict]
        cases.append(TestCase(group.value, tape.path, failure="\n".join(failures) or None, output="\n".join(warnings)))
    return cases


def _line(finding: ReportedFinding) -> str:
    place = "" if finding.interaction is None else f"interaction {finding.interaction}: "
    line = "" if finding.line is None else f" (line {finding.line})"
    return f"{place}{finding.message}{line} [{finding.rule}]"
