"""Sending the request of a flow once more, through the harness's own lane, with what was covered in it."""

from __future__ import annotations

import logging

from mitmproxy import http
from mitmproxy.addons.clientplayback import MockServer, ReplayHandler
from mitmproxy.connection import ConnectionState
from mitmproxy.options import Options
from mitmproxy.proxy.layers.http import HTTPMode

from spycatcher_addon.edge.lanes import HarnessHttpLayer
from spycatcher_addon.edge.watched import WatchedHooks

logger = logging.getLogger("spycatcher_addon")


def why_not(flow: object) -> str | None:
    """Why a flow cannot be sent once more; ``None`` where it can."""
    if not isinstance(flow, http.HTTPFlow) or flow.websocket is not None:
        return "only HTTP exchanges can be sent once more"
    if flow.live or flow.intercepted:
        return "the exchange is still under way"
    if flow.request.raw_content is None:
        return "the body of the request is missing"
    return None


class ResendHandler(ReplayHandler):
    """A made-up client connection that sends one request and reads its answer."""

    def __init__(self, flow: http.HTTPFlow, options: Options, hooks: WatchedHooks) -> None:
        super().__init__(flow, options)
        self._hooks = hooks
        context = self.layer.context
        self.layer = HarnessHttpLayer(context, HTTPMode.transparent, hooks)
        self.layer.connections[context.client] = MockServer(flow, context.fork())
        flow.client_conn = context.client

    async def replay(self) -> None:
        """Send, and wait for the end; what went wrong stands in the flow and in the log."""
        try:
            # Nobody else has a turn between this and the first step of the layer, which covers the flow again.
            self._hooks.veil.prepare_again(self.flow.request)
            await super().replay()
        except Exception as error:
            logger.error("the request could not be sent once more (%s)", type(error).__name__)
            logger.debug("the request could not be sent once more", exc_info=True)
        finally:
            self.flow.client_conn.state = ConnectionState.CLOSED
            for timer in self.wakeup_timer:
                timer.cancel()
