"""What ``record``, ``replay`` and ``auto`` do between their start and their end: serve until a signal, then sum up."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from spycatcher_addon.choices import AuthScheme, Mode, TimingMode, UiKind
from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.edge.cli_failure import advice
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.edge.fault_report import fault_verdict_lines, fault_warnings
from spycatcher_addon.edge.layers import ResolvedConfig
from spycatcher_addon.edge.terminal import OutputError, write_err, write_out
from spycatcher_addon.errors import HarnessError
from spycatcher_addon.outbound import usable_key

if TYPE_CHECKING:
    from spycatcher_addon.edge.assembly import AutoStats, Stats

EXIT_UNUSED = 3
_SHOWN_INDEXES = 20
_TIMING_FLAGS = {
    "replay.timing_factor": (TimingMode.SCALED,),
    "replay.timing_seed": (TimingMode.REALISTIC, TimingMode.DEMO),
}
"""Setting that has a flag -> the modes of timing that look at it."""
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
    @property
    def page_url(self) -> str | None: ...
    async def show_in_terminal(self, on_quit: Callable[[], None]) -> None: ...
    async def shutdown(self, grace: float | None = None) -> None: ...


class ServingError(Exception):
    """The harness could not be started or stopped; the text is for the user."""


async def serve(
    resolved: ResolvedConfig, texts: Texts, environ: Mapping[str, str], start: Callable[[HarnessConfig], Awaitable[Harness]]
) -> int:
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
    _stop_on_signals(stopped, texts)
    try:
        harness = await start(config)
    except HarnessError as error:
        raise ServingError(start_failure(texts, error, config.cassette_path)) from error
    warnings = [*map(texts.notice, harness.notices), *_optional_key_missing(resolved, texts, environ), *_idle_flags(resolved, texts)]
    write_err("".join(f"{warning_line(warning)}\n" for warning in warnings))
    if config.ui.kind is UiKind.WEB:
        label = texts("cli-ui-address" if config.ui.password is None else "cli-ui-address-with-password")
        write_err(f"{label} {harness.page_url}\n")
    # One write: a reader that closes the pipe after the first line has had both.
    try:
        write_out(f"listening on {harness.addr}\nexport OPENAI_BASE_URL={harness.base_url}\n")
    except OutputError:
        await harness.shutdown(0)
        raise
    if config.ui.kind is UiKind.CONSOLE:
        await harness.show_in_terminal(lambda: signal.raise_signal(signal.SIGINT))
    await stopped.wait()
    try:
        await harness.shutdown(config.shutdown_grace_s)
    except HarnessError as error:
        raise ServingError(f"{texts('cli-shutdown-failed')} {texts.error(error)}") from error
    stats = harness.stats
    if stats.auto is not None:
        lines = auto_summary(texts, stats, stats.auto, harness.cassette_path, harness.base_url)
    elif config.mode is Mode.RECORD:
        lines = record_summary(texts, stats, harness.cassette_path, harness.base_url)
    else:
        lines = replay_summary(texts, stats, harness.cassette_path)
    write_err("".join(f"{line}\n" for line in (*lines, *stats.annotations)))
    return EXIT_UNUSED if config.mode is not Mode.RECORD and config.fail_unused and stats.unused else 0


def start_failure(texts: Texts, error: HarnessError, cassette_path: str) -> str:
    """Say that a harness did not start, and why; for a missing cassette also what to do."""
    failure = f"{texts('cli-start-failed')} {texts.error(error)}"
    return failure + advice(texts, error, cassette_path)


def warning_line(warning: str) -> str:
    """A warning as it is printed; the tag is the same in every language, so that programs can find it."""
    return f"warning: {warning}"


def _stop_on_signals(stopped: asyncio.Event, texts: Texts) -> None:
    stopping = texts("cli-stopping")
    loop = asyncio.get_running_loop()

    def on_first_signal() -> None:
        # From here on to the very end of the process, without the loop's help: it may be busy or closed by then.
        for number in _STOP_SIGNALS:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)
            signal.signal(number, _end_at_once)
        stopped.set()
        write_err(f"{stopping}\n")

    for number in _STOP_SIGNALS:
        try:
            loop.add_signal_handler(number, on_first_signal)
        except NotImplementedError:  # Windows: no loop support, so the plain handler wakes the loop itself
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(on_first_signal))


def _end_at_once(number: int, _frame: object) -> None:
    os._exit(128 + number)


def _optional_key_missing(resolved: ResolvedConfig, texts: Texts, environ: Mapping[str, str]) -> Iterator[str]:
    """A warning when a key that may be missing is, although somebody named its variable and so counts on it."""
    upstream = resolved.config.upstream
    if resolved.config.mode is not Mode.RECORD or upstream is None or upstream.auth is AuthScheme.NONE or upstream.api_key_required:
        return
    if resolved.is_set("upstream.api_key_env") and usable_key(environ.get(upstream.api_key_env)) is None:
        yield texts("cli-key-missing-optional", variable=upstream.api_key_env)


def _idle_flags(resolved: ResolvedConfig, texts: Texts) -> Iterator[str]:
    """A warning for each flag of the timing that the timing asked for does not look at."""
    mode = resolved.config.replay.pacing.mode
    for setting, modes in _TIMING_FLAGS.items():
        if resolved.sources.get(setting, "").startswith("flag ") and mode not in modes:
            yield f"{setting} {texts('cli-setting-idle')} {mode}"


def auto_summary(texts: Texts, stats: Stats, auto: AutoStats, cassette_path: str, base_url: str) -> Iterator[str]:
    """What a run under a record mode came to, line by line."""
    if auto.has_replayed:
        yield from replay_summary(texts, replace(stats, interactions=auto.interactions_before), cassette_path)
    if not auto.has_recorded:
        if not auto.has_replayed:
            yield texts("cli-auto-passed-through", count=stats.recorded)
    elif stats.recorded and not auto.is_kept:
        yield warning_line(texts("cli-auto-not-kept"))
        yield from _record_warnings(texts, stats)
    elif stats.recorded or not stats.matched:
        yield from record_summary(texts, stats, cassette_path, base_url)
    else:
        yield from _record_warnings(texts, stats)


def record_summary(texts: Texts, stats: Stats, cassette_path: str, base_url: str) -> Iterator[str]:
    """What a recording came to, line by line."""
    if stats.recorded:
        yield f"{texts('cli-recorded', count=stats.recorded)} {cassette_path}"
    elif not stats.kept_failures:
        yield warning_line(f"{texts('cli-recorded-nothing')} {base_url}")
    yield from _record_warnings(texts, stats)


def _record_warnings(texts: Texts, stats: Stats) -> Iterator[str]:
    for message_id, count in (
        ("cli-record-error-statuses", stats.error_statuses),
        ("cli-record-failed", stats.failed),
        ("cli-record-kept-failures", stats.kept_failures),
        ("cli-record-abandoned", stats.abandoned),
        ("cli-record-refused", stats.refused),
    ):
        if count:
            yield warning_line(texts(message_id, count=count))


def replay_summary(texts: Texts, stats: Stats, cassette_path: str) -> Iterator[str]:
    """What a replay came to, line by line."""
    used = stats.interactions - len(stats.unused)
    yield f"{texts('cli-replayed', used=used, count=stats.interactions)} {cassette_path}"
    if stats.unused:
        shown = ", ".join(str(index) for index in stats.unused[:_SHOWN_INDEXES])
        more = ", ..." if len(stats.unused) > _SHOWN_INDEXES else ""
        yield warning_line(texts("cli-unused", indexes=shown + more))
    if stats.mismatched:
        yield warning_line(texts("cli-mismatched", count=stats.mismatched))
    if stats.rejected:
        yield warning_line(texts("cli-rejected", count=stats.rejected))
    if stats.dropped_headers:
        yield warning_line(texts("cli-dropped-headers", names=", ".join(sorted(set(stats.dropped_headers)))))
    yield from fault_verdict_lines(stats.faults, texts)
    yield from map(warning_line, fault_warnings(stats.faults, texts))
