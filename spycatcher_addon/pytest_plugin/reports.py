"""What came of a tape, and the words for it: the failure text of a test, warnings, the summary at the end.

Knows no pytest and no process: reports come in as the tables that the harness sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FAILING_KINDS = frozenset({"request_mismatch", "malformed_json", "stream_cassette_required", "internal"})
"""Refusals that fail a test: the tape should have had an answer. An unknown path is refused alike while recording."""

_SHOWN_REFUSALS = 5
_SHOWN_INDEXES = 20


@dataclass(frozen=True)
class TapeReport:
    """What came of one tape, up to now or at its end."""

    path: str
    """The cassette file."""
    mode: str
    """The mode that held."""
    has_replayed: bool
    has_recorded: bool
    """Whether it was open for recording, with or without success."""
    is_kept: bool | None
    """Whether what was recorded is on the tape; ``None`` before the end and where nothing was to be recorded."""
    reason: str
    """Why it is not."""
    refusals: tuple[tuple[str, str], ...]
    """Kind and message of requests that the harness refused itself."""
    interactions: int
    """On the tape."""
    unused: tuple[int, ...]
    """Zero-based indexes of recorded interactions that nobody asked for."""
    matched: int
    recorded: int
    failed: int
    abandoned: int
    refused: int
    error_statuses: int

    @classmethod
    def parse(cls, path: str, table: Mapping[str, Any]) -> TapeReport:
        """Read a table as the harness sends it."""
        return cls(
            path=path,
            refusals=tuple((refusal["kind"], refusal["message"]) for refusal in table["refusals"]),
            unused=tuple(table["unused"]),
            **{
                name: table[name]
                for name in (
                    "mode",
                    "has_replayed",
                    "has_recorded",
                    "is_kept",
                    "reason",
                    "interactions",
                    "matched",
                    "recorded",
                    "failed",
                    "abandoned",
                    "refused",
                    "error_statuses",
                )
            },
        )


def describe_refusals(report: TapeReport, seen: int = 0) -> str | None:
    """The failure text for requests the tape could not answer; ``None`` when there were none.

    Args:
        seen: How many refusals somebody has been told about already.
    """
    failing = [message for kind, message in report.refusals[seen:] if kind in FAILING_KINDS]
    if not failing:
        return None
    lines = [f"{_requests(len(failing))} not answered from cassette {report.path}", *failing[:_SHOWN_REFUSALS]]
    if len(failing) > _SHOWN_REFUSALS:
        lines.append(f"and {len(failing) - _SHOWN_REFUSALS} more")
    lines.append("To record this tape anew when the test passes: pytest --spycatcher=rewrite")
    return "\n\n".join(lines)


def describe_unused(report: TapeReport) -> str | None:
    """The failure text for interactions that nobody asked for; ``None`` when there are none."""
    if not report.has_replayed or not report.unused:
        return None
    return (
        f"{len(report.unused)} of {report.interactions} interactions of cassette {report.path} were never asked for: "
        f"{_indexes(report.unused)} (counted from 0). The program sends fewer requests than when they were recorded; "
        "if that is meant, record anew: pytest --spycatcher=rewrite"
    )


def describe_empty_recording(report: TapeReport) -> str | None:
    """The warning for a test that was to be recorded and sent nothing; ``None`` for every other."""
    if not report.has_recorded or report.recorded or report.matched:
        return None
    if report.refused or report.failed or report.abandoned:
        counts = (("refused by the harness", report.refused), ("failed", report.failed), ("given up by the client", report.abandoned))
        detail = "; ".join(f"{count} {what}" for what, count in counts if count)
    else:
        detail = "no request came; does the client under test take its base URL from OPENAI_BASE_URL?"
    return f"recorded 0 interactions to {report.path}: {detail}"


def summary_lines(reports: Sequence[TapeReport], orphans: Sequence[str], is_verbose: bool) -> Iterator[str]:
    """The lines of the summary at the end of a run; none where there is nothing to tell."""
    recorded = [report for report in reports if report.is_kept]
    dropped = [report for report in reports if report.has_recorded and report.is_kept is False and report.recorded]
    replayed = [report for report in reports if report.has_replayed and not report.is_kept]
    passed_through = [report for report in reports if report.mode == "off"]
    unused = [report for report in replayed if report.unused and not report.has_recorded]
    groups = (("replayed", replayed), ("recorded", recorded), ("not kept", dropped), ("passed through", passed_through))
    counts = [f"{len(group)} {word}" for word, group in groups if group]
    if counts:
        yield f"tapes: {', '.join(counts)}"
    if is_verbose:
        yield from sorted(f"replayed: {report.path} ({_interactions(report.matched)})" for report in replayed)
    yield from sorted(f"recorded: {report.path} ({_interactions(report.recorded)}{_troubles(report)})" for report in recorded)
    yield from sorted(f"not kept: {report.path} ({_interactions(report.recorded)}): {report.reason}" for report in dropped)
    yield from sorted(f"unused: {report.path}: {_indexes(report.unused)} of {report.interactions} (counted from 0)" for report in unused)
    yield from (f"orphaned: {path}" for path in orphans)


def _troubles(report: TapeReport) -> str:
    counts = (("with an error status", report.error_statuses), ("not recorded", report.failed + report.abandoned))
    return "".join(f", {count} {what}" for what, count in counts if count)


def _requests(count: int) -> str:
    return "1 request was" if count == 1 else f"{count} requests were"


def _interactions(count: int) -> str:
    return f"{count} interaction{'' if count == 1 else 's'}"


def _indexes(indexes: Iterable[int]) -> str:
    listed = list(indexes)
    more = ", ..." if len(listed) > _SHOWN_INDEXES else ""
    return ", ".join(map(str, listed[:_SHOWN_INDEXES])) + more
