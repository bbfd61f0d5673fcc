from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

import spycatcher_addon
from spycatcher_addon.cassette.schema import TAIL
from spycatcher_addon.edge import disk, tape_lock, tape_opening, tape_writing
from spycatcher_addon.edge.tape_note import Note, NoteState, encode_note, lock_path, read_note
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.errors import HarnessIOError, InvalidCassetteError
from tests.support.tape_samples import HASHING, sample_interaction
from tests.support.tapes_on_disk import frozen, tape_of, write_torn_tape

ROOT = Path(spycatcher_addon.__file__).parent.parent
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


# Opening


def test_a_new_tape_is_whole_from_the_start_and_its_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "tape"
    with CassetteWriter.open(path, HASHING) as writer:
        assert (writer.interaction_count, writer.notices) == (0, ())
        assert path.read_bytes() == tape_of(0)
        assert read_note(str(path)) == Note(NoteState.COMPLETE, len(tape_of(0)), len(tape_of(0)), is_empty=True, pid=os.getpid())
    assert os.listdir(path.parent) == ["tape"]


def test_what_a_killed_recorder_left_beside_the_tape_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    (tmp_path / ".tape.tmp").write_bytes(b"half a ta")
    Path(lock_path(str(path))).write_bytes(encode_note(Note(NoteState.COMPLETE, 5, 5, is_empty=False, pid=1)))
    with CassetteWriter.open(path, HASHING) as writer:
        assert writer.notices == ()
        writer.append(sample_interaction(0))
    assert path.read_bytes() == tape_of(1)
    assert os.listdir(tmp_path) == ["tape"]


