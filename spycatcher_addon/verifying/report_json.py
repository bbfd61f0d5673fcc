"""The report as JSON, of the form that docs/schemas/verify-report-1.json describes."""

from __future__ import annotations

import json
from typing import Final

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.verifying.report import Outcome, ReportedFinding, TapeReport, VerifyReport

SCHEMA: Final = "spycatcher-harness/verify-report"
SCHEMA_VERSION: Final = 1


def encode_json_report(report: VerifyReport, generator: str) -> str:
    """Print the report, ending in a line break."""
    findings = [each for tape in report.tapes for each in tape.findings]
    document: dict[str, JsonValue] = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "generator": generator,
        "outcome": report.outcome.value,
        "strict": report.is_strict,
        "counts": {
            "tapes": len(report.tapes),
            **{outcome.value: report.count(outcome) for outcome in Outcome},
            "errors": sum(not each.is_warning for each in findings),
            "warnings": sum(each.is_warning for each in findings),
            "passed_over": report.passed_over,
        },
        "tapes": [_tape(tape) for tape in report.tapes],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _tape(tape: TapeReport) -> JsonValue:
    return {
        "path": tape.path,
        "outcome": tape.outcome.value,
        "interactions": tape.interactions,
        "findings": [_finding(each) for each in tape.findings],
    }


def _finding(finding: ReportedFinding) -> JsonValue:
    return {
        "rule": finding.rule,
        "group": finding.group.value,
        "severity": "warning" if finding.is_warning else "error",
        "interaction": finding.interaction,
        "field": finding.field,
        "line": finding.line,
        "message": finding.message,
    }
