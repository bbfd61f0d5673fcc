"""Which heads are ordinary."""

from __future__ import annotations

import pytest

from spycatcher_addon.edge.request_head import RequestHead, may_become_ordinary, parse_ordinary_head

START = b"POST /v1/chat/completions HTTP/1.1\r\n"
HOST = b"Host: a\r\n"
LENGTH = b"Content-Length: 12\r\n"


def test_an_ordinary_head() -> None:
    head = parse_ordinary_head(
        b"POST /v1/chat/completions?b=2&a=%20 HTTP/1.1\r\n" + HOST + b"X-A:  two words\t\r\nx-a:\r\n" + LENGTH + b"\r\n", 9
    )
    assert head == RequestHead(
        path="/v1/chat/completions",
        query="b=2&a=%20",
        headers=((b"Host", b"a"), (b"X-A", b"two words"), (b"x-a", b""), (b"Content-Length", b"12")),
        body_bytes=12,
    )


@pytest.mark.parametrize("field", [b"Connection: Keep-Alive\r\n", b"x-token: !#$%\r\n", b"accept-encoding: gzip\r\n"])
def test_fields_that_ask_for_nothing(field: bytes) -> None:
    assert parse_ordinary_head(START + HOST + LENGTH + field + b"\r\n", 9) is not None


@pytest.mark.parametrize(
    "head",
    [
        START + HOST,
        START + b"\r\n",
        START + HOST + LENGTH + LENGTH,
        START + HOST + HOST + LENGTH,
        START + HOST + b"content-length: 012\r\n",
        START + HOST + b"content-length: +1\r\n",
        START + HOST + b"content-length: 1, 1\r\n",
        START + HOST + LENGTH + b"transfer-encoding: chunked\r\n",
        START + HOST + LENGTH + b"content-encoding: gzip\r\n",
        START + HOST + LENGTH + b"expect: 100-continue\r\n",
        START + HOST + LENGTH + b"upgrade: h2c\r\n",
        START + HOST + LENGTH + b"connection: close\r\n",
        START + HOST + LENGTH + b"upgrade: h2c\r\nconnection: upgrade\r\n",
        START + HOST + LENGTH + b"connection: keep-alive\r\nconnection: keep-alive\r\n",
        START + HOST + LENGTH + b"te: trailers\r\n",
        START + HOST + LENGTH + b"x: a\r\n b\r\n",
        START + HOST + LENGTH + b"x: \xe9\r\n",
        START + HOST + LENGTH + b"x: \0\r\n",
        START + HOST + LENGTH + b"x : 1\r\n",
        START + HOST + LENGTH + b"x: 1\n",
        b"GET /v1/chat/completions HTTP/1.1\r\n" + HOST + LENGTH,
        b"POST /v1/chat/completions HTTP/1.0\r\n" + HOST + LENGTH,
        b"POST /v1/other HTTP/1.1\r\n" + HOST + LENGTH,
        b"POST http://a/v1/chat/completions HTTP/1.1\r\n" + HOST + LENGTH,
        b"POST /v1/chat/completions?\xc3\xa9 HTTP/1.1\r\n" + HOST + LENGTH,
        b"\r\n" + START + HOST + LENGTH,
    ],
)
def test_everything_else_is_for_the_other_lane(head: bytes) -> None:
    assert parse_ordinary_head(head + b"\r\n", 9) is None


def test_the_number_of_fields_is_limited() -> None:
    head = START + HOST + LENGTH + b"\r\n"
    assert parse_ordinary_head(head, 2) is not None
    assert parse_ordinary_head(head, 1) is None


@pytest.mark.parametrize("start", [b"", b"PO", b"POST ", START, START + HOST + b"x: "])
def test_a_head_that_may_become_ordinary(start: bytes) -> None:
    assert may_become_ordinary(start)


@pytest.mark.parametrize("start", [b"G", b"POSX", b"\r\n", b"\x16\x03\x01", START + b"x: 1\n", b"POST / HTTP/1.1\n"])
def test_a_head_that_cannot(start: bytes) -> None:
    assert not may_become_ordinary(start)
