"""Values of the options that are checked while the command line is parsed."""

from __future__ import annotations

from pathlib import Path

import pytest

from spycatcher_addon.edge.cli import main
from tests.support.texts import without_marks


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "one"], "invalid value one for number"),
        (["show", "²"], "invalid value ² for number"),
        (["prune", "x", "--output", "y", "--drop", "5-3"], "invalid value 5-3 for --drop"),
        (["convert", "x", "--to", "pdf", "--output", "y"], "invalid value pdf for --to"),
        (["show"], "missing value for number"),
        (["diff", "a"], "missing value for right"),
        (["merge", "a"], "missing value for --output"),
        (["convert", "x", "--output", "y"], "missing value for --to"),
        (["ls", "a", "b"], "unknown argument: b"),
        (["ls", ""], "invalid value"),
        (["show", "0", ""], "invalid value"),
        (["stats", ""], "invalid value"),
        (["scrub", ""], "invalid value"),
        (["scrub", "x", "--output", ""], "invalid value"),
        (["diff", "a", ""], "invalid value"),
        (["merge", "a", "", "--output", "y"], "invalid value"),
        (["merge", "a", "--output", ""], "invalid value"),
        (["convert", "", "--to", "v2", "--output", "y"], "invalid value"),
    ],
)
def test_what_cannot_be_used_is_a_usage_error(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert without_marks(capsys.readouterr().err).startswith(f"error: {message}")
    assert list(tmp_path.iterdir()) == []


def test_the_part_that_is_wrong_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prune", "--output", "y", "--drop", "0,x"]) == 2
    err = without_marks(capsys.readouterr().err)
    assert "expected indexes such as 0,3-5" in err and "'x' is no index" in err


def test_an_empty_path_is_told_to_be_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scrub", ""]) == 2
    assert "expected the path of a file or folder" in without_marks(capsys.readouterr().err)


def test_the_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "x", "--to", "pdf", "--output", "y"]) == 2
    assert "v1, v2, har, wiremock" in without_marks(capsys.readouterr().err)
