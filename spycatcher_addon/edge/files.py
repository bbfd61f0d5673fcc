"""Cassettes on disk: reading one without touching it, and the one writer that appends to it.

Decides when a file may be written, cut back or rewritten, never what is in it: the bytes come from and go through
``cassette.schema``. The rules a file follows while it is appended to are in docs/cassette-format.md.

An append overwrites the closing brackets with the new interaction and new closing brackets. Whatever moment it is cut
at, the bytes before the old brackets are whole, and the note in the lock file says how many they are.
"""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction
from spycatcher_addon.cassette.schema import FIRST, SEPARATOR, TAIL, encode_interaction, parse_cassette
from spycatcher_addon.edge.disk import read_regular_file, write_at
from spycatcher_addon.edge.tape_lock import Note, NoteState, TapeLock, read_note
from spycatcher_addon.edge.tape_opening import OpenTape, count_of, open_tape, put_tail, select_good_part, tail_after
from spycatcher_addon.errors import CassetteNotFoundError, HarnessIOError, InvalidCassetteError
from spycatcher_addon.notices import Notice

_READ_ATTEMPTS = 20
"""How often a reader starts again because a recorder was appending under its eyes."""

type _Identity = tuple[int, int]
type _Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LoadedCassette:
    """A tape as read, and what its reader should be told."""

    cassette: Cassette
    warnings: tuple[str, ...] = ()


def read_cassette(path: str | os.PathLike[str]) -> LoadedCassette:
    """Load a tape; nothing is written, locked or created, and a recorder may be appending meanwhile.

    Returns:
        The whole tape; or, with a warning, its good part when an append to it is unfinished.

    Raises:
        CassetteNotFoundError: No such file or folder; names the last path component only.
        InvalidCassetteError: Damaged in any other way than by a cut append.
        UnsupportedCassetteFormatVersionError: Written by something newer.
        HarnessIOError: The system will not let it be read.
    """
    name = os.fspath(path)
    target = _resolve(name)
    for _ in range(_READ_ATTEMPTS):
        data, status = _read_existing(name, target)
        try:
            return LoadedCassette(parse_cassette(data, name))
        except InvalidCassetteError as error:
            damage = error
        good = select_good_part(data, read_note(target), name)
        if good is not None:
            count = len(good.cassette.interactions)
            warning = (
                f"cassette {name} ends in an append that is unfinished; read the {count_of(count)} before it. "
                "Unless a recorder is at work on it now, `spycatcher-harness record` with this cassette repairs it"
            )
            return LoadedCassette(good.cassette, (Notice("notice-tape-unfinished", warning, path=name, count=count),))
        # The file and its note are read one after the other; between the two a recorder may have moved on.
        if not _has_changed(target, status):
            break
    raise damage


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
        self._identity, self._version = _identity(status), _version(status)
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
        target = _resolve(name)
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
        except OSError as error:
            raise _io_error("create the folder of", name, error) from error
        lock = TapeLock.acquire(target)
        try:
            tape = open_tape(name, target, hashing, lock.note)
        except OSError as error:
            lock.release()
            raise _io_error("record to", name, error) from error
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
            raise _io_error("write the lock file of", name, error) from error
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
            self._version = _version(os.fstat(self._file.fileno()))
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
        self._version = _version(os.fstat(self._file.fileno()))
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
            if _identity(status) != self._identity:
                happened = "replaced by another file"
            elif not self._is_torn and _version(status) != self._version:
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


def _resolve(name: str) -> str:
    """The file behind a path: a linked tape is written where it is, and all its names share one lock."""
    try:
        return os.path.realpath(name)
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        raise HarnessIOError(f"cannot use {name!r} as a cassette path: {error}; give another path") from error


def _read_existing(name: str, target: str) -> tuple[bytes, os.stat_result]:
    try:
        return read_regular_file(target)
    except FileNotFoundError as error:
        raise CassetteNotFoundError(os.path.basename(os.path.normpath(name))) from error
    except OSError as error:
        raise _io_error("read", name, error) from error


def _io_error(action: str, name: str, error: OSError) -> HarnessIOError:
    advice = "make room on the disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "check the path and its permissions"
    return HarnessIOError(f"cannot {action} cassette {name}: {error.strerror or error}; {advice}")


def _identity(status: os.stat_result) -> _Identity:
    """Which file it is."""
    return status.st_dev, status.st_ino


def _version(status: os.stat_result) -> _Version:
    """Which content it has, as far as can be told without reading."""
    return status.st_size, status.st_mtime_ns


def _has_changed(target: str, before: os.stat_result) -> bool:
    try:
        now = os.stat(target)
    except OSError:
        return True
    return (_identity(now), _version(now)) != (_identity(before), _version(before))
