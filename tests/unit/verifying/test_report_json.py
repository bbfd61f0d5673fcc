"""The JSON report follows its published schema and says everything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from spycatcher_addon.verifying.findings import RULES, Group
from spycatcher_addon.verifying.report import VerifyReport
from spycatcher_addon.verifying.report_json import encode_json_report
from tests.support.verify_reports import ODD_MESSAGE, ODD_PATH, REPORT, STRICT

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/schemas/verify-report-1.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def decoded(report: VerifyReport) -> Any:
    text = encode_json_report(report, "spycatcher-harness 9.9.9")
    assert text.endswith("}\n")
    return json.loads(text)


@pytest.mark.parametrize("report", [REPORT, STRICT, VerifyReport(())], ids=["mixed", "strict", "empty"])
def test_it_follows_the_schema(report: VerifyReport) -> None:
    VALIDATOR.validate(decoded(report))


def test_the_schema_is_one_and_knows_every_group_and_rule() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    finding = SCHEMA["$defs"]["finding"]["properties"]
    assert finding["group"]["enum"] == [group.value for group in Group]
    for rule in RULES:
        jsonschema.validate(rule, finding["rule"])


@pytest.mark.parametrize("gone", ["schema_version", "outcome", "counts", "tapes"])
def test_the_schema_refuses_less(gone: str) -> None:
    report = decoded(REPORT)
    del report[gone]
    assert not VALIDATOR.is_valid(report)


def test_the_whole() -> None:
    report = decoded(REPORT)
    assert list(report) == ["schema", "schema_version", "generator", "outcome", "strict", "counts", "tapes"]
    assert (report["schema"], report["schema_version"], report["generator"]) == (
        "spycatcher-harness/verify-report",
        1,
        "spycatcher-harness 9.9.9",
    )
    assert (report["outcome"], report["strict"]) == ("unreadable", False)
    counts = {"tapes": 4, "clean": 2, "findings": 1, "unreadable": 1, "errors": 2, "warnings": 2, "passed_over": 7}
    assert report["counts"] == counts


def test_a_cassette_and_its_findings() -> None:
    tapes = decoded(REPORT)["tapes"]
    assert tapes[0] == {"path": "tapes/clean", "outcome": "clean", "interactions": 3, "findings": []}
    assert (tapes[1]["path"], tapes[1]["outcome"]) == ("./tapes/warned", "clean")
    assert tapes[2]["findings"][1] == {
        "rule": "secret",
        "group": "secrets",
        "severity": "error",
        "interaction": 2,
        "field": "request.body",
        "line": 41,
        "message": "request.body holds a secret",
    }
    assert (tapes[3]["path"], tapes[3]["outcome"], tapes[3]["interactions"]) == (ODD_PATH, "unreadable", None)
    assert tapes[3]["findings"][0]["message"] == ODD_MESSAGE


def test_severities_are_those_of_the_rules_also_when_warnings_count() -> None:
    report = decoded(STRICT)
    assert (report["strict"], report["outcome"], report["tapes"][0]["findings"][0]["severity"]) == (True, "findings", "warning")
