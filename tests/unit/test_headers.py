from __future__ import annotations

from collections.abc import Callable

import pytest

from spycatcher_addon.exchange import Headers, RawHeaders
from spycatcher_addon.headers import (
    FORBIDDEN_EXTRA_HEADERS,
    content_encoding_of,
    first_value,
    is_token,
    media_type,
    redact_headers,
    select_forwarded_request,
    select_forwarded_response,
    select_persisted_request,
    select_persisted_response,
    select_replayed,
    unfold,
)

HOP_BY_HOP = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
]
PASSING = [
    "accept",
    "cookie",
    "set-cookie",
    "date",
    "server",
    "content-type",
    "content-encoding",
    "proxy-connection",
    "user-agent",
    "openai-organization",
    "x-stainless-retry-count",
]


def persisted_request(headers: RawHeaders) -> list[str]:
    return [name for name, _ in select_persisted_request(headers, frozenset())]


def persisted_response(headers: RawHeaders) -> list[str]:
    return [name for name, _ in select_persisted_response(headers, frozenset())]


def forwarded_request(headers: RawHeaders) -> list[str]:
    return [name.decode().lower() for name, _ in select_forwarded_request(headers)]


def forwarded_response(headers: RawHeaders) -> list[str]:
    return [name.decode().lower() for name, _ in select_forwarded_response(headers)]


REMOVED: dict[Callable[[RawHeaders], list[str]], set[str]] = {
    forwarded_request: {"host", "content-length", "accept-encoding", "authorization", "expect"},
    persisted_request: {"host", "content-length", "accept-encoding"},
    forwarded_response: {"content-length"},
    persisted_response: {"content-length"},
}
each_selection = pytest.mark.parametrize("select", REMOVED, ids=lambda select: select.__name__)


@each_selection
@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title], ids=["lower", "upper", "title"])
def test_what_each_direction_removes(select: Callable[[RawHeaders], list[str]], spell: Callable[[str], str]) -> None:
    names = [*HOP_BY_HOP, *sorted(set().union(*REMOVED.values())), *PASSING]
    kept = select(tuple((spell(name).encode(), b"x") for name in names))
    assert kept == [name for name in names if name not in HOP_BY_HOP and name not in REMOVED[select]]


@each_selection
@pytest.mark.parametrize(
    ("connection", "dropped"),
    [
        ([b"x-one"], {"x-one"}),
        ([b"X-ONE"], {"x-one"}),
        ([b"keep-alive, x-one,x-two"], {"x-one", "x-two"}),
        ([b" \tx-one \t,, , x-two ,"], {"x-one", "x-two"}),
        ([b"x-one", b"x-two"], {"x-one", "x-two"}),
        ([b"\xff\xfe, x-one"], {"x-one"}),
        ([b"x-one\xff, x-two"], {"x-two"}),
        ([b"x one, x-two;q=1"], set()),
        ([b"close"], set()),
        ([b""], set()),
    ],
)
def test_what_a_connection_field_names_goes_too(
    select: Callable[[RawHeaders], list[str]], connection: list[bytes], dropped: set[str]
) -> None:
    # The field that names may stand after the field it names.
    fields: RawHeaders = (
        (b"x-one", b"1"),
        *((b"CONNECTION", value) for value in connection),
        (b"X-Two", b"2"),
        (b"x-one", b"3"),
        (b"x-three", b"4"),
    )
    assert select(fields) == [name for name in ("x-one", "x-two", "x-one", "x-three") if name not in dropped]


def test_the_wire_sees_the_original_names_and_bytes() -> None:
    fields = ((b"X-Odd", b"\xff\x00 \t"), (b"x-a", b"2"), (b"X-Odd", b""), (b"X-A", b"1"))
    assert select_forwarded_request(fields) == fields
    assert select_forwarded_response(fields) == fields


def test_the_tape_keeps_order_and_duplicates_under_lower_case_names() -> None:
    fields = ((b"X-B", b"2"), (b"x-a", b"1"), (b"X-b", b"1"), (b"X-B", b"2"))
    assert select_persisted_request(fields, frozenset()) == (("x-b", "2"), ("x-a", "1"), ("x-b", "1"), ("x-b", "2"))
    assert select_persisted_response(fields, frozenset()) == (("x-b", "2"), ("x-a", "1"), ("x-b", "1"), ("x-b", "2"))


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (b"", ""),
        (b"plain text; q=0.5, %41~", "plain text; q=0.5, %41~"),
        (b"\ttab\t", "\ttab\t"),
        (bytes(range(0x20, 0x7F)), bytes(range(0x20, 0x7F)).decode()),
        (b"\xff\xfe", "%FF%FE"),
        ("a é".encode(), "a%20%C3%A9"),
        (b"Az09-._~\x7f", "Az09%2D%2E%5F%7E%7F"),
        (b"100%\x00", "100%25%00"),
        (b"trailing\n", "trailing%0A"),
        (b"\xe9", "%E9"),
    ],
)
def test_spelling_of_values_on_the_tape(value: bytes, stored: str) -> None:
    assert select_persisted_request(((b"x-value", value),), frozenset()) == (("x-value", stored),)
    assert select_persisted_response(((b"x-value", value),), frozenset()) == (("x-value", stored),)


