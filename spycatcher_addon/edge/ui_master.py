"""mitmweb and mitmproxy's console around our own listener: every add-on of theirs, but neither their sockets nor their start.

Only the listener of the harness takes connections, so that its address, its limits and its stop are the same with a UI as
without one. The user's own mitmproxy configuration is not read: it could change what is recorded.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping
from typing import Any

import argon2
import tornado.httpserver
import tornado.ioloop
from mitmproxy import master, options
from mitmproxy.addons.tlsconfig import TlsConfig
from mitmproxy.addons.view import View
from mitmproxy.tools.console.master import ConsoleMaster
from mitmproxy.tools.web import app
from mitmproxy.tools.web.master import WebMaster

from spycatcher_addon.config import HarnessConfig, UiKind
from spycatcher_addon.edge.assembly import Assembled
from spycatcher_addon.edge.embedding import CertificatesOnDemand, found_master
from spycatcher_addon.edge.flow_stories import COLUMNS, watch_flows
from spycatcher_addon.edge.ui_commands import HarnessCommands
from spycatcher_addon.edge.watched import WatchedHooks
from spycatcher_addon.errors import HarnessIOError

_PAGE_HOST = "127.0.0.1"
_STYLE = (
    b"<style>.flow-table .col-comment { width: 45%; } "
    b".contentview pre { white-space: pre-wrap; word-break: normal; overflow-wrap: anywhere; }</style>"
)
_PAGE_BUFFER_BYTES = 2**32
"""What mitmweb itself allows for uploads."""


class _Index(app.IndexHandler):
    """mitmweb's page with more room for the comments, where the stories stand, and with long lines wrapped."""

    def render(self, template_name: str, **arguments: Any) -> Any:
        page = self.render_string(template_name, **arguments)
        return self.finish(page.replace(b"</head>", _STYLE + b"</head>"))


class PageMaster(WebMaster):
    """mitmweb whose page is closed again, and whose port may be chosen by the system."""

    view: View
    _page: tornado.httpserver.HTTPServer | None = None

    async def running(self) -> None:
        """Open the page.

        Raises:
            HarnessIOError: Its address cannot be bound.
        """
        tornado.ioloop.IOLoop.current()
        port = self.options.web_port
        try:
            listener = socket.create_server((_PAGE_HOST, port))
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise HarnessIOError(f"cannot open the page on {_PAGE_HOST}:{port}: {reason}; choose another --ui-port or port 0") from error
        listener.setblocking(False)
        self.options.update(web_port=listener.getsockname()[1])
        self.app.add_handlers(".*", [(r"/", _Index)])
        self._page = tornado.httpserver.HTTPServer(self.app, max_buffer_size=_PAGE_BUFFER_BYTES)
        self._page.add_socket(listener)
        await master.Master.running(self)

    async def done(self) -> None:
        """Close the page."""
        if self._page is not None:
            self._page.stop()
            # mitmweb keeps who looks at it in a set of the whole process, and would go on telling them.
            for watcher in [each for each in app.ClientConnection.connections if each.application is self.app]:
                watcher.close()
                watcher.on_close()
            await self._page.close_all_connections()
        await super().done()


class TerminalMaster(ConsoleMaster):
    """mitmproxy's console, whose end is safe also when it never began."""

    is_shown = False
    _silenced: tuple[logging.Handler, ...] = ()

    async def running(self) -> None:
        """Take over the terminal; what is logged goes to the console's own log, and not across its screen."""
        root = logging.getLogger()
        self._silenced = tuple(each for each in root.handlers if type(each) is logging.StreamHandler)
        for handler in self._silenced:
            root.removeHandler(handler)
        await super().running()
        self.is_shown = True

    async def done(self) -> None:
        """Give the terminal back."""
        for handler in self._silenced:
            logging.getLogger().addHandler(handler)
        if self.is_shown:
            await super().done()  # type: ignore[no-untyped-call]
        else:
            await master.Master.done(self)


def make_ui_master(config: HarnessConfig, assembled: Assembled, environ: Mapping[str, str]) -> PageMaster | TerminalMaster:
    """Make the master of the configured UI; needs a running event loop. Nothing is shown before its ``running``.

    Args:
        assembled: With watched hooks.
    """
    hooks = assembled.hooks
    assert isinstance(hooks, WatchedHooks), "asked for by whoever wants a UI"
    commands = HarnessCommands(config, assembled, environ)
    settings: dict[str, object] = {
        "command_history": False,  # it would be kept in the home directory
        "connection_strategy": "lazy",
        "keep_alt_svc_header": True,
        "onboarding": False,
        "server": False,
        "ssl_verify_upstream_trusted_ca": environ.get("SSL_CERT_FILE") or None,
        "store_streamed_bodies": True,
    }
    if assembled.longest_silence_s is not None:
        settings["tcp_timeout"] = assembled.longest_silence_s

    def prepare(made: PageMaster | TerminalMaster) -> None:
        tls = made.addons.get("tlsconfig")
        assert isinstance(tls, TlsConfig), "one of mitmproxy's own"
        # It would serve a list of revoked certificates, and for that make certificates at the start: a TLS client is soon enough.
        for hook in ("running", "request"):
            setattr(tls, hook, _leave_alone)
        made.addons.add(CertificatesOnDemand(tls), hooks, *watch_flows(made, made.view, hooks, config.ui.keep), commands)
        made.options.update(**settings)
        # Ends with a start-up of mitmproxy's own, which there is none of here.
        made.addons.get("errorcheck").finish()

    if config.ui.kind is UiKind.CONSOLE:
        return found_master(lambda: TerminalMaster(options.Options()), prepare)
    settings |= {"web_open_browser": False, "web_columns": list(COLUMNS), "web_port": config.ui.port, "web_host": _PAGE_HOST}
    if config.ui.password is not None:
        settings["web_password"] = _hashed(config.ui.password)
    return found_master(lambda: PageMaster(options.Options(), with_termlog=False), prepare)


def _leave_alone(*_: object) -> None:
    pass


def _hashed(password: str) -> str:
    """The password as its hash: mitmweb shows its own options to whoever has logged in, and warns of plain passwords."""
    return password if password.startswith("$") else argon2.PasswordHasher().hash(password)
