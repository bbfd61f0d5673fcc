"""Faults and the client's reactions for people and for programs: log lines, lines of the closing summary, a JSON file."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from spycatcher_addon.client_verdict import ClientVerdict, Reaction
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.edge.report_files import report_error
from spycatcher_addon.fault_injection import FaultFindings
from spycatcher_addon.faults import AppliedFault, SkippedFault

logger = logging.getLogger("spycatcher_addon")

_ACCEPTED = (Reaction.ACCEPTED_HALF_STREAM, Reaction.ACCEPTED_HALF_ANSWER, Reaction.ACCEPTED_ALTERED_STREAM)


def log_fault(fault: AppliedFault | SkippedFault) -> None:
    """Tell the log of a fault as it happens."""
    if isinstance(fault, AppliedFault):
        logger.warning("fault in the answer of interaction %d: %s", fault.index, fault.rule)
    else:
        logger.warning("a fault had nothing to change in interaction %d (%s): %s", fault.index, fault.reason, fault.rule)


def is_fault_report(data: bytes) -> bool:
    """Whether a file is an earlier report, or holds nothing, so that a new one may take its place."""
    return not data.strip() or re.match(rb'\{\s*"faults":', data.lstrip()) is not None


def write_fault_report(path: str, findings: FaultFindings) -> None:
    """Write the findings as JSON (docs/faults.md), in place of what the file held.

    Raises:
        HarnessIOError: It cannot be written.
    """
    try:
        Path(path).write_text(json.dumps(findings.as_json(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise report_error(path, "fault_report", error) from error


def fault_verdict_lines(findings: FaultFindings, texts: Texts) -> Iterator[str]:
    """Per faulted interaction one line: its faults, and how the client took them."""
    for verdict in findings.verdicts:
        reactions = texts("cli-joiner-semicolon").join(_reaction(verdict, texts))
        yield texts("cli-joiner-colon").join((f"{texts('verify-interaction')} {verdict.index}", _faults(verdict, texts), reactions))


def fault_warnings(findings: FaultFindings, texts: Texts) -> Iterator[str]:
    """One warning per rule and interaction that did not come to anything."""
    for skipped in findings.skipped:
        yield f"{texts('cli-fault-not-applicable', index=skipped.index, reason=skipped.reason)} {skipped.rule}"
    for _, rule in findings.idle:
        yield f"{texts('cli-fault-never-due')} {rule}"


def _faults(verdict: ClientVerdict, texts: Texts) -> str:
    counts = Counter(str(rule) for rule in verdict.rules)
    return texts("cli-joiner-semicolon").join(fault if count == 1 else f"{fault} (x {count})" for fault, count in counts.items())


def _reaction(verdict: ClientVerdict, texts: Texts) -> Iterator[str]:
    waits_ms = ", ".join(f"{wait_ms:.0f}" for wait_ms in verdict.waits_ms)
    yield texts(f"cli-reaction-{verdict.reaction.replace('_', '-')}", retries=verdict.retries, waits_ms=waits_ms)
    if verdict.early_ms is not None:
        yield texts("cli-reaction-hasty", early_ms=round(verdict.early_ms)) if verdict.early_ms else texts("cli-reaction-honoured")
    if verdict.has_left:
        yield texts("cli-reaction-left")
    if verdict.reaction in _ACCEPTED or (verdict.reaction is Reaction.GAVE_UP and verdict.went_on):
        yield texts("cli-reaction-went-on") if verdict.went_on else texts("cli-reaction-nothing-more")
