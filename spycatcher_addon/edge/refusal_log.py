"""Listens to a replay for requests that its tape does not answer, and makes records of them for whoever wants them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from spycatcher_addon import answers
from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.lines import interaction_lines
from spycatcher_addon.cassette.matching import MismatchDiagnostic, PositionKind
from spycatcher_addon.exchange import ObservedRequest, ReplayResponse
from spycatcher_addon.mismatch_report import Mismatch, RefusedRequest, encode_annotation
from spycatcher_addon.redaction.apply import InteractionRedactor

logger = logging.getLogger("spycatcher_addon")

MAX_ANNOTATIONS: Final = 10
"""GitHub shows no more errors than this of one step."""


class RefusalLog:
    """Makes a record of each refused request and hands it on."""

    def __init__(
        self,
        tape: str,
        ignore: IgnorePathConfig,
        redactor: InteractionRedactor,
        now: Callable[[], str],
        takers: Sequence[Callable[[Mismatch | RefusedRequest], None]],
    ) -> None:
        """Start counting.

        Args:
            tape: Path of the cassette.
            ignore: What is left out of the comparison.
            redactor: Takes secrets out of what a refused request says of itself.
            now: The time, RFC 3339, UTC.
            takers: Get each record; one that raises is told in the log and does not keep the answer from going out.
        """
        self._tape = tape
        self._ignored = tuple(ignore.ignored_body_paths)
        self._normalize = tuple(rule.name for rule in ignore.normalize)
        self._redactor = redactor
        self._now = now
        self._takers = takers
        self._count = 0
        self._lines: tuple[int, ...] | None = None

    def note(self, request: ObservedRequest, reply: ReplayResponse, mismatch: MismatchDiagnostic | None) -> None:
        """Take a request that the tape did not answer. Never raises: the answer is worth more than its record."""
        try:
            record = self._record(request, reply, mismatch)
            for take in self._takers:
                take(record)
        except Exception as error:
            logger.error("a refused request could not be reported (%s)", type(error).__name__)
            logger.debug("a refused request could not be reported", exc_info=True)

    def _record(self, request: ObservedRequest, reply: ReplayResponse, mismatch: MismatchDiagnostic | None) -> Mismatch | RefusedRequest:
        self._count += 1
        request_id = next((value.decode("latin-1") for name, value in request.headers if name.lower() == b"x-request-id"), None)
        refused = RefusedRequest(
            number=self._count,
            time=self._now(),
            request_id=None if request_id is None else self._redactor.text(request_id),
            method=self._redactor.text(request.method),
            path=self._redactor.text(request.path),
            status=reply.status,
            error_kind=reply.error_kind or "",
            message=self._redactor.text(answers.message_of(reply)),
        )
        if mismatch is None:
            return refused
        index = mismatch.position.value if mismatch.position.kind is PositionKind.EXPECTED else None
        shown = mismatch.nearest_index if index is None else index
        return Mismatch(
            request=refused,
            reason=mismatch.reason,
            index=index,
            nearest=mismatch.nearest_index,
            tape=self._tape,
            line=None if shown is None else self._line(shown),
            expected_hash=mismatch.expected_hash or None,
            observed_hash=mismatch.observed_hash,
            differences=mismatch.differences,
            ignored_paths=self._ignored,
            normalize=self._normalize,
            seen_at=mismatch.seen_at,
        )

    def _line(self, index: int) -> int | None:
        """The line an interaction begins on. The file is read for it once, and only when something did not match."""
        if self._lines is None:
            try:
                self._lines = interaction_lines(Path(self._tape).read_bytes())
            except OSError:
                self._lines = ()
        return self._lines[index] if index < len(self._lines) else None


class Annotations:
    """The first records of a replay as workflow commands, for a job of GitHub Actions."""

    def __init__(self, tape: str) -> None:
        self._tape = tape
        self.lines: list[str] = []

    def take(self, record: Mismatch | RefusedRequest) -> None:
        """Keep a record, unless there are enough."""
        if len(self.lines) < MAX_ANNOTATIONS:
            self.lines.append(encode_annotation(record, self._tape))
