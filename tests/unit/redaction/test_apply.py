from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, canonicalize, stable_hash
from spycatcher_addon.cassette.model import (
    DataEvent,
    FailureKind,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    StreamResponse,
    Timing,
)
from spycatcher_addon.exchange import Headers
from spycatcher_addon.redaction.apply import FoundSecret, InteractionRedactor
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.redaction.shapes import SHAPE_NAMES
from spycatcher_addon.sse import SseParser, encode_event, encode_events
from tests.support.secrets import BY_SHAPE

KEY = BY_SHAPE["openai-key"]
OTHER = "sk-proj-" + "x" * 40
TOKEN = "[redacted:openai-key:1]"
RULES = RedactionRules(frozenset({"cookie"}), frozenset({"key"}), (), frozenset(SHAPE_NAMES))
REDACTOR = InteractionRedactor(RULES, 1_000_000)
METADATA = Metadata("p", "u", "2026-01-01T00:00:00Z", 0)
GZIP: Headers = (("content-encoding", "gzip"), ("x-a", "1"))


def asked(body: str = "{}", query: str = "", headers: Headers = ()) -> RecordedRequest:
    return RecordedRequest("POST", "/v1/chat/completions", query, headers, body.encode())


def plain(body: bytes = b"{}", headers: Headers = ()) -> NonStreamResponse:
    return NonStreamResponse(200, headers, body)


def streamed(chunks: list[bytes], headers: Headers = (), transcript: bytes | None = None) -> StreamResponse:
    parser = SseParser()
    events = tuple(event for chunk in (chunks if transcript is None else [transcript]) for event in parser.feed(chunk))
    ends = [sum(map(len, chunks[: number + 1])) for number in range(len(chunks))]
    timing = Timing(5, tuple((end, 10 * number) for number, end in enumerate(ends, 1)))
    return StreamResponse(200, headers, events, b"".join(chunks), timing)


def test_a_clean_interaction_comes_back_as_it_is() -> None:
    for response in (plain(gzip.compress(b"{}"), GZIP), streamed([b"data: 1\r\n", b"\r\n: x\n\n"])):
        interaction = Interaction(asked('{"a":1}'), response, METADATA)
        assert REDACTOR.interaction(interaction) == (interaction, ())
        assert REDACTOR.interaction(interaction)[0] is interaction


def test_secrets_are_counted_from_query_over_body_to_answer() -> None:
    third = "sk-proj-" + "y" * 40
    request = asked(json.dumps([OTHER, KEY]), f"q={KEY}", (("x-k", third),))
    redacted, found = REDACTOR.interaction(Interaction(request, plain(json.dumps([third, OTHER]).encode()), METADATA))
    assert redacted.request.query == f"q={TOKEN}"
    assert redacted.request.parsed_json == ["[redacted:openai-key:2]", TOKEN]
    assert redacted.request.headers == (("x-k", "[redacted:openai-key:3]"),)
    assert redacted.response == plain(b'["[redacted:openai-key:3]", "[redacted:openai-key:2]"]')
    assert [(each.place, each.secret) for each in found] == [
        ("request.query", KEY), ("request.body", OTHER), ("request.body", KEY), ("request.headers", third),
        ("response.body", third), ("response.body", OTHER),
    ]  # fmt: skip
    assert found[0] == FoundSecret("openai-key", "request.query", KEY)


def test_compressed_bodies_with_a_secret_are_kept_decoded() -> None:
    body = gzip.compress(f'{{"a":"{KEY}"}}'.encode())
    request = RecordedRequest("POST", "/", "", GZIP, body)
    redacted, _ = REDACTOR.interaction(Interaction(request, plain(body, GZIP), METADATA))
    expected = f'{{"a":"{TOKEN}"}}'.encode()
    assert (redacted.request.body, redacted.request.headers) == (expected, (("x-a", "1"),))
    assert redacted.response == plain(expected, (("x-a", "1"),))


def test_a_body_that_cannot_be_decoded_is_searched_as_it_stands() -> None:
    redacted, found = REDACTOR.interaction(Interaction(asked(), plain(f"no gzip: {KEY}".encode(), GZIP), METADATA))
    assert redacted.response == plain(f"no gzip: {TOKEN}".encode(), GZIP)
    assert len(found) == 1


def test_the_chunks_of_a_stream_end_behind_the_events_they_completed() -> None:
    chunks = [b'data: {"c":"a sk-pro', f'{KEY[6:20]}"}}\r\n\r\ndata: {{"c":"'.encode(), f'{KEY[20:]} b"}}\n\n'.encode(), b": ping\n", b"\n"]
    response = streamed(chunks)
    redacted, _ = REDACTOR.interaction(Interaction(asked(), response, METADATA))
    assert isinstance(redacted.response, StreamResponse)
    events = redacted.response.events
    assert events[:2] == (DataEvent(f'{{"c":"a {TOKEN}"}}'), DataEvent('{"c":" b"}'))
    assert redacted.response.raw_transcript == encode_events(events)
    first, second = (len(encode_events(events[:count])) for count in (1, 2))
    end = len(redacted.response.raw_transcript)
    assert redacted.response.timing == Timing(5, ((0, 10), (first, 20), (second, 30), (end, 40), (end, 50)))


