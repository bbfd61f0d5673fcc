"""Put a harness together from its configuration: open the tape, choose the hooks of the mode. Binds and dials nothing.

Both ways of hosting a harness, our own listener and ``mitmdump -s``, come through here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spycatcher_addon.cassette.canonical import IgnorePathConfig, pointer_from_config
from spycatcher_addon.cassette.model import Hashing
from spycatcher_addon.config import AuthScheme, HarnessConfig, Mode, UpstreamConfig, validate_for_start
from spycatcher_addon.edge.files import CassetteWriter, read_cassette
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from spycatcher_addon.errors import InvalidConfigError, ModeNotYetImplementedError
from spycatcher_addon.outbound import usable_key
from spycatcher_addon.recording import RecordingPolicy
from spycatcher_addon.replaying import ReplaySession


@dataclass(frozen=True, slots=True)
class Stats:
    """What a harness did so far."""

    interactions: int
    """Interactions on the tape."""
    recorded: int = 0
    failed: int = 0
    abandoned: int = 0
    refused: int = 0
    error_statuses: int = 0
    matched: int = 0
    mismatched: int = 0
    rejected: int = 0
    unused: tuple[int, ...] = ()
    """Replay: zero-based indexes of interactions nobody asked for."""
    dropped_headers: tuple[str, ...] = ()
    """Replay: names of recorded header fields that could not be sent."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """A harness without a listener."""

    hooks: RecordHooks | ReplayHooks
    interaction_count: int
    """Interactions on the tape at the start."""
    notices: tuple[str, ...] = ()
    """What a person should know about the start: repairs, conversions, a missing key."""

    def stats(self) -> Stats:
        """Counts up to now."""
        if isinstance(self.hooks, RecordHooks):
            counts = self.hooks.counts
            return Stats(
                interactions=self.interaction_count + counts.recorded,
                recorded=counts.recorded,
                failed=counts.failed,
                abandoned=counts.abandoned,
                refused=counts.refused,
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
        )


def assemble(config: HarnessConfig, environ: Mapping[str, str]) -> Assembled:
    """Check the configuration and open the tape. Blocks on the disk.

    Raises:
        InvalidConfigError: The configuration cannot be used.
        ModeNotYetImplementedError: ``mode`` is ``verify``.
        CassetteNotFoundError, InvalidCassetteError, UnsupportedCassetteFormatVersionError, HarnessIOError: The tape cannot be used.
        InvalidPointerPathError: An ignore path does not fit a recorded body.
    """
    validate_for_start(config)
    pointers = tuple(pointer_from_config(path) for path in config.matching.ignore_paths)
    ignore = IgnorePathConfig(ignored_body_paths=pointers)
    max_body_bytes = config.limits.max_body_bytes
    if config.mode is Mode.REPLAY:
        loaded = read_cassette(config.cassette_path)
        session = ReplaySession(loaded.cassette, config.match_mode, ignore, max_body_bytes)
        return Assembled(ReplayHooks(session, max_body_bytes), len(session), loaded.warnings)
    if config.mode is not Mode.RECORD:
        raise ModeNotYetImplementedError("Verify")
    if config.upstream is None:  # validate_for_start has said so already; this narrows the type
        raise InvalidConfigError("upstream configuration is required for record mode")
    writer = CassetteWriter.open(config.cassette_path, Hashing(ignore_paths=pointers))
    policy = RecordingPolicy(
        ignore=ignore,
        drop_headers=config.redaction.effective_drop_headers,
        upstream_id=config.upstream.kind.value,
        max_body_bytes=max_body_bytes,
    )
    hooks = RecordHooks(writer, config.upstream, policy, environ)
    return Assembled(hooks, writer.interaction_count, (*writer.notices, *_missing_key_notice(config.upstream, environ)))


def _missing_key_notice(upstream: UpstreamConfig, environ: Mapping[str, str]) -> tuple[str, ...]:
    if upstream.auth is AuthScheme.NONE or not upstream.api_key_required or usable_key(environ.get(upstream.api_key_env)):
        return ()
    return (
        f"the environment variable {upstream.api_key_env} (upstream.api_key_env) is unset or empty: "
        "requests will be answered with 502 until the recorder is started with a key in it",
    )
