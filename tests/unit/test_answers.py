from __future__ import annotations

import json
from typing import Any

import pytest

from spycatcher_addon import answers
from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.matching import InteractionPosition, Matched, MismatchDiagnostic, PositionKind, ReplayMatchEngine
from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction, Metadata, NonStreamResponse, RecordedRequest
from spycatcher_addon.choices import MatchMode
from spycatcher_addon.exchange import ReplayResponse

NOTHING = IgnorePathConfig()
METADATA = Metadata("p", "u", "2026-01-02T03:04:05Z", 0)
CHAT = "/v1/chat/completions"

ANSWERS: list[tuple[ReplayResponse, int, str, str]] = [
    (
        answers.malformed_json("Expecting value: line 1 column 1 (char 0)"),
        400,
        "malformed_json",
        "chat completions replay requires a valid JSON request body: Expecting value: line 1 column 1 (char 0). "
        "Nothing was consumed; send the request the cassette was recorded with",
    ),
    (
        answers.malformed_request("bad request head"),
        400,
        "malformed_request",
        "the request could not be read as HTTP: bad request head",
    ),
    (
        answers.not_found("/chat", ["/v1/a", "/v1/b"]),
        404,
        "not_found",
        "no endpoint at /chat; the harness answers POST /v1/a, POST /v1/b. Check the base URL of the client: it ends in /v1",
    ),
    (
        answers.method_not_allowed("GET", CHAT, "POST"),
        405,
        "method_not_allowed",
        f"GET is not answered at {CHAT}; use POST",
    ),
    (
        answers.request_too_large(1024),
        413,
        "request_too_large",
        "the request body is larger than 1024 bytes; raise limits.max_body_bytes if that is meant",
    ),
    (
        answers.request_head_too_large("200 fields", "limits.max_headers"),
        431,
        "request_head_too_large",
        "the request head has more than 200 fields; raise limits.max_headers if that is meant",
    ),
    (
        answers.internal("record"),
        500,
        "internal",
        "record request failed; the log on standard error says more",
    ),
    (
        answers.internal("replay", "the cause; the cure"),
        500,
        "internal",
        "replay request failed: the cause; the cure",
    ),
    (
        answers.stream_cassette_required(3),
        501,
        "stream_cassette_required",
        "streaming chat completions replay requires a recorded stream response: interaction 3 holds a plain one. "
        'Record it again, or mark it with "answers_stream": true',
    ),
    (
        answers.upstream_credentials_missing(),
        502,
        "upstream_credentials_missing",
        "upstream credentials are not configured: the environment variable named by the setting upstream.api_key_env is unset, "
        "empty or not usable. Set it where the recorder runs, or set upstream.auth to none; nothing was sent",
    ),
    (
        answers.upstream_request_failed("the connection was refused"),
        502,
        "upstream_request_failed",
        "upstream request failed: the connection was refused. Nothing was recorded",
    ),
]


@pytest.mark.parametrize(("answer", "status", "kind", "message"), ANSWERS, ids=[f"{row[1]} {row[2]}" for row in ANSWERS])
def test_status_kind_and_message(answer: ReplayResponse, status: int, kind: str, message: str) -> None:
    assert (answer.status, answer.error_kind, answer.interaction_index, answer.is_stream) == (status, kind, None, False)
    expected = {"error": {"kind": kind, "message": message, "type": kind, "code": kind}}
    # Compact, and with the keys in this very order.
    assert answer.body.decode() == json.dumps(expected, separators=(",", ":"), ensure_ascii=False)
    assert answer.headers[:2] == (("content-type", "application/json"), ("x-should-retry", "false"))


@pytest.mark.parametrize(
    ("answer", "more"),
    [
        (answers.malformed_json("x"), ()),
        (answers.malformed_request("x"), (("connection", "close"),)),
        (answers.request_too_large(1), (("connection", "close"),)),
        (answers.request_head_too_large("1 fields", "limits.max_headers"), (("connection", "close"),)),
        (answers.method_not_allowed("GET", CHAT, "POST"), (("allow", "POST"),)),
        (answers.not_found("/", []), ()),
    ],
)
def test_headers_beyond_the_two_that_all_have(answer: ReplayResponse, more: tuple[tuple[str, str], ...]) -> None:
    assert answer.headers[2:] == more


def test_text_that_is_not_unicode_still_makes_an_answer() -> None:
    answer = answers.not_found('/\udcff"\n日本', [CHAT])
    assert json.loads(answer.body)["error"]["message"].startswith('no endpoint at /?"\n日本; ')


def interaction(body: bytes) -> Interaction:
    request = RecordedRequest("POST", CHAT, body=body)
    return Interaction(
        RecordedRequest("POST", CHAT, body=body, stable_hash=stable_hash(canonicalize(request, NOTHING))),
        NonStreamResponse(200, (), b""),
        METADATA,
    )


def hash_of(body: bytes) -> str:
    return stable_hash(canonicalize(RecordedRequest("POST", CHAT, body=body), NOTHING))


