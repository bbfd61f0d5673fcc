"""Findings about cassettes: one small fault each, and none about what the recorder writes."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import (
    CanonicalRequest,
    Cassette,
    CommentEvent,
    DataEvent,
    FailureKind,
    Hashing,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    StreamResponse,
    Timing,
)
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.sse import encode_events
from spycatcher_addon.verifying import Finding, verify_cassette
from tests.support.secrets import BY_SHAPE

DROP = frozenset({"authorization", "x-api-key"})
JSON_HEADERS = (("content-type", "application/json"),)
SSE_HEADERS = (("content-type", "text/event-stream"),)
EVENTS = (CommentEvent("PROCESSING"), DataEvent('{"n":1}'), DataEvent("[DONE]"))
TRANSCRIPT = encode_events(EVENTS)
NO_SETTINGS = Hashing()
METADATA = Metadata("openai.chat_completions.v1", "openrouter", "2026-01-02T03:04:05.678901Z", 0)


def hashed(body: bytes, *ignored: str, query: str = "", headers: Any = JSON_HEADERS) -> RecordedRequest:
    request = RecordedRequest("POST", "/v1/chat/completions", query, headers, body)
    digest = stable_hash(canonicalize(request, IgnorePathConfig(ignored)))
    return RecordedRequest("POST", "/v1/chat/completions", query, headers, body, stable_hash=digest)


def plain(**changes: Any) -> Interaction:
    answer = NonStreamResponse(200, JSON_HEADERS, b'{"ok":true}')
    return replace(Interaction(hashed(b'{"model":"m"}'), answer, METADATA), **changes)


def stream(**changes: Any) -> Interaction:
    half = len(TRANSCRIPT) // 2
    answer = StreamResponse(200, SSE_HEADERS, EVENTS, TRANSCRIPT, Timing(5, ((half, 5), (len(TRANSCRIPT), 9))))
    return Interaction(hashed(b'{"model":"m","stream":true}'), replace(answer, **changes), METADATA)


def check(*interactions: Interaction, ignored: tuple[str, ...] = (), hashing: Hashing = NO_SETTINGS, version: int = 2) -> list[Finding]:
    return list(verify_cassette(Cassette(version, interactions, hashing), IgnorePathConfig(ignored), RedactionRules(DROP)))


def only(findings: list[Finding]) -> tuple[str, dict[str, str], bool]:
    (finding,) = findings
    return finding.message_id, dict(finding.arguments), finding.is_warning


@pytest.mark.parametrize("interaction", [plain(), stream()])
def test_what_the_recorder_writes_is_clean(interaction: Interaction) -> None:
    assert check(interaction) == []
    assert check() == []


def test_findings_carry_the_index_of_their_interaction() -> None:
    bad = plain(metadata=replace(METADATA, recorded_at="yesterday"))
    assert [finding.interaction for finding in check(plain(), bad, plain(), bad)] == [1, 3]


# --- the hash -------------------------------------------------------------------------------------------------------


def test_a_missing_hash_is_told_with_the_right_one() -> None:
    request = hashed(b"{}")
    message_id, arguments, _ = only(check(plain(request=RecordedRequest("POST", request.path, "", JSON_HEADERS, b"{}"))))
    assert (message_id, arguments) == ("verify-hash-missing", {"computed": request.stable_hash})


def test_a_hash_is_computed_from_the_bytes_and_not_from_parsed_json() -> None:
    good = hashed(b'{"a":1}')
    forged = RecordedRequest("POST", good.path, "", JSON_HEADERS, b'{"a":2}', parsed_json={"a": 1}, stable_hash=good.stable_hash)
    assert {finding.message_id for finding in check(plain(request=forged))} == {"verify-hash-mismatch", "verify-request-json-mismatch"}


@pytest.mark.parametrize("change", [{"method": "PUT"}, {"path": "/v1/other"}, {"query": "a=1"}])
def test_everything_canonical_is_in_the_hash(change: dict[str, str]) -> None:
    request = hashed(b"{}")
    values = {"method": "POST", "path": request.path, "query": ""} | change
    changed = RecordedRequest(**values, headers=JSON_HEADERS, body=b"{}", stable_hash=request.stable_hash)
    assert "verify-hash-mismatch" in {finding.message_id for finding in check(plain(request=changed))}


def test_ignored_paths_of_the_tape_count_for_its_hashes() -> None:
    request = hashed(b'{"id":7,"model":"m"}', "/id")
    hashing = Hashing(ignore_paths=("/id",))
    assert check(plain(request=request), ignored=("/id",), hashing=hashing) == []
    assert only(check(plain(request=request), hashing=hashing)) == (
        "verify-ignore-paths-drift",
        {"recorded": "/id", "configured": "-"},
        False,
    )


def test_an_empty_tape_has_no_hashes_to_drift() -> None:
    assert check(ignored=("/id",)) == []


def test_a_tape_of_format_1_does_not_say_what_was_ignored() -> None:
    for request in (hashed(b'{"id":7}', "/id"), hashed(b'{"id":7}')):
        assert check(plain(request=request), ignored=("/id",), version=1) == []
    assert only(check(plain(request=hashed(b'{"id":7}', "/id")), version=1))[0] == "verify-hash-mismatch"


def test_an_ignore_path_that_does_not_fit_the_body() -> None:
    request = hashed(b'{"messages":[1]}')
    findings = check(plain(request=request), ignored=("/messages/x",), hashing=Hashing(ignore_paths=("/messages/x",)))
    assert only(findings)[:2] == ("verify-ignore-path-misfit", {"path": "/messages/x"})


def test_a_stored_canonical_request_has_to_agree() -> None:
    def with_canonical(body: Any) -> Interaction:
        request = hashed(b'{"model":"m"}')
        canonical = CanonicalRequest("POST", request.path, "", body)
        return plain(request=RecordedRequest("POST", request.path, "", JSON_HEADERS, request.body, None, canonical, request.stable_hash))

    assert check(with_canonical({"model": "m"})) == []
    assert only(check(with_canonical({"model": "n"})))[:2] == ("verify-canonical-mismatch", {"differences": "canonical_body.model"})


# --- bodies ---------------------------------------------------------------------------------------------------------


def test_a_compressed_request_body_is_looked_into() -> None:
    headers = (*JSON_HEADERS, ("content-encoding", "gzip"))
    assert check(plain(request=hashed(gzip.compress(b'{"model":"m"}', mtime=0), headers=headers))) == []


@pytest.mark.parametrize("body", [b"not json", b"\xff"])
def test_a_request_that_is_no_json_can_never_be_replayed(body: bytes) -> None:
    assert only(check(plain(request=hashed(body)))) == ("verify-request-not-json", {}, True)


def test_parsed_json_of_the_answer_has_to_agree() -> None:
    answer = NonStreamResponse(200, JSON_HEADERS, b'{"a":1}')
    answer.__dict__["parsed_json"] = {"a": 2}
    assert only(check(plain(response=answer)))[0] == "verify-response-json-mismatch"
    assert check(plain(response=NonStreamResponse(200, JSON_HEADERS, b"no json"))) == []


@pytest.mark.parametrize(("marked", "count"), [(True, 0), (False, 1)])
def test_a_plain_answer_to_a_stream_has_to_be_marked(marked: bool, count: int) -> None:
    answer = NonStreamResponse(200, JSON_HEADERS, b"{}", answers_stream=marked)
    findings = check(plain(request=hashed(b'{"stream":true}'), response=answer))
    assert [(finding.message_id, finding.is_warning) for finding in findings] == [("verify-stream-without-events", True)] * count


# --- secrets --------------------------------------------------------------------------------------------------------


def test_secrets_are_named_by_rule_place_and_digest_never_by_value() -> None:
    secret, known = BY_SHAPE["github-token"], "fake-known-value"
    interaction = plain(
        request=hashed(json.dumps({"a": secret}).encode(), headers=JSON_HEADERS),
        response=NonStreamResponse(200, JSON_HEADERS, json.dumps({"b": [secret, known]}).encode()),
    )
    rules = RedactionRules(shapes=frozenset({"github-token"}), known=(known,))
    hashing = Hashing(redaction_rules=rules.names)
    findings = [each for each in verify_cassette(Cassette(2, (interaction,), hashing), IgnorePathConfig(), rules)
                if each.message_id == "verify-secret"]  # fmt: skip
    digest, other = (hashlib.sha256(each.encode()).hexdigest()[:8] for each in (secret, known))
    assert [(each.arguments, each.interaction, each.is_warning) for each in findings] == [
        ((("rule", "github-token"), ("place", "request.body"), ("digest", digest)), 0, False),
        ((("rule", "github-token"), ("place", "response.body"), ("digest", digest)), 0, False),
        ((("rule", "env"), ("place", "response.body"), ("digest", other)), 0, False),
    ]
    assert secret not in repr(findings) and known not in repr(findings)


def test_a_hash_made_under_rules_that_a_request_falls_under_is_right() -> None:
    rules = RedactionRules(shapes=frozenset({"github-token"}))
    request = hashed(json.dumps({"a": BY_SHAPE["github-token"]}).encode(), headers=JSON_HEADERS)
    redacted = InteractionRedactor(rules, 1000).request(request)
    request = replace(request, stable_hash=stable_hash(canonicalize(redacted, IgnorePathConfig())))
    tape = Cassette(2, (plain(request=request),), Hashing(redaction_rules=rules.names))
    assert "verify-hash-mismatch" not in [each.message_id for each in verify_cassette(tape, IgnorePathConfig(), RedactionRules())]


def test_headers_that_redaction_names() -> None:
    secret = (*JSON_HEADERS, ("Authorization", "Bearer sk-fake"), ("x-api-key", "sk-fake"), ("x-api-key", "sk-fake-2"))
    findings = check(plain(request=hashed(b"{}", headers=secret), response=NonStreamResponse(200, secret, b"{}")))
    assert [(finding.message_id, finding.arguments, finding.is_warning) for finding in findings] == [
        ("verify-request-header", (("name", "authorization"),), False),
        ("verify-request-header", (("name", "x-api-key"),), False),
        ("verify-response-header", (("name", "authorization"),), False),
        ("verify-response-header", (("name", "x-api-key"),), False),
    ]
    assert "sk-fake" not in repr(findings)


@pytest.mark.parametrize(
    "name", ["key", "api_key", "apikey", "accessKey", "access_token", "sig", "X-Amz-Signature", "client.secret", "auth"]
)
def test_query_parameters_that_look_like_credentials_are_a_warning(name: str) -> None:
    findings = check(plain(request=hashed(b"{}", query=f"a=b&{name}=sk-fake&{name}=sk-fake")))
    assert only(findings) == ("verify-query-credential", {"name": name}, True)
    assert "sk-fake" not in repr(findings)


@pytest.mark.parametrize("query", ["api-version=1", "monkey=x", "key=", "key", "author=x", "tokens=3", "design=x"])
def test_other_query_parameters_are_not(query: str) -> None:
    assert check(plain(request=hashed(b"{}", query=query))) == []


def test_answer_headers_that_cannot_be_sent() -> None:
    headers = (*JSON_HEADERS, ("transfer-encoding", "chunked"), ("bad name", "x"))
    findings = check(plain(response=NonStreamResponse(200, headers, b"{}")))
    assert [(finding.message_id, dict(finding.arguments)["name"], finding.is_warning) for finding in findings] == [
        ("verify-header-not-sendable", "transfer-encoding", True),
        ("verify-header-not-sendable", "bad name", True),
    ]


# --- streams --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "message_id", "arguments"),
    [
        ((CommentEvent("x"), *EVENTS[1:]), "verify-events-mismatch", {"event": "0"}),
        ((EVENTS[0], DataEvent('{"n":2}'), EVENTS[2]), "verify-events-mismatch", {"event": "1"}),
        ((EVENTS[0], DataEvent('{"n":1}', event="x"), EVENTS[2]), "verify-events-mismatch", {"event": "1"}),
        (EVENTS[:2], "verify-events-count", {"events": "2", "parsed": "3"}),
        ((*EVENTS, DataEvent("x")), "verify-events-count", {"events": "4", "parsed": "3"}),
    ],
)
def test_events_have_to_be_those_of_the_transcript(events: Any, message_id: str, arguments: dict[str, str]) -> None:
    assert only(check(stream(events=events))) == (message_id, arguments, False)


def test_a_transcript_that_is_no_stream() -> None:
    findings = check(stream(events=EVENTS[:1], raw_transcript=b": PROCESSING\n\ndata: cut", timing=None))
    assert only(findings)[0] == "verify-transcript-unreadable"
    findings = check(stream(events=(), raw_transcript=b"data: \xff\n\n", timing=None))
    assert only(findings)[0] == "verify-transcript-unreadable"


def test_what_follows_the_end_mark_does_not_matter() -> None:
    assert check(stream(raw_transcript=TRANSCRIPT + b"data: cut", timing=None)) == []


def test_a_recorded_failure_may_be_cut() -> None:
    cut = replace(stream(events=EVENTS[:1], raw_transcript=b": PROCESSING\n\ndata: cut", timing=None), failure=FailureKind.CUT)
    assert check(cut) == []


def test_a_compressed_transcript_is_decoded() -> None:
    coded = gzip.compress(TRANSCRIPT, mtime=0)
    headers = (*SSE_HEADERS, ("content-encoding", "gzip"))
    assert check(stream(headers=headers, raw_transcript=coded, timing=None)) == []
    assert only(check(stream(headers=headers, raw_transcript=b"no gzip", timing=None)))[0] == "verify-transcript-unreadable"
    unknown = (*SSE_HEADERS, ("content-encoding", "rot13"))
    assert check(stream(headers=unknown, events=(), timing=None)) == []


@pytest.mark.parametrize(
    ("timing", "message_id", "arguments"),
    [
        (Timing(0, ((20, 1), (10, 1), (len(TRANSCRIPT), 2))), "verify-chunks-order", {"chunk": "1"}),
        (Timing(0, ((10, 5), (len(TRANSCRIPT), 4))), "verify-chunks-time", {"chunk": "1"}),
        (Timing(0, ((10, 1),)), "verify-chunks-end", {"end": "10", "length": str(len(TRANSCRIPT))}),
        (Timing(7, ((len(TRANSCRIPT), 5),)), "verify-chunks-ttft", {"first_ms": "5", "ttft_ms": "7"}),
    ],
)
def test_timing(timing: Timing, message_id: str, arguments: dict[str, str]) -> None:
    assert only(check(stream(timing=timing))) == (message_id, arguments, False)


@pytest.mark.parametrize("timing", [None, Timing(3, ()), Timing(1, ((10, 1), (10, 1), (len(TRANSCRIPT), 1)))])
def test_timing_that_is_fine(timing: Timing | None) -> None:
    assert check(stream(timing=timing)) == []


@pytest.mark.parametrize("make", [lambda text: DataEvent(f"a{text}b"), CommentEvent])
def test_a_carriage_return_in_an_event_is_a_warning(make: Callable[[str], Any]) -> None:
    findings = check(stream(events=(make("\r"), *EVENTS[1:]), timing=None))
    assert ("verify-event-carriage-return", True) in [(finding.message_id, finding.is_warning) for finding in findings]


# --- metadata -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.123456789Z", "2024-02-29T00:00:00Z", "2016-12-31T23:59:60Z"],
)
def test_times(text: str) -> None:
    assert check(plain(metadata=replace(METADATA, recorded_at=text))) == []


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04:05+00:00", "2026-13-02T03:04:05Z", "2026-02-30T03:04:05Z"]
    + ["2026-01-02T03:04:05.Z", "2026-01-02T03:04:05.1234567890Z", "2026-01-02T25:04:05Z", "２０２６-01-02T03:04:05Z"],
)
def test_texts_that_are_no_times(text: str) -> None:
    assert only(check(plain(metadata=replace(METADATA, recorded_at=text))))[:2] == ("verify-recorded-at", {"value": text})
