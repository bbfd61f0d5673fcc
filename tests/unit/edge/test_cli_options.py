"""Options: their checks and the settings they stand for."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import pytest

from spycatcher_addon.choices import MatchMode
from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.edge.cli_options import (
    FLAGS,
    BadValueError,
    _choice,
    _complete,
    _count,
    _factor,
    _fault,
    _ignore_path,
    _listen,
    _normalize,
    _password,
    _port,
    _seconds,
    _whole_number,
    cli_values,
    default_of,
    flag_name,
)
from spycatcher_addon.layering import SETTINGS


def test_every_flag_stands_for_a_setting() -> None:
    assert set(FLAGS.values()) <= set(SETTINGS)


def test_only_given_flags_count() -> None:
    parameters = {"listen": None, "fail_unused": False, "ignore_path": [], "config": "x", "cassette_name": "", "grace": 0.0}
    assert cli_values(parameters) == {"cassette_name": "", "shutdown_grace_s": 0.0}
    assert cli_values({"ignore_path": ["/a"], "fail_unused": True, "base_url": "u"}) == {
        "matching.ignore_paths": ["/a"],
        "fail_unused": True,
        "upstream.base_url": "u",
    }


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (("shutdown_grace_s",), "flag --grace"),
        (("matching", "ignore_paths"), "flag --ignore-path"),
        (("upstream",), "flag --upstream-kind"),
    ],
)
def test_flag_name(place: tuple[str, ...], name: str) -> None:
    assert flag_name(place) == name


def test_the_defaults_that_help_shows_are_those_of_the_settings() -> None:
    config = HarnessConfig()
    values = {name: reduce(getattr, place, config) for name, place in FLAGS.items() if place[0] != "upstream"}
    worth_showing = {name: value for name, value in values.items() if value is not None and value is not False and value != ()}
    shown = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in worth_showing.items()}
    assert {name: default_of(name) for name in FLAGS if default_of(name) is not None} == shown
    assert default_of("config") is None


def test_good_values() -> None:
    assert _listen("[::1]:0") == "[::1]:0"
    assert _seconds("2.5") == 2.5
    assert _ignore_path("messages[*].id") == "messages[*].id"
    assert _choice(MatchMode)("keyed") == "keyed"


@pytest.mark.parametrize("text", ["", "x", "-1", "nan", "inf"])
def test_bad_seconds(text: str) -> None:
    with pytest.raises(BadValueError):
        _seconds(text)


def test_bad_values_say_what_was_expected() -> None:
    with pytest.raises(BadValueError) as caught:
        _listen("localhost:1")
    assert (caught.value.value, caught.value.expected_id, caught.value.choices) == ("localhost:1", "cli-expected-listen", ())
    with pytest.raises(BadValueError) as caught:
        _choice(MatchMode)("fuzzy")
    assert (caught.value.expected_id, caught.value.choices) == ("cli-expected-choice", ("sequential_strict", "keyed"))
    with pytest.raises(BadValueError):
        _ignore_path("a.[")


def test_completion_of_choices() -> None:
    assert _complete(MatchMode)("k") == ["keyed"]


def test_fault_flags() -> None:
    assert _fault("status=429,interaction=0") == "status=429,interaction=0"
    assert _whole_number("-3") == -3
    assert cli_values({"fault": ["refuse"], "fault_seed": 0, "fault_report": "x"}) == {
        "faults": ["refuse"],
        "fault_seed": 0,
        "fault_report": "x",
    }
    with pytest.raises(BadValueError) as caught:
        _fault("status=418")
    assert (caught.value.expected_id, caught.value.detail) == (
        "cli-expected-fault",
        "fault.status is 418; expected one of 429, 500, 503, 529",
    )
    with pytest.raises(BadValueError) as caught:
        _whole_number("1.5")
    assert (caught.value.expected_id, caught.value.detail) == ("cli-expected-number", "")


def test_flags_for_streams_and_failures() -> None:
    given = {"timing_factor": 0.5, "timing_seed": 0, "include_failures": True, "keep_failures": True}
    assert cli_values(given) == {
        "replay.timing_factor": 0.5,
        "replay.timing_seed": 0,
        "replay.include_failures": True,
        "record.keep_failures": True,
    }
    assert cli_values({"include_failures": False, "keep_failures": False}) == {}


@pytest.mark.parametrize("text", ["", "x", "0", "-1", "nan", "inf"])
def test_bad_factors(text: str) -> None:
    with pytest.raises(BadValueError) as caught:
        _factor(text)
    assert caught.value.expected_id == "cli-expected-factor"


def test_a_good_factor() -> None:
    assert _factor("0.25") == 0.25


@pytest.mark.parametrize(
    ("parse", "text", "expected"),
    [
        (_port, "", "port"),
        (_port, "-1", "port"),
        (_port, "65536", "port"),
        (_port, "\u0663", "port"),
        (_count, "0", "count"),
        (_count, "1.5", "count"),
        (_password, "", "password"),
    ],
)
def test_bad_settings_of_a_user_interface(parse: Callable[[str], object], text: str, expected: str) -> None:
    with pytest.raises(BadValueError) as caught:
        parse(text)
    assert caught.value.expected_id == f"cli-expected-{expected}"


def test_good_settings_of_a_user_interface() -> None:
    assert (_port("0"), _port("65535"), _count("1"), _password(" ")) == (0, 65535, 1, " ")


def test_a_normalize_rule_says_what_is_wrong_with_it() -> None:
    assert _normalize("uuid") == "uuid"
    with pytest.raises(BadValueError) as raised:
        _normalize("x=(a+)+")
    assert "for ever" in raised.value.detail
