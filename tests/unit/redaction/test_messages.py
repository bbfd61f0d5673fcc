from __future__ import annotations

import json

import pytest

from spycatcher_addon.redaction.messages import Redactor
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.redaction.shapes import SHAPE_NAMES
from tests.support.secrets import AWS_SECRET, BY_SHAPE, ORDINARY

KEY = BY_SHAPE["openai-key"]
OTHER = "sk-proj-" + "x" * 40
TOKEN = "[redacted:openai-key:1]"
RULES = RedactionRules(
    frozenset({"cookie"}),
    frozenset({"key", "sig"}),
    ("/user", "/tools/*/auth"),
    frozenset(SHAPE_NAMES),
    ("fake known value", "98765432109876"),
)


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(RULES)


@pytest.mark.parametrize(
    ("query", "redacted"),
    [
        ("key=abc&a=1", "key=[redacted:query.key:1]&a=1"),
        ("KEY=abc&%6bey=abd", "KEY=[redacted:query.key:1]&%6bey=[redacted:query.key:2]"),
        ("sig=a%20b&sig=a%20b", "sig=[redacted:query.sig:1]&sig=[redacted:query.sig:1]"),
        (f"q={KEY}&b", f"q={TOKEN}&b"),
        ("q=fake%20known%20value", "q=[redacted:env:1]"),
        ("key=&key&monkey=1", "key=&key&monkey=1"),
        ("key=[redacted:query.key:1]", "key=[redacted:query.key:1]"),
        ("key=%5Bredacted%3Aquery.key%3A1%5D", "key=%5Bredacted%3Aquery.key%3A1%5D"),
        ("", ""),
    ],
)
def test_queries(redactor: Redactor, query: str, redacted: str) -> None:
    assert redactor.query(query) == redacted


def test_headers(redactor: Redactor) -> None:
    headers = (("cookie", "a"), ("x-a", f"v {KEY}"), ("x-a", "1"), ("location", "https://x.test/?a=1&sig=abc#f"))
    assert redactor.headers(headers) == (
        ("x-a", f"v {TOKEN}"), ("x-a", "1"), ("location", "https://x.test/?a=1&sig=[redacted:query.sig:1]#f"),
    )  # fmt: skip
    clean = (("x-a", "1"),)
    assert redactor.headers(clean) is clean


@pytest.mark.parametrize(
    ("body", "redacted"),
    [
        (f'{{ "a" : "x {KEY}",\n  "n": 1.10 }}', f'{{ "a" : "x {TOKEN}",\n  "n": 1.10 }}'),
        (f'{{"{KEY}":[1]}}', f'{{"{TOKEN}":[1]}}'),
        ('{"a":"\\n' + "".join(f"\\u{ord(c):04X}" for c in KEY) + '\\u00e9"}', f'{{"a":"\\n{TOKEN}\\u00e9"}}'),
        (json.dumps({"a": json.dumps({"b": KEY, "c": "d"})}), json.dumps({"a": json.dumps({"b": TOKEN, "c": "d"})})),
        ('{"user":"me","tools":[{"auth":{"x":[1]}},{"auth":"[redacted:body-path:9]"},{"auth":null}]}',
         '{"user":"[redacted:body-path:1]","tools":[{"auth":"[redacted:body-path:2]"},{"auth":"[redacted:body-path:9]"},{"auth":null}]}'),
        (f'{{"SecretAccessKey":"{AWS_SECRET}"}}', '{"SecretAccessKey":"[redacted:aws-secret-key:1]"}'),
        ('{"pin":98765432109876}', '{"pin":"[redacted:env:1]"}'),
        (f"no JSON {KEY}\n", f"no JSON {TOKEN}\n"),
        (f'{{"broken": "{KEY}', f'{{"broken": "{TOKEN}'),
        (f'["{KEY}","{OTHER}","{KEY}"]', f'["{TOKEN}","[redacted:openai-key:2]","{TOKEN}"]'),
    ],
)  # fmt: skip
def test_bodies_keep_their_layout(redactor: Redactor, body: str, redacted: str) -> None:
    assert redactor.body(body.encode()).decode() == redacted


@pytest.mark.parametrize("body", [json.dumps({"content": ORDINARY}).encode(), b"\xff\xfe\x00", b"", b"null", b'{"a":1}'])
def test_clean_bodies_come_back_as_they_are(redactor: Redactor, body: bytes) -> None:
    assert redactor.body(body) is body


def test_bytes_that_are_no_text_stay_around_a_secret(redactor: Redactor) -> None:
    assert redactor.body(b"\xff " + KEY.encode() + b" \xfe") == b"\xff " + TOKEN.encode() + b" \xfe"


def test_one_secret_has_one_token_in_all_parts_of_an_interaction(redactor: Redactor) -> None:
    assert redactor.query(f"a={OTHER}") == f"a={TOKEN}"
    assert redactor.body(f"{KEY} {OTHER}".encode()) == f"[redacted:openai-key:2] {TOKEN}".encode()


def test_what_was_redacted_is_not_redacted_again() -> None:
    once = Redactor(RULES).body(json.dumps({"user": "me", "a": KEY, "b": "fake known value"}).encode())
    assert Redactor(RULES).body(once) is once
