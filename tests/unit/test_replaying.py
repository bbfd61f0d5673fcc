from __future__ import annotations

import dataclasses
import gzip
import json
import sys
import zlib
from collections.abc import Callable
from typing import Any

import brotli
import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import (
    Cassette,
    CommentEvent,
    DataEvent,
    FailureKind,
    Hashing,
    Interaction,
    Metadata,
    NonStreamResponse,
    Outline,
    RecordedRequest,
    RecordedResponse,
    StreamResponse,
    Timing,
)
from spycatcher_addon.choices import MatchMode, TimingMode
from spycatcher_addon.errors import InvalidCassetteError, InvalidPointerPathError
from spycatcher_addon.exchange import Ending, Headers, ObservedRequest, RawHeaders, ReplayResponse
from spycatcher_addon.fault_injection import FaultInjector
from spycatcher_addon.fault_rules import parse_fault_rules
from spycatcher_addon.pacing import Pacing
from spycatcher_addon.protocols.chat_completions import CHAT_COMPLETIONS
from spycatcher_addon.replaying import ReplayPolicy, ReplaySession, refuse_unrouted

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CHAT = "/v1/chat/completions"
PLAIN = b'{"model":"m","n":1}'
OTHER = b'{"model":"m","n":2}'
STREAM = b'{"model":"m","stream":true}'
OK = NonStreamResponse(200, (("content-type", "application/json"),), b'{"ok":true}')
EVENTS = (CommentEvent("OPENROUTER PROCESSING"), DataEvent("alpha\nbeta", event="delta", id="7", retry="9"), DataEvent("[DONE]"))
FRAMES = (
    b": OPENROUTER PROCESSING\n\n",
    b"event: delta\nid: 7\nretry: 9\ndata: alpha\ndata: beta\n\n",
    b"data: [DONE]\n\n",
)
STREAMED = StreamResponse(200, (("content-type", "text/event-stream"),), EVENTS, b"", None)


def interaction(
    body: bytes,
    response: RecordedResponse,
    ignore: IgnorePathConfig | None = None,
    headers: Headers = (),
    query: str = "",
    failure: FailureKind | None = None,
) -> Interaction:
    request = RecordedRequest("POST", CHAT, query, headers, body)
    digest = stable_hash(canonicalize(request, ignore or IgnorePathConfig()))
    return Interaction(
        RecordedRequest("POST", CHAT, query, headers, body, stable_hash=digest),
        response,
        Metadata("openai.chat_completions.v1", "openrouter", "2026-01-02T03:04:05Z", 0),
        failure,
    )


def session(*tape: Interaction, policy: ReplayPolicy | None = None) -> ReplaySession:
    policy = policy or ReplayPolicy()
    return ReplaySession(Cassette(2, tape, Hashing(ignore_paths=tuple(policy.ignore.ignored_body_paths))), policy)


def post(body: bytes, headers: RawHeaders = (), query: str = "", method: str = "POST", path: str = CHAT) -> ObservedRequest:
    return ObservedRequest(method, path, query, headers, body)


def error_of(reply: ReplayResponse) -> dict[str, Any]:
    error = json.loads(reply.body)["error"]
    assert isinstance(error, dict)
    assert reply.error_kind == error["kind"]
    return error


# The order of decisions


