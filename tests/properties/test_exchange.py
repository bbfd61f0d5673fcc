from __future__ import annotations

import gzip
import json
import zlib
from itertools import pairwise

import brotli
from hypothesis import example, given
from hypothesis import strategies as st

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.model import Cassette, Interaction, StreamResponse
from spycatcher_addon.cassette.schema import encode_cassette, parse_cassette
from spycatcher_addon.choices import MatchMode
from spycatcher_addon.errors import StreamParseError
from spycatcher_addon.exchange import ObservedRequest, ObservedResponseHead, RawHeaders
from spycatcher_addon.headers import select_forwarded_request, select_forwarded_response, select_persisted_request, select_replayed
from spycatcher_addon.protocols.chat_completions import CHAT_COMPLETIONS
from spycatcher_addon.recording import NotRecorded, Recorder, RecordingPolicy
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.replaying import ReplayPolicy, ReplaySession
from spycatcher_addon.sse import SseParser, encode_events

CHAT = "/v1/chat/completions"
NOW = "2026-01-02T03:04:05Z"
DROP = frozenset({"authorization", "x-secret"})
HOP_BY_HOP = {
    b"connection",
    b"keep-alive",
    b"proxy-authenticate",
    b"proxy-authorization",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
}

tokens = st.sampled_from(
    [b"Connection", b"TE", b"keep-alive", b"Upgrade", b"Host", b"Authorization", b"X-Secret", b"x-a", b"X-B", b"content-length"]
)
values = st.lists(tokens | st.binary(max_size=6), max_size=3).map(b", ".join)
header_lists = st.lists(st.tuples(tokens | st.binary(max_size=6), values), max_size=10).map(tuple)
codings = st.sampled_from([b"gzip", b"deflate", b"br", b"zstd", b"identity", b"compress", b"gzip, br", b"", b"\xff"])
ENCODE = {
    b"": bytes,
    b"gzip": gzip.compress,
    b"deflate": zlib.compress,
    b"br": brotli.compress,
    b"gzip, br": lambda data: brotli.compress(gzip.compress(data)),
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["stream", "messages", "n"]) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)
bodies = (
    st.binary(max_size=20)
    | json_values.map(lambda value: json.dumps(value).encode())
    | json_values.map(lambda value: gzip.compress(json.dumps(value).encode()))
)

transcripts = st.lists(
    st.sampled_from(
        [
            b"data: ",
            b"data",
            b"event: e",
            b"id:1",
            b": c",
            b"\r",
            b"\n",
            b"\n\n",
            b"\r\n\r\n",
            b"[DONE]",
            "é\u2028".encode(),
            b"\xff",
            b"{}",
        ]
    )
    | st.binary(max_size=2),
    max_size=20,
).map(b"".join)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    cuts = sorted(place % (len(data) + 1) for place in places)
    return [data[start:end] for start, end in pairwise([0, *cuts, len(data)])]


def is_subsequence(part: tuple[object, ...], whole: tuple[object, ...]) -> bool:
    remaining = iter(whole)
    return all(item in remaining for item in part)


@given(header_lists)
def test_selection_keeps_order_and_lets_no_hop_by_hop_field_through(headers: RawHeaders) -> None:
    named = {token.strip().lower() for name, value in headers if name.lower() == b"connection" for token in value.split(b",")} - {b""}
    for selected in (select_forwarded_request(headers), select_forwarded_response(headers)):
        assert is_subsequence(selected, headers)
        assert not {name.lower() for name, _ in selected} & (HOP_BY_HOP | named | {b"content-length"})
        lost = {name.lower() for name, _ in headers} - {name.lower() for name, _ in selected}
        assert lost <= HOP_BY_HOP | named | {b"content-length", b"host", b"authorization", b"accept-encoding", b"expect"}


@given(header_lists)
def test_what_is_kept_can_be_sent_again_and_holds_no_secret(headers: RawHeaders) -> None:
    kept = select_persisted_request(headers, DROP)
    assert not {name for name, _ in kept} & DROP
    sent, dropped = select_replayed(kept)
    # Only a name that is no field name is in the way; such a head does not reach the recorder from a parser.
    assert len(sent) + len(dropped) == len(kept)
    assert all(value.isascii() and value.replace("\t", "").isprintable() for _, value in kept)
    assert is_subsequence(sent, kept)


def a_recorder(body: bytes, headers: RawHeaders = ()) -> Recorder:
    policy = RecordingPolicy(IgnorePathConfig(("/messages/0/content",)), RedactionRules(DROP), "upstream", 10_000)
    return Recorder(ObservedRequest("POST", CHAT, "", headers, body), CHAT_COMPLETIONS, policy, 0)


