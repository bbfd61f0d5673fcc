"""Host the hooks in a listener of our own: one harness, one port, one clean stop.

mitmproxy's ``Master.run`` changes the event loop of its host process and answers every connection from the master made
last. So it is not used: this module opens the socket itself and gives each connection to mitmproxy's connection handler,
bound to its own master. Nothing here reads ``mitmproxy.ctx``.

The listener is what the event loop holds on to; the handle a caller gets is a thin object in front of it, so that a
handle that is thrown away can be noticed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import warnings
from collections.abc import Callable, Coroutine, Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Any, Protocol, Self
from weakref import WeakSet

from mitmproxy.master import Master
from mitmproxy.proxy import mode_specs
from mitmproxy.proxy.layers import modes
from mitmproxy.proxy.mode_servers import ProxyConnectionHandler

from spycatcher_addon.config import HarnessConfig, ListenAddr, Mode, UiKind
from spycatcher_addon.edge.assembly import Stats, assemble, assemble_watched
from spycatcher_addon.edge.embedding import abandon_master, end_master, make_master
from spycatcher_addon.edge.mitm import LaneHooks
from spycatcher_addon.errors import HarnessIOError, InvalidConfigError, ModeNotYetImplementedError

logger = logging.getLogger("spycatcher_addon")

_BACKLOG = 1024
"""Connections that may wait to be accepted: a test run opens hundreds at once, and one turned away tries again a second later."""
_FLUSH_LOOK_S = 0.01
_NO_UPSTREAM = "reverse:http://upstream.invalid:1"
"""A reverse proxy needs a target; requests name their own, and nothing ever resolves this one (RFC 6761 section 6.4)."""


class Hosted(Protocol):
    """What a listener stands in front of."""

    @property
    def hooks(self) -> LaneHooks:
        """The add-on that gets the connections."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know about the start."""

    @property
    def longest_silence_s(self) -> int | None:
        """How long a connection may be silent while an upstream is waited for; ``None`` where there is no upstream."""

    def stats(self) -> Stats:
        """Counts up to now."""

    def close(self, is_clean: bool) -> None:
        """Let go of the tape; blocks. ``is_clean`` is false for a harness that never came to listen, or was lost."""


class _Listener:
    """The socket, its connections and the hooks behind them."""

    def __init__(self, config: HarnessConfig, hosted: Hosted, host_master: Master) -> None:
        self._config = config
        self._hosted = hosted
        self._hooks = hosted.hooks
        self._master = host_master
        self._mode = mode_specs.ProxyMode.parse(_NO_UPSTREAM)
        self._handlers: dict[object, ProxyConnectionHandler] = {}
        self._connection_tasks: set[asyncio.Task[Any]] = set()
        self._transports: WeakSet[asyncio.WriteTransport] = WeakSet()
        """Of the clients; one that is closed lives on while it has something to send."""
        self._stopping: asyncio.Task[None] | None = None
        self._hooks.connections = self._handlers
        self._server: asyncio.Server | None = None
        self._leaving: asyncio.Task[Any] | None = None
        self.loop = asyncio.get_running_loop()

    @property
    def is_stopping(self) -> bool:
        """Whether somebody has asked for the stop."""
        return self._stopping is not None

    async def listen(self) -> ListenAddr:
        """Open the socket; gives the address it got.

        Raises:
            HarnessIOError: The address cannot be bound.
        """
        wanted = self._config.listen
        try:
            self._server = await asyncio.start_server(self._serve, wanted.host, wanted.port, backlog=_BACKLOG)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else "it is no address of this machine"
            raise HarnessIOError(f"cannot listen on {wanted}: {reason}; choose another --listen address or port 0") from error
        host, port = self._server.sockets[0].getsockname()[:2]
        return ListenAddr(host=host, port=port)

    async def show(self, on_quit: Callable[[], None] | None = None) -> str | None:
        """Let the master show itself; ``on_quit`` is called when it is told to end. Gives the address of a page."""
        await self._master.running()
        if on_quit is not None:
            self._leaving = asyncio.create_task(self._master.should_exit.wait())
            self._leaving.add_done_callback(lambda ended: None if ended.cancelled() else on_quit())
        return getattr(self._master, "web_url", None)

    async def stop(self, grace: float | None) -> None:
        """Stop once, whoever asks and how often; see :meth:`RunningHarness.shutdown`."""
        if self._stopping is None:
            grace_s = self._config.shutdown_grace_s if grace is None else grace
            self._stopping = asyncio.create_task(self._stop(grace_s))
        await asyncio.shield(self._stopping)

    def stop_unattended(self) -> None:
        """Stop although nobody will wait for it. May be called from any thread, or when the loop is gone."""
        with suppress(RuntimeError):  # the loop is closed, or closes under our hands
            self.loop.call_soon_threadsafe(self._stop_in_background)
            return
        with suppress(Exception):  # nobody is left to be told, and letting go of the tape comes first
            self._hosted.close(False)
        abandon_master()

    def _stop_in_background(self) -> None:
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(self._config.shutdown_grace_s))
            self._stopping.add_done_callback(_log_failure)

    async def _stop(self, grace_s: float) -> None:
        deadline = self.loop.time() + grace_s
        if self._server is not None:
            self._server.close()
        if self._leaving is not None:
            self._leaving.cancel()
        self._hooks.on_idle = self._close_client
        for client_id in list(self._handlers):
            if not self._hooks.is_busy(str(client_id)):
                self._close_client(str(client_id))
        if self._connection_tasks:
            await asyncio.wait(self._connection_tasks, timeout=grace_s)
        for client_id in list(self._handlers):
            self._close_client(str(client_id))
        if self._connection_tasks:
            await asyncio.wait(self._connection_tasks, timeout=1.0)
        # An answer has been given when the client has it, which for a large one and a slow reader is later.
        while any(transport.get_write_buffer_size() for transport in self._transports) and self.loop.time() < deadline:
            await asyncio.sleep(_FLUSH_LOOK_S)
        for task in self._connection_tasks:
            task.cancel()
        try:
            await in_thread(self._hosted.close, True)
        finally:
            await end_master(self._master)

    def _close_client(self, client_id: str) -> None:
        handler = self._handlers.get(client_id)
        if handler is not None:
            transport = handler.transports.get(handler.client)
            if transport is not None and transport.handler is not None:
                transport.handler.cancel("the harness is stopping")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if self._stopping is not None:
            writer.close()
            return
        self._connection_tasks.add(task)
        self._transports.add(writer.transport)
        handler = ProxyConnectionHandler(self._master, reader, writer, self._master.options, self._mode)
        handler.layer = modes.ReverseProxy(handler.layer.context)
        self._handlers[handler.client.id] = handler
        try:
            await handler.handle_client()
        finally:
            del self._handlers[handler.client.id]
            self._connection_tasks.discard(task)


