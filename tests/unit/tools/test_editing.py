"""Merging, pruning, and the hashes under other settings."""

from __future__ import annotations

import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import Cassette, Hashing
from spycatcher_addon.errors import InvalidPointerPathError
from spycatcher_addon.tools.editing import IndexListError, merge_cassettes, parse_index_list, prune_cassette, under_settings
from tests.support.tool_samples import cassette, plain, streamed


def test_merging_keeps_interactions_as_they_are() -> None:
    one, two = cassette(plain("a"), streamed("b")), cassette(plain("a"))
    merged = merge_cassettes([one, two], "me")
    assert merged.interactions == (*one.interactions, *two.interactions)
    assert (merged.format_version, merged.generator) == (2, "me")


def test_the_first_ones_ignore_paths_hold_for_all() -> None:
    first = Cassette(2, (plain("a"),), Hashing(("/user",), ("authorization", "cookie")))
    other = Cassette(2, (plain("b", user="u"),), Hashing((), ("authorization",)))
    merged = merge_cassettes([first, other], "me")
    assert merged.hashing == Hashing(("/user",), ("authorization",))
    request = merged.interactions[1].request
    assert request.stable_hash == stable_hash(canonicalize(request, IgnorePathConfig(["/user"])))
    assert request.stable_hash != other.interactions[0].request.stable_hash


def test_ignore_paths_that_do_not_fit_are_an_error() -> None:
    first = Cassette(2, (plain(),), Hashing(("/messages/x",)))
    with pytest.raises(InvalidPointerPathError):
        merge_cassettes([first, cassette(plain())], "me")


def test_hashes_of_format_1_are_computed_anew() -> None:
    old = Cassette(1, (plain(),))
    wrong = Cassette(1, tuple(each for each in old.interactions))
    object.__setattr__(wrong.interactions[0].request, "stable_hash", "0" * 64)
    assert under_settings(wrong, Hashing()).interactions[0].request.stable_hash == plain().request.stable_hash
    new = Cassette(2, wrong.interactions)
    assert under_settings(new, Hashing()).interactions[0].request.stable_hash == "0" * 64, "a hand's business"


def test_pruning() -> None:
    tape = cassette(plain("a"), plain("b"), plain("c"))
    assert prune_cassette(tape, {0, 2}).interactions == (tape.interactions[1],)
    assert prune_cassette(tape, ()).interactions == tape.interactions
    with pytest.raises(IndexListError, match="there is no interaction 3; the last one is 2"):
        prune_cassette(tape, {1, 3})
    with pytest.raises(IndexListError, match="the cassette is empty"):
        prune_cassette(cassette(), {0})


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", {0}), ("0,3-5", {0, 3, 4, 5}), (" 1 , 2 - 3 ", {1, 2, 3}), ("4-4", {4}), ("1,1", {1})],
)
def test_index_lists(text: str, expected: set[int]) -> None:
    assert parse_index_list(text) == expected


@pytest.mark.parametrize("text", ["", "a", "1,", "5-3", "-1", "1-", "1.5", "0-9999999", "²"])
def test_what_is_no_index_list(text: str) -> None:
    with pytest.raises(IndexListError):
        parse_index_list(text)
