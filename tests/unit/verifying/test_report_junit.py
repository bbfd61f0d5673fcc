"""JUnit XML: a case for each cassette and group of checks."""

from __future__ import annotations

from xml.etree import ElementTree

from spycatcher_addon.verifying.findings import Group
from spycatcher_addon.verifying.report import VerifyReport
from spycatcher_addon.verifying.report_junit import encode_junit_report
from tests.support.verify_reports import CLEAN_TAPE, ODD_PATH, REPORT, STRICT


def cases(report: VerifyReport) -> dict[tuple[str | None, str | None], ElementTree.Element]:
    root = ElementTree.fromstring(encode_junit_report(report).encode())
    assert root.tag == "testsuites"
    (suite,) = root
    found = list(suite.iter("testcase"))
    assert suite.get("name") == "spycatcher-harness verify"
    assert int(suite.get("tests", "")) == len(found)
    assert int(suite.get("failures", "")) == len(list(suite.iter("failure")))
    return {(case.get("classname"), case.get("name")): case for case in found}


def test_a_clean_cassette_passes_in_every_group() -> None:
    found = cases(VerifyReport((CLEAN_TAPE,)))
    assert list(found) == [("tapes/clean", group.value) for group in Group]
    assert [list(case) for case in found.values()] == [[] for _ in Group]


def test_a_finding_fails_its_group_and_a_warning_does_not() -> None:
    found = cases(REPORT)
    (failure,) = found["tapes/bad", "secrets"]
    assert (failure.tag, failure.text) == ("failure", "interaction 2: request.body holds a secret (line 41) [secret]")
    assert failure.get("message") == failure.text
    (output,) = found["tapes/bad", "size"]
    assert (output.tag, output.text) == ("system-out", "interaction 0: its bodies have 99 bytes [large]")


def test_what_cannot_be_read_fails_in_one_case_whatever_its_name_and_message_hold() -> None:
    found = cases(REPORT)
    assert [name for path, name in found if path == ODD_PATH] == ["file"]
    (failure,) = found[ODD_PATH, "file"]
    assert failure.get("message") == "a:b, 100% <&> \"q\" 'é'"
    assert failure.text is not None and "\ufffd[31m\ufffd [unreadable]" in failure.text


def test_warnings_fail_when_they_count() -> None:
    (failure,) = cases(STRICT)["tapes/warned", "size"]
    assert failure.tag == "failure"
