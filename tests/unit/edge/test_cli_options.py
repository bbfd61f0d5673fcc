"""Options: their checks and the settings they stand for."""

from __future__ import annotations

import pytest

from spycatcher_addon.config import MatchMode
from spycatcher_addon.edge.cli_options import (
    FLAGS,
    BadValueError,
    _choice,
    _complete,
    _ignore_path,
    _listen,
    _seconds,
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


@pytest.mark.parametrize(
    ("parameter", "default"),
    [("listen", "127.0.0.1:8787"), ("grace", "5"), ("locale", None), ("ignore_path", None), ("fail_unused", None), ("config", None)],
)
def test_default_of(parameter: str, default: str | None) -> None:
    assert default_of(parameter) == default


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
    assert (caught.value.value, caught.value.message_id) == ("localhost:1", "clap-error-value-validation")
    with pytest.raises(BadValueError) as caught:
        _choice(MatchMode)("fuzzy")
    assert (caught.value.description, caught.value.message_id) == ("one of sequential_strict, keyed", "clap-error-invalid-value")
    with pytest.raises(BadValueError):
        _ignore_path("a.[")


def test_completion_of_choices() -> None:
    assert _complete(MatchMode)("k") == ["keyed"]
