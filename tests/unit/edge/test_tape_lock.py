from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from spycatcher_addon.edge.tape_lock import TapeLock
from spycatcher_addon.edge.tape_note import NOTE_BYTES, Note, NoteState, encode_note, lock_path, read_note
from spycatcher_addon.errors import HarnessIOError

NOTE = Note(NoteState.APPENDING, good_length=1200, next_length=4096, is_empty=False, pid=77)


def test_one_holder_at_a_time_within_a_process(tmp_path: Path) -> None:
    tape = str(tmp_path / "tape")
    first = TapeLock.acquire(tape)
    first.write_note(NOTE, durable=True)
    with pytest.raises(HarnessIOError) as refusal:
        TapeLock.acquire(tape)
    assert refusal.value.source == (
        f"cassette {tape} is in use: another recorder (process 77) is writing to it; stop that one first or record to another cassette name"
    )
    assert read_note(tape) == NOTE
    first.release()
    second = TapeLock.acquire(tape)
    assert second.note == NOTE
    second.release()


def test_the_lock_file_goes_with_its_holder_unless_an_append_is_pending(tmp_path: Path) -> None:
    tape = str(tmp_path / "tape")
    lock = TapeLock.acquire(tape)
    assert lock.note is None
    assert not lock.is_pending
    lock.write_note(NOTE, durable=False)
    assert lock.is_pending
    lock.release()
    lock.release()
    assert read_note(tape) == NOTE
    lock = TapeLock.acquire(tape)
    lock.write_note(replace(NOTE, state=NoteState.COMPLETE), durable=True)
    lock.release()
    assert os.listdir(tmp_path) == []
    assert read_note(tape) is None


def test_rewriting_a_note_needs_no_more_disk_than_the_first(tmp_path: Path) -> None:
    tape = str(tmp_path / "tape")
    lock = TapeLock.acquire(tape)
    for length in (0, 10**3, 10**15):
        lock.write_note(replace(NOTE, good_length=length, next_length=length), durable=False)
        assert os.path.getsize(lock_path(tape)) == NOTE_BYTES
    lock.release()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no open file")
def test_a_lock_on_a_file_that_was_just_removed_is_not_taken_for_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last holder removes the file between another's opening and locking it."""
    tape = str(tmp_path / "tape")
    opened, real_open = list[str](), os.open

    def open_and_lose(path: str, flags: int, mode: int = 0o777) -> int:
        descriptor = real_open(path, flags, mode)
        opened.append(path)
        if len(opened) == 1:
            os.unlink(path)
        return descriptor

    monkeypatch.setattr(os, "open", open_and_lose)
    lock = TapeLock.acquire(tape)
    assert opened == [lock_path(tape)] * 2
    with pytest.raises(HarnessIOError):
        TapeLock.acquire(tape)
    lock.release()


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 100, b"\0" * NOTE_BYTES, encode_note(NOTE)[:40], encode_note(NOTE)[:40].ljust(NOTE_BYTES, b"\0")]
)
def test_a_torn_lock_file_is_ours_and_holds_no_note(tmp_path: Path, content: bytes) -> None:
    tape = str(tmp_path / "tape")
    Path(lock_path(tape)).write_bytes(content)
    lock = TapeLock.acquire(tape)
    assert lock.note is None
    lock.release()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("content", [b'{\n  "format_version": 2,\n', b"# notes", encode_note(NOTE) + b"more"])
def test_a_file_that_only_has_the_name_of_a_lock_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    tape = str(tmp_path / "tape")
    path = Path(lock_path(tape))
    path.write_bytes(content)
    with pytest.raises(HarnessIOError) as refusal:
        TapeLock.acquire(tape)
    assert "is not a lock file of this program; move that file away" in refusal.value.source
    assert path.read_bytes() == content


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links")
def test_no_note_is_written_through_a_planted_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"")
    tape = str(tmp_path / "tape")
    Path(lock_path(tape)).symlink_to(victim)
    with pytest.raises(HarnessIOError, match="io failure") as refusal:
        TapeLock.acquire(tape)
    assert tape in refusal.value.source
    assert Path(lock_path(tape)).is_symlink()


def test_a_lock_file_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    tape = str(tmp_path / "missing" / "tape")
    with pytest.raises(HarnessIOError) as refusal:
        TapeLock.acquire(tape)
    assert refusal.value.source.startswith(f"cannot lock cassette {tape}: {lock_path(tape)}: No such file")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no open file")
def test_a_lock_file_that_never_stays_is_given_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_open = os.open

    def open_and_lose(path: str, flags: int, mode: int = 0o777) -> int:
        descriptor = real_open(path, flags, mode)
        os.unlink(path)
        return descriptor

    monkeypatch.setattr(os, "open", open_and_lose)
    with pytest.raises(HarnessIOError) as refusal:
        TapeLock.acquire(str(tmp_path / "tape"))
    assert "does not stay in its place" in refusal.value.source
