"""Lines of findings, in every layout a cassette can have."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from spycatcher_addon.cassette.model import Cassette, NonStreamResponse
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.verifying.tape_text import TapeText
from tests.support.tape_samples import HASHING, sample_interaction
from tests.support.verify_tapes import TRANSCRIPT, stream, tape_of

SECRET = 'fake "quoted" \\ secret'


def tape() -> bytes:
    first, second = sample_interaction(0), sample_interaction(1)
    body = json.dumps({"a": "ä", "nested": json.dumps({"key": SECRET}), "z": 1}).encode()
    second = replace(second, response=NonStreamResponse(200, (("content-type", "application/json"), ("x-other", SECRET)), body))
    return encode_cassette(Cassette(2, (first, second), HASHING, "spycatcher-harness"))


def line_of(data: bytes, text: str) -> int:
    """The only line of a file with a text."""
    (found,) = [number for number, line in enumerate(data.decode().splitlines(), 1) if text in line]
    return found


LAYOUTS = {
    "own": tape(),
    "indented": json.dumps(json.loads(tape()), indent=4).encode(),
    "turned": json.dumps(dict(reversed(json.loads(tape()).items())), indent=1, ensure_ascii=False).encode(),
}


@pytest.mark.parametrize("data", LAYOUTS.values(), ids=LAYOUTS)
def test_lines_of_members(data: bytes) -> None:
    text = TapeText(data)
    lines = data.decode().splitlines()
    for index in (0, 1):
        line = text.line(index, ("request", "stable_hash"))
        assert line is not None
        assert sample_interaction(index).request.stable_hash in lines[line - 1]
    assert text.line(None, ("hashing", "ignore_paths")) == line_of(data, '"ignore_paths"')
    assert text.line(None, ()) == 1
    header = text.line(1, ("response", "headers", 1))
    assert header is not None
    assert "x-other" in "".join(lines[header - 1 : header + 1])


@pytest.mark.parametrize("data", LAYOUTS.values(), ids=LAYOUTS)
def test_a_sought_text_has_its_own_line_however_deep_it_is_escaped(data: bytes) -> None:
    text = TapeText(data)
    assert (
        text.line(1, ("response", "headers"), SECRET)
        == [number for number, line in enumerate(data.decode().splitlines(), 1) if json.dumps(SECRET) in line][0]
    )
    assert text.line(1, ("response", "body"), SECRET) == line_of(data, '"nested"')


@pytest.mark.parametrize("data", LAYOUTS.values(), ids=LAYOUTS)
def test_a_path_leads_as_far_as_it_can(data: bytes) -> None:
    text = TapeText(data)
    assert text.line(0, ("request", "body", "no", 3)) == text.line(0, ("request", "body"))
    assert text.line(0, ("request", "body"), "nowhere") == text.line(0, ("request", "body"))
    assert text.line(2, ("request",)) is None


def test_one_long_line() -> None:
    text = TapeText(json.dumps(json.loads(tape())).encode())
    assert {text.line(index, ("request",), SECRET) for index in (None, 0, 1)} == {1}


def test_what_a_checkout_does_to_a_file_does_not_move_lines() -> None:
    data = tape()
    changed = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")
    for path in (("request", "headers", 0), ("metadata",)):
        assert TapeText(changed).line(1, path) == TapeText(data).line(1, path)


def test_what_the_file_holds() -> None:
    document = json.loads(tape())
    for data in LAYOUTS.values():
        text = TapeText(data)
        assert list(text.elements()) == document["interactions"]
        assert json.loads(text.element_bytes(1)) == document["interactions"][1]
        assert text.head() == {key: value for key, value in document.items() if key != "interactions"}
    empty = TapeText(encode_cassette(Cassette(2)))
    assert list(empty.elements()) == []


def test_a_text_may_stand_beside_what_was_searched() -> None:
    data = tape_of(stream(raw_transcript=TRANSCRIPT + b"data: HERE", timing=None))
    line = TapeText(data).line(0, ("response", "events"), "HERE")
    assert line is not None and "HERE" in data.decode().split("\n")[line - 1]
