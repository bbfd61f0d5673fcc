"""Records of a replay report: their three forms, and what is read back from them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from spycatcher_addon.cassette.diff import Difference, DifferenceKind
from spycatcher_addon.mismatch_report import (
    Mismatch,
    NoReportError,
    RefusedRequest,
    ReplaySummary,
    ReportRecord,
    encode_annotation,
    encode_junit_report,
    encode_record,
    is_report,
    unused_in,
    unused_in_all,
)

SCHEMA: Any = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "mismatch-report-1.json").read_text())
REFUSED = RefusedRequest(
    1, "2026-01-02T03:04:05.5Z", None, "GET", "/v1/models", 404, "not_found", "no such path\nknown: /v1/chat/completions"
)
ASKED = RefusedRequest(2, "2026-01-02T03:04:06Z", "req-7", "POST", "/v1/chat/completions", 409, "request_mismatch", "did not match")
MISMATCH = Mismatch(
    request=ASKED,
    reason="request_hash_mismatch",
    index=3,
    nearest=None,
    tape="fixtures/llm/tape",
    line=42,
    expected_hash="a" * 64,
    observed_hash="b" * 64,
    differences=(Difference(DifferenceKind.CHANGED, "canonical_body.messages[0].content", "Grüße", "x\ny"),),
    ignored_paths=("/metadata/run_id",),
    normalize=("uuid",),
    seen_at=(5,),
)
EXHAUSTED = replace(MISMATCH, reason="cassette_exhausted", index=None, line=None, expected_hash=None, differences=(), seen_at=())
SUMMARY = ReplaySummary("2026-01-02T03:04:07Z", "tape", 3, 1, 1, 0, ((1, "c" * 64), (2, "d" * 64)))


def lines(*records: ReportRecord) -> bytes:
    return "".join(map(encode_record, records)).encode()


@pytest.mark.parametrize("record", [REFUSED, MISMATCH, EXHAUSTED, SUMMARY])
def test_records_are_single_lines_as_the_schema_has_them(record: ReportRecord) -> None:
    line = encode_record(record)
    assert line.count("\n") == 1
    jsonschema.validate(json.loads(line), SCHEMA)


def test_the_schema_tells_a_record_from_something_else() -> None:
    for broken in ({}, {"schema_version": 1, "kind": "mismatch"}, {**json.loads(encode_record(SUMMARY)), "schema_version": 2}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)


def test_a_mismatch_as_json() -> None:
    assert json.loads(encode_record(MISMATCH)) == {
        "schema_version": 1,
        "kind": "mismatch",
        "number": 2,
        "time": "2026-01-02T03:04:06Z",
        "request_id": "req-7",
        "method": "POST",
        "path": "/v1/chat/completions",
        "status": 409,
        "error_kind": "request_mismatch",
        "message": "did not match",
        "reason": "request_hash_mismatch",
        "index": 3,
        "nearest": None,
        "tape": "fixtures/llm/tape",
        "line": 42,
        "expected_hash": "a" * 64,
        "observed_hash": "b" * 64,
        "differences": [{"kind": "changed", "path": "canonical_body.messages[0].content", "expected": "Grüße", "observed": "x\ny"}],
        "ignored_paths": ["/metadata/run_id"],
        "normalize": ["uuid"],
        "seen_at": [5],
    }


def test_as_junit() -> None:
    (suite,) = ElementTree.fromstring(encode_junit_report([REFUSED, MISMATCH], "tape", 7))
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("spycatcher-harness replay", "3", "2")
    assert [case.get("name") for case in suite] == [
        "7 matched", "refused request 1: GET /v1/models", "refused request 2: POST /v1/chat/completions",
    ]  # fmt: skip
    assert suite[2][0].text == "did not match"


def test_as_annotations() -> None:
    assert encode_annotation(MISMATCH, "tape") == (
        "::error file=fixtures/llm/tape,line=42,title=replay mismatch%3A canonical_body.messages[0].content::"
        'changed: canonical_body.messages[0].content: "Grüße" -> "x\\ny"'
    )
    assert (
        encode_annotation(EXHAUSTED, "tape") == "::error file=fixtures/llm/tape,title=replay mismatch%3A cassette_exhausted::did not match"
    )
    assert encode_annotation(REFUSED, "tape") == (
        "::error file=tape,title=replay refused a request%3A not_found::no such path%0Aknown: /v1/chat/completions"
    )


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", True),
        (b" \n", True),
        (lines(REFUSED), True),
        (lines(SUMMARY), True),
        (encode_junit_report([], "t", 0).encode(), True),
        (encode_annotation(REFUSED, "t").encode(), True),
        (b"{}\n", False),
        (b'{"schema_version": 1, "kind": "cassette"}', False),
        (b"import os\n", False),
        (b'<?xml version="1.0"?><testsuite name="mine"/>', False),
        (b"\xff\xfe", False),
    ],
)
def test_only_an_earlier_report_may_be_replaced(data: bytes, expected: bool) -> None:
    assert is_report(data) is expected


def test_what_is_unused_is_read_back() -> None:
    assert unused_in(lines(REFUSED, MISMATCH, SUMMARY)) == {1: "c" * 64, 2: "d" * 64}
    assert unused_in(lines(SUMMARY, replace(SUMMARY, unused=((2, "d" * 64), (0, "e" * 64))))) == {2: "d" * 64}
    assert unused_in_all([{1: "a", 2: "b"}, {2: "b", 3: "c"}, {2: "b", 1: "a"}]) == {2: "b"}
    assert unused_in_all([{1: "a"}, {1: "other"}]) == {}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "it has no summary"),
        (lines(MISMATCH), "it has no summary"),
        (b"{}", "line 1 is no record"),
        (lines(REFUSED) + b"torn{", "line 2 is no record"),
        (b'{"schema_version": 1, "kind": "summary", "unused": [1]}', "line 1: unused is not a list"),
        (b'{"schema_version": 1, "kind": "summary"}', "line 1: unused is not a list"),
    ],
)
def test_reports_that_say_nothing_about_use(data: bytes, problem: str) -> None:
    with pytest.raises(NoReportError, match=problem):
        unused_in(data)
