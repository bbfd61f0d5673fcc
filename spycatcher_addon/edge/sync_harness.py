"""The synchronous twin of :mod:`spycatcher_addon.edge.server`: a harness on an event loop in a thread of its own.

For scripts, threads and test suites that have no event loop. It may be used from any thread.
"""

from __future__ import annotations

import asyncio
import os
import threading
import warnings
from collections.abc import Coroutine, Mapping
from types import TracebackType
from typing import Any, Self

from spycatcher_addon.config import HarnessConfig, ListenAddr
from spycatcher_addon.edge.assembly import Stats
from spycatcher_addon.edge.server import RunningHarness, start_harness


class _LoopThread:
    """An event loop that runs in a thread until it is ended."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        # A daemon: a program that forgets its harness must still be able to end.
        self._thread = threading.Thread(target=self._loop.run_forever, name="spycatcher-harness", daemon=True)
        self._thread.start()

    def call[T](self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine there and wait for its end."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # interrupted: the work is not to go on behind the caller's back
            raise

    def end(self) -> None:
        """Stop the loop and wait for the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class SyncHarness:
    """A harness that accepts connections. Made by :func:`start_harness_sync`; stop it with :meth:`shutdown` or by ``with``.

    A handle that is lost without a stop gives a ``ResourceWarning``, and its harness stops in the background.
    """

    def __init__(self, thread: _LoopThread, running: RunningHarness) -> None:
        self._thread = thread
        self._running = running
        self._is_stopped = False
        self._stopping = threading.Lock()

    @property
    def addr(self) -> ListenAddr:
        """Where it listens: for port 0, the port it got."""
        return self._running.addr

    @property
    def base_url(self) -> str:
        """What an SDK takes as its base URL; a wildcard address is shown as loopback."""
        return self._running.base_url

    @property
    def cassette_path(self) -> str:
        """Where the tape is, as configured."""
        return self._running.cassette_path

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know about the start, as sentences."""
        return self._running.notices

    @property
    def stats(self) -> Stats:
        """Counts up to now; still there after the stop."""
        return self._running.stats

    def shutdown(self, grace: float | None = None) -> None:
        """Stop accepting, let running exchanges end and be recorded, cut off what is left. Idempotent, from any thread.

        Args:
            grace: Seconds to wait for running exchanges; ``None`` takes the configured ``shutdown_grace_s``.

        Raises:
            HarnessError: What was recorded could not be put in its place.
        """
        with self._stopping:  # a second thread waits for the first one's stop, and then finds it done
            if self._is_stopped:
                return
            try:
                self._thread.call(self._running.shutdown(grace))
            finally:
                self._is_stopped = True
                self._thread.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.shutdown()

    def __del__(self) -> None:
        if getattr(self, "_is_stopped", True):
            return
        message = f"a harness on {self.addr} was lost without a shutdown; call its shutdown(), or use it in `with`"
        warnings.warn(message, ResourceWarning, source=self, stacklevel=2)
        # Not in this thread: it may be any, the loop's own included, and must not wait here.
        threading.Thread(target=_stop_lost, args=(self._thread, self._running), name="spycatcher-stop", daemon=True).start()


def start_harness_sync(config: HarnessConfig, environ: Mapping[str, str] = os.environ) -> SyncHarness:
    """Start a harness in a thread of its own; return once connections are accepted.

    Raises:
        HarnessError: As :func:`spycatcher_addon.edge.server.start_harness`.
    """
    thread = _LoopThread()
    try:
        return SyncHarness(thread, thread.call(start_harness(config, environ)))
    except BaseException:
        thread.end()
        raise


def _stop_lost(thread: _LoopThread, running: RunningHarness) -> None:
    try:
        thread.call(running.shutdown())
    finally:
        thread.end()
