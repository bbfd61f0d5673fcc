from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.matching import (
    DIAGNOSTIC_CONSUMED,
    DIAGNOSTIC_EXHAUSTED,
    DIAGNOSTIC_NO_MATCH,
    InteractionPosition,
    Matched,
    MismatchDiagnostic,
    PositionKind,
    ReplayMatchEngine,
)
from spycatcher_addon.cassette.model import (
    CanonicalRequest,
    Cassette,
    FailureKind,
    Hashing,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
)
from spycatcher_addon.cassette.normalizing import parse_normalize_rules
from spycatcher_addon.choices import MatchMode
from spycatcher_addon.errors import InvalidCassetteError, InvalidPointerPathError

PATH = "/v1/chat/completions"
NONE = IgnorePathConfig()
COMPUTE = "compute"


def body(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-test", "messages": [{"role": "user", "content": text}], **more}


def interaction(
    value: dict[str, Any], ignore: IgnorePathConfig = NONE, stored: str | None = COMPUTE, form: CanonicalRequest | None = None
) -> Interaction:
    raw = json.dumps(value).encode()
    computed = stable_hash(canonicalize(RecordedRequest("POST", PATH, body=raw), ignore))
    request = RecordedRequest("POST", PATH, body=raw, stable_hash=computed if stored == COMPUTE else stored, canonical_request=form)
    return Interaction(request, NonStreamResponse(200, (), b"{}"), Metadata("p", "u", "2024-01-01T00:00:00Z", 0))


def observe(value: dict[str, Any], ignore: IgnorePathConfig = NONE) -> tuple[CanonicalRequest, str]:
    canonical = canonicalize(RecordedRequest("POST", PATH, body=json.dumps(value).encode()), ignore)
    return canonical, stable_hash(canonical)


def engine(mode: MatchMode, *values: dict[str, Any]) -> ReplayMatchEngine:
    return ReplayMatchEngine(Cassette(2, tuple(interaction(value) for value in values)), mode, NONE)


def index_of(outcome: Matched | MismatchDiagnostic) -> int:
    assert isinstance(outcome, Matched), outcome
    return outcome.index


def miss(outcome: Matched | MismatchDiagnostic) -> MismatchDiagnostic:
    assert isinstance(outcome, MismatchDiagnostic), outcome
    return outcome


@pytest.mark.parametrize("mode", list(MatchMode))
def test_in_recorded_order_every_interaction_is_served_once(mode: MatchMode) -> None:
    values = [body("a"), body("b"), body("a")]
    tape = engine(mode, *values)
    assert len(tape) == 3
    assert [index_of(tape.next(*observe(value))) for value in values] == [0, 1, 2]
    assert tape.unused() == ()


@pytest.mark.parametrize("mode", list(MatchMode))
def test_peeking_changes_nothing(mode: MatchMode) -> None:
    tape = engine(mode, body("a"), body("a"))
    assert {index_of(tape.peek(*observe(body("a")))) for _ in range(5)} == {0}
    miss(tape.peek(*observe(body("other"))))
    assert tape.unused() == (0, 1)
    assert index_of(tape.next(*observe(body("a")))) == 0


@pytest.mark.parametrize("mode", list(MatchMode))
def test_a_stale_commit_is_refused(mode: MatchMode) -> None:
    tape = engine(mode, body("a"), body("a"))
    assert not tape.commit(-1)
    assert not tape.commit(2)
    assert tape.commit(0)
    assert not tape.commit(0)
    assert tape.unused() == (1,)
    assert tape.commit(1)


def test_sequential_commits_only_what_is_next() -> None:
    tape = engine(MatchMode.SEQUENTIAL_STRICT, body("a"), body("b"))
    assert not tape.commit(1)
    assert tape.unused() == (0, 1)


def test_a_match_brings_the_interaction() -> None:
    recorded = interaction(body("a"))
    outcome = ReplayMatchEngine(Cassette(2, (recorded,))).peek(*observe(body("a")))
    assert outcome == Matched(0, recorded)


def test_sequential_mismatch_shows_the_difference_and_consumes_nothing() -> None:
    tape = engine(MatchMode.SEQUENTIAL_STRICT, body("a"), body("b"), body("b"))
    observed, observed_hash = observe(body("b"))
    found = miss(tape.next(observed, observed_hash))
    assert found.position == InteractionPosition(PositionKind.EXPECTED, 0)
    assert found.position.as_json() == {"kind": "expected", "index": 0}
    assert (found.expected_hash, found.observed_hash) == (observe(body("a"))[1], observed_hash)
    assert found.diff_summary == 'changed: canonical_body.messages[0].content: "a" -> "b"'
    assert [difference.line for difference in found.differences] == [found.diff_summary]
    assert (found.reason, found.nearest_index, found.seen_at) == ("request_hash_mismatch", None, (1, 2))
    assert not found.is_already_consumed
    assert index_of(tape.next(*observe(body("a")))) == 0


def test_sequential_exhausted_says_where_the_request_was_seen() -> None:
    tape = engine(MatchMode.SEQUENTIAL_STRICT, *[body("a")] * 7)
    for _ in range(7):
        tape.next(*observe(body("a")))
    found = miss(tape.next(*observe(body("a"))))
    assert found.position.as_json() == {"kind": "exhausted", "count": 7}
    assert found.diff_summary == "cassette-exhausted: no more interactions available"
    assert found.diff_summary.startswith(DIAGNOSTIC_EXHAUSTED)
    assert (found.expected_hash, found.reason, found.seen_at) == ("", "cassette_exhausted", (0, 1, 2, 3, 4))


def test_keyed_serves_any_order_and_equal_requests_in_recorded_order() -> None:
    tape = engine(MatchMode.KEYED, body("a"), body("b"), body("a"), body("c"))
    assert [index_of(tape.next(*observe(body(text)))) for text in "cab"] == [3, 0, 1]
    assert tape.unused() == (2,)
    assert index_of(tape.next(*observe(body("a")))) == 2


def test_keyed_tells_used_from_unknown() -> None:
    tape = engine(MatchMode.KEYED, body("a"), body("b"), body("a"))
    for _ in range(2):
        tape.next(*observe(body("a")))
    observed, observed_hash = observe(body("a"))
    used = miss(tape.next(observed, observed_hash))
    assert used.diff_summary == (
        f"{DIAGNOSTIC_CONSUMED}: all interactions with hash {observed_hash} have already been consumed; "
        "cassette contains 2 interaction(s) with this hash"
    )
    assert (used.reason, used.is_already_consumed) == ("interaction_already_consumed", True)
    assert (used.nearest_index, used.differences, used.expected_hash) == (2, (), "")
    assert used.position.as_json() == {"kind": "keyed_miss", "count": 3}

    observed, observed_hash = observe(body("b!"))
    unknown = miss(tape.next(observed, observed_hash))
    assert unknown.diff_summary == f"{DIAGNOSTIC_NO_MATCH}: no interaction with hash {observed_hash} found in cassette"
    assert (unknown.reason, unknown.is_already_consumed, unknown.nearest_index) == ("no_matching_interaction", False, 1)
    assert [difference.line for difference in unknown.differences] == ['changed: canonical_body.messages[0].content: "b" -> "b!"']
    assert tape.unused() == (1,)


@pytest.mark.parametrize("mode", list(MatchMode))
def test_an_empty_tape_is_fine(mode: MatchMode) -> None:
    found = miss(engine(mode).next(*observe(body("a"))))
    assert (found.position.value, found.nearest_index, found.differences, found.seen_at) == (0, None, (), ())


def test_every_interaction_needs_a_hash_and_the_first_without_is_named() -> None:
    tape = Cassette(2, (interaction(body("a")), interaction(body("b"), stored=None), interaction(body("c"), stored=None)))
    with pytest.raises(InvalidCassetteError) as caught:
        ReplayMatchEngine(tape)
    assert caught.value.message.startswith("interaction at index 1 has no stable_hash; all interactions must be hashed before replay")


IGNORE_ID = IgnorePathConfig(["/id"])
TRUSTED = "f" * 64


@pytest.mark.parametrize(
    ("version", "hashed_with", "ignore", "matches_stored", "matches_recomputed"),
    [
        (2, (), NONE, True, False),
        (2, ("/id",), IGNORE_ID, True, False),
        (2, (), IGNORE_ID, False, True),
        (2, ("/id",), NONE, False, True),
        (2, ("/id", "/x"), IgnorePathConfig(["/x", "/id"]), True, False),
        (1, (), NONE, True, True),
        (1, (), IGNORE_ID, False, True),
    ],
)
@pytest.mark.parametrize("mode", list(MatchMode))
def test_which_hashes_match(
    mode: MatchMode,
    version: int,
    hashed_with: tuple[str, ...],
    ignore: IgnorePathConfig,
    matches_stored: bool,
    matches_recomputed: bool,
) -> None:
    tape = ReplayMatchEngine(Cassette(version, (interaction(body("a", id=1), stored=TRUSTED),), Hashing(hashed_with)), mode, ignore)
    observed, recomputed = observe(body("a", id=1), ignore)
    assert isinstance(tape.peek(observed, TRUSTED), Matched) == matches_stored
    assert isinstance(tape.peek(observed, recomputed), Matched) == matches_recomputed


def test_an_interaction_known_by_two_hashes_is_used_up_under_both() -> None:
    tape = ReplayMatchEngine(Cassette(1, (interaction(body("a"), stored=TRUSTED),)), MatchMode.KEYED, NONE)
    observed, recomputed = observe(body("a"))
    assert index_of(tape.next(observed, recomputed)) == 0
    assert miss(tape.next(observed, TRUSTED)).is_already_consumed


def test_trusted_hashes_are_taken_without_parsing_bodies() -> None:
    class Unread(RecordedRequest):
        def parse_body(self) -> Any:
            raise AssertionError("parsed")

    request = Unread("POST", PATH, body=b"{}", stable_hash=TRUSTED)
    one = Interaction(request, NonStreamResponse(200, (), b""), Metadata("p", "u", "t", 0))
    tape = ReplayMatchEngine(Cassette(2, (one,)), MatchMode.KEYED, NONE)
    assert index_of(tape.next(observe(body("a"))[0], TRUSTED)) == 0


def test_a_path_that_does_not_fit_a_recorded_body_is_told_at_the_start() -> None:
    with pytest.raises(InvalidPointerPathError):
        ReplayMatchEngine(Cassette(2, (interaction(body("a")),)), MatchMode.KEYED, IgnorePathConfig(["/messages/x"]))


@pytest.mark.parametrize(("ignore", "expected_text"), [(NONE, "stored"), (IGNORE_ID, "a")])
def test_the_stored_form_of_format_1_is_shown_unless_paths_are_ignored(ignore: IgnorePathConfig, expected_text: str) -> None:
    form = CanonicalRequest("POST", PATH, "", body("stored"))
    tape = ReplayMatchEngine(Cassette(1, (interaction(body("a", id=1), form=form),)), MatchMode.SEQUENTIAL_STRICT, ignore)
    found = miss(tape.peek(*observe(body("b"), ignore)))
    assert found.diff_summary == f'changed: canonical_body.messages[0].content: "{expected_text}" -> "b"'


def test_ignored_paths_do_not_show_in_the_difference() -> None:
    recorded = interaction(body("a", id=1), IGNORE_ID)
    tape = ReplayMatchEngine(Cassette(2, (recorded,), Hashing(("/id",))), MatchMode.SEQUENTIAL_STRICT, IGNORE_ID)
    assert index_of(tape.peek(*observe(body("a", id=2), IGNORE_ID))) == 0
    found = miss(tape.peek(*observe(body("b", id=2), IGNORE_ID)))
    assert found.diff_summary == 'changed: canonical_body.messages[0].content: "a" -> "b"'


def test_a_miss_keeps_no_parsed_bodies() -> None:
    recorded = interaction(body("a"))
    tape = ReplayMatchEngine(Cassette(2, (recorded,)), MatchMode.KEYED, NONE)
    assert miss(tape.peek(*observe(body("b")))) == miss(tape.peek(*observe(body("b"))))
    assert "parsed_json" not in vars(recorded.request)


@pytest.mark.parametrize("mode", MatchMode)
def test_a_rewound_tape_begins_again(mode: MatchMode) -> None:
    tape = engine(mode, body("a"), body("a"), body("b"))
    for text in ("a", "a", "b"):
        tape.next(*observe(body(text)))
    assert tape.unused() == ()
    tape.rewind()
    assert tape.unused() == (0, 1, 2)
    assert [index_of(tape.next(*observe(body(text)))) for text in ("a", "a", "b")] == [0, 1, 2]


def test_a_rewound_tape_still_passes_over_failures() -> None:
    failed = dataclasses.replace(interaction(body("a")), failure=FailureKind.CUT)
    tape = ReplayMatchEngine(Cassette(2, (failed, interaction(body("b")))), MatchMode.SEQUENTIAL_STRICT, NONE)
    tape.next(*observe(body("b")))
    tape.rewind()
    assert (tape.unused(), tape.available) == ((1,), 1)
    assert index_of(tape.next(*observe(body("b")))) == 1


def test_used_interactions_can_be_looked_at() -> None:
    tape = engine(MatchMode.SEQUENTIAL_STRICT, body("a"), body("b"), body("a"))
    tape.next(*observe(body("a")))
    assert tape.interaction(0) == interaction(body("a"))
    assert tape.recorded_at(observe(body("a"))[1]) == 0
    assert tape.recorded_at(observe(body("c"))[1]) is None


@pytest.mark.parametrize("recorded_with", [(), ("uuid",), ("timestamp",)])
def test_hashes_made_under_other_normalize_rules_are_computed_anew(recorded_with: tuple[str, ...]) -> None:
    made_with = IgnorePathConfig(normalize=parse_normalize_rules(recorded_with))
    today = IgnorePathConfig(normalize=parse_normalize_rules(["timestamp"]))
    request = RecordedRequest("POST", PATH, body=b'{"at": "2026-01-02T03:04:05Z"}')
    stored = stable_hash(canonicalize(request, made_with))
    tape = Cassette(2, (hashed(request, stored),), Hashing(normalize=made_with.normalize))
    observed = canonicalize(RecordedRequest("POST", PATH, body=b'{"at": "2027-01-02T03:04:05Z"}'), today)
    engine = ReplayMatchEngine(tape, MatchMode.KEYED, today)
    assert isinstance(engine.peek(observed, stable_hash(observed)), Matched)
    assert engine.stable_hash(0) == stored


def hashed(request: RecordedRequest, stored: str) -> Interaction:
    again = RecordedRequest(request.method, request.path, body=request.body, stable_hash=stored)
    return Interaction(again, NonStreamResponse(200, (), b"{}"), Metadata("p", "u", "2026-01-02T03:04:05Z", 0))
