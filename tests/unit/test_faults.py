"""Which fault strikes when."""

from __future__ import annotations

import pytest

from spycatcher_addon.exchange import ReplayResponse
from spycatcher_addon.fault_rules import parse_fault_rules
from spycatcher_addon.faults import AppliedFault, FaultPlan, SkippedFault

PATH = "/v1/chat/completions"
REPLY = ReplayResponse(200, (), (b"data: 1\n\n",), interaction_index=0, is_stream=True)


def strikes(plan: FaultPlan, *indexes: int) -> list[str | None]:
    """The rules that strike when these interactions are asked for, in this order."""
    struck = [plan.strike(index, PATH, REPLY, 0.0) for index in indexes]
    return [None if each is None else str(each.rule) for each in struck]


@pytest.mark.parametrize(
    ("rules", "indexes", "expected"),
    [
        pytest.param(["refuse"], (0, 0, 1, 1), ["refuse=true", None, "refuse=true", None], id="once per interaction"),
        pytest.param(["refuse,times=2"], (0, 0, 0), ["refuse=true,times=2"] * 2 + [None], id="as often as it says"),
        pytest.param(["refuse", "stall"], (0, 0, 0), ["refuse=true", "stall=true", None], id="the first that is left"),
        pytest.param(["stall,interaction=1", "refuse,path=/v1/other"], (0, 1), [None, "stall=true,interaction=1"], id="only where meant"),
        pytest.param(["refuse,probability=0"], (0, 1), [None, None], id="never"),
        pytest.param([], (0,), [None], id="no rules"),
    ],
)
def test_the_first_rule_that_is_due_strikes(rules: list[str], indexes: tuple[int, ...], expected: list[str | None]) -> None:
    assert strikes(FaultPlan(parse_fault_rules(rules)), *indexes) == expected


def test_the_answer_carries_the_fault() -> None:
    struck = FaultPlan(parse_fault_rules(["status=503"])).strike(0, PATH, REPLY, 0.0)
    assert struck is not None
    assert struck.reply.status == 503
    assert REPLY.status == 200


def test_chance_depends_on_the_interaction_and_not_on_the_order() -> None:
    rules = parse_fault_rules(["refuse,probability=0.5"])
    indexes = list(range(200))
    forwards = dict(zip(indexes, strikes(FaultPlan(rules, 7), *indexes), strict=True))
    backwards = dict(zip(reversed(indexes), strikes(FaultPlan(rules, 7), *reversed(indexes)), strict=True))
    assert forwards == backwards
    assert 60 < sum(rule is not None for rule in forwards.values()) < 140
    assert forwards != dict(zip(indexes, strikes(FaultPlan(rules, 8), *indexes), strict=True))


def test_each_attempt_has_a_chance_of_its_own() -> None:
    plan = FaultPlan(parse_fault_rules(["refuse,probability=0.5,times=100"]), 1)
    assert {None, "refuse=true,probability=0.5,times=100"} == set(strikes(plan, *[0] * 50))


def test_everything_is_noted_and_reported() -> None:
    reported: list[AppliedFault | SkippedFault] = []
    rules = parse_fault_rules(["drop_event=9", "refuse,times=2", "stall,interaction=5", "stall,interaction=6,probability=0.1"])
    plan = FaultPlan(rules, report=reported.append)
    for at_ms in (1.0, 2.0):
        plan.strike(3, PATH, REPLY, at_ms)
    skipped = SkippedFault(0, rules[0], 3, "there is no event 9; the stream has 1, counted from 0")
    applied = [AppliedFault(1, rules[1], 3, 0, 1.0), AppliedFault(1, rules[1], 3, 1, 2.0)]
    assert reported == [skipped, *applied], "what was due in vain is told once, however often it is due"
    assert (plan.applied, plan.skipped) == (tuple(applied), (skipped,))
    assert plan.idle == ((2, rules[2]),), "a rule that leaves it to chance may well never strike"


def test_nobody_has_to_be_told() -> None:
    plan = FaultPlan(parse_fault_rules(["drop_event=9", "refuse"]))
    assert strikes(plan, 0) == ["refuse=true"]
    assert len(plan.skipped) == 1
