from __future__ import annotations

from dataclasses import replace

import pytest

from spycatcher_addon.redaction.digests import SecretDigest
from spycatcher_addon.redaction.rules import (
    NO_RULES,
    RedactionRules,
    is_long_enough,
    missing_rules,
    rules_from_names,
    touch_requests_alike,
)

RULES = RedactionRules(frozenset({"cookie"}), frozenset({"key", "sig"}), ("/user", "/a/*/b"), frozenset({"jwt"}))


def test_names_say_everything_but_known_values() -> None:
    assert rules_from_names(RULES.names) == RedactionRules(RULES.drop_headers, RULES.query_parameters, ("/a/*/b", "/user"), RULES.shapes)
    assert RULES.with_known(["fake-value"]).names == RULES.names


def test_names_that_say_nothing_here_are_passed_over() -> None:
    assert rules_from_names(["authorization", "shape.of-the-future", ""]) == NO_RULES


def test_headers_make_no_difference_to_requests() -> None:
    assert touch_requests_alike(RULES.names, [name for name in reversed(RULES.names) if not name.startswith("header.")])
    assert not touch_requests_alike(RULES.names, RULES.names[:-1])


def test_known_values_are_kept_out_of_sight() -> None:
    assert "fake-value" not in repr(RULES.with_known(["fake-value"]))
    assert RULES.with_known([]) is RULES


@pytest.mark.parametrize(("value", "is_enough"), [("x", False), ("secret", False), ("sk-fake", True), ("foobarbaz", True), ("", False)])
def test_short_words_are_not_looked_for(value: str, is_enough: bool) -> None:
    assert is_long_enough(value) is is_enough


def test_rules_that_a_tape_was_made_without() -> None:
    today = ("header.a", "query.b", "shape.jwt")
    assert missing_rules(("header.a", "query.b", "shape.jwt", "env.KEY", "query.old"), today) == ()
    assert missing_rules(("header.a", "env.KEY"), today) == ("query.b", "shape.jwt")
    assert missing_rules((), today) == missing_rules(("something", "env.KEY"), today) == (), "made by hand, or by another tool"


def test_known_values_are_added_to_the_same_rules() -> None:
    digests = (SecretDigest(16, b"0" * 32),)
    rules = RedactionRules(frozenset({"a"}), frozenset({"b"}), ("/c",), frozenset({"jwt"}), ("fake value",), digests)
    assert rules.with_known(("fake value", "other")) == replace(rules, known=("fake value", "other"))
    assert rules.with_known(("fake value",)) is rules
