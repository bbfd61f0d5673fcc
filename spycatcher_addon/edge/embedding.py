"""A mitmproxy master without mitmproxy's ``run``: only the add-ons a reverse proxy needs, and no trace left in the process.

The constructor of ``Master`` sets ``mitmproxy.ctx`` and installs a log handler on the root logger. The handler is removed
at once. ``ctx`` has to be set while connections live, because two of mitmproxy's own add-ons read options from it; every
harness sets the same values there, and what it held before the first one is put back after the last.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from mitmproxy import ctx, http, master, options
from mitmproxy.addons.next_layer import NextLayer
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.addons.tlsconfig import TlsConfig
from mitmproxy.proxy import layer

logger = logging.getLogger("spycatcher_addon")

_CTX_NAMES = ("master", "log", "options")
_lock = threading.Lock()
_living = 0
_before: dict[str, Any] = {}


def make_master(*addons: object, **settings: object) -> master.Master:
    """Make a master with ``addons`` after mitmproxy's own; needs a running event loop. Pair it with :func:`end_master`.

    Args:
        settings: mitmproxy options by name.
    """

    def prepare(made: master.Master) -> None:
        tls = _TlsWithoutRequests()
        made.addons.add(Proxyserver(), NextLayer(), tls, CertificatesOnDemand(tls), *addons)
        made.options.update(connection_strategy="lazy", **settings)

    return found_master(lambda: master.Master(options.Options()), prepare)


def found_master[M: master.Master](make: Callable[[], M], prepare: Callable[[M], None]) -> M:
    """Make a master of any kind, remembering what was there before; pair it with :func:`end_master`.

    Args:
        prepare: Adds to it what it needs.
    """
    global _living, _before
    with _lock:
        if _living == 0:
            _before = {name: getattr(ctx, name) for name in _CTX_NAMES if hasattr(ctx, name)}
        _living += 1
    try:
        made = make()
        made._legacy_log_events.uninstall()
        prepare(made)
    except BaseException:
        _forget()
        raise
    return made


async def end_master(ended: master.Master) -> None:
    """Let the add-ons finish, and put ``mitmproxy.ctx`` back after the last master."""
    try:
        await ended.done()
    finally:
        _forget()


def abandon_master() -> None:
    """Put ``mitmproxy.ctx`` back where no event loop is left for the add-ons to finish on."""
    _forget()


def _forget() -> None:
    global _living
    with _lock:
        _living -= 1
        if _living:
            return
        for name in _CTX_NAMES:
            if name in _before:
                setattr(ctx, name, _before[name])
            elif hasattr(ctx, name):
                delattr(ctx, name)
        _before.clear()


class _TlsWithoutRequests(TlsConfig):
    """mitmproxy's TLS add-on without its own answers to requests: it serves a revocation list, for which it needs certificates."""

    def request(self, flow: http.HTTPFlow) -> None:
        """Leave every request to the harness."""


class CertificatesOnDemand:
    """Prepares mitmproxy's certificate authority when the first TLS client comes: making or reading it takes a while.

    It lives in a folder of the home directory. Where that cannot be used, only TLS clients are lost.
    """

    def __init__(self, tls: TlsConfig) -> None:
        self._tls = tls

    def next_layer(self, next_layer: layer.NextLayer) -> None:
        """Notice a TLS client: a record (RFC 8446 section 5.1) opens with type 22 and version 3."""
        if self._tls.certstore is not None or next_layer.data_client()[:2] != b"\x16\x03":
            return
        try:
            self._tls.configure({"confdir"})
        except (OSError, ValueError) as error:
            logger.error("a TLS client cannot be served: the certificate folder below the home directory is unusable: %s", error)
