from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import FailureKind, NonStreamResponse
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.edge import tape_view
from spycatcher_addon.edge.cli import main
from tests.support.tape_commands import Commands
from tests.support.tool_samples import TOOL_CALL, cassette, plain, streamed


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
