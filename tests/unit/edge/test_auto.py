"""``auto`` over sockets: each mode with and without a tape, and what is on the tape afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.stub_upstream import Reset, StubUpstream
from spycatcher_addon.choices import MatchMode
from spycatcher_addon.config import AutoConfig, HarnessConfig, Mode, RecordMode
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.errors import CassetteNotFoundError, InvalidCassetteError, InvalidConfigError
from tests.support.in_process import InProcessHarness, record_config
from tests.support.raw_http import RawResponse, encode_json_request, exchange
from tests.support.tape_samples import HASHING


def auto_config(folder: Path, mode: RecordMode, base_url: str, **settings: Any) -> HarnessConfig:
    return record_config(folder, base_url).model_copy(update={"mode": Mode.AUTO, "auto": AutoConfig(mode=mode), **settings})


def ask(harness: InProcessHarness, text: str, **more: Any) -> RawResponse:
    return exchange(harness.addr, encode_json_request({"model": "stub", "messages": [{"role": "user", "content": text}], **more}))


def record(folder: Path, upstream: StubUpstream, *texts: str) -> None:
    with InProcessHarness(record_config(folder, upstream.base_url)) as recorder:
        for text in texts:
            assert ask(recorder, text).status == 200


def questions(folder: Path) -> list[str]:
    interactions = read_cassette(folder / "tape.json").cassette.interactions
    return [json.loads(interaction.request.body)["messages"][0]["content"] for interaction in interactions]


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_once_records_a_missing_tape_and_then_replays_it(tmp_path: Path, upstream: StubUpstream) -> None:
    config = auto_config(tmp_path, RecordMode.ONCE, upstream.base_url)
    with InProcessHarness(config) as recorder:
        recorded = [ask(recorder, text).body for text in ("a", "b")]
        recorded.append(ask(recorder, "c", stream=True).body)
        assert files(tmp_path) != ["tape.json"], "not in its place yet"
    assert recorder.stats.recorded == recorder.stats.interactions == 3
    assert files(tmp_path) == ["tape.json"]
    seen = upstream.connection_count
    with InProcessHarness(config) as replay:
        assert [ask(replay, text).body for text in ("a", "b")] == recorded[:2]
        assert ask(replay, "new").status == 409
        assert ask(replay, "c", stream=True).body == recorded[2]
    assert (replay.stats.matched, replay.stats.mismatched, replay.stats.recorded) == (3, 1, 0)
    assert upstream.connection_count == seen
    assert questions(tmp_path) == ["a", "b", "c"]


def test_replay_never_connects_and_needs_no_upstream(tmp_path: Path, upstream: StubUpstream) -> None:
    config = auto_config(tmp_path, RecordMode.REPLAY, upstream.base_url).model_copy(update={"upstream": None})
    with pytest.raises(CassetteNotFoundError):
        InProcessHarness(config)
    record(tmp_path, upstream, "a")
    seen = upstream.connection_count
    with InProcessHarness(config) as replay:
        assert (ask(replay, "b").status, ask(replay, "a").status) == (409, 200)
    assert upstream.connection_count == seen


def test_new_episodes_asks_only_for_what_is_missing(tmp_path: Path, upstream: StubUpstream) -> None:
    record(tmp_path, upstream, "a", "b", "c")
    asked = len(upstream.requests)
    with InProcessHarness(auto_config(tmp_path, RecordMode.NEW_EPISODES, upstream.base_url)) as harness:
        for text in ("a", "new", "c", "new", "a"):
            assert ask(harness, text).status == 200
        assert ask(harness, "x", stream=True).chunks
    assert len(upstream.requests) == asked + 4
    stats = harness.stats
    assert (stats.matched, stats.mismatched, stats.recorded, stats.unused, stats.interactions) == (2, 0, 4, (1,), 7)
    # In the order of this run, so that a sequential replay of the same run works; then what it did not ask for.
    assert questions(tmp_path) == ["a", "new", "c", "new", "a", "x", "b"]
    assert files(tmp_path) == ["tape.json"]


def test_new_episodes_keeps_every_place_of_a_keyed_tape(tmp_path: Path, upstream: StubUpstream) -> None:
    record(tmp_path, upstream, "a", "b")
    config = auto_config(tmp_path, RecordMode.NEW_EPISODES, upstream.base_url, match_mode=MatchMode.KEYED)
    with InProcessHarness(config) as harness:
        for text in ("new", "b"):
            ask(harness, text)
    assert questions(tmp_path) == ["a", "b", "new"]


def test_new_episodes_without_anything_new_leaves_the_file_alone(tmp_path: Path, upstream: StubUpstream) -> None:
    record(tmp_path, upstream, "a")
    before = (tmp_path / "tape.json").stat().st_mtime_ns
    with InProcessHarness(auto_config(tmp_path, RecordMode.NEW_EPISODES, upstream.base_url)) as harness:
        ask(harness, "a")
    assert (tmp_path / "tape.json").stat().st_mtime_ns == before
    assert files(tmp_path) == ["tape.json"]


@pytest.mark.parametrize("mode", [RecordMode.ALL, RecordMode.REWRITE])
def test_recording_anew_replaces_the_tape_at_the_end(tmp_path: Path, upstream: StubUpstream, mode: RecordMode) -> None:
    record(tmp_path, upstream, "a", "b")
    before = (tmp_path / "tape.json").read_bytes()
    asked = len(upstream.requests)
    with InProcessHarness(auto_config(tmp_path, mode, upstream.base_url)) as harness:
        for text in ("c", "b"):
            ask(harness, text)
        assert (tmp_path / "tape.json").read_bytes() == before
    assert len(upstream.requests) == asked + 2
    assert questions(tmp_path) == ["c", "b"]
    assert files(tmp_path) == ["tape.json"]
    CassetteWriter.open(str(tmp_path / "tape.json"), HASHING).close()


@pytest.mark.parametrize(("mode", "expected"), [(RecordMode.ALL, ["c"]), (RecordMode.REWRITE, ["a"])])
def test_rewrite_wants_every_exchange_recorded(tmp_path: Path, upstream: StubUpstream, mode: RecordMode, expected: list[str]) -> None:
    record(tmp_path, upstream, "a")
    with InProcessHarness(auto_config(tmp_path, mode, upstream.base_url)) as harness:
        ask(harness, "c")
        upstream.script([Reset()])
        assert ask(harness, "d").status == 502
    assert questions(tmp_path) == expected
    assert files(tmp_path) == ["tape.json"]


def test_off_passes_through_and_touches_no_tape(tmp_path: Path, upstream: StubUpstream) -> None:
    record(tmp_path, upstream, "a")
    before = (tmp_path / "tape.json").read_bytes()
    asked = len(upstream.requests)
    with InProcessHarness(auto_config(tmp_path, RecordMode.OFF, upstream.base_url)) as harness:
        assert b"question" in ask(harness, "question").body
        assert ask(harness, "question", stream=True).chunks
    assert len(upstream.requests) == asked + 2
    assert upstream.requests[-1].header("authorization") is not None
    assert (tmp_path / "tape.json").read_bytes() == before
    assert files(tmp_path) == ["tape.json"]


def test_a_mode_that_may_record_needs_an_upstream_only_when_it_does(tmp_path: Path, upstream: StubUpstream) -> None:
    config = auto_config(tmp_path, RecordMode.ONCE, upstream.base_url).model_copy(update={"upstream": None})
    with pytest.raises(InvalidConfigError, match="upstream configuration is required"):
        InProcessHarness(config)
    assert files(tmp_path) == []
    record(tmp_path, upstream, "a")
    InProcessHarness(config).stop()


def test_a_damaged_tape_stops_every_mode_but_those_that_replace_it(tmp_path: Path, upstream: StubUpstream) -> None:
    (tmp_path / "tape.json").write_text("<<<<<<< HEAD\n")
    for mode in (RecordMode.REPLAY, RecordMode.ONCE, RecordMode.NEW_EPISODES):
        with pytest.raises(InvalidCassetteError):
            InProcessHarness(auto_config(tmp_path, mode, upstream.base_url))
        assert files(tmp_path) == ["tape.json"]
    with InProcessHarness(auto_config(tmp_path, RecordMode.ALL, upstream.base_url)) as harness:
        assert "it will be replaced" in harness.running.notices[0]
        ask(harness, "a")
    assert questions(tmp_path) == ["a"]


def test_a_run_that_asks_nothing_leaves_no_tape(tmp_path: Path, upstream: StubUpstream) -> None:
    InProcessHarness(auto_config(tmp_path, RecordMode.ONCE, upstream.base_url)).stop()
    assert files(tmp_path) == []