def test_redaction_is_blind_to_case_and_takes_whole_fields_everywhere() -> None:
    fields = ((b"Authorization", b"Bearer sk-fake"), (b"x-keep", b"1"), (b"X-API-KEY", b"fake"), (b"authorization", b"\xff"))
    drop = frozenset({"authorization", "x-api-key"})
    assert select_persisted_request(fields, drop) == (("x-keep", "1"),)
    assert select_persisted_response(fields, drop) == (("x-keep", "1"),)
    assert redact_headers((("Authorization", "Bearer sk-fake"), ("X-Keep", "2")), drop) == (("X-Keep", "2"),)


def test_without_rules_nothing_is_redacted() -> None:
    fields = ((b"Authorization", b"Bearer sk-fake"), (b"X-Api-Key", b"fake"))
    kept = (("authorization", "Bearer sk-fake"), ("x-api-key", "fake"))
    assert select_persisted_request(fields, frozenset()) == kept
    assert select_persisted_response(fields, frozenset()) == kept


@pytest.mark.parametrize(
    ("recorded", "sent", "dropped"),
    [
        ((), (), ()),
        # Order, duplicates, spelling of names and percent-encoded values: as they stand.
        (
            (("X-B", "2"), ("content-type", "text/plain"), ("x-b", "%FF%FE"), ("X-B", "2")),
            (("X-B", "2"), ("content-type", "text/plain"), ("x-b", "%FF%FE"), ("X-B", "2")),
            (),
        ),
        ((("set-cookie", "a=1"), ("content-encoding", "gzip")), (("set-cookie", "a=1"), ("content-encoding", "gzip")), ()),
        ((("Content-Length", "5"), ("content-length", "x")), (), ("Content-Length", "content-length")),
        ((("Transfer-Encoding", "chunked"), ("x", "1")), (("x", "1"),), ("Transfer-Encoding",)),
        ((("x-one", "1"), ("Connection", "X-One, close"), ("x", "2")), (("x", "2"),), ("x-one", "Connection")),
        ((("", "1"), ("a b", "1"), ("a:", "1"), ("naïve", "1"), ("x\n", "1")), (), ("", "a b", "a:", "naïve", "x\n")),
        ((("x", "a\r\nset-cookie: b"), ("x", "\x00"), ("x", "é"), ("x", "a\n"), ("x", "\x7f")), (), ("x",) * 5),
        ((("x", "\ttab and blank "), ("!#$%&'*+-.^_`|~09azAZ", "")), (("x", "\ttab and blank "), ("!#$%&'*+-.^_`|~09azAZ", "")), ()),
        ((("\ud800", "1"), ("connection", "\ud800")), (), ("\ud800", "connection")),
    ],
)
def test_what_of_a_written_list_can_be_sent(recorded: Headers, sent: Headers, dropped: tuple[str, ...]) -> None:
    assert select_replayed(recorded) == (sent, dropped)


@pytest.mark.parametrize("name", HOP_BY_HOP)
def test_hop_by_hop_fields_of_a_written_list_are_never_sent(name: str) -> None:
    assert select_replayed(((name.upper(), "1"),)) == ((), (name.upper(),))


def test_what_a_configured_header_may_not_be() -> None:
    assert {*HOP_BY_HOP, "host", "content-length", "accept-encoding"} == FORBIDDEN_EXTRA_HEADERS


@pytest.mark.parametrize(
    ("value", "unfolded"),
    [
        (b"one", b"one"),
        (b"one\r\n two", b"one two"),
        (b"one\n\t \ttwo\r\n  three", b"one two three"),
        (b"one\ntwo", b"one two"),
        (b"one\r two", b"one  two"),
        (b"one\0two\r", b"one two "),
        (b"\x01\x7f\xff\t", b"\x01\x7f\xff\t"),
    ],
)
def test_folds_and_characters_that_would_end_a_line_become_blanks(value: bytes, unfolded: bytes) -> None:
    assert unfold([(b"X-A", value), (b"x-b", b"")]) == ((b"X-A", unfolded), (b"x-b", b""))


def test_the_first_of_several_fields_counts() -> None:
    fields = ((b"x-a", b"0"), (b"X-B", b"1"), (b"x-b", b"2"))
    assert first_value(fields, b"x-b") == b"1"
    assert first_value(fields, b"x-c") is None


def test_all_content_encodings_are_found() -> None:
    fields = ((b"Content-Encoding", b"gzip"), (b"content-type", b"text/plain"), (b"content-encoding", b"\xe9"))
    assert content_encoding_of(fields) == (("content-encoding", "gzip"), ("content-encoding", "é"))
    assert content_encoding_of(((b"accept-encoding", b"gzip"),)) == ()


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (b"text/event-stream", "text/event-stream"),
        (b" Text/Event-Stream ; charset=utf-8", "text/event-stream"),
        (b'application/json;x="a;b"', "application/json"),
        (b"", ""),
        (b"\xe9", "é"),
    ],
)
def test_media_types(value: bytes, found: str) -> None:
    assert media_type(((b"Content-Type", value), (b"content-type", b"text/other"))) == found


def test_no_media_type() -> None:
    assert media_type(((b"content-length", b"3"),)) is None


@pytest.mark.parametrize(
    ("name", "is_legal"), [("x-a", True), ("A.1_~|", True), ("", False), ("x a", False), ("x:", False), ("x\n", False), ("é", False)]
)
def test_field_names(name: str, is_legal: bool) -> None:
    assert is_token(name) is is_legal
