"""SARIF: all rules, and each finding as a result with its place."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from spycatcher_addon.verifying.findings import RULES
from spycatcher_addon.verifying.report import VerifyReport
from spycatcher_addon.verifying.report_sarif import encode_sarif_report
from tests.support.verify_reports import BAD_TAPE, REPORT, STRICT


def decoded(report: VerifyReport) -> Any:
    document = json.loads(encode_sarif_report(report, "9.9.9"))
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = document["runs"]
    return run


def test_the_tool_lists_all_rules() -> None:
    driver = decoded(VerifyReport(()))["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("spycatcher-harness", "9.9.9")
    assert [rule["id"] for rule in driver["rules"]] == list(RULES)
    by_id = {rule["id"]: rule for rule in driver["rules"]}
    assert by_id["secret"]["defaultConfiguration"] == {"level": "error"}
    assert by_id["large"]["defaultConfiguration"] == {"level": "warning"}
    assert by_id["secret"]["shortDescription"]["text"] == RULES["secret"].summary


def test_a_finding_is_a_result() -> None:
    run = decoded(VerifyReport((BAD_TAPE,)))
    large, secret = run["results"]
    assert run["tool"]["driver"]["rules"][secret["ruleIndex"]]["id"] == secret["ruleId"] == "secret"
    assert secret["level"] == "error"
    assert secret["message"] == {"text": "interaction 2: request.body holds a secret"}
    assert secret["properties"] == {"field": "request.body", "interaction": 2}
    (location,) = secret["locations"]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": "tapes/bad"}, "region": {"startLine": 41}}
    assert large["level"] == "warning"
    assert "region" not in large["locations"][0]["physicalLocation"]


def test_warnings_are_errors_when_they_count() -> None:
    (result,) = decoded(STRICT)["results"]
    assert result["level"] == "error"


def uri(file: str) -> str:
    run = decoded(VerifyReport((replace(BAD_TAPE, file=file),)))
    found = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert isinstance(found, str)
    return found


def test_paths_are_uris() -> None:
    assert decoded(REPORT)["results"][-1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == (
        "odd%2C%20100%25%3A%20%3C%C3%A4%3E/b"
    )
    assert uri("/tmp/a b") == "file:///tmp/a%20b"
    assert uri("a\udcffb") == "a%FFb", "a name that is not UTF-8"
