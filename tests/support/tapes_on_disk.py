"""Tapes as files, whole and torn, and what a folder holds."""

from __future__ import annotations

from pathlib import Path

from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.edge.tape_note import Note, NoteState, encode_note, lock_path
from spycatcher_addon.version import GENERATOR
from tests.support.tape_samples import HASHING, sample_interaction


def tape_of(count: int) -> bytes:
    return encode_cassette(Cassette(2, tuple(sample_interaction(number) for number in range(count)), HASHING, GENERATOR))


def write_torn_tape(path: Path) -> tuple[bytes, bytes]:
    """A tape cut in its third append, with its note; returns the torn and the good bytes."""
    good, new = tape_of(2), tape_of(3)
    torn = new[: len(good) + 30]
    path.write_bytes(torn)
    note = Note(NoteState.APPENDING, len(good), len(new), is_empty=False, pid=1)
    Path(lock_path(str(path))).write_bytes(encode_note(note))
    return torn, good


def frozen(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
