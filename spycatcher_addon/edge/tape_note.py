"""The note beside a tape: how long the tape was when it was last good.

Kept in the lock file by whoever holds the lock, and read by anyone: it tells a tape torn by a cut append from any other
damage. The note has a fixed size, so rewriting it needs no new disk block even on a full disk, and it is one small write: a
process killed at any moment leaves the old note or the new one. A note torn by a power failure does not parse and counts as
none.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from enum import StrEnum

from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.cassette.schema import EMPTY_TAIL, TAIL, parse_cassette
from spycatcher_addon.errors import HarnessError

NOTE_BYTES = 512
"""Size of the lock file: one sector."""

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
            return note_in(file)
    except OSError:
        return None


def may_be_note(data: bytes) -> bool:
    """Whether a lock file that holds ``data`` behind its first byte is one of ours, be it fresh or torn."""
    return _MAGIC[1:].startswith(data[: len(_MAGIC) - 1]) or not data.strip(b"\0")


def note_in(file: io.FileIO) -> Note | None:
    """Read the note from an open lock file; the first byte may be locked against that."""
    file.seek(1)
    return parse_note(b" " + (file.read(NOTE_BYTES) or b""))


@dataclass(frozen=True, slots=True)
class GoodPart:
    """What a torn tape was before the append that tore it."""

    data: bytes
    cassette: Cassette


def select_good_part(data: bytes, note: Note | None, name: str) -> GoodPart | None:
    """What a damaged tape held before an append of ours was cut short, or ``None`` when that is not what happened.

    Args:
        data: The file, which does not parse.
        note: From its lock file. Only a note of an unfinished append whose lengths fit vouches for anything.
        name: How to name the file in messages.
    """
    if note is None or note.state is not NoteState.APPENDING:
        return None
    tail = EMPTY_TAIL if note.is_empty else TAIL
    start = note.good_length - len(tail)
    if not 0 < start <= len(data) <= note.next_length:
        return None
    good = data[:start] + tail
    try:
        return GoodPart(good, parse_cassette(good, name))
    except HarnessError:
        return None
