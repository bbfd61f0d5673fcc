"""What ``verify`` does: read cassettes, have them checked, print what was found. Changes nothing, binds nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spycatcher_addon.choices import VerifyFormat
from spycatcher_addon.config import HarnessConfig, LocalizationConfig, validate_for_start
from spycatcher_addon.edge.catalogues import SOURCE_LOCALE
from spycatcher_addon.edge.cli_failure import EXIT_FAILURE, advice
from spycatcher_addon.edge.cli_language import configured_texts
from spycatcher_addon.edge.cli_text import Texts, without_marks
from spycatcher_addon.edge.tape_checking import CheckedTape, check_tapes
from spycatcher_addon.edge.terminal import write_err, write_out
from spycatcher_addon.errors import HarnessError
from spycatcher_addon.verifying.findings import RULES, UNFINISHED, UNREADABLE, Finding
from spycatcher_addon.verifying.report import Outcome, ReportedFinding, TapeReport, VerifyReport
from spycatcher_addon.version import GENERATOR, VERSION


class VerificationError(Exception):
    """The cassette or the configuration cannot be checked at all; the text is for the user."""


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """What to check, and how to say what was found."""

    paths: tuple[str, ...] = ()
    """Cassettes, and folders of cassettes; the configured cassette where there are none."""
    form: VerifyFormat = VerifyFormat.TEXT
    is_strict: bool = False
    """Warnings count as problems."""


def verify(config: HarnessConfig, texts: Texts, environ: Mapping[str, str] = os.environ, request: VerifyRequest = VerifyRequest()) -> int:
    """Check cassettes; what was found goes to standard output, the count of problems to standard error.

    Args:
        environ: Where values that must not be on a tape are looked up.

    Returns:
        The exit code: 0, also with warnings; 1 when there are problems, or a cassette cannot be read.

    Raises:
        VerificationError: The configuration cannot be used; or the configured cassette cannot be read, and text was asked for.
    """
    try:
        validate_for_start(config)
    except HarnessError as error:
        raise VerificationError(_failure(texts, error, config.cassette_path)) from error
    checked, passed_over = check_tapes(config, environ, request.paths)
    if request.form is not VerifyFormat.TEXT:
        _print_report(checked, passed_over, request)
    elif request.paths:
        _print_texts(texts, checked, passed_over, request.is_strict)
    else:
        (only,) = checked
        if only.error is not None:
            raise VerificationError(_failure(texts, only.error, only.path)) from only.error
        _print_text(texts, only, request.is_strict)
    _print_problems(texts, checked, request.is_strict)
    return 0 if all(each.outcome(request.is_strict) is Outcome.CLEAN for each in checked) else EXIT_FAILURE


def _failure(texts: Texts, error: HarnessError, path: str) -> str:
    return f"{texts('cli-verify-failed')} {texts.error(error)}" + advice(texts, error, path)


# --- text ---------------------------------------------------------------------------------------------------------------


def _print_text(texts: Texts, checked: CheckedTape, is_strict: bool) -> None:
    path = _on_one_line(checked.path)
    write_err("".join(f"warning: {texts.notice(warning)}\n" for warning in checked.warnings))
    write_out("".join(f"{path}: {finding_line(texts, finding)}\n" for finding in checked.findings))
    if checked.outcome(is_strict) is not Outcome.CLEAN:
        return
    if checked.findings:
        write_out(f"{path}: {texts('verify-only-warnings', count=len(checked.findings))}\n")
    else:
        write_out(f"{path}: {texts('verify-clean', count=checked.interactions)}\n")


def _print_texts(texts: Texts, checked: Sequence[CheckedTape], passed_over: int, is_strict: bool) -> None:
    for each in checked:
        if each.error is None:
            _print_text(texts, each, is_strict)
        else:
            write_out(f"{_on_one_line(each.path)}: {texts('verify-unreadable')}\n")
            write_err(f"Error: {_failure(texts, each.error, each.path)}\n")
    if len(checked) > 1 or passed_over:
        outcomes = [each.outcome(is_strict) for each in checked]
        counts = {outcome.value: str(outcomes.count(outcome)) for outcome in Outcome}
        write_out(f"{texts('verify-summary', tapes=str(len(checked)), others=str(passed_over), **counts)}\n")


def _print_problems(texts: Texts, checked: Sequence[CheckedTape], is_strict: bool) -> None:
    problems = sum(is_strict or not finding.is_warning for each in checked for finding in each.findings)
    problems += sum(len(each.warnings) for each in checked) if is_strict else 0
    if problems:
        write_err(f"{texts('verify-found', count=problems)}\n")
    unreadable = sum(each.error is not None for each in checked)
    if unreadable:
        write_err(f"{texts('verify-unreadable-count', count=unreadable)}\n")


def finding_line(texts: Texts, finding: Finding) -> str:
    """A finding as one line, whatever its arguments hold."""
    place = "" if finding.interaction is None else f"{texts('verify-interaction')} {finding.interaction}: "
    tag = "warning: " if finding.is_warning else ""
    return f"{place}{tag}{_message(texts, finding)}"


def _message(texts: Texts, finding: Finding) -> str:
    return texts(finding.message_id, **{name: _on_one_line(value) for name, value in finding.arguments})


def _on_one_line(value: str) -> str:
    return "".join(character if character.isprintable() else character.encode("unicode_escape").decode("ascii") for character in value)


# --- reports ------------------------------------------------------------------------------------------------------------


def _print_report(checked: Sequence[CheckedTape], passed_over: int, request: VerifyRequest) -> None:
    """What programs read is English everywhere."""
    english = configured_texts(LocalizationConfig(locale=SOURCE_LOCALE))
    tapes = tuple(_tape_report(english, each, request.is_strict) for each in checked)
    report = VerifyReport(tapes, request.is_strict, passed_over)
    match request.form:
        case VerifyFormat.GITHUB:
            from spycatcher_addon.verifying.report_github import encode_github_report

            write_out(encode_github_report(report))
        case VerifyFormat.JUNIT:
            from spycatcher_addon.verifying.report_junit import encode_junit_report

            write_out(encode_junit_report(report))
        case VerifyFormat.SARIF:
            from spycatcher_addon.verifying.report_sarif import encode_sarif_report

            write_out(encode_sarif_report(report, VERSION))
        case _:
            from spycatcher_addon.verifying.report_json import encode_json_report

            write_out(encode_json_report(report, GENERATOR))


def _tape_report(english: Texts, checked: CheckedTape, is_strict: bool) -> TapeReport:
    outcome, file = checked.outcome(is_strict), _relative(checked.path)
    if checked.error is not None:
        message = english.error(checked.error) + advice(english, checked.error, checked.path).replace("\n", "; ")
        return TapeReport(checked.path, outcome, findings=(_reported(UNREADABLE, message, checked.line),), file=file)
    findings = [_reported(UNFINISHED, english.notice(warning)) for warning in checked.warnings]
    for each in checked.findings:
        message = without_marks(_message(english, each))
        findings.append(
            ReportedFinding(each.rule, RULES[each.rule].group, each.is_warning, message, each.interaction, each.field, each.line)
        )
    return TapeReport(checked.path, outcome, checked.interactions, tuple(findings), file)


def _reported(rule: str, message: str, line: int | None = None) -> ReportedFinding:
    return ReportedFinding(rule, RULES[rule].group, RULES[rule].is_warning, without_marks(message), line=line)


def _relative(path: str) -> str:
    """A path below the working directory as seen from there; any other as it is, without needless parts."""
    working = os.getcwd()
    full = os.path.normpath(os.path.join(working, path))
    return os.path.relpath(full, working) if full.startswith(os.path.join(working, "")) else full
