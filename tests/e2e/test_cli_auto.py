"""``auto`` as a process: what it prints, what it leaves, where it does not record."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from scripts.stub_upstream import Reset, StubUpstream
from spycatcher_addon.edge.tape_reading import read_cassette
from tests.support.cli import COMMAND, CompletedRun, HarnessCli, RunningCli, clean_environment, record_environment
from tests.support.raw_http import encode_json_request, exchange

TAPE = "fixtures/llm/default"


def start(harness: HarnessCli, upstream: StubUpstream, *arguments: str, **env: str) -> RunningCli:
    return harness.start_cli("auto", *arguments, env=record_environment(upstream.base_url) | env)


def ask(running: RunningCli, *texts: str) -> list[int]:
    return [
        exchange(running.addr, encode_json_request({"model": "stub", "messages": [{"role": "user", "content": text}]})).status
        for text in texts
    ]


def run(
    harness: HarnessCli, upstream: StubUpstream, *arguments: str, texts: tuple[str, ...] = (), **env: str
) -> tuple[list[int], CompletedRun]:
    running = start(harness, upstream, *arguments, **env)
    statuses = ask(running, *texts)
    ended = running.stop(signal.SIGTERM)
    assert "Traceback" not in ended.stderr
    return statuses, ended


def test_once_is_the_default_and_each_run_says_what_it_did(harness: HarnessCli, upstream: StubUpstream) -> None:
    statuses, first = run(harness, upstream, texts=("a", "b"))
    assert (statuses, first.returncode) == ([200, 200], 0)
    assert f"recorded \u20682\u2069 interactions to {TAPE}\n" in first.stderr
    assert len(first.stdout.splitlines()) == 2
    statuses, second = run(harness, upstream, "--fail-unused", texts=("a", "other"))
    assert (statuses, second.returncode) == ([200, 409], 3)
    assert f"replayed \u20681\u2069 of \u20682\u2069 interactions from {TAPE}\n" in second.stderr
    assert "recorded" not in second.stderr.replace("nothing recorded", "")
    assert [path.name for path in (harness.cwd / "fixtures/llm").iterdir()] == ["default"]


def test_new_episodes_tells_both_stories(harness: HarnessCli, upstream: StubUpstream) -> None:
    run(harness, upstream, texts=("a", "b"))
    statuses, ended = run(harness, upstream, "--record-mode", "new_episodes", texts=("a", "new", "b"))
    assert statuses == [200, 200, 200]
    assert "replayed \u20682\u2069 of \u20682\u2069 interactions" in ended.stderr
    assert "recorded \u20681\u2069 interaction to" in ended.stderr
    assert len(read_cassette(harness.cwd / TAPE).cassette.interactions) == 3
    _, again = run(harness, upstream, "--record-mode", "new_episodes", texts=("a", "new", "b"))
    assert "recorded" not in again.stderr, "nothing new is nothing to warn about"


def test_rewrite_says_when_it_kept_the_old_tape(harness: HarnessCli, upstream: StubUpstream) -> None:
    run(harness, upstream, texts=("a",))
    before = (harness.cwd / TAPE).read_bytes()
    running = start(harness, upstream, "--record-mode", "rewrite")
    assert ask(running, "b") == [200]
    upstream.script([Reset()])
    assert ask(running, "c") == [502]
    assert "warning: the recording was not kept" in running.stop().stderr
    assert (harness.cwd / TAPE).read_bytes() == before


def test_off_counts_what_it_passed_through(harness: HarnessCli, upstream: StubUpstream) -> None:
    _, ended = run(harness, upstream, "--record-mode", "off", texts=("a", "b"))
    assert "passed \u20682\u2069 requests through" in ended.stderr
    assert not (harness.cwd / "fixtures").exists()


def test_in_ci_a_file_alone_records_nothing(harness: HarnessCli, upstream: StubUpstream) -> None:
    (harness.cwd / ".spycatcher_harness.toml").write_text('[cmds.auto.auto]\nmode = "all"\n')
    refused = harness.run_cli("auto", "--listen", "127.0.0.1:0", env=record_environment(upstream.base_url) | {"CI": "true"})
    assert refused.returncode == 1
    assert "warning: CI is set" in refused.stderr and "cassette not found" in refused.stderr
    for arguments, env in ((("--record-mode", "once"), {}), ((), {"SPYCATCHER_HARNESS_CMDS_AUTO_AUTO__MODE": "all"})):
        statuses, ended = run(harness, upstream, *arguments, texts=("a",), CI="true", **env)
        assert statuses == [200] and "recorded" in ended.stderr and "CI is set" not in ended.stderr
        (harness.cwd / TAPE).unlink()


def test_a_killed_recording_is_found_again(harness: HarnessCli, upstream: StubUpstream) -> None:
    running = start(harness, upstream)
    ask(running, "a")
    running.kill()
    (left,) = (path for path in (harness.cwd / "fixtures/llm").iterdir() if path.suffix == ".recording")
    _, ended = run(harness, upstream, texts=("b",))
    assert f"fixtures/llm/{left.name} is a recording that was cut off" in ended.stderr
    assert len(read_cassette(left).cassette.interactions) == 1, "nothing that a client saw is lost"
    assert len(read_cassette(harness.cwd / TAPE).cassette.interactions) == 1


# --- serve-tapes --------------------------------------------------------------------------------------------------------


def talk(
    harness: HarnessCli, *commands: Any, words: tuple[str, ...] = ()
) -> tuple[list[dict[str, Any]], subprocess.CompletedProcess[bytes]]:
    """Give commands to a tape server, all at once; gives what it said, and how it ended."""
    lines = b"".join((command if isinstance(command, bytes) else json.dumps(command).encode()) + b"\n" for command in commands)
    environment = clean_environment(harness.home, {})
    ended = subprocess.run(
        [*COMMAND, "serve-tapes", *words], cwd=harness.cwd, env=environment, input=lines, capture_output=True, timeout=60
    )
    return [json.loads(line) for line in ended.stdout.splitlines()], ended


def test_the_tape_server_answers_every_line_and_ends_with_its_input(harness: HarnessCli) -> None:
    said, ended = talk(
        harness, {"id": 1, "op": "dance"}, b"no json", {"id": 2, "op": "report", "token": "0123456789abcdef"}, {"id": 3}, b"[1]"
    )
    assert ended.returncode == 0
    ready, *answers = said
    assert ready["ready"]["protocol"] == 1 and ready["ready"]["url"].startswith("http://127.0.0.1:")
    errors = {answer["id"]: answer["error"]["message"] for answer in answers}
    assert "unknown command 'dance'" in errors[1]
    assert "no tape in use has this token" in errors[2]
    assert len(answers) == 5
    assert b"Traceback" not in ended.stderr


def test_the_tape_server_says_why_it_does_not_start(harness: HarnessCli) -> None:
    (harness.cwd / ".spycatcher_harness.toml").write_text('[cmds.auto]\nmatch_mod = "keyed"\n')
    ((said,), ended) = talk(harness)
    assert ended.returncode == 1
    assert "did you mean `match_mode`?" in said["failed"]["message"]
    ((said,), ended) = talk(harness, words=("--port", "1"))
    assert "takes no arguments" in said["failed"]["message"]


def test_what_anything_prints_does_not_get_between_the_lines(harness: HarnessCli) -> None:
    code = "import sys; from spycatcher_addon.edge import tape_server as t; old = t.host\n"
    code += "def host(*a):\n    print('chatter', flush=True)\n    return old(*a)\nt.host = host\nsys.exit(t.main([]))"
    environment = clean_environment(Path(harness.home), {})
    ended = subprocess.run([sys.executable, "-c", code], cwd=harness.cwd, env=environment, input=b"", capture_output=True, timeout=60)
    (line,) = ended.stdout.splitlines()
    assert "ready" in json.loads(line)
    assert b"chatter" in ended.stderr
