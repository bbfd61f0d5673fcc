"""The tokens that stand where a secret was, ``[redacted:<rule>:<n>]``, in requests that are compared.

``n`` counts the distinct secrets of a rule in the order in which they stand in one message. Order of members and of query
parameters makes no difference to a canonical request, so there the tokens are counted anew in canonical order.
"""

from __future__ import annotations

import re
from typing import Final

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import CanonicalRequest

MARK: Final = "[redacted:"
"""How every token begins."""

TOKEN: Final = re.compile(r"\[redacted:([a-z0-9._-]+):([1-9][0-9]{0,8})\]")
_TOKEN_IN_QUERY = re.compile(r"%5Bredacted%3A([a-z0-9._-]+)%3A([1-9][0-9]{0,8})%5D")


def token(rule: str, number: int) -> str:
    """Spell a token.

    Args:
        rule: Lower-case letters, digits, ``.``, ``_`` and ``-``.
        number: Counts from 1.
    """
    return f"{MARK}{rule}:{number}]"


def renumber_tokens(canonical: CanonicalRequest) -> CanonicalRequest:
    """Count the tokens of a canonical request anew: query first, then the body with its keys sorted."""
    numbers: dict[str, dict[str, int]] = {}

    def number_of(match: re.Match[str]) -> int:
        of_rule = numbers.setdefault(match[1], {})
        return of_rule.setdefault(match[2], len(of_rule) + 1)

    def renumbered(value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return TOKEN.sub(lambda match: token(match[1], number_of(match)), value) if MARK in value else value
        if isinstance(value, dict):
            return {renumbered_key(key): renumbered(value[key]) for key in sorted(value)}
        if isinstance(value, list):
            return [renumbered(element) for element in value]
        return value

    def renumbered_key(key: str) -> str:
        return TOKEN.sub(lambda match: token(match[1], number_of(match)), key) if MARK in key else key

    query = _TOKEN_IN_QUERY.sub(lambda match: f"%5Bredacted%3A{match[1]}%3A{number_of(match)}%5D", canonical.canonical_query)
    return CanonicalRequest(canonical.method, canonical.path, query, renumbered(canonical.canonical_body))
