"""The report as workflow commands of GitHub Actions: each finding becomes an annotation of the cassette's line."""

from __future__ import annotations

from spycatcher_addon.verifying.report import VerifyReport
from spycatcher_addon.workflow_commands import Level, annotation


def encode_github_report(report: VerifyReport) -> str:
    """One line for each finding; nothing where there is none."""
    lines = []
    for tape in report.tapes:
        for each in tape.findings:
            level = Level.WARNING if each.is_warning and not report.is_strict else Level.ERROR
            place = "" if each.interaction is None else f"interaction {each.interaction}: "
            lines.append(annotation(level, place + each.message, file=tape.file, line=each.line, title=f"verify: {each.rule}"))
    return "".join(f"{line}\n" for line in lines)