def engine_for(tape: list[bytes], mode: MatchMode) -> ReplayMatchEngine:
    return ReplayMatchEngine(Cassette(2, tuple(map(interaction, tape))), mode, NOTHING)


def miss(tape: list[bytes], mode: MatchMode, asked: list[bytes]) -> MismatchDiagnostic:
    """What the last request gets; those before it match."""
    engine = engine_for(tape, mode)
    for body in asked:
        canonical = canonicalize(RecordedRequest("POST", CHAT, body=body), NOTHING)
        outcome = engine.next(canonical, stable_hash(canonical))
        assert isinstance(outcome, Matched) == (body is not asked[-1])
    assert isinstance(outcome, MismatchDiagnostic)
    return outcome


def error_of(diagnostic: MismatchDiagnostic, mode: MatchMode, ignored: tuple[str, ...] = ()) -> dict[str, Any]:
    answer = answers.request_mismatch(diagnostic, mode, ignored)
    assert (answer.status, answer.error_kind) == (409, "request_mismatch")
    assert ("x-should-retry", "false") in answer.headers
    error = json.loads(answer.body)["error"]
    assert isinstance(error, dict)
    return error


A, B, C = b'{"model":"m","n":1}', b'{"model":"m","n":2}', b'{"model":"m","n":3,"extra":"x"}'
STRICT, KEYED = MatchMode.SEQUENTIAL_STRICT, MatchMode.KEYED
SAME_CHANGE = (
    "If the change is meant, record the cassette again; if the field is volatile, name it with --ignore-path. Nothing was consumed."
)
USED_UP = (
    "A replay goes through its cassette once: start it again for another run of the program, "
    "or record the cassette again if the program now sends more requests."
)
MISSES: dict[str, tuple[MismatchDiagnostic, MatchMode, dict[str, Any], list[str]]] = {
    "expected": (
        miss([A, B], STRICT, [A, C]),
        STRICT,
        {"kind": "expected", "index": 1},
        [
            f"interaction 1 was expected next (sequential_strict, hash {hash_of(B)[:12]}), the request has hash {hash_of(C)[:12]}.",
            'added: canonical_body.extra: "x"',
            "changed: canonical_body.n: 2 -> 3",
            "Ignored paths: none.",
            SAME_CHANGE,
        ],
    ),
    "order changed": (
        miss([A, B, B], STRICT, [B]),
        STRICT,
        {"kind": "expected", "index": 0},
        [
            f"interaction 0 was expected next (sequential_strict, hash {hash_of(A)[:12]}), the request has hash {hash_of(B)[:12]}.",
            "changed: canonical_body.n: 1 -> 2",
            "Ignored paths: none.",
            "The same request is recorded as interaction 1, 2: the order or the number of requests changed. "
            "If the order may vary, use --match-mode keyed; otherwise record the cassette again. Nothing was consumed.",
        ],
    ),
    "exhausted by an unknown request": (
        miss([A], STRICT, [A, B]),
        STRICT,
        {"kind": "exhausted", "count": 1},
        [f"all 1 interactions are used up, the request has hash {hash_of(B)[:12]}.", "Ignored paths: none.", USED_UP],
    ),
    "exhausted by a second run": (
        miss([A, B], STRICT, [A, B, bytes(bytearray(A))]),
        STRICT,
        {"kind": "exhausted", "count": 2},
        [
            f"all 2 interactions are used up, the request has hash {hash_of(A)[:12]}.",
            "Ignored paths: none.",
            f"The same request is recorded as interaction 0. {USED_UP}",
        ],
    ),
    "empty cassette": (
        miss([], STRICT, [A]),
        STRICT,
        {"kind": "exhausted", "count": 0},
        [f"it holds no interactions, the request has hash {hash_of(A)[:12]}.", "Ignored paths: none.", USED_UP],
    ),
    "keyed unknown": (
        miss([A, B], KEYED, [C]),
        KEYED,
        {"kind": "keyed_miss", "count": 2},
        [
            f"none of its 2 interactions has hash {hash_of(C)[:12]}. The nearest is interaction 0:",
            'added: canonical_body.extra: "x"',
            "changed: canonical_body.n: 1 -> 3",
            "Ignored paths: none.",
            SAME_CHANGE,
        ],
    ),
    "keyed unknown on an empty cassette": (
        miss([], KEYED, [C]),
        KEYED,
        {"kind": "keyed_miss", "count": 0},
        [f"none of its 0 interactions has hash {hash_of(C)[:12]}.", "Ignored paths: none.", SAME_CHANGE],
    ),
    "keyed consumed": (
        miss([A, B, A], KEYED, [bytes(bytearray(A)), bytes(bytearray(A)), A]),
        KEYED,
        {"kind": "keyed_miss", "count": 3},
        [
            f"every interaction with hash {hash_of(A)[:12]} is already used, last interaction 2 of 3 (each answers once).",
            "Ignored paths: none.",
            USED_UP,
        ],
    ),
}
each_miss = pytest.mark.parametrize(("diagnostic", "mode", "position", "lines"), MISSES.values(), ids=MISSES)


