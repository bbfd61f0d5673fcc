from __future__ import annotations

import json
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import Hashing
from tests.support.tape_commands import Commands
from tests.support.tool_samples import cassette, plain, streamed


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Commands:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return Commands(tmp_path, capsys)


def test_convert_to_version_1_and_back(commands: Commands) -> None:
    commands.write("new", cassette(plain(), streamed()))
    code, out = commands.run("convert", "new", "--to", "v1", "--output", "old")
    assert (code, out) == (0, "wrote 2 interactions to old\n")
    assert commands.err.startswith("warning: lost: how the bytes of 1 stream were cut into chunks")
    assert commands.read("old").format_version == 1
    assert commands.run("convert", "old", "--to", "v2", "--output", "again") == (0, "wrote 2 interactions to again\n")
    assert commands.err == ""
    again = commands.read("again")
    assert (again.format_version, [each.request for each in again.interactions]) == (2, [plain().request, streamed().request])


def test_convert_from_version_1_under_ignore_paths(commands: Commands) -> None:
    commands.write("new", cassette(plain(user="u1")))
    commands.run("convert", "new", "--to", "v1", "--output", "old")
    commands.run("convert", "old", "--to", "v2", "--output", "again", "--ignore-path", "user")
    again = commands.read("again")
    assert again.hashing == Hashing(("/user",))
    assert again.interactions[0].request.stable_hash != plain(user="u1").request.stable_hash


def test_convert_to_an_archive_and_back(commands: Commands) -> None:
    commands.write("tape", cassette(plain()))
    assert commands.json("convert", "tape", "--to", "har", "--output", "x.har") == {
        "output": "x.har",
        "interactions": 1,
        "losses": [{"kind": "hashes", "count": 1}, {"kind": "hosts", "count": 1}],
        "secrets": 0,
    }
    assert commands.run("convert", "x.har", "--to", "v2", "--output", "back")[0] == 0
    assert "run `spycatcher-harness verify`" in commands.err
    assert commands.read("back").interactions[0].request == plain().request


def test_convert_to_wiremock(commands: Commands) -> None:
    commands.write("tape", cassette(plain()))
    assert commands.run("convert", "tape", "--to", "wiremock", "--output", "stubs.json")[0] == 0
    assert len(json.loads((commands.folder / "stubs.json").read_bytes())["mappings"]) == 1


def test_convert_a_folder_keeps_its_tree_and_goes_on_after_a_failure(commands: Commands) -> None:
    commands.write("in/a", cassette(plain()))
    commands.write("in/sub/b", cassette(plain(), plain()))
    (commands.folder / "in" / "README").write_text("no cassette")
    (commands.folder / "in" / "broken").write_text('{"format_version": 2, ')
    code, out = commands.run("convert", "in", "--to", "v1", "--output", "out")
    assert code == 1
    assert out.splitlines() == ["wrote 1 interaction to out/a", "wrote 2 interactions to out/sub/b"]
    assert "passed over 1 file that is no cassette" in commands.err
    assert "in/broken" in commands.err
    assert [commands.read(name).format_version for name in ("out/a", "out/sub/b")] == [1, 1]
    assert not (commands.folder / "out" / "broken").exists()


def test_convert_a_folder_for_programs(commands: Commands) -> None:
    commands.write("in/a", cassette(plain()))
    commands.write("out/a", cassette())
    shown = commands.json("convert", "in", "--to", "har", "--output", "out")
    assert [(each["source"], each["output"], each["interactions"]) for each in shown["files"]] == [("in/a", "out/a", None)]
    assert shown["files"][0]["error"].startswith("out/a exists already")


def test_convert_a_folder_without_cassettes(commands: Commands) -> None:
    (commands.folder / "in").mkdir()
    assert commands.run("convert", "in", "--to", "v2", "--output", "out")[0] == 1
    assert "there is no cassette in in" in commands.err
    assert not (commands.folder / "out").exists()


SECRET = "sesame-open-1234"


@pytest.fixture
def with_rules(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Commands under rules that know a secret."""
    monkeypatch.setenv("THE_SECRET", SECRET)
    (commands.folder / ".spycatcher_harness.toml").write_text('[cmds.replay.redaction]\nsecret_env = ["THE_SECRET"]\n')
    return commands


@pytest.mark.parametrize("target", ["v1", "v2", "har", "wiremock"])
def test_secrets_that_go_over_are_told(with_rules: Commands, target: str) -> None:
    with_rules.write("tape", cassette(plain(f"It is {SECRET}"), plain(), plain("Hi?", f"It is {SECRET}")))
    assert with_rules.run("convert", "tape", "--to", target, "--output", "new")[0] == 0
    assert "warning: new: 2 interactions hold what the redaction rules take out" in with_rules.err
    assert "`spycatcher-harness scrub`" in with_rules.err
    assert SECRET not in with_rules.err
    assert SECRET.encode() in (with_rules.folder / "new").read_bytes() or target == "v1"
    assert with_rules.json("convert", "tape", "--to", target, "--output", "new", "--force")["secrets"] == 2
    assert "warning: new: 2 interactions" in with_rules.err
    assert with_rules.run("scrub", "tape")[0] == 0
    assert with_rules.json("convert", "tape", "--to", target, "--output", "new", "--force")["secrets"] == 0
    assert "interaction" not in with_rules.err


def test_secrets_of_a_folder_are_told_file_by_file(with_rules: Commands) -> None:
    with_rules.write("in/a", cassette(plain(f"It is {SECRET}")))
    with_rules.write("in/b", cassette(plain()))
    assert with_rules.run("convert", "in", "--to", "v2", "--output", "out")[0] == 0
    assert with_rules.err.count("hold") == 1 and "warning: out/a: 1 interaction holds" in with_rules.err
    shown = with_rules.json("convert", "in", "--to", "v1", "--output", "old")
    assert [each["secrets"] for each in shown["files"]] == [1, 0]


def test_what_comes_from_other_tools_has_been_through_the_rules(with_rules: Commands) -> None:
    with_rules.write("tape", cassette(plain(f"It is {SECRET}")))
    with_rules.run("convert", "tape", "--to", "har", "--output", "x.har")
    shown = with_rules.json("convert", "x.har", "--to", "v2", "--output", "new")
    assert (shown["secrets"], {"kind": "secrets", "count": 1} in shown["losses"]) == (0, True)
