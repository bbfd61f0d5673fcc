from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction
from spycatcher_addon.cassette.schema import EMPTY_TAIL, SEPARATOR, TAIL, encode_cassette, encode_interaction, parse_cassette
from spycatcher_addon.edge.tape_note import Note, NoteState, select_good_part
from spycatcher_addon.edge.tape_opening import OpenTape, open_tape, put_tail
from spycatcher_addon.errors import InvalidCassetteError, InvalidPointerPathError, UnsupportedCassetteFormatVersionError
from spycatcher_addon.version import GENERATOR
from tests.support.tape_samples import HASHING, sample_interaction
from tests.support.texts import assert_same_in_the_english_catalogue

ONE, TWO = sample_interaction(0), sample_interaction(1)
FORMAT_1 = {
    "format_version": 1,
    "interactions": [
        {
            "request": {
                "method": "POST",
                "path": "/v1/chat/completions",
                "query": "",
                "headers": [],
                "body": list(b'{"model":"m","metadata":1}'),
                "parsed_json": {"model": "m", "metadata": 1},
                "canonical_request": None,
                "stable_hash": "0" * 64,
            },
            "response": {"kind": "non_stream", "status": 200, "headers": [], "body": [0, 255], "parsed_json": None},
            "metadata": {
                "protocol_id": "openai_chat_completions",
                "upstream_id": "stub",
                "recorded_at": "2026-01-02T03:04:05Z",
                "relative_offset_ms": 0,
            },
        }
    ],
}


def tape_of(*interactions: Interaction, hashing: Hashing = HASHING) -> bytes:
    return encode_cassette(Cassette(2, interactions, hashing, "a recorder"))


def opened(path: Path, hashing: Hashing = HASHING, note: Note | None = None) -> OpenTape:
    tape = open_tape("NAME", str(path), hashing, note)
    tape.file.close()
    assert tape.length == path.stat().st_size
    assert tape.count == len(parse_cassette(path.read_bytes(), "NAME").interactions)
    assert_same_in_the_english_catalogue(*tape.notices)
    return tape


def test_a_missing_tape_is_created_empty_under_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    assert opened(path).notices == ()
    assert parse_cassette(path.read_bytes(), "") == Cassette(2, (), HASHING, GENERATOR)
    assert path.read_bytes().endswith(EMPTY_TAIL)
    assert os.listdir(tmp_path) == ["tape"]


