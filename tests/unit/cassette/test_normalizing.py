from __future__ import annotations

import pytest

from spycatcher_addon.cassette.normalizing import BUILT_IN, NormalizeRule, normalize_strings, parse_normalize_rules

ALL = parse_normalize_rules(list(BUILT_IN))


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("at 2026-01-02T03:04:05Z.", "at <timestamp>."),
        ("2026-01-02T03:04:05.123456+02:00", "<timestamp>"),
        ("2026-01-02t03:04:05z", "<timestamp>"),
        ("2026-01-02T03:04+0200", "<timestamp>"),
        ("2026-01-02T03:04:05 UTC now", "<timestamp> now"),
        ("2026-01-02 03:04:05,123 INFO", "<timestamp> INFO"),
        ("run-20260102T030405Z.log", "run-<timestamp>.log"),
        ("id 550e8400-e29b-41d4-a716-446655440000!", "id <uuid>!"),
        ("{550E8400-E29B-41D4-A716-446655440000}", "{<uuid>}"),
        ("call_0123456789abcdef0123", "call_<hex_id>"),
        ("1767323045 and 1767323045.25 and 1767323045123", "<epoch> and <epoch> and <epoch>"),
        ("open /tmp/tmpab12/x.py: no", "open <temp_path>: no"),
        ("see /tmp/x.", "see <temp_path>."),
        ("'/var/folders/q1/T/a' and (/private/tmp/b)", "'<temp_path>' and (<temp_path>)"),
        (r"C:\Users\me\AppData\Local\Temp\a1\b.txt", "<temp_path>"),
        ("/tmp/550e8400-e29b-41d4-a716-446655440000/out", "<temp_path>"),
    ],
)
def test_built_in_rules_replace_what_is_volatile(text: str, normalized: str) -> None:
    assert normalize_strings(text, ALL) == normalized


@pytest.mark.parametrize(
    "text",
    [
        "on 2026-01-02 we met",
        "from 10:30 to 11:45",
        "2026-13-02T03:04:05Z",
        "2026-01-02T25:04:05Z",
        "550e8400-e29b-41d4-a716-44665544000",
        "x550e8400-e29b-41d4-a716-446655440000",
        "feedfacefeedfacefeed",
        "01234567890123456789",
        "0123456789abcde",
        "call 5551234567",
        "17673230451",
        "src/tmp/x and https://host/tmp/y",
        "/tmp and /tmp/ and /temporary/x",
        "",
    ],
)
def test_built_in_rules_leave_everything_else(text: str) -> None:
    assert normalize_strings(text, ALL) is text


def test_keys_numbers_and_structure_stay() -> None:
    value = {"2026-01-02T03:04:05Z": [1767323045, True, None, 1.5, {"id": "550e8400-e29b-41d4-a716-446655440000"}]}
    assert normalize_strings(value, ALL) == {"2026-01-02T03:04:05Z": [1767323045, True, None, 1.5, {"id": "<uuid>"}]}


def test_a_value_without_a_match_is_the_same_object() -> None:
    value = {"a": ["x", {"b": "y"}]}
    assert normalize_strings(value, ALL) is value


def test_a_rule_of_ones_own_takes_its_replacement_literally() -> None:
    rules = parse_normalize_rules([{"name": "run", "pattern": r"run-(\d+)", "replacement": r"\1"}])
    assert normalize_strings("run-17, run-x", rules) == r"\1, run-x"


def test_name_and_pattern_in_one_text() -> None:
    assert parse_normalize_rules([r"run = ?id=\d+"]) == (NormalizeRule("run", r" ?id=\d+", "<run>"),)


def test_an_empty_match_replaces_nothing() -> None:
    assert normalize_strings("a b", parse_normalize_rules([r"edge=\b"])) == "a b"


def test_built_in_rules_come_first_whatever_order_they_are_named_in() -> None:
    one = parse_normalize_rules(["uuid", r"b=b\d", "timestamp", r"a=a\d", "uuid"])
    assert [rule.name for rule in one] == ["timestamp", "uuid", "b", "a"]
    assert one == parse_normalize_rules(["timestamp", r"b=b\d", r"a=a\d", "uuid"])


def test_rules_go_through_json_unchanged() -> None:
    rules = parse_normalize_rules(["uuid", {"name": "n", "pattern": "x", "replacement": ""}])
    assert [rule.as_json() for rule in rules] == ["uuid", {"name": "n", "pattern": "x", "replacement": ""}]
    assert parse_normalize_rules([rule.as_json() for rule in rules]) == rules


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("uuid", "not a list"),
        (7, "not a list"),
        (["uuid", "guid"], "rule 1: 'guid' is no built-in rule"),
        ([3], "rule 0: it is neither"),
        ([{"name": "x", "pattern": "a", "flags": "i"}], "unknown key 'flags'"),
        ([{"pattern": "a"}], "rule 0: it needs a name"),
        ([{"name": "9x", "pattern": "a"}], "rule 0: it needs a name"),
        ([{"name": "uuid", "pattern": "a"}], "name of a built-in rule"),
        ([{"name": "x"}], "rule 0 (x): pattern and replacement must be texts"),
        ([{"name": "x", "pattern": "a", "replacement": 1}], "must be texts"),
        (["x=a", "x=b"], "rule 1: the name 'x' is given twice"),
        (["x=("], "rule 0 (x): the pattern '(' is no regular expression"),
        (["x=a*"], "matches the empty text"),
    ],
)
def test_what_cannot_be_a_rule(given: object, named: str) -> None:
    with pytest.raises(ValueError, match=".") as raised:
        parse_normalize_rules(given)
    assert named in str(raised.value)


@pytest.mark.parametrize(
    "pattern", [r"(a+)+b", r"(a|ab)*c", r"((a+)b)*c", r"(a{1,2})+b", r"(a+){8}b", r"(?:x?y)+z", r"(?P<n>a*)+b", r"([+]a*)+"]
)
def test_a_pattern_that_could_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="for ever"):
        parse_normalize_rules([{"name": "x", "pattern": pattern}])


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:ab)+",
        r"[a-z]+\d+",
        r"(?>a+)+b",
        r"(a+)++b",
        r"\(a+\)+",
        r"[(]a+[)]+",
        r"(a{3})+",
        r"(a|b)",
        r"(a+){2}",
        r"(?:a|b)?c",
        r"a)?"[:1],
    ],
)
def test_a_pattern_that_cannot_is_taken(pattern: str) -> None:
    assert parse_normalize_rules([{"name": "x", "pattern": pattern}])[0].pattern == pattern
