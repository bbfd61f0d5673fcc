from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable, Sequence
from itertools import pairwise

import brotli
import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import (
    CommentEvent,
    DataEvent,
    FailureKind,
    Interaction,
    NonStreamResponse,
    RecordedRequest,
    StreamResponse,
    Timing,
)
from spycatcher_addon.exchange import ObservedRequest, ObservedResponseHead, RawHeaders
from spycatcher_addon.protocols.chat_completions import CHAT_COMPLETIONS
from spycatcher_addon.recording import NotRecorded, Recorder, RecordingPolicy
from spycatcher_addon.redaction.rules import NO_RULES, RedactionRules

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NOW = "2026-01-02T03:04:05.678Z"
POLICY = RecordingPolicy(IgnorePathConfig(), RedactionRules(frozenset({"authorization", "x-api-key"})), "openrouter", 1_000_000)
PLAIN_BODY = b'{"model":"m","messages":[]}'
STREAM_BODY = b'{"model":"m","stream":true}'
SSE: RawHeaders = ((b"Content-Type", b"text/event-stream; charset=utf-8"),)
JSON: RawHeaders = ((b"content-type", b"application/json"),)
TRANSCRIPT = b': OPENROUTER PROCESSING\n\ndata: {"id":1}\n\nevent: delta\nid: 7\ndata: two\r\n\r\ndata: [DONE]\n\n'
EVENTS = (CommentEvent("OPENROUTER PROCESSING"), DataEvent('{"id":1}'), DataEvent("two", event="delta", id="7"), DataEvent("[DONE]"))


def request(body: bytes = PLAIN_BODY, headers: RawHeaders = (), query: str = "") -> ObservedRequest:
    return ObservedRequest("POST", "/v1/chat/completions", query, headers, body)


def record(
    observed: ObservedRequest,
    chunks: Sequence[bytes] = (),
    headers: RawHeaders = JSON,
    status: int = 200,
    policy: RecordingPolicy = POLICY,
) -> tuple[Recorder, Interaction | NotRecorded]:
    """An exchange that the upstream ends cleanly; chunk ``n`` comes ``10 * (n + 1)`` ms after the request went out."""
    recorder = Recorder(observed, CHAT_COMPLETIONS, policy, 1234)
    recorder.response_started(ObservedResponseHead(status, headers))
    for number, chunk in enumerate(chunks, 1):
        recorder.feed(chunk, 10 * number)
    return recorder, recorder.finish(NOW)


def kept(outcome: Interaction | NotRecorded) -> Interaction:
    assert isinstance(outcome, Interaction), outcome
    return outcome


def kept_stream(outcome: Interaction | NotRecorded) -> StreamResponse:
    response = kept(outcome).response
    assert isinstance(response, StreamResponse)
    return response


def kept_plain(outcome: Interaction | NotRecorded) -> NonStreamResponse:
    response = kept(outcome).response
    assert isinstance(response, NonStreamResponse)
    return response


def coded(coding: bytes) -> RawHeaders:
    return (*SSE, (b"Content-Encoding", coding))


# The request


def test_the_request_is_kept_as_the_client_sent_it_less_framing_and_secrets() -> None:
    headers = (
        (b"Host", b"127.0.0.1:8787"),
        (b"X-B", b"2"),
        (b"Authorization", b"Bearer sk-fake"),
        (b"x-b", b"\xff"),
        (b"Connection", b"x-hop"),
        (b"X-Hop", b"1"),
        (b"Accept-Encoding", b"gzip"),
        (b"Content-Length", b"27"),
        (b"X-Api-Key", b"fake"),
    )
    recorded = kept(record(request(PLAIN_BODY, headers, "b=2&a=%zz"))[1]).request
    assert (recorded.method, recorded.path, recorded.query) == ("POST", "/v1/chat/completions", "b=2&a=%zz")
    assert recorded.headers == (("x-b", "2"), ("x-b", "%FF"))
    assert recorded.body == PLAIN_BODY
    assert recorded.parsed_json == {"model": "m", "messages": []}
    canonical = canonicalize(RecordedRequest("POST", "/v1/chat/completions", "b=2&a=%zz", body=PLAIN_BODY), IgnorePathConfig())
    assert (recorded.canonical_request, recorded.stable_hash) == (canonical, stable_hash(canonical))


