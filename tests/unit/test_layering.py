"""Layers as plain mappings."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.layering import (
    FREE_TABLE,
    PRESET_SETTINGS,
    SECTIONS,
    SETTINGS,
    Layer,
    MergedLayers,
    describe_problem,
    find_unknown_key,
    keys_beside,
    merge_layers,
    nearest_setting,
    parse_spelled,
    parse_spelled_list,
    show_value,
)


def layer(name: str, **values: Any) -> Layer:
    return Layer(values, lambda place: f"{name} {'.'.join(place)}")


def test_every_field_of_the_model_is_a_setting_or_a_section() -> None:
    def places(model: Any, above: tuple[str, ...]) -> set[tuple[str, ...]]:
        found = set()
        for name in type(model).model_fields:
            value = getattr(model, name)
            found |= places(value, (*above, name)) if hasattr(type(value), "model_fields") else {(*above, name)}
        return found

    model = HarnessConfig(upstream={})  # type: ignore[arg-type]
    assert places(model, ()) == set(SETTINGS)
    names = ("upstream", "redaction", "matching", "record", "replay", "auto", "ui", "limits", "localization")
    assert {(name,) for name in names} == SECTIONS
    assert FREE_TABLE in SETTINGS
    assert set(SETTINGS) > PRESET_SETTINGS
    assert SETTINGS[FREE_TABLE].dotted == "upstream.extra_headers"


def test_tables_merge_key_by_key_and_lists_are_replaced() -> None:
    merged = merge_layers(
        [
            layer("weak", a=1, t={"x": 1, "y": [1, 2], "u": {"p": 1}}),
            layer("strong", b=2, t={"y": [3], "u": {"q": 2}}),
        ]
    )
    assert merged.values == {"a": 1, "b": 2, "t": {"x": 1, "y": [3], "u": {"p": 1, "q": 2}}}
    assert merged.origin_of(("a",)) == "weak a"
    assert merged.origin_of(("t", "x")) == "weak t.x"
    assert merged.origin_of(("t", "y")) == "strong t.y"
    assert merged.origin_of(("t", "u", "p")) == "weak t.u.p"
    assert merged.origin_of(("t", "y", "0")) == "strong t.y"
    assert merged.origin_of(("nowhere",)) is None


def test_a_value_replaces_a_table_and_a_table_a_value() -> None:
    merged = merge_layers([layer("weak", t={"x": 1}, v=1), layer("strong", t=2, v={"x": 1})])
    assert merged.values == {"t": 2, "v": {"x": 1}}
    assert merged.origin_of(("t", "x")) == "strong t"


def test_layers_are_not_changed_by_merging() -> None:
    weak: dict[str, Any] = {"t": {"x": 1}}
    merge_layers([Layer(weak, lambda place: "weak"), layer("strong", t={"x": 2})])
    assert weak == {"t": {"x": 1}}


@pytest.mark.parametrize(
    ("values", "unknown"),
    [
        ({}, None),
        ({"listen": 1, "upstream": {"extra_headers": {"anything": 1}}}, None),
        ({"upstream": "not a table"}, None),
        ({"casette_name": 1}, ("casette_name",)),
        ({"listen": 1, "upstream": {"kind": 1, "url": 1}}, ("upstream", "url")),
    ],
)
def test_find_unknown_key(values: dict[str, Any], unknown: tuple[str, ...] | None) -> None:
    assert find_unknown_key(values) == unknown


@pytest.mark.parametrize(
    ("unknown", "meant"),
    [
        ("casette_name", "cassette_name"), ("cassette-name", "cassette_name"), ("locale", "localization.locale"),
        ("base_url", "upstream.base_url"), ("upstream_base_url", "upstream.base_url"), ("upstream.baseurl", "upstream.base_url"),
        ("ignore_path", "matching.ignore_paths"), ("Listen", "listen"), ("redact", "redaction"), ("zzz", None), ("upstream.zzz", None),
        ("", None),
    ],
)  # fmt: skip
def test_nearest_setting(unknown: str, meant: str | None) -> None:
    assert nearest_setting(tuple(unknown.split("."))) == (None if meant is None else tuple(meant.split(".")))


def test_keys_beside() -> None:
    assert keys_beside(("matching", "zzz")) == ["ignore_paths", "normalize"]


@pytest.mark.parametrize(
    ("dotted", "text", "value"),
    [
        ("cassette_name", "001", "001"), ("cassette_name", '"quoted"', '"quoted"'), ("cassette_name", "", ""),
        ("cassette_name", "[a]", "[a]"),
        ("fail_unused", "true", True), ("fail_unused", "yes", "yes"), ("replay.tps", "1_000", 1000), ("replay.tps", "", ""),
        ("shutdown_grace_s", "2.5", 2.5), ("matching.ignore_paths", '["/a", "b"]', ["/a", "b"]),
        ("upstream.extra_headers", '{ x-a = "1" }', {"x-a": "1"}),
        ("replay.tps", "5\nfail_unused = true", "5\nfail_unused = true"), ("matching.ignore_paths", "[" * 5000, "[" * 5000),
    ],
)  # fmt: skip
def test_parse_spelled(dotted: str, text: str, value: object) -> None:
    assert parse_spelled(SETTINGS[tuple(dotted.split("."))], text) == value


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (["/a", "b"], ["/a", "b"]), (["/a"], ["/a"]), (['["/a", "b"]'], ["/a", "b"]), (["[0].id"], ["[0].id"]), (["[0]"], ["[0]"]),
        (['["/a"]', "b"], ['["/a"]', "b"]),
    ],
)  # fmt: skip
def test_parse_spelled_list(texts: list[str], value: object) -> None:
    assert parse_spelled_list(SETTINGS["matching", "ignore_paths"], texts) == value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a", '"a"'), (True, "true"), (5, "5"), (["a"], '["a"]'), ("é", '"é"'),
        ("http://user:fake@host/v1", '"http://***@host/v1"'),
        ("http://h/v1?api-version=1&api_key=fake&x=1", '"http://h/v1?api-version=1&api_key=***&x=1"'),
    ],
)  # fmt: skip
def test_show_value(value: object, shown: str) -> None:
    assert show_value(value) == shown


def test_long_values_are_cut() -> None:
    assert show_value("x" * 1000).endswith("...")
    assert len(show_value("x" * 1000)) < 250


def described(**values: Any) -> str:
    merged: MergedLayers = merge_layers([layer("the test's", **values)])
    with pytest.raises(ValidationError) as caught:
        HarnessConfig.model_validate(merged.values)
    return describe_problem(caught.value, merged)


def test_problems_say_what_where_and_what_was_expected() -> None:
    assert described(fail_unused="yes") == '`fail_unused` = "yes", from the test\'s fail_unused: expected true or false'
    assert "from the test's replay.tps: expected a whole number, 1 or more" in described(replay={"tps": 0})
    assert described(match_mode="fuzzy").endswith("expected one of sequential_strict, keyed")
    assert '`redaction.drop_headers` = ["a b"], from the test\'s redaction.drop_headers' in described(redaction={"drop_headers": ["a b"]})
    assert described(upstream=5) == "`upstream` = 5, from the test's upstream: expected a table"


def test_problems_across_settings_stand_alone() -> None:
    assert described(upstream={"kind": "custom"}) == "upstream.base_url is required for the upstream kind custom; set it"


@pytest.mark.parametrize(
    "upstream",
    [{"api_key_env": "sk-fake-secret"}, {"extra_headers": {"host": "sk-fake-secret"}}, {"extra_headers": {"x": ["sk-fake-secret"]}}],
)
def test_problems_never_show_secrets(upstream: dict[str, Any]) -> None:
    text = described(upstream=upstream)
    assert "sk-fake-secret" not in text
    assert "(value not shown)" in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("http://h/x/sk-proj-abcdefghijklmnopqrstuvwxyz012345", '"http://h/x/***"'),
        (10**5000, "a number of very many digits"),
    ],
    ids=["key", "digits"],
)
def test_what_is_shown_of_a_value_that_is_a_key_or_endless(value: object, shown: str) -> None:
    assert show_value(value) == shown


def test_a_number_of_more_digits_than_python_reads_is_left_as_text() -> None:
    digits = "9" * 5000
    assert parse_spelled(SETTINGS[("replay", "tps")], digits) == digits
