"""What each fault does to an answer."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from spycatcher_addon.exchange import Delivery, Ending, Headers, ReplayResponse
from spycatcher_addon.fault_effects import NotApplicableError, apply_fault
from spycatcher_addon.fault_rules import FaultRule, parse_fault_rule

SSE: Headers = (("content-type", "text/event-stream"),)
EVENTS = (b'data: {"a":1}\n\n', b": ping\n\n", b'data: {"text":"caf\xc3\xa9"}\n\n', b"data: [DONE]\n\n")
BODY = b"".join(EVENTS)
PLAN = Delivery((10.0, 20.0, 30.0, 40.0), head_due_ms=5.0, ending_due_ms=45.0)
STREAM = ReplayResponse(200, SSE, EVENTS, interaction_index=3, is_stream=True)
PLAIN = ReplayResponse(200, (("content-type", "application/json"),), (b'{"a":1}',), interaction_index=0)


def rule(text: str) -> FaultRule:
    return parse_fault_rule("fault", text)


def timed(reply: ReplayResponse) -> ReplayResponse:
    return replace(reply, delivery=PLAN)


def delivery_of(reply: ReplayResponse) -> Delivery:
    assert reply.delivery is not None
    assert len(reply.delivery.due_ms) == len(reply.pieces)
    return reply.delivery


def raw(*pieces: bytes) -> ReplayResponse:
    return replace(STREAM, pieces=pieces)


# --- times and ends -----------------------------------------------------------------------------------------------------


def test_a_delay_moves_everything() -> None:
    moved = delivery_of(apply_fault(rule("delay_ms=100"), timed(STREAM)))
    assert moved == Delivery((110.0, 120.0, 130.0, 140.0), head_due_ms=105.0, ending_due_ms=145.0)
    at_once = apply_fault(rule("delay_ms=100"), PLAIN)
    assert delivery_of(at_once) == Delivery((100.0,), head_due_ms=100.0, ending_due_ms=100.0)
    assert at_once.pieces == PLAIN.pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("stall", ()),
        ("stall,after_events=2", EVENTS[:2]),
        ("stall,after_events=4", EVENTS),
        ("stall,after_bytes=17", (EVENTS[0], EVENTS[1][:2])),
    ],
)
def test_a_stall_keeps_what_came_before_it(text: str, pieces: tuple[bytes, ...]) -> None:
    stalled = apply_fault(rule(text), timed(STREAM))
    assert stalled.pieces == pieces
    assert delivery_of(stalled) == replace(PLAN, due_ms=PLAN.due_ms[: len(pieces)], ending=Ending.STALL)


@pytest.mark.parametrize(
    ("text", "pieces", "ending", "ending_due_ms"),
    [
        ("cut_after_events=0", (), Ending.COMPLETE, 5.0),
        ("cut_after_events=3", EVENTS[:3], Ending.COMPLETE, 30.0),
        ("cut_after_events=1,ending=unfinished", EVENTS[:1], Ending.UNFINISHED, 10.0),
        ("cut_after_events=4,ending=unfinished", EVENTS, Ending.UNFINISHED, 40.0),
        ("cut_after_bytes=20,ending=reset", (EVENTS[0], EVENTS[1][:5]), Ending.RESET, 20.0),
        ("cut_after_bytes=15,ending=reset", EVENTS[:1], Ending.RESET, 10.0),
        ("cut_after_bytes=0,ending=reset", (), Ending.RESET, 5.0),
    ],
)
def test_a_cut(text: str, pieces: tuple[bytes, ...], ending: Ending, ending_due_ms: float) -> None:
    cut = apply_fault(rule(text), timed(STREAM))
    assert cut.pieces == pieces
    assert (cut.status, cut.headers, cut.is_stream) == (200, SSE, True)
    assert delivery_of(cut) == Delivery(PLAN.due_ms[: len(pieces)], 5.0, ending, ending_due_ms)


def test_a_plain_answer_is_cut_by_bytes() -> None:
    cut = apply_fault(rule("cut_after_bytes=4,ending=unfinished"), PLAIN)
    assert (cut.pieces, delivery_of(cut).ending) == ((b'{"a"',), Ending.UNFINISHED)


def test_events_are_cut_at_the_same_place_in_raw_pieces() -> None:
    transcript = BODY.replace(b"\n", b"\r\n")
    pieces = tuple(transcript[at : at + 7] for at in range(0, len(transcript), 7))
    cut = apply_fault(rule("cut_after_events=3"), raw(*pieces))
    assert cut.body == b"".join(EVENTS[:3]).replace(b"\n", b"\r\n")
    assert cut.pieces[:-1] == pieces[: len(cut.pieces) - 1]


def test_no_answer_at_all() -> None:
    refused = apply_fault(rule("refuse"), timed(STREAM))
    assert refused.pieces == ()
    assert delivery_of(refused) == Delivery((), ending=Ending.RESET, has_head=False)


# --- single events ------------------------------------------------------------------------------------------------------


def test_a_duplicated_event_comes_with_its_original() -> None:
    doubled = apply_fault(rule("duplicate_event=2"), timed(STREAM))
    assert doubled.pieces == (*EVENTS[:3], EVENTS[2], EVENTS[3])
    assert delivery_of(doubled) == replace(PLAN, due_ms=(10.0, 20.0, 30.0, 30.0, 40.0))


def test_a_dropped_event() -> None:
    dropped = apply_fault(rule("drop_event=1"), timed(STREAM))
    assert dropped.pieces == (EVENTS[0], *EVENTS[2:])
    assert delivery_of(dropped) == replace(PLAN, due_ms=(10.0, 30.0, 40.0))


def test_events_inside_raw_pieces() -> None:
    reply = replace(raw(BODY[:20], BODY[20:50], BODY[50:]), delivery=Delivery((1.0, 2.0, 3.0)))
    doubled = apply_fault(rule("duplicate_event=0"), reply)
    assert doubled.body == EVENTS[0] + BODY
    assert (doubled.pieces[:2], delivery_of(doubled).due_ms) == ((EVENTS[0], EVENTS[0]), (1.0, 1.0, 1.0, 2.0, 3.0))
    dropped = apply_fault(rule("drop_event=2"), reply)
    assert dropped.body == EVENTS[0] + EVENTS[1] + EVENTS[3]


def test_a_comment_inside_an_event_is_an_event_of_its_own() -> None:
    reply = raw(b"data: a\n: p\ndata: b\n\n", b"data: c\n\n")
    assert apply_fault(rule("drop_event=0"), reply).body == b"data: a\ndata: b\n\ndata: c\n\n"
    assert apply_fault(rule("drop_event=1"), reply).body == b": p\ndata: c\n\n"
    assert apply_fault(rule("duplicate_event=1"), reply).body == b"data: a\n: p\ndata: b\n\ndata: a\ndata: b\n\ndata: c\n\n"
    assert apply_fault(rule("cut_after_events=1"), reply).body == b"data: a\n: p\n"


@pytest.mark.parametrize(
    ("event", "broken"),
    [
        pytest.param(b'data: {"a":1}\n\n', b'data: {"a\n\n', id="one line"),
        pytest.param(b'data:{"a":1}  \r\n\r\n', b'data:{"a  \r\n\r\n', id="no space before, blanks behind"),
        pytest.param(b'id: 1\ndata: {"a":\ndata: 1}\n\n', b'id: 1\ndata: {"a":\ndata: 1\n\n', id="two lines"),
        pytest.param(b'data: {"a":1\ndata: }\ndata:\n\n', b'data: {"a":1\ndata: \ndata:\n\n', id="the brace alone"),
        pytest.param("data: {é}\n\n".replace("é", '"éé":0').encode(), 'data: {"é'.encode() + b"\n\n", id="never inside a character"),
        pytest.param(b"data: [1,2]\n\n", b"data: [1\n\n", id="an array"),
        pytest.param(b'data: {"a":\n: p\ndata: 12}\n\n', b'data: {"a":\n: p\ndata: 1\n\n', id="a comment inside"),
    ],
)
def test_a_corrupted_event_keeps_its_frame(event: bytes, broken: bytes) -> None:
    reply = raw(b"data: 0\n\n", event + b"data: [DONE]\n\n")
    number = 2 if b": p" in event else 1
    corrupted = apply_fault(rule(f"corrupt_event={number}"), reply)
    assert corrupted.body == b"data: 0\n\n" + broken + b"data: [DONE]\n\n"
    text = b"\n".join(line.partition(b":")[2] for line in broken.splitlines() if line.startswith(b"data"))
    with pytest.raises(ValueError):
        json.loads(text)
    assert delivery_of(corrupted).due_ms == (0.0,) * len(corrupted.pieces)


def test_a_character_is_split_between_two_pieces() -> None:
    split = apply_fault(rule("split_utf8"), timed(STREAM))
    assert split.body == BODY
    assert [piece[-1:] for piece in split.pieces if piece.endswith(b"\xc3")] == [b"\xc3"]
    assert delivery_of(split).due_ms == (10.0, 20.0, 30.0, 30.0, 40.0)
    plain = apply_fault(rule("split_utf8"), replace(PLAIN, pieces=('{"a":"😀"}'.encode(),)))
    assert plain.pieces == (b'{"a":"\xf0', b'\x9f\x98\x80"}')


# --- errors of the provider ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "retry_after", "kind", "code"),
    [
        ("status=429,retry_after_s=2", "2", "requests", "rate_limit_exceeded"),
        ("status=429", None, "requests", "rate_limit_exceeded"),
        ("status=500", None, "server_error", None),
        ("status=503,retry_after_s=0", "0", "server_error", "service_unavailable"),
        ("status=529", None, "overloaded_error", "overloaded"),
    ],
)
def test_an_error_of_the_provider(text: str, retry_after: str | None, kind: str, code: str | None) -> None:
    error = apply_fault(rule(text), timed(STREAM))
    assert (error.status, error.is_stream, error.delivery, error.error_kind) == (int(text[7:10]), False, None, None)
    headers = dict(error.headers)
    assert headers.pop("content-type") == "application/json"
    assert headers.pop("retry-after", None) == retry_after
    assert headers == {}, "x-should-retry would change how a stock client reacts"
    body = json.loads(error.body)["error"]
    assert (body["type"], body["code"], body["param"]) == (kind, code, None)
    assert "spycatcher-harness" in body["message"]


# --- answers a fault does not fit ---------------------------------------------------------------------------------------

GZIPPED = replace(STREAM, headers=(*SSE, ("Content-Encoding", "gzip")), pieces=(b"\x1f\x8b\xc3\xa9",))


@pytest.mark.parametrize(
    ("text", "reply", "reason"),
    [
        ("cut_after_events=5", STREAM, "the answer has only 4 events"),
        ("cut_after_events=5,ending=reset", STREAM, "only 4 events"),
        ("cut_after_events=1", raw(b"data: unfinished"), "only 0 events"),
        ("cut_after_events=4", STREAM, "changes nothing"),
        ("cut_after_bytes=7", PLAIN, "changes nothing"),
        ("cut_after_bytes=8,ending=reset", PLAIN, "only 7 bytes"),
        ("stall,after_events=5", STREAM, "only 4 events"),
        ("cut_after_events=1", PLAIN, "no stream and has no events"),
        ("duplicate_event=4", STREAM, "there is no event 4; the stream has 4, counted from 0"),
        ("drop_event=0", PLAIN, "no stream"),
        ("drop_event=0", GZIPPED, r"compressed \(gzip\)"),
        ("corrupt_event=1", STREAM, "event 1 holds no JSON object or array"),
        ("corrupt_event=3", raw(b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n", b"data: 4\n\n"), "event 3 holds no JSON object"),
        ("split_utf8", PLAIN, "no character of several bytes"),
        ("split_utf8", GZIPPED, "compressed"),
    ],
)
def test_not_applicable(text: str, reply: ReplayResponse, reason: str) -> None:
    with pytest.raises(NotApplicableError, match=reason):
        apply_fault(rule(text), reply)


def test_identity_is_no_compression() -> None:
    reply = replace(STREAM, headers=(*SSE, ("content-encoding", " Identity")))
    assert apply_fault(rule("drop_event=0"), reply).pieces == EVENTS[1:]


def test_compressed_bodies_can_be_cut_by_bytes() -> None:
    assert apply_fault(rule("cut_after_bytes=2,ending=reset"), GZIPPED).pieces == (b"\x1f\x8b",)
