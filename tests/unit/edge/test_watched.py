"""The watched hooks by themselves; tests/integration/test_watching.py has them over real sockets."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from mitmproxy import http
from mitmproxy.test import tflow

from spycatcher_addon.cassette import encode_cassette
from spycatcher_addon.config import UiConfig
from spycatcher_addon.edge.assembly import assemble
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from spycatcher_addon.edge.watched import WatchedHooks, WatchedRecordHooks, WatchedReplayHooks, masker_source
from spycatcher_addon.watching.masking import MASK
from spycatcher_addon.watching.story import Outcome
from tests.support.cli import FAKE_KEY
from tests.support.in_process import KEY_VARIABLE, TAPE_NAME, record_config, replay_config
from tests.support.tool_samples import cassette, plain

ENVIRON = {KEY_VARIABLE: FAKE_KEY}


@pytest.fixture
def replay(tmp_path: Path) -> WatchedReplayHooks:
    (tmp_path / TAPE_NAME).write_bytes(encode_cassette(cassette(plain("Hi?"), plain("Ho?", number=1))))
    hooks = assemble(replay_config(tmp_path), {}, is_watched=True).hooks
    assert isinstance(hooks, WatchedReplayHooks)
    return hooks


def asking(question: str, path: str = "/v1/chat/completions") -> http.HTTPFlow:
    flow = tflow.tflow()
    flow.request.method, flow.request.path = "POST", path
    flow.request.headers.clear()
    flow.request.headers["authorization"] = "Bearer fake"
    flow.request.raw_content = json.dumps({"model": "m-1", "messages": [{"role": "user", "content": question}]}).encode()
    return flow


def test_only_watched_hooks_want_flows(tmp_path: Path) -> None:
    (tmp_path / TAPE_NAME).write_bytes(encode_cassette(cassette(plain())))
    usual = assemble(replay_config(tmp_path), {}).hooks
    watched = assemble(replay_config(tmp_path), {}, is_watched=True).hooks
    assert (type(usual), usual.wants_flows) == (ReplayHooks, False)
    assert (type(watched), watched.wants_flows) == (WatchedReplayHooks, True)
    recorder = assemble(record_config(tmp_path / "new", "http://127.0.0.1:1/v1"), ENVIRON, is_watched=True)
    assert isinstance(recorder.hooks, WatchedRecordHooks)
    recorder.close(True)
    usual_recorder = assemble(record_config(tmp_path / "new", "http://127.0.0.1:1/v1"), ENVIRON)
    assert type(usual_recorder.hooks) is RecordHooks
    usual_recorder.close(True)


def test_a_replayed_flow_has_its_story_and_no_secret(replay: WatchedReplayHooks) -> None:
    flow = asking("Hi?")
    replay.cover(flow)
    replay.requestheaders(flow)
    replay.request(flow)
    assert flow.response is not None
    assert (flow.response.status_code, replay.stories[flow].comment.split(" · ")[0]) == (200, "replayed #0")
    assert flow.request.headers["authorization"] == MASK.decode()
    assert (flow.request.host, flow.request.port) == flow.client_conn.sockname[:2]
    assert flow.request.headers["host"] == f"{flow.request.host}:{flow.request.port}"


def test_an_address_of_ipv6_is_written_in_brackets(replay: WatchedReplayHooks) -> None:
    flow = asking("Hi?")
    flow.client_conn.sockname = ("::1", 5, 0, 0)
    replay.requestheaders(flow)
    assert flow.request.headers["host"] == "[::1]:5"
    flow.client_conn.sockname = ("", 0)
    flow.is_replay = "request"
    replay.requestheaders(flow)
    assert flow.request.headers["host"] == "[::1]:5"


def test_a_flow_sent_once_more_changes_nothing_unless_it_counts(replay: WatchedReplayHooks) -> None:
    first = asking("Hi?")
    replay.request(first)
    first.is_replay, first.response = "request", None
    replay.request(first)
    assert (replay.stories[first].outcome, replay.session.unused()) == (Outcome.RESENT, (1,))
    replay.counted.add(first)
    first.response = None
    replay.request(first)
    assert (replay.stories[first].outcome, replay.session.counts.mismatched) == (Outcome.MISMATCH, 1)


def test_answers_of_the_harness_are_told(replay: WatchedReplayHooks) -> None:
    flow = asking("Hi?", path="/v1/models")
    replay.request(flow)
    assert replay.stories[flow].comment == "answered by the harness: 404 not_found"


def test_a_story_that_cannot_be_told_harms_nobody(replay: WatchedReplayHooks) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    replay.on_story = fail
    flow = asking("Hi?")
    replay.request(flow)
    assert flow.response is not None
    assert flow.response.status_code == 200


def test_the_masks_follow_the_environment(tmp_path: Path) -> None:
    environ = {KEY_VARIABLE: "fake-value-one"}
    config = record_config(tmp_path, "http://127.0.0.1:1/v1")
    masker = masker_source(config, environ)
    assert masker() is masker()
    assert masker().body(b"a fake-value-one", ())[0] == b"a [redacted:env:1]"
    environ[KEY_VARIABLE] = "fake-value-two"
    assert masker().body(b"a fake-value-one", ())[0] == b"a fake-value-one"
    assert masker().body(b"a fake-value-two", ())[0] == b"a [redacted:env:1]"
    unmasked = masker_source(config.model_copy(update={"ui": UiConfig(mask_secrets=False)}), environ)
    assert unmasked().body(b"a fake-value-two", ())[0] == b"a fake-value-two"


def test_a_refused_request_of_a_recording_is_told(tmp_path: Path) -> None:
    assembled = assemble(record_config(tmp_path, "http://127.0.0.1:1/v1"), {}, is_watched=True)
    hooks = assembled.hooks
    assert isinstance(hooks, WatchedHooks)
    assert isinstance(hooks, WatchedRecordHooks)
    flow = asking("Hi?")
    hooks.requestheaders(flow)
    hooks.request(flow)
    assert hooks.stories[flow].comment == "answered by the harness: 502 upstream_credentials_missing"
    hooks.responseheaders(flow)
    asyncio.run(hooks.response(flow))
    assert hooks.stories[flow].comment == "answered by the harness: 502 upstream_credentials_missing"
    assembled.close(True)


def test_the_outbound_request_is_covered_and_real_underneath(tmp_path: Path) -> None:
    assembled = assemble(record_config(tmp_path, "http://127.0.0.1:9/api/v1"), ENVIRON, is_watched=True)
    hooks = assembled.hooks
    assert isinstance(hooks, WatchedRecordHooks)
    flow = asking("Hi?")
    flow.client_conn.timestamp_end = None
    hooks.requestheaders(flow)
    hooks.request(flow)
    assert flow.response is None
    assert flow.request.url == "http://127.0.0.1:9/api/v1/chat/completions"
    assert flow.request.headers["authorization"] == MASK.decode()
    hooks.lift(flow)
    assert flow.request.headers["authorization"] == f"Bearer {FAKE_KEY}"
    assembled.close(True)
