from __future__ import annotations

import json
import random

from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.cassette import jsontext
from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonical_json, canonical_query, canonicalize, stable_hash
from spycatcher_addon.cassette.diff import differences, excerpt
from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, encode_canonical, parse_json
from spycatcher_addon.cassette.model import RecordedRequest
from spycatcher_addon.cassette.pointers import pointer_from_config
from spycatcher_addon.errors import InvalidPointerPathError

texts = st.text(st.characters(codec="utf-8"), max_size=12)
numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.floats(min_value=1e-12, max_value=1e-3)
scalars = st.none() | st.booleans() | numbers | texts | st.sampled_from(["1e-05", '-05]"', "e-07,", "\\"])
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=20
)


def shuffled(value: JsonValue, chance: random.Random) -> JsonValue:
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


def request(value: JsonValue, **layout: bool) -> RecordedRequest:
    return RecordedRequest("POST", "/v1/chat/completions", body=json.dumps(value, **layout).encode("utf-8"))  # type: ignore[arg-type]


@given(json_values, st.randoms(use_true_random=False), st.booleans())
def test_key_order_spacing_and_escapes_do_not_change_the_hash(value: JsonValue, chance: random.Random, is_ascii: bool) -> None:
    one = canonicalize(request(value), IgnorePathConfig())
    other = canonicalize(request(shuffled(value, chance), ensure_ascii=is_ascii), IgnorePathConfig())
    assert stable_hash(one) == stable_hash(other)
    assert canonical_json(one) == canonical_json(other)
    assert differences(one.canonical_body, other.canonical_body) == ()


@given(json_values)
def test_canonical_text_reads_back_to_itself(value: JsonValue) -> None:
    text = encode_canonical(value)
    parsed = parse_json(text.encode("utf-8"))
    assert encode_canonical(parsed) == text
    assert differences(value, parsed) == ()
    assert "e-0" not in encode_canonical([item for item in [parsed] if isinstance(item, float)])


@given(json_values, json_values)
def test_different_values_have_different_text_or_no_difference(one: JsonValue, other: JsonValue) -> None:
    if encode_canonical(one) == encode_canonical(other):
        assert differences(one, other) == ()
    found = differences(one, other)
    # Keys are not escaped in paths, so a key with a line feed makes a line of its own.
    line_feeds = sum(difference.path.count("\n") for difference in found)
    assert excerpt(found, max_lines=3).count("\n") <= 3 + line_feeds
    if not found:
        # Only the sign of a zero may hide from a diff.
        assert encode_canonical(one).replace("-0.0", "0.0") == encode_canonical(other).replace("-0.0", "0.0")


@given(st.text(st.sampled_from("ab=&%+;419fFé~."), max_size=30))
def test_a_canonical_query_is_its_own_canonical_form(query: str) -> None:
    once = canonical_query(query)
    assert canonical_query(once) == once
    assert canonical_query("&".join(reversed(query.split("&")))) == once


@given(st.binary(max_size=40) | st.text(st.sampled_from('[]{}",:01-.eE\\udD8 trulna')).map(str.encode))
def test_any_bytes_are_json_or_not_json(body: bytes) -> None:
    try:
        value = parse_json(body)
    except NotJsonError:
        return
    assert json.loads(body) == value


@given(json_values, st.lists(st.text(st.sampled_from("/ab01*~-"), max_size=8), max_size=4))
def test_any_pointers_are_applied_or_refused(value: JsonValue, pointers: list[str]) -> None:
    ignore = IgnorePathConfig(pointers)
    try:
        once = canonicalize(RecordedRequest("POST", "/", parsed_json=value), ignore)
    except InvalidPointerPathError as error:
        assert error.path in pointers
        return
    assert {difference.kind.value for difference in differences(value, once.canonical_body)} <= {"removed", "changed"}


@given(st.text(st.sampled_from("/.[]*ab01~"), max_size=12))
def test_any_configured_path_becomes_a_usable_pointer_or_is_refused(text: str) -> None:
    try:
        pointer = pointer_from_config(text)
    except InvalidPointerPathError as error:
        assert error.path == text
        return
    IgnorePathConfig([pointer]).pointers  # noqa: B018 - parsing is the test
    assert pointer_from_config(pointer) == pointer


@given(json_values)
def test_both_ways_to_print_print_the_same(value: JsonValue) -> None:
    assert encode_canonical(value) == jsontext._print_exactly(value)
