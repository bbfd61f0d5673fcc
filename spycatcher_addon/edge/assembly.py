"""Put a harness together from its configuration: open the tape, choose the hooks of the mode. Binds and dials nothing.

Both ways of hosting a harness, our own listener and ``mitmdump -s``, come through here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.model import Hashing, Interaction
from spycatcher_addon.config import (
    UPSTREAM_MISSING,
    AuthScheme,
    HarnessConfig,
    Lane,
    Mode,
    StreamSource,
    UpstreamConfig,
    validate_for_start,
)
from spycatcher_addon.edge.clock import utc_now
from spycatcher_addon.edge.fault_report import is_fault_report, log_fault, write_fault_report
from spycatcher_addon.edge.long_tape import ReplayTape, open_to_replay
from spycatcher_addon.edge.mismatch_file import MismatchFile
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from spycatcher_addon.edge.refusal_log import Annotations, RefusalLog
from spycatcher_addon.edge.report_files import require_report_path
from spycatcher_addon.edge.watched import WatchedRecordHooks, WatchedReplayHooks, masker_source
from spycatcher_addon.errors import InvalidConfigError, ModeNotYetImplementedError
from spycatcher_addon.fault_injection import FaultFindings, FaultInjector
from spycatcher_addon.known_values import known_values, recorded_rules, short_secret_notices
from spycatcher_addon.notices import Notice
from spycatcher_addon.outbound import usable_key
from spycatcher_addon.recording import RecordingPolicy
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.replaying import ReplayPolicy, ReplaySession


@dataclass(frozen=True, slots=True)
class AutoStats:
    """What only a record mode has to tell."""

    has_replayed: bool
    """Whether there was a tape to replay."""
    has_recorded: bool
    """Whether requests were recorded; false where all were passed through."""
    is_kept: bool | None
    """Whether the recording has taken the tape's place; ``None`` before the end, and where there was nothing to keep."""
    interactions_before: int
    """Interactions on the tape that was replayed."""


