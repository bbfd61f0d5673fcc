from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path

import pytest

from spycatcher_addon.edge.disk import read_chunks, read_regular_file, replace_file, sync_folder, write_at

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


class Trickle(io.FileIO):
    """A file whose writes are always shorter than asked."""

    def write(self, data: bytes) -> int:  # type: ignore[override]
        return super().write(bytes(data)[:3])


class Stuck(io.FileIO):
    """A file that takes nothing and does not say why."""

    def write(self, data: bytes) -> int:  # type: ignore[override]
        return 0


def test_short_writes_are_continued(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with Trickle(path, "r+") as file:
        write_at(file, 4, b"abcdefghij")
    assert path.read_bytes() == b"0123abcdefghij"


def test_a_write_that_takes_nothing_is_an_error_not_a_loop(tmp_path: Path) -> None:
    with Stuck(tmp_path / "file", "w") as file, pytest.raises(OSError, match="space"):
        write_at(file, 0, b"abc")


def test_a_file_is_read_with_its_status(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\x00\xff")
    data, status = read_regular_file(str(path))
    assert (data, status.st_size) == (b"\x00\xff", 2)


@posix
@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "missing"])
def test_what_is_no_regular_file_is_refused_without_blocking(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "it"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    expected = {"folder": IsADirectoryError, "missing": FileNotFoundError}.get(kind, OSError)
    with pytest.raises(expected):
        read_regular_file(str(path))


@posix
def test_a_new_file_has_the_permissions_the_umask_leaves(tmp_path: Path) -> None:
    path = tmp_path / "file"
    old = os.umask(0o027)
    try:
        replace_file(str(path), b"new", None)
    finally:
        os.umask(old)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


@posix
def test_replacing_sets_the_permissions_asked_for_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    replace_file(str(path), b"new", 0o604)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o604
    assert os.listdir(tmp_path) == ["file"]


@posix
def test_a_left_over_temporary_file_is_neither_kept_nor_written_through(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / ".file.tmp").symlink_to(victim)
    replace_file(str(tmp_path / "file"), b"new", None)
    assert victim.read_bytes() == b"precious"
    assert sorted(os.listdir(tmp_path)) == ["file", "victim"]


def test_a_failed_replacement_leaves_the_old_file_alone(tmp_path: Path) -> None:
    target = tmp_path / "file"
    (target / "inside").mkdir(parents=True)  # a folder cannot be replaced by a file
    with pytest.raises(OSError):
        replace_file(str(target), b"new", None)
    assert os.listdir(tmp_path) == ["file"]
    assert (target / "inside").is_dir()


@posix
def test_a_folder_that_is_not_there_cannot_be_flushed(tmp_path: Path) -> None:
    sync_folder(str(tmp_path))
    with pytest.raises(FileNotFoundError):
        sync_folder(str(tmp_path / "missing"))


@posix
def test_the_bytes_are_flushed_before_the_name_and_the_name_before_returning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    flushed = list[tuple[str, bool]]()
    real_fsync = os.fsync

    def fsync(descriptor: int) -> None:
        real_fsync(descriptor)
        is_folder = os.path.samestat(os.fstat(descriptor), tmp_path.stat())
        flushed.append(("folder" if is_folder else "file", path.exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    replace_file(str(path), b"new", None)
    assert flushed == [("file", False), ("folder", True)]


@posix
@pytest.mark.parametrize(("code", "is_tolerated"), [(errno.EINVAL, True), (errno.EIO, False)])
def test_only_a_file_system_that_cannot_flush_folders_is_excused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, is_tolerated: bool
) -> None:
    def fsync(descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fsync)
    if is_tolerated:
        sync_folder(str(tmp_path))
    else:
        with pytest.raises(OSError, match="Input/output"):
            sync_folder(str(tmp_path))


def test_a_file_is_read_in_pieces_from_its_start(tmp_path: Path) -> None:
    data = bytes(range(256)) * 10_000
    (tmp_path / "file").write_bytes(data)
    with io.FileIO(tmp_path / "file") as file:
        file.seek(100)
        pieces = list(read_chunks(file))
    assert b"".join(pieces) == data
    assert len(pieces) > 1
