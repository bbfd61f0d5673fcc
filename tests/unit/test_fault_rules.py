"""Rules of faults: how they are written and what is refused."""

from __future__ import annotations

import pytest

from spycatcher_addon.exchange import Ending
from spycatcher_addon.fault_rules import (
    CorruptEvent,
    Cut,
    Delay,
    DropEvent,
    DuplicateEvent,
    ErrorStatus,
    FaultAction,
    FaultRule,
    Point,
    Refuse,
    SplitUtf8,
    Stall,
    parse_fault_rules,
)


def rule(written: object) -> FaultRule:
    (parsed,) = parse_fault_rules([written])
    return parsed


@pytest.mark.parametrize(
    ("text", "table", "action", "consumes"),
    [
        ("delay_ms=250", {"delay_ms": 250}, Delay(250.0), True),
        ("delay_ms=0.5", {"delay_ms": 0.5}, Delay(0.5), True),
        ("stall", {"stall": True}, Stall(Point(0)), False),
        ("stall=true,after_events=3", {"stall": True, "after_events": 3}, Stall(Point(3)), False),
        ("stall,after_bytes=9", {"stall": True, "after_bytes": 9}, Stall(Point(9, is_bytes=True)), False),
        ("cut_after_events=2", {"cut_after_events": 2}, Cut(Point(2), Ending.COMPLETE), True),
        ("cut_after_events=2,ending=clean", {"cut_after_events": 2, "ending": "clean"}, Cut(Point(2), Ending.COMPLETE), True),
        ("cut_after_bytes=0,ending=reset", {"cut_after_bytes": 0, "ending": "reset"}, Cut(Point(0, True), Ending.RESET), False),
        (
            "cut_after_bytes=7,ending=unfinished",
            {"cut_after_bytes": 7, "ending": "unfinished"},
            Cut(Point(7, True), Ending.UNFINISHED),
            False,
        ),
        ("duplicate_event=0", {"duplicate_event": 0}, DuplicateEvent(0), True),
        ("drop_event=1", {"drop_event": 1}, DropEvent(1), True),
        ("corrupt_event=2", {"corrupt_event": 2}, CorruptEvent(2), True),
        ("split_utf8", {"split_utf8": True}, SplitUtf8(), True),
        ("status=500", {"status": 500}, ErrorStatus(500), False),
        ("status=429,retry_after_s=2", {"status": 429, "retry_after_s": 2}, ErrorStatus(429, 2), False),
        ("refuse=true", {"refuse": True}, Refuse(), False),
    ],
)
def test_actions(text: str, table: dict[str, object], action: FaultAction, consumes: bool) -> None:
    assert rule(text).action == rule(table).action == action
    assert rule(text) == rule(table)
    assert rule(text).consumes is consumes


@pytest.mark.parametrize("written", [" refuse , interaction = [ 0 , 2 ] ,", {"refuse": True, "interaction": [0, 2]}])
def test_selectors(written: object) -> None:
    assert (rule(written).interactions, rule(written).path, rule(written).probability, rule(written).times) == ({0, 2}, None, 1.0, 1)
    one = rule('refuse,interaction=3,path="/v1/chat/completions",probability=0.25,times=4')
    assert (one.interactions, one.path, one.probability, one.times) == ({3}, "/v1/chat/completions", 0.25, 4)


@pytest.mark.parametrize(
    ("selectors", "index", "path", "may"),
    [
        ("", 7, "/v1/x", True),
        ("interaction=7", 7, "/v1/x", True),
        ("interaction=[1,7]", 7, "/v1/x", True),
        ("interaction=1", 7, "/v1/x", False),
        ("path=/v1/x", 7, "/v1/x", True),
        ("path=/v1/y", 7, "/v1/x", False),
        ("interaction=7,path=/v1/y", 7, "/v1/x", False),
    ],
)
def test_may_strike(selectors: str, index: int, path: str, may: bool) -> None:
    assert rule(f"refuse,{selectors}").may_strike(index, path) is may


def test_a_rule_prints_as_it_can_be_written_again() -> None:
    written = {"cut_after_events": 1, "ending": "reset", "interaction": [0, 2], "path": "/v1/x", "probability": 0.5}
    assert str(rule(written)) == "cut_after_events=1,ending=reset,interaction=[0, 2],path=/v1/x,probability=0.5"
    assert rule(str(rule(written))) == rule(written)


