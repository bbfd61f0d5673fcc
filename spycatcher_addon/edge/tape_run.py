"""One tape in use under a record mode: which of the replayer and the recorder gets a request, and what is kept at the end.

Composes the hooks of the two plain modes and decides nothing about requests or tapes itself:
:mod:`spycatcher_addon.record_modes` does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

from mitmproxy import http
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from spycatcher_addon import answers
from spycatcher_addon.choices import RecordMode
from spycatcher_addon.config import HarnessConfig, MatchMode, Mode, validate_for_start
from spycatcher_addon.edge.assembly import Assembled, AutoStats, DiscardingTape, Stats, assemble
from spycatcher_addon.edge.mitm import LaneHooks, RecordHooks, ReplayHooks
from spycatcher_addon.edge.staging import StagedRecording
from spycatcher_addon.exchange import ObservedRequest, ReplayResponse
from spycatcher_addon.record_modes import Asked, Verdict, judge_recording, plan_tape
from spycatcher_addon.replaying import ReplaySession

_MAX_REFUSALS = 50
MISMATCH = "request_mismatch"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that a tape could not answer, and what the client was told."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class TapeReport:
    """What came of one tape."""

    mode: RecordMode
    """The mode it was opened in."""
    has_replayed: bool
    has_recorded: bool
    """Whether it was open for recording, with or without success."""
    stats: Stats
    refusals: tuple[Refusal, ...]
    """Requests not answered from the tape although they should have been; the first fifty."""
    verdict: Verdict | None = None
    """Whether the recording was kept; ``None`` before the end and where nothing was to be recorded."""


class WatchedSession(ReplaySession):
    """A replay that remembers how it answered last."""

    last: ReplayResponse | None = None

    def handle(self, request: ObservedRequest, *more: Any) -> ReplayResponse:
        self.last = super().handle(request, *more)
        return self.last

    def forgive(self) -> None:
        """Take back the count of the mismatch answered last: somebody else answers that request."""
        self.counts.mismatched -= 1


class TapeRun:
    """One tape in use. Opening and finishing block on the disk; the hooks belong to the event loop."""

    def __init__(
        self, mode: RecordMode, match_mode: MatchMode, replay: Assembled | None, record: Assembled | None, staged: StagedRecording | None
    ) -> None:
        """For :meth:`open`, which is the way to get one."""
        self._mode = mode
        self._match_mode = match_mode
        self._replay = replay
        self._record = record
        self._staged = staged
        self._replay_hooks = replay.hooks if replay is not None and isinstance(replay.hooks, ReplayHooks) else None
        self._record_hooks = record.hooks if record is not None and isinstance(record.hooks, RecordHooks) else None
        self._started_at_s = time.monotonic()
        self._asked: list[Asked] = []
        self._refusals: list[Refusal] = []
        self._upstream_flows: set[http.HTTPFlow] = set()
        self._became_idle = asyncio.Event()
        self._verdict: Verdict | None = None
        self._kept_count: int | None = None
        notices = [notice for part in (replay, record) if part is not None for notice in part.notices]
        self.notices: tuple[str, ...] = (*notices, *(staged.notices if staged is not None else ()))
        """What a person should know about the start."""

    @classmethod
    def open(cls, config: HarnessConfig, mode: RecordMode, environ: Mapping[str, str]) -> Self:
        """Open a tape as its mode wants it.

        Raises:
            HarnessError: The tape or the configuration cannot be used; see :func:`spycatcher_addon.edge.assembly.assemble`.
        """
        replaying = config.with_mode(Mode.REPLAY)
        if mode is RecordMode.NEW_EPISODES:  # what is new stands anywhere between what is known
            replaying = replaying.model_copy(update={"match_mode": MatchMode.KEYED})
        validate_for_start(replaying)
        staged = None
        is_there = True
        if mode not in (RecordMode.REPLAY, RecordMode.OFF):
            replaces = mode in (RecordMode.ALL, RecordMode.REWRITE)
            staged = StagedRecording(config.cassette_dir, config.cassette_name, may_replace_damaged=replaces)
            is_there = staged.old is not None
        plan = plan_tape(mode, is_there)
        if plan.forwards:  # what the tape lacks is not refused but goes upstream, so there is nothing to report
            replaying = replaying.model_copy(update={"replay": replaying.replay.model_copy(update={"report": None})})
        replay = assemble(replaying, environ, WatchedSession) if plan.replays else None
        if not plan.records:
            staged = None
        record = None
        if plan.forwards:
            recording = config.with_mode(Mode.RECORD)
            if staged is None:
                record = assemble(recording, environ, tape=DiscardingTape())
            else:
                record = assemble(recording.model_copy(update={"cassette_name": staged.name}), environ)
        return cls(mode, config.match_mode, replay, record, staged)

    @property
    def _session(self) -> WatchedSession:
        assert self._replay_hooks is not None and isinstance(self._replay_hooks.session, WatchedSession)
        return self._replay_hooks.session

    # --- hooks --------------------------------------------------------------------------------------------------------

    def hooks_of(self, flow: http.HTTPFlow) -> LaneHooks | None:
        """Who answers for a flow on the lane: the recorder for one that went upstream."""
        return self._record_hooks if flow in self._upstream_flows else self._replay_hooks

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """A request head came; it bears no trace of how the tape was chosen any more."""
        if self._record_hooks is not None:
            self._record_hooks.requestheaders(flow)

    def request(self, flow: http.HTTPFlow) -> None:
        """Answer from the tape, or leave the request to go upstream where the mode allows that."""
        if self._replay_hooks is not None:
            self._session.last = None
            self._replay_hooks.request(flow)
            if self._is_answered():
                return
            flow.response = None
        if self._record_hooks is not None:
            self._record_hooks.request(flow)
            if flow.response is None:
                self._upstream_flows.add(flow)

    def _is_answered(self) -> bool:
        """Note how the tape answered the request; false when the recorder is to have it instead."""
        session = self._session
        reply = session.last
        if reply is None or reply.error_kind is None:
            if reply is not None and reply.interaction_index is not None:
                self._asked.append(Asked(int((time.monotonic() - self._started_at_s) * 1000), reply.interaction_index))
            return True
        if reply.error_kind == MISMATCH and self._record_hooks is not None:
            session.forgive()
            return False
        if len(self._refusals) < _MAX_REFUSALS:
            self._refusals.append(Refusal(reply.error_kind, answers.message_of(reply)))
        return True

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """The head of an answer came; only the recorder's own answers matter."""
        if self._record_hooks is not None:
            self._record_hooks.responseheaders(flow)

    async def response(self, flow: http.HTTPFlow) -> None:
        """An answer is complete."""
        if self._record_hooks is not None:
            try:
                await self._record_hooks.response(flow)
            finally:
                self._ended(flow)

    async def error(self, flow: http.HTTPFlow) -> None:
        """An exchange broke."""
        if self._record_hooks is not None:
            try:
                await self._record_hooks.error(flow)
            finally:
                self._ended(flow)

    def _ended(self, flow: http.HTTPFlow) -> None:
        self._upstream_flows.discard(flow)
        if not self._upstream_flows:
            self._became_idle.set()

    def is_upstream_of(self, data: ServerConnectionHookData) -> bool:
        """Whether a client connection of ours is waiting for exactly this upstream."""
        hooks = self._record_hooks
        if hooks is None or not any(flow.client_conn.id == data.client.id for flow in self._upstream_flows):
            return False
        hooks.server_connect(data)
        allowed = data.server.error is None
        data.server.error = None
        return allowed

    def answer_for_failure(self, message: str, phase: str) -> ReplayResponse | None:
        """The answer for a failure on the way to an upstream; ``None`` where there is no upstream."""
        return None if self._record_hooks is None else self._record_hooks.answer_for_failure(message, phase)

    # --- the end ------------------------------------------------------------------------------------------------------

    @property
    def longest_silence_s(self) -> int | None:
        """How long a connection may be silent while the upstream is waited for; ``None`` where there is none."""
        return None if self._record is None else self._record.longest_silence_s

    async def wait_for_exchanges(self, grace_s: float) -> None:
        """Return as soon as nothing is under way to or from the upstream, or after ``grace_s``."""
        if self._upstream_flows:
            self._became_idle.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._became_idle.wait(), grace_s)

    def finish(self, succeeded: bool) -> None:
        """Close everything; keep what was recorded, or drop it. A second call does nothing.

        Raises:
            HarnessIOError: The recording should be kept and could not be put in its place; it still lies beside the tape.
        """
        if self._verdict is not None:
            return
        self._verdict = Verdict(False)
        for part in (self._record, self._replay):
            if part is not None:
                part.close(succeeded)
        if self._staged is None or self._record_hooks is None:
            return
        counts = self._record_hooks.counts
        self._verdict = judge_recording(self._mode, counts.recorded, counts.failed + counts.abandoned, succeeded)
        if self._verdict.is_kept:
            self._kept_count = self._staged.keep(self._asked, self._match_mode, self._replay is not None)
        else:
            self._staged.discard()

    def stats(self) -> Stats:
        """Counts up to now."""
        replayed = Stats(interactions=0) if self._replay is None else self._replay.stats()
        recorded = Stats(interactions=0) if self._record is None else self._record.stats()
        return replace(
            recorded,
            interactions=replayed.interactions + recorded.interactions if self._kept_count is None else self._kept_count,
            matched=replayed.matched,
            mismatched=replayed.mismatched,
            rejected=replayed.rejected,
            unused=replayed.unused,
            dropped_headers=replayed.dropped_headers,
            faults=replayed.faults,
            auto=AutoStats(
                has_replayed=self._replay is not None,
                has_recorded=self._staged is not None,
                is_kept=self._verdict.is_kept if self._verdict is not None and self._staged is not None else None,
                interactions_before=replayed.interactions,
            ),
        )

    def report(self) -> TapeReport:
        """What came of the tape up to now."""
        return TapeReport(
            mode=self._mode,
            has_replayed=self._replay is not None,
            has_recorded=self._staged is not None,
            stats=self.stats(),
            refusals=tuple(self._refusals),
            verdict=self._verdict if self._staged is not None else None,
        )
