"""Which cassettes are checked, in which order, and what becomes of paths that lead to none."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.config import HarnessConfig, MatchingConfig, Mode
from spycatcher_addon.edge.tape_checking import CheckedTape, check_tapes
from spycatcher_addon.errors import CassetteNotFoundError, HarnessIOError, InvalidCassetteError
from spycatcher_addon.verifying.findings import finding
from spycatcher_addon.verifying.report import Outcome
from tests.support.tape_samples import HASHING, sample_interaction

GOOD = encode_cassette(Cassette(2, (sample_interaction(0), sample_interaction(1)), HASHING))


@pytest.fixture
def config(tmp_path: Path) -> HarnessConfig:
    return HarnessConfig(
        mode=Mode.VERIFY, cassette_dir=str(tmp_path), cassette_name="tape", matching=MatchingConfig(ignore_paths=("/metadata",))
    )


def write(path: Path, data: bytes = GOOD) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def check(config: HarnessConfig, *paths: str) -> list[tuple[str, Outcome]]:
    return [(each.path, each.outcome(False)) for each in check_tapes(config, {}, paths)[0]]


def test_the_configured_cassette_without_paths(config: HarnessConfig, tmp_path: Path) -> None:
    path = write(tmp_path / "tape")
    assert check_tapes(config, {}, ()) == ([CheckedTape(path, interactions=2)], 0)


def test_a_configured_path_that_is_a_folder_is_no_cassette(config: HarnessConfig, tmp_path: Path) -> None:
    write(tmp_path / "tape" / "inner")
    (only,) = check_tapes(config, {}, ())[0]
    assert isinstance(only.error, HarnessIOError)


def test_folders_are_searched_and_files_are_taken_as_given(config: HarnessConfig, tmp_path: Path) -> None:
    others = {"b/notes.md": b"# notes", "b/plan.json": b'{"format_version": "1.2"}', "b/.hidden": GOOD, "b/two.lock": b"x"}
    for name, data in others.items():
        write(tmp_path / name, data)
    first = [write(tmp_path / "b" / name) for name in ("one", "two")]
    below = write(tmp_path / "b" / "deeper" / "three")
    alone = write(tmp_path / "a", GOOD[:-4])
    checked, passed_over = check_tapes(config, {}, [str(tmp_path / "b"), alone, first[0]])
    assert [each.path for each in checked] == [*first, below, alone], "each once"
    assert [each.outcome(False) for each in checked] == [Outcome.CLEAN, Outcome.CLEAN, Outcome.CLEAN, Outcome.UNREADABLE]
    assert passed_over == 2


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"", None),
        (b"\0" * 300, 1),
        (GOOD[:200], GOOD[:200].count(b"\n") + 1),
        (b"<<<<<<< ours\n" + GOOD, 1),
        (b'{"format_version": 2, "interactions": ' + b"[" * 100_000, None),
        (GOOD.replace(b'"POST"', b"7"), None),
    ],
    ids=["empty", "zeros", "cut", "conflict", "deep", "type"],
)
def test_what_is_left_of_a_cassette_is_not_passed_over(config: HarnessConfig, tmp_path: Path, data: bytes, line: int | None) -> None:
    path = write(tmp_path / "folder" / "damaged.json", data)
    (only,) = check_tapes(config, {}, [str(tmp_path / "folder")])[0]
    assert (only.path, only.outcome(False)) == (path, Outcome.UNREADABLE)
    assert isinstance(only.error, InvalidCassetteError)
    assert path in only.error.message
    assert line is None or only.line == line


def test_loops_and_pipes_do_no_harm(config: HarnessConfig, tmp_path: Path) -> None:
    path = write(tmp_path / "folder" / "one")
    (tmp_path / "folder" / "loop").symlink_to(tmp_path / "folder")
    os.mkfifo(tmp_path / "folder" / "pipe")
    assert check(config, str(tmp_path / "folder")) == [(path, Outcome.CLEAN)]
    (only,) = check_tapes(config, {}, [str(tmp_path / "folder" / "pipe")])[0]
    assert isinstance(only.error, HarnessIOError), "and nobody waits for its other end"


def test_a_path_that_leads_nowhere_cannot_be_read(config: HarnessConfig, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty" / "README", b"nothing here")
    checked, passed_over = check_tapes(config, {}, [str(tmp_path / "nope"), str(tmp_path / "empty"), write(tmp_path / "good")])
    nope, empty, good = checked
    assert isinstance(nope.error, CassetteNotFoundError)
    assert isinstance(empty.error, HarnessIOError)
    assert "no cassette in the folder" in empty.error.source and ": 1)" in empty.error.source
    assert (good.error, passed_over) == (None, 1)


def test_values_of_variables_are_looked_for(config: HarnessConfig, tmp_path: Path) -> None:
    secret = "fake value of a variable"
    good = sample_interaction(0)
    leaky = replace(good, response=replace(good.response, body=secret.encode()))
    path = write(tmp_path / "tape", encode_cassette(Cassette(2, (leaky,), HASHING)))
    with_secret = config.model_copy(update={"redaction": config.redaction.model_copy(update={"secret_env": ("FAKE_VALUE",)})})
    assert check_tapes(with_secret, {}, [path])[0][0].findings == ()
    (found,) = check_tapes(with_secret, {"FAKE_VALUE": secret}, [path])[0][0].findings
    assert (found.rule, found.field, dict(found.arguments)["rule"]) == ("secret", "response.body", "env")


def test_warnings_count_when_they_should() -> None:
    warned = CheckedTape("t", (finding("duplicate"),))
    unfinished = CheckedTape("t", warnings=("unfinished",))
    assert {each.outcome(False) for each in (warned, unfinished)} == {Outcome.CLEAN}
    assert {each.outcome(True) for each in (warned, unfinished)} == {Outcome.FINDINGS}
    assert CheckedTape("t", (finding("secret"),)).outcome(False) is Outcome.FINDINGS
    assert CheckedTape("t", error=CassetteNotFoundError("t")).outcome(False) is Outcome.UNREADABLE