@pytest.mark.parametrize("content", [tape_of(), tape_of(ONE), tape_of(ONE, TWO)])
def test_a_tape_as_a_recorder_leaves_it_is_not_written_to(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tape"
    path.write_bytes(content)
    os.utime(path, ns=(10**18, 10**18))
    assert opened(path).notices == ()
    assert path.read_bytes() == content
    assert path.stat().st_mtime_ns == 10**18


def test_settings_in_another_order_are_the_same_settings(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    content = tape_of(ONE, hashing=Hashing(("/a", "/b"), ("x", "y")))
    path.write_bytes(content)
    assert opened(path, Hashing(("/b", "/a", "/a"), ("y", "x"))).notices == ()
    assert path.read_bytes() == content


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize(
    ("case", "content"),
    [
        ("line ends", tape_of(ONE, TWO).replace(b"\n", b"\r\n")),
        ("line ends, empty", tape_of().replace(b"\n", b"\r\n")),
        ("byte order mark", b"\xef\xbb\xbf" + tape_of(ONE, TWO)),
        ("byte order mark, empty", b"\xef\xbb\xbf" + tape_of()),
        ("minified", json.dumps(json.loads(tape_of(ONE, TWO))).encode()),
        ("four spaces", json.dumps(json.loads(tape_of(ONE)), indent=4).encode() + b"\n"),
        ("no final line end", tape_of(ONE)[:-1]),
        ("more at the end", tape_of(ONE)[:-2] + b',\n  "x": [\n    {\n    }\n  ]\n}\n'),
        ("more at the end, empty", tape_of()[:-2] + b',\n  "x": []\n}\n'),
    ],
)
def test_a_tape_in_another_layout_is_rewritten_once_with_its_permissions(tmp_path: Path, case: str, content: bytes) -> None:
    path = tmp_path / "tape"
    path.write_bytes(content)
    path.chmod(0o604)
    before = parse_cassette(content, "")
    (notice,) = opened(path).notices
    assert "rewrote it" in notice
    assert "NAME" in notice
    assert path.read_bytes() == encode_cassette(replace(before, generator=GENERATOR))
    assert path.stat().st_mode & 0o777 == 0o604
    assert os.listdir(tmp_path) == ["tape"]
    assert opened(path).notices == ()


def test_a_member_nobody_knows_survives_continuing(tmp_path: Path) -> None:
    """In the last interaction too, where the file is not what would be written, yet can be appended to."""
    path = tmp_path / "tape"
    marked = tape_of(ONE)[: -len(TAIL)].removesuffix(b"}").rstrip() + b',\n      "remark": "mine"\n    }' + TAIL
    assert len(parse_cassette(marked, "").interactions) == 1
    path.write_bytes(marked)
    assert opened(path).notices == ()
    assert path.read_bytes() == marked


def test_format_1_becomes_format_2_with_hashes_of_the_present_settings(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    path.write_bytes(json.dumps(FORMAT_1).encode())
    (before,) = parse_cassette(path.read_bytes(), "").interactions
    notices = opened(path).notices
    assert notices[0] == "cassette NAME was of format version 1; rewrote it as version 2"
    assert "other ignore paths or redaction rules" in notices[1]
    after = parse_cassette(path.read_bytes(), "")
    assert (after.format_version, after.hashing, after.generator) == (2, HASHING, GENERATOR)
    request = after.interactions[0].request
    assert request.stable_hash == stable_hash(canonicalize(before.request, IgnorePathConfig(HASHING.ignore_paths)))
    assert request.body == before.request.body
    assert after.interactions[0].response == before.response


def test_other_settings_give_other_hashes_and_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    path.write_bytes(tape_of(ONE, TWO))
    other = Hashing(("/messages",), ("authorization",))
    (notice,) = opened(path, other).notices
    assert "hashes of its 2 interactions anew" in notice
    after = parse_cassette(path.read_bytes(), "")
    assert after.hashing == other
    hashes = [interaction.request.stable_hash for interaction in after.interactions]
    assert hashes[0] == hashes[1] != ONE.request.stable_hash
    assert [interaction.response for interaction in after.interactions] == [ONE.response, TWO.response]
    assert opened(path, other).notices == ()


def test_an_empty_tape_takes_other_settings(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    path.write_bytes(tape_of())
    (notice,) = opened(path, Hashing(("/x",))).notices
    assert "was empty" in notice
    assert parse_cassette(path.read_bytes(), "").hashing == Hashing(("/x",))


@pytest.mark.parametrize(
    ("content", "hashing", "error"),
    [
        (b"", HASHING, InvalidCassetteError),
        (b"\0" * 2000, HASHING, InvalidCassetteError),
        (tape_of(ONE, TWO)[:-30], HASHING, InvalidCassetteError),
        (b"<<<<<<< HEAD\n" + tape_of(ONE), HASHING, InvalidCassetteError),
        (tape_of(ONE).replace(b'"format_version": 2', b'"format_version": 3'), HASHING, UnsupportedCassetteFormatVersionError),
        (tape_of(ONE), Hashing(("/messages/x",)), InvalidPointerPathError),
    ],
)
def test_a_tape_that_cannot_be_continued_is_left_as_it_was(
    tmp_path: Path, content: bytes, hashing: Hashing, error: type[Exception]
) -> None:
    path = tmp_path / "tape"
    path.write_bytes(content)
    os.utime(path, ns=(10**18, 10**18))
    complete = Note(NoteState.COMPLETE, 10**6, 10**6, is_empty=False, pid=1)
    for note in (None, complete):
        with pytest.raises(error):
            open_tape("NAME", str(path), hashing, note)
    assert path.read_bytes() == content
    assert path.stat().st_mtime_ns == 10**18
    assert os.listdir(tmp_path) == ["tape"]


@pytest.mark.parametrize("good", [tape_of(), tape_of(ONE)], ids=["first", "second"])
def test_a_tape_cut_at_any_byte_of_an_append_is_put_right(tmp_path: Path, good: bytes) -> None:
    """Bytes are written from the front, over the old brackets; the file may also have got its new length first."""
    is_empty = good == tape_of()
    new = tape_of(TWO) if is_empty else tape_of(ONE, TWO)
    start = len(good) - len(EMPTY_TAIL if is_empty else TAIL)
    note = Note(NoteState.APPENDING, len(good), len(new), is_empty, pid=1)
    path = tmp_path / "tape"
    whole = 0
    for cut in range(start, len(new) + 1):
        in_order = new[:cut] + good[cut:]
        length_first = new[:cut] + b"\0" * (len(new) - cut)
        shortened = new[:cut]
        for torn in (in_order, length_first, shortened):
            path.write_bytes(torn)
            tape = open_tape("NAME", str(path), HASHING, note)
            tape.file.close()
            content = path.read_bytes()
            if tape.count == len(parse_cassette(new, "").interactions):
                assert content == (new if not tape.notices else encode_cassette(replace(parse_cassette(new, ""), generator=GENERATOR)))
                whole += 1
            else:
                assert content == good
                assert bool(tape.notices) == (torn != good)
            assert tape.length == len(content)
    # Whole are the last cut (three times) and the one that lacks only the final line end (twice: as in order, shortened).
    assert whole == 5


def test_only_a_fitting_note_of_an_unfinished_append_vouches_for_a_torn_tape() -> None:
    good, torn = tape_of(ONE), tape_of(ONE, TWO)[:-40]
    note = Note(NoteState.APPENDING, len(good), len(torn) + 40, is_empty=False, pid=1)
    part = select_good_part(torn, note, "")
    assert part is not None
    assert (part.data, len(part.cassette.interactions)) == (good, 1)
    misfits = [
        None,
        replace(note, state=NoteState.COMPLETE),
        replace(note, good_length=len(good) - 1),
        replace(note, good_length=len(good) + 1),
        replace(note, good_length=0),
        replace(note, good_length=len(torn) + 100),
        replace(note, next_length=len(torn) - 1),
        replace(note, is_empty=True),
    ]
    for misfit in misfits:
        assert select_good_part(torn, misfit, "") is None
    assert select_good_part(torn.replace(b"question 0", b'question" 0'), note, "") is None


def test_the_old_brackets_are_put_back_at_the_old_place_and_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tape"
    good = tape_of(ONE)
    path.write_bytes(good[: -len(TAIL)] + SEPARATOR + encode_interaction(TWO)[:50])
    flushed, real_fsync = list[bytes](), os.fsync

    def fsync(descriptor: int) -> None:
        real_fsync(descriptor)
        flushed.append(path.read_bytes())

    monkeypatch.setattr(os, "fsync", fsync)
    with open(path, "r+b", buffering=0) as file:
        put_tail(file, len(good), TAIL)
        put_tail(file, len(good), TAIL)
    assert flushed == [good, good]
