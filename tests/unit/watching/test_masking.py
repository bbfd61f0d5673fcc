"""Messages as they may be shown."""

from __future__ import annotations

import gzip
import json

from spycatcher_addon.config import RedactionConfig
from spycatcher_addon.redaction.rules import NO_RULES
from spycatcher_addon.watching.masking import MASK, Masker

KEY = "sk-fake0123456789abcdef0123456789abcdef"
VALUE = "fake-value-of-a-variable"
MASKER = Masker(RedactionConfig(extra_drop_headers=("x-hidden", "content-length")).rules.with_known((VALUE,)), 1 << 20)


def test_fields_that_a_tape_leaves_out_keep_their_name() -> None:
    fields = ((b"Host", b"a"), (b"Authorization", b"Bearer x"), (b"X-Hidden", b"1"), (b"Cookie", b""), (b"content-length", b"5"))
    assert MASKER.fields(fields) == (
        (b"Host", b"a"),
        (b"Authorization", MASK),
        (b"X-Hidden", MASK),
        (b"Cookie", MASK),
        (b"content-length", b"5"),
    )


def test_secrets_in_other_values_are_found() -> None:
    ((_, value), (_, same)) = MASKER.fields(((b"X-Note", f"a {VALUE} b".encode()), (b"X-Odd", b"\xff\xfe")))
    assert value == b"a [redacted:env:1] b"
    assert same == b"\xff\xfe"


def test_only_the_query_of_a_target_is_searched() -> None:
    assert MASKER.target(b"/v1/chat") == b"/v1/chat"
    assert MASKER.target(b"/v1/chat?a=1") == b"/v1/chat?a=1"
    assert MASKER.target(b"/v1/chat?key=abc&a=1") == b"/v1/chat?key=[redacted:query.key:1]&a=1"


def test_a_body_without_a_secret_is_the_same_object() -> None:
    body, fields = b'{"a": 1}', ((b"Content-Type", b"application/json"),)
    shown, rest = MASKER.body(body, fields)
    assert shown is body
    assert rest is fields


def test_a_body_with_a_secret() -> None:
    body = json.dumps({"a": KEY}).encode()
    shown, rest = MASKER.body(body, ())
    assert KEY.encode() not in shown
    assert json.loads(shown)["a"].startswith("[redacted:")
    assert rest == ()


def test_a_coded_body_with_a_secret_is_shown_decoded() -> None:
    body = gzip.compress(json.dumps({"a": VALUE}).encode())
    fields = ((b"Content-Encoding", b"gzip"), (b"X-Kept", b"1"))
    shown, rest = MASKER.body(body, fields)
    assert shown == b'{"a": "[redacted:env:1]"}'
    assert rest == ((b"X-Kept", b"1"),)


def test_a_body_that_cannot_be_decoded_is_searched_as_it_is() -> None:
    fields = ((b"content-encoding", b"unheard-of"),)
    shown, rest = MASKER.body(f"x {VALUE} y".encode(), fields)
    assert shown == b"x [redacted:env:1] y"
    assert rest == fields


def test_without_rules_everything_is_shown() -> None:
    fields = ((b"authorization", b"Bearer x"),)
    unmasked = Masker(NO_RULES, 1 << 20)
    assert unmasked.fields(fields) == fields
    assert unmasked.target(b"/a?key=1") == b"/a?key=1"
    assert unmasked.body(KEY.encode(), fields) == (KEY.encode(), fields)
