from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from spycatcher_addon.redaction.digests import parse_secret_digest
from spycatcher_addon.redaction.finder import SecretFinder, Span, merge_spans
from spycatcher_addon.redaction.rules import KNOWN_RULE, RedactionRules
from spycatcher_addon.redaction.shapes import SHAPE_NAMES
from tests.support.secrets import BY_SHAPE, ORDINARY

KNOWN = 'fake "pass" wörd/7'
RULES = RedactionRules(shapes=frozenset(SHAPE_NAMES), known=(KNOWN, "sk-fake-key-of-the-test-suite"))
FINDER = SecretFinder(RULES)


def escaped(text: str) -> str:
    return json.dumps(text)[1:-1]


def all_escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


def all_percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def based(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def based_in_more(text: str) -> str:
    return base64.urlsafe_b64encode(f"user:{text}, and more".encode()).decode()


ENCODINGS: dict[str, Callable[[str], str]] = {
    "raw": str,
    "escaped": escaped,
    "escaped twice": lambda text: escaped(escaped(text)),
    "all escaped": all_escaped,
    "percent": lambda text: quote(text, safe=""),
    "all percent": all_percent,
    "base64": based,
    "base64url with more": based_in_more,
    "base64 twice": lambda text: based(based(text)),
    "percent in JSON": lambda text: escaped(all_percent(text)),
    "JSON in base64": lambda text: based(json.dumps({"key": text})),
    "base64 in percent": lambda text: quote(based(text), safe=""),
    "wrapped base64": lambda text: base64.encodebytes(f"{'x' * 50} {text} {'y' * 90}".encode()).decode().strip(),
}


@pytest.mark.parametrize("secret", [*BY_SHAPE.values(), KNOWN], ids=[*BY_SHAPE, "known"])
@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_secrets_are_found_however_encoded(encode: Callable[[str], str], secret: str) -> None:
    text = f"before: {encode(secret)} - after"
    assert FINDER.suspects(text.encode())
    [span] = FINDER.find(text)
    assert (text[: span.start], text[span.end :]) == ("before: ", " - after")
    assert secret in span.secrets


@pytest.mark.parametrize("before", ["", "x", "xy", "xyz"])
def test_base64_of_a_known_value_is_found_at_every_alignment(before: str) -> None:
    text = base64.b64encode(f"{before}{KNOWN}?".encode()).decode()
    [span] = FINDER.find("glued" + text)
    assert span.rule == KNOWN_RULE and span.end == len(text) + 5 and span.start <= 5


@pytest.mark.parametrize("text", ORDINARY, ids=lambda text: text[:30])
def test_ordinary_text_is_never_hit(text: str) -> None:
    assert FINDER.find(text) == []
    assert FINDER.find(json.dumps({"content": text})) == []


def test_all_ordinary_text_together_is_not_hit_either() -> None:
    assert FINDER.find(" ".join(ORDINARY)) == []
    assert FINDER.find(json.dumps({"messages": [{"role": "user", "content": text} for text in ORDINARY]}, indent=2)) == []


@pytest.mark.parametrize("text", ["Hello, how are you today?", "short words only " * 1000, '{"model":"m","messages":[]}', ""])
def test_clean_text_is_not_looked_at_twice(text: str) -> None:
    assert not FINDER.suspects(text.encode())


def test_without_rules_nothing_is_suspect() -> None:
    assert not SecretFinder(RedactionRules()).suspects(BY_SHAPE["jwt"].encode())


def test_values_that_are_too_short_are_not_looked_for() -> None:
    assert SecretFinder(RedactionRules(known=("test",))).find("a test") == []


def test_a_known_value_with_the_looks_of_a_credential_has_the_token_that_a_replay_without_it_gives() -> None:
    secret = BY_SHAPE["openai-key"]
    [span] = SecretFinder(RedactionRules(shapes=frozenset(SHAPE_NAMES), known=(secret,))).find(f"a {secret} b")
    assert span == Span(2, 2 + len(secret), "openai-key", (secret,))


def test_overlapping_spans_become_one() -> None:
    spans = [Span(5, 9, "env", ("b",)), Span(0, 6, "jwt", ("a",)), Span(9, 10, "jwt", ("c",))]
    assert merge_spans(spans) == [Span(0, 9, "jwt", ("a",)), Span(9, 10, "jwt", ("c",))]


# --- known by their digest only -------------------------------------------------------------------------------------------


DIGESTED = "fake/secret+nobody-has_0123456789"
BY_DIGEST = SecretFinder(RedactionRules(digests=(parse_secret_digest(f"{len(DIGESTED)}:{hashlib.sha256(DIGESTED.encode()).hexdigest()}"),)))


@pytest.mark.parametrize(
    "text",
    [
        DIGESTED,
        f"\u00e9t\u00e9: {DIGESTED}, and more",
        f"token={DIGESTED}&x=1",
        json.dumps({"a": json.dumps([DIGESTED])}),
        escaped(DIGESTED).replace("/", "\\/"),
        all_escaped(DIGESTED),
        all_percent(DIGESTED),
        quote(DIGESTED, safe=""),
        based(DIGESTED),
        based_in_more(DIGESTED),
    ],
)
def test_a_secret_known_by_its_digest_is_found_however_it_is_encoded(text: str) -> None:
    assert BY_DIGEST.suspects(text.encode())
    (span,) = BY_DIGEST.find(text)
    assert (span.rule, span.secrets) == ("sha256", (DIGESTED,))


@pytest.mark.parametrize("text", ["", DIGESTED[1:], DIGESTED.lower().replace("n", "m"), *ORDINARY])
def test_nothing_else_has_that_digest(text: str) -> None:
    assert BY_DIGEST.find(text) == []
