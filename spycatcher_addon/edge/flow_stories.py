"""Stories put on flows: the comment, the mark, the content view; and the list of flows kept short."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping

from mitmproxy import contentviews, http
from mitmproxy.addons.view import View
from mitmproxy.hooks import UpdateHook
from mitmproxy.master import Master

from spycatcher_addon.edge.watched import WatchedHooks
from spycatcher_addon.protocols import PROTOCOLS
from spycatcher_addon.watching.chat_text import request_text, response_text
from spycatcher_addon.watching.story import Story

logger = logging.getLogger("spycatcher_addon")

COLUMNS = ("icon", "path", "status", "size", "time", "comment")
"""What mitmweb's list shows of a flow."""

_ABOVE_ALL_OTHERS = 2.0


class FlowKeeper:
    """Takes the oldest flows out of the list, so that a long recording does not fill the memory."""

    name = "spycatcher-flow-keeper"

    def __init__(self, view: View, keep: int) -> None:
        """
        Args:
            keep: How many flows stay; those under way always do.
        """
        self._view = view
        self._keep = keep
        self._order: deque[http.HTTPFlow] = deque()
        self._has_said_so = False

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """A flow has come into the list."""
        if flow.is_replay:
            return
        self._order.append(flow)
        for _ in range(len(self._order) - self._keep):
            oldest = self._order.popleft()
            if oldest.live:
                self._order.append(oldest)
                continue
            self._view.remove([oldest])
            if not self._has_said_so:
                self._has_said_so = True
                logger.warning("the list is full: older exchanges leave it, and stay on the cassette (ui.keep): %d", self._keep)


class ChatView(contentviews.Contentview):
    """The content view that shows an exchange as a conversation."""

    def __init__(self, stories: Mapping[http.HTTPFlow, Story]) -> None:
        self._stories = stories

    @property
    def name(self) -> str:
        return "LLM chat"

    def prettify(self, data: bytes, metadata: contentviews.Metadata) -> str:
        flow, message = metadata.flow, metadata.http_message
        story = self._stories.get(flow) if isinstance(flow, http.HTTPFlow) else None
        if isinstance(message, http.Response):
            return response_text(tuple(message.headers.items(multi=True)), message.status_code, data, story)
        return request_text(data, story)

    def render_priority(self, data: bytes, metadata: contentviews.Metadata) -> float:
        flow = metadata.flow
        if not isinstance(flow, http.HTTPFlow) or metadata.http_message is None:
            return -1
        path = flow.request.path.partition("?")[0]
        return _ABOVE_ALL_OTHERS if any(path.endswith(protocol.upstream_path) for protocol in PROTOCOLS) else -1


def put_story(flow: http.HTTPFlow, story: Story) -> None:
    """Put a story on its flow."""
    flow.comment, flow.marked = story.comment, story.mark


def watch_flows(master: Master, view: View, hooks: WatchedHooks, keep: int) -> tuple[object, ...]:
    """Connect hooks with a list of flows; gives the add-ons that this takes."""
    hooks.on_story = put_story
    hooks.on_change = lambda flow: master.addons.trigger(UpdateHook([flow]))
    contentviews.add(ChatView(hooks.stories))
    return (FlowKeeper(view, keep),)
