"""docs/safe-to-commit.md names every rule under its group and severity, every format, and the figures that the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spycatcher_addon.choices import VerifyFormat
from spycatcher_addon.redaction.digests import LONGEST, SHORTEST
from spycatcher_addon.verifying.findings import RULES, Group
from spycatcher_addon.verifying.report_json import SCHEMA, SCHEMA_VERSION
from spycatcher_addon.verifying.whole_tape import LARGE_BYTES, NOTABLE_BYTES, TIMES_MEDIAN

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "safe-to-commit.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(?P<group>[a-z]+)` \|(?P<errors>[^|]*)\|(?P<warnings>[^|]*)\|$", re.MULTILINE)
ID = re.compile(r"`([a-z][a-z-]+)`")


def rules_in_the_page() -> dict[tuple[str, bool], set[str]]:
    """Group and whether it warns -> ids of its rules."""
    found: dict[tuple[str, bool], set[str]] = {}
    for row in ROW.finditer(PAGE):
        for column, is_warning in (("errors", False), ("warnings", True)):
            found[row["group"], is_warning] = {name for name in ID.findall(row[column]) if name in RULES}
    return found


@pytest.mark.parametrize("group", Group)
@pytest.mark.parametrize("is_warning", [False, True])
def test_rules_stand_where_they_belong(group: Group, is_warning: bool) -> None:
    expected = {name for name, rule in RULES.items() if rule.group is group and rule.is_warning is is_warning}
    assert rules_in_the_page()[group, is_warning] == expected


def test_formats_and_the_schema() -> None:
    assert [form for form in VerifyFormat if f"| `{form}` |" not in PAGE] == []
    assert f"`schema` `{SCHEMA}`, `schema_version` {SCHEMA_VERSION}" in PAGE


def test_figures() -> None:
    mib = 1024 * 1024
    assert f"more than {LARGE_BYTES // mib} MiB, or more than {NOTABLE_BYTES // mib} MiB and {TIMES_MEDIAN} times the middle one" in PAGE
    assert f"{SHORTEST} to {LONGEST} characters" in PAGE
