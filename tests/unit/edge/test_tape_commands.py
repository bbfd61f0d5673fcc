"""The commands over cassettes: what they print, how they exit, what they leave alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spycatcher_addon.cassette.model import Cassette, FailureKind, Hashing, NonStreamResponse
from spycatcher_addon.cassette.schema import encode_cassette, parse_cassette
from spycatcher_addon.edge import tape_view
from spycatcher_addon.edge.cli import main
from tests.support.texts import without_marks
from tests.support.tool_samples import TOOL_CALL, cassette, plain, streamed


class Commands:
    """Runs commands in an empty folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.err = ""

    def write(self, name: str, tape: Cassette) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_cassette(tape))
        return path

    def read(self, name: str) -> Cassette:
        return parse_cassette((self.folder / name).read_bytes(), name)

    def run(self, *words: str) -> tuple[int, str]:
        code = main(words)
        captured = self._capsys.readouterr()
        self.err = without_marks(captured.err)
        return code, without_marks(captured.out)

    def json(self, *words: str) -> Any:
        _, out = self.run(*words, "--json")
        return json.loads(out)


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Commands:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return Commands(tmp_path, capsys)


def test_ls(commands: Commands) -> None:
    commands.write("tape", cassette(plain(), replace(streamed(number=2), failure=FailureKind.CUT), plain(usage=None)))
    code, out = commands.run("ls", "tape")
    heading, *rows = out.splitlines()
    assert (code, heading.split()) == (0, ["index", "time", "model", "stream", "status", "tokens", "in", "tokens", "out", "bytes", "hash"])
    assert rows[0].split()[:7] == ["0", "2026-01-02T03:04:00.000000Z", "m-1", "-", "200", "12", "5"]
    assert rows[0].split()[-1] == plain().request.stable_hash
    assert rows[1].split()[3:6] == ["yes", "200", "cut"]
    assert rows[2].split()[5:7] == ["-", "-"]
    listed = commands.json("ls", "tape")
    assert (listed["cassette"], listed["format_version"], len(listed["interactions"])) == ("tape", 2, 3)