@dataclass(frozen=True, slots=True)
class Stats:
    """What a harness did so far."""

    interactions: int
    """Interactions on the tape."""
    recorded: int = 0
    failed: int = 0
    abandoned: int = 0
    refused: int = 0
    kept_failures: int = 0
    error_statuses: int = 0
    matched: int = 0
    mismatched: int = 0
    rejected: int = 0
    unused: tuple[int, ...] = ()
    """Replay: zero-based indexes of interactions nobody asked for."""
    dropped_headers: tuple[str, ...] = ()
    """Replay: names of recorded header fields that could not be sent."""
    auto: AutoStats | None = None
    """Only under a record mode."""
    faults: FaultFindings = FaultFindings()
    """Replay: the faults put into answers, and how the client took them."""
    annotations: tuple[str, ...] = ()
    """Replay in a job of GitHub Actions: the first requests without a recorded answer, as workflow commands."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """A harness without a listener."""

    hooks: RecordHooks | ReplayHooks
    interaction_count: int
    """Interactions on the tape at the start."""
    notices: tuple[str, ...] = ()
    """What a person should know about the start: repairs, conversions, a missing key."""
    fault_report: str | None = None
    """Replay: where faults are reported at the end."""
    replay_tape: ReplayTape | None = None
    report: MismatchFile | None = None
    annotations: Annotations | None = None

    @property
    def longest_silence_s(self) -> int | None:
        """How long a connection may be silent while an upstream is waited for; ``None`` where there is no upstream."""
        return self.hooks.longest_silence_s if isinstance(self.hooks, RecordHooks) else None

    def close(self, is_clean: bool) -> None:
        """Let go of the tape. Blocks on the disk; a recorded tape is complete after each exchange, whether the end is clean or not."""
        if isinstance(self.hooks, RecordHooks):
            self.hooks.close()
        if self.replay_tape is not None:
            self.replay_tape.close()
        if self.report is not None and isinstance(self.hooks, ReplayHooks):
            self.report.close(self.hooks.session)
        if self.fault_report is not None:
            write_fault_report(self.fault_report, self.stats().faults)

    def stats(self) -> Stats:
        """Counts up to now."""
        if isinstance(self.hooks, RecordHooks):
            counts = self.hooks.counts
            return Stats(
                interactions=self.interaction_count + counts.recorded + counts.kept_failures,
                recorded=counts.recorded,
                failed=counts.failed,
                abandoned=counts.abandoned,
                refused=counts.refused,
                kept_failures=counts.kept_failures,
                error_statuses=counts.error_statuses,
            )
        session = self.hooks.session
        return Stats(
            interactions=len(session),
            matched=session.counts.matched,
            mismatched=session.counts.mismatched,
            rejected=session.counts.rejected,
            unused=session.unused(),
            dropped_headers=tuple(session.counts.dropped_headers),
            faults=FaultFindings() if session.faults is None else session.faults.findings(),
            annotations=() if self.annotations is None else tuple(self.annotations.lines),
        )


class DiscardingTape:
    """Takes what would be recorded, and keeps nothing."""

    interaction_count = 0
    notices: tuple[str, ...] = ()

    def append(self, interaction: Interaction) -> None:
        """Forget the interaction."""

    def close(self) -> None:
        """Nothing is open."""


def assemble(
    config: HarnessConfig,
    environ: Mapping[str, str],
    session_type: type[ReplaySession] = ReplaySession,
    tape: DiscardingTape | None = None,
    is_watched: bool = False,
) -> Assembled:
    """Check the configuration and open the tape of a replay or a recording. Blocks on the disk.

    Args:
        tape: Record to this instead of to the configured cassette.
        is_watched: Whether somebody looks at the flows.

    Raises:
        InvalidConfigError: The configuration cannot be used.
        ModeNotYetImplementedError: ``mode`` is neither ``replay`` nor ``record``.
        CassetteNotFoundError, InvalidCassetteError, UnsupportedCassetteFormatVersionError, HarnessIOError: The tape cannot be used.
        InvalidPointerPathError: An ignore path does not fit a recorded body.
    """
    validate_for_start(config)
    ignore = config.matching.ignore
    max_body_bytes = config.limits.max_body_bytes
    if config.mode is Mode.REPLAY:
        replayed = open_to_replay(config.cassette_path)
        try:
            return _assemble_replay(config, environ, replayed, ignore, session_type, is_watched)
        except BaseException:
            replayed.close()
            raise
    if config.mode is not Mode.RECORD:
        raise ModeNotYetImplementedError(config.mode.value.capitalize())
    if config.upstream is None:  # validate_for_start has said so already; this narrows the type
        raise InvalidConfigError(UPSTREAM_MISSING)
    hashing = Hashing(tuple(ignore.ignored_body_paths), recorded_rules(config), ignore.normalize)
    # Loaded here, for a replay has no use for it.
    from spycatcher_addon.edge.tape_writing import CassetteWriter

    writer = tape if tape is not None else CassetteWriter.open(config.cassette_path, hashing)
    policy = RecordingPolicy(
        ignore=ignore,
        rules=config.redaction.rules,
        upstream_id=config.upstream.kind.value,
        max_body_bytes=max_body_bytes,
        keeps_failures=config.record.keep_failures,
        expected_statuses=frozenset(config.record.expected_statuses),
    )
    parts = (writer, config.upstream, policy, environ, lambda: known_values(config, environ))
    hooks = (
        WatchedRecordHooks(*parts, masker=masker_source(config, environ), first_index=writer.interaction_count)
        if is_watched
        else RecordHooks(*parts)
    )
    hooks.limits = config.limits
    notices = (*writer.notices, *_missing_key_notice(config.upstream, environ), *short_secret_notices(config, environ))
    return Assembled(hooks, writer.interaction_count, notices)


def _assemble_replay(
    config: HarnessConfig,
    environ: Mapping[str, str],
    replayed: ReplayTape,
    ignore: IgnorePathConfig,
    session_type: type[ReplaySession],
    is_watched: bool,
) -> Assembled:
    replay_policy = ReplayPolicy(
        match_mode=config.match_mode,
        ignore=ignore,
        max_body_bytes=config.limits.max_body_bytes,
        is_raw=config.replay.stream_source is StreamSource.RAW,
        pacing=config.replay.pacing,
        include_failures=config.replay.include_failures,
        rules=config.redaction.rules.with_known(known_values(config, environ, replayed.tape.hashing.redaction_rules)),
    )
    session = session_type(replayed.tape, replay_policy, _fault_injector(config))
    # Now, so that an unusable path is known before the run and not after it.
    if config.fault_report is not None:
        require_report_path(config.fault_report, "fault_report", config.cassette_path, is_fault_report)
        write_fault_report(config.fault_report, FaultFindings())
    report = None
    if config.replay.report is not None:
        report = MismatchFile(config.replay.report, config.replay.report_format, config.cassette_path, utc_now)
    annotations = Annotations(config.cassette_path) if environ.get("GITHUB_ACTIONS") == "true" else None
    takers = [taker.take for taker in (report, annotations) if taker is not None]
    if takers:
        redactor = InteractionRedactor(replay_policy.rules, replay_policy.max_body_bytes)
        session.on_refusal = RefusalLog(config.cassette_path, ignore, redactor, utc_now, takers).note
    masker = masker_source(config, environ, replayed.tape.hashing.redaction_rules)
    replay_hooks = (
        WatchedReplayHooks(session, config.limits.max_body_bytes, masker)
        if is_watched
        else ReplayHooks(session, config.limits.max_body_bytes)
    )
    replay_hooks.limits = config.limits
    replay_hooks.has_fast_lane = config.replay.lane is Lane.AUTO
    return Assembled(replay_hooks, len(session), replayed.warnings, config.fault_report, replayed, report, annotations)


def assemble_watched(config: HarnessConfig, environ: Mapping[str, str]) -> Assembled:
    """As :func:`assemble`, for where somebody looks at the flows."""
    return assemble(config, environ, is_watched=True)


def _fault_injector(config: HarnessConfig) -> FaultInjector | None:
    if not config.faults:
        return None
    started_at_s = time.monotonic()
    return FaultInjector(config.faults, config.fault_seed, lambda: (time.monotonic() - started_at_s) * 1000, log_fault)


def _missing_key_notice(upstream: UpstreamConfig, environ: Mapping[str, str]) -> tuple[str, ...]:
    if upstream.auth is AuthScheme.NONE or not upstream.api_key_required or usable_key(environ.get(upstream.api_key_env)):
        return ()
    text = (
        f"the environment variable {upstream.api_key_env} (upstream.api_key_env) is unset, empty or not usable: "
        "requests will be answered with 502 until the recorder is started with a key in it"
    )
    return (Notice("notice-key-missing", text, variable=upstream.api_key_env),)
