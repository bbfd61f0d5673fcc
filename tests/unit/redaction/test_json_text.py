from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.cassette.pointers import parse_pointers
from spycatcher_addon.redaction.json_text import json_parts

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def scalars(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, dict):
        return [found for key, member in value.items() for found in scalars(member, (*path, key))]
    if isinstance(value, list):
        return [found for number, element in enumerate(value) for found in scalars(element, (*path, number))]
    return [(path, value)]


@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_every_scalar_is_given_with_its_place(value: Any, indent: int | None, is_ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    parts = [(part.path, json.loads(text[part.start : part.end])) for part in json_parts(text) if not part.is_name]
    assert parts == scalars(value)


@given(st.dictionaries(st.text(), st.integers()))
def test_every_name_is_given(value: dict[str, int]) -> None:
    text = json.dumps(value)
    assert [json.loads(text[part.start : part.end]) for part in json_parts(text) if part.is_name] == list(value)


@pytest.mark.parametrize(
    ("pointer", "named"),
    [
        ("/a", ['{"b":[1,{"c":"x"}]}']),
        ("/a/b/1", ['{"c":"x"}']),
        ("/a/b/*/c", ['"x"']),
        ("/a/b/*", ["1", '{"c":"x"}']),
        ("/d", ['"y"']),
        ("/nope", []),
        ("/a/b/c", []),
    ],
)
def test_named_values_are_given_whole(pointer: str, named: list[str]) -> None:
    text = '{"a": {"b":[1,{"c":"x"}]}, "d": "y"}'
    parts = list(json_parts(text, parse_pointers([pointer])))
    found = [text[part.start : part.end] for part in parts if part.is_named]
    assert found == [value if pointer != "/a" else '{"b":[1,{"c":"x"}]}' for value in named]
    assert not any(one.start <= other.start and other.end < one.end for one in parts for other in parts if one.is_named)
    assert all(part.is_string(text) == (text[part.start] == '"') for part in parts)


def test_nested_pointers_give_the_outer_value_once() -> None:
    text = '{"a":{"b":"x"}}'
    assert [part.path for part in json_parts(text, parse_pointers(["/a", "/a/b"])) if part.is_named] == [("a",)]
