"""Normalizing twice is normalizing once, and text without digits and temporary folders never changes."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import RecordedRequest
from spycatcher_addon.cassette.normalizing import BUILT_IN, normalize_strings, parse_normalize_rules

PIECES = st.sampled_from(
    [
        "2026-01-02T03:04:05Z",
        "2026-01-02 03:04:05",
        "20260102T030405",
        ".123",
        "550e8400-e29b-41d4-a716-446655440000",
        "0123456789abcdef",
        "1767323045",
        "/tmp/",
        "/var/folders/",
        "C:\\Temp\\",
        "<uuid>",
        "<timestamp>",
        "<temp_path>",
        "-",
        ".",
        "/",
        ":",
        " ",
        "a",
        "7",
        "Z",
    ]
)
TEXTS = st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=60)
RULE_SETS = st.lists(st.sampled_from(list(BUILT_IN)), unique=True).map(parse_normalize_rules)


@given(TEXTS, RULE_SETS)
def test_a_second_pass_changes_nothing(text: str, rules: tuple[object, ...]) -> None:
    once = normalize_strings(text, rules)  # type: ignore[arg-type]  # hypothesis forgets the element type
    assert normalize_strings(once, rules) == once  # type: ignore[arg-type]


@given(st.text(st.characters(exclude_categories=("Nd",), exclude_characters="/\\"), max_size=200), RULE_SETS)
def test_text_without_digits_and_folders_stays(text: str, rules: tuple[object, ...]) -> None:
    assert normalize_strings(text, rules) is text  # type: ignore[arg-type]


@given(st.uuids(), st.uuids(), TEXTS)
def test_requests_that_differ_in_a_normalized_value_have_one_hash(one: object, other: object, rest: str) -> None:
    ignore = IgnorePathConfig(normalize=parse_normalize_rules(["uuid"]))
    hashes = [
        stable_hash(canonicalize(RecordedRequest("POST", "/v1/x", "", (), b"{}", {"a": f"id {each}", "b": rest}), ignore))
        for each in (one, other)
    ]
    assert all(left == right for left, right in pairwise(hashes))
