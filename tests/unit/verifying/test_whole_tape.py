"""Checks of a cassette as a whole, and of its interactions against each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction, NonStreamResponse
from spycatcher_addon.cassette.normalizing import parse_normalize_rules
from spycatcher_addon.cassette.schema import parse_cassette
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.verifying.findings import Finding
from spycatcher_addon.verifying.tape_text import TapeText
from spycatcher_addon.verifying.whole_tape import LARGE_BYTES, NOTABLE_BYTES, TIMES_MEDIAN, size_of, verify_cassette
from tests.support.secrets import BY_SHAPE
from tests.support.verify_tapes import JSON_HEADERS, METADATA, answered, check, hashed, only, plain, stream, tape_of


@pytest.mark.parametrize("interaction", [plain(), stream()])
def test_what_the_recorder_writes_is_clean(interaction: Interaction) -> None:
    assert check(interaction) == []
    assert check() == []


def test_findings_carry_the_index_of_their_interaction() -> None:
    bad = plain(metadata=replace(METADATA, recorded_at="yesterday"))
    found = check(plain(), bad, plain(), bad)
    assert [finding.interaction for finding in found if finding.rule == "recorded-at"] == [1, 3]


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


def test_normalize_rules_are_compared() -> None:
    rules = parse_normalize_rules(["uuid"])
    tape = Cassette(2, (plain(),), Hashing(normalize=rules))
    assert list(verify_cassette(tape, IgnorePathConfig((), rules), RedactionRules())) == []
    found = only(list(verify_cassette(tape, IgnorePathConfig(), RedactionRules())))
    assert found == ("verify-normalize-drift", {"recorded": "uuid", "configured": "-"}, False)


def drift(recorded: tuple[str, ...], rules: RedactionRules) -> list[Finding]:
    return list(verify_cassette(Cassette(2, (plain(),), Hashing(redaction_rules=recorded)), IgnorePathConfig(), rules))


def test_redaction_rules_that_came_later_are_a_warning() -> None:
    rules = RedactionRules(frozenset({"authorization", "cookie"}), shapes=frozenset({"jwt"}))
    assert drift(rules.names, rules) == []
    assert drift((*rules.names, "shape.openai-key"), rules) == [], "more than today's is no harm"
    without = tuple(name for name in rules.names if "cookie" not in name)
    (missing,) = set(rules.names) - set(without)
    assert only(drift(without, rules)) == ("verify-redaction-drift", {"rules": missing}, True)


def test_a_tape_that_notes_no_rules_is_not_told_that_all_are_missing() -> None:
    assert drift((), RedactionRules(frozenset({"authorization"}))) == []


# --- interactions against each other ----------------------------------------------------------------------------------


def at(second: int, **changes: Any) -> Interaction:
    return plain(metadata=replace(METADATA, recorded_at=f"2026-01-02T03:04:{second:02}.5Z"), **changes)


def test_a_copied_interaction_is_a_warning() -> None:
    (found,) = check(at(1), at(2), at(2))
    assert (found.rule, found.arguments, found.interaction, found.is_warning) == ("duplicate", (("first", "1"),), 2, True)
    copies = [each.interaction for each in check(stream(), stream(), stream())]
    assert copies == [1, 2]


def test_the_same_question_may_be_asked_twice() -> None:
    assert check(at(1), at(2)) == [], "at another time"
    other = NonStreamResponse(200, JSON_HEADERS, b'{"ok":1}')
    assert check(at(1), at(1, response=other)) == [], "and be answered otherwise"


def test_times_that_go_back_are_a_warning() -> None:
    (found,) = check(at(10), at(20, request=hashed(b"[1]")), at(11), at(21))
    assert (found.rule, found.interaction, found.is_warning) == ("recorded-earlier", 2, True)
    assert dict(found.arguments)["other"] == "1"


def of_times(*times: str) -> list[int | None]:
    """The interactions of a recording at these times that stand in the wrong place."""
    made = [
        plain(metadata=replace(METADATA, recorded_at=f"2026-01-02T03:04:{time}Z"), request=hashed(b"[%d]" % number))
        for number, time in enumerate(times)
    ]
    found = check(*made)
    assert {each.rule for each in found} <= {"recorded-earlier"}
    return [each.interaction for each in found]


def test_the_smallest_step_back_is_one() -> None:
    assert of_times("10.000002", "10.000001") == [1]
    assert of_times("10.012", "10.008", "10.004") == [1, 2], "a quick recording that was reversed"
    assert of_times("10.5", "10.25") == [1]


@pytest.mark.parametrize("times", [("10", "10"), ("10.9", "11"), ("10", "10.000001", "10.1"), ("10.5", "10.5", "10.50"), ("59.9", "60.1")])
def test_times_that_stand_still_or_go_on_are_none(times: tuple[str, ...]) -> None:
    assert of_times(*times) == []


def test_a_time_that_is_none_is_not_compared() -> None:
    broken = plain(metadata=replace(METADATA, recorded_at="soon"))
    assert [found.rule for found in check(at(10), broken, at(11))] == ["recorded-at"]


def sized(size: int) -> Interaction:
    return plain(response=NonStreamResponse(200, (("content-type", "text/plain"),), b"x" * size), request=hashed(b"[%d]" % size))


def test_what_is_much_larger_than_the_rest_is_a_warning() -> None:
    ordinary = [sized(30_000 + number) for number in range(5)]
    assert check(*ordinary, sized(NOTABLE_BYTES - 100)) == []
    (found,) = check(*ordinary, sized(TIMES_MEDIAN * 31_000))
    assert (found.rule, found.interaction, found.is_warning, found.field) == ("large", 5, True, "response.body")


def test_what_is_large_among_its_like_is_not() -> None:
    assert check(*(sized(NOTABLE_BYTES * 2 + number) for number in range(5))) == []


def test_few_interactions_have_no_middle() -> None:
    assert check(sized(10), sized(NOTABLE_BYTES * 2)) == []


def test_something_is_large_by_any_measure() -> None:
    request = hashed(b'"' + b"x" * LARGE_BYTES + b'"')
    (found,) = check(plain(request=request))
    assert (found.rule, found.field) == ("large", "request.body")
    assert int(dict(found.arguments)["size"]) == size_of(plain(request=request))


@pytest.mark.parametrize(("part", "field"), [("query", "request.query"), ("headers", "request.headers"), ("answer", "response.headers")])
def test_headers_and_query_count_too(part: str, field: str) -> None:
    much = "x" * LARGE_BYTES
    request = hashed(
        b"{}", query=f"q={much}" if part == "query" else "", headers=(("x-much", much),) if part == "headers" else JSON_HEADERS
    )
    answer = NonStreamResponse(200, (("x-much", much),) if part == "answer" else JSON_HEADERS, b"{}")
    (found,) = check(plain(request=request, response=answer))
    assert (found.rule, found.field) == ("large", field)


# --- places -----------------------------------------------------------------------------------------------------------


def test_findings_point_at_their_lines() -> None:
    secret = BY_SHAPE["github-token"]
    good = plain()
    data = tape_of(good, answered(f'{{"a":"b","c":["{secret}"]}}'.encode()), replace(good, metadata=replace(METADATA, recorded_at="soon")))
    data = data.replace(b'"generator"', b'"genrator"')
    rules = RedactionRules(shapes=frozenset({"github-token"}))
    findings = verify_cassette(parse_cassette(data, "tape"), IgnorePathConfig(), rules, TapeText(data))
    lines = data.decode().split("\n")
    told = {found.rule: lines[(found.line or 0) - 1].strip() for found in findings}
    assert told["unknown-key"].startswith('"genrator"')
    assert told["secret"] == f'"{secret}"'
    assert told["recorded-at"].startswith('"recorded_at": "soon"')
    assert secret not in repr(findings)


def test_the_whole_comes_first_and_then_the_interactions_in_order() -> None:
    broken = plain(metadata=replace(METADATA, recorded_at="soon"))
    data = tape_of(broken, broken).replace(b'"upstream_id"', b'"upstream"').replace(b'"generator"', b'"genrator"')
    data = data.replace(b'"upstream"', b'"upstream_id": "u",\n        "upstream"')
    findings = verify_cassette(parse_cassette(data, "tape"), IgnorePathConfig(("/x",)), RedactionRules(), TapeText(data))
    places = [found.interaction for found in findings]
    assert places == sorted(places, key=lambda place: -1 if place is None else place)
    assert places[0] is None and set(places) == {None, 0, 1}