class RunningHarness:
    """A harness that accepts connections. Made by :func:`start_harness`; stop it with :meth:`shutdown` or by ``async with``.

    Its coroutines belong to the event loop it was started on. A handle that is lost without a stop gives a
    ``ResourceWarning``, and its harness stops in the background.
    """

    def __init__(self, config: HarnessConfig, hosted: Hosted, listener: _Listener, addr: ListenAddr) -> None:
        self._config = config
        self._hosted = hosted
        self._listener = listener
        self.addr = addr
        """Where it listens: for port 0, the port it got."""
        self.notices: tuple[str, ...] = hosted.notices
        """What a person should know about the start, as sentences."""
        self.page_url: str | None = None
        """Where exchanges can be watched in a browser; without a token where a password is asked for."""

    @property
    def base_url(self) -> str:
        """What an SDK takes as its base URL; a wildcard address is shown as loopback."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.addr.host, self.addr.host)
        return f"http://{ListenAddr(host=host, port=self.addr.port)}/v1"

    @property
    def cassette_path(self) -> str:
        """Where the tape is, as configured."""
        return self._config.cassette_path

    @property
    def stats(self) -> Stats:
        """Counts up to now; still there after the stop."""
        return self._hosted.stats()

    async def show_page(self) -> None:
        """Open the page, where ``ui.kind`` is ``web``.

        Raises:
            HarnessIOError: Its address cannot be bound.
        """
        self.page_url = await self._listener.show()

    async def show_in_terminal(self, on_quit: Callable[[], None]) -> None:
        """Let mitmproxy's console take over the terminal, where ``ui.kind`` is ``console``.

        Args:
            on_quit: Called when somebody leaves it.
        """
        await self._listener.show(on_quit)

    async def shutdown(self, grace: float | None = None) -> None:
        """Stop accepting, let running exchanges end and be recorded, cut off what is left. Idempotent.

        A caller that is cancelled does not stop the stopping: it goes on, and a later call waits for its end.

        Args:
            grace: Seconds to wait for running exchanges; ``None`` takes the configured ``shutdown_grace_s``.

        Raises:
            HarnessError: What was recorded could not be put in its place.
        """
        await self._listener.stop(grace)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.shutdown()

    def __del__(self) -> None:
        listener = getattr(self, "_listener", None)
        if listener is None or listener.is_stopping:
            return
        message = f"a harness on {self.addr} was lost without a shutdown; await its shutdown(), or use it in `async with`"
        warnings.warn(message, ResourceWarning, source=self, stacklevel=2)
        listener.stop_unattended()


class StartingHarness(Coroutine[Any, Any, RunningHarness]):
    """A start under way: ``await`` it for the handle, or open it with ``async with``, which also stops the harness."""

    def __init__(self, start: Coroutine[Any, Any, RunningHarness]) -> None:
        self._start = start
        self._running: RunningHarness | None = None

    def __await__(self) -> Generator[Any, Any, RunningHarness]:
        return self._start.__await__()

    def send(self, value: Any, /) -> Any:
        return self._start.send(value)

    def throw(self, *exception: Any) -> Any:
        return self._start.throw(*exception)

    def close(self) -> None:
        self._start.close()

    async def __aenter__(self) -> RunningHarness:
        self._running = await self._start
        return self._running

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._running is not None:
            await self._running.shutdown()


def start_harness(config: HarnessConfig, environ: Mapping[str, str] = os.environ) -> StartingHarness:
    """Validate the configuration, open the tape, bind the address; await it: it ends once connections are accepted.

    ``harness = await start_harness(config)``, to be stopped with ``await harness.shutdown()``; or
    ``async with start_harness(config) as harness:``.

    Args:
        environ: Where the variable named by ``upstream.api_key_env`` is looked up, at each request.

    Raises:
        InvalidConfigError: The configuration cannot be used.
        ModeNotYetImplementedError: ``mode`` is ``verify``, which is a command and not a server.
        CassetteNotFoundError, InvalidCassetteError, UnsupportedCassetteFormatVersionError: The tape cannot be used.
        HarnessIOError: The tape or the address cannot be opened.
    """
    return StartingHarness(_start(config, environ))


async def _start(config: HarnessConfig, environ: Mapping[str, str]) -> RunningHarness:
    if config.mode is Mode.VERIFY:
        raise ModeNotYetImplementedError("Verify")
    if config.ui.kind is not UiKind.NONE:
        return await _start_watched(config, environ)
    hosted = await in_thread(_open, config, environ, discard=lambda unwanted: unwanted.close(False))
    return await host(config, hosted, environ)


def _open(config: HarnessConfig, environ: Mapping[str, str]) -> Hosted:
    if config.mode is not Mode.AUTO:
        return assemble(config, environ)
    # What only recording needs is loaded when something is recorded: most starts are replays in a test run.
    from spycatcher_addon.edge.auto import assemble_auto

    return assemble_auto(config, environ)


async def _start_watched(config: HarnessConfig, environ: Mapping[str, str]) -> RunningHarness:
    """Start with a page; with a console, which the caller shows when it is ready to give up the terminal."""
    if config.mode is Mode.AUTO:
        raise InvalidConfigError(f"ui.kind is {config.ui.kind}, but only `record` and `replay` can be watched; use one of them, or none")
    # Only here: the user interfaces of mitmproxy take a while to load.
    from spycatcher_addon.edge.ui_master import make_ui_master

    hosted = await in_thread(assemble_watched, config, environ, discard=lambda unwanted: unwanted.close(False))
    harness = await host(config, hosted, environ, lambda: make_ui_master(config, hosted, environ))
    if config.ui.kind is UiKind.WEB:
        try:
            await harness.show_page()
        except BaseException:
            await harness.shutdown(grace=0)
            raise
    return harness


async def host(
    config: HarnessConfig, hosted: Hosted, environ: Mapping[str, str], make: Callable[[], Master] | None = None
) -> RunningHarness:
    """Put a listener in front of hooks; they are closed when that fails.

    Args:
        make: Makes the master, if it is not to be the usual one.

    Raises:
        HarnessIOError: The address cannot be bound.
    """
    try:
        listener = _Listener(config, hosted, _make_master(hosted, environ) if make is None else make())
    except BaseException:
        await in_thread(hosted.close, False)
        raise
    try:
        addr = await listener.listen()
    except BaseException:
        await listener.stop(grace=0)
        raise
    return RunningHarness(config, hosted, listener, addr)


async def in_thread[T](work: Callable[..., T], *arguments: Any, discard: Callable[[T], object] = lambda unwanted: None) -> T:
    """Run blocking work in a thread that ends with it; the loop's own pool would keep its thread for ever.

    Args:
        discard: What to do with a result that comes after the caller was cancelled.
    """
    executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="spycatcher")
    future = executor.submit(work, *arguments)
    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        future.add_done_callback(lambda ended: _discard(ended, discard))
        raise
    finally:
        executor.shutdown(wait=future.done())  # then it waits for the thread's last step only


def _discard[T](ended: Future[T], discard: Callable[[T], object]) -> None:
    if not ended.cancelled() and ended.exception() is None:
        discard(ended.result())


def _make_master(hosted: Hosted, environ: Mapping[str, str]) -> Master:
    settings: dict[str, object] = {"ssl_verify_upstream_trusted_ca": environ.get("SSL_CERT_FILE") or None}
    if hosted.longest_silence_s is not None:
        settings["tcp_timeout"] = hosted.longest_silence_s
    return make_master(hosted.hooks, **settings)


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("a harness that was stopped in the background did not stop cleanly: %s", error)
