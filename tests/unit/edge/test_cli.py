"""The command line in this process: exit codes, streams, and what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from spycatcher_addon.edge.cli import main
from spycatcher_addon.version import VERSION


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "xdg"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_version(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    assert capsys.readouterr() == (f"spycatcher-harness {VERSION}\n", "")


@pytest.mark.parametrize("words", [["-h"], ["--help"], ["record", "-h"], ["replay", "--help"], ["config", "-h"]])
def test_help_goes_to_standard_output(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "Usage: spycatcher-harness" in out
    assert err == ""


SUBCOMMANDS = "record, replay, config, addon-path"


@pytest.mark.parametrize(
    ("words", "first", "usage"),
    [
        ([], f"error: missing required subcommand; valid subcommands: {SUBCOMMANDS}", "[OPTIONS] COMMAND"),
        (["nope"], f"error: unknown subcommand nope; valid subcommands: {SUBCOMMANDS}", "[OPTIONS] COMMAND"),
        (["--nope"], "error: unknown argument: --nope", "[OPTIONS] COMMAND"),
        (["replay", "--nope"], "error: unknown argument: --nope", "replay [OPTIONS]"),
        (["replay", "--nope=1"], "error: unknown argument: --nope", "replay [OPTIONS]"),
        (["replay", "extra"], "error: unknown argument: extra", "replay [OPTIONS]"),
        (["replay", "--listen"], "error: missing value for --listen", "replay [OPTIONS]"),
        (["replay", "--listen", "localhost:1"], "error: invalid value localhost:1 for --listen", "replay [OPTIONS]"),
        (["record", "--match-mode", "fuzzy"], "error: invalid value fuzzy for --match-mode", "record [OPTIONS]"),
        (["record", "--upstream-kind", "x"], "error: invalid value x for --upstream-kind", "record [OPTIONS]"),
        (["record", "--grace", "-1"], "error: invalid value -1 for --grace", "record [OPTIONS]"),
        (["record", "--ignore-path", "a.["], "error: invalid value a.[ for --ignore-path", "record [OPTIONS]"),
        (["config", "nope"], "error: invalid value nope for subcommand", "config [OPTIONS]"),
        (["record", "--fail-unused"], "error: unknown argument: --fail-unused", "record [OPTIONS]"),
    ],
)
def test_parse_errors(words: list[str], first: str, usage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == first
    assert f"\nUsage: spycatcher-harness {usage}" in err


def test_a_near_miss_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--casette-name", "x"]) == 2
    assert "did you mean --cassette-name?" in capsys.readouterr().err


def test_arguments_that_are_not_utf8(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--cassette-name", "\udcff"]) == 2
    assert capsys.readouterr().err.startswith("error: invalid UTF-8 in argument '\\udcff'\n")


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (["replay", "--config", "nope.toml"], "failed to merge layered config for `replay`: configuration file nope.toml does not exist"),
        (["replay", "--locale", "not_a_locale"], "invalid localization field `locale` value `not_a_locale`: Parser error: Invalid subtag"),
        (["record", "--base-url", "nonsense"], 'failed to merge layered config for `record`: `upstream.base_url` = "nonsense"'),
        (["config", "record", "--upstream-kind", "azure"], "failed to merge layered config for `record`: upstream.base_url is required"),
    ],
)
def test_merge_failures(words: list[str], cause: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert out == ""
    first, second = err.splitlines()
    assert first == "Error: failed to load merged command config"
    assert second.startswith(f"Caused by: {cause}")


def test_a_bad_address_from_the_environment_is_a_merge_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SPYCATCHER_HARNESS_CMDS_REPLAY_LISTEN", "localhost:1")
    assert main(["replay"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("Error: failed to load merged command config\n")
    assert "localhost:1" in err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["replay", "--cassette-name", ""], "invalid configuration: cassette name must not be empty"),
        (["replay", "--cassette-name", "../x"], "invalid configuration: cassette name must not contain path traversal sequences"),
        (["record"], "invalid configuration: upstream configuration is required for record mode"),
        (["replay"], "cassette not found: default"),
    ],
)
def test_start_failures(words: list[str], error: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--listen", "127.0.0.1:0"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == f"Error: failed to start harness: {error}"
    assert list(folder.iterdir()) == [], "nothing is created when the start fails"


def test_config_prints_toml_with_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "record", "--cassette-name", "mine", "--ignore-path", "/a", "--grace", "1"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "[cmds.record]" in lines
    assert 'cassette_name = "mine" # flag --cassette-name' in lines
    assert 'ignore_paths = ["/a"] # flag --ignore-path' in lines
    assert "shutdown_grace_s = 1.0 # flag --grace" in lines


def test_config_is_about_replay_unless_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config"]) == 0
    assert "[cmds.replay]" in capsys.readouterr().out


def test_addon_path_is_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["addon-path"]) == 0
    path = Path(capsys.readouterr().out.removesuffix("\n"))
    assert path.is_absolute()
    assert path.is_file()
    assert [entry.name for entry in path.parent.iterdir() if entry.suffix == ".py"] == ["addon.py"]


def test_a_deleted_working_directory(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    gone = folder / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["config"]) == 1
    assert "the working directory no longer exists" in capsys.readouterr().err


def test_a_mistake_of_ours_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("oops")

    monkeypatch.setattr("spycatcher_addon.edge.cli.config_report", broken)
    assert main(["config"]) == 1
    assert capsys.readouterr().err == "Error: internal error: RuntimeError: oops; please report it\n"
