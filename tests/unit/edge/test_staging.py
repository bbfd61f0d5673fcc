"""Recordings beside their tape: how they take its place, and when they must not."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import Hashing
from spycatcher_addon.choices import MatchMode
from spycatcher_addon.edge.staging import StagedRecording
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.errors import HarnessIOError, InvalidCassetteError, UnsupportedCassetteFormatVersionError
from tests.support.tape_samples import HASHING, sample_interaction

SEQUENTIAL = MatchMode.SEQUENTIAL_STRICT


def write(path: Path, *numbers: int, hashing: Hashing = HASHING) -> None:
    with CassetteWriter.open(path, hashing) as writer:
        for number in numbers:
            writer.append(sample_interaction(number))


def bodies(path: Path) -> list[bytes]:
    return [interaction.request.body for interaction in read_cassette(path).cassette.interactions]


def of(*numbers: int) -> list[bytes]:
    return [sample_interaction(number).request.body for number in numbers]


def staged_at(folder: Path, name: str = "tape.json", **settings: bool) -> StagedRecording:
    return StagedRecording(str(folder), name, **{"may_replace_damaged": False, **settings})


@pytest.mark.parametrize("name", ["tape.json", "deep/er/tape.json"])
def test_a_recording_becomes_the_tape_and_leaves_nothing_else(tmp_path: Path, name: str) -> None:
    staged = staged_at(tmp_path, name)
    assert staged.old is None and staged.notices == []
    write(tmp_path / staged.name, 2, 1)
    assert staged.keep([], SEQUENTIAL, keeps_old=False) == 2
    assert bodies(tmp_path / name) == of(1, 2), "in the order of arrival, not of completion"
    assert [path.name for path in (tmp_path / name).parent.iterdir()] == ["tape.json"]


def test_permissions_of_the_old_tape_are_kept(tmp_path: Path) -> None:
    write(tmp_path / "tape.json", 1)
    os.chmod(tmp_path / "tape.json", 0o640)
    staged = staged_at(tmp_path)
    write(tmp_path / staged.name, 2)
    staged.keep([], SEQUENTIAL, keeps_old=True)
    assert stat.S_IMODE((tmp_path / "tape.json").stat().st_mode) == 0o640
    assert bodies(tmp_path / "tape.json") == of(2, 1)


def test_old_interactions_get_hashes_of_the_new_settings(tmp_path: Path) -> None:
    write(tmp_path / "tape.json", 1)
    staged = staged_at(tmp_path)
    new = Hashing(ignore_paths=("/messages",))
    write(tmp_path / staged.name, 2, hashing=new)
    staged.keep([], SEQUENTIAL, keeps_old=True)
    cassette = read_cassette(tmp_path / "tape.json").cassette
    assert cassette.hashing == new
    old = cassette.interactions[-1]
    assert old.request.body == of(1)[0] and old.request.stable_hash != sample_interaction(1).request.stable_hash


def test_a_linked_tape_is_replaced_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    write(tmp_path / "real/tape.json", 1)
    (tmp_path / "tape.json").symlink_to(tmp_path / "real/tape.json")
    staged = staged_at(tmp_path)
    write(tmp_path / staged.name, 2)
    staged.keep([], SEQUENTIAL, keeps_old=False)
    assert (tmp_path / "tape.json").is_symlink()
    assert bodies(tmp_path / "real/tape.json") == of(2)


@pytest.mark.parametrize("happened", ["changed", "appeared", "removed"])
def test_a_tape_that_changed_meanwhile_is_left_alone(tmp_path: Path, happened: str) -> None:
    tape = tmp_path / "tape.json"
    if happened != "appeared":
        write(tape, 1)
    staged = staged_at(tmp_path)
    write(tmp_path / staged.name, 2)
    if happened == "removed":
        tape.unlink()
    else:
        write(tape, 3)
    before = bodies(tape) if tape.exists() else None
    with pytest.raises(HarnessIOError) as caught:
        staged.keep([], SEQUENTIAL, keeps_old=True)
    assert "was changed by another program" in caught.value.source and staged.name in caught.value.source
    assert (bodies(tape) if tape.exists() else None) == before
    assert bodies(tmp_path / staged.name) == of(2)


def test_a_tape_in_use_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "tape.json", 1)
    staged = staged_at(tmp_path)
    write(tmp_path / staged.name, 2)
    with CassetteWriter.open(tmp_path / "tape.json", HASHING):
        with pytest.raises(HarnessIOError) as caught:
            staged.keep([], SEQUENTIAL, keeps_old=True)
    assert "in use" in caught.value.source
    assert bodies(tmp_path / "tape.json") == of(1)


def test_a_tape_that_cannot_be_written_leaves_the_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    staged = staged_at(tmp_path)
    write(tmp_path / staged.name, 2)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("spycatcher_addon.edge.staging.replace_file", full)
    with pytest.raises(HarnessIOError) as caught:
        staged.keep([], SEQUENTIAL, keeps_old=True)
    assert "No space left on device" in caught.value.source and staged.name in caught.value.source
    assert bodies(tmp_path / staged.name) == of(2)


def test_a_dropped_recording_leaves_nothing(tmp_path: Path) -> None:
    staged = staged_at(tmp_path)
    write(tmp_path / staged.name, 2)
    staged.discard()
    staged.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_tape_is_an_obstacle_unless_it_is_to_be_replaced(tmp_path: Path) -> None:
    tape = tmp_path / "tape.json"
    tape.write_text("<<<<<<< HEAD\n")
    with pytest.raises(InvalidCassetteError):
        staged_at(tmp_path)
    staged = staged_at(tmp_path, may_replace_damaged=True)
    assert staged.old is None and "it will be replaced" in staged.notices[0]
    write(tmp_path / staged.name, 2)
    staged.keep([], SEQUENTIAL, keeps_old=False)
    assert bodies(tape) == of(2)


def test_a_tape_of_a_newer_format_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "tape.json").write_text('{"format_version": 99, "interactions": []}')
    with pytest.raises(UnsupportedCassetteFormatVersionError):
        staged_at(tmp_path, may_replace_damaged=True)


def test_recordings_of_killed_processes_are_named_and_running_ones_are_not(tmp_path: Path) -> None:
    killed, running, other = staged_at(tmp_path), staged_at(tmp_path), staged_at(tmp_path, "tape.json.other")
    write(tmp_path / killed.name, 1)
    write(tmp_path / other.name, 1)
    with CassetteWriter.open(tmp_path / running.name, HASHING):
        notices = staged_at(tmp_path).notices
    (notice,) = notices
    assert killed.name in notice and "cut off" in notice
