"""Flows as interactions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mitmproxy import http
from mitmproxy.io import FlowWriter
from mitmproxy.test import tflow

from spycatcher_addon.cassette.model import NonStreamResponse
from spycatcher_addon.config import HarnessConfig, MatchingConfig
from spycatcher_addon.edge.flow_import import interactions_of_file, interactions_of_flows
from spycatcher_addon.exchange import ReplayResponse
from spycatcher_addon.watching.story import answered, recorded
from tests.support.tool_samples import plain

KEY = "sk-fake0123456789abcdef0123456789abcdef"
CONFIG = HarnessConfig()


def chat() -> http.HTTPFlow:
    flow = tflow.tflow(resp=True)
    flow.request.method, flow.request.path = "POST", "/api/v1/chat/completions"
    flow.request.headers["authorization"] = f"Bearer {KEY}"
    flow.request.raw_content = json.dumps({"model": "m", "messages": [], "note": KEY}).encode()
    assert flow.response is not None
    flow.response.raw_content = b'{"choices": []}'
    return flow


def test_a_flow_becomes_an_interaction_without_secrets() -> None:
    ((interaction,), reasons) = interactions_of_flows([chat()], {}, CONFIG, {})
    assert reasons == []
    assert interaction.request.path == "/v1/chat/completions"
    assert KEY not in repr(interaction)
    assert interaction.request.stable_hash is not None
    assert interaction.metadata.upstream_id == "address"
    assert interaction.metadata.duration_ms is not None
    assert isinstance(interaction.response, NonStreamResponse)


def test_a_story_knows_better_than_what_is_shown() -> None:
    flow, made_up = chat(), chat()
    stories = {flow: recorded(0, plain()), made_up: answered(ReplayResponse(404, (), (), error_kind="not_found"), None)}
    interactions, reasons = interactions_of_flows([flow, made_up], stories, CONFIG, {})
    assert interactions == [plain()]
    assert reasons == ["answered by the harness: 404 not_found: the answer was made by the harness"]


def test_what_cannot_be_an_interaction_says_why() -> None:
    unfinished, broken, bodiless, other, odd = (chat() for _ in range(5))
    unfinished.response = None
    broken.error = tflow.terr()
    bodiless.request.raw_content = None
    other.request.path = "/v1/models?key=1"
    assert odd.response is not None
    odd.response.status_code = 99
    found, reasons = interactions_of_flows([unfinished, broken, bodiless, other, odd, tflow.tudpflow()], {}, CONFIG, {})
    assert found == []
    assert [reason.rpartition(": ")[2].partition(" (")[0] for reason in reasons] == [
        "no whole answer",
        "no whole answer",
        "the body is missing",
        "another endpoint",
        "no whole answer",
        "a udp connection, which is no HTTP exchange",
    ]
    assert "key=1" not in reasons[3]


def test_an_ignore_path_that_does_not_fit_is_a_reason() -> None:
    config = HarnessConfig(matching=MatchingConfig(ignore_paths=("/messages/x",)))
    found, reasons = interactions_of_flows([chat()], {}, config, {})
    assert found == []
    assert "messages" in reasons[0]


def test_a_damaged_dump_gives_what_was_whole(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    with path.open("wb") as file:
        FlowWriter(file).add(chat())
    path.write_bytes(path.read_bytes() + b"5:abc")
    interactions, reasons = interactions_of_file(str(path), CONFIG, {})
    assert len(interactions) == 1
    assert reasons[0].startswith("the rest of the file, which is damaged")


@pytest.mark.parametrize("content", ["neither", "{"])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "file").write_text(content)
    with pytest.raises(ValueError, match="HAR file"):
        interactions_of_file(str(tmp_path / "file"), CONFIG, {})
