"""Workflow commands of GitHub Actions."""

from __future__ import annotations

import pytest

from spycatcher_addon.workflow_commands import Level, annotation


@pytest.mark.parametrize(
    ("message", "properties", "expected"),
    [
        ("plain", {"file": "a"}, "::error file=a::plain"),
        ("two\nlines\r", {"file": "a", "line": 3}, "::error file=a,line=3::two%0Alines%0D"),
        ("100 %: a,b", {"file": "a,b:c%", "title": "x: y, z"}, "::error file=a%2Cb%3Ac%25,title=x%3A y%2C z::100 %25: a,b"),
    ],
)
def test_a_command_is_one_line_whatever_is_in_it(message: str, properties: dict[str, object], expected: str) -> None:
    assert annotation(Level.ERROR, message, **properties) == expected  # type: ignore[arg-type]


def test_warnings() -> None:
    assert annotation(Level.WARNING, "m", file="f") == "::warning file=f::m"