def test_lists_texts_and_parsed_rules() -> None:
    both = parse_fault_rules(["refuse", {"stall": True}])
    assert [type(each.action) for each in both] == [Refuse, Stall]
    assert parse_fault_rules(both) == both
    assert parse_fault_rules("refuse") == parse_fault_rules({"refuse": True}) == parse_fault_rules(both[0]) == both[:1]
    assert parse_fault_rules([]) == ()


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("", r"needs exactly one of delay_ms, .*; it has none"),
        ({"interaction": 0}, r"faults\[0\] needs exactly one"),
        ("refuse,status=500", "it has status and refuse; make them rules of their own"),
        ("refuse,refuse", r"faults\[0\]\.refuse is given twice"),
        ("=5", "'=5' is not key=value"),
        ({"statu": 429}, r"faults\[0\]\.statu is not known; did you mean status\?"),
        ({"cut-after-events": 1}, "did you mean cut_after_events"),
        ({"zzz": 1}, "known keys: delay_ms, "),
        ({3: 1}, r"faults\[0\]\.3 is not known"),
        (7, r"faults\[0\] is neither a table nor a text"),
        ({"delay_ms": -1}, r"faults\[0\]\.delay_ms is -1; expected a number, 0 or more"),
        ({"delay_ms": True}, "expected a number"),
        ("delay_ms=NaN", "expected a number"),
        ("delay_ms=soon", r'delay_ms is "soon"'),
        ({"stall": False}, "stall is false; expected true; leave the rule out"),
        ({"split_utf8": 1}, "split_utf8 is 1; expected true"),
        ({"refuse": "yes"}, 'refuse is "yes"; expected true'),
        ({"stall": True, "after_events": 1, "after_bytes": 1}, "after_events and after_bytes; keep one"),
        ({"stall": True, "after_events": -1}, "after_events is -1; expected a whole number, 0 or more"),
        ({"cut_after_events": 1.5}, "cut_after_events is 1.5; expected a whole number"),
        ({"cut_after_bytes": True}, "cut_after_bytes is true; expected a whole number"),
        ({"cut_after_bytes": 1, "ending": "abrupt"}, 'ending is "abrupt"; expected one of clean, unfinished, reset'),
        ({"cut_after_bytes": 1, "ending": []}, "expected one of clean"),
        ({"drop_event": "first"}, 'drop_event is "first"'),
        ({"status": 200}, "status is 200; expected one of 429, 500, 503, 529"),
        ({"status": 429, "retry_after_s": 0.5}, "retry_after_s is 0.5; expected a whole number"),
        ({"refuse": True, "retry_after_s": 1}, "retry_after_s goes with status, not with refuse"),
        ({"status": 500, "ending": "reset"}, "ending goes with cut_after_events or cut_after_bytes, not with status"),
        ({"cut_after_events": 1, "after_bytes": 1}, "after_bytes goes with stall, not with cut_after_events"),
        ({"refuse": True, "interaction": -1}, "interaction is -1; expected an index counted from 0, or a list"),
        ({"refuse": True, "interaction": []}, r"interaction is \[\]"),
        ({"refuse": True, "interaction": [0, True]}, r"interaction is \[0, true\]"),
        ({"refuse": True, "path": "v1"}, 'path is "v1"; expected the path of requests'),
        ({"refuse": True, "path": 1}, "path is 1"),
        ({"refuse": True, "probability": 1.5}, "probability is 1.5; expected a number from 0 to 1"),
        ({"refuse": True, "probability": "often"}, "probability"),
        ({"refuse": True, "times": 0}, "times is 0; expected a whole number, 1 or more"),
        ("refuse,times=" + "[" * 3000, "times is"),
    ],
)
def test_unusable_rules_name_rule_and_key(written: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as caught:
        parse_fault_rules([written])
    assert "faults[0]" in str(caught.value)


def test_the_second_rule_is_named_by_its_place() -> None:
    with pytest.raises(ValueError, match=r"^faults\[1\]\.status is 1"):
        parse_fault_rules(["refuse", "status=1"])


@pytest.mark.parametrize("value", [None, 5, True])
def test_something_that_is_no_list(value: object) -> None:
    with pytest.raises(ValueError, match="not a list"):
        parse_fault_rules(value)
