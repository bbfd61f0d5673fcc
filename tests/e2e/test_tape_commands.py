"""The cassette tools as processes, on cassettes that were really recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.stub_upstream import StubUpstream
from tests.support.cli import COMMAND, FAKE_KEY, HarnessCli
from tests.support.openai_clients import question, sync_client
from tests.support.texts import without_marks

TAPE = "fixtures/llm/default"
COMMANDS = (
    ["ls"],
    ["show", "0"],
    ["diff", TAPE, TAPE],
    ["stats"],
    ["merge", TAPE, "--output", "out", "--force"],
    ["prune", "--drop", "0", "--output", "out", "--force"],
    ["convert", TAPE, "--to", "har", "--output", "out", "--force"],
)


@pytest.fixture
def tape(harness: HarnessCli, upstream: StubUpstream) -> Path:
    """A tape of a plain answer and a stream, recorded from the stub."""
    running = harness.record(upstream.base_url)
    with sync_client(running.base_url, max_retries=0) as client:
        client.chat.completions.create(**question("One?"))
        list(client.chat.completions.create(**question("Two?", stream=True)))
    assert running.stop().returncode == 0
    return harness.cwd / TAPE


def test_every_command_works_on_a_recording_and_leaves_it_alone(harness: HarnessCli, tape: Path) -> None:
    before = tape.read_bytes()
    for words in COMMANDS:
        for more in ([], ["--json"]):
            ended = harness.run_cli(*words, *more)
            assert ended.returncode == 0, (words, ended)
            assert FAKE_KEY not in ended.stdout + ended.stderr
            if more:
                json.loads(ended.stdout)
    assert tape.read_bytes() == before
    assert sorted(path.name for path in harness.cwd.iterdir()) == ["fixtures", "out"]


def test_show_puts_a_stream_together(harness: HarnessCli, tape: Path) -> None:
    shown = json.loads(harness.run_cli("show", "1", "--json").stdout)
    assert shown["stream"] is True
    (answer,) = shown["conversation"]["answered"]
    assert (answer["role"], answer["finish_reason"]) == ("assistant", "stop")
    assert answer["text"]


@pytest.mark.parametrize("target", ["v2", "har"])
def test_a_converted_cassette_replays(harness: HarnessCli, tape: Path, target: str) -> None:
    """What goes through another format still answers the same client."""
    assert harness.run_cli("convert", TAPE, "--to", "v1" if target == "v2" else target, "--output", "between").returncode == 0
    assert harness.run_cli("convert", "between", "--to", "v2", "--output", "again").returncode == 0
    running = harness.replay("--cassette-dir", ".", "--cassette-name", "again", "--fail-unused")
    with sync_client(running.base_url, max_retries=0) as client:
        client.chat.completions.create(**question("One?"))
        assert list(client.chat.completions.create(**question("Two?", stream=True)))
    assert running.stop().returncode == 0
    assert harness.run_cli("verify", "--cassette-dir", ".", "--cassette-name", "again").returncode == 0


def test_two_recordings_of_the_same_conversation(harness: HarnessCli, tape: Path) -> None:
    merged = harness.run_cli("merge", TAPE, TAPE, "--output", "twice")
    assert (merged.returncode, without_marks(merged.stdout)) == (0, "wrote 4 interactions to twice\n")
    ended = harness.run_cli("diff", TAPE, "twice")
    assert ended.returncode == 1
    assert without_marks(ended.stdout).splitlines()[:2] == ["interaction 2: only in twice", "interaction 3: only in twice"]
    assert harness.run_cli("prune", "twice", "--drop", "2-3", "--output", "once").returncode == 0
    assert harness.run_cli("diff", TAPE, "once").returncode == 0


def test_a_reader_that_leaves_is_no_failure(harness: HarnessCli, tape: Path) -> None:
    for words in ("ls", "show 0", "show 0 --raw"):
        ended = harness.spawn(("sh", "-c", f"{' '.join(COMMAND)} {words} | head -c 0")).wait()
        assert (ended.returncode, ended.stderr) == (0, "")


def test_texts_speak_the_configured_language(harness: HarnessCli, tape: Path) -> None:
    assert "Interaktionen" in harness.run_cli("diff", TAPE, TAPE, "--locale", "de-DE").stdout
    assert harness.run_cli("ls", "--locale", "ja-JP").stdout.startswith("番号")


def test_doctor(harness: HarnessCli) -> None:
    ended = harness.run_cli("doctor", "--listen", "127.0.0.1:0", env={"HTTPS_PROXY": "http://user:fake-password@proxy.test"})
    assert ended.returncode == 0
    assert "warning  proxy: HTTPS_PROXY" in ended.stdout and "fake-password" not in ended.stdout
    assert "problem" not in ended.stdout.splitlines()[0]
