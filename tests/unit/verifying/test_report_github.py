"""Annotations: one line for each finding, at the cassette's line, as errors or warnings."""

from __future__ import annotations

from spycatcher_addon.verifying.report import VerifyReport
from spycatcher_addon.verifying.report_github import encode_github_report
from tests.support.verify_reports import CLEAN_TAPE, REPORT, STRICT


def test_one_line_for_each_finding() -> None:
    assert encode_github_report(REPORT).splitlines() == [
        "::warning file=tapes/warned,title=verify%3A large::interaction 0: its bodies have 99 bytes",
        "::warning file=tapes/bad,title=verify%3A large::interaction 0: its bodies have 99 bytes",
        "::error file=tapes/bad,line=41,title=verify%3A secret::interaction 2: request.body holds a secret",
        "::error file=odd%2C 100%25%3A <ä>/b,title=verify%3A unreadable"
        "::a:b, 100%25 <&> \"q\" 'é'%0Asecond%0Dline \x1b[31m\x00",
    ]  # fmt: skip


def test_nothing_where_nothing_was_found() -> None:
    assert encode_github_report(VerifyReport((CLEAN_TAPE,))) == ""


def test_warnings_are_errors_when_they_count() -> None:
    assert encode_github_report(STRICT).startswith("::error file=tapes/warned,")
