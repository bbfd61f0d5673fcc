"""The one writer of a cassette, which appends to it.

Decides when a file may be written, cut back or rewritten, never what is in it: the bytes come from and go through
``cassette.schema``. The rules a file follows while it is appended to are in docs/cassette-format.md.

An append overwrites the closing brackets with the new interaction and new closing brackets. Whatever moment it is cut
at, the bytes before the old brackets are whole, and the note in the lock file says how many they are.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import Self

from spycatcher_addon.cassette.model import Hashing, Interaction
from spycatcher_addon.cassette.schema import FIRST, SEPARATOR, TAIL, encode_interaction
from spycatcher_addon.edge.disk import write_at
from spycatcher_addon.edge.tape_lock import TapeLock
from spycatcher_addon.edge.tape_note import Note, NoteState
from spycatcher_addon.edge.tape_opening import OpenTape, open_tape, put_tail, tail_after
from spycatcher_addon.edge.tape_reading import count_of, identity_of, io_error, resolve_path, version_of
from spycatcher_addon.errors import HarnessIOError


class CassetteWriter:
    """The one recorder of a tape, from :meth:`open` to :meth:`close`."""

    def __init__(self, name: str, target: str, tape: OpenTape, lock: TapeLock) -> None:
        """For :meth:`open`, which is the way to get one."""
        self._name = name
        self._target = target
        self._file = tape.file
        self._lock = lock
        self._length = tape.length
        self._count = tape.count
        self._is_torn = False
        status = os.fstat(tape.file.fileno())
        self._identity, self._version = identity_of(status), version_of(status)
        self._turn = threading.Lock()
        self.notices = tape.notices
        """What opening had to do to the tape (repair, conversion), for people; usually empty."""

    @classmethod
    def open(cls, path: str | os.PathLike[str], hashing: Hashing) -> Self:
        """Lock a tape, prove that it can be written and bring it into a shape that can be appended to.

        A missing tape is created, with its folders. A tape cut inside an append is cut back to its last whole
        interaction. One of format version 1, of another layout, or hashed under settings other than ``hashing`` is
        rewritten once, in one step and with its permissions.

        Raises:
            HarnessIOError: Another recorder holds the tape, or the system refuses; nothing was changed.
            InvalidCassetteError: Damaged; left byte for byte as it was.
            UnsupportedCassetteFormatVersionError: Written by something newer; left as it was.
            InvalidPointerPathError: An ignore path does not fit a recorded body; left as it was.
        """
        name = os.fspath(path)
        target = resolve_path(name)
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
        except OSError as error:
            raise io_error("create the folder of", name, error) from error
        lock = TapeLock.acquire(target)
        try:
            tape = open_tape(name, target, hashing, lock.note)
        except OSError as error:
            lock.release()
            raise io_error("record to", name, error) from error
        except BaseException:
            lock.release()
            raise
        writer = cls(name, target, tape, lock)
        try:
            # From here on the lock file has its disk block, and notes never need a new one.
            lock.write_note(writer._note(NoteState.COMPLETE, tape.length), durable=True)
            lock.sync_entry()
        except OSError as error:
            writer.close()
            raise io_error("write the lock file of", name, error) from error
        return writer

    @property
    def interaction_count(self) -> int:
        """Interactions on the tape, those of earlier recordings included."""
        return self._count

    def append(self, interaction: Interaction) -> None:
        """Put one interaction at the end of the tape; return when it would survive a power failure.

        Blocks on the disk (call it in a worker thread) for a time that does not depend on the length of the tape.
        Calls from several threads take turns.

        Raises:
            HarnessIOError: The disk is full or fails, or something else changed or removed the tape. The tape is as
                it was and this interaction is not on it; a later call may succeed.
        """
        block = encode_interaction(interaction)
        with self._turn:
            if self._file.closed:
                raise HarnessIOError(f"cannot append to cassette {self._name}: recording to it has ended")
            self._require_untouched()
            new = (SEPARATOR if self._count else FIRST) + block + TAIL
            start = self._length - len(self._tail)
            try:
                if self._is_torn:
                    self._restore()
                self._lock.write_note(self._note(NoteState.APPENDING, start + len(new)), durable=True)
            except OSError as error:
                raise self._append_error(error) from error
            try:
                write_at(self._file, start, new)
                os.fsync(self._file.fileno())
            except BaseException as error:
                self._is_torn = True
                with suppress(OSError):  # then the tape stays torn, with its note, until the next append or recorder
                    self._restore()
                if isinstance(error, OSError):
                    raise self._append_error(error) from error
                raise
            self._length = start + len(new)
            self._count += 1
            self._version = version_of(os.fstat(self._file.fileno()))
            self._note_complete()

    def close(self) -> None:
        """Give the tape up, removing the lock file unless it is still needed for a repair. A second call does nothing."""
        with self._turn:
            if self._file.closed:
                return
            if self._is_torn:
                with suppress(OSError):  # the lock file stays and the next recorder repairs the tape
                    self._restore()
            self._file.close()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _tail(self) -> bytes:
        return tail_after(self._count)

    def _note(self, state: NoteState, next_length: int) -> Note:
        return Note(state, self._length, next_length, is_empty=not self._count, pid=os.getpid())

    def _note_complete(self) -> None:
        # Neither flushed nor insisted on: the interaction is on disk, and a whole tape is trusted whatever the note.
        with suppress(OSError):
            self._lock.write_note(self._note(NoteState.COMPLETE, self._length), durable=False)

    def _restore(self) -> None:
        """Undo a partial append. Needs no disk space: the old brackets go where bytes already are."""
        put_tail(self._file, self._length, self._tail)
        self._is_torn = False
        self._version = version_of(os.fstat(self._file.fileno()))
        self._note_complete()

    def _require_untouched(self) -> None:
        """Refuse a tape that an editor, a checkout or a formatter has had in hand since our last write.

        Writing at the remembered place would destroy what they made of it, or go to a file that has lost its name.
        """
        try:
            status = os.stat(self._target)
        except OSError:
            happened = "removed or moved"
        else:
            if identity_of(status) != self._identity:
                happened = "replaced by another file"
            elif not self._is_torn and version_of(status) != self._version:
                happened = "changed by another program"
            else:
                return
        raise HarnessIOError(
            f"cannot append to cassette {self._name}: it was {happened} while it was being recorded, and is left alone; "
            f"interaction {self._count} was not recorded. Start recording again to continue from what is there now"
        )

    def _append_error(self, error: OSError) -> HarnessIOError:
        return HarnessIOError(
            f"cannot append to cassette {self._name}: {error.strerror or error}; this interaction was not "
            f"recorded, the {count_of(self._count)} before it can still be read. Make room or mend the disk, then send "
            "the request again"
        )