def test_a_compressed_stream_with_a_secret_is_kept_decoded() -> None:
    transcript = f"data: {KEY}\n\ndata: [DONE]\n\n".encode()
    coded = gzip.compress(transcript)
    response = streamed([coded[:20], coded[20:]], GZIP, transcript)
    redacted, _ = REDACTOR.interaction(Interaction(asked(), response, METADATA))
    assert isinstance(redacted.response, StreamResponse)
    assert redacted.response.headers == (("x-a", "1"),)
    assert redacted.response.raw_transcript == f"data: {TOKEN}\n\ndata: [DONE]\n\n".encode()
    assert redacted.response.timing is not None and redacted.response.timing.chunks[-1] == (len(redacted.response.raw_transcript), 20)


@pytest.mark.parametrize("rest", [f"x-unknown: {KEY}\n\n", f"data: {KEY}"])
def test_what_is_no_event_goes_when_it_has_a_secret(rest: str) -> None:
    response = streamed([b"data: 1\n\n", rest.encode()])
    redacted, _ = REDACTOR.interaction(Interaction(asked(), response, METADATA))
    assert isinstance(redacted.response, StreamResponse)
    assert redacted.response.raw_transcript == b"data: 1\n\n"
    assert redacted.response.timing == Timing(5, ((9, 10), (9, 20)))


def test_an_event_stream_that_nobody_asked_for() -> None:
    body = f'data: {{"c":"{KEY[:20]}"}}\r\n\r\ndata: {{"c":"{KEY[20:]}"}}\r\n\r\n'.encode()
    headers = (("content-type", "text/event-stream"),)
    redacted, _ = REDACTOR.interaction(Interaction(asked(), plain(body, headers), METADATA))
    assert redacted.response == plain(f'data: {{"c":"{TOKEN}"}}\n\ndata: {{"c":""}}\n\n'.encode(), headers)


def test_redacting_twice_changes_nothing_more() -> None:
    request = asked(json.dumps({"a": KEY}), "key=abc")
    once, _ = REDACTOR.interaction(Interaction(request, streamed([f"data: {KEY}\n\n".encode()], (("x", KEY),)), METADATA))
    assert REDACTOR.interaction(once) == (once, ())


def test_new_secrets_beside_old_tokens_get_new_numbers() -> None:
    request = REDACTOR.request(asked(json.dumps([TOKEN, KEY]), "a=[redacted:openai-key:2]"))
    assert request.parsed_json == [TOKEN, "[redacted:openai-key:3]"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": KEY, "b": OTHER}, {"b": "sk-proj-" + "1" * 40, "a": "sk-proj-" + "2" * 40}),
        ({"m": [KEY, KEY]}, {"m": [OTHER, OTHER]}),
    ],
)
def test_requests_with_other_secrets_hash_alike_in_any_order_of_members(one: dict[str, object], other: dict[str, object]) -> None:
    hashes = {stable_hash(canonicalize(REDACTOR.request(asked(json.dumps(body))), NOTHING_IGNORED)) for body in (one, other)}
    assert len(hashes) == 1


def test_distinct_secrets_and_the_same_one_twice_hash_differently() -> None:
    hashes = {stable_hash(canonicalize(REDACTOR.request(asked(json.dumps(body))), NOTHING_IGNORED)) for body in ([KEY, KEY], [KEY, OTHER])}
    assert len(hashes) == 2


def test_only_headers_changing_keeps_the_hash() -> None:
    request = replace_headers(asked('{"a":1}'), (("x-k", KEY),))
    redacted = REDACTOR.request(request)
    assert (redacted.headers, redacted.stable_hash) == ((("x-k", TOKEN),), "h")


def replace_headers(request: RecordedRequest, headers: Headers) -> RecordedRequest:
    return RecordedRequest(request.method, request.path, request.query, headers, request.body, stable_hash="h")


def test_a_failed_exchange_stays_one() -> None:
    interaction = Interaction(asked(json.dumps([KEY])), plain(), METADATA)
    assert replace(REDACTOR.interaction(interaction)[0], request=interaction.request) == interaction


@pytest.mark.parametrize(("tail", "is_cut_off"), [("3dEf6h9Kl2Mn5Pq8St1Vw4Yz7", True), (" and so on, until it broke", False)])
def test_a_secret_that_goes_on_in_the_tail_of_a_broken_stream_is_not_kept_whole(tail: str, is_cut_off: bool) -> None:
    event = DataEvent('{"choices":[{"index":0,"delta":{"content":"hi sk-proj-Ab"}}]}')
    transcript = encode_event(event) + b'data: {"choices":[{"index":0,"delta":{"content":"' + tail.encode()
    broken = Interaction(
        RecordedRequest("POST", "/v1/chat/completions"),
        StreamResponse(200, (), (event,), transcript, Timing(1, ((len(transcript), 1),))),
        Metadata("p", "u", "2026-01-01T00:00:00Z", 0),
        FailureKind.CUT,
    )
    redacted, _ = InteractionRedactor(RedactionRules(shapes=frozenset(SHAPE_NAMES)), 10_000).interaction(broken)
    assert isinstance(redacted.response, StreamResponse)
    assert (tail.encode() not in redacted.response.raw_transcript) is is_cut_off
