"""One tape under a record mode, its hooks driven by hand."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import http
from mitmproxy.proxy.server_hooks import ServerConnectionHookData
from mitmproxy.test import tflow, tutils

from spycatcher_addon.config import HarnessConfig, RecordMode
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.edge.tape_run import TapeRun
from spycatcher_addon.edge.tape_writing import CassetteWriter
from tests.support.cli import FAKE_KEY
from tests.support.in_process import KEY_VARIABLE, TAPE_NAME, record_config
from tests.support.tape_samples import HASHING, sample_interaction

ENVIRON = {KEY_VARIABLE: FAKE_KEY}


def config_for(folder: Path) -> HarnessConfig:
    return record_config(folder, "http://127.0.0.1:9/v1")


def write_tape(folder: Path, *numbers: int) -> None:
    with CassetteWriter.open(folder / TAPE_NAME, HASHING) as writer:
        for number in numbers:
            writer.append(sample_interaction(number))


def flow_with(body: bytes, path: bytes = b"/v1/chat/completions") -> http.HTTPFlow:
    headers = http.Headers(((b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))))
    return tflow.tflow(req=tutils.treq(method=b"POST", path=path, headers=headers, content=body))


def question(number: int) -> bytes:
    return sample_interaction(number).request.body


def ask(run: TapeRun, body: bytes, **more: Any) -> http.HTTPFlow:
    flow = flow_with(body, **more)
    run.requestheaders(flow)
    run.request(flow)
    return flow


async def answer(run: TapeRun, flow: http.HTTPFlow, body: bytes = b'{"from": "upstream"}') -> None:
    flow.response = tutils.tresp(status_code=200, content=body)
    run.responseheaders(flow)
    await run.response(flow)


def test_a_known_request_is_answered_and_a_new_one_goes_upstream(tmp_path: Path) -> None:
    write_tape(tmp_path, 1)
    run = TapeRun.open(config_for(tmp_path), RecordMode.NEW_EPISODES, ENVIRON)

    async def use() -> None:
        known = ask(run, question(1))
        assert known.response is not None and known.response.status_code == 200
        assert isinstance(run.hooks_of(known), ReplayHooks)
        new = ask(run, question(2))
        assert new.response is None and new.request.host == "127.0.0.1" and new.request.port == 9
        assert isinstance(run.hooks_of(new), RecordHooks)
        waiting = asyncio.create_task(run.wait_for_exchanges(20))
        await asyncio.sleep(0)
        assert not waiting.done()
        await answer(run, new)
        await waiting
        await run.wait_for_exchanges(0)

    asyncio.run(use())
    assert run.report().verdict is None
    run.finish(True)
    run.finish(False)
    report = run.report()
    assert (report.has_replayed, report.has_recorded, report.refusals) == (True, True, ())
    assert report.verdict is not None and report.verdict.is_kept
    assert (report.stats.matched, report.stats.mismatched, report.stats.recorded, report.stats.interactions) == (1, 0, 1, 2)
    assert [interaction.request.body for interaction in read_cassette(tmp_path / TAPE_NAME).cassette.interactions] == [
        question(1),
        question(2),
    ]


@pytest.mark.parametrize("mode", [RecordMode.REPLAY, RecordMode.ONCE])
def test_a_replay_refuses_what_it_does_not_know(tmp_path: Path, mode: RecordMode) -> None:
    write_tape(tmp_path, 1)
    run = TapeRun.open(config_for(tmp_path), mode, ENVIRON)
    statuses = []
    for flow in (ask(run, question(2)), ask(run, b"{"), ask(run, question(1), path=b"/v1/models"), ask(run, question(1))):
        assert flow.response is not None
        statuses.append(flow.response.status_code)
    assert statuses == [409, 400, 404, 200]
    report = run.report()
    assert [refusal.kind for refusal in report.refusals] == ["request_mismatch", "malformed_json", "not_found"]
    assert "question 1" in report.refusals[0].message and "question 2" in report.refusals[0].message
    assert (report.stats.mismatched, report.stats.unused, report.verdict) == (1, (), None)


def test_refusals_are_kept_up_to_a_limit(tmp_path: Path) -> None:
    write_tape(tmp_path, 1)
    run = TapeRun.open(config_for(tmp_path), RecordMode.REPLAY, ENVIRON)
    for _ in range(60):
        ask(run, question(2))
    assert (len(run.report().refusals), run.report().stats.mismatched) == (50, 60)


def test_nothing_is_kept_of_a_run_that_failed(tmp_path: Path) -> None:
    run = TapeRun.open(config_for(tmp_path), RecordMode.ONCE, ENVIRON)

    async def use() -> None:
        await answer(run, ask(run, question(2)))

    asyncio.run(use())
    run.finish(False)
    verdict = run.report().verdict
    assert verdict is not None and (verdict.is_kept, verdict.reason) == (False, "the run did not succeed")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_exchange_is_over_too(tmp_path: Path) -> None:
    run = TapeRun.open(config_for(tmp_path), RecordMode.ALL, ENVIRON)

    async def use() -> None:
        flow = ask(run, question(2))
        flow.error = tflow.terr()
        await run.error(flow)
        await run.wait_for_exchanges(0)

    asyncio.run(use())
    run.finish(True)
    assert run.report().stats.failed == 1


def test_waiting_for_an_exchange_ends_with_the_grace(tmp_path: Path) -> None:
    run = TapeRun.open(config_for(tmp_path), RecordMode.ALL, ENVIRON)

    async def use() -> None:
        ask(run, question(2))
        await run.wait_for_exchanges(0.01)

    asyncio.run(use())
    run.finish(False)


def test_only_the_upstream_of_a_waiting_exchange_may_be_dialled(tmp_path: Path) -> None:
    write_tape(tmp_path, 1)
    run = TapeRun.open(config_for(tmp_path), RecordMode.NEW_EPISODES, ENVIRON)

    def allows(flow: http.HTTPFlow, port: int = 9) -> bool:
        server = tflow.tserver_conn()
        server.address = ("127.0.0.1", port)
        data = ServerConnectionHookData(server, flow.client_conn)
        allowed = run.is_upstream_of(data)
        assert data.server.error is None, "the decision is the switch's"
        return allowed

    replayed = ask(run, question(1))
    assert not allows(replayed)
    waiting = ask(run, question(2))
    waiting.client_conn.id = "another client"
    assert allows(waiting) and not allows(waiting, port=10) and not allows(replayed)
    run.finish(False)


def test_off_keeps_nothing_and_needs_no_folder(tmp_path: Path) -> None:
    run = TapeRun.open(config_for(tmp_path / "none"), RecordMode.OFF, ENVIRON)

    async def use() -> None:
        await answer(run, ask(run, question(2)))

    asyncio.run(use())
    run.finish(True)
    report = run.report()
    assert (report.has_replayed, report.has_recorded, report.verdict, report.stats.recorded) == (False, False, None, 1)
    assert json.dumps(report.mode) == '"off"'
    assert list(tmp_path.iterdir()) == []
