from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.matching import Matched, MismatchDiagnostic, PositionKind, ReplayMatchEngine
from spycatcher_addon.cassette.model import CanonicalRequest, Cassette, Interaction, Metadata, NonStreamResponse, RecordedRequest
from spycatcher_addon.choices import MatchMode

IGNORE = IgnorePathConfig()
# Few different prompts, so that tapes have many equal requests.
tapes = st.lists(st.integers(0, 4), max_size=12)


def observed(prompt: int) -> tuple[CanonicalRequest, str]:
    canonical = canonicalize(RecordedRequest("POST", "/", body=b'{"n":%d}' % prompt), IGNORE)
    return canonical, stable_hash(canonical)


def engine(tape: list[int], mode: MatchMode) -> ReplayMatchEngine:
    return ReplayMatchEngine(
        Cassette(
            2,
            tuple(
                Interaction(
                    RecordedRequest("POST", "/", body=b'{"n":%d}' % prompt, stable_hash=observed(prompt)[1]),
                    NonStreamResponse(200, (), b""),
                    Metadata("p", "u", "2024-01-01T00:00:00Z", 0),
                )
                for prompt in tape
            ),
        ),
        mode,
        IGNORE,
    )


@given(tapes, st.randoms(use_true_random=False))
def test_keyed_serves_each_interaction_once_in_any_order(tape: list[int], chance: random.Random) -> None:
    replay = engine(tape, MatchMode.KEYED)
    asked = tape.copy()
    chance.shuffle(asked)
    served: dict[int, list[int]] = {}
    for prompt in asked:
        outcome = replay.next(*observed(prompt))
        assert isinstance(outcome, Matched)
        assert tape[outcome.index] == prompt
        served.setdefault(prompt, []).append(outcome.index)
    assert all(indexes == sorted(indexes) for indexes in served.values())
    assert replay.unused() == ()
    for prompt in range(5):
        outcome = replay.next(*observed(prompt))
        assert isinstance(outcome, MismatchDiagnostic)
        assert outcome.is_already_consumed == (prompt in tape)


@given(tapes, st.lists(st.integers(0, 5), max_size=20))
def test_sequential_advances_on_the_expected_request_and_on_nothing_else(tape: list[int], asked: list[int]) -> None:
    replay = engine(tape, MatchMode.SEQUENTIAL_STRICT)
    place = 0
    for prompt in asked:
        is_expected = place < len(tape) and tape[place] == prompt
        outcome = replay.next(*observed(prompt))
        assert isinstance(outcome, Matched) == is_expected
        if isinstance(outcome, Matched):
            assert outcome.index == place
            place += 1
        else:
            kind = PositionKind.EXPECTED if place < len(tape) else PositionKind.EXHAUSTED
            assert (outcome.position.kind, outcome.position.value) == (kind, place)
            assert outcome.seen_at == tuple(index for index, known in enumerate(tape) if known == prompt)[:5]
        assert replay.unused() == tuple(range(place, len(tape)))
