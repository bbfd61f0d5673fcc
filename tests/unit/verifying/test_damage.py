"""The line of a damage, for files that cannot be read as cassettes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.cassette.schema import encode_cassette, parse_cassette
from spycatcher_addon.errors import InvalidCassetteError
from spycatcher_addon.verifying.damage import line_of_damage
from tests.support.tape_samples import HASHING, sample_interaction

GOOD = encode_cassette(Cassette(2, (sample_interaction(0), sample_interaction(1)), HASHING))
LINES = GOOD.splitlines(keepends=True)
SECOND_HASH = next(number for number in range(len(LINES) - 1, 0, -1) if b'"sha256"' in LINES[number])


def damage(data: bytes) -> int | None:
    with pytest.raises(InvalidCassetteError) as caught:
        parse_cassette(data, "line 99")
    return line_of_damage(caught.value.message.removeprefix("line 99: "), data)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda: b"".join(LINES[:20]), 20),
        (lambda: b"".join([*LINES[:8], b"<<<<<<< ours\n", *LINES[8:]]), 9),
        (lambda: b"".join([*LINES[:8], b"\0" * 40]), 9),
        (lambda: b"".join([*LINES[:8], b"oops\n", *LINES[8:]]), 9),
        (lambda: b"".join([*LINES[:SECOND_HASH], LINES[SECOND_HASH][:20] + b'0",\n', *LINES[SECOND_HASH + 1 :]]), SECOND_HASH + 1),
    ],
    ids=["cut", "conflict", "zeros", "no JSON", "edited digest"],
)
def test_the_line_is_told(change: Callable[[], bytes], line: int) -> None:
    assert damage(change()) == line


def test_damage_of_the_whole_has_no_line() -> None:
    assert damage(b"") is None
    assert damage(b'{"format_version": 2}') is None
    assert damage(json.dumps({"format_version": 2, "interactions": "none"}).encode()) is None


def test_what_is_not_even_json_has_none() -> None:
    assert line_of_damage("interactions[0].request: missing", b'{"interactions": [{"request": oops}]}') is None
    assert line_of_damage("interactions[7].request: missing", GOOD) is None
