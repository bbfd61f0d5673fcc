from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spycatcher_addon.cassette.model import StreamResponse
from spycatcher_addon.edge.tape_lock import TapeLock
from tests.support.tape_commands import Commands
from tests.support.tool_samples import cassette, plain, streamed

SECRET = "sesame-open-1234"


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Commands:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("THE_SECRET", SECRET)
    settings = "".join(f'[cmds.{command}.redaction]\nsecret_env = ["THE_SECRET"]\n' for command in ("replay", "verify"))
    (tmp_path / ".spycatcher_harness.toml").write_text(settings)
    return Commands(tmp_path, capsys)


def test_scrub_rewrites_what_holds_a_secret_and_leaves_the_rest_byte_for_byte(commands: Commands) -> None:
    old = commands.write("in/a", cassette(plain(f"It is {SECRET}"), plain()))
    clean = commands.write("in/sub/b", cassette(streamed()))
    before = clean.read_bytes() + b"\n"
    clean.write_bytes(before)
    code, out = commands.run("scrub", "in")
    assert code == 0
    assert out.splitlines() == [
        "in/a: interaction 0: request.body: env",
        "in/a: replaced or left out 1 value",
        "in/sub/b: nothing to replace",
    ]
    assert SECRET.encode() not in old.read_bytes()
    assert clean.read_bytes() == before
    assert commands.run("verify", "--cassette-dir", "in", "--cassette-name", "a")[0] == 0
    assert sorted(os.listdir(commands.folder / "in")) == ["a", "sub"]


def test_check_writes_nothing_and_says_so_by_its_exit_code(commands: Commands) -> None:
    path = commands.write("a", cassette(plain(f"It is {SECRET}")))
    before = path.read_bytes()
    code, out = commands.run("scrub", "a", "--check")
    assert (code, out.splitlines()[-1]) == (1, "a: would replace or leave out 1 value")
    assert path.read_bytes() == before
    commands.run("scrub", "a")
    assert commands.run("scrub", "a", "--check")[0] == 0


def test_the_secret_is_never_shown(commands: Commands) -> None:
    commands.write("a", cassette(plain(f"It is {SECRET}")))
    shown = commands.json("scrub", "a", "--check")
    assert shown["cassettes"][0]["replaced"] == [{"interaction": 0, "place": "request.body", "rule": "env", "count": 1}]
    assert SECRET not in repr(shown) + commands.err


def test_output_leaves_the_old_file(commands: Commands) -> None:
    path = commands.write("a", cassette(plain(f"It is {SECRET}")))
    before = path.read_bytes()
    assert commands.run("scrub", "a", "--output", "b")[0] == 0
    assert path.read_bytes() == before
    assert SECRET.encode() not in (commands.folder / "b").read_bytes()
    assert commands.run("scrub", "a", "--output", "b")[0] == 1
    assert "exists already" in commands.err
    assert commands.run("scrub", "a", "--output", "a", "--force")[0] == 1


@pytest.mark.parametrize("more", [["--check", "--output", "b"], ["other", "--output", "b"]])
def test_output_needs_one_cassette_and_a_change(commands: Commands, more: list[str]) -> None:
    commands.write("a", cassette(plain()))
    assert commands.run("scrub", "a", *more)[0] == 2
    assert not (commands.folder / "b").exists()


def test_a_tape_in_use_is_left_alone_and_the_others_are_done(commands: Commands) -> None:
    busy = commands.write("in/busy", cassette(plain(f"It is {SECRET}")))
    free = commands.write("in/free", cassette(plain(f"It is {SECRET}")))
    before = busy.read_bytes()
    lock = TapeLock.acquire(str(busy))
    try:
        assert commands.run("scrub", "in")[0] == 1
    finally:
        lock.release()
    assert "in use" in commands.err
    assert busy.read_bytes() == before
    assert SECRET.encode() not in free.read_bytes()


