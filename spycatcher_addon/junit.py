"""JUnit XML: the form of a test report that build servers read."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write (section 2.2)."""


@dataclass(frozen=True, slots=True)
class TestCase:
    """One case, failed if there is a failure."""

    __test__ = False  # not a test of pytest's

    name: str
    class_name: str
    failure: str | None = None
    """The first line becomes the failure's title."""
    output: str = ""


def encode_junit(suite: str, cases: Sequence[TestCase]) -> str:
    """One test suite as a document, ending in a line break."""
    failures = sum(case.failure is not None for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f"  <testsuite name={_attribute(suite)} {counts}>",
        *(line for case in cases for line in _case_lines(case)),
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case_lines(case: TestCase) -> list[str]:
    head = f"    <testcase name={_attribute(case.name)} classname={_attribute(case.class_name)}"
    if case.failure is None and not case.output:
        return [f"{head}/>"]
    lines = [f"{head}>"]
    if case.failure is not None:
        lines.append(f"      <failure message={_attribute(case.failure.partition(chr(10))[0])}>{_text(case.failure)}</failure>")
    if case.output:
        lines.append(f"      <system-out>{_text(case.output)}</system-out>")
    return [*lines, "    </testcase>"]


def _text(text: str) -> str:
    # Not by xml.sax.saxutils, which loads an HTTP client and TLS.
    return html.escape(_NOT_XML.sub("\ufffd", text), quote=False)


def _attribute(text: str) -> str:
    escaped = html.escape(_NOT_XML.sub("\ufffd", text))
    # Readers would turn line ends and tabs in an attribute into spaces (XML 1.0, section 3.3.3).
    return '"' + escaped.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;") + '"'
