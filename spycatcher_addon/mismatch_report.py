"""What a replay could not answer, for programs: records, and the three forms they are written in (docs/mismatch-reports.md).

Knows no file and no clock. What is in a record has been redacted by whoever made it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from spycatcher_addon.cassette.diff import Difference, excerpt
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.workflow_commands import Level, annotation

SCHEMA_VERSION = 1
"""Of docs/schemas/mismatch-report-1.json."""
_KINDS = ("mismatch", "refused", "summary")
_SUITE = "spycatcher-harness replay"


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """A request that got no recorded answer."""

    number: int
    """Which refused request of the run it is, from 1."""
    time: str
    """RFC 3339, UTC, ends in ``Z``."""
    request_id: str | None
    """The ``x-request-id`` the client sent, if it sent one."""
    method: str
    path: str
    status: int
    error_kind: str
    message: str
    """As in the answer."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A request the tape has no answer for (any more)."""

    request: RefusedRequest
    reason: str
    """``request_hash_mismatch``, ``cassette_exhausted``, ``no_matching_interaction``, ``interaction_already_consumed``."""
    index: int | None
    """The interaction that was expected next, from 0; only when the order counts."""
    nearest: int | None
    """The interaction most like the request; only when the order does not count."""
    tape: str
    line: int | None
    """Line of the tape that the expected or nearest interaction begins on, from 1."""
    expected_hash: str | None
    observed_hash: str
    differences: tuple[Difference, ...]
    ignored_paths: tuple[str, ...]
    normalize: tuple[str, ...]
    """Names of the normalize rules in force."""
    seen_at: tuple[int, ...]
    """Where the tape has this very request."""

    @property
    def title(self) -> str:
        """One line for a heading."""
        return f"replay mismatch: {', '.join(each.path for each in self.differences[:3]) or self.reason}"


@dataclass(frozen=True, slots=True)
class ReplaySummary:
    """What a replay came to."""

    time: str
    tape: str
    interactions: int
    matched: int
    mismatched: int
    rejected: int
    unused: tuple[tuple[int, str], ...]
    """Index and stable hash of each interaction that nobody asked for."""


type ReportRecord = Mismatch | RefusedRequest | ReplaySummary


def encode_record(record: ReportRecord) -> str:
    """A record as one line of JSON, with its line break."""
    return json.dumps(_as_json(record), ensure_ascii=False) + "\n"


def _as_json(record: ReportRecord) -> dict[str, JsonValue]:
    match record:
        case Mismatch(request=request):
            return {
                "schema_version": SCHEMA_VERSION,
                "kind": "mismatch",
                **_request_as_json(request),
                "reason": record.reason,
                "index": record.index,
                "nearest": record.nearest,
                "tape": record.tape,
                "line": record.line,
                "expected_hash": record.expected_hash,
                "observed_hash": record.observed_hash,
                "differences": [
                    {"kind": each.kind.value, "path": each.path, "expected": each.expected, "observed": each.observed}
                    for each in record.differences
                ],
                "ignored_paths": list(record.ignored_paths),
                "normalize": list(record.normalize),
                "seen_at": list(record.seen_at),
            }
        case RefusedRequest():
            return {"schema_version": SCHEMA_VERSION, "kind": "refused", **_request_as_json(record)}
        case ReplaySummary():
            return {
                "schema_version": SCHEMA_VERSION,
                "kind": "summary",
                "time": record.time,
                "tape": record.tape,
                "interactions": record.interactions,
                "matched": record.matched,
                "mismatched": record.mismatched,
                "rejected": record.rejected,
                "unused": [{"index": index, "stable_hash": hash} for index, hash in record.unused],
            }


def _request_as_json(request: RefusedRequest) -> dict[str, JsonValue]:
    return {
        "number": request.number,
        "time": request.time,
        "request_id": request.request_id,
        "method": request.method,
        "path": request.path,
        "status": request.status,
        "error_kind": request.error_kind,
        "message": request.message,
    }


def encode_junit_report(records: Sequence[Mismatch | RefusedRequest], tape: str, matched: int) -> str:
    """All records as a JUnit document: a case for the matched requests together, and a failed one for each other."""
    from spycatcher_addon.junit import TestCase, encode_junit  # every replay loads this module, few write that form

    cases = [TestCase(f"{matched} matched", tape)]
    for record in records:
        request = record.request if isinstance(record, Mismatch) else record
        cases.append(TestCase(f"refused request {request.number}: {request.method} {request.path}", tape, failure=request.message))
    return encode_junit(_SUITE, cases)


def encode_annotation(record: Mismatch | RefusedRequest, tape: str) -> str:
    """A record as a workflow command of GitHub Actions, without line break."""
    if isinstance(record, Mismatch):
        message = excerpt(record.differences) if record.differences else record.request.message
        return annotation(Level.ERROR, message, file=record.tape, line=record.line, title=record.title)
    return annotation(Level.ERROR, record.message, file=tape, title=f"replay refused a request: {record.error_kind}")


def is_report(data: bytes) -> bool:
    """Whether a file is an earlier report in any of the forms, or holds nothing, so that a new one may take its place."""
    start = data.lstrip()[:4096]
    if not start or start.startswith((b"::error ", b"::warning ")):
        return True
    if start.startswith(b"<?xml"):
        return f'<testsuite name="{_SUITE}"'.encode() in start
    return _kind_of(data.lstrip().partition(b"\n")[0]) is not None


class NoReportError(Exception):
    """A file is no report that says which interactions were used; the text says why."""


def unused_in(data: bytes) -> dict[int, str]:
    """The interactions that a report in JSON lines says nobody asked for: index -> stable hash.

    Where a file holds several runs, one after the other, an interaction is unused if no run asked for it.

    Raises:
        NoReportError: It is no such report, or its replay was not stopped in the ordinary way and so wrote no summary.
    """
    unused: dict[int, str] | None = None
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        kind = _kind_of(line)
        if kind is None:
            raise NoReportError(f"line {number} is no record of a replay report")
        if kind == "summary":
            listed = _listed_unused(line, number)
            unused = listed if unused is None else {index: hash for index, hash in unused.items() if listed.get(index) == hash}
    if unused is None:
        raise NoReportError("it has no summary: the replay was not stopped with Ctrl-C or a termination signal")
    return unused


def _kind_of(line: bytes) -> str | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_ours = isinstance(record, dict) and record.get("schema_version") == SCHEMA_VERSION and record.get("kind") in _KINDS
    return str(record["kind"]) if is_ours else None


def _listed_unused(line: bytes, number: int) -> dict[int, str]:
    listed = json.loads(line).get("unused")
    try:
        return {int(each["index"]): str(each["stable_hash"]) for each in listed}
    except (TypeError, KeyError, ValueError) as error:
        raise NoReportError(f"line {number}: unused is not a list of interactions") from error


def unused_in_all(reports: Collection[dict[int, str]]) -> dict[int, str]:
    """What is unused in every one of several reports, of parallel runs for example."""
    first, *others = reports
    return {index: hash for index, hash in first.items() if all(other.get(index) == hash for other in others)}
