"""Names of tapes: the same everywhere, different for different tests."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.config import HarnessConfig, validate_for_start
from spycatcher_addon.pytest_plugin.naming import BadNameError, named_tape, tape_name


@pytest.mark.parametrize(
    ("classes", "function", "parameters", "expected"),
    [
        ([], "test_a", None, "test_m/test_a.json"),
        (["TestA", "TestB"], "test_a", None, "test_m/TestA.TestB.test_a.json"),
        ([], "test_a", "gpt-4.1_mini", "test_m/test_a-gpt-4.1_mini.json"),
        ([], "test_a", "1-x", "test_m/test_a-1-x.json"),
    ],
)
def test_plain_names_stay_as_they_are(classes: list[str], function: str, parameters: str | None, expected: str) -> None:
    assert tape_name("test_m", classes, function, parameters) == expected


@pytest.mark.parametrize(
    "parameters", ["A", "a/b", ".", "say hi.", "hi.", "..", "a..b", "a b", "c:\\d", "ü", "", "x" * 300, "\udcff", "a\0b", "con?"]
)
def test_odd_parameters_become_harmless_names(parameters: str) -> None:
    name = tape_name("test_m", [], "test_a", parameters)
    assert re.fullmatch(r"test_m/test_a-[a-z0-9_.-]*\.json", name)
    assert len(name) < 130
    validate_for_start(HarnessConfig(cassette_name=name))


@given(st.lists(st.text(max_size=200), min_size=2, max_size=20, unique=True))
def test_different_parameters_have_different_names_on_any_file_system(ids: list[str]) -> None:
    assert len({tape_name("m", [], "test_a", one).lower() for one in ids}) == len(ids)


def test_long_names_are_cut_and_stay_apart() -> None:
    one, other = (tape_name("m", ["Test" + "A" * 90], f"test_{end}", None) for end in ("x", "y"))
    assert one != other and len(one) < 120


def test_long_names_are_measured_in_bytes() -> None:
    one, other = (tape_name("m", [], "test_" + "中" * 90 + end, None) for end in ("x", "y"))
    assert one != other and len(one.encode()) < 120


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("chat", "test_m/chat.json"),
        ("chat.json", "test_m/chat.json"),
        ("a chat", "test_m/a chat.json"),
        ("shared/chat", "shared/chat.json"),
    ],
)
def test_names_from_markers(given: str, expected: str) -> None:
    assert named_tape("test_m", given) == expected


@pytest.mark.parametrize("given", ["", "..", "../a", "a/../b", "/a", "a/", "a//b", "./a", "a\\b", "c:a", "a\0", "a\n", 'a"b', "a?"])
def test_names_from_markers_that_lead_elsewhere_are_refused(given: str) -> None:
    with pytest.raises(BadNameError, match="cannot be a cassette name"):
        named_tape("test_m", given)
