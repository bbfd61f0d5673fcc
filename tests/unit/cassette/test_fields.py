from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spycatcher_addon.cassette.fields import (
    MalformedFieldError,
    as_object,
    depth_exceeds,
    found,
    headers_at,
    integer_at,
    join,
    list_at,
    mentions_surrogates,
    object_at,
    optional_text_at,
    reject_lone_surrogates,
    shown,
    step,
    text_at,
    texts_at,
)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "a boolean"),
        (1, "an integer"),
        (1.0, "a number with a fraction or exponent"),
        ("", "a string"),
        ([], "an array"),
        ({}, "an object"),
    ],
)
def test_types_are_named(value: Any, name: str) -> None:
    assert found(value) == name


@pytest.mark.parametrize(("place", "key", "path"), [("a", "b", "a.b"), ("", "b", "b"), ("a", "", "a"), ("", "", "")])
def test_paths_are_joined(place: str, key: str, path: str) -> None:
    assert join(place, key) == path


@pytest.mark.parametrize("word", ["a", "non_stream", "compact-ascii", "indent2", "relative_offset_ms"])
def test_words_of_a_format_are_shown(word: str) -> None:
    assert (shown(word), step(word)) == (repr(word), word)


@pytest.mark.parametrize("text", ["", "sk-fake0123456789", "GET", "AKIAFAKE0123", "two words", "a.b", "x" * 40, "é", "a\n"])
def test_what_may_be_anything_is_not(text: str) -> None:
    """It may be a secret that stands in the wrong place."""
    assert (shown(text), step(text)) == (f"a text of {len(text)} characters", "*")


def test_good_fields_are_read() -> None:
    members: dict[str, Any] = {"o": {}, "l": [1], "t": "x", "ts": ["a"], "n": None, "i": 5, "headers": [["a", "b"], ["a", "c"]]}
    assert as_object(members, "") is members
    assert object_at(members, "o", "") == {}
    assert list_at(members, "l", "") == [1]
    assert text_at(members, "t", "") == "x" == optional_text_at(members, "t", "")
    assert optional_text_at(members, "n", "") is optional_text_at(members, "absent", "") is None
    assert texts_at(members, "ts", "") == ["a"]
    assert integer_at(members, "i", "", 5) == 5
    assert headers_at(members, "") == (("a", "b"), ("a", "c"))


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (object_at, [], "p.k: expected an object, found an array"),
        (list_at, {}, "p.k: expected an array, found an object"),
        (text_at, None, "p.k: expected a string, found null"),
        (optional_text_at, 3, "p.k: expected a string, found an integer"),
        (texts_at, ["a", None], "p.k[1]: expected a string, found null"),
        (integer_at, True, f"p.k: expected an integer from 0 to {2**64 - 1}, found a boolean"),
        (integer_at, 1.0, f"p.k: expected an integer from 0 to {2**64 - 1}, found a number with a fraction or exponent"),
        (integer_at, -1, f"p.k: expected an integer from 0 to {2**64 - 1}, found -1"),
        (integer_at, 10**400, f"p.k: expected an integer from 0 to {2**64 - 1}, found one of more than 20 digits"),
    ],
)
def test_wrong_fields_are_named(read: Callable[..., Any], value: Any, message: str) -> None:
    with pytest.raises(MalformedFieldError) as caught:
        read({"k": value}, "k", "p")
    assert f"{caught.value.place}: {caught.value.problem}" == message


@pytest.mark.parametrize("read", [object_at, list_at, text_at, texts_at, integer_at])
def test_missing_fields_are_named(read: Callable[..., Any]) -> None:
    with pytest.raises(MalformedFieldError) as caught:
        read({}, "k", "p")
    assert (caught.value.place, caught.value.problem) == ("p.k", "missing")


@pytest.mark.parametrize("pair", [["a"], ["a", "b", "c"], ["a", 1], "ab", {"a": "b"}, None])
def test_a_header_is_a_pair_of_strings(pair: Any) -> None:
    with pytest.raises(MalformedFieldError) as caught:
        headers_at({"headers": [["a", "b"], pair]}, "request")
    assert caught.value.place == "request.headers[1]"


@pytest.mark.parametrize(("data", "expected"), [(b'"\\ud83d\\ude00"', True), (b'"\\uDFFF"', True), (b'"\\u00e9"', False), (b"", False)])
def test_surrogate_escapes_are_found(data: bytes, expected: bool) -> None:
    assert mentions_surrogates(data) is expected


def test_lone_surrogates_are_refused_wherever_they_stand() -> None:
    reject_lone_surrogates({"a": ["😀", 1, None]}, "x")
    with pytest.raises(MalformedFieldError) as caught:
        reject_lone_surrogates({"a": ["😀", {"b": "\ud800"}]}, "x")
    assert caught.value.place == "x.a[1].b"
    with pytest.raises(MalformedFieldError):
        reject_lone_surrogates([{"\udc00": 1}], "x")


def test_depth() -> None:
    assert not depth_exceeds(1, 0)
    assert depth_exceeds([], 0)
    assert not depth_exceeds([[], {"a": 1}], 2)
    assert depth_exceeds([[], {"a": [1]}], 2)
