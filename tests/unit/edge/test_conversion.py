"""Messages of mitmproxy to values and back."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest
from mitmproxy import http
from mitmproxy.test import tutils

from spycatcher_addon.edge.conversion import (
    EAGER_LIMIT_BYTES,
    observe_headers,
    observe_request,
    observe_response_head,
    plan_outgoing,
    to_flow_response,
)
from spycatcher_addon.exchange import Delivery, ReplayResponse

JSON = (("content-type", "application/json"),)
LARGE = ReplayResponse(200, (("content-type", "text/event-stream"),), (b"x" * 40_000, b"y" * 40_000), is_stream=True)
SMALL = ReplayResponse(200, (), (b"a", b"b"), is_stream=True)


def request(**changes: object) -> http.Request:
    made: http.Request = tutils.treq(**changes)
    return made


def with_target(target: bytes) -> http.Request:
    made = request()
    made.data.path = target
    return made


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        (b"/a", "/a", ""),
        (b"/a?", "/a", ""),
        (b"/a?b=1&b=%20", "/a", "b=1&b=%20"),
        (b"/a?b?c", "/a", "b?c"),
        (b"/%61%2Fb", "/%61%2Fb", ""),
        ("/ä?ö=ü".encode(), "/ä", "ö=ü"),
        (b"/\xff?\xfe=a", "/%FF", "%FE=a"),
    ],
)
def test_a_target_is_split_and_not_decoded(target: bytes, path: str, query: str) -> None:
    observed = observe_request(with_target(target), ())
    assert (observed.path, observed.query) == (path, query)


def test_a_request_is_copied_as_it_came() -> None:
    original = request(headers=http.Headers(((b"X-One", b"1"), (b"x-one", b"\xff"), (b"X-Fold", b"a\r\n  b"))), content=b"\x00\xff")
    observed = observe_request(original, observe_headers(original))
    assert (observed.method, observed.body) == ("GET", b"\x00\xff")
    assert observed.headers == ((b"X-One", b"1"), (b"x-one", b"\xff"), (b"X-Fold", b"a b"))


@pytest.mark.parametrize("content", [None, b""])
def test_a_request_without_body_has_an_empty_one(content: bytes | None) -> None:
    assert observe_request(request(content=content), ()).body == b""


def test_a_compressed_request_body_stays_compressed() -> None:
    packed = gzip.compress(b"{}")
    assert observe_request(request(headers=http.Headers(((b"content-encoding", b"gzip"),)), content=packed), ()).body == packed


def test_a_response_head_is_copied() -> None:
    head = observe_response_head(tutils.tresp(status_code=503, headers=http.Headers(((b"A", b"1"), (b"a", b"2")))))
    assert (head.status, head.headers) == (503, ((b"A", b"1"), (b"a", b"2")))


def test_an_answer_has_its_headers_its_length_and_its_bytes() -> None:
    response = to_flow_response(ReplayResponse(200, (("X-Dup", "1"), ("x-dup", "2"), *JSON), (b"{}",)), request())
    assert response.headers.fields == (
        (b"X-Dup", b"1"),
        (b"x-dup", b"2"),
        (b"content-type", b"application/json"),
        (b"content-length", b"2"),
    )
    assert (response.raw_content, response.reason, response.http_version) == (b"{}", "OK", "HTTP/1.1")


def test_recorded_compressed_bytes_are_not_compressed_again() -> None:
    packed = gzip.compress(b"{}")
    response = to_flow_response(ReplayResponse(200, (("content-encoding", "gzip"),), (packed,)), request())
    assert response.raw_content == packed


@pytest.mark.parametrize("status", [204, 304])
def test_statuses_without_body_get_neither_body_nor_length(status: int) -> None:
    response = to_flow_response(ReplayResponse(status, JSON, (b"{}",)), request())
    assert (response.raw_content, "content-length" in response.headers) == (b"", False)


def test_head_gets_the_length_and_no_body() -> None:
    head = request()
    head.data.method = b"HEAD"
    response = to_flow_response(ReplayResponse(404, JSON, (b"{}",)), head)
    assert (response.raw_content, response.headers["content-length"]) == (b"", "2")


def test_an_unknown_status_has_an_empty_reason() -> None:
    assert to_flow_response(ReplayResponse(599, (), ()), request()).reason == ""


def test_an_answer_to_no_request_at_all() -> None:
    assert to_flow_response(ReplayResponse(400, JSON, (b"{}",)), None).raw_content == b"{}"


# --- bodies: whole, or in pieces ----------------------------------------------------------------------------------------------


def pieces_of(reply: ReplayResponse, asked: http.Request) -> tuple[bytes, ...] | None:
    outgoing = plan_outgoing(reply, asked)
    return None if outgoing is None else outgoing.pieces


def test_a_small_stream_goes_out_whole() -> None:
    assert plan_outgoing(SMALL, request()) is None
    response = to_flow_response(SMALL, request())
    assert (response.raw_content, response.headers["content-length"], "transfer-encoding" in response.headers) == (b"ab", "2", False)


@pytest.mark.parametrize(("size", "is_in_pieces"), [(EAGER_LIMIT_BYTES, False), (EAGER_LIMIT_BYTES + 1, True)])
def test_the_limit_is_a_length_that_still_goes_out_whole(size: int, is_in_pieces: bool) -> None:
    stream = ReplayResponse(200, (), (b"x" * (size - 1), b"y"), is_stream=True)
    assert (plan_outgoing(stream, request()) is not None) is is_in_pieces


def test_a_large_stream_goes_out_in_its_pieces_and_at_once() -> None:
    outgoing = plan_outgoing(LARGE, request())
    assert outgoing is not None
    assert (outgoing.pieces, outgoing.delivery.due_ms) == (LARGE.pieces, (0.0, 0.0))
    response = to_flow_response(LARGE, request())
    assert response.headers["transfer-encoding"] == "chunked"
    assert "content-length" not in response.headers


def test_http_2_has_frames_instead_of_chunks() -> None:
    response = to_flow_response(LARGE, request(http_version=b"HTTP/2.0"))
    assert response.headers.fields == ((b"content-type", b"text/event-stream"),)


def test_http_1_0_gets_a_length_instead_of_chunks() -> None:
    response = to_flow_response(LARGE, request(http_version=b"HTTP/1.0"))
    assert (response.headers["content-length"], "transfer-encoding" in response.headers) == ("80000", False)


def test_a_large_plain_answer_is_not_in_pieces() -> None:
    assert plan_outgoing(ReplayResponse(200, (), (b"x" * 100_000,)), request()) is None


def test_what_has_a_schedule_is_sent_by_it_however_small() -> None:
    timed = Delivery(due_ms=(5.0, 10.0))
    outgoing = plan_outgoing(replace(SMALL, delivery=timed), request())
    assert outgoing is not None and (outgoing.pieces, outgoing.delivery) == ((b"a", b"b"), timed)
    assert to_flow_response(replace(SMALL, delivery=timed), request()).headers["transfer-encoding"] == "chunked"
    # A plain answer keeps its length, so that a client can tell a cut one.
    plain = ReplayResponse(200, JSON, (b"{}",), delivery=Delivery(due_ms=(5.0,)))
    assert to_flow_response(plain, request()).headers["content-length"] == "2"


def test_head_gets_no_pieces() -> None:
    head = request()
    head.data.method = b"HEAD"
    assert plan_outgoing(LARGE, head) is None
    assert pieces_of(replace(LARGE, delivery=Delivery(due_ms=())), head) == ()
