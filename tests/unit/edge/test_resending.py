"""Which flows can be sent once more; tests/integration/test_watching.py sends them."""

from __future__ import annotations

import pytest
from mitmproxy.test import tflow

from spycatcher_addon.edge.resending import why_not


def test_a_finished_exchange_can_be_sent_once_more() -> None:
    assert why_not(tflow.tflow(resp=True, live=False)) is None


@pytest.mark.parametrize(("attribute", "value"), [("live", True), ("intercepted", True)])
def test_one_under_way_cannot(attribute: str, value: bool) -> None:
    flow = tflow.tflow(resp=True, live=False)
    setattr(flow, attribute, value)
    assert why_not(flow) == "the exchange is still under way"


def test_one_without_its_body_cannot() -> None:
    flow = tflow.tflow(resp=True, live=False)
    flow.request.raw_content = None
    assert why_not(flow) == "the body of the request is missing"


def test_nothing_but_http_can() -> None:
    assert why_not(tflow.ttcpflow()) == "only HTTP exchanges can be sent once more"
    assert why_not(tflow.twebsocketflow()) == "only HTTP exchanges can be sent once more"