@each_miss
def test_the_message_tells_the_whole_story(
    diagnostic: MismatchDiagnostic, mode: MatchMode, position: dict[str, Any], lines: list[str]
) -> None:
    error = error_of(diagnostic, mode)
    assert error["message"].split("\n") == [f"replay request did not match the cassette: {lines[0]}", *lines[1:]]
    assert error["position"] == position


@each_miss
def test_the_fields_stand_in_their_order_with_full_values(
    diagnostic: MismatchDiagnostic, mode: MatchMode, position: dict[str, Any], lines: list[str]
) -> None:
    error = error_of(diagnostic, mode)
    order = ["kind", "message", "type", "code", "position", "expected_hash", "observed_hash", "diff_summary", "ignored_paths"]
    assert list(error) == order + (["nearest_index"] if diagnostic.nearest_index is not None else [])
    assert error["kind"] == error["type"] == error["code"] == "request_mismatch"
    assert error["expected_hash"] == diagnostic.expected_hash
    assert error["observed_hash"] == diagnostic.observed_hash
    assert error["diff_summary"] == diagnostic.diff_summary
    assert error.get("nearest_index") == diagnostic.nearest_index


def test_ignored_paths_are_listed() -> None:
    error = error_of(miss([A], STRICT, [B]), STRICT, ("/metadata/run_id", "/messages/*/name"))
    assert error["ignored_paths"] == ["/metadata/run_id", "/messages/*/name"]
    assert "\nIgnored paths: /metadata/run_id, /messages/*/name.\n" in error["message"]


@pytest.mark.parametrize("mode", MatchMode)
def test_a_difference_no_field_shows_is_explained(mode: MatchMode) -> None:
    recorded, asked = b'{"n":0.0}', b'{"n":-0.0}'
    error = error_of(miss([recorded], mode, [asked]), mode)
    assert "\nNo field differs: either the sign of a zero does, or the stable_hash in the cassette" in error["message"]


def test_a_hash_that_is_not_that_of_its_request_is_suspected() -> None:
    edited = Interaction(RecordedRequest("POST", CHAT, body=A, stable_hash="0" * 64), NonStreamResponse(200, (), b""), METADATA)
    engine = ReplayMatchEngine(Cassette(2, (edited,), Hashing()), STRICT, NOTHING)
    canonical = canonicalize(RecordedRequest("POST", CHAT, body=A), NOTHING)
    outcome = engine.peek(canonical, stable_hash(canonical))
    assert isinstance(outcome, MismatchDiagnostic)
    assert "edited by hand" in error_of(outcome, STRICT)["message"]


def test_a_long_diff_is_shortened_for_people_only() -> None:
    many = b'{"t":"%s",%s}' % (b"x" * 1000, b",".join(b'"k%d":%d' % (number, number) for number in range(40)))
    diagnostic = miss([A], STRICT, [many])
    error = error_of(diagnostic, STRICT)
    assert "more differences\n" in error["message"]
    assert "x" * 200 not in error["message"]
    assert error["diff_summary"].count("\n") == 42
    assert "x" * 1000 in error["diff_summary"]


def test_headers_of_either_side_are_never_told() -> None:
    secret = Interaction(
        RecordedRequest("POST", CHAT, headers=(("cookie", "fake-secret"),), body=A, stable_hash=hash_of(A)),
        NonStreamResponse(200, (("set-cookie", "fake-secret"),), b"fake-secret"),
        METADATA,
    )
    engine = ReplayMatchEngine(Cassette(2, (secret,)), KEYED, NOTHING)
    canonical = canonicalize(RecordedRequest("POST", CHAT, headers=(("authorization", "fake-secret"),), body=B), NOTHING)
    outcome = engine.peek(canonical, stable_hash(canonical))
    assert isinstance(outcome, MismatchDiagnostic)
    assert b"fake-secret" not in answers.request_mismatch(outcome, KEYED, ()).body


def test_a_position_without_neighbour_or_difference_promises_none() -> None:
    diagnostic = MismatchDiagnostic(InteractionPosition(PositionKind.KEYED_MISS, 2), "", "f" * 64, "no-matching-interaction", "x")
    assert error_of(diagnostic, KEYED)["message"].split("\n")[0].endswith("none of its 2 interactions has hash ffffffffffff.")


def test_normalize_rules_are_listed_and_only_where_there_are_any() -> None:
    diagnostic = miss([b'{"a":1}'], MatchMode.SEQUENTIAL_STRICT, [b'{"a":2}'])
    answer = answers.request_mismatch(diagnostic, MatchMode.SEQUENTIAL_STRICT, ("/x",), ("uuid", "run"))
    error = json.loads(b"".join(answer.pieces))["error"]
    assert error["normalize"] == ["uuid", "run"]
    assert "Ignored paths: /x.\nNormalized: uuid, run.\n" in error["message"]
    without = error_of(diagnostic, MatchMode.SEQUENTIAL_STRICT)
    assert "normalize" not in without
    assert "Normalized" not in without["message"]
