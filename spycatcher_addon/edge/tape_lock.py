"""The lock file beside a tape: one writer at a time. It also holds the tape's note (:mod:`spycatcher_addon.edge.tape_note`).

The system lock is taken on our own descriptor with ``filelock.lock_descriptor``: ``filelock.FileLock`` opens the file
itself and, in some versions, empties it, which would lose the note. Two descriptors exclude each other whether they
belong to two processes or to one, and the system lets go of a killed process's lock.

Knows nothing of what is on the tape.
"""

from __future__ import annotations

import io
import os
from contextlib import suppress
from typing import Self

from filelock import lock_descriptor

from spycatcher_addon.edge.disk import sync_folder, write_at
from spycatcher_addon.edge.tape_note import NOTE_BYTES, Note, NoteState, encode_note, lock_path, may_be_note, note_in, read_note
from spycatcher_addon.errors import HarnessIOError

_ACQUIRE_ATTEMPTS = 100
"""How often the lock file may vanish between opening and locking it; more than once in a row is rare already."""


class TapeLock:
    """The right to write one tape, held until :meth:`release`."""

    def __init__(self, path: str, file: io.FileIO, note: Note | None) -> None:
        self._path = path
        self._file = file
        self.note = note
        """The note as found, or as last written."""

    @classmethod
    def acquire(cls, tape: str) -> Self:
        """Take the lock at once or not at all; the tape is not touched, nor the note of another writer.

        Raises:
            HarnessIOError: Another recorder holds it, or the lock file cannot be made or is something else.
        """
        path = lock_path(tape)
        for _ in range(_ACQUIRE_ATTEMPTS):
            try:
                file = io.FileIO(path, "r+", opener=_open_or_create)
            except OSError as error:
                raise _cannot_lock(tape, path, error) from error
            try:
                if not lock_descriptor(file.fileno(), blocking=False):
                    raise _held_by_another(tape, read_note(tape))
                # The last holder removes the file while it still holds it: what was opened just before that is a file
                # without a name, and a lock on it excludes nobody.
                if _is_still_at(file, path):
                    _require_own(file, tape, path)
                    return cls(path, file, note_in(file))
            except OSError as error:
                file.close()
                raise _cannot_lock(tape, path, error) from error
            except BaseException:
                file.close()
                raise
            file.close()
        raise _cannot_lock(tape, path, OSError("the file does not stay in its place"))

    @property
    def is_pending(self) -> bool:
        """Whether the note tells of an append whose outcome is open, so that the lock file must stay."""
        return self.note is not None and self.note.state is NoteState.APPENDING

    def write_note(self, note: Note, *, durable: bool) -> None:
        """Replace the note; with ``durable``, return only when it would survive a power failure.

        Raises:
            OSError: It may be torn now.
        """
        write_at(self._file, 0, encode_note(note))
        self.note = note
        if durable:
            os.fsync(self._file.fileno())

    def sync_entry(self) -> None:
        """Make the lock file's own existence survive a power failure."""
        sync_folder(os.path.dirname(self._path))

    def release(self) -> None:
        """Let go, and remove the lock file unless its note is still needed. Doing it twice is harmless."""
        if self._file.closed:
            return
        # POSIX: remove while holding, see acquire(). Windows refuses to remove an open file, ours or another's, so
        # there it is tried after closing and fails exactly when somebody else has come to hold it.
        should_remove = not self.is_pending
        if should_remove and os.name != "nt":
            with suppress(OSError):
                os.unlink(self._path)
        self._file.close()
        if should_remove and os.name == "nt":
            with suppress(OSError):
                os.unlink(self._path)


def _open_or_create(path: str, flags: int) -> int:
    # A link planted under this name must not make us write a note into what it points to.
    return os.open(path, flags | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _is_still_at(file: io.FileIO, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _require_own(file: io.FileIO, tape: str, path: str) -> None:
    """Refuse a file that is no lock file of ours: a tape may be called ``x.lock`` too."""
    file.seek(1)
    start = file.read(NOTE_BYTES) or b""
    if not may_be_note(start) or os.fstat(file.fileno()).st_size > NOTE_BYTES:
        raise HarnessIOError(
            f"cannot lock cassette {tape}: {path} exists and is not a lock file of this program; "
            "move that file away or choose another cassette name"
        )


def _held_by_another(tape: str, note: Note | None) -> HarnessIOError:
    holder = "another recorder" if note is None else f"another recorder (process {note.pid})"
    return HarnessIOError(f"cassette {tape} is in use: {holder} is writing to it; stop that one first or record to another cassette name")


def _cannot_lock(tape: str, path: str, error: OSError) -> HarnessIOError:
    return HarnessIOError(
        f"cannot lock cassette {tape}: {path}: {error.strerror or error}; recording needs a folder that can be written to, "
        "on a file system with locks"
    )
