"""The faults of one replay from its first request to its report: strikes, and how the client took them.

Stands between a session that has found a recorded answer and the lane that sends it. The clock is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.client_verdict import ClientVerdict, VerdictBook
from spycatcher_addon.exchange import ReplayResponse
from spycatcher_addon.fault_rules import FaultRule
from spycatcher_addon.faults import AppliedFault, FaultPlan, SkippedFault


@dataclass(frozen=True, slots=True)
class FaultFindings:
    """What came of the faults of a run."""

    applied: tuple[AppliedFault, ...] = ()
    skipped: tuple[SkippedFault, ...] = ()
    idle: tuple[tuple[int, FaultRule], ...] = ()
    """Rules, with their numbers, that no answer met."""
    verdicts: tuple[ClientVerdict, ...] = ()

    def as_json(self) -> dict[str, JsonValue]:
        """The findings for programs (docs/faults.md); times in whole milliseconds since the harness started."""
        return {
            "faults": [
                {
                    "rule": fault.rule_number,
                    "fault": str(fault.rule),
                    "interaction": fault.index,
                    "attempt": fault.attempt,
                    "at_ms": round(fault.at_ms),
                }
                for fault in self.applied
            ],
            "not_applicable": [
                {"rule": fault.rule_number, "fault": str(fault.rule), "interaction": fault.index, "reason": fault.reason}
                for fault in self.skipped
            ],
            "never_due": [{"rule": number, "fault": str(rule)} for number, rule in self.idle],
            "verdicts": [verdict.as_json() for verdict in self.verdicts],
        }


class FaultInjector:
    """Puts the faults of a configuration into the answers of one session."""

    def __init__(
        self,
        rules: Sequence[FaultRule],
        seed: int,
        clock_ms: Callable[[], float],
        report: Callable[[AppliedFault | SkippedFault], None] | None = None,
    ) -> None:
        """Start a run.

        Args:
            clock_ms: Milliseconds since the harness started.
            report: Told of each fault as it strikes, or turns out to have nothing to change.
        """
        self._plan = FaultPlan(rules, seed, report)
        self._book = VerdictBook()
        self._clock_ms = clock_ms

    def note_request(self, request_hash: str) -> None:
        """A request that can be compared has come. Its answer, if the tape has one, goes through :meth:`answer` next."""
        self._book.note_request(request_hash, self._clock_ms())

    def answer(self, index: int, path: str, reply: ReplayResponse) -> tuple[ReplayResponse, bool]:
        """Give the answer to send for the request noted last, and whether it uses up its interaction."""
        struck = self._plan.strike(index, path, reply, self._clock_ms())
        if struck is None:
            self._book.note_answer(index)
            return reply, True
        self._book.note_fault(index, struck.rule, reply.is_stream)
        return struck.reply, struck.rule.consumes

    def note_client_left(self, index: int) -> None:
        """The client hung up before it had the whole answer of this interaction."""
        self._book.note_client_left(index)

    def findings(self) -> FaultFindings:
        """What came of it up to now."""
        return FaultFindings(self._plan.applied, self._plan.skipped, self._plan.idle, self._book.verdicts())
