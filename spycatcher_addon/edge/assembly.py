"""Put a harness together from its configuration: open the tape, choose the hooks of the mode. Binds and dials nothing.

Both ways of hosting a harness, our own listener and ``mitmdump -s``, come through here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from spycatcher_addon.cassette.canonical import IgnorePathConfig, pointer_from_config
from spycatcher_addon.cassette.model import Hashing, Interaction
from spycatcher_addon.config import AuthScheme, HarnessConfig, Mode, StreamSource, UpstreamConfig, validate_for_start
from spycatcher_addon.edge.fault_report import is_same_file, log_fault, write_fault_report
from spycatcher_addon.edge.files import CassetteWriter, read_cassette
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from spycatcher_addon.errors import InvalidConfigError, ModeNotYetImplementedError
from spycatcher_addon.fault_injection import FaultFindings, FaultInjector
from spycatcher_addon.known_values import known_values, recorded_rules, short_secret_notices
from spycatcher_addon.notices import Notice
from spycatcher_addon.outbound import usable_key
from spycatcher_addon.recording import RecordingPolicy
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

    @property
    def longest_silence_s(self) -> int | None:
        """How long a connection may be silent while an upstream is waited for; ``None`` where there is no upstream."""
        return self.hooks.longest_silence_s if isinstance(self.hooks, RecordHooks) else None

    def close(self, is_clean: bool) -> None:
        """Let go of the tape. Blocks on the disk; a recorded tape is complete after each exchange, whether the end is clean or not."""
        if isinstance(self.hooks, RecordHooks):
            self.hooks.close()
        elif self.fault_report is not None:
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
) -> Assembled:
    """Check the configuration and open the tape of a replay or a recording. Blocks on the disk.

    Args:
        tape: Record to this instead of to the configured cassette.

    Raises:
        InvalidConfigError: The configuration cannot be used.
        ModeNotYetImplementedError: ``mode`` is neither ``replay`` nor ``record``.
        CassetteNotFoundError, InvalidCassetteError, UnsupportedCassetteFormatVersionError, HarnessIOError: The tape cannot be used.
        InvalidPointerPathError: An ignore path does not fit a recorded body.
    """
    validate_for_start(config)
    pointers = tuple(pointer_from_config(path) for path in config.matching.ignore_paths)
    ignore = IgnorePathConfig(ignored_body_paths=pointers)
    max_body_bytes = config.limits.max_body_bytes
    if config.mode is Mode.REPLAY:
        loaded = read_cassette(config.cassette_path)
        replay_policy = ReplayPolicy(
            match_mode=config.match_mode,
            ignore=ignore,
            max_body_bytes=max_body_bytes,
            is_raw=config.replay.stream_source is StreamSource.RAW,
            pacing=config.replay.pacing,
            include_failures=config.replay.include_failures,
            rules=config.redaction.rules.with_known(known_values(config, environ, loaded.cassette.hashing.redaction_rules)),
        )
        session = session_type(loaded.cassette, replay_policy, _fault_injector(config))
        if config.fault_report is not None and is_same_file(config.fault_report, config.cassette_path):
            raise InvalidConfigError(f"fault_report names the cassette itself, {config.cassette_path}; choose another file")
        if config.fault_report is not None:  # now, so that an unusable path is known before the run and not after it
            write_fault_report(config.fault_report, FaultFindings())
        return Assembled(ReplayHooks(session, max_body_bytes), len(session), loaded.warnings, config.fault_report)
    if config.mode is not Mode.RECORD:
        raise ModeNotYetImplementedError(config.mode.value.capitalize())
    if config.upstream is None:  # validate_for_start has said so already; this narrows the type
        raise InvalidConfigError("upstream configuration is required for record mode")
    hashing = Hashing(ignore_paths=pointers, redaction_rules=recorded_rules(config))
    writer = tape if tape is not None else CassetteWriter.open(config.cassette_path, hashing)
    policy = RecordingPolicy(
        ignore=ignore,
        rules=config.redaction.rules,
        upstream_id=config.upstream.kind.value,
        max_body_bytes=max_body_bytes,
        keeps_failures=config.record.keep_failures,
        expected_statuses=frozenset(config.record.expected_statuses),
    )
    hooks = RecordHooks(writer, config.upstream, policy, environ, lambda: known_values(config, environ))
    notices = (*writer.notices, *_missing_key_notice(config.upstream, environ), *short_secret_notices(config, environ))
    return Assembled(hooks, writer.interaction_count, notices)


def _fault_injector(config: HarnessConfig) -> FaultInjector | None:
    if not config.faults:
        return None
    started_at_s = time.monotonic()
    return FaultInjector(config.faults, config.fault_seed, lambda: (time.monotonic() - started_at_s) * 1000, log_fault)


def _missing_key_notice(upstream: UpstreamConfig, environ: Mapping[str, str]) -> tuple[str, ...]:
    if upstream.auth is AuthScheme.NONE or not upstream.api_key_required or usable_key(environ.get(upstream.api_key_env)):
        return ()
    text = (
        f"the environment variable {upstream.api_key_env} (upstream.api_key_env) is unset or empty: "
        "requests will be answered with 502 until the recorder is started with a key in it"
    )
    return (Notice("notice-key-missing", text, variable=upstream.api_key_env),)