@pytest.mark.parametrize(
    ("body", "golden"),
    [
        (
            b'{"model":"gpt-test","messages":[{"role":"user","content":"hi"}]}',
            "e32ae6519ec4dd863df69cb02d6080d850387a4d61c43099162fc2b62674cdc2",
        ),
        (b"{}", "20793467582a70c1ddae675cdeb3c8397c0416a3e83bb245af07132f5871fa1e"),
        (b"no JSON", "665dd20705f1e3730a197ae46765cd4acb77b1e75c5f76a11200c9b944561287"),
        (b"", "665dd20705f1e3730a197ae46765cd4acb77b1e75c5f76a11200c9b944561287"),
        (b"null", "665dd20705f1e3730a197ae46765cd4acb77b1e75c5f76a11200c9b944561287"),
    ],
)
def test_stable_hashes(body: bytes, golden: str) -> None:
    assert kept(record(request(body))[1]).request.stable_hash == golden


def test_a_body_that_is_no_json_is_kept_all_the_same() -> None:
    recorded = kept(record(request(b"{bad"))[1]).request
    assert (recorded.body, recorded.parsed_json) == (b"{bad", None)
    assert recorded.canonical_request is not None and recorded.canonical_request.canonical_body is None


@pytest.mark.parametrize(
    ("coding", "encode"),
    [(b"gzip", gzip.compress), (b"deflate", zlib.compress), (b"br", brotli.compress), (b"zstd", zstd.compress), (b"identity", bytes)],
)
def test_a_compressed_request_is_stored_as_sent_and_hashed_decoded(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    body = encode(STREAM_BODY)
    recorder, outcome = record(request(body, ((b"content-encoding", coding),)), [TRANSCRIPT], SSE)
    assert recorder.is_stream_shaped
    assert kept(outcome).request.body == body
    assert kept(outcome).request.stable_hash == kept(record(request(STREAM_BODY), [TRANSCRIPT], SSE)[1]).request.stable_hash


@pytest.mark.parametrize("body", [gzip.compress(STREAM_BODY, mtime=0)[:-1], b"", gzip.compress(b"[" + b" " * 2_000_000 + b"]", mtime=0)])
def test_a_request_that_cannot_be_decoded_is_no_json(body: bytes) -> None:
    recorder, outcome = record(request(body, ((b"content-encoding", b"gzip"),)))
    assert not recorder.is_stream_shaped
    assert kept(outcome).request.body == body


def test_ignored_paths_are_left_out_of_the_hash() -> None:
    policy = RecordingPolicy(IgnorePathConfig(("/metadata/run_id",)), NO_RULES, "openrouter", 1_000_000)
    hashes = {kept(record(request(b'{"metadata":{"run_id":%d}}' % number), policy=policy)[1]).request.stable_hash for number in range(3)}
    assert len(hashes) == 1


def test_an_ignored_path_that_does_not_fit_keeps_the_exchange_off_the_tape() -> None:
    policy = RecordingPolicy(IgnorePathConfig(("/messages/content",)), NO_RULES, "openrouter", 1_000_000)
    assert record(request(), policy=policy)[1] == NotRecorded(
        'an ignore path does not fit this request: invalid JSON Pointer path: "/messages/content"'
    )


def test_metadata() -> None:
    metadata = kept(record(request())[1]).metadata
    assert (metadata.protocol_id, metadata.upstream_id) == ("openai.chat_completions.v1", "openrouter")
    assert (metadata.recorded_at, metadata.relative_offset_ms) == (NOW, 1234)


# Plain answers


def test_a_plain_answer_is_timed_as_a_whole_and_a_stream_by_its_chunks() -> None:
    recorder = Recorder(request(), CHAT_COMPLETIONS, POLICY, 0)
    recorder.response_started(ObservedResponseHead(200, ()))
    recorder.feed(b"{", 40)
    recorder.feed(b"}", 70)
    assert kept(recorder.finish(NOW)).metadata.duration_ms == 70
    assert kept(record(request(b'{"stream": true}'), [b"data: [DONE]\n\n"], SSE)[1]).metadata.duration_ms is None


@pytest.mark.parametrize("status", [200, 204, 302, 400, 429, 500, 599])
def test_a_plain_answer_is_kept_whatever_its_status(status: int) -> None:
    headers = ((b"Content-Type", b"application/json"), (b"Content-Length", b"99"), (b"Set-Cookie", b"a"), (b"set-cookie", b"b"))
    recorder, outcome = record(request(), [b'{"a":', b"1.10}"], headers, status)
    assert recorder.status == status
    assert kept_plain(outcome) == NonStreamResponse(
        status, (("content-type", "application/json"), ("set-cookie", "a"), ("set-cookie", "b")), b'{"a":1.10}'
    )


@pytest.mark.parametrize("status", [99, 1000, 70000, 10**30])
@pytest.mark.parametrize("body", [PLAIN_BODY, STREAM_BODY])
def test_a_status_that_is_no_status_is_kept_off_the_tape(body: bytes, status: int) -> None:
    """One such number would make the whole tape unreadable."""
    _, outcome = record(request(body), [b"{}"], status=status)
    assert isinstance(outcome, NotRecorded)
    assert str(status) in outcome.reason


def test_redaction_reaches_the_answers_headers() -> None:
    headers = ((b"X-API-Key", b"fake"), (b"Trailer", b"x"), (b"x-request-id", b"r\xc3\xa9q"))
    assert kept_plain(record(request(), [b"{}"], headers)[1]).headers == (("x-request-id", "r%C3%A9q"),)


@pytest.mark.parametrize("body", [gzip.compress(b"{}", mtime=0), b"\xff\x00", b""])
def test_the_bytes_of_a_plain_answer_are_never_touched(body: bytes) -> None:
    recorder, outcome = record(request(), [body], ((b"content-encoding", b"gzip"),))
    assert kept_plain(outcome).body == body
    assert kept_plain(outcome).headers == (("content-encoding", "gzip"),)
    assert [warning.endswith("not searched for secrets") for warning in recorder.warnings] == ([True] if body == b"\xff\x00" else [])


# What makes a stream


@pytest.mark.parametrize(
    ("body", "headers", "is_stream", "answers_stream"),
    [
        (STREAM_BODY, SSE, True, False),
        (STREAM_BODY, ((b"CONTENT-TYPE", b"Text/Event-Stream"),), True, False),
        (STREAM_BODY, (), True, False),
        (STREAM_BODY, JSON, False, True),
        (STREAM_BODY, ((b"content-type", b""),), False, True),
        (STREAM_BODY, ((b"content-type", b"text/plain, text/event-stream"),), False, True),
        (PLAIN_BODY, SSE, False, False),
        (PLAIN_BODY, (), False, False),
        (b'{"stream":"true"}', SSE, False, False),
        (b'{"stream":1}', SSE, False, False),
        (b"no JSON", SSE, False, False),
    ],
)
def test_only_a_stream_that_was_asked_for_is_a_stream(body: bytes, headers: RawHeaders, is_stream: bool, answers_stream: bool) -> None:
    recorder, outcome = record(request(body), [b"data: [DONE]\n\n"], headers)
    assert recorder.is_stream is is_stream
    response = kept(outcome).response
    assert isinstance(response, StreamResponse) is is_stream
    if isinstance(response, NonStreamResponse):
        assert (response.answers_stream, response.body) == (answers_stream, b"data: [DONE]\n\n")


def test_an_error_in_json_is_kept_though_a_stream_was_asked_for() -> None:
    outcome = record(request(STREAM_BODY), [b'{"error":{"message":"slow ', b'down"}}'], JSON, 429)[1]
    assert kept_plain(outcome) == NonStreamResponse(
        429, (("content-type", "application/json"),), b'{"error":{"message":"slow down"}}', answers_stream=True
    )


# Streams


def test_events_bytes_and_timing_of_a_stream() -> None:
    cuts = [0, 5, 5 + 21, 40, len(TRANSCRIPT)]
    recorder, outcome = record(request(STREAM_BODY), [TRANSCRIPT[start:end] for start, end in pairwise(cuts)], SSE, 201)
    assert kept_stream(outcome) == StreamResponse(
        201,
        (("content-type", "text/event-stream; charset=utf-8"),),
        EVENTS,
        TRANSCRIPT,
        Timing(10, ((5, 10), (26, 20), (40, 30), (len(TRANSCRIPT), 40))),
    )
    assert recorder.saw_last_event


@pytest.mark.parametrize(
    ("transcript", "events"),
    [
        (b"", ()),
        (b"\n", ()),
        (b"event: x\n", ()),
        (b"data: null\n\n", (DataEvent("null"),)),
        (b"data: {bad\n\n", (DataEvent("{bad"),)),
        (b"data: one\r\r", (DataEvent("one"),)),
        (b"data: [DONE]\r\r", (DataEvent("[DONE]"),)),
        (b": ping\n", (CommentEvent("ping"),)),
        ("data: é\u2028\n\n".encode(), (DataEvent("é\u2028"),)),
    ],
)
@pytest.mark.parametrize("step", [1, 3, 1000])
def test_streams_without_end_mark_that_end_cleanly_are_whole(
    transcript: bytes, events: tuple[DataEvent | CommentEvent, ...], step: int
) -> None:
    chunks = [transcript[start : start + step] for start in range(0, len(transcript), step)]
    response = kept_stream(record(request(STREAM_BODY), chunks, SSE)[1])
    assert (response.events, response.raw_transcript) == (events, transcript)


def test_a_stream_without_chunks_has_no_first_token() -> None:
    assert kept_stream(record(request(STREAM_BODY), [], SSE)[1]).timing == Timing(0, ())


CUT = "SSE stream ended before the final event was complete"


@pytest.mark.parametrize(
    ("transcript", "reason"),
    [
        (b"data: one\n\ndata: two\n", CUT),
        (b"data: one\n\ndata: tw", CUT),
        (b"data: one\n\n: ping", CUT),
        (b"data: [DONE]\n", CUT),
        (b"data: [DONE]\r", CUT),
        (b'{"error":{"message":"no SSE at all"}}', CUT),
        (b"data: \xff\n\ndata: [DONE]\n\n", "SSE stream contained invalid UTF-8: "),
        (b"data: one\n\n\xc3\n", "SSE stream contained invalid UTF-8: "),
    ],
)
@pytest.mark.parametrize("step", [1, 1000])
def test_a_cut_or_broken_stream_is_not_kept(transcript: bytes, reason: str, step: int) -> None:
    chunks = [transcript[start : start + step] for start in range(0, len(transcript), step)]
    recorder, outcome = record(request(STREAM_BODY), chunks, SSE)
    assert isinstance(outcome, NotRecorded)
    assert outcome.reason.startswith(reason)
    assert not recorder.saw_last_event


@pytest.mark.parametrize(
    ("tail", "events"),
    [
        (b"", ()),
        (b": bye\n\ndata: usage\n\n", (CommentEvent("bye"), DataEvent("usage"))),
        (b"data: tail\r\r", (DataEvent("tail"),)),
        (b": cut", ()),
        (b"data: cut\n", ()),
        (b": bye\n\xff\n: lost\n", (CommentEvent("bye"),)),
        (b"\xff\n: lost\n", ()),
    ],
)
@pytest.mark.parametrize("step", [1, 4, 1000])
def test_what_follows_the_end_mark_cannot_undo_the_stream(tail: bytes, events: tuple[DataEvent | CommentEvent, ...], step: int) -> None:
    transcript = b"data: [DONE]\n\n" + tail
    chunks = [transcript[start : start + step] for start in range(0, len(transcript), step)]
    response = kept_stream(record(request(STREAM_BODY), chunks, SSE)[1])
    assert (response.events, response.raw_transcript) == ((DataEvent("[DONE]"), *events), transcript)


# Ends that are not clean


def started(chunks: Sequence[bytes], headers: RawHeaders = SSE, policy: RecordingPolicy = POLICY) -> Recorder:
    recorder = Recorder(request(STREAM_BODY), CHAT_COMPLETIONS, policy, 0)
    recorder.response_started(ObservedResponseHead(200, headers))
    for chunk in chunks:
        recorder.feed(chunk, 1)
    return recorder


@pytest.mark.parametrize("tail", [b"", b"data: more", b": x\n"])
def test_a_hang_up_after_the_end_mark_leaves_a_whole_stream(tail: bytes) -> None:
    response = kept_stream(started([TRANSCRIPT, tail]).finish_after_last_event(NOW))
    assert response.events[: len(EVENTS)] == EVENTS
    assert response.raw_transcript == TRANSCRIPT + tail


@pytest.mark.parametrize("chunks", [[], [b"data: one\n\n"], [b"data: [DONE]\n"], [b": [DONE]\n\n"]])
def test_a_hang_up_before_the_end_mark_leaves_nothing(chunks: list[bytes]) -> None:
    assert started(chunks).finish_after_last_event(NOW) == NotRecorded("the stream broke before its end")


def test_the_end_mark_of_a_plain_answer_means_nothing() -> None:
    recorder = started([b"data: [DONE]\n\n"], JSON)
    assert not recorder.saw_last_event
    assert isinstance(recorder.finish_after_last_event(NOW), NotRecorded)


def test_an_upstream_that_never_answered() -> None:
    recorder = Recorder(request(), CHAT_COMPLETIONS, POLICY, 0)
    assert recorder.status is None
    assert recorder.finish(NOW) == NotRecorded("the upstream never answered")


@pytest.mark.parametrize("chunks", [[], [b"data: one\n\n"], [TRANSCRIPT]])
def test_what_was_given_up_stays_so(chunks: list[bytes]) -> None:
    recorder = started(chunks)
    recorder.give_up("the first reason")
    recorder.give_up("another")
    recorder.feed(TRANSCRIPT, 5)
    assert recorder.finish(NOW) == NotRecorded("the first reason")


@pytest.mark.parametrize(
    ("chunks", "headers", "is_inside"),
    [
        ([], SSE, False),
        ([b"data: one\n\n"], SSE, False),
        ([b"event: x\n"], SSE, False),
        ([b"data: one\n"], SSE, True),
        ([b": pin"], SSE, True),
        ([b"\xff\n"], SSE, True),
        ([b"data: [DONE]\n\n: pin"], SSE, False),
        ([b"data: [DONE]\n\n", b"\xff\n"], SSE, False),
        ([b'{"a":'], JSON, False),
    ],
)
def test_where_a_stream_would_stop_now(chunks: list[bytes], headers: RawHeaders, is_inside: bool) -> None:
    assert started(chunks, headers).ends_inside_event is is_inside


# Failures kept on purpose

KEEPING = RecordingPolicy(IgnorePathConfig(), NO_RULES, "openrouter", 1_000_000, keeps_failures=True)


@pytest.mark.parametrize("failure", FailureKind)
@pytest.mark.parametrize(("headers", "kind"), [(SSE, StreamResponse), (JSON, NonStreamResponse)])
def test_an_answer_that_ended_badly_is_kept_as_what_it_was(failure: FailureKind, headers: RawHeaders, kind: type) -> None:
    recorder = started([b"data: one\n\ndata: tw"], headers, KEEPING)
    interaction = kept(recorder.finish_failed(failure, NOW))
    assert interaction.failure is failure
    assert isinstance(interaction.response, kind)


def test_bytes_that_are_no_events_are_kept_as_an_invalid_stream() -> None:
    recorder, outcome = record(request(STREAM_BODY), [b"data: one\n\n\xff\n", b"data: lost\n\n"], SSE, policy=KEEPING)
    assert kept(outcome).failure is FailureKind.INVALID_STREAM
    assert kept_stream(outcome).events == (DataEvent("one"),)
    assert kept_stream(outcome).raw_transcript == b"data: one\n\n\xff\ndata: lost\n\n"
    assert kept(recorder.finish_failed(FailureKind.RESET, NOW)).failure is FailureKind.RESET


def test_a_whole_stream_is_no_failure() -> None:
    assert kept(record(request(STREAM_BODY), [TRANSCRIPT], SSE, policy=KEEPING)[1]).failure is None
    recorder = started([TRANSCRIPT, b": cu"], policy=KEEPING)
    assert kept(recorder.finish_after_last_event(NOW)).failure is None


def test_what_was_given_up_or_never_began_is_not_even_kept_as_a_failure() -> None:
    recorder = started([b"data: one\n\n"], policy=KEEPING)
    recorder.give_up("the recorder failed")
    assert recorder.finish_failed(FailureKind.CUT, NOW) == NotRecorded("the recorder failed")
    unanswered = Recorder(request(), CHAT_COMPLETIONS, KEEPING, 0)
    assert unanswered.finish_failed(FailureKind.CUT, NOW) == NotRecorded("the upstream never answered")


# Compressed streams


def one_shot(encode: Callable[[bytes], bytes]) -> list[bytes]:
    data = encode(TRANSCRIPT)
    return [data[:7], data[7:]]


def flushed_gzip() -> list[bytes]:
    compressor = zlib.compressobj(wbits=31)
    chunks = [compressor.compress(line) + compressor.flush(zlib.Z_SYNC_FLUSH) for line in TRANSCRIPT.splitlines(keepends=True)]
    return [*chunks, compressor.flush()]


COMPRESSED = [
    (b"gzip", flushed_gzip()),
    (b"gzip", one_shot(gzip.compress)),
    (b"deflate", one_shot(zlib.compress)),
    (b"BR", one_shot(brotli.compress)),
    (b"zstd", one_shot(zstd.compress)),
    (b"deflate, br", one_shot(lambda data: brotli.compress(zlib.compress(data)))),
]


@pytest.mark.parametrize(("coding", "chunks"), COMPRESSED)
def test_a_compressed_stream_is_stored_as_it_came_and_read_decoded(coding: bytes, chunks: list[bytes]) -> None:
    recorder, outcome = record(request(STREAM_BODY), chunks, coded(coding))
    response = kept_stream(outcome)
    assert response.events == EVENTS
    assert response.raw_transcript == b"".join(chunks)
    assert ("content-encoding", coding.decode()) in response.headers
    assert response.timing is not None
    assert response.timing.chunks[-1] == (len(b"".join(chunks)), 10 * len(chunks))
    assert recorder.warnings == []


def test_a_flushed_end_mark_is_seen_before_the_compressed_data_ends() -> None:
    recorder = started(flushed_gzip()[:-1], coded(b"gzip"))
    assert recorder.saw_last_event
    assert kept_stream(recorder.finish_after_last_event(NOW)).events == EVENTS
    assert kept_stream(recorder.finish(NOW)).events == EVENTS


@pytest.mark.parametrize("garbage", [b"garbage" * 3, b"\xff"])
def test_garbage_behind_the_end_mark_of_a_compressed_stream(garbage: bytes) -> None:
    recorder = started([*flushed_gzip(), garbage, garbage], coded(b"gzip"))
    assert kept_stream(recorder.finish(NOW)).events == EVENTS


@pytest.mark.parametrize(
    ("chunks", "reason"),
    [
        ([gzip.compress(b"data: one\n\n", mtime=0)[:-3]], "the compressed data is cut short"),
        ([b"data: one\n\n"], "the compressed data is broken"),
        ([gzip.compress(b"data: one\n\n", mtime=0), b"garbage" * 3], "the compressed data is broken"),
        ([gzip.compress(b"data: one\n", mtime=0)], CUT),
    ],
)
def test_a_broken_compressed_stream_is_not_kept(chunks: list[bytes], reason: str) -> None:
    outcome = record(request(STREAM_BODY), chunks, coded(b"gzip"))[1]
    assert isinstance(outcome, NotRecorded)
    assert outcome.reason.startswith(reason)


@pytest.mark.parametrize(("body", "answers_stream"), [(STREAM_BODY, True), (PLAIN_BODY, False)])
def test_an_unknown_coding_is_kept_as_it_came_with_a_warning(body: bytes, answers_stream: bool) -> None:
    recorder, outcome = record(request(body), [b"\x01\x02", b"\xff"], coded(b"compress"))
    assert not recorder.is_stream
    response = kept_plain(outcome)
    assert (response.body, response.answers_stream) == (b"\x01\x02\xff", answers_stream)
    assert ("content-encoding", "compress") in response.headers
    assert len(recorder.warnings) == 1
    assert "'compress'" in recorder.warnings[0] and "not searched" in recorder.warnings[0]


def test_the_work_per_chunk_does_not_grow() -> None:
    recorder = started([b"data: x\n\n"] * 50_000)
    assert len(kept_stream(recorder.finish(NOW)).events) == 50_000


def test_recorders_share_nothing() -> None:
    first, second = started([b"data: one\n\n"]), started([b"data: two\n\n"])
    assert kept_stream(first.finish(NOW)).events == (DataEvent("one"),)
    assert kept_stream(second.finish(NOW)).events == (DataEvent("two"),)
    assert first.warnings is not second.warnings


def test_what_has_come_so_far_can_be_looked_at() -> None:
    recorder = Recorder(request(), CHAT_COMPLETIONS, RecordingPolicy(IgnorePathConfig(), NO_RULES, "u", 1 << 20), 0)
    assert recorder.received == b""
    recorder.response_started(ObservedResponseHead(200, ()))
    recorder.feed(b"ab", 1)
    recorder.feed(b"c", 2)
    assert recorder.received == b"abc"
