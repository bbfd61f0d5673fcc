"""Stories on flows, and the list kept short; tests/integration/test_watching.py has them in a running mitmweb."""

from __future__ import annotations

import logging

import pytest
from mitmproxy import contentviews
from mitmproxy.addons.view import View
from mitmproxy.contentviews import Metadata
from mitmproxy.test import taddons, tflow

from spycatcher_addon.edge.flow_stories import ChatView, FlowKeeper, put_story
from spycatcher_addon.watching.story import not_recorded


def test_a_story_is_a_comment_and_a_mark() -> None:
    flow = tflow.tflow()
    put_story(flow, not_recorded("why"))
    assert (flow.comment, flow.marked) == ("not recorded: why", ":scissors:")


def test_the_oldest_flows_leave_the_list_unless_they_are_under_way(caplog: pytest.LogCaptureFixture) -> None:
    view = View()
    with taddons.context(view):
        keeper = FlowKeeper(view, 2)
        flows = [tflow.tflow() for _ in range(5)]
        for flow in flows:
            flow.live = flow is flows[1]
            view.requestheaders(flow)  # type: ignore[no-untyped-call]
            keeper.requestheaders(flow)
        assert list(view) == [flows[1], flows[4]]
        flows[1].live = False
        again = tflow.tflow()
        again.is_replay = "request"
        keeper.requestheaders(again)
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [record.getMessage() for record in warnings] == [
        "the list is full: older exchanges leave it, and stay on the cassette (ui.keep): 2"
    ]


def test_the_chat_view_is_chosen_for_the_endpoints_of_the_harness_only() -> None:
    flow = tflow.tflow(resp=True)
    view = ChatView({flow: not_recorded("why")})
    assert isinstance(view, contentviews.Contentview)
    assert (view.name, view.syntax_highlight) == ("LLM chat", "none")
    flow.request.path = "/api/v1/chat/completions?a=1"
    assert view.render_priority(b"", Metadata(flow=flow, http_message=flow.request)) == 2
    flow.request.path = "/v1/models"
    assert view.render_priority(b"", Metadata(flow=flow, http_message=flow.request)) < 0
    assert view.render_priority(b"", Metadata(flow=tflow.ttcpflow())) < 0
    assert view.render_priority(b"", Metadata(flow=flow)) < 0


def test_the_chat_view_shows_both_sides() -> None:
    flow = tflow.tflow(resp=True)
    view = ChatView({flow: not_recorded("why")})
    assert view.prettify(b'{"model": "m"}', Metadata(flow=flow, http_message=flow.request)) == "not recorded: why\n\nmodel: m\n"
    assert "answer from the upstream, not on the cassette" in view.prettify(b"{}", Metadata(flow=flow, http_message=flow.response))
    assert view.prettify(b'{"model": "m"}', Metadata()) == "model: m\n"
