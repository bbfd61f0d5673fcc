"""Help and parse errors as text."""

from __future__ import annotations

import pytest
from typer.main import get_command

from spycatcher_addon.edge.cli import build_app
from spycatcher_addon.edge.cli_help import display_width, table, wrap


@pytest.mark.parametrize(("line", "width"), [("abc", 3), ("日本", 4), ("é", 1), ("e\u0301", 1), ("\u2068a\u2069", 1), ("ａ", 2)])
def test_display_width(line: str, width: int) -> None:
    assert display_width(line) == width


def test_wrap_at_blanks_and_between_wide_characters() -> None:
    assert wrap("aa bb cc", 5) == ["aa bb", "cc"]
    assert wrap("one\n\ntwo", 10) == ["one", "", "two"]
    assert wrap("unbreakable", 4) == ["unbreakable"]
    assert wrap("記録して再生", 6) == ["記録し", "て再生"]
    assert wrap("記録。再生", 5) == ["記", "録。", "再生"]


def test_table_lines_up_wide_characters() -> None:
    assert table([("日本", "x"), ("abc", "y")]) == ["  日本  x", "  abc   y"]


def test_table_puts_a_too_wide_cell_on_a_line_of_its_own() -> None:
    assert table([("a", "x"), ("b" * 30, "y")]) == ["  a  x", "  " + "b" * 30, "     y"]


@pytest.mark.parametrize("command", [[], ["record"], ["replay"], ["config"], ["addon-path"]])
def test_help_fits_a_terminal(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    get_command(build_app()).main([*command, "--help"], prog_name="spycatcher-harness", standalone_mode=False)
    text = capsys.readouterr().out
    assert [line for line in text.splitlines() if display_width(line) > 80] == []
    assert "\x1b" not in text
    assert "cli-" not in text.replace("cli-reference", ""), "a message id instead of its text"


def test_help_groups_options_and_shows_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    get_command(build_app()).main(["record", "-h"], prog_name="spycatcher-harness", standalone_mode=False)
    text = capsys.readouterr().out
    for heading in ("Server:", "Cassette:", "Matching:", "Upstream:", "Configuration:", "Examples:"):
        assert f"\n{heading}\n" in text
    assert "[default: 127.0.0.1:8787]" in text


def test_program_help_explains_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    get_command(build_app()).main(["--help"], prog_name="spycatcher-harness", standalone_mode=False)
    text = capsys.readouterr().out
    for part in (
        "command line > environment > config files > defaults",
        "[cmds.record]",
        "[cmds.record.upstream]",
        "SPYCATCHER_HARNESS_CMDS_<SUBCOMMAND>_<KEY>",
        "UPSTREAM__BASE_URL",
    ):
        assert part in text
