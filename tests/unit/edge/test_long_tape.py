from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import Cassette, FailureKind, RecordedAnswer
from spycatcher_addon.cassette.schema import TAIL, encode_cassette
from spycatcher_addon.edge import long_tape
from spycatcher_addon.edge.long_tape import LongTape, ReplayTape, open_to_replay
from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.errors import (
    CassetteNotFoundError,
    HarnessIOError,
    InvalidCassetteError,
    UnsupportedCassetteFormatVersionError,
)
from tests.support.tape_samples import HASHING, sample_interaction
from tests.support.tapes_on_disk import tape_of, write_torn_tape

COUNT = 5


@pytest.fixture(autouse=True)
def no_tape_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_tape, "KEPT_BYTES", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tape"
    path.write_bytes(tape_of(COUNT))
    return path


@pytest.fixture
def opened(path: Path) -> Iterator[LongTape]:
    replayed = open_to_replay(path)
    assert isinstance(replayed.tape, LongTape)
    assert replayed.warnings == ()
    yield replayed.tape
    replayed.close()
    replayed.close()


def overwrite(path: Path, data: bytes) -> None:
    """In place, as an editor or a shell does."""
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()


def test_what_is_read_later_is_what_a_whole_read_gives(opened: LongTape) -> None:
    cassette = Cassette(2, tuple(map(sample_interaction, range(COUNT))), HASHING)
    assert (opened.format_version, opened.hashing) == (2, HASHING)
    assert opened.outlines() == cassette.outlines()
    for index in (3, 0, 4, 3):
        assert opened.interaction(index) == cassette.interactions[index]
        assert opened.request(index) == cassette.interactions[index].request
        answer = opened.answer(index)
        assert isinstance(answer, RecordedAnswer)
        assert (answer.response, answer.metadata) == (cassette.interactions[index].response, cassette.interactions[index].metadata)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('      "response": {\n', '      "failure": "cut",\n      "response": {\n'),
        ('},\n      "response": {\n', '}, "failure": "cut",\n      "response": {\n'),
        ('      "response": {\n', '      "failure": "cut",\n      "response" : {\n'),
    ],
)
def test_an_answer_printed_in_an_unusual_way_is_read_with_its_interaction(path: Path, old: str, new: str) -> None:
    path.write_bytes(tape_of(1).replace(old.encode(), new.encode()))
    replayed = open_to_replay(path)
    assert isinstance(replayed.tape, LongTape)
    assert replayed.tape.answer(0) == replace(sample_interaction(0), failure=FailureKind.CUT)
    replayed.close()


def test_a_request_printed_in_an_unusual_way_is_read_with_its_interaction(path: Path) -> None:
    path.write_bytes(tape_of(1).replace(b'      "request": {\n', b'      "x": {"y": 0,\n      "response": 0},\n      "request": {\n'))
    replayed = open_to_replay(path)
    assert isinstance(replayed.tape, LongTape)
    assert replayed.tape.request(0) == sample_interaction(0).request
    replayed.close()


def test_a_short_tape_is_held_in_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_tape, "KEPT_BYTES", path.stat().st_size)
    replayed = open_to_replay(path)
    assert isinstance(replayed.tape, Cassette)
    replayed.close()


def test_a_file_of_another_layout_is_held_in_memory(path: Path) -> None:
    path.write_bytes(tape_of(COUNT).replace(b"\n", b"\r\n"))
    replayed = open_to_replay(path)
    assert isinstance(replayed.tape, Cassette)
    assert replayed.tape.interactions == tuple(map(sample_interaction, range(COUNT)))


def test_a_torn_tape_gives_its_good_part_and_the_warning(path: Path) -> None:
    write_torn_tape(path)
    replayed = open_to_replay(path)
    assert len(replayed.tape.outlines()) == 2
    assert "ends in an append that is unfinished" in replayed.warnings[0]


@pytest.mark.parametrize(
    ("damage", "error", "text"),
    [
        (lambda data: data[:-20], InvalidCassetteError, "the file ends in the middle"),
        (lambda data: data.replace(b"question 3", b"question 9"), InvalidCassetteError, "interactions[3].request.body.sha256"),
        (lambda data: data.replace(b'"status": 200', b'"status": 200,\n        "status": 200', 1), InvalidCassetteError, "stands twice"),
        (lambda data: data.replace(b'"format_version": 2', b'"format_version": 9'), UnsupportedCassetteFormatVersionError, "9"),
    ],
)
def test_damage_is_told_at_the_start_in_the_usual_words(path: Path, damage: object, error: type[Exception], text: str) -> None:
    assert callable(damage)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(error) as failure:
        open_to_replay(path)
    assert text in str(failure.value)


def test_what_cannot_be_read_is_told_in_the_usual_words(tmp_path: Path) -> None:
    with pytest.raises(CassetteNotFoundError):
        open_to_replay(tmp_path / "tape")
    os.mkfifo(tmp_path / "pipe")
    for name in ("", "pipe"):
        with pytest.raises(HarnessIOError):
            open_to_replay(tmp_path / name)


def test_a_recorder_that_appends_meanwhile_does_no_harm(path: Path, opened: LongTape, caplog: pytest.LogCaptureFixture) -> None:
    with CassetteWriter.open(path, HASHING) as writer:
        writer.append(sample_interaction(COUNT))
    assert opened.interaction(COUNT - 1) == sample_interaction(COUNT - 1)
    assert not caplog.records


def test_a_changed_interaction_is_noticed_and_the_others_are_still_read(
    path: Path, opened: LongTape, caplog: pytest.LogCaptureFixture
) -> None:
    overwrite(path, path.read_bytes().replace(b"question 1", b"question 7"))
    for read in (opened.interaction, opened.request):
        with pytest.raises(InvalidCassetteError) as failure:
            read(1)
        assert "changed while it is being replayed: interaction 1 is not there any more" in failure.value.message
        assert "Start replay again" in failure.value.message
    [record] = caplog.records
    assert record.levelname == "ERROR"
    assert record.getMessage().startswith("the cassette was changed while it is being replayed; ")
    assert record.getMessage().endswith(f": {path}")
    assert opened.interaction(2) == sample_interaction(2)


def test_a_truncated_file_is_noticed(path: Path, opened: LongTape) -> None:
    overwrite(path, path.read_bytes()[:-300])
    for read in (opened.interaction, opened.answer):
        with pytest.raises(InvalidCassetteError):
            read(COUNT - 1)
    overwrite(path, b"")
    with pytest.raises(InvalidCassetteError):
        opened.request(0)


@pytest.mark.parametrize("new", [None, encode_cassette(Cassette(2, (sample_interaction(9),), HASHING)), tape_of(1) + TAIL])
def test_a_file_that_takes_its_place_is_told_once_and_does_not_disturb(
    path: Path, opened: LongTape, new: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    path.unlink()
    if new is not None:
        path.write_bytes(new)
    for index in (4, 0):
        assert opened.interaction(index) == sample_interaction(index)
        assert opened.request(index) == sample_interaction(index).request
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage().startswith("the cassette was replaced or removed while it is being replayed; ")
    assert record.getMessage().endswith(f": {path}")


def test_a_tape_in_memory_has_nothing_to_close() -> None:
    ReplayTape(Cassette(2)).close()
