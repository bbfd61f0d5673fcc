"""The synchronous twin: from any thread, several at once, nothing left behind."""

from __future__ import annotations

import gc
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mitmproxy import ctx

from scripts.stub_upstream import StubUpstream
from spycatcher_addon import CassetteNotFoundError, start_harness_sync
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.edge.tape_writing import CassetteWriter
from tests.support.cli import FAKE_KEY
from tests.support.in_process import KEY_VARIABLE, record_config, replay_config
from tests.support.raw_http import encode_json_request, exchange
from tests.support.tape_samples import HASHING

ENVIRON = {KEY_VARIABLE: FAKE_KEY}


def ask(addr: object, text: str) -> bytes:
    host, port = addr.host, addr.port  # type: ignore[attr-defined]
    return exchange((host, port), encode_json_request({"model": "stub", "messages": [{"role": "user", "content": text}]})).body


def own_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("spycatcher")]


def test_record_and_replay_in_plain_code(tmp_path: Path, upstream: StubUpstream) -> None:
    with start_harness_sync(record_config(tmp_path, upstream.base_url), ENVIRON) as recorder:
        assert recorder.cassette_path == str(tmp_path / "tape.json")
        assert recorder.base_url == f"http://{recorder.addr}/v1"
        assert recorder.notices == ()
        recorded = ask(recorder.addr, "a")
    assert recorder.stats.recorded == 1
    replay = start_harness_sync(replay_config(tmp_path))
    assert ask(replay.addr, "a") == recorded
    replay.shutdown(grace=0)
    replay.shutdown()
    assert (replay.stats.matched, replay.stats.unused) == (1, ())
    assert own_threads() == []


def test_a_failed_start_raises_the_typed_error_and_leaves_no_thread(tmp_path: Path) -> None:
    with pytest.raises(CassetteNotFoundError):
        start_harness_sync(replay_config(tmp_path))
    assert own_threads() == []


def test_several_in_threads_at_once_answer_for_themselves(tmp_path: Path, upstream: StubUpstream) -> None:
    before = dict(vars(ctx))

    def life(name: str) -> tuple[bytes, bytes]:
        folder = tmp_path / name
        folder.mkdir()
        with start_harness_sync(record_config(folder, upstream.base_url), ENVIRON) as recorder:
            recorded = ask(recorder.addr, name)
        with start_harness_sync(replay_config(folder)) as replay:
            replayed = ask(replay.addr, name)
        assert (recorder.stats.recorded, replay.stats.matched, replay.stats.mismatched) == (1, 1, 0)
        assert len(read_cassette(folder / "tape.json").cassette.interactions) == 1
        return recorded, replayed

    names = [f"harness {number}" for number in range(8)]
    with ThreadPoolExecutor(len(names)) as pool:
        for name, (recorded, replayed) in zip(names, pool.map(life, names), strict=True):
            assert name.encode() in recorded
            assert replayed == recorded
    assert own_threads() == []
    assert dict(vars(ctx)) == before, "what mitmproxy's context held before is back"


def test_two_threads_may_stop_the_same_harness(tmp_path: Path, upstream: StubUpstream) -> None:
    harness = start_harness_sync(record_config(tmp_path, upstream.base_url), ENVIRON)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: harness.shutdown(), range(2)))
    CassetteWriter.open(harness.cassette_path, HASHING).close()
    assert own_threads() == []


def test_a_lost_handle_warns_once_and_its_harness_stops(tmp_path: Path, upstream: StubUpstream) -> None:
    config = record_config(tmp_path, upstream.base_url)
    harness = start_harness_sync(config, ENVIRON)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del harness
        gc.collect()
        for thread in threading.enumerate():
            if thread.name.startswith("spycatcher"):
                thread.join(10)
        gc.collect()
    assert ["lost without a shutdown" in str(warning.message) for warning in caught] == [True]
    CassetteWriter.open(config.cassette_path, HASHING).close()
