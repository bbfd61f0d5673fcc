from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import Cassette, Hashing
from spycatcher_addon.mismatch_report import ReplaySummary, encode_record
from tests.support.tape_commands import Commands
from tests.support.tool_samples import cassette, plain, streamed


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Commands:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return Commands(tmp_path, capsys)


def test_merge(commands: Commands) -> None:
    inputs = [commands.write("a", cassette(plain("a"))), commands.write("b", cassette(plain("b"), streamed()))]
    before = [path.read_bytes() for path in inputs]
    assert commands.run("merge", "a", "b", "--output", "all") == (0, "wrote 3 interactions to all\n")
    assert commands.read("all").interactions == (plain("a"), plain("b"), streamed())
    assert [path.read_bytes() for path in inputs] == before
    assert commands.run("merge", "a", "--output", "all") == (1, "")
    assert "all exists already" in commands.err
    assert commands.json("merge", "a", "--output", "all", "--force") == {"output": "all", "interactions": 1, "losses": [], "secrets": 0}
    assert commands.run("merge", "a", "b", "--output", "b", "--force")[0] == 1
    assert inputs[1].read_bytes() == before[1]


def test_merge_under_ignore_paths_that_do_not_fit(commands: Commands) -> None:
    commands.write("a", Cassette(2, (plain(),), Hashing(("/messages/x",))))
    commands.write("b", cassette(plain()))
    assert commands.run("merge", "a", "b", "--output", "all")[0] == 1
    assert commands.err.startswith("Error: invalid JSON Pointer path") and not (commands.folder / "all").exists()


def test_prune(commands: Commands) -> None:
    path = commands.write("a", cassette(plain("a"), plain("b"), plain("c"), plain("d")))
    before = path.read_bytes()
    assert commands.run("prune", "a", "--drop", "0,2-3", "--output", "less") == (0, "wrote 1 interaction to less\n")
    assert commands.read("less").interactions == (plain("b"),)
    assert path.read_bytes() == before
    assert commands.run("prune", "a", "--drop", "4", "--output", "none")[0] == 1
    assert "there is no interaction 4" in commands.err
    assert not (commands.folder / "none").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("ls", "broken"),
        ("show", "0", "broken"),
        ("stats", "broken"),
        ("stats", "good", "--prices", "nope.toml"),
        ("merge", "broken", "--output", "out"),
        ("prune", "broken", "--drop", "0", "--output", "out"),
        ("convert", "broken", "--to", "har", "--output", "out"),
        ("convert", "good", "--to", "v2", "--output", "out", "--config", "nope.toml"),
    ],
)
def test_what_cannot_be_read_is_1(commands: Commands, words: tuple[str, ...]) -> None:
    commands.write("good", cassette(plain()))
    (commands.folder / "broken").write_bytes(b'{"format_version": 2')
    assert commands.run(*words) == (1, "")
    assert commands.err.startswith("Error: ") and "Traceback" not in commands.err
    assert not (commands.folder / "out").exists()


def report_of(tape: Cassette, unused: tuple[int, ...]) -> bytes:
    listed = tuple((index, tape.interactions[index].request.stable_hash or "") for index in unused)
    return encode_record(ReplaySummary("2026-01-02T03:04:05Z", "a", len(tape.interactions), 0, 0, 0, listed)).encode()


def test_prune_by_reports_drops_what_no_run_asked_for(commands: Commands) -> None:
    tape = cassette(plain("1"), plain("2"), plain("3"), plain("4"))
    commands.write("a", tape)
    (commands.folder / "one").write_bytes(report_of(tape, (0, 2, 3)))
    (commands.folder / "other").write_bytes(report_of(tape, (1, 2, 3)))
    assert commands.run("prune", "a", "--report", "one", "--report", "other", "--output", "less") == (0, "wrote 2 interactions to less\n")
    assert commands.read("less").interactions == tape.interactions[:2]
    assert commands.run("prune", "a", "--report", "one", "--drop", "1", "--output", "none") == (0, "wrote 0 interactions to none\n")


def test_prune_by_a_report_of_another_cassette_is_refused(commands: Commands) -> None:
    tape = cassette(plain("1"), plain("2"))
    commands.write("a", cassette(plain("1"), plain("changed")))
    commands.write("short", cassette(plain("1")))
    (commands.folder / "report").write_bytes(report_of(tape, (1,)))
    for name in ("a", "short"):
        assert commands.run("prune", name, "--report", "report", "--output", "less")[0] == 1
        assert f"report is the report of another cassette, or {name} was changed since (interaction 1)" in commands.err
    assert not (commands.folder / "less").exists()


def test_prune_by_what_is_no_report(commands: Commands) -> None:
    commands.write("a", cassette(plain()))
    assert commands.run("prune", "a", "--report", "a", "--output", "less")[0] == 1
    assert "a does not say which interactions were used: line 1 is no record" in commands.err
    assert commands.run("prune", "a", "--report", "nope", "--output", "less")[0] == 1
    assert "cannot read nope" in commands.err


def test_prune_of_nothing_named_is_2(commands: Commands) -> None:
    commands.write("a", cassette(plain()))
    assert commands.run("prune", "a", "--output", "less")[0] == 2
    assert "nothing says what to leave out" in commands.err


@pytest.mark.parametrize("words", [["merge", "a", "b"], ["prune", "a", "--drop", "1"]], ids=["merge", "prune"])
def test_secrets_that_go_over_are_told(commands: Commands, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setenv("THE_SECRET", "sesame-open-1234")
    (commands.folder / ".spycatcher_harness.toml").write_text('[cmds.replay.redaction]\nsecret_env = ["THE_SECRET"]\n')
    commands.write("a", cassette(plain("It is sesame-open-1234"), plain()))
    commands.write("b", cassette(plain()))
    assert commands.run(*words, "--output", "new")[0] == 0
    assert "warning: new: 1 interaction holds what the redaction rules take out" in commands.err
    assert "sesame" not in commands.err
    assert commands.json(*words, "--output", "new", "--force")["secrets"] == 1


def test_a_variable_that_only_one_of_the_tapes_names_counts(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITS_KEY", "sesame-open-1234")
    commands.write("a", Cassette(2, (plain("It is sesame-open-1234"),), Hashing(redaction_rules=("env.ITS_KEY",))))
    commands.write("b", cassette(plain()))
    assert commands.json("merge", "a", "b", "--output", "new")["secrets"] == 1


@pytest.mark.parametrize(
    "words", [["merge", "a", "b", "--output", "new"], ["stats", "a", "b"], ["scrub", "a", "b"]], ids=lambda words: words[0]
)
def test_long_work_shows_how_far_it_is(commands: Commands, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    shown: list[tuple[str, int]] = []

    def bar[T](items: Sequence[T], label: str) -> Iterator[T]:
        shown.append((label, len(items)))
        return iter(items)

    monkeypatch.setattr("spycatcher_addon.edge.progress.progress", bar)
    commands.write("a", cassette(plain()))
    commands.write("b", cassette(plain()))
    assert commands.run(*words)[0] == 0
    assert set(shown) == {(words[0], 2)}
