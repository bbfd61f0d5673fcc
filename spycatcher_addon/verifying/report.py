"""What a run of ``verify`` found, as the reports show it: every cassette with its outcome, every finding with its text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from spycatcher_addon.verifying.findings import Group

TOOL = "spycatcher-harness"


class Outcome(StrEnum):
    """What came of checking a cassette, or all of them."""

    CLEAN = "clean"
    """Nothing to fail for; there may be warnings."""
    FINDINGS = "findings"
    UNREADABLE = "unreadable"
    """It could not be checked."""


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding with its text."""

    rule: str
    group: Group
    is_warning: bool
    message: str
    interaction: int | None = None
    field: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class TapeReport:
    """One cassette."""

    path: str
    """As it was given, or below the folder that was."""
    outcome: Outcome
    interactions: int | None = None
    """How many it has; ``None`` when it could not be read."""
    findings: tuple[ReportedFinding, ...] = ()
    file: str = ""
    """The path as tools that show the file want it: relative to the working directory where it lies below that."""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """A whole run."""

    tapes: tuple[TapeReport, ...]
    is_strict: bool = False
    """Warnings count."""
    passed_over: int = 0
    """Files in the given folders that are no cassettes."""

    @property
    def outcome(self) -> Outcome:
        """The worst of the cassettes'; what could not be read is worse than what was found."""
        outcomes = {tape.outcome for tape in self.tapes}
        return next((each for each in (Outcome.UNREADABLE, Outcome.FINDINGS) if each in outcomes), Outcome.CLEAN)

    def count(self, outcome: Outcome) -> int:
        """How many cassettes have it."""
        return sum(tape.outcome is outcome for tape in self.tapes)


def outcome_of(findings: tuple[bool, ...], is_strict: bool) -> Outcome:
    """The outcome of a cassette that could be read.

    Args:
        findings: Of each finding whether it is a warning.
    """
    return Outcome.FINDINGS if any(is_strict or not is_warning for is_warning in findings) else Outcome.CLEAN
