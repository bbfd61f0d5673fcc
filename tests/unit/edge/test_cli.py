"""The command line in this process: exit codes, streams, and what is said."""

from __future__ import annotations

import gc
import inspect
from pathlib import Path

import pytest

from spycatcher_addon.edge import catalogues
from spycatcher_addon.edge.cli import build_app, main
from spycatcher_addon.version import VERSION
from tests.support.texts import ENGLISH, without_marks


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "xdg"))
    for name in ("XDG_CONFIG_HOME", "SPYCATCHER_HARNESS_LOCALE", "SPYCATCHER_HARNESS_FALLBACK_LOCALE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_version(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    assert capsys.readouterr() == (f"spycatcher-harness {VERSION}\n", "")


@pytest.mark.parametrize("words", [["-h"], ["--help"], ["record", "-h"], ["replay", "--help"], ["verify", "-h"], ["config", "-h"]])
def test_help_goes_to_standard_output(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "Usage: spycatcher-harness" in out
    assert err == ""


SUBCOMMANDS = "record, replay, verify, auto, config, addon-path, ls, show, diff, stats, merge, prune, convert, scrub, doctor"


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
        (["replay", "--fail-unused=1"], "error: too many values for --fail-unused: 1 given, 0 expected", "replay [OPTIONS]"),
    ],
)
def test_parse_errors(words: list[str], first: str, usage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert without_marks(err.splitlines()[0]) == first
    assert f"\nUsage: spycatcher-harness {usage}" in err


def test_a_near_miss_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--casette-name", "x"]) == 2
    assert "  did you mean this? --cassette-name\n" in capsys.readouterr().err


def test_arguments_that_are_not_utf8(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--cassette-name", "\udcff"]) == 2
    assert without_marks(capsys.readouterr().err).startswith("error: invalid UTF-8 in argument '\\udcff'\n")


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (["replay", "--config", "nope.toml"], "failed to merge layered config for `replay`: configuration file nope.toml does not exist"),
        (["replay", "--locale", "not_a_locale"], "invalid localization field `locale` value `not_a_locale`: Parser error: Invalid subtag"),
        (["record", "--base-url", "nonsense"], 'failed to merge layered config for `record`: `upstream.base_url` = "nonsense"'),
        (
            ["record", "--base-url", "http://me:fake@h/v1"],
            'failed to merge layered config for `record`: `upstream.base_url` = "http://***@h/v1"',
        ),
        (["record", "--upstream-kind", "azure"], "failed to merge layered config for `record`: upstream.base_url is required"),
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
    assert without_marks(err.splitlines()[0]) == f"Error: failed to start harness: {error}"
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

    monkeypatch.setattr("spycatcher_addon.edge.config_report.config_report", broken)
    assert main(["config"]) == 1
    assert capsys.readouterr().err == "Error: internal error: RuntimeError: oops; please report it\n"


# --- the language ---------------------------------------------------------------------------------------------------


def test_the_early_language_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SPYCATCHER_HARNESS_LOCALE", "ja-JP")
    assert main(["replay", "--nope", "--locale", "de-DE"]) == 2
    first, *rest = capsys.readouterr().err.splitlines()
    assert first == "error: 不明な引数: \u2068--nope\u2069"
    assert rest[-1].endswith("spycatcher-harness replay --help"), "what is to be copied has no marks in it"


def test_the_locale_flag_says_nothing_about_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--locale", "ja-JP", "--help"]) == 0
    assert "Usage: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--locale", "ja-JP"], "カセットが見つかりません: \u2068default\u2069"),
        (["--locale", "de-DE"], "Kassette nicht gefunden: \u2068default\u2069"),
        (["--locale", "zz-Zzzz", "--fallback-locale", "fr-FR"], "cassette introuvable : \u2068default\u2069"),
        (["--locale", "zz-Zzzz"], "cassette not found: \u2068default\u2069"),
        (["--fallback-locale", "zz"], "cassette not found: \u2068default\u2069"),
    ],
)
def test_errors_follow_the_merged_language(words: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", *words]) == 1
    assert capsys.readouterr().err.splitlines()[0].endswith(expected)


def test_the_early_variables_do_not_reach_errors_of_the_harness(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPYCATCHER_HARNESS_LOCALE", "ja-JP")
    assert main(["replay"]) == 1
    assert "cassette not found" in capsys.readouterr().err


@pytest.mark.parametrize("switch", ["1", " TRUE ", "yes", "On"])
def test_the_switch_gives_typers_own_output(
    switch: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPYCATCHER_HARNESS_DISABLE_LOCALIZATION", switch)
    monkeypatch.setenv("SPYCATCHER_HARNESS_LOCALE", "not_a_locale")
    assert main(["replay", "--nope"]) == 2
    assert capsys.readouterr().err.startswith("error: No such option: --nope\n\nUsage: spycatcher-harness replay [OPTIONS]\n")
    for words in ([], ["replay"], ["verify"], ["config"]):
        assert main([*words, "--help"]) == 0
        out, err = capsys.readouterr()
        assert "Options:" in out and "Show this message and exit." in out and err == ""
        assert "cli-" not in out
    assert main(["--version"]) == 0
    assert capsys.readouterr() == (f"spycatcher-harness {VERSION}\n", "")
    assert main(["nope"]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert main(["replay", "--listen", "localhost:1"]) == 2
    assert "localhost:1" in capsys.readouterr().err
    assert main(["replay", "--cassette-name", "\udcff"]) == 2
    assert capsys.readouterr().err.startswith("error: invalid UTF-8 in argument")
    assert main(["replay", "--locale", "ja-JP"]) == 1
    assert "カセットが見つかりません" in capsys.readouterr().err, "the switch is not about errors of the harness"


@pytest.mark.parametrize("switch", ["", "0", "false", "2"])
def test_other_values_do_not_switch_it_off(switch: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SPYCATCHER_HARNESS_DISABLE_LOCALIZATION", switch)
    assert main(["replay", "--nope"]) == 2
    assert "unknown argument: \u2068--nope\u2069" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["not_a_locale", ""])
def test_an_unusable_early_language_is_passed_over_with_a_warning(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPYCATCHER_HARNESS_LOCALE", value)
    monkeypatch.setenv("SPYCATCHER_HARNESS_FALLBACK_LOCALE", "de-DE")
    assert main(["--help"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("warning: SPYCATCHER_HARNESS_LOCALE = ") and len(err.splitlines()) == 1
    assert "Aufruf: " in out


@pytest.mark.parametrize("field", ["locale", "fallback_locale"])
@pytest.mark.parametrize("value", ["not_a_locale", "", "x"])
def test_a_malformed_identifier_ends_the_start(field: str, value: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", f"--{field.replace('_', '-')}", value]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first == "Error: failed to load merged command config"
    assert second.startswith(f"Caused by: invalid localization field `{field}` value `{value}`: Parser error: ")
    assert list(folder.iterdir()) == []


@pytest.fixture
def broken_catalogues(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("i18n")
    for locale in catalogues.LOCALES:
        (place / locale).mkdir()
        (place / locale / catalogues.CATALOGUE_FILE).write_text("cli-about = {\n", encoding="utf-8")
    monkeypatch.setattr(catalogues, "_PLACES", (place,))
    return place


def test_broken_catalogues_give_typers_own_output_and_a_warning(broken_catalogues: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out, err = capsys.readouterr()
    assert "Show this message and exit." in out
    assert err == "warning: help and parse errors are not localized: catalogue en-US, line 1: not Fluent syntax\n"
    assert main(["nope"]) == 2
    assert "error: Invalid value: no such command 'nope'" in capsys.readouterr().err


def test_broken_catalogues_end_a_start(broken_catalogues: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay"]) == 1
    out, err = capsys.readouterr()
    assert err.splitlines() == [
        "Error: failed to prepare localization",
        "Caused by: catalogue en-US, line 1: not Fluent syntax",
    ]
    assert (out, list(folder.iterdir())) == ("", [])


def test_a_message_that_is_missing_gives_typers_own_output(broken_catalogues: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (broken_catalogues / "en-US" / catalogues.CATALOGUE_FILE).write_text("cli-usage = Usage:\ncli-version = { $typo }\n", encoding="utf-8")
    assert main(["replay", "--help"]) == 0
    assert "Show this message and exit." in capsys.readouterr().out
    assert main(["replay", "--nope"]) == 2
    assert capsys.readouterr().err.startswith("error: No such option: --nope\n")
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"spycatcher-harness {VERSION}\n"


def test_stock_help_says_what_the_english_catalogue_says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The texts that typer shows by itself stand in the code; they are those of the catalogue."""
    monkeypatch.setenv("SPYCATCHER_HARNESS_DISABLE_LOCALIZATION", "1")
    for command in build_app().registered_commands:
        assert command.callback is not None and command.name is not None
        assert (command.callback.__doc__ or "").splitlines()[0] == ENGLISH(f"cli-{command.name}-about")
        for parameter in inspect.signature(command.callback, eval_str=True).parameters.values():
            for option in getattr(parameter.annotation, "__metadata__", ()):
                if getattr(option, "param_decls", None):
                    assert option.help == ENGLISH(f"cli-option-{option.param_decls[0].lstrip('-')}")


@pytest.mark.parametrize("words", [["verify"], ["replay"]])
def test_commands_that_live_longer_look_for_garbage_again(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    gc.disable()
    try:
        assert main(words) == 1
        assert gc.isenabled()
    finally:
        gc.enable()
