"""Findings know their rule and severity, and where they stand."""

from __future__ import annotations

import pytest

from spycatcher_addon.verifying.findings import RULES, Finding, Path, finding, parse_path, spell


def test_the_rule_decides_about_the_severity() -> None:
    found = finding("chunks-end", ("response", "timing"), end=5, length=7)
    assert found == Finding("verify-chunks-end", (("end", "5"), ("length", "7")), path=("response", "timing"))
    assert (found.rule, found.field) == ("chunks-end", "response.timing")
    assert finding("large").is_warning


def test_arguments_may_have_any_name() -> None:
    assert finding("secret", rule="env", path="request.body").arguments == (("rule", "env"), ("path", "request.body"))


def test_only_rules_can_be_broken() -> None:
    with pytest.raises(KeyError):
        finding("no-such-rule")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("response",), "response"),
        (("response", "events", 3), "response.events[3]"),
        (("request", "headers", 0, 1), "request.headers[0][1]"),
    ],
)
def test_paths_as_text(path: Path, text: str) -> None:
    assert spell(path) == text


def test_plain_paths_are_read_back() -> None:
    assert parse_path("response.raw_transcript") == ("response", "raw_transcript")


def test_every_rule_says_what_is_expected() -> None:
    assert all(rule.summary and not rule.summary.endswith(".") for rule in RULES.values())
    assert len({rule.summary for rule in RULES.values()}) == len(RULES)
