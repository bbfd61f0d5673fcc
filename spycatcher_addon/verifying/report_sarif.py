"""The report as SARIF 2.1.0 (OASIS), which code scanning services read."""

from __future__ import annotations

import json
from typing import Final
from urllib.parse import quote

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.verifying.findings import RULES
from spycatcher_addon.verifying.report import TOOL, ReportedFinding, TapeReport, VerifyReport

SARIF_VERSION: Final = "2.1.0"
_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def encode_sarif_report(report: VerifyReport, version: str) -> str:
    """One run as a document, ending in a line break; all rules are listed, findings or not."""
    numbers = {rule: number for number, rule in enumerate(RULES)}
    rules: list[JsonValue] = [
        {
            "id": name,
            "shortDescription": {"text": rule.summary},
            "properties": {"group": rule.group.value},
            "defaultConfiguration": {"level": "warning" if rule.is_warning else "error"},
        }
        for name, rule in RULES.items()
    ]
    results = [_result(tape, each, numbers[each.rule], report.is_strict) for tape in report.tapes for each in tape.findings]
    run: JsonValue = {"tool": {"driver": {"name": TOOL, "version": version, "rules": rules}}, "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": SARIF_VERSION, "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _result(tape: TapeReport, finding: ReportedFinding, number: int, is_strict: bool) -> JsonValue:
    place: dict[str, JsonValue] = {"artifactLocation": {"uri": _uri(tape.file)}}
    if finding.line is not None:
        place["region"] = {"startLine": finding.line}
    properties: dict[str, JsonValue] = {"field": finding.field}
    prefix = ""
    if finding.interaction is not None:
        properties["interaction"] = finding.interaction
        prefix = f"interaction {finding.interaction}: "
    return {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": "warning" if finding.is_warning and not is_strict else "error",
        "message": {"text": prefix + finding.message},
        "locations": [{"physicalLocation": place}],
        "properties": properties,
    }


def _uri(path: str) -> str:
    quoted = quote(path.encode("utf-8", "surrogateescape"))
    return f"file://{quoted}" if path.startswith("/") else quoted
