from __future__ import annotations

import pytest

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.nearest import MAX_CANDIDATE_BYTES, MAX_CANDIDATES, distance, find_nearest


class Tape:
    """Recorded values that count how often they are read."""

    def __init__(self, values: list[JsonValue], sizes: list[int] | None = None) -> None:
        self.values = values
        self.sizes = [len(str(value)) for value in values] if sizes is None else sizes
        self.used = bytearray(len(values))
        self.read: list[int] = []

    def load(self, index: int) -> JsonValue:
        self.read.append(index)
        return self.values[index]

    def nearest(self, observed: JsonValue, place: int = 0) -> int | None:
        return find_nearest(observed, len(str(observed)), self.sizes, self.used, place, self.load)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({"a": [1, "x"]}, {"a": [1, "x"]}, 0.0),
        ("abcd", "abXd", 0.25),
        ("", "x", 1.0),
        ("aa", "aaa", pytest.approx(1 / 3)),
        (1, "1", 1.0),
        ({"a": 1, "b": 2}, {"a": 1, "c": 2}, pytest.approx(2 / 3)),
        ([1, 2, 3, 4], [1, 9, 3, 4], 0.25),
        ([1, 2, 3], [1, 7, 2, 3], 0.25),
        ([], [1], 1.0),
        ([{"role": "user", "content": "abcd"}], [{"role": "user", "content": "abXd"}], 0.125),
    ],
)
def test_distance(left: JsonValue, right: JsonValue, expected: float) -> None:
    assert distance(left, right) == expected
    assert distance(right, left) == expected


def test_the_most_similar_value_wins() -> None:
    tape = Tape(["hello world", "what is the capital of France?", "goodbye"])
    assert tape.nearest("What is the capital of France?") == 1


def test_an_empty_tape_has_no_nearest() -> None:
    assert Tape([]).nearest("x") is None


def test_unused_is_preferred_unless_the_used_one_is_clearly_nearer() -> None:
    tape = Tape(["question one", "question one", "z"])
    tape.used[0] = 1
    assert tape.nearest("question one!", place=0) == 1
    tape = Tape(["question one", "z"])
    tape.used[0] = 1
    assert tape.nearest("question one!", place=1) == 0


def test_of_equally_near_ones_the_one_whose_turn_it_is_wins() -> None:
    assert Tape(["same"] * 9).nearest("same?", place=5) == 5


def test_a_long_tape_is_searched_around_the_place_and_by_size_and_no_further() -> None:
    values: list[JsonValue] = [f"{index} " + "x" * (index // 10) for index in range(10_000)]
    tape = Tape(values)
    assert tape.nearest("4000 " + "y" * 3 + "x" * 397, place=4001) == 4000
    assert tape.nearest("9876 " + "y" * 3 + "x" * 984, place=0) == 9876
    assert len(tape.read) <= 2 * MAX_CANDIDATES
    assert len(set(tape.read[:MAX_CANDIDATES])) == MAX_CANDIDATES


def test_no_more_bytes_are_read_than_allowed_but_one_is_always_compared() -> None:
    tape = Tape(["a", "b", "c"], sizes=[MAX_CANDIDATE_BYTES * 2] * 3)
    assert tape.nearest("c") == 0
    assert tape.read == [0]
    tape = Tape(["a", "b", "c"], sizes=[MAX_CANDIDATE_BYTES // 2] * 3)
    assert tape.nearest("c") == 0
    assert tape.read == [0, 1]
