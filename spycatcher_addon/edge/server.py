"""Host the hooks in a listener of our own: one harness, one port, one clean stop.

mitmproxy's ``Master.run`` changes the event loop of its host process and answers every connection from the master made
last. So it is not used: this module opens the socket itself and gives each connection to mitmproxy's connection handler,
bound to its own master. Nothing here reads ``mitmproxy.ctx``.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from typing import Any

from mitmproxy.master import Master
from mitmproxy.proxy import mode_specs
from mitmproxy.proxy.layers import modes
from mitmproxy.proxy.mode_servers import ProxyConnectionHandler

from spycatcher_addon.config import HarnessConfig, ListenAddr, Mode
from spycatcher_addon.edge.assembly import Assembled, Stats, assemble
from spycatcher_addon.edge.embedding import end_master, make_master
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from spycatcher_addon.errors import HarnessIOError, ModeNotYetImplementedError

logger = logging.getLogger("spycatcher_addon")

_NO_UPSTREAM = "reverse:http://upstream.invalid:1"
"""A reverse proxy needs a target; requests name their own, and nothing ever resolves this one (RFC 6761 section 6.4)."""


class RunningHarness:
    """A harness that accepts connections. Made by :func:`start_harness`."""

    def __init__(self, config: HarnessConfig, assembled: Assembled, host_master: Master) -> None:
        self._config = config
        self._assembled = assembled
        self._hooks = assembled.hooks
        self._master = host_master
        self._mode = mode_specs.ProxyMode.parse(_NO_UPSTREAM)
        self._handlers: dict[object, ProxyConnectionHandler] = {}
        self._connection_tasks: set[asyncio.Task[Any]] = set()
        self._stopping: asyncio.Task[None] | None = None
        self._hooks.connections = self._handlers
        self._server: asyncio.Server | None = None
        self.addr = config.listen
        self.notices: tuple[str, ...] = assembled.notices
        """What a person should know about the start, as sentences."""

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
        """Counts up to now."""
        return self._assembled.stats()

    async def listen(self) -> None:
        """Open the socket.

        Raises:
            HarnessIOError: The address cannot be bound.
        """
        wanted = self._config.listen
        try:
            self._server = await asyncio.start_server(self._serve, wanted.host, wanted.port)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise HarnessIOError(f"cannot listen on {wanted}: {reason}; choose another --listen address or port 0") from error
        host, port = self._server.sockets[0].getsockname()[:2]
        self.addr = ListenAddr(host=host, port=port)

    async def shutdown(self, grace: float | None = None) -> None:
        """Stop accepting, let running exchanges end and be recorded, cut off what is left. Idempotent.

        A caller that is cancelled does not stop the stopping: it goes on, and a later call waits for its end.

        Args:
            grace: Seconds to wait for running exchanges; ``None`` takes the configured ``shutdown_grace_s``.
        """
        if self._stopping is None:
            grace_s = self._config.shutdown_grace_s if grace is None else grace
            self._stopping = asyncio.create_task(self._stop(grace_s))
        await asyncio.shield(self._stopping)

    async def _stop(self, grace_s: float) -> None:
        if self._server is not None:
            self._server.close()
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
        for task in self._connection_tasks:
            task.cancel()
        try:
            if isinstance(self._hooks, RecordHooks):
                await asyncio.get_running_loop().run_in_executor(None, self._hooks.close)
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
        handler = ProxyConnectionHandler(self._master, reader, writer, self._master.options, self._mode)
        handler.layer = modes.ReverseProxy(handler.layer.context)
        self._handlers[handler.client.id] = handler
        try:
            await handler.handle_client()
        finally:
            del self._handlers[handler.client.id]
            self._connection_tasks.discard(task)


async def start_harness(config: HarnessConfig, environ: Mapping[str, str] = os.environ) -> RunningHarness:
    """Validate the configuration, open the tape, bind the address; returns once connections are accepted.

    Args:
        environ: Where the variable named by ``upstream.api_key_env`` is looked up, at each request.

    Raises:
        InvalidConfigError: The configuration cannot be used.
        ModeNotYetImplementedError: ``mode`` is ``verify``, which is a command and not a server.
        CassetteNotFoundError, InvalidCassetteError, UnsupportedCassetteFormatVersionError: The tape cannot be used.
        HarnessIOError: The tape or the address cannot be opened.
    """
    if config.mode is Mode.VERIFY:
        raise ModeNotYetImplementedError("Verify")
    loop = asyncio.get_running_loop()
    assembled = await loop.run_in_executor(None, assemble, config, environ)
    harness = RunningHarness(config, assembled, _make_master(assembled.hooks, environ))
    try:
        await harness.listen()
    except BaseException:
        await harness.shutdown(grace=0)
        raise
    return harness


def _make_master(hooks: RecordHooks | ReplayHooks, environ: Mapping[str, str]) -> Master:
    settings: dict[str, object] = {"ssl_verify_upstream_trusted_ca": environ.get("SSL_CERT_FILE") or None}
    if isinstance(hooks, RecordHooks):
        settings["tcp_timeout"] = hooks.longest_silence_s
    return make_master(hooks, **settings)
