"""Checks of one interaction: where findings stand, secrets apart from them, and times. All that can be found in one."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import (
    CanonicalRequest,
    Cassette,
    Hashing,
    Interaction,
    NonStreamResponse,
    RecordedRequest,
)
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.verifying.findings import Finding
from spycatcher_addon.verifying.interactions import InteractionChecks, InteractionFindings, time_of
from spycatcher_addon.verifying.whole_tape import verify_cassette
from tests.support.secrets import BY_SHAPE
from tests.support.tape_samples import HASHING, sample_interaction
from tests.support.verify_tapes import JSON_HEADERS, METADATA, SSE_HEADERS, TRANSCRIPT, check, hashed, only, plain, stream

KEY = BY_SHAPE["openai-key"]
RULES = RedactionRules(frozenset({"authorization", "x-drop"}), frozenset({"api_key"}), (), frozenset({"openai-key"}))


def check_one(interaction: Interaction, rules: RedactionRules = RULES) -> InteractionFindings:
    return InteractionChecks(Cassette(2, (interaction,), HASHING), IgnorePathConfig(HASHING.ignore_paths), rules).check(interaction)


def fields(findings: tuple[Finding, ...]) -> dict[str, str]:
    return {finding.rule: finding.field for finding in findings}


def test_what_was_recorded_has_none() -> None:
    assert check_one(sample_interaction(0)) == InteractionFindings((), ())


def test_findings_name_their_fields() -> None:
    good = sample_interaction(0)
    request = RecordedRequest("POST", good.request.path, "my_secret=1", (("a", "b"), ("X-Drop", "c"), ("x-drop", "d")), b"no json")
    response = replace(good.response, headers=(("content-length", "3"), ("Authorization", "x")))
    found = check_one(Interaction(request, response, replace(good.metadata, recorded_at="now")))
    assert fields(found.findings) == {
        "hash-missing": "request.stable_hash",
        "request-not-json": "request.body",
        "request-header": "request.headers[1]",
        "query-credential": "request.query",
        "response-header": "response.headers[1]",
        "header-not-sendable": "response.headers[0]",
        "recorded-at": "metadata.recorded_at",
    }
    assert len(found.findings) == 7, "one for each header, however often it stands there"


def test_secrets_come_apart_with_their_values_for_whoever_looks_for_the_line() -> None:
    good = sample_interaction(0)
    response = replace(good.response, headers=(("x-a", KEY), ("x-b", KEY)), body=f"one {KEY}".encode())
    found = check_one(replace(good, response=response))
    assert found.findings == ()
    assert [(finding.field, secret) for finding, secret in found.secrets] == [("response.body", KEY), ("response.headers", KEY)]
    assert KEY not in str([finding for finding, _ in found.secrets])


def test_a_request_with_a_secret_is_compared_as_it_would_have_been_recorded() -> None:
    """One finding names the secret; that the hash was made without it is no finding of its own where the cassette says so."""
    good = sample_interaction(0)
    body = good.request.body.replace(b"question", KEY.encode())
    leaky = RecordedRequest("POST", good.request.path, "", good.request.headers, body, stable_hash=good.request.stable_hash)
    found = check_one(replace(good, request=leaky))
    assert fields(found.findings) == {"hash-mismatch": "request.stable_hash"}
    assert [finding.field for finding, _ in found.secrets] == ["request.body"]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5)),
        ("2026-01-02T03:04:05.25Z", datetime(2026, 1, 2, 3, 4, 5, 250_000)),
        ("2026-01-02T03:04:05.999999999Z", datetime(2026, 1, 2, 3, 4, 5, 999_999)),
        ("2016-12-31T23:59:60Z", datetime(2016, 12, 31, 23, 59, 59, 999_999)),
        ("2016-12-31T23:59:60.5Z", datetime(2016, 12, 31, 23, 59, 59, 999_999)),
        ("2026-02-30T00:00:00Z", None),
        ("2026-01-02", None),
        ("", None),
    ],
)
def test_times_are_read_to_the_microsecond(text: str, time: datetime | None) -> None:
    assert time_of(text) == time


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


def secret_places(interaction: Interaction) -> list[str]:
    rules = RedactionRules(shapes=frozenset({"github-token"}))
    findings = verify_cassette(Cassette(2, (interaction,), Hashing(redaction_rules=rules.names)), IgnorePathConfig(), rules)
    return [each.field for each in findings if each.rule == "secret"]


@pytest.mark.parametrize("rest", [b"data: SECRET", b"xfield: SECRET\n\n"], ids=["cut", "no field"])
def test_a_secret_that_is_in_no_event(rest: bytes) -> None:
    transcript = TRANSCRIPT + rest.replace(b"SECRET", BY_SHAPE["github-token"].encode())
    assert secret_places(stream(raw_transcript=transcript, timing=None)) == ["response.events"]


def test_a_secret_in_a_stream_that_cannot_be_decoded() -> None:
    headers = (*SSE_HEADERS, ("content-encoding", "rot13"))
    secret = BY_SHAPE["github-token"].encode()
    assert secret_places(stream(headers=headers, events=(), raw_transcript=secret, timing=None)) == ["response.raw_transcript"]
    assert secret_places(stream(headers=headers, events=(), raw_transcript=b"\xff", timing=None)) == []


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


@pytest.mark.parametrize("status", [0, 99, 100, 199, 600, 999])
def test_a_status_that_no_replay_can_send(status: int) -> None:
    (found,) = check(plain(response=NonStreamResponse(status, JSON_HEADERS, b"{}")))
    assert (found.rule, found.field, found.is_warning) == ("response-status", "response.status", False)
    assert dict(found.arguments) == {"status": str(status)}


@pytest.mark.parametrize("status", [200, 204, 304, 404, 599])
def test_every_other_status_is_clean(status: int) -> None:
    assert check(plain(response=NonStreamResponse(status, JSON_HEADERS, b"{}"))) == []
    assert check(stream(status=status)) == []


def test_answer_headers_that_cannot_be_sent() -> None:
    headers = (*JSON_HEADERS, ("transfer-encoding", "chunked"), ("bad name", "x"))
    findings = check(plain(response=NonStreamResponse(200, headers, b"{}")))
    assert [(finding.message_id, dict(finding.arguments)["name"], finding.is_warning) for finding in findings] == [
        ("verify-header-not-sendable", "transfer-encoding", True),
        ("verify-header-not-sendable", "bad name", True),
    ]


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
