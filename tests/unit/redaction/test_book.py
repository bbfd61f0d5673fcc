from __future__ import annotations

from spycatcher_addon.redaction.book import TokenBook
from spycatcher_addon.redaction.finder import Span


def test_each_rule_counts_its_distinct_secrets() -> None:
    book = TokenBook()
    asked = [("jwt", "a"), ("env", "a"), ("jwt", "b"), ("jwt", "a")]
    assert [book.token(rule, secret) for rule, secret in asked] == [
        "[redacted:jwt:1]", "[redacted:env:1]", "[redacted:jwt:2]", "[redacted:jwt:1]",
    ]  # fmt: skip
    assert book.uses == asked


def test_numbers_that_stand_in_a_text_already_are_left_out() -> None:
    book = TokenBook()
    book.reserve("see [redacted:jwt:1] and [redacted:jwt:3]")
    assert [book.token("jwt", secret) for secret in "abc"] == ["[redacted:jwt:2]", "[redacted:jwt:4]", "[redacted:jwt:5]"]


def test_a_span_with_several_secrets_gives_several_tokens() -> None:
    assert TokenBook().tokens(Span(0, 9, "jwt", ("a", "b", "a"))) == "[redacted:jwt:1][redacted:jwt:2]"
