"""The one line that says what became of an exchange."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spycatcher_addon.cassette import Cassette, InteractionPosition, MatchMode, MismatchDiagnostic, PositionKind, ReplayMatchEngine
from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, canonicalize, stable_hash
from spycatcher_addon.cassette.diff import differences
from spycatcher_addon.cassette.model import FailureKind, Interaction, RecordedRequest
from spycatcher_addon.exchange import ReplayResponse
from spycatcher_addon.watching.story import (
    MARKS,
    Outcome,
    Story,
    answered,
    compared_index,
    mismatched,
    not_recorded,
    recorded,
    resent,
    short_path,
)
from tests.support.tool_samples import plain, request

HASH = "0123456789abcdef" * 4


def hashed() -> Interaction:
    made = plain()
    return replace(made, request=RecordedRequest("POST", "/v1/chat/completions", body=made.request.body, stable_hash=HASH))


def test_every_outcome_has_a_mark_of_its_own() -> None:
    assert set(MARKS) == set(Outcome)
    assert len(set(MARKS.values())) == len(Outcome)


def test_a_recording_has_its_number_its_tokens_and_its_hash() -> None:
    story = recorded(4, hashed())
    assert story.comment == "recorded #4, 17 tokens · 0123456789ab"
    assert story.mark == ":floppy_disk:"
    assert not story.is_harness_made


def test_without_usage_nothing_is_said_of_tokens() -> None:
    interaction = replace(plain(usage=None), request=request())
    assert recorded(0, interaction).comment.split(" · ")[0] == "recorded #0"


def test_a_kept_failure_names_its_kind() -> None:
    interaction = replace(hashed(), failure=FailureKind.CLIENT_LEFT)
    assert recorded(2, interaction).comment == "kept as a failure #2: client left · 0123456789ab"


def test_what_is_not_recorded_says_why() -> None:
    assert not_recorded("the upstream cut the body").comment == "not recorded: the upstream cut the body"


def test_an_answer_from_the_tape() -> None:
    reply = ReplayResponse(200, (), (b"{}",), interaction_index=3)
    assert answered(reply, hashed()).comment == "replayed #3 · 0123456789ab"
    again = answered(reply, hashed(), is_resent=True)
    assert (again.comment, again.mark) == ("re-sent #3, nothing consumed · 0123456789ab", ":repeat:")


@pytest.mark.parametrize(
    ("kind", "comment"), [("not_found", "answered by the harness: 404 not_found"), (None, "answered by the harness: 404")]
)
def test_an_answer_of_the_harness(kind: str | None, comment: str) -> None:
    story = answered(ReplayResponse(404, (), (), error_kind=kind), None)
    assert story.comment == comment
    assert story.is_harness_made


def test_an_upstreams_failure_may_have_an_answer_of_the_harness() -> None:
    story = not_recorded("the upstream failed")
    assert not story.is_harness_made
    assert replace(story, has_own_answer=True).is_harness_made


def test_sent_once_more() -> None:
    assert resent("not recorded").comment == "re-sent, not recorded"


def mismatch(observed: RecordedRequest, mode: MatchMode, *tape: Interaction) -> MismatchDiagnostic:
    engine = ReplayMatchEngine(Cassette(2, tape), mode)
    canonical = canonicalize(observed, NOTHING_IGNORED)
    outcome = engine.peek(canonical, stable_hash(canonical))
    assert isinstance(outcome, MismatchDiagnostic)
    return outcome


def test_a_mismatch_names_the_first_field_and_the_interaction_it_was_compared_with() -> None:
    tape = plain("Hi?")
    found = mismatch(request("Ho?"), MatchMode.SEQUENTIAL_STRICT, tape)
    story = mismatched(found, tape)
    assert story.comment == f"mismatch: messages[0].content changed (compared with #0) · {found.observed_hash[:12]}"
    assert story.is_harness_made
    more = mismatch(request("Ho?", top_p=1), MatchMode.SEQUENTIAL_STRICT, tape)
    assert mismatched(more, None).detail == "top_p added, and 1 more"


def test_a_keyed_mismatch_is_compared_with_the_nearest() -> None:
    tape = [plain("Hi?"), plain("Where is the station, please?")]
    found = mismatch(request("Where is the station, then?"), MatchMode.KEYED, *tape)
    assert compared_index(found) == 1
    assert "(compared with #1)" in mismatched(found, None).comment


def test_an_exhausted_and_an_empty_tape() -> None:
    found = mismatch(request("Hi?"), MatchMode.SEQUENTIAL_STRICT)
    assert mismatched(found, None).comment.startswith("mismatch: all 0 interactions are used up · ")
    assert mismatched(mismatch(request("Hi?"), MatchMode.KEYED), None).detail == "the cassette is empty"


def test_a_request_whose_interaction_is_used() -> None:
    position = InteractionPosition(PositionKind.KEYED_MISS, 1)
    found = MismatchDiagnostic(position, "", HASH, "", "interaction_already_consumed", nearest_index=0)
    assert mismatched(found, None).comment == "mismatch: already used (compared with #0) · 0123456789ab"


def test_no_field_differs() -> None:
    position = InteractionPosition(PositionKind.EXPECTED, 1)
    found = MismatchDiagnostic(position, "", HASH, "", "request_hash_mismatch")
    assert mismatched(found, None).detail == "no field differs"


def test_paths_are_written_as_a_person_would() -> None:
    (found,) = differences({"canonical_body": {"a": 1}}, {"canonical_body": {"a": 2}})
    assert short_path(found.path) == "a"
    assert short_path("path") == "path"


def test_a_story_without_anything_else() -> None:
    assert Story(Outcome.REPLAYED).comment == "replayed"
