from __future__ import annotations

import json
from pathlib import Path

import pytest

from spycatcher_addon.cassette.diff import Difference, DifferenceKind, common_prefix_length, diff_summary, differences, excerpt
from spycatcher_addon.cassette.jsontext import JsonValue, parse_json

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "canonical-vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", VECTORS["diffs"], ids=lambda vector: vector["summary"][:40] or "equal")
def test_golden_diffs(vector: dict[str, str]) -> None:
    found = differences(parse_json(vector["expected"].encode()), parse_json(vector["observed"].encode()))
    assert diff_summary(found) == vector["summary"]
    assert [difference.line for difference in found] == (vector["summary"].split("\n") if vector["summary"] else [])


@pytest.mark.parametrize(
    ("expected", "observed", "summary"),
    [
        (True, 1, "changed: (root): true -> 1"),
        ([1, {"a": False}], [1, {"a": 0}], "changed: [1].a: false -> 0"),
        (None, {}, "changed: (root): null -> {...}"),
        ({"a": []}, {"a": {}}, "changed: a: [...] -> {...}"),
        ({"\uff5e": 1, "\U0001f600": 1}, {}, "removed: \uff5e\nremoved: \U0001f600"),
        ({"a": 1e-6}, {"a": "x"}, 'changed: a: 1e-6 -> "x"'),
        ({"a": 0.0}, {"a": -0.0}, ""),
    ],
)
def test_more_diffs(expected: JsonValue, observed: JsonValue, summary: str) -> None:
    assert diff_summary(differences(expected, observed)) == summary


def test_values_are_kept_beside_the_line() -> None:
    assert differences({"a": [1], "b": 1}, {"b": 2, "c": 3}) == (
        Difference(DifferenceKind.REMOVED, "a", [1], None),
        Difference(DifferenceKind.ADDED, "c", None, 3),
        Difference(DifferenceKind.CHANGED, "b", 1, 2),
    )


def test_an_excerpt_shows_long_strings_around_the_first_difference() -> None:
    expected, observed = "x" * 500 + "OLD" + "y" * 500, "x" * 500 + "NEW" + "y" * 500
    text = excerpt(differences({"m": expected}, {"m": observed}), max_value_chars=60)
    old, new = text.removeprefix("changed: m: ").split(" -> ")
    assert "OLD" in old and "NEW" in new
    assert old.startswith('"…xxx') and old.endswith('yyy…"')
    assert len(old) == len(new) == 60 + len('"……"')


@pytest.mark.parametrize(
    ("expected", "observed", "text"),
    [
        ("a" * 10, "b" * 11, f'changed: (root): "{"a" * 10}" -> "{"b" * 10}…"'),
        ("a" * 20, "a" * 19 + "b", f'changed: (root): "…{"a" * 10}" -> "…{"a" * 9}b"'),
        ("short", "short" * 5, 'changed: (root): "short" -> "…ortshortsh…"'),
        (None, "b" * 11, f'changed: (root): null -> "{"b" * 10}…"'),
    ],
)
def test_where_strings_are_cut(expected: JsonValue, observed: JsonValue, text: str) -> None:
    assert excerpt(differences(expected, observed), max_value_chars=10) == text


@pytest.mark.parametrize(("count", "last"), [(3, "removed: k2"), (4, "and 1 more difference"), (9, "and 6 more differences")])
def test_an_excerpt_counts_what_it_leaves_out(count: int, last: str) -> None:
    lines = excerpt(differences({f"k{index}": index for index in range(count)}, {}), max_lines=3).split("\n")
    assert lines[:3] == ["removed: k0", "removed: k1", "removed: k2"]
    assert lines[-1] == last


def test_an_excerpt_of_nothing_is_empty() -> None:
    assert excerpt(()) == ""


@pytest.mark.parametrize(
    ("left", "right", "length"), [("", "", 0), ("a", "b", 0), ("abc", "abd", 2), ("ab", "abc", 2), ("x" * 999 + "y", "x" * 1000, 999)]
)
def test_common_prefix_length(left: str, right: str, length: int) -> None:
    assert common_prefix_length(left, right) == length
