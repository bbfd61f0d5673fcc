"""The command ``verify``: what it prints, how it exits, what it leaves alone."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.choices import VerifyFormat
from spycatcher_addon.config import HarnessConfig, MatchingConfig, Mode
from spycatcher_addon.edge.catalogues import LOCALES
from spycatcher_addon.edge.cli_language import configured_texts
from spycatcher_addon.edge.tape_note import Note, NoteState, encode_note, lock_path
from spycatcher_addon.edge.verification import VerificationError, VerifyRequest, finding_line, verify
from spycatcher_addon.verifying.findings import Finding
from tests.support.tape_samples import HASHING, sample_interaction
from tests.support.texts import ENGLISH, without_marks


@pytest.fixture
def config(tmp_path: Path) -> HarnessConfig:
    return HarnessConfig(
        mode=Mode.VERIFY, cassette_dir=str(tmp_path), cassette_name="tape", matching=MatchingConfig(ignore_paths=("/metadata",))
    )


def write(config: HarnessConfig, *interactions: Interaction, hashing: Hashing = HASHING) -> Path:
    path = Path(config.cassette_path)
    path.write_bytes(encode_cassette(Cassette(2, interactions, hashing)))
    return path


def broken(number: int) -> Interaction:
    good = sample_interaction(number)
    return replace(good, metadata=replace(good.metadata, recorded_at="yesterday"))


def test_a_clean_cassette(config: HarnessConfig, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(config, sample_interaction(0), sample_interaction(1))
    before = (path.read_bytes(), sorted(path.parent.iterdir()))
    assert verify(config, ENGLISH) == 0
    out, err = capsys.readouterr()
    assert (without_marks(out), err) == (f"{path}: 2 interactions checked, nothing found\n", "")
    assert (path.read_bytes(), sorted(path.parent.iterdir())) == before, "nothing is changed, nothing is made"


def test_problems(config: HarnessConfig, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(config, sample_interaction(0), broken(1), broken(2))
    assert verify(config, ENGLISH) == 1
    out, err = capsys.readouterr()
    expected = "metadata.recorded_at is yesterday; expected a UTC time such as 2026-01-31T12:00:00.000000Z"
    assert without_marks(out).splitlines() == [f"{path}: interaction 1: {expected}", f"{path}: interaction 2: {expected}"]
    assert without_marks(err) == "2 problems found\n"


def test_warnings_do_not_fail(config: HarnessConfig, capsys: pytest.CaptureFixture[str]) -> None:
    good = sample_interaction(0)
    response = replace(good.response, headers=(("connection", "close"),))
    path = write(config, replace(good, response=response))
    assert verify(config, ENGLISH) == 0
    assert without_marks(capsys.readouterr().out).splitlines() == [
        f"{path}: interaction 0: warning: the response header connection cannot be sent and is left out of replays",
        f"{path}: 1 warning, no problems",
    ]


def test_ignore_paths_are_compared_however_they_are_spelled(config: HarnessConfig) -> None:
    write(config, sample_interaction(0))
    assert verify(config.model_copy(update={"matching": MatchingConfig(ignore_paths=("canonical_body.metadata",))}), ENGLISH) == 0
    assert verify(config.model_copy(update={"matching": MatchingConfig()}), ENGLISH) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cassette not found: tape"),
        (b"", "invalid cassette: "),
        (b'{"format_version": 9, "interactions": []}', "unsupported cassette format version 9"),
    ],
)
def test_a_cassette_that_cannot_be_read(config: HarnessConfig, content: bytes | None, message: str) -> None:
    if content is not None:
        Path(config.cassette_path).write_bytes(content)
    with pytest.raises(VerificationError) as caught:
        verify(config, ENGLISH)
    text = without_marks(str(caught.value))
    assert text.startswith(f"failed to verify cassette: {message}")
    assert text.endswith(f"This file does not exist: {config.cassette_path}") is (content is None)


@pytest.mark.parametrize("name", ["", "../tape", "/tape", "tape/"])
def test_a_name_that_cannot_be_used(config: HarnessConfig, name: str) -> None:
    with pytest.raises(VerificationError, match="invalid configuration: "):
        verify(config.model_copy(update={"cassette_name": name}), ENGLISH)


def test_a_torn_cassette_is_read_up_to_the_tear_with_a_warning(config: HarnessConfig, capsys: pytest.CaptureFixture[str]) -> None:
    good, new = (encode_cassette(Cassette(2, tuple(map(sample_interaction, range(count))), HASHING)) for count in (1, 2))
    path = Path(config.cassette_path)
    path.write_bytes(new[: len(good) + 30])
    note = Note(NoteState.APPENDING, len(good), len(new), is_empty=False, pid=1)
    Path(lock_path(str(path))).write_bytes(encode_note(note))
    assert verify(config, ENGLISH) == 0
    out, err = capsys.readouterr()
    assert without_marks(out) == f"{path}: 1 interaction checked, nothing found\n"
    assert err.startswith("warning: ") and "unfinished" in err


@pytest.mark.parametrize("locale", LOCALES)
def test_a_finding_is_one_line_whatever_is_in_it(locale: str) -> None:
    texts = configured_texts(HarnessConfig(localization={"locale": locale}).localization)  # type: ignore[arg-type]
    finding = Finding("verify-recorded-at", (("value", "a\nb\u2028c\x1b[31m"),), interaction=3)
    line = finding_line(texts, finding)
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line
    assert " 3: " in line


# --- paths, formats, warnings that count ----------------------------------------------------------------------------------


REPORTS = [form for form in VerifyFormat if form is not VerifyFormat.TEXT]


def damaged(path: Path) -> Path:
    path.write_bytes(b'{\n  "format_version": 2,\n  oops')
    return path


def warned(number: int) -> Interaction:
    good = sample_interaction(number)
    return replace(good, response=replace(good.response, headers=(("connection", "close"),)))


def test_several_cassettes_are_named_one_by_one_and_summed_up(
    config: HarnessConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    bad = write(config, broken(0)).rename(folder / "a-bad")
    good = write(config, sample_interaction(0)).rename(folder / "b-good")
    torn = damaged(folder / "c-torn")
    (folder / "README").write_text("no cassette")
    assert verify(config, ENGLISH, {}, VerifyRequest((str(folder),))) == 1
    out, err = map(without_marks, capsys.readouterr())
    assert out.splitlines()[1:] == [
        f"{good}: 1 interaction checked, nothing found",
        f"{torn}: cannot be read",
        "cassettes: 3; clean: 1; with problems: 1; unreadable: 1; other files: 1",
    ]
    assert out.startswith(f"{bad}: interaction 0: metadata.recorded_at is yesterday; ")
    assert err.splitlines()[0].startswith(f"Error: failed to verify cassette: invalid cassette: {torn}: ")
    assert err.splitlines()[1:] == ["1 problem found", "1 cassette cannot be read"]


def test_one_cassette_given_by_its_path_is_told_of_like_the_configured_one(
    config: HarnessConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(config, warned(0))
    printed = []
    for request in (VerifyRequest(), VerifyRequest((str(path),))):
        assert verify(config, ENGLISH, {}, request) == 0
        printed.append(capsys.readouterr())
    assert printed[0] == printed[1]


@pytest.mark.parametrize("form", VerifyFormat)
def test_warnings_count_when_they_should(config: HarnessConfig, form: VerifyFormat, capsys: pytest.CaptureFixture[str]) -> None:
    write(config, warned(0))
    assert verify(config, ENGLISH, {}, VerifyRequest((), form)) == 0
    assert capsys.readouterr().err == ""
    assert verify(config, ENGLISH, {}, VerifyRequest((), form, is_strict=True)) == 1
    out, err = map(without_marks, capsys.readouterr())
    assert err == "1 problem found\n"
    assert "no problems" not in out


@pytest.mark.parametrize("form", REPORTS)
def test_a_report_stands_alone_on_standard_output(config: HarnessConfig, form: VerifyFormat, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(config, sample_interaction(0), broken(1))
    texts = configured_texts(HarnessConfig(localization={"locale": "ja-JP"}).localization)  # type: ignore[arg-type]
    assert verify(config, texts, {}, VerifyRequest((), form)) == 1
    out, err = capsys.readouterr()
    message = "metadata.recorded_at is yesterday; expected a UTC time such as 2026-01-31T12:00:00.000000Z"
    assert message in out, "in English, without isolation marks"
    assert "問題" in err, "while what is for people is not"
    match form:
        case VerifyFormat.JSON:
            (finding,) = json.loads(out)["tapes"][0]["findings"]
            line = path.read_text().splitlines()[finding["line"] - 1]
            assert line.strip() == '"recorded_at": "yesterday",'
        case VerifyFormat.GITHUB:
            assert out.startswith("::error file=") and out.count("\n") == 1
        case VerifyFormat.JUNIT:
            assert ElementTree.fromstring(out).get("failures") == "1"
        case VerifyFormat.SARIF:
            assert [result["ruleId"] for result in json.loads(out)["runs"][0]["results"]] == ["recorded-at"]


@pytest.mark.parametrize("form", REPORTS)
def test_what_cannot_be_read_is_in_the_report(config: HarnessConfig, form: VerifyFormat, capsys: pytest.CaptureFixture[str]) -> None:
    damaged(Path(config.cassette_path))
    assert verify(config, ENGLISH, {}, VerifyRequest((), form)) == 1
    out, err = capsys.readouterr()
    assert "line 3 column" in out
    assert without_marks(err) == "1 cassette cannot be read\n"
    if form is VerifyFormat.JSON:
        report = json.loads(out)
        assert (report["outcome"], report["tapes"][0]["outcome"], report["tapes"][0]["findings"][0]["line"]) == ("unreadable",) * 2 + (3,)


def test_an_unfinished_append_is_a_warning_of_the_report(config: HarnessConfig, capsys: pytest.CaptureFixture[str]) -> None:
    good, new = (encode_cassette(Cassette(2, tuple(map(sample_interaction, range(count))), HASHING)) for count in (1, 2))
    path = Path(config.cassette_path)
    path.write_bytes(new[: len(good) + 30])
    Path(lock_path(str(path))).write_bytes(encode_note(Note(NoteState.APPENDING, len(good), len(new), is_empty=False, pid=1)))
    assert verify(config, ENGLISH, {}, VerifyRequest((), VerifyFormat.JSON)) == 0
    (tape,) = json.loads(capsys.readouterr().out)["tapes"]
    assert (tape["interactions"], [each["rule"] for each in tape["findings"]]) == (1, ["unfinished"])


def test_annotations_name_files_as_seen_from_the_working_directory(
    config: HarnessConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(config, broken(0))
    inside, outside = tmp_path, tmp_path / "elsewhere"
    outside.mkdir()
    for folder, file in ((inside, "tape"), (outside, f"{tmp_path}/tape")):
        monkeypatch.chdir(folder)
        verify(config, ENGLISH, {}, VerifyRequest((), VerifyFormat.GITHUB))
        assert capsys.readouterr().out.startswith(f"::error file={file},line=")


def test_a_file_name_stays_on_its_line(config: HarnessConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that somebody else chose forges no line, and no command for whoever reads the log."""
    names = ("a\n::error::forged", "b\x1b[31m")
    good = write(config, sample_interaction(0)).read_bytes()
    for name, data in zip(names, (good, b"{"), strict=True):
        (tmp_path / name).write_bytes(data)
    verify(config, ENGLISH, {}, VerifyRequest(tuple(str(tmp_path / name) for name in names)))
    lines = without_marks(capsys.readouterr().out).splitlines()
    assert lines[0].startswith(f"{tmp_path}/a\\n::error::forged: 1 interaction checked")
    assert lines[1] == f"{tmp_path}/b\\x1b[31m: cannot be read"
