"""The replay report as a file: opened before the replay starts, written while it serves, closed with a summary.

A record is written before its answer goes out: one short write, so whoever has seen a 409 finds it in the file.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from spycatcher_addon.choices import ReportFormat
from spycatcher_addon.edge.report_files import report_error, require_report_path
from spycatcher_addon.mismatch_report import (
    Mismatch,
    RefusedRequest,
    ReplaySummary,
    encode_annotation,
    encode_junit_report,
    encode_record,
    is_report,
)
from spycatcher_addon.replaying import ReplaySession

logger = logging.getLogger("spycatcher_addon")

SETTING: Final = "replay.report"
_KEPT_RECORDS = 10_000
"""Records that the forms written at the end can hold; a program that goes on asking must not fill the memory."""


class MismatchFile:
    """The report of one replay, from its start to :meth:`close`."""

    def __init__(self, path: str, form: ReportFormat, tape: str, now: Callable[[], str]) -> None:
        """Open the file, in place of an earlier report.

        Args:
            tape: Path of the cassette.
            now: The time, RFC 3339, UTC.

        Raises:
            InvalidConfigError: The path names something that is no report.
            HarnessIOError: It cannot be written.
        """
        require_report_path(path, SETTING, tape, is_report)
        try:
            self._file = Path(path).open("w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - closed by close
        except (OSError, ValueError) as error:
            raise report_error(path, SETTING, error) from error
        self._path = path
        self._form = form
        self._tape = tape
        self._now = now
        self._records: deque[Mismatch | RefusedRequest] = deque(maxlen=_KEPT_RECORDS)
        self._is_broken = False

    def take(self, record: Mismatch | RefusedRequest) -> None:
        """Write a record, or keep it for the end, as the form asks."""
        if self._form is ReportFormat.JSONL:
            self._write(encode_record(record))
        else:
            self._records.append(record)

    def close(self, session: ReplaySession) -> None:
        """Write what is written at the end. A second call does nothing."""
        if self._file.closed:
            return
        match self._form:
            case ReportFormat.JSONL:
                self._write(encode_record(self._summary(session)))
            case ReportFormat.JUNIT:
                self._write(encode_junit_report(tuple(self._records), self._tape, session.counts.matched))
            case ReportFormat.GITHUB:
                self._write("".join(f"{encode_annotation(record, self._tape)}\n" for record in self._records))
        try:
            self._file.close()
        except OSError as error:
            self._give_up(error)

    def _summary(self, session: ReplaySession) -> ReplaySummary:
        counts = session.counts
        return ReplaySummary(
            time=self._now(),
            tape=self._tape,
            interactions=len(session),
            matched=counts.matched,
            mismatched=counts.mismatched,
            rejected=counts.rejected,
            unused=tuple((index, session.stable_hash(index)) for index in session.unused()),
        )

    def _write(self, text: str) -> None:
        if self._is_broken:
            return
        try:
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """After the first failure the file gets nothing more: half a report must not look like a whole one with a gap."""
        if not self._is_broken:
            self._is_broken = True
            reason = os.strerror(error.errno) if error.errno else str(error)
            logger.error("the replay report could not be written and stays incomplete: %s: %s", self._path, reason)
