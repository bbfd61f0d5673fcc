"""What ``record`` and ``replay`` do between their start and their end: serve until a signal, then sum up."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from spycatcher_addon.config import AuthScheme, HarnessConfig, Mode
from spycatcher_addon.edge.cli_text import counted, text
from spycatcher_addon.edge.layers import ResolvedConfig
from spycatcher_addon.edge.terminal import write_err, write_out
from spycatcher_addon.errors import CassetteNotFoundError, HarnessError, HarnessIOError

if TYPE_CHECKING:
    from spycatcher_addon.edge.assembly import Stats

EXIT_UNUSED = 3
_SHOWN_INDEXES = 20
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Harness(Protocol):
    """What is used of a running harness."""

    @property
    def addr(self) -> object: ...
    @property
    def base_url(self) -> str: ...
    @property
    def cassette_path(self) -> str: ...
    @property
    def notices(self) -> tuple[str, ...]: ...
    @property
    def stats(self) -> Stats: ...
    async def shutdown(self, grace: float | None = None) -> None: ...


class ServingError(Exception):
    """The harness could not be started or stopped; the text is for the user."""


def error_text(error: HarnessError) -> str:
    """An error for the user's own terminal, where the source of an I/O failure may be shown."""
    return f"{error}: {error.source}" if isinstance(error, HarnessIOError) else str(error)


async def serve(resolved: ResolvedConfig, environ: Mapping[str, str], start: Callable[[HarnessConfig], Awaitable[Harness]]) -> int:
    """Start a harness, serve until SIGINT or SIGTERM, shut it down and print what happened.

    A second signal ends the process at once with 128 plus the signal's number.

    Args:
        start: Starts the harness; comes from the caller so that this module loads no mitmproxy.

    Returns:
        The exit code: 0, or 3 when unused interactions are to fail.

    Raises:
        ServingError: The harness did not start or did not stop.
    """
    config = resolved.config
    stopped = asyncio.Event()
    _stop_on_signals(stopped)
    try:
        harness = await start(config)
    except CassetteNotFoundError as error:
        advice = text("cli-cassette-not-found-advice", path=config.cassette_path)
        raise ServingError(f"{text('cli-start-failed', error=str(error))}\n{advice}") from error
    except HarnessError as error:
        raise ServingError(text("cli-start-failed", error=error_text(error))) from error
    warnings = [*harness.notices, *_optional_key_missing(resolved, environ)]
    write_err("".join(f"{text('cli-warning', message=warning)}\n" for warning in warnings))
    # One write: a reader that closes the pipe after the first line has had both.
    write_out(f"listening on {harness.addr}\nexport OPENAI_BASE_URL={harness.base_url}\n")
    await stopped.wait()
    try:
        await harness.shutdown(config.shutdown_grace_s)
    except HarnessError as error:
        raise ServingError(text("cli-shutdown-failed", error=error_text(error))) from error
    stats = harness.stats
    if config.mode is Mode.RECORD:
        lines = record_summary(stats, harness.cassette_path, harness.base_url)
    else:
        lines = replay_summary(stats, harness.cassette_path)
    write_err("".join(f"{line}\n" for line in lines))
    return EXIT_UNUSED if config.mode is Mode.REPLAY and config.fail_unused and stats.unused else 0


def _stop_on_signals(stopped: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()

    def on_first_signal() -> None:
        # From here on to the very end of the process, without the loop's help: it may be busy or closed by then.
        for number in _STOP_SIGNALS:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)
            signal.signal(number, _end_at_once)
        stopped.set()
        write_err(f"{text('cli-stopping')}\n")

    for number in _STOP_SIGNALS:
        try:
            loop.add_signal_handler(number, on_first_signal)
        except NotImplementedError:  # Windows: no loop support, so the plain handler wakes the loop itself
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(on_first_signal))


def _end_at_once(number: int, _frame: object) -> None:
    os._exit(128 + number)


def _optional_key_missing(resolved: ResolvedConfig, environ: Mapping[str, str]) -> Iterator[str]:
    """A warning when a key that may be missing is, although somebody named its variable and so counts on it."""
    upstream = resolved.config.upstream
    if resolved.config.mode is not Mode.RECORD or upstream is None or upstream.auth is AuthScheme.NONE or upstream.api_key_required:
        return
    if resolved.is_set("upstream.api_key_env") and not environ.get(upstream.api_key_env):
        yield text("cli-key-missing-optional", variable=upstream.api_key_env)


def record_summary(stats: Stats, cassette_path: str, base_url: str) -> Iterator[str]:
    """What a recording came to, line by line."""
    if stats.recorded:
        yield text("cli-recorded", count=counted("interaction", stats.recorded), path=cassette_path)
    else:
        yield _warning("cli-recorded-nothing", base_url=base_url)
    for message_id, count in (
        ("cli-record-error-statuses", stats.error_statuses),
        ("cli-record-failed", stats.failed),
        ("cli-record-abandoned", stats.abandoned),
        ("cli-record-refused", stats.refused),
    ):
        if count:
            yield _warning(message_id, count=counted("exchange", count))


def replay_summary(stats: Stats, cassette_path: str) -> Iterator[str]:
    """What a replay came to, line by line."""
    used = stats.interactions - len(stats.unused)
    yield text("cli-replayed", used=str(used), count=counted("interaction", stats.interactions), path=cassette_path)
    if stats.unused:
        shown = ", ".join(str(index) for index in stats.unused[:_SHOWN_INDEXES])
        more = ", ..." if len(stats.unused) > _SHOWN_INDEXES else ""
        yield _warning("cli-unused", indexes=shown + more)
    if stats.mismatched:
        yield _warning("cli-mismatched", count=counted("request", stats.mismatched))
    if stats.rejected:
        yield _warning("cli-rejected", count=counted("request", stats.rejected))
    if stats.dropped_headers:
        yield _warning("cli-dropped-headers", names=", ".join(sorted(set(stats.dropped_headers))))


def _warning(message_id: str, **arguments: str) -> str:
    return text("cli-warning", message=text(message_id, **arguments))