def test_a_damaged_tape_is_named_and_left_alone(commands: Commands) -> None:
    path = commands.write("a", cassette(plain(f"It is {SECRET}")))
    path.write_bytes(path.read_bytes()[:-20])
    before = path.read_bytes()
    assert commands.run("scrub", "a")[0] == 1
    assert "a:" in commands.err
    assert path.read_bytes() == before


def test_the_configured_cassette_is_the_one_without_a_path(commands: Commands) -> None:
    commands.write("fixtures/llm/default", cassette(plain()))
    assert commands.run("scrub") == (0, "fixtures/llm/default: nothing to replace\n")


def test_permissions_and_links_stay(commands: Commands) -> None:
    path = commands.write("real", cassette(plain(f"It is {SECRET}")))
    path.chmod(0o640)
    (commands.folder / "link").symlink_to("real")
    assert commands.run("scrub", "link")[0] == 0
    assert (commands.folder / "link").is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert SECRET.encode() not in path.read_bytes()


def edited(path: Path, change: Callable[[Any], object]) -> None:
    """Change a cassette as a person does in an editor."""
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document, indent=2))


@pytest.mark.parametrize("part", ["request.path", "request.method", "metadata.protocol_id", "metadata.upstream_id", "metadata.note"])
@pytest.mark.parametrize("option", [[], ["--check"], ["--output", "b"]], ids=["in place", "check", "output"])
def test_what_it_cannot_replace_is_named_and_fails(commands: Commands, part: str, option: list[str]) -> None:
    path = commands.write("a", cassette(plain(), plain("Bye?")))
    outer, inner = part.split(".")
    edited(path, lambda document: document["interactions"][1][outer].update({inner: f"/{SECRET}"}))
    before = path.read_bytes()
    assert commands.run("scrub", "a", *option) == (1, "")
    assert f"error: a: interaction 1: {part}: env: " in commands.err
    assert SECRET not in commands.err
    assert path.read_bytes() == before
    assert commands.run("verify", "a")[0] == 1, "the two agree"


def test_what_it_can_replace_is_replaced_all_the_same(commands: Commands) -> None:
    path = commands.write("in/a", cassette(plain(f"It is {SECRET}")))
    commands.write("in/b", cassette(plain(f"It is {SECRET}")))
    edited(path, lambda document: document["interactions"][0]["metadata"].update({"upstream_id": SECRET}))
    code, out = commands.run("scrub", "in")
    assert code == 1
    assert out.splitlines() == [
        "in/a: interaction 0: request.body: env",
        "in/a: replaced or left out 1 value",
        "in/b: interaction 0: request.body: env",
        "in/b: replaced or left out 1 value",
    ]
    assert "error: in/a: interaction 0: metadata.upstream_id: env: " in commands.err
    assert path.read_bytes().count(SECRET.encode()) == 1


def test_what_it_cannot_replace_for_programs(commands: Commands) -> None:
    path = commands.write("a", cassette(plain()))
    edited(path, lambda document: document.update({"note": SECRET, SECRET: 1}))
    shown = commands.json("scrub", "a")["cassettes"][0]
    assert shown["changed"] is False
    assert shown["left"] == [
        {"interaction": None, "place": "note", "rule": "env"},
        {"interaction": None, "place": "[redacted:env:1]", "rule": "env"},
    ]
    commands.write("b", cassette(plain()))
    assert commands.json("scrub", "b")["cassettes"][0]["left"] == []


def test_a_stream_whose_coding_is_unknown_is_not_left_in_silence(commands: Commands) -> None:
    response = StreamResponse(200, (("content-type", "text/event-stream"), ("content-encoding", "x-own")), (), f"x {SECRET}".encode(), None)
    path = commands.write("a", cassette(replace(streamed(), response=response)))
    before = path.read_bytes()
    assert commands.run("scrub", "a") == (1, "")
    assert "error: a: interaction 0: response.raw_transcript: env: " in commands.err
    assert SECRET not in commands.err
    assert path.read_bytes() == before
