"""The tables and lists of docs/users-guide.md say what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spycatcher_addon.choices import AuthScheme
from spycatcher_addon.config import HarnessConfig, MatchMode, RedactionConfig, UpstreamConfig
from spycatcher_addon.edge import cli, serving
from spycatcher_addon.upstream_presets import UPSTREAM_PRESETS

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "users-guide.md").read_text(encoding="utf-8")
DIAGNOSTICS = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    """The text below a heading, up to the next one."""
    start = PAGE.index(f"\n{heading}\n") + len(heading) + 2
    following = re.search(r"^#+ ", PAGE[start:], re.MULTILINE)
    return PAGE[start : start + following.start() if following else None]


def table_rows(text: str) -> list[list[str]]:
    """The cells of each row below a table's head, without code marks."""
    rows = [line.strip("| \n").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip(" `|") for cell in row] for row in rows if not row[0].startswith("---")][1:]


def test_presets_are_listed_as_they_are() -> None:
    listed = {row[0]: row[1:] for row in table_rows(section("### Choose the provider"))}
    assert set(listed) == set(UPSTREAM_PRESETS)
    for kind, preset in UPSTREAM_PRESETS.items():
        url, variable, *remarks = listed[kind]
        assert url == (preset.base_url or "yours, see below")
        assert variable == preset.api_key_env
        assert ("key optional" in remarks) is not preset.api_key_required
        assert ("sent as `api-key" in remarks) is (preset.auth is AuthScheme.API_KEY)


def test_recording_needs_an_upstream_as_its_examples_have() -> None:
    """Without any upstream setting ``record`` refuses to start, so no example may leave it out."""
    examples = re.findall(r"^spycatcher-harness record(?! --help).*$", PAGE, re.MULTILINE)
    assert examples
    assert [line for line in examples if "--upstream-kind" not in line] == []


def test_redacted_headers_are_listed() -> None:
    dropped = next(line for line in section("## Secrets").splitlines() if line.startswith("- These headers"))
    assert set(re.findall(r"`([a-z-]+)`", dropped)) == RedactionConfig().effective_drop_headers


def test_match_modes_are_listed() -> None:
    rows = table_rows(section("### Match modes"))
    assert [row[0].split("`")[0].strip() for row in rows] == list(MatchMode)
    default = next(row[0] for row in rows if "(default)" in row[0])
    assert default.startswith(HarnessConfig().match_mode)


def test_limits_are_listed_with_their_defaults() -> None:
    config = HarnessConfig(upstream=UpstreamConfig())
    for name, default, _ in table_rows(section("## Limits and time-outs")):
        value: object = config
        for key in name.split("`")[0].split("."):
            value = getattr(value, key)
        assert float(default.split(" ")[0]) == value, name


def test_exit_codes_are_listed() -> None:
    codes = {int(code) for row in table_rows(section("## Start, stop, exit codes")) for code in row[0].split(", ")}
    assert codes == {0, cli.EXIT_FAILURE, cli.EXIT_USAGE, serving.EXIT_UNUSED, 130, 143}


def test_the_example_of_a_mismatch_is_that_of_the_diagnostics_page() -> None:
    """There it is made anew by a running harness and a stock client."""
    [shown] = re.findall(r"^```text\n(openai\..*?)^```", section("## When a request does not match"), re.MULTILINE | re.DOTALL)
    assert shown in DIAGNOSTICS


@pytest.mark.parametrize("row", table_rows(section("## What it prints")), ids=lambda row: row[0])
def test_each_line_on_standard_error_is_one_that_exists(row: list[str]) -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "spycatcher_addon" / "edge").glob("*.py"))
    sources += (ROOT / "i18n" / "en-US" / "spycatcher-harness.ftl").read_text(encoding="utf-8")
    assert [part for part in row[0].split("…") if part.strip() not in sources] == []
