"""Lines of interactions in files of any layout."""

from __future__ import annotations

import json

import pytest

from spycatcher_addon.cassette.lines import interaction_lines
from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.version import GENERATOR
from tests.support.tape_samples import HASHING, sample_interaction

TAPE = encode_cassette(Cassette(2, tuple(map(sample_interaction, range(4))), HASHING, GENERATOR))


def test_lines_of_a_file_as_the_harness_prints_it() -> None:
    lines = interaction_lines(TAPE)
    assert len(lines) == 4
    text = TAPE.decode().split("\n")
    assert [text[line - 1] for line in lines] == ["    {"] * 4
    assert all('"request"' in text[line] for line in lines)


@pytest.mark.parametrize("indent", [1, 3, 4])
def test_lines_of_other_layouts(indent: int) -> None:
    data = json.dumps(json.loads(TAPE), indent=indent).encode()
    text = data.decode().split("\n")
    lines = interaction_lines(data)
    assert len(lines) == 4
    assert [text[line - 1].strip() for line in lines] == ["{"] * 4
    assert all('"request"' in text[line] for line in lines)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ()),
        (b'{"interactions": []}', ()),
        (b'{"interactions": [{}, {"a": [{}]},\n{}]}', (1, 1, 2)),
        (b'{"other": [{}], "interactions":\n[\n{"x": "{[\\"\n"}]}', (3,)),
        (b'{"x": {"interactions": [{}]}}', ()),
        (b'{"interactions": [{"torn', (1,)),
        (b"]]]]{[", ()),
    ],
)
def test_odd_files(data: bytes, expected: tuple[int, ...]) -> None:
    assert interaction_lines(data) == expected


def test_crlf_files_count_the_same() -> None:
    assert interaction_lines(TAPE.replace(b"\n", b"\r\n")) == interaction_lines(TAPE)


def test_other_arrays_in_a_file_as_the_harness_prints_it_do_not_count() -> None:
    document = json.loads(TAPE)
    more = {"format_version": 2, "a": [{"b": 1}]} | document | {"z": [{"b": 1}]}
    data = json.dumps(more, indent=2).encode()
    lines = interaction_lines(data)
    assert len(lines) == 4
    text = data.decode().split("\n")
    assert all('"request"' in text[line] for line in lines)
    assert data.startswith(TAPE[:25]), "the quick way was taken"


def test_a_torn_file_has_those_that_are_there() -> None:
    lines = interaction_lines(TAPE)
    cut = TAPE[: TAPE.rindex(b'"response"')]
    assert interaction_lines(cut) == lines
