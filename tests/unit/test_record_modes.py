"""What the record modes mean, as tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spycatcher_addon.cassette.model import Interaction
from spycatcher_addon.choices import MatchMode, RecordMode
from spycatcher_addon.record_modes import Asked, TapePlan, Verdict, arrange, judge_recording, plan_tape, select_mode
from tests.support.tape_samples import sample_interaction

REPLAY_ONLY = TapePlan(replays=True, forwards=False, records=False)
RECORD_ONLY = TapePlan(replays=False, forwards=True, records=True)


@pytest.mark.parametrize(
    ("mode", "with_tape", "without_tape"),
    [
        (RecordMode.REPLAY, REPLAY_ONLY, REPLAY_ONLY),
        (RecordMode.ONCE, REPLAY_ONLY, RECORD_ONLY),
        (RecordMode.NEW_EPISODES, TapePlan(replays=True, forwards=True, records=True), RECORD_ONLY),
        (RecordMode.ALL, RECORD_ONLY, RECORD_ONLY),
        (RecordMode.REWRITE, RECORD_ONLY, RECORD_ONLY),
        (RecordMode.OFF, TapePlan(False, True, False), TapePlan(False, True, False)),
    ],
)
def test_plans(mode: RecordMode, with_tape: TapePlan, without_tape: TapePlan) -> None:
    assert plan_tape(mode, True) == with_tape
    assert plan_tape(mode, False) == without_tape


@pytest.mark.parametrize("ci", ["true", "1", "TRUE", "yes", "github"])
@pytest.mark.parametrize("mode", RecordMode)
def test_ci_records_only_when_told_so(mode: RecordMode, ci: str) -> None:
    harmless = mode in (RecordMode.REPLAY, RecordMode.OFF)
    assert select_mode(mode, False, {"CI": ci}) is (mode if harmless else RecordMode.REPLAY)
    assert select_mode(mode, True, {"CI": ci}) is mode


@pytest.mark.parametrize("environ", [{}, {"CI": ""}, {"CI": "false"}, {"CI": "0"}, {"CI": " False "}])
def test_elsewhere_every_mode_holds(environ: dict[str, str]) -> None:
    assert [select_mode(mode, False, environ) for mode in RecordMode] == list(RecordMode)


@pytest.mark.parametrize(
    ("mode", "recorded", "lost", "succeeded", "expected"),
    [
        (RecordMode.ONCE, 2, 0, True, Verdict(True)),
        (RecordMode.ONCE, 2, 1, True, Verdict(True)),
        (RecordMode.ALL, 2, 1, True, Verdict(True)),
        (RecordMode.REWRITE, 2, 0, True, Verdict(True)),
        (RecordMode.REWRITE, 2, 1, True, Verdict(False, "1 exchange was not recorded whole")),
        (RecordMode.REWRITE, 2, 3, True, Verdict(False, "3 exchanges were not recorded whole")),
        (RecordMode.NEW_EPISODES, 2, 0, False, Verdict(False, "the run did not succeed")),
        (RecordMode.ALL, 0, 0, True, Verdict(False, "nothing was recorded")),
    ],
)
def test_what_is_kept(mode: RecordMode, recorded: int, lost: int, succeeded: bool, expected: Verdict) -> None:
    assert judge_recording(mode, recorded, lost, succeeded) == expected


def at(number: int, offset_ms: int) -> Interaction:
    """The sample of that number, asked for at that time."""
    sample = sample_interaction(number)
    return replace(sample, metadata=replace(sample.metadata, relative_offset_ms=offset_ms))


def numbers(interactions: tuple[Interaction, ...]) -> list[int]:
    known = {sample_interaction(number).request.body: number for number in range(10)}
    return [known[interaction.request.body] for interaction in interactions]


OLD = [at(0, 5), at(1, 1), at(2, 9)]


@pytest.mark.parametrize(
    ("new", "asked", "match_mode", "keeps_old", "expected"),
    [
        pytest.param([at(4, 2), at(3, 1)], [], MatchMode.SEQUENTIAL_STRICT, False, [3, 4], id="as the requests came"),
        pytest.param([at(3, 4)], [Asked(1, 0), Asked(7, 1)], MatchMode.SEQUENTIAL_STRICT, True, [0, 3, 1, 2], id="new ones between known"),
        pytest.param([at(3, 4)], [Asked(4, 1)], MatchMode.SEQUENTIAL_STRICT, True, [1, 3, 0, 2], id="within one millisecond"),
        pytest.param([], [], MatchMode.SEQUENTIAL_STRICT, True, [0, 1, 2], id="nothing new"),
        pytest.param([at(3, 0)], [Asked(1, 2)], MatchMode.KEYED, True, [0, 1, 2, 3], id="keyed keeps every place"),
        pytest.param([at(4, 1), at(2, 2), at(0, 3), at(3, 4)], [], MatchMode.KEYED, False, [0, 2, 4, 3], id="keyed, recorded anew"),
        pytest.param([at(1, 1), at(1, 2), at(0, 3)], [], MatchMode.KEYED, False, [0, 1, 1], id="keyed, asked more often"),
    ],
)
def test_order(new: list[Interaction], asked: list[Asked], match_mode: MatchMode, keeps_old: bool, expected: list[int]) -> None:
    assert numbers(arrange(OLD, new, asked, match_mode, keeps_old)) == expected


def test_an_interaction_recorded_anew_is_the_new_one() -> None:
    (anew,) = arrange(OLD, [at(1, 77)], [], MatchMode.KEYED, keeps_old=False)
    assert anew.metadata.relative_offset_ms == 77