@given(
    body=bodies,
    request_coding=codings,
    head=header_lists,
    coding=codings,
    data=transcripts,
    places=st.lists(st.integers(0, 99), max_size=6),
)
@example(body=b'{"stream":true}', request_coding=b"", head=(), coding=b"", data=b"data: [DONE]\n\n\xff\n", places=[14])
@example(body=b'{"stream":true}', request_coding=b"", head=(), coding=b"gzip", data=b"data: x\n\n", places=[1, 2, 3])
def test_a_recorder_never_raises(
    body: bytes, request_coding: bytes, head: RawHeaders, coding: bytes, data: bytes, places: list[int]
) -> None:
    recorder = a_recorder(body, ((b"content-encoding", request_coding),))
    recorder.response_started(ObservedResponseHead(200, (*head, (b"content-encoding", coding))))
    for number, chunk in enumerate(cut(data, places)):
        recorder.feed(chunk, number)
    assert recorder.ends_inside_event in (True, False)
    outcomes = (recorder.finish_after_last_event(NOW), recorder.finish(NOW))
    for outcome in outcomes:
        assert isinstance(outcome, (Interaction, NotRecorded))
    if recorder.is_stream is False:
        assert isinstance(outcomes[1], Interaction) or "ignore path" in outcomes[1].reason


@given(
    method=st.sampled_from(["POST", "GET", ""]),
    path=st.just(CHAT) | st.text(max_size=5),
    query=st.text(st.characters(codec=None), max_size=8),
    headers=header_lists,
    coding=codings,
    body=bodies,
    mode=st.sampled_from(MatchMode),
)
@example(method="POST", path="\udcff", query="\udcff", headers=(), coding=b"", body=b"", mode=MatchMode.KEYED)
@example(method="POST", path=CHAT, query="\ud800=%", headers=(), coding=b"", body=b"[" * 300, mode=MatchMode.KEYED)
def test_a_replay_answers_whatever_comes(
    method: str, path: str, query: str, headers: RawHeaders, coding: bytes, body: bytes, mode: MatchMode
) -> None:
    recorder = a_recorder(b'{"stream":true,"n":[1,{"a":0.5}]}')
    recorder.response_started(ObservedResponseHead(200, ()))
    recorded = recorder.finish(NOW)
    assert isinstance(recorded, Interaction)
    replay = ReplaySession(
        Cassette(2, (recorded,)), ReplayPolicy(match_mode=mode, ignore=IgnorePathConfig(("/messages/0/content",)), max_body_bytes=1000)
    )
    reply = replay.handle(ObservedRequest(method, path, query, (*headers, (b"content-encoding", coding)), body))
    counts = replay.counts
    assert counts.matched + counts.mismatched + counts.rejected == 1
    assert (replay.unused() == ()) == (reply.error_kind is None) == (counts.matched == 1)
    if reply.error_kind is not None:
        assert list(json.loads(reply.body)["error"])[:4] == ["kind", "message", "type", "code"]


@given(data=transcripts, coding=st.sampled_from(list(ENCODE)), places=st.lists(st.integers(0, 99), max_size=6))
@example(data=b"data: a\r\r", coding=b"gzip", places=[])
@example(data=b"data: [DONE]\n\n\xff\n", coding=b"", places=[14])
@example(data=b"event: e\ndata: {}\n\n: c\ndata: [DONE]\n\n", coding=b"br", places=[1, 5])
def test_a_recorded_stream_replays_its_events_wherever_its_chunks_were_cut(data: bytes, coding: bytes, places: list[int]) -> None:
    body = b'{"stream":true}'
    recorder = a_recorder(body)
    recorder.response_started(ObservedResponseHead(200, ((b"content-encoding", coding), (b"content-type", b"text/event-stream"))))
    encoded = ENCODE[coding](data)
    for number, chunk in enumerate(cut(encoded, places)):
        recorder.feed(chunk, number)
    recorded = recorder.finish(NOW)

    parser = SseParser()
    try:
        events = parser.feed(data)
        has_end_mark = any(CHAT_COMPLETIONS.is_last_event(event) for event in events)
        events += parser.finish()
    except StreamParseError:
        has_end_mark = has_end_mark if parser.event_end_offsets else False
        is_whole = has_end_mark
    else:
        is_whole = True
    assert isinstance(recorded, Interaction) == is_whole
    if not isinstance(recorded, Interaction):
        return
    assert isinstance(recorded.response, StreamResponse)
    assert recorded.response.events == tuple(events)
    assert recorded.response.raw_transcript == encoded

    tape = parse_cassette(encode_cassette(Cassette(2, (recorded,))), "the tape")
    ignore = IgnorePathConfig(("/messages/0/content",))
    reply = ReplaySession(tape, ReplayPolicy(ignore=ignore)).handle(ObservedRequest("POST", CHAT, "", (), body))
    assert reply.body == encode_events(events)
    assert SseParser().feed(reply.body) == list(recorded.response.events)
