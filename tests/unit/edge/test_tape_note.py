"""The note beside a tape, as bytes and back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spycatcher_addon.edge.tape_note import NOTE_BYTES, Note, NoteState, encode_note, parse_note

NOTE = Note(NoteState.APPENDING, good_length=1200, next_length=4096, is_empty=False, pid=77)


@pytest.mark.parametrize(
    "note",
    [NOTE, replace(NOTE, state=NoteState.COMPLETE), replace(NOTE, is_empty=True), replace(NOTE, next_length=2**63)],
)
def test_a_note_comes_back_and_always_has_the_same_size(note: Note) -> None:
    assert parse_note(encode_note(note)) == note
    assert len(encode_note(note)) == NOTE_BYTES


def test_a_note_cut_or_mixed_with_another_at_any_place_is_no_other_note() -> None:
    one, other = encode_note(NOTE), encode_note(replace(NOTE, state=NoteState.COMPLETE, good_length=98765, next_length=98765))
    for cut in range(NOTE_BYTES):
        assert parse_note(one[:cut]) is None
        assert parse_note(one[:cut] + b"\0" * (NOTE_BYTES - cut)) in (None, NOTE)
    assert parse_note(one[:-1]) is None
    assert parse_note(other) != NOTE


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"[]",
        b' {"spycatcher_tape_note":1,"state":"appending"}',
        b' {"spycatcher_tape_note":1,"state":"resting","good_length":1,"next_length":2,"is_empty":false,"pid":3}',
        b' {"spycatcher_tape_note":1,"state":"appending","good_length":"1","next_length":2,"is_empty":false,"pid":3}',
        b' {"spycatcher_tape_note":1,"state":"appending","good_length":true,"next_length":2,"is_empty":false,"pid":3}',
        b' {"spycatcher_tape_note":1,"state":"appending","good_length":1,"next_length":2,"is_empty":0,"pid":3}',
        b' {"spycatcher_tape_note":1,"state":"appending","good_length":1,"next_length":2.5,"is_empty":false,"pid":3}',
        b' {"spycatcher_tape_note":2,"state":"appending","good_length":1,"next_length":2,"is_empty":false,"pid":3}',
        b' {"spycatcher_tape_note":1,"\xff',
    ],
)
def test_what_is_not_a_note_counts_as_none(text: bytes) -> None:
    assert parse_note(text.ljust(NOTE_BYTES)) is None