def test_ls_on_a_terminal_says_that_hashes_are_short(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    commands.write("tape", cassette(plain()))
    monkeypatch.setattr(tape_view, "terminal_width", lambda: 120)
    _, out = commands.run("ls", "tape")
    assert plain().request.stable_hash[:12] in out and plain().request.stable_hash not in out  # type: ignore[index, operator]
    assert "shortened to 12 of 64" in out


def test_without_a_path_it_is_the_tape_of_replay(commands: Commands) -> None:
    commands.write("fixtures/llm/default", cassette(plain()))
    commands.write("tapes/other", cassette())
    assert len(commands.json("ls")["interactions"]) == 1
    assert commands.run("ls", "--cassette-dir", "tapes", "--cassette-name", "other") == (0, "the cassette has no interactions\n")
    (commands.folder / ".spycatcher_harness.toml").write_text('[cmds.replay]\ncassette_dir = "tapes"\ncassette_name = "other"\n')
    assert commands.json("ls")["cassette"] == "tapes/other"


def test_show(commands: Commands) -> None:
    tool = {"type": "function", "function": {"name": "get_weather"}}
    commands.write("tape", cassette(streamed(), plain(text=None, tool_calls=[TOOL_CALL], finish_reason="tool_calls", tools=[tool])))
    assert commands.run("show", "0", "tape") == (
        0,
        "[0] 2026-01-02T03:04:00.000000Z model=m-1 stream status=200\n"
        "\nuser:\n  Hi?\n"
        "\nassistant finish_reason=stop:\n  Hello.\n"
        "\nusage: input_tokens=12 output_tokens=5\n",
    )
    _, out = commands.run("show", "1", "tape")
    assert "tools: get_weather\n" in out
    assert 'assistant finish_reason=tool_calls:\n  tool_call id=call_1 get_weather:\n    {"city": "Paris"}\n' in out
    assert commands.json("show", "1", "tape")["conversation"]["answered"][0]["tool_calls"][0]["name"] == "get_weather"


def test_show_reasoning_refusals_errors_and_other_answers(commands: Commands) -> None:
    bodies = (
        b'{"choices":[{"message":{"role":"assistant","reasoning":"hm","refusal":"no"}},{"message":{"role":"assistant","content":"b"}}]}',
        b'{"error":{"message":"slow down"}}',
        b"Bad \x1b[31mgateway",
    )
    commands.write("tape", cassette(*(replace(plain(), response=NonStreamResponse(502, (), body)) for body in bodies)))
    _, out = commands.run("show", "0", "tape")
    assert "assistant choices[0]:\n  reasoning:\n    hm\n  refusal:\n    no\n" in out and "assistant choices[1]:\n  b\n" in out
    assert '"message": "slow down"' in commands.run("show", "1", "tape")[1]
    assert "body:\n  Bad \\x1b[31mgateway\n" in commands.run("show", "2", "tape")[1]


def test_show_raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    monkeypatch.chdir(tmp_path)
    tape = cassette(replace(plain(), response=NonStreamResponse(200, (), b"\xff\x00\n")), streamed())
    (tmp_path / "tape").write_bytes(encode_cassette(tape))
    assert main(["show", "0", "tape", "--raw"]) == 0
    assert capfdbinary.readouterr().out == b"\xff\x00\n"
    assert main(["show", "1", "tape", "--raw"]) == 0
    assert capfdbinary.readouterr().out == streamed().response.raw_transcript  # type: ignore[union-attr]


def test_show_what_is_not_there(commands: Commands) -> None:
    commands.write("tape", cassette(plain()))
    assert commands.run("show", "1", "tape") == (1, "")
    assert commands.err == "Error: there is no interaction 1; they are counted from 0, and the last one is 0\n"
    commands.write("empty", cassette())
    assert commands.run("show", "0", "empty")[0] == 1


def test_diff_of_the_same(commands: Commands) -> None:
    commands.write("a", cassette(plain(number=1), streamed()))
    commands.write("b", cassette(plain(number=5), streamed()))
    assert commands.run("diff", "a", "b") == (0, "2 interactions, no differences\n")
    assert commands.json("diff", "a", "b")["same"] is True


def test_diff_tells_wording_from_behaviour(commands: Commands) -> None:
    commands.write("a", cassette(plain("first question"), plain("second question")))
    commands.write("b", cassette(plain("second question", finish_reason="length"), plain("first question", text="Bye."), plain("third")))
    code, out = commands.run("diff", "a", "b")
    assert (code, out.splitlines()) == (
        1,
        [
            'interaction 0 / 1: wording: changed: answer.choices[0].message.content: "Hello." -> "Bye."',
            'interaction 1 / 0: behavior: changed: answer.choices[0].finish_reason: "stop" -> "length"',
            "interaction 2: only in b",
            "the same: 0; other request: 0; other behavior: 1; other wording: 1; without a partner: 1",
        ],
    )
    assert commands.json("diff", "a", "b")["same"] is False


def test_diff_knows_ignore_paths(commands: Commands) -> None:
    commands.write("a", cassette(plain(user="u1")))
    commands.write("b", cassette(plain(user="u2")))
    code, out = commands.run("diff", "a", "b")
    assert code == 1 and 'interaction 0: request: changed: canonical_body.user: "u1" -> "u2"' in out
    assert commands.run("diff", "a", "b", "--ignore-path", "user")[0] == 0


@pytest.mark.parametrize(
    "words",
    [("nope", "a"), ("a", "nope"), ("a", "broken"), ("a", "a", "--config", "nope.toml"), ("a", "a", "--ignore-path", "/messages/x")],
)
def test_diff_that_cannot_be_made_is_2(commands: Commands, words: tuple[str, ...]) -> None:
    commands.write("a", cassette(plain()))
    (commands.folder / "broken").write_bytes(b"{")
    assert commands.run("diff", *words) == (2, "")
    assert commands.err.startswith("Error: ")


def test_stats(commands: Commands) -> None:
    commands.write("a", cassette(plain(), streamed()))
    commands.write("b", cassette(plain(model="other"), plain(usage=None)))
    (commands.folder / "prices.toml").write_text('currency = "EUR"\n[models.m-1]\ninput_per_million = 1\noutput_per_million = 2\n')
    code, out = commands.run("stats", "a", "b", "--prices", "prices.toml")
    heading, first, second, total = out.splitlines()
    assert code == 0 and heading.endswith("estimated cost EUR")
    assert first.split() == ["m-1", "3", "0", "1", "24", "10", *first.split()[6:8], "120", "480", "0.000044"]
    assert second.split()[-1] == "-"
    assert total.split()[:6] == ["all", "4", "0", "1", "36", "15"]
    assert "1 answer does not say how many tokens it took" in commands.err
    assert "no price for: other" in commands.err
    counted = commands.json("stats", "a", "b", "--prices", "prices.toml")
    assert (counted["currency"], counted["total"]["cost"], counted["total"]["model"]) == ("EUR", "0.000044", None)
    assert "estimated cost" not in commands.run("stats", "a")[1]


def test_merge(commands: Commands) -> None:
    inputs = [commands.write("a", cassette(plain("a"))), commands.write("b", cassette(plain("b"), streamed()))]
    before = [path.read_bytes() for path in inputs]
    assert commands.run("merge", "a", "b", "--output", "all") == (0, "wrote 3 interactions to all\n")
    assert commands.read("all").interactions == (plain("a"), plain("b"), streamed())
    assert [path.read_bytes() for path in inputs] == before
    assert commands.run("merge", "a", "--output", "all") == (1, "")
    assert "all exists already" in commands.err
    assert commands.json("merge", "a", "--output", "all", "--force") == {"output": "all", "interactions": 1, "losses": []}
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
    }
    assert commands.run("convert", "x.har", "--to", "v2", "--output", "back")[0] == 0
    assert "run `spycatcher-harness verify`" in commands.err
    assert commands.read("back").interactions[0].request == plain().request


def test_convert_to_wiremock(commands: Commands) -> None:
    commands.write("tape", cassette(plain()))
    assert commands.run("convert", "tape", "--to", "wiremock", "--output", "stubs.json")[0] == 0
    assert len(json.loads((commands.folder / "stubs.json").read_bytes())["mappings"]) == 1


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
