"""Bytes onto a disk so that a crash leaves the old state or the new one.

Knows files and folders, nothing of cassettes. Every function lets ``OSError`` through: what a failure means, and what
to do about it, is for the caller to say.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import suppress

_FOLDER_SYNC_UNSUPPORTED = {errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EACCES}
"""What file systems answer that cannot flush a folder; there is nothing more to do on those."""
_CHUNK_BYTES = 1024 * 1024


def read_regular_file(path: str) -> tuple[bytes, os.stat_result]:
    """Read a file whole, with its status as it was before the first byte was read.

    Raises:
        OSError: It cannot be opened or read, or is no regular file (a pipe would block, a device may have no end).
    """
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    with io.FileIO(path) as file:
        status = os.fstat(file.fileno())
        return file.readall(), status


def read_chunks(file: io.FileIO) -> Iterator[bytes]:
    """Read an open file from its start to its present end, a piece at a time."""
    file.seek(0)
    while chunk := file.read(_CHUNK_BYTES):
        yield chunk


def write_at(file: io.FileIO, offset: int, data: bytes) -> None:
    """Write all of ``data`` at ``offset``, however many calls the system makes of it.

    Raises:
        OSError: Some of it could not be written; an unknown part, from the start, was.
    """
    file.seek(offset)
    rest = memoryview(data)
    while rest:
        written = file.write(rest)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rest = rest[written:]


def sync_folder(folder: str) -> None:
    """Flush a folder, so that a new or renamed entry in it survives a power failure."""
    if os.name == "nt":  # Windows opens no folders and flushes entries by itself
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _FOLDER_SYNC_UNSUPPORTED:
            raise
    finally:
        os.close(descriptor)


def replace_file(path: str, data: bytes, permissions: int | None) -> None:
    """Put ``data`` in the place of ``path``, or create it, in one step.

    Args:
        permissions: Mode bits of the new file; ``None`` leaves them to the umask.

    The temporary name is fixed, so the caller must be the only writer of ``path``; in return one that a killed process
    left behind is replaced instead of piling up.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.tmp")
    with suppress(FileNotFoundError):
        os.unlink(temporary)  # a left-over keeps its own permissions, or is a link: never write into it
    try:
        with io.FileIO(temporary, "x") as file:
            if permissions is not None:
                os.chmod(temporary, permissions)
            write_at(file, 0, data)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(folder)