def test_a_torn_tape_is_cut_back_and_continued(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    _, good = write_torn_tape(path)
    with CassetteWriter.open(path, HASHING) as writer:
        assert path.read_bytes() == good
        (notice,) = writer.notices
        assert "cut it back to the 2 interactions" in notice
        writer.append(sample_interaction(2))
    assert path.read_bytes() == tape_of(3)
    assert os.listdir(tmp_path) == ["tape"]


def test_a_tape_killed_between_its_last_byte_and_its_note_is_trusted(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    write_torn_tape(path)
    path.write_bytes(tape_of(3))
    assert read_cassette(path).warnings == ()
    with CassetteWriter.open(path, HASHING) as writer:
        assert (writer.interaction_count, writer.notices) == (3, ())


def test_the_note_of_a_torn_tape_outlives_a_start_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    write_torn_tape(path)
    path.write_bytes(b"<<<<<<< HEAD\n" + path.read_bytes()[13:])
    before = frozen(tmp_path)
    with pytest.raises(InvalidCassetteError):
        CassetteWriter.open(path, HASHING)
    assert frozen(tmp_path) == before


def test_a_lock_file_without_room_for_its_note_fails_the_start_and_lets_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tape"

    def write_at(file: object, offset: int, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(tape_lock, "write_at", write_at)
        with pytest.raises(HarnessIOError) as failure:
            CassetteWriter.open(path, HASHING)
    assert failure.value.source == f"cannot write the lock file of cassette {path}: No space left on device; make room on the disk"
    CassetteWriter.open(path, HASHING).close()
    assert os.listdir(tmp_path) == ["tape"]


@posix
def test_the_lock_file_itself_is_on_disk_before_the_first_append(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tape"
    path.write_bytes(tape_of(0))
    flushed = list[bool]()
    real_fsync = os.fsync

    def fsync(descriptor: int) -> None:
        real_fsync(descriptor)
        if os.path.samestat(os.fstat(descriptor), tmp_path.stat()):
            flushed.append(os.path.exists(lock_path(str(path))))

    monkeypatch.setattr(os, "fsync", fsync)
    CassetteWriter.open(path, HASHING).close()
    assert flushed == [True]


def test_a_folder_that_cannot_be_made_is_an_io_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(HarnessIOError) as failure:
        CassetteWriter.open(tmp_path / "file" / "tape", HASHING)
    assert failure.value.source.startswith("cannot create the folder of cassette")


@posix
@pytest.mark.parametrize("what", ["folder", "tape"])
def test_what_may_not_be_written_fails_at_opening(what: str) -> None:
    """In a process without privileges: the superuser may write anything."""
    script = (
        "import os, sys\n"
        "from spycatcher_addon.edge.tape_writing import CassetteWriter\n"
        "from spycatcher_addon.errors import HarnessIOError\n"
        "from spycatcher_addon.cassette.model import Hashing\n"
        "if os.geteuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "try: CassetteWriter.open(sys.argv[1], Hashing())\n"
        "except HarnessIOError as error: print(error.source)\n"
    )
    # Not below tmp_path, whose folders another user may not even enter.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tape = folder / "tape"
        tape.write_bytes(tape_of(1))
        folder.chmod(0o555 if what == "folder" else 0o777)
        tape.chmod(0o666 if what == "folder" else 0o444)
        before = frozen(folder)
        result = subprocess.run([sys.executable, "-c", script, str(tape)], cwd=ROOT, capture_output=True, text=True, timeout=20, check=True)
        assert frozen(folder) == before
        folder.chmod(0o755)
    assert "Permission denied" in result.stdout
    assert str(tape) in result.stdout


@posix
def test_a_linked_tape_is_written_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "tape", tmp_path / "link"
    link.symlink_to(target)
    with CassetteWriter.open(link, HASHING) as writer:
        writer.append(sample_interaction(0))
        with pytest.raises(HarnessIOError, match="io failure"):
            CassetteWriter.open(target, HASHING)
    target.write_bytes(target.read_bytes().replace(b"\n", b"\r\n"))
    CassetteWriter.open(link, HASHING).close()
    assert link.is_symlink()
    assert target.read_bytes() == tape_of(1)
    assert sorted(os.listdir(tmp_path)) == ["link", "real"]
    assert os.listdir(target.parent) == ["tape"]


# Appending


def test_the_file_after_every_append_is_the_whole_tape(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    with CassetteWriter.open(path, HASHING) as writer:
        for count in range(1, 4):
            writer.append(sample_interaction(count - 1))
            assert path.read_bytes() == tape_of(count)
            assert writer.interaction_count == count
            note = read_note(str(path))
            assert note is not None
            assert (note.state, note.good_length) == (NoteState.COMPLETE, len(tape_of(count)))
    with CassetteWriter.open(path, HASHING) as writer:
        writer.append(sample_interaction(3))
    assert path.read_bytes() == tape_of(4)


def test_the_note_is_on_disk_before_the_tape_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tape"
    steps = list[tuple[str, Note | None, int]]()
    real_fsync = os.fsync

    def fsync(descriptor: int) -> None:
        real_fsync(descriptor)
        what = "tape" if os.path.samestat(os.fstat(descriptor), path.stat()) else "note"
        steps.append((what, read_note(str(path)), path.stat().st_size))

    with CassetteWriter.open(path, HASHING) as writer:
        writer.append(sample_interaction(0))
        monkeypatch.setattr(os, "fsync", fsync)
        writer.append(sample_interaction(1))
    note = Note(NoteState.APPENDING, len(tape_of(1)), len(tape_of(2)), is_empty=False, pid=os.getpid())
    assert steps == [("note", note, len(tape_of(1))), ("tape", note, len(tape_of(2)))]


def append_ten(writer: CassetteWriter, first: int) -> None:
    for number in range(first, first + 10):
        writer.append(sample_interaction(number))


def test_threads_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    with CassetteWriter.open(path, HASHING) as writer:
        threads = [threading.Thread(target=append_ten, args=(writer, first)) for first in range(0, 80, 10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert writer.interaction_count == 80
    offsets = [interaction.metadata.relative_offset_ms for interaction in read_cassette(path).cassette.interactions]
    assert sorted(offsets) == list(range(80))
    assert all([offset for offset in offsets if offset // 10 == first] == list(range(first * 10, first * 10 + 10)) for first in range(8))


@pytest.mark.skipif(not os.path.exists("/proc/thread-self/io"), reason="needs the system's count of bytes read and written")
def test_an_append_reads_and_writes_the_same_however_long_the_tape_is(tmp_path: Path) -> None:
    def moved_bytes() -> int:
        with open("/proc/thread-self/io", encoding="ascii") as counts:
            fields = dict(line.split(": ") for line in counts)
        return int(fields["rchar"]) + int(fields["wchar"])

    with CassetteWriter.open(tmp_path / "tape", HASHING) as writer:
        costs = []
        for number in range(400):
            interaction = sample_interaction(number + 1000, 5000)  # all of one length
            before = moved_bytes()
            writer.append(interaction)
            costs.append(moved_bytes() - before)
    # The measuring itself reads a few digits more or less.
    assert max(costs[5:]) - min(costs[5:]) < 100
    assert max(costs[5:]) < 2 * (tmp_path / "tape").stat().st_size / 400


class Failing:
    """Makes the system refuse to write to one file past a length, as a full disk does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
        self.room: int | None = room
        self.is_restoring_refused = False
        real = disk.write_at

        def write_at(file: object, offset: int, data: bytes) -> None:
            if self.room is None:
                real(file, offset, data)  # type: ignore[arg-type]
                return
            real(file, offset, data[: self.room])  # type: ignore[arg-type]
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def put_tail(*arguments: object) -> None:
            if self.is_restoring_refused:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            real_put_tail(*arguments)  # type: ignore[arg-type]

        real_put_tail = tape_opening.put_tail
        monkeypatch.setattr(tape_writing, "write_at", write_at)
        monkeypatch.setattr(tape_writing, "put_tail", put_tail)


@pytest.mark.parametrize("room", [0, 1, 5, 300])
def test_a_failed_append_is_undone_and_a_later_one_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    path = tmp_path / "tape"
    with CassetteWriter.open(path, HASHING) as writer:
        writer.append(sample_interaction(0))
        failing = Failing(monkeypatch, room)
        for _ in range(2):
            with pytest.raises(HarnessIOError) as failure:
                writer.append(sample_interaction(1))
            assert failure.value.source == (
                f"cannot append to cassette {path}: No space left on device; this interaction was not recorded, "
                "the 1 interaction before it can still be read. Make room or mend the disk, then send the request again"
            )
            assert path.read_bytes() == tape_of(1)
        failing.room = None
        writer.append(sample_interaction(1))
        assert path.read_bytes() == tape_of(2)


def test_an_append_that_cannot_be_undone_is_undone_before_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tape"
    with CassetteWriter.open(path, HASHING) as writer:
        writer.append(sample_interaction(0))
        failing = Failing(monkeypatch, 200)
        failing.is_restoring_refused = True
        with pytest.raises(HarnessIOError):
            writer.append(sample_interaction(1))
        assert path.read_bytes() != tape_of(1)
        assert read_cassette(path).cassette.interactions == (sample_interaction(0),)
        with pytest.raises(HarnessIOError) as failure:
            writer.append(sample_interaction(1))
        assert "Input/output error" in failure.value.source
        failing.room, failing.is_restoring_refused = None, False
        writer.append(sample_interaction(1))
        assert path.read_bytes() == tape_of(2)
    assert os.listdir(tmp_path) == ["tape"]


def test_a_tape_that_could_not_be_mended_keeps_its_lock_file_for_the_next_recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tape"
    writer = CassetteWriter.open(path, HASHING)
    writer.append(sample_interaction(0))
    with monkeypatch.context() as patch:
        failing = Failing(patch, 200)
        failing.is_restoring_refused = True
        with pytest.raises(HarnessIOError):
            writer.append(sample_interaction(1))
        writer.close()
    assert sorted(os.listdir(tmp_path)) == ["tape", "tape.lock"]
    with CassetteWriter.open(path, HASHING) as writer:
        assert "cut it back to the 1 interaction" in writer.notices[0]
    assert path.read_bytes() == tape_of(1)
    assert os.listdir(tmp_path) == ["tape"]


def test_a_tape_left_torn_by_a_failed_append_is_mended_at_closing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tape"
    writer = CassetteWriter.open(path, HASHING)
    writer.append(sample_interaction(0))
    failing = Failing(monkeypatch, 200)
    failing.is_restoring_refused = True
    with pytest.raises(HarnessIOError):
        writer.append(sample_interaction(1))
    failing.is_restoring_refused = False
    writer.close()
    assert path.read_bytes() == tape_of(1)
    assert os.listdir(tmp_path) == ["tape"]


def test_an_interrupt_inside_a_write_is_undone_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tape"
    with CassetteWriter.open(path, HASHING) as writer:
        writer.append(sample_interaction(0))
        real = disk.write_at

        def interrupted(file: object, offset: int, data: bytes) -> None:
            real(file, offset, data[:50])  # type: ignore[arg-type]
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(tape_writing, "write_at", interrupted)
            with pytest.raises(KeyboardInterrupt):
                writer.append(sample_interaction(1))
        assert path.read_bytes() == tape_of(1)


@posix
@pytest.mark.parametrize(
    ("case", "happened"),
    [
        ("grown", "changed by another program"),
        ("same size", "changed by another program"),
        ("renamed over", "replaced by another file"),
        ("removed", "removed or moved"),
    ],
)
def test_a_tape_that_somebody_changed_is_not_written_to(tmp_path: Path, case: str, happened: str) -> None:
    path = tmp_path / "tape"
    writer = CassetteWriter.open(path, HASHING)
    writer.append(sample_interaction(0))
    content = path.read_bytes()
    if case == "grown":
        path.write_bytes(content + b" ")
    elif case == "same size":
        path.write_bytes(content.replace(b"question", b"QUESTION"))
        os.utime(path, ns=(1, 1))
    elif case == "renamed over":
        (tmp_path / "new").write_bytes(content)
        os.replace(tmp_path / "new", path)
    else:
        path.unlink()
    before = frozen(tmp_path)
    for _ in range(2):
        with pytest.raises(HarnessIOError) as failure:
            writer.append(sample_interaction(1))
        assert f"{path}: it was {happened}" in failure.value.source
        assert "interaction 1 was not recorded" in failure.value.source
    assert frozen(tmp_path) == before
    writer.close()
    assert not os.path.exists(lock_path(str(path)))


def test_reading_or_changing_permissions_is_no_change(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    with CassetteWriter.open(path, HASHING) as writer:
        writer.append(sample_interaction(0))
        path.read_bytes()
        path.chmod(0o600)
        writer.append(sample_interaction(1))
    assert path.read_bytes() == tape_of(2)


def test_nothing_is_appended_after_closing_and_closing_twice_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    writer = CassetteWriter.open(path, HASHING)
    writer.close()
    writer.close()
    with pytest.raises(HarnessIOError) as failure:
        writer.append(sample_interaction(0))
    assert "has ended" in failure.value.source
    assert path.read_bytes() == tape_of(0)
    assert path.read_bytes().endswith(b"\n")
    assert not path.read_bytes().endswith(TAIL)
