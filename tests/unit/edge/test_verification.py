"""The command ``verify``: what it prints, how it exits, what it leaves alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.config import HarnessConfig, MatchingConfig, Mode
from spycatcher_addon.edge.catalogues import LOCALES
from spycatcher_addon.edge.cli_language import configured_texts
from spycatcher_addon.edge.tape_lock import Note, NoteState, encode_note, lock_path
from spycatcher_addon.edge.verification import VerificationError, finding_line, verify
from spycatcher_addon.verifying import Finding
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