@pytest.mark.parametrize(
    ("request_", "status", "kind"),
    [
        # Each breaks the rules of all later steps too, so that the first step is seen to decide.
        (post(b"{bad", path="/v1/models", method="GET"), 404, "not_found"),
        (post(PLAIN, path=CHAT + "/"), 404, "not_found"),
        (post(b"{bad", method="GET"), 405, "method_not_allowed"),
        (post(PLAIN, method="post"), 405, "method_not_allowed"),
        (post(b"{bad"), 400, "malformed_json"),
        (post(b""), 400, "malformed_json"),
        (post(b'{"n":NaN}'), 400, "malformed_json"),
        (post(b"[" * 200 + b"]" * 200), 400, "malformed_json"),
        (post(PLAIN, ((b"content-encoding", b"gzip"),)), 400, "malformed_json"),
        (post(PLAIN, ((b"content-encoding", b"compress"),)), 400, "malformed_json"),
        (post(OTHER), 409, "request_mismatch"),
        (post(STREAM), 409, "request_mismatch"),
        (post(PLAIN, query="a=1"), 409, "request_mismatch"),
        (post(b"null"), 409, "request_mismatch"),
    ],
)
@pytest.mark.parametrize("mode", MatchMode)
def test_a_refused_request_uses_nothing_up(request_: ObservedRequest, status: int, kind: str, mode: MatchMode) -> None:
    replay = session(interaction(PLAIN, OK), policy=ReplayPolicy(match_mode=mode))
    for _ in range(2):
        reply = replay.handle(request_)
        assert (reply.status, error_of(reply)["kind"], reply.interaction_index) == (status, kind, None)
        assert ("x-should-retry", "false") in reply.headers
    assert replay.unused() == (0,)
    is_mismatch = status == 409
    assert (replay.counts.matched, replay.counts.mismatched, replay.counts.rejected) == (0, 2 * is_mismatch, 2 * (not is_mismatch))
    assert replay.handle(post(PLAIN)).body == OK.body
    assert (replay.counts.matched, replay.unused()) == (1, ())


def test_a_stream_from_a_written_plain_answer_is_refused_and_not_consumed() -> None:
    replay = session(interaction(STREAM, OK), interaction(OTHER, OK))
    for _ in range(2):
        reply = replay.handle(post(STREAM))
        assert (reply.status, error_of(reply)["kind"]) == (501, "stream_cassette_required")
        assert "interaction 0 " in error_of(reply)["message"]
    assert replay.unused() == (0, 1)
    assert replay.counts.rejected == 2


def test_a_mismatch_comes_before_the_question_of_streams() -> None:
    assert session(interaction(OTHER, OK)).handle(post(STREAM)).status == 409


def test_the_405_names_the_method_that_is_allowed() -> None:
    assert ("allow", "POST") in session().handle(post(b"", method="DELETE")).headers


def test_routing_alone_gives_the_endpoint() -> None:
    assert refuse_unrouted(post(b"", query="x=1")) is CHAT_COMPLETIONS


# What matches


@pytest.mark.parametrize(
    "body", [b'{"n":1,"model":"m"}', b' {"model" : "m",\n"n":1} ', b'{"mod\\u0065l":"m","n":1}', b'{"n":0,"model":"m","n":1}']
)
def test_spelling_and_key_order_do_not_matter(body: bytes) -> None:
    assert session(interaction(PLAIN, OK)).handle(post(body)).status == 200


def test_query_order_does_not_matter_and_headers_take_no_part() -> None:
    replay = session(interaction(PLAIN, OK, query="a=1&b=2", headers=(("x", "1"),)))
    assert replay.handle(post(PLAIN, ((b"x", b"2"), (b"authorization", b"\xff")), "b=2&a=1")).status == 200


def test_json_null_matches_what_was_recorded_from_a_malformed_body() -> None:
    assert session(interaction(b"{bad", OK)).handle(post(b"null")).body == OK.body


