"""Answers as bytes."""

from __future__ import annotations

import pytest

from spycatcher_addon import answers
from spycatcher_addon.edge.wire import WireAnswer, join_short, prepare_wire
from spycatcher_addon.exchange import Delivery, Ending, ReplayResponse

JSON = (("content-type", "application/json"), ("X-Odd", ""))


def sent(wire: WireAnswer) -> bytes:
    return b"".join(wire.parts)


def test_a_plain_answer_is_one_part() -> None:
    wire = prepare_wire(ReplayResponse(200, JSON, (b"{}",), interaction_index=3))
    assert wire.parts == (b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nX-Odd: \r\ncontent-length: 2\r\n\r\n{}",)
    assert (wire.interaction_index, wire.is_last, wire.timed) == (3, False, None)


def test_a_long_body_is_not_copied() -> None:
    body = b"x" * 100_000
    wire = prepare_wire(ReplayResponse(200, (), (body,)))
    assert wire.parts[0] == b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n"
    assert wire.parts[1] is body


@pytest.mark.parametrize(("status", "line"), [(204, b"HTTP/1.1 204 No Content\r\n\r\n"), (304, b"HTTP/1.1 304 Not Modified\r\n\r\n")])
def test_answers_without_a_body(status: int, line: bytes) -> None:
    assert sent(prepare_wire(ReplayResponse(status, (), (b"never",)))) == line


def test_an_unknown_status_has_no_reason() -> None:
    assert sent(prepare_wire(ReplayResponse(299, (), ()))) == b"HTTP/1.1 299 \r\ncontent-length: 0\r\n\r\n"


def test_a_short_stream_has_a_length() -> None:
    short = prepare_wire(ReplayResponse(200, (), (b"a", b"b"), is_stream=True))
    assert sent(short) == b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nab"


def test_a_long_stream_is_framed_bit_by_bit() -> None:
    pieces = (b"a" * 40_000, b"b" * 40_000)
    wire = prepare_wire(ReplayResponse(200, (), pieces, is_stream=True))
    assert (wire.parts, wire.is_last) == ((), False)
    assert wire.timed is not None
    assert (wire.timed.head, wire.timed.end) == (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"0\r\n\r\n")
    assert wire.timed.pieces is pieces
    assert wire.timed.framed(pieces[1]) == b"9c40\r\n" + pieces[1] + b"\r\n"


def test_a_plan_without_times_goes_out_at_once() -> None:
    wire = prepare_wire(ReplayResponse(200, (), (b"a", b"b"), is_stream=True, delivery=Delivery((0.0, 0.0))))
    assert sent(wire) == b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    "plan",
    [
        Delivery((0.0, 5.0), ending_due_ms=5.0),
        Delivery((0.0, 0.0), head_due_ms=1.0),
        Delivery((0.0, 0.0), ending_due_ms=1.0),
        Delivery((0.0, 0.0), ending=Ending.UNFINISHED),
        Delivery((0.0, 0.0), ending=Ending.RESET),
        Delivery((0.0, 0.0), ending=Ending.STALL),
        Delivery((0.0, 0.0), has_head=False),
    ],
)
def test_every_other_plan_is_kept(plan: Delivery) -> None:
    wire = prepare_wire(ReplayResponse(200, (), (b"a", b"b"), is_stream=True, delivery=plan))
    assert wire.parts == ()
    assert wire.timed is not None
    assert (wire.timed.pieces, wire.timed.delivery, wire.timed.is_chunked, wire.timed.is_framed) == ((b"a", b"b"), plan, True, True)


def test_a_plain_answer_that_waits_is_not_chunked() -> None:
    timed = prepare_wire(ReplayResponse(200, (), (b"{}",), delivery=Delivery((5.0,), head_due_ms=5.0))).timed
    assert timed is not None
    assert timed.head.endswith(b"content-length: 2\r\n\r\n")
    assert (timed.framed(b"{}"), timed.end, timed.is_framed) == (b"{}", b"", True)


def test_short_parts_are_joined_around_long_ones() -> None:
    long = b"l" * 70_000
    joined = join_short([b"a", b"b", long, b"", long, b"c", b"d"])
    assert joined == (b"ab", long, long, b"cd")
    assert joined[1] is long
    assert join_short([b"a", b"", b"b"]) == (b"ab",)
    assert join_short([long]) == (long,)
    assert join_short([b""]) == ()


def test_a_refusal_may_close_the_connection() -> None:
    assert prepare_wire(answers.request_too_large(1)).is_last
    assert not prepare_wire(answers.not_found("/", [])).is_last
