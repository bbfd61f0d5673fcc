"""Which fault strikes which answer, and what struck so far.

The choice depends on the seed, the rule, the interaction and how often that interaction was asked for, and on nothing
else, so a run can be repeated however its requests interleave.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from spycatcher_addon.exchange import ReplayResponse
from spycatcher_addon.fault_effects import NotApplicableError, apply_fault
from spycatcher_addon.fault_rules import FaultRule


@dataclass(frozen=True, slots=True)
class AppliedFault:
    """A fault that was put into an answer."""

    rule_number: int
    """Zero-based place in the configured list."""
    rule: FaultRule
    index: int
    """Zero-based index of the interaction."""
    attempt: int
    """How often the interaction had been asked for before."""
    at_ms: float
    """When its request came, on the session's clock."""


@dataclass(frozen=True, slots=True)
class SkippedFault:
    """A fault that was due and had nothing to change."""

    rule_number: int
    rule: FaultRule
    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class FaultedReply:
    """An answer with a fault in it."""

    rule: FaultRule
    reply: ReplayResponse


class FaultPlan:
    """The rules of one run, and what they did."""

    def __init__(
        self, rules: Sequence[FaultRule], seed: int = 0, report: Callable[[AppliedFault | SkippedFault], None] | None = None
    ) -> None:
        """Start with nothing applied.

        Args:
            report: Told of each fault as it strikes, or turns out to have nothing to change.
        """
        self._rules = tuple(rules)
        self._seed = seed
        self._report = report
        self._attempts: Counter[int] = Counter()
        self._strikes: Counter[tuple[int, int]] = Counter()
        """By rule number and interaction."""
        self._applied: list[AppliedFault] = []
        self._skipped: dict[tuple[int, int], SkippedFault] = {}

    @property
    def applied(self) -> tuple[AppliedFault, ...]:
        """What struck, in order."""
        return tuple(self._applied)

    @property
    def skipped(self) -> tuple[SkippedFault, ...]:
        """What was due in vain: once per rule and interaction."""
        return tuple(self._skipped.values())

    @property
    def idle(self) -> tuple[tuple[int, FaultRule], ...]:
        """The rules that never struck and never were due, each with its number: most likely they name the wrong place."""
        met = {fault.rule_number for fault in self._applied} | {number for number, _ in self._skipped}
        return tuple((number, rule) for number, rule in enumerate(self._rules) if number not in met and rule.probability == 1)

    def strike(self, index: int, path: str, reply: ReplayResponse, at_ms: float) -> FaultedReply | None:
        """Count one more attempt at an interaction and put the first fitting fault, if any, into its answer.

        Args:
            path: Of the request, without its query.
            reply: The answer as recorded; it is not changed.
        """
        attempt = self._attempts[index]
        self._attempts[index] += 1
        for number, rule in enumerate(self._rules):
            if not self._is_due(number, rule, index, path, attempt):
                continue
            try:
                faulted = apply_fault(rule, reply)
            except NotApplicableError as error:
                self._note_skipped(SkippedFault(number, rule, index, str(error)))
                continue
            self._strikes[number, index] += 1
            self._note_applied(AppliedFault(number, rule, index, attempt, at_ms))
            return FaultedReply(rule, faulted)
        return None

    def _is_due(self, number: int, rule: FaultRule, index: int, path: str, attempt: int) -> bool:
        if not rule.may_strike(index, path) or self._strikes[number, index] >= rule.times:
            return False
        return Random(f"{self._seed}/{number}/{index}/{attempt}").random() < rule.probability

    def _note_applied(self, fault: AppliedFault) -> None:
        self._applied.append(fault)
        if self._report is not None:
            self._report(fault)

    def _note_skipped(self, fault: SkippedFault) -> None:
        key = (fault.rule_number, fault.index)
        if key not in self._skipped:
            self._skipped[key] = fault
            if self._report is not None:
                self._report(fault)