@pytest.mark.parametrize(
    ("coding", "encode"),
    [(b"gzip", gzip.compress), (b"X-Gzip", gzip.compress), (b"deflate", zlib.compress), (b"br", brotli.compress), (b"zstd", zstd.compress)],
)
def test_a_compressed_request_matches_its_plain_twin_both_ways(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    compressed = encode(PLAIN)
    assert session(interaction(PLAIN, OK)).handle(post(compressed, ((b"Content-Encoding", coding),))).status == 200
    recorded = interaction(compressed, OK, headers=(("content-encoding", coding.decode()),))
    assert session(recorded).handle(post(PLAIN)).status == 200


@pytest.mark.parametrize(("limit", "status"), [(len(PLAIN), 200), (len(PLAIN) - 1, 400)])
def test_the_limit_holds_for_the_decoded_body(limit: int, status: int) -> None:
    replay = session(interaction(PLAIN, OK), policy=ReplayPolicy(max_body_bytes=limit))
    reply = replay.handle(post(gzip.compress(PLAIN), ((b"content-encoding", b"gzip"),)))
    assert reply.status == status
    if status == 400:
        assert "its content-encoding 'gzip' could not be decoded" in error_of(reply)["message"]


def test_the_content_encodings_are_all_named() -> None:
    reply = session().handle(post(PLAIN, ((b"content-encoding", b"identity"), (b"Content-Encoding", b"compress"))))
    assert "'identity, compress'" in error_of(reply)["message"]


def test_keyed_requests_come_in_any_order() -> None:
    first, second = dataclasses.replace(OK, body=b"1"), dataclasses.replace(OK, body=b"2")
    tape = (interaction(PLAIN, first), interaction(OTHER, OK), interaction(PLAIN, second))
    replay = session(*tape, policy=ReplayPolicy(match_mode=MatchMode.KEYED))
    assert len(replay) == 3
    served = [replay.handle(post(body)) for body in (OTHER, PLAIN, PLAIN)]
    assert [(reply.interaction_index, reply.body) for reply in served] == [(1, OK.body), (0, b"1"), (2, b"2")]
    assert error_of(replay.handle(post(PLAIN)))["position"] == {"kind": "keyed_miss", "count": 3}


def test_a_strict_replay_ends_with_its_tape() -> None:
    replay = session(interaction(PLAIN, OK), interaction(PLAIN, OK))
    assert [replay.handle(post(PLAIN)).interaction_index for _ in range(2)] == [0, 1]
    error = error_of(replay.handle(post(PLAIN)))
    assert error["position"] == {"kind": "exhausted", "count": 2}
    assert error["diff_summary"] == "cassette-exhausted: no more interactions available"


def test_ignored_paths_apply_and_are_told() -> None:
    ignore = IgnorePathConfig(("/metadata/run_id",))
    replay = session(interaction(b'{"metadata":{"run_id":1},"n":1}', OK, ignore), policy=ReplayPolicy(ignore=ignore))
    error = error_of(replay.handle(post(b'{"metadata":{"run_id":2},"n":2}')))
    assert (error["diff_summary"], error["ignored_paths"]) == ("changed: canonical_body.n: 1 -> 2", ["/metadata/run_id"])
    assert replay.handle(post(b'{"metadata":{"run_id":2},"n":1}')).status == 200


def test_an_ignored_path_that_does_not_fit_the_request_is_an_answer() -> None:
    ignore = IgnorePathConfig(("/messages/content",))
    replay = session(interaction(PLAIN, OK), policy=ReplayPolicy(ignore=ignore))
    reply = replay.handle(post(b'{"messages":[1]}'))
    assert (reply.status, reply.error_kind) == (500, "internal")
    assert error_of(reply)["message"] == (
        'replay request failed: an ignore path does not fit this request: invalid JSON Pointer path: "/messages/content"; '
        "correct matching.ignore_paths"
    )
    assert (replay.counts.rejected, replay.unused()) == (1, (0,))


def test_what_cannot_be_matched_is_refused_at_the_start() -> None:
    unhashed = Interaction(RecordedRequest("POST", CHAT, body=PLAIN), OK, Metadata("p", "u", "2026-01-02T03:04:05Z", 0))
    with pytest.raises(InvalidCassetteError, match="interaction at index 1 has no stable_hash"):
        session(interaction(PLAIN, OK), unhashed)
    with pytest.raises(InvalidPointerPathError):
        policy = ReplayPolicy(ignore=IgnorePathConfig(("/messages/x",)))
        ReplaySession(Cassette(2, (interaction(b'{"messages":[1]}', OK),)), policy)


# Recorded answers


def replayed(response: RecordedResponse, body: bytes = PLAIN, policy: ReplayPolicy | None = None) -> ReplayResponse:
    reply = session(interaction(body, response), policy=policy).handle(post(body))
    assert (reply.interaction_index, reply.error_kind) == (0, None)
    return reply


@pytest.mark.parametrize(
    ("recorded", "sent"),
    [(200, 200), (201, 201), (302, 302), (429, 429), (599, 599), (100, 502), (101, 502), (199, 502), (99, 502), (0, 502), (600, 502)],
)
@pytest.mark.parametrize("response", [OK, STREAMED], ids=["plain", "stream"])
def test_statuses(recorded: int, sent: int, response: RecordedResponse) -> None:
    reply = replayed(dataclasses.replace(response, status=recorded))
    assert reply.status == sent
    assert reply.body == (OK.body if response is OK else b"".join(FRAMES))


@pytest.mark.parametrize("status", [204, 304])
@pytest.mark.parametrize(
    "policy", [ReplayPolicy(), ReplayPolicy(is_raw=True, pacing=Pacing(TimingMode.FIXED))], ids=["at once", "raw, timed"]
)
def test_statuses_without_a_body(status: int, policy: ReplayPolicy) -> None:
    plain = replayed(dataclasses.replace(OK, status=status), policy=policy)
    assert (plain.pieces, plain.headers) == ((), OK.headers)
    stream = replayed(StreamResponse(status, (("x", "1"),), EVENTS, b"data: x\n\n"), policy=policy)
    assert (stream.pieces, stream.headers) == ((), (("x", "1"),))


def test_a_plain_answer_is_sent_as_recorded() -> None:
    body = gzip.compress(b'{"a":1.10}') + b"\xff"
    headers = (("Content-Encoding", "gzip"), ("x-a", "2"), ("X-A", "1"), ("x-odd", "%FF%FE"))
    reply = replayed(NonStreamResponse(429, headers, body))
    assert (reply.status, reply.headers, reply.pieces, reply.is_stream) == (429, headers, (body,), False)
    assert reply.delivery is None


def test_no_content_type_is_invented_for_a_plain_answer() -> None:
    assert replayed(NonStreamResponse(200, (), b"{}")).headers == ()


def test_a_marked_plain_answer_to_a_stream_is_sent() -> None:
    reply = replayed(dataclasses.replace(OK, answers_stream=True), STREAM)
    assert (reply.body, reply.is_stream) == (OK.body, False)


@pytest.mark.parametrize("body", [STREAM, PLAIN])
def test_a_stream_is_sent_event_by_event_to_whoever_matches(body: bytes) -> None:
    reply = replayed(STREAMED, body)
    assert (reply.pieces, reply.headers, reply.is_stream, reply.delivery) == ((b"".join(FRAMES),), STREAMED.headers, True, None)


@pytest.mark.parametrize(
    ("recorded", "sent"),
    [
        ((), (("content-type", "text/event-stream"),)),
        ((("x", "1"),), (("x", "1"), ("content-type", "text/event-stream"))),
        ((("Content-TYPE", "text/plain"),), (("Content-TYPE", "text/plain"),)),
        ((("content-type", "\n"),), (("content-type", "text/event-stream"),)),
        ((("Content-Encoding", "gzip"), ("content-type", "a/b"), ("content-encoding", "br")), (("content-type", "a/b"),)),
    ],
)
def test_headers_of_a_stream(recorded: Headers, sent: Headers) -> None:
    assert replayed(StreamResponse(200, recorded, EVENTS, b"")).headers == sent


def test_a_stream_without_events() -> None:
    assert replayed(StreamResponse(200, (), (), b"")).pieces == ()


def test_fields_that_cannot_be_sent_are_left_out_and_counted() -> None:
    response = NonStreamResponse(200, (("Content-Length", "9"), ("x", "1"), ("transfer-encoding", "chunked"), ("x y", "")), b"{}")
    replay = session(interaction(PLAIN, response), interaction(PLAIN, response))
    assert replay.handle(post(PLAIN)).headers == (("x", "1"),)
    assert replay.counts.dropped_headers == ["Content-Length", "transfer-encoding", "x y"]
    assert session().counts.dropped_headers == []


# Raw streams, times and recorded failures

RAW = gzip.compress(b"".join(FRAMES), mtime=0)
COMPRESSED = StreamResponse(200, (("content-encoding", "gzip"),), EVENTS, RAW, Timing(5, ((10, 5), (len(RAW), 20))))


def test_a_raw_stream_is_its_recorded_chunks_with_their_coding() -> None:
    reply = replayed(COMPRESSED, policy=ReplayPolicy(is_raw=True))
    assert reply.pieces == (RAW[:10], RAW[10:])
    assert reply.headers == (("content-encoding", "gzip"), ("content-type", "text/event-stream"))
    assert reply.delivery is not None
    assert (reply.delivery.due_ms, reply.delivery.ending) == ((0.0, 0.0), Ending.COMPLETE)


def test_events_of_a_timed_stream_are_due_when_they_came() -> None:
    reply = replayed(COMPRESSED, policy=ReplayPolicy(pacing=Pacing(TimingMode.RECORDED)))
    assert (reply.pieces, reply.headers) == (FRAMES, (("content-type", "text/event-stream"),))
    assert reply.delivery is not None
    assert (reply.delivery.due_ms, reply.delivery.head_due_ms, reply.delivery.ending_due_ms) == ((20.0,) * 3, 0.0, 20.0)


@pytest.mark.parametrize("broken", [b"\xff\n\n", b""])
@pytest.mark.parametrize("headers", [(), (("content-encoding", "gzip"),), (("content-encoding", "compress"),)])
def test_a_transcript_that_cannot_be_read_does_not_stop_a_timed_stream(headers: Headers, broken: bytes) -> None:
    transcript = b"".join(FRAMES)
    chunks = ((len(transcript), 5), (len(transcript + broken), 9))
    response = StreamResponse(200, headers, EVENTS, transcript + broken, Timing(5, chunks))
    reply = replayed(response, policy=ReplayPolicy(pacing=Pacing(TimingMode.RECORDED)))
    assert reply.pieces == FRAMES
    assert reply.delivery is not None and len(reply.delivery.due_ms) == len(FRAMES)


def test_a_timed_plain_answer_is_held_back_whole() -> None:
    response = NonStreamResponse(200, (), b'{"usage":{"completion_tokens":50}}')
    delivery = replayed(response, policy=ReplayPolicy(pacing=Pacing(TimingMode.FIXED, ttft_ms=100.0, tps=50.0))).delivery
    assert delivery is not None
    assert (delivery.due_ms, delivery.head_due_ms, delivery.ending_due_ms) == ((1100.0,), 1100.0, 1100.0)


@pytest.mark.parametrize(
    ("failure", "ending"),
    [
        (FailureKind.RESET, Ending.RESET),
        (FailureKind.CUT, Ending.UNFINISHED),
        (FailureKind.INVALID_STREAM, Ending.COMPLETE),
    ],
)
def test_a_recorded_failure_fails_again_only_where_that_is_wanted(failure: FailureKind, ending: Ending) -> None:
    response = StreamResponse(200, (), (), b"data: cu", Timing(5, ((8, 5),)))
    tape = (interaction(PLAIN, response, failure=failure), interaction(PLAIN, OK))
    reply = session(*tape, policy=ReplayPolicy(include_failures=True)).handle(post(PLAIN))
    assert (reply.interaction_index, reply.pieces) == (0, (b"data: cu",))
    assert reply.delivery is not None and reply.delivery.ending is ending
    assert session(*tape).handle(post(PLAIN)).interaction_index == 1


def test_a_fault_takes_the_place_of_the_answer_and_may_leave_the_interaction() -> None:
    faults = FaultInjector(parse_fault_rules(["status=503,interaction=0", "delay_ms=5,interaction=1"]), 0, lambda: 0.0)
    recorded = (interaction(PLAIN, OK), interaction(OTHER, OK))
    session = ReplaySession(Cassette(2, recorded), ReplayPolicy(), faults)
    asked = [ObservedRequest("POST", CHAT, "", (), body) for body in (PLAIN, PLAIN, OTHER, OTHER)]
    replies = [session.handle(each) for each in asked]
    assert [reply.status for reply in replies] == [503, 200, 200, 409]
    assert replies[0].interaction_index == 0
    assert replies[2].delivery is not None
    assert (session.unused(), session.counts.matched, session.counts.mismatched) == ((), 3, 1)
    assert [(verdict.index, verdict.retries) for verdict in faults.findings().verdicts] == [(0, 1), (1, 1)]


@dataclasses.dataclass(frozen=True)
class ChangedTape:
    """A tape in a file that was overwritten after the start: it is still known what stood there."""

    cassette: Cassette
    format_version: int = 2
    hashing: Hashing = Hashing()

    def outlines(self) -> tuple[Outline, ...]:
        return self.cassette.outlines()

    def interaction(self, index: int) -> Interaction:
        raise InvalidCassetteError(f"interaction {index} is gone")

    def answer(self, index: int) -> Interaction:
        raise InvalidCassetteError(f"answer {index} is gone")

    def request(self, index: int) -> RecordedRequest:
        raise InvalidCassetteError(f"request {index} is gone")


@pytest.mark.parametrize("mode", MatchMode)
def test_a_tape_that_changed_under_a_replay_is_told_and_nothing_is_consumed(mode: MatchMode) -> None:
    replay = ReplaySession(ChangedTape(Cassette(2, (interaction(PLAIN, OK),))), ReplayPolicy(match_mode=mode))
    for request, what in ((post(PLAIN), "answer"), (post(OTHER), "request")):
        reply = replay.handle(request)
        assert (reply.status, error_of(reply)["kind"]) == (500, "internal")
        assert error_of(reply)["message"] == f"replay request failed: {what} 0 is gone"
    assert (replay.counts.matched, replay.counts.mismatched, replay.counts.rejected, replay.unused()) == (0, 0, 2, (0,))


# By hand


def test_a_request_sent_once_more_is_answered_from_wherever_the_tape_has_it() -> None:
    replay = session(interaction(PLAIN, OK), interaction(STREAM, STREAMED))
    assert replay.handle(post(PLAIN)).interaction_index == 0
    for request, index in ((post(PLAIN), 0), (post(STREAM), 1)):
        again = replay.answer_again(request)
        assert (again.status, again.interaction_index) == (200, index)
    assert (replay.counts.matched, replay.unused()) == (1, (1,))
    assert replay.interaction(1).response == STREAMED


@pytest.mark.parametrize(
    ("request_", "status"),
    [(post(PLAIN, path="/v1/models"), 404), (post(b"{bad"), 400), (post(OTHER), 409), (post(STREAM), 501)],
)
def test_a_refused_request_sent_once_more_counts_nothing(request_: ObservedRequest, status: int) -> None:
    replay = session(interaction(PLAIN, OK), interaction(STREAM, OK))
    assert replay.answer_again(request_).status == status
    assert (replay.counts.matched, replay.counts.mismatched, replay.counts.rejected) == (0, 0, 0)
    assert replay.unused() == (0, 1)


def test_a_mismatch_can_be_explained_again() -> None:
    replay = session(interaction(PLAIN, OK))
    found = replay.explain(post(OTHER))
    assert found is not None
    assert [difference.path for difference in found.differences] == ["canonical_body.n"]
    assert replay.explain(post(PLAIN)) is None
    assert replay.explain(post(b"{bad")) is None
    assert replay.explain(post(PLAIN, path="/v1/models")) is None
    assert replay.counts.mismatched == 0


def test_a_session_can_begin_again() -> None:
    replay = session(interaction(PLAIN, OK))
    assert replay.handle(post(PLAIN)).status == 200
    assert replay.handle(post(PLAIN)).status == 409
    replay.rewind()
    assert replay.handle(post(PLAIN)).status == 200
    assert (replay.counts.matched, replay.counts.mismatched) == (2, 1)
