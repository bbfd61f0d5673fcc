from __future__ import annotations

import pytest

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import CanonicalRequest
from spycatcher_addon.cassette.tokens import MARK, TOKEN, renumber_tokens, token


def test_tokens_are_read_back() -> None:
    text = token("query.api_key", 12)
    assert text == "[redacted:query.api_key:12]" and text.startswith(MARK)
    match = TOKEN.fullmatch(text)
    assert match is not None and match.groups() == ("query.api_key", "12")


@pytest.mark.parametrize(
    ("query", "body", "renumbered_query", "renumbered_body"),
    [
        ("", {"b": token("jwt", 1), "a": token("jwt", 2)}, "", {"a": token("jwt", 1), "b": token("jwt", 2)}),
        (
            "q=%5Bredacted%3Ajwt%3A2%5D",
            [token("jwt", 2), token("jwt", 1)],
            "q=%5Bredacted%3Ajwt%3A1%5D",
            [token("jwt", 1), token("jwt", 2)],
        ),
        ("", {token("env", 3): f"x {token('env', 3)} {token('jwt', 3)}"}, "", {token("env", 1): f"x {token('env', 1)} {token('jwt', 1)}"}),
        ("", [1, None, "[redacted:", True, "plain"], "", [1, None, "[redacted:", True, "plain"]),
    ],
)
def test_tokens_are_numbered_in_canonical_order(query: str, body: JsonValue, renumbered_query: str, renumbered_body: JsonValue) -> None:
    canonical = renumber_tokens(CanonicalRequest("POST", "/", query, body))
    assert (canonical.canonical_query, canonical.canonical_body) == (renumbered_query, renumbered_body)
