"""Reading a tape: whole, torn, missing, damaged, or growing meanwhile."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.edge import tape_reading
from spycatcher_addon.edge.tape_reading import LoadedCassette, read_cassette
from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.errors import CassetteNotFoundError, HarnessIOError, InvalidCassetteError
from spycatcher_addon.version import GENERATOR
from tests.support.tape_samples import HASHING, sample_interaction
from tests.support.tapes_on_disk import frozen, tape_of, write_torn_tape
from tests.support.texts import assert_same_in_the_english_catalogue

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


def test_a_tape_is_read_without_leaving_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    path.write_bytes(tape_of(2))
    before = frozen(tmp_path)
    assert read_cassette(path) == read_cassette(str(path))
    loaded = read_cassette(path)
    assert loaded.cassette.interactions == (sample_interaction(0), sample_interaction(1))
    assert loaded.warnings == ()
    assert frozen(tmp_path) == before


def test_a_torn_tape_is_read_up_to_the_cut_with_a_warning_and_stays_torn(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    write_torn_tape(path)
    before = frozen(tmp_path)
    loaded = read_cassette(path)
    assert loaded.cassette.interactions == (sample_interaction(0), sample_interaction(1))
    (warning,) = loaded.warnings
    assert_same_in_the_english_catalogue(warning)
    assert str(path) in warning
    assert "2 interactions" in warning
    assert "`spycatcher-harness record`" in warning
    assert frozen(tmp_path) == before


@pytest.mark.parametrize("place", ["tape", "missing/tape", "dangling"])
def test_a_tape_that_is_not_there_is_named_by_its_last_component(tmp_path: Path, place: str) -> None:
    if place == "dangling":
        (tmp_path / place).symlink_to("nowhere")
    with pytest.raises(CassetteNotFoundError) as missing:
        read_cassette(tmp_path / place)
    assert missing.value.cassette_name == place.rpartition("/")[2]
    assert not (tmp_path / "missing").exists()


@posix
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda path: os.mkfifo(path), "not a regular file"),
        (lambda path: path.symlink_to(path.name), "Too many levels of symbolic links"),
    ],
)
def test_what_the_system_does_not_read_is_an_io_error_with_its_reason(tmp_path: Path, make: object, reason: str) -> None:
    path = tmp_path / "tape"
    assert callable(make)
    make(path)
    with pytest.raises(HarnessIOError) as failure:
        read_cassette(path)
    assert failure.value.source.startswith(f"cannot read cassette {path}: {reason}")
    with pytest.raises(HarnessIOError) as failure:
        CassetteWriter.open(path, HASHING)
    assert reason in failure.value.source
    assert os.listdir(tmp_path) == ["tape"]


def test_a_path_no_system_takes_is_an_io_error() -> None:
    for use in (read_cassette, lambda path: CassetteWriter.open(path, HASHING)):
        with pytest.raises(HarnessIOError) as failure:
            use("a\0b")
        assert "give another path" in failure.value.source


def test_other_damage_is_refused_by_both_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    path.write_bytes(tape_of(3)[:-100])
    before = frozen(tmp_path)
    with pytest.raises(InvalidCassetteError) as damage:
        read_cassette(path)
    assert str(path) in damage.value.message
    with pytest.raises(InvalidCassetteError):
        CassetteWriter.open(path, HASHING)
    assert frozen(tmp_path) == before


def test_a_reader_starts_again_when_a_recorder_moved_on_between_tape_and_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tape"
    path.write_bytes(tape_of(3)[:-100])

    def finish_the_append(tape: str) -> None:
        path.write_bytes(tape_of(3))

    monkeypatch.setattr(tape_reading, "read_note", finish_the_append)
    assert read_cassette(path) == LoadedCassette(Cassette(2, tuple(map(sample_interaction, range(3))), HASHING, GENERATOR))
