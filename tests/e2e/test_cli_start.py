"""The command line as a process of its own: starting, stopping, and what it leaves alone."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import ROOT, HarnessCli

UPSTREAM = {"SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__BASE_URL": "http://127.0.0.1:1/v1", "OPENROUTER_API_KEY": "sk-fake"}


HEAVY = {"mitmproxy", "asyncio", "spycatcher_addon.edge.server", "filelock", "rich", "ruamel.yaml", "ssl", "http.client"}
"""What only serving needs, writing a cassette, or a table on a terminal."""
NOT_LOADED = [
    (["--version"], HEAVY | {"pydantic"}),
    (["--help"], HEAVY | {"pydantic"}),
    (["record", "--help"], HEAVY | {"spycatcher_addon.config"}),
    (["config", "record"], HEAVY | {"fluent.runtime"}),
    (["verify"], HEAVY | {"statistics"}),
    (["addon-path"], HEAVY | {"spycatcher_addon.config", "fluent.runtime"}),
    (["replay", "--listen", "x"], HEAVY | {"spycatcher_addon.config"}),
]


@pytest.mark.parametrize(("words", "names"), NOT_LOADED)
def test_small_commands_do_not_load_what_they_do_not_need(words: list[str], names: set[str]) -> None:
    code = "import sys\nfrom spycatcher_addon.edge.cli import main\nmain(sys.argv[1:])\nprint(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    assert names & set(ran.stderr.splitlines()[-1].split()) == set()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_record_starts_with_two_lines_and_stops_on_a_signal(harness: HarnessCli, number: int) -> None:
    running = harness.start_cli("record", env=UPSTREAM)
    assert running.base_url == f"http://127.0.0.1:{running.addr[1]}/v1"
    with socket.create_connection(running.addr, timeout=5):
        pass
    ended = running.stop(number)
    assert ended.returncode == 0
    assert len(ended.stdout.splitlines()) == 2
    assert "warning: recorded 0 interactions" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_missing_key_is_announced_at_the_start(harness: HarnessCli) -> None:
    running = harness.start_cli("record", env=UPSTREAM | {"OPENROUTER_API_KEY": ""})
    assert re.search(r"^warning: .*OPENROUTER_API_KEY.*upstream\.api_key_env", running.wait_for_text("stderr", "OPENROUTER_API_KEY"), re.M)
    assert running.stop().returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_at_once(harness: HarnessCli, number: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent_upstream:
        silent_upstream.settimeout(20)
        url = f"http://127.0.0.1:{silent_upstream.getsockname()[1]}/v1"
        running = harness.start_cli("record", "--grace", "600", "--base-url", url, env=UPSTREAM)
        with socket.create_connection(running.addr, timeout=20) as client:
            client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}")
            # The exchange is under way, so the graceful stop has something to wait for.
            connection, _ = silent_upstream.accept()
            with connection:
                connection.settimeout(20)
                assert connection.recv(4096).startswith(b"POST /v1/chat/completions")
                running.send_signal(number)
                running.wait_for_text("stderr", "a second signal ends at once")
                ended = running.stop(number)
    assert ended.returncode == 128 + number
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("mode", ["record", "replay"])
def test_a_taken_port(harness: HarnessCli, mode: str) -> None:
    (harness.cwd / "fixtures" / "llm").mkdir(parents=True)
    harness.start_cli("record", env=UPSTREAM).stop()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = harness.run_cli(mode, "--listen", address, env=UPSTREAM)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines()[-1].startswith("Error: failed to start harness: io failure: ")
    assert address in ended.stderr


def test_wildcard_is_shown_as_loopback(harness: HarnessCli) -> None:
    running = harness.start_cli("record", "--listen", "0.0.0.0:0", env=UPSTREAM)
    assert running.base_url == f"http://127.0.0.1:{running.addr[1]}/v1"
    assert running.stop().returncode == 0


@pytest.mark.parametrize("words", [["config"], ["--help"], ["--version"], ["record", "--help"]])
def test_a_reader_that_leaves_is_no_failure(harness: HarnessCli, words: list[str]) -> None:
    command = f'"{sys.executable}" -m spycatcher_addon {" ".join(words)} | true; exit ${{PIPESTATUS[0]}}'
    ended = harness.spawn(("bash", "-c", command)).wait()
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_failure(harness: HarnessCli, redirection: str) -> None:
    ended = harness.spawn(("bash", "-c", f'"{sys.executable}" -m spycatcher_addon config {redirection}')).wait()
    assert ended.returncode == 0
    assert ended.stderr == ""


def test_a_full_run_without_home_and_with_a_plain_locale(harness: HarnessCli) -> None:
    running = harness.start_cli("record", env=UPSTREAM | {"HOME": "", "LC_ALL": "C", "PYTHONUTF8": "0"})
    assert running.stop().returncode == 0


def test_an_environment_that_is_not_utf8(harness: HarnessCli) -> None:
    command = f"""SPYCATCHER_HARNESS_CMDS_REPLAY_CASSETTE_NAME=$'\\xff' "{sys.executable}" -m spycatcher_addon config"""
    ended = harness.spawn(("bash", "-c", command)).wait()
    assert ended.returncode == 1
    assert "SPYCATCHER_HARNESS_CMDS_REPLAY_CASSETTE_NAME is not valid UTF-8" in ended.stderr


@pytest.mark.parametrize("name", ["with space", "日本.json", "deep/er/name"])
def test_cassette_names(harness: HarnessCli, name: str) -> None:
    assert harness.start_cli("record", "--cassette-name", name, env=UPSTREAM).stop().returncode == 0
    assert Path(harness.cwd, "fixtures", "llm", name).is_file()


def test_a_name_too_long_for_the_disk(harness: HarnessCli) -> None:
    ended = harness.run_cli("record", "--cassette-name", "x" * 300, env=UPSTREAM)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("Error: failed to start harness: io failure: ")
    assert "Traceback" not in ended.stderr
