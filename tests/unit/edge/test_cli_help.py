"""Help as text, in every language."""

from __future__ import annotations

import pytest
from typer.main import get_command

from spycatcher_addon.edge.catalogues import LOCALES
from spycatcher_addon.edge.cli import build_app
from spycatcher_addon.edge.cli_language import EarlyLanguage
from spycatcher_addon.edge.cli_layout import display_width

_NAMES = "record replay verify auto config addon-path ls show diff stats merge prune convert scrub doctor"
COMMANDS = [[], *([name] for name in _NAMES.split())]


def help_text(capsys: pytest.CaptureFixture[str], *command: str, locale: str = "en-US") -> str:
    language = EarlyLanguage({"SPYCATCHER_HARNESS_LOCALE": locale}, pytest.fail)
    get_command(build_app()).main([*command, "--help"], prog_name="spycatcher-harness", standalone_mode=False, obj=language)
    return capsys.readouterr().out


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words) or "program")
def test_help_fits_a_terminal(command: list[str], locale: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = help_text(capsys, *command, locale=locale)
    assert [line for line in text.splitlines() if display_width(line) > 80] == []
    assert "\x1b" not in text
    assert "cli-" not in text, "a message id instead of its text"
    assert "\u2068" not in text, "help is copied from, so there are no isolation marks in it"


@pytest.mark.parametrize("locale", LOCALES)
def test_columns_line_up(locale: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In one group, every description begins in the same terminal column."""
    for block in help_text(capsys, "record", locale=locale).split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("  -")]
        starts = {
            display_width(line) - display_width(line.lstrip(" -").split("  ", 1)[1].lstrip()) for line in rows if "  " in line.lstrip()
        }
        assert len(starts) <= 1, block


def test_help_groups_options_and_shows_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_text(capsys, "record")
    for heading in ("Server:", "Cassette:", "Matching:", "Upstream:", "Configuration:", "Examples:"):
        assert f"\n{heading}\n" in text
    assert "[default: 127.0.0.1:8787]" in text
    assert "openai, deepseek" in " ".join(text.split())


def test_program_help_explains_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_text(capsys)
    for part in (
        "CLI > env > config files > defaults",
        "[cmds.record]",
        "[cmds.record.upstream]",
        "cmds.verify",
        "SPYCATCHER_HARNESS_CMDS_<SUBCOMMAND>_<KEY>",
        "UPSTREAM__BASE_URL",
        "double underscore",
    ):
        assert part in " ".join(text.split())


def test_headings_are_bold_in_a_terminal_that_wants_colour(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = help_text(capsys, "replay")
    assert "\x1b[1mServer:\x1b[0m" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert help_text(capsys, "replay") == coloured.replace("\x1b[1m", "").replace("\x1b[0m", "")
