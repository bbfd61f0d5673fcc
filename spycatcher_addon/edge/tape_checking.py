"""Cassettes found, read and checked, one by one: what the command ``verify`` then puts into words or reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from spycatcher_addon.cassette.model import Interaction
from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.edge.disk import read_regular_file
from spycatcher_addon.edge.progress import progress
from spycatcher_addon.edge.tape_folders import find_files, may_be_cassette
from spycatcher_addon.edge.tape_reading import read_cassette_and_bytes
from spycatcher_addon.errors import HarnessError, HarnessIOError, InvalidCassetteError
from spycatcher_addon.known_values import known_values
from spycatcher_addon.verifying.damage import line_of_damage
from spycatcher_addon.verifying.findings import Finding
from spycatcher_addon.verifying.report import Outcome, outcome_of
from spycatcher_addon.verifying.tape_text import TapeText
from spycatcher_addon.verifying.whole_tape import verify_cassette

_LABEL = "verify"


@dataclass(frozen=True, slots=True)
class CheckedTape:
    """One cassette, or one path that leads to none."""

    path: str
    findings: tuple[Finding, ...] = ()
    interactions: int = 0
    warnings: tuple[str, ...] = ()
    """What its reader should be told."""
    error: HarnessError | None = None
    """Why it could not be read."""
    line: int | None = None
    """Where in the file the reason for that stands, if it can be told."""

    def outcome(self, is_strict: bool) -> Outcome:
        """What came of it.

        Args:
            is_strict: Warnings count.
        """
        if self.error is not None:
            return Outcome.UNREADABLE
        return outcome_of((*(each.is_warning for each in self.findings), *(True for _ in self.warnings)), is_strict)


def check_tapes(config: HarnessConfig, environ: Mapping[str, str], given: Sequence[str]) -> tuple[list[CheckedTape], int]:
    """Check the configured cassette, or all that some paths lead to.

    Args:
        given: Cassettes, and folders of cassettes; none for the configured one.

    Returns:
        One for each cassette, in the order given and by name within a folder, and for each path that leads to none; and the
        number of files in folders that are something else.
    """
    if not given:
        return [_check(config, config.cassette_path, environ, _with_bar)], 0
    found: dict[str, CheckedTape | None] = {}
    passed_over = 0
    for path in given:
        try:
            files = find_files([path], may_be_cassette)
        except OSError as error:
            reason = f"cannot search the folder {error.filename}: {error.strerror}; check the path and its permissions"
            found[path] = CheckedTape(path, error=HarnessIOError(reason))
            continue
        passed_over += len(files.passed_over)
        found |= {file: None for file in files.paths if file not in found}
        if not files.paths:
            looked_at = f"files in it that are something else: {len(files.passed_over)}"
            found[path] = CheckedTape(path, error=HarnessIOError(f"no cassette in the folder {path} ({looked_at}); give another path"))
    if len(found) == 1:
        return [each or _check(config, path, environ, _with_bar) for path, each in found.items()], passed_over
    return [found[path] or _check(config, path, environ) for path in progress(list(found), _LABEL)], passed_over


def _with_bar(interactions: Sequence[Interaction]) -> Iterable[Interaction]:
    return progress(interactions, _LABEL)


def _check(
    config: HarnessConfig, path: str, environ: Mapping[str, str], walk: Callable[[Sequence[Interaction]], Iterable[Interaction]] = iter
) -> CheckedTape:
    try:
        loaded, data = read_cassette_and_bytes(path)
        cassette = loaded.cassette
        rules = config.redaction.rules.with_known(known_values(config, environ, cassette.hashing.redaction_rules))
        findings = verify_cassette(cassette, config.matching.ignore, rules, TapeText(data), walk)
    except InvalidCassetteError as error:
        return CheckedTape(path, error=error, line=_line_of(error, path))
    except HarnessError as error:
        return CheckedTape(path, error=error)
    return CheckedTape(path, findings, len(cassette.interactions), loaded.warnings)


def _line_of(error: InvalidCassetteError, path: str) -> int | None:
    with suppress(OSError):
        return line_of_damage(error.message.removeprefix(f"{path}: "), read_regular_file(path)[0])
    return None
