"""The lock file beside a tape: one writer at a time, and a note of how long the tape was when it was last good.

The system lock is taken on our own descriptor with ``filelock.lock_descriptor``: ``filelock.FileLock`` opens the file
itself and, in some versions, empties it, which would lose the note. Two descriptors exclude each other whether they
belong to two processes or to one, and the system lets go of a killed process's lock.

The note has a fixed size, so rewriting it needs no new disk block even on a full disk, and it is one small write: a
process killed at any moment leaves the old note or the new one. A note torn by a power failure does not parse and
counts as none. Knows nothing of what is on the tape.
"""

from __future__ import annotations

import io
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from filelock import lock_descriptor

from spycatcher_addon.edge.disk import sync_folder, write_at
from spycatcher_addon.errors import HarnessIOError

NOTE_BYTES = 512
"""Size of the lock file: one sector."""

_ACQUIRE_ATTEMPTS = 100
"""How often the lock file may vanish between opening and locking it; more than once in a row is rare already."""

# The first byte is a blank that nobody needs: Windows locks byte 0 against reading by others.
_MAGIC = b' {"spycatcher_tape_note":1,'


class NoteState(StrEnum):
    """What the writer was doing when it wrote the note."""

    APPENDING = "appending"
    """Bytes past the good part may be half written."""
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class Note:
    """What a writer leaves for whoever finds its tape torn."""

    state: NoteState
    good_length: int
    """Bytes of the tape before the append, closing brackets included."""
    next_length: int
    """Bytes of the tape after the append; equals ``good_length`` when complete."""
    is_empty: bool
    """Whether the good tape held no interaction, so which closing brackets it ended with."""
    pid: int
    """The writer's process, for messages."""


def encode_note(note: Note) -> bytes:
    """The lock file's content: JSON, padded to :data:`NOTE_BYTES`."""
    fields = {
        "state": note.state.value,
        "good_length": note.good_length,
        "next_length": note.next_length,
        "is_empty": note.is_empty,
        "pid": note.pid,
    }
    text = _MAGIC + json.dumps(fields, separators=(",", ":"))[1:].encode()
    return text.ljust(NOTE_BYTES - 1) + b"\n"


def parse_note(data: bytes) -> Note | None:
    """Read a lock file's content; ``None`` for a fresh, torn or foreign one."""
    if len(data) != NOTE_BYTES or data[1 : len(_MAGIC)] != _MAGIC[1:]:
        return None
    try:
        fields = json.loads(data)
        note = Note(NoteState(fields["state"]), fields["good_length"], fields["next_length"], fields["is_empty"], fields["pid"])
    except (ValueError, KeyError, TypeError):
        return None
    numbers = (note.good_length, note.next_length, note.pid)
    return note if all(type(n) is int for n in numbers) and type(note.is_empty) is bool else None


def lock_path(tape: str) -> str:
    """Where the lock file of a tape is; ``tape`` is a path without symbolic links in it."""
    return f"{tape}.lock"


def read_note(tape: str) -> Note | None:
    """Read a tape's note without taking the lock; ``None`` when there is none that can be read."""
    try:
        with io.FileIO(lock_path(tape)) as file:
            return _read(file)
    except OSError:
        return None


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
                    return cls(path, file, _read(file))
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


def _read(file: io.FileIO) -> Note | None:
    file.seek(1)
    return parse_note(b" " + (file.read(NOTE_BYTES) or b""))


def _is_still_at(file: io.FileIO, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _require_own(file: io.FileIO, tape: str, path: str) -> None:
    """Refuse a file that is no lock file of ours: a tape may be called ``x.lock`` too."""
    file.seek(1)
    start = file.read(NOTE_BYTES) or b""
    is_note = _MAGIC[1:].startswith(start[: len(_MAGIC) - 1]) or not start.strip(b"\0")
    if not is_note or os.fstat(file.fileno()).st_size > NOTE_BYTES:
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
