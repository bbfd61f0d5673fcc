"""From a configuration to hooks and counts, without a listener."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spycatcher_addon.config import AuthScheme, HarnessConfig, LimitsConfig, MatchingConfig, MatchMode, Mode, RedactionConfig
from spycatcher_addon.edge.assembly import assemble
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.errors import (
    CassetteNotFoundError,
    HarnessError,
    HarnessIOError,
    InvalidCassetteError,
    InvalidConfigError,
    InvalidPointerPathError,
    ModeNotYetImplementedError,
)
from spycatcher_addon.fault_injection import FaultFindings
from tests.support.in_process import KEY_VARIABLE, TAPE_NAME, record_config, replay_config
from tests.support.tape_samples import HASHING, sample_interaction
from tests.support.texts import assert_same_in_the_english_catalogue

UPSTREAM = "http://127.0.0.1:1/v1"
KEY = {KEY_VARIABLE: "sk-fake"}


def write_tape(folder: Path, count: int) -> None:
    writer = CassetteWriter.open(str(folder / TAPE_NAME), HASHING)
    for number in range(count):
        writer.append(sample_interaction(number))
    writer.close()


def test_replay_gets_a_session_over_the_tape(tmp_path: Path) -> None:
    write_tape(tmp_path, 3)
    assembled = assemble(replay_config(tmp_path, match_mode=MatchMode.KEYED, limits=LimitsConfig(max_body_bytes=77)), {})
    assert isinstance(assembled.hooks, ReplayHooks)
    assert (assembled.hooks.max_body_bytes, assembled.interaction_count, assembled.notices) == (77, 3, ())
    stats = assembled.stats()
    assert (stats.interactions, stats.matched, stats.unused) == (3, 0, (0, 1, 2))


def test_replay_leaves_the_tape_unlocked_and_untouched(tmp_path: Path) -> None:
    write_tape(tmp_path, 1)
    before = (tmp_path / TAPE_NAME).read_bytes()
    assemble(replay_config(tmp_path), {})
    CassetteWriter.open(str(tmp_path / TAPE_NAME), HASHING).close()
    assert (tmp_path / TAPE_NAME).read_bytes() == before


def test_record_opens_the_tape_for_the_configured_rules(tmp_path: Path) -> None:
    config = record_config(tmp_path, UPSTREAM, total_timeout_s=5, idle_timeout_s=6, connect_timeout_s=7).model_copy(
        update={
            "matching": MatchingConfig(ignore_paths=("metadata.run_id", "/messages/*/name")),
            "redaction": RedactionConfig(extra_drop_headers=("X-Secret",)),
        }
    )
    assembled = assemble(config, KEY)
    hooks = assembled.hooks
    assert isinstance(hooks, RecordHooks)
    hooks.close()
    assert (hooks.total_timeout_s, hooks.idle_timeout_s, hooks.connect_timeout_s) == (5, 6, 7)
    assert hooks.longest_silence_s > 7
    assert assembled.notices == ()
    assert read_cassette(config.cassette_path).cassette.hashing.ignore_paths == ("/metadata/run_id", "/messages/*/name")


def test_record_counts_what_is_already_there(tmp_path: Path) -> None:
    write_tape(tmp_path, 2)
    assembled = assemble(record_config(tmp_path, UPSTREAM), KEY)
    assert isinstance(assembled.hooks, RecordHooks)
    assembled.hooks.counts.recorded = 3
    assembled.hooks.counts.error_statuses = 1
    stats = assembled.stats()
    assembled.hooks.close()
    assert (stats.interactions, stats.recorded, stats.error_statuses) == (5, 3, 1)


def test_two_recorders_on_one_tape_are_one_too_many(tmp_path: Path) -> None:
    first = assemble(record_config(tmp_path, UPSTREAM), KEY)
    assert isinstance(first.hooks, RecordHooks)
    with pytest.raises(HarnessIOError):
        assemble(record_config(tmp_path, UPSTREAM), KEY)
    first.hooks.close()
    second = assemble(record_config(tmp_path, UPSTREAM), KEY)
    assert isinstance(second.hooks, RecordHooks)
    second.hooks.close()


@pytest.mark.parametrize(
    ("environ", "upstream", "is_announced"),
    [
        ({}, {}, True),
        ({KEY_VARIABLE: ""}, {}, True),
        (KEY, {}, False),
        ({}, {"auth": AuthScheme.NONE}, False),
    ],
    ids=["unset", "empty", "set", "no auth"],
)
def test_a_missing_key_is_announced_by_the_name_of_its_variable(
    tmp_path: Path, environ: Mapping[str, str], upstream: dict[str, Any], is_announced: bool
) -> None:
    assembled = assemble(record_config(tmp_path, UPSTREAM, **upstream), environ)
    assert isinstance(assembled.hooks, RecordHooks)
    assembled.hooks.close()
    assert len(assembled.notices) == is_announced
    assert_same_in_the_english_catalogue(*assembled.notices)
    assert all(KEY_VARIABLE in notice and "upstream.api_key_env" in notice for notice in assembled.notices)


def changed(config: HarnessConfig, **fields: Any) -> HarnessConfig:
    return config.model_copy(update=fields)


def refused_configurations(folder: Path) -> dict[str, tuple[HarnessConfig, type[HarnessError]]]:
    record, replay = record_config(folder, UPSTREAM), replay_config(folder)
    return {
        "no name": (changed(record, cassette_name=""), InvalidConfigError),
        "traversal": (changed(record, cassette_name="../tape"), InvalidConfigError),
        "no upstream": (changed(record, upstream=None), InvalidConfigError),
        "bad ignore path": (changed(record, matching=MatchingConfig.model_construct(ignore_paths=("/a~2",))), InvalidPointerPathError),
        "verify": (changed(replay, mode=Mode.VERIFY), ModeNotYetImplementedError),
        "no tape": (replay, CassetteNotFoundError),
    }


@pytest.mark.parametrize("name", refused_configurations(Path()))
def test_what_cannot_start_touches_nothing(tmp_path: Path, name: str) -> None:
    config, error = refused_configurations(tmp_path / "tapes")[name]
    with pytest.raises(error):
        assemble(config, KEY)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [Mode.RECORD, Mode.REPLAY])
def test_a_damaged_tape_is_refused_and_left_as_it_is(tmp_path: Path, mode: Mode) -> None:
    (tmp_path / TAPE_NAME).write_bytes(b"<<<<<<< HEAD\n")
    config = record_config(tmp_path, UPSTREAM) if mode is Mode.RECORD else replay_config(tmp_path)
    with pytest.raises(InvalidCassetteError):
        assemble(config, KEY)
    assert (tmp_path / TAPE_NAME).read_bytes() == b"<<<<<<< HEAD\n"


def test_faults_come_from_the_configuration(tmp_path: Path) -> None:
    write_tape(tmp_path, 1)
    report = tmp_path / "faults.json"
    assembled = assemble(replay_config(tmp_path, faults=["refuse,probability=0.5"], fault_seed=5, fault_report=str(report)), {})
    assert isinstance(assembled.hooks, ReplayHooks) and assembled.hooks.session.faults is not None
    assert json.loads(report.read_text()) == assembled.stats().faults.as_json()
    report.unlink()
    assembled.close(True)
    assert report.exists()


def test_without_faults_nothing_is_injected_or_written(tmp_path: Path) -> None:
    write_tape(tmp_path, 1)
    assembled = assemble(replay_config(tmp_path), {})
    assert isinstance(assembled.hooks, ReplayHooks) and assembled.hooks.session.faults is None
    assembled.close(True)
    assert assembled.stats().faults == FaultFindings()


def test_a_fault_report_never_takes_the_place_of_the_tape(tmp_path: Path) -> None:
    write_tape(tmp_path, 1)
    tape = tmp_path / TAPE_NAME
    before = tape.read_bytes()
    link = tmp_path / "faults.json"
    link.symlink_to(tape)
    for report in (tape, link):
        with pytest.raises(InvalidConfigError, match="fault_report names the cassette"):
            assemble(replay_config(tmp_path, fault_report=str(report)), {})
    assert tape.read_bytes() == before


def test_a_fault_report_that_cannot_be_written_prevents_the_start(tmp_path: Path) -> None:
    write_tape(tmp_path, 1)
    with pytest.raises(HarnessIOError):
        assemble(replay_config(tmp_path, fault_report=str(tmp_path / "missing" / "faults.json")), {})
