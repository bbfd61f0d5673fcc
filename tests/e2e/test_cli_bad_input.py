"""Bad input of every kind to the command as a process: one clear message, the right exit code, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.cli import ROOT, CompletedRun, HarnessCli
from tests.support.texts import without_marks

OWN_FILE = ".spycatcher_harness.toml"
UPSTREAM = {"SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__BASE_URL": "http://127.0.0.1:1/v1", "OPENROUTER_API_KEY": "sk-fake"}
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def run(harness: HarnessCli, *words: str, env: Mapping[str, str] | None = None) -> CompletedRun:
    ended = harness.run_cli(*words, env=env)
    assert "Traceback" not in ended.stderr + ended.stdout
    return ended


def assert_merge_failure(ended: CompletedRun, *parts: str) -> None:
    first, second, *more = ended.stderr.splitlines()
    assert (ended.returncode, ended.stdout, more) == (1, "", [])
    assert first == "Error: failed to load merged command config"
    assert [part for part in parts if part not in second] == []


@pytest.mark.parametrize("command", ["replay", "config"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[cmds.replay\n", "./.spycatcher_harness.toml is not TOML: "),
        (b"[cmds.replay]\ncassette_name = 'a'\ncassette_name = 'b'\n", "is not TOML: "),
        (b"[cmds.replay]\n[cmds.replay]\n", "is not TOML: "),
        (b"\xff\xfe", "is not UTF-8"),
        (b"\xef\xbb\xbf[cmds.replay]\ncasette_name = 'x'\n", "did you mean"),
    ],
)
def test_config_files(harness: HarnessCli, command: str, content: bytes, said: str) -> None:
    (harness.cwd / OWN_FILE).write_bytes(content)
    assert_merge_failure(run(harness, command), said)
    assert [path.name for path in harness.cwd.iterdir()] == [OWN_FILE]


def test_a_folder_as_config_file(harness: HarnessCli) -> None:
    (harness.cwd / OWN_FILE).mkdir()
    assert_merge_failure(run(harness, "replay"), "./.spycatcher_harness.toml is not a regular file")


def test_a_config_file_that_may_not_be_read(harness: HarnessCli) -> None:
    if IS_ROOT:
        pytest.skip("root may read everything")
    path = harness.cwd / OWN_FILE
    path.write_text("")
    path.chmod(0)
    assert_merge_failure(run(harness, "replay"), "cannot read ./.spycatcher_harness.toml: ")


def test_a_byte_order_mark_is_no_fault(harness: HarnessCli) -> None:
    (harness.cwd / OWN_FILE).write_bytes(b"\xef\xbb\xbf[cmds.replay]\ncassette_name = 'mine'\n")
    assert 'cassette_name = "mine"' in run(harness, "config").stdout


def test_ipv6(harness: HarnessCli) -> None:
    running = harness.start_cli("record", "--listen", "[::1]:0", env=UPSTREAM)
    assert running.addr[0] == "::1"
    assert running.base_url == f"http://[::1]:{running.addr[1]}/v1"
    assert running.stop().returncode == 0


@pytest.mark.parametrize(
    ("mode", "address"),
    [(mode, "localhost:1") for mode in ("record", "replay", "verify", "config")]
    + [("replay", address) for address in ("127.0.0.1", "127.0.0.1:99999", "[::1]", "::1:80", "1.2.3:4", "", "127.0.0.1:-1")],
)
def test_addresses(harness: HarnessCli, mode: str, address: str) -> None:
    ended = run(harness, mode, "--listen", address)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert without_marks(ended.stderr).startswith(f"error: invalid value {address} for --listen\n")


def test_a_privileged_port(harness: HarnessCli) -> None:
    start = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
    if IS_ROOT or not start.exists() or int(start.read_text()) <= 1:
        pytest.skip("every port may be bound here")
    ended = run(harness, "record", "--listen", "127.0.0.1:1", env=UPSTREAM)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "127.0.0.1:1" in without_marks(ended.stderr)


@pytest.mark.parametrize(
    ("mode", "name"),
    [(mode, "../x") for mode in ("record", "replay", "verify")]
    + [("verify", name) for name in ("..", "a/../b", "/etc/passwd", "", "x/", "\\x")],
)
def test_cassette_names_that_are_refused(harness: HarnessCli, mode: str, name: str) -> None:
    ended = run(harness, mode, "--cassette-name", name, env=UPSTREAM)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "invalid configuration: cassette name must" in without_marks(ended.stderr)
    assert list(harness.cwd.iterdir()) == []


@pytest.mark.parametrize("mode", ["record", "replay", "verify"])
def test_a_cassette_name_of_300_characters(harness: HarnessCli, mode: str) -> None:
    ended = run(harness, mode, "--cassette-name", "x" * 300, env=UPSTREAM)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert len(ended.stderr.splitlines()) <= 2


@pytest.mark.parametrize("mode", ["record", "replay", "verify"])
@pytest.mark.parametrize("place", ["file/below", "file"])
def test_a_cassette_folder_that_is_a_file(harness: HarnessCli, mode: str, place: str) -> None:
    (harness.cwd / "file").write_text("mine")
    ended = run(harness, mode, "--cassette-dir", place, env=UPSTREAM)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert (harness.cwd / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("mode", "locale"),
    [(mode, "not_a_locale") for mode in ("record", "replay", "verify", "config")]
    + [("replay", locale) for locale in ("", "x", "en--US", "日本")],
)
def test_locales_that_are_refused(harness: HarnessCli, mode: str, locale: str) -> None:
    assert_merge_failure(run(harness, mode, "--locale", locale), f"invalid localization field `locale` value `{locale}`: Parser error: ")


def test_a_locale_that_nobody_speaks_is_english(harness: HarnessCli) -> None:
    ended = run(harness, "replay", "--locale", "zz-Zzzz", env={"SPYCATCHER_HARNESS_LOCALE": "zz-Zzzz"})
    assert "cassette not found" in ended.stderr and "warning" not in ended.stderr


@pytest.mark.parametrize("variable", ["SPYCATCHER_HARNESS_LOCALE", "SPYCATCHER_HARNESS_DISABLE_LOCALIZATION", "HOME", "XDG_CONFIG_HOME"])
def test_variables_that_are_not_utf8(harness: HarnessCli, variable: str) -> None:
    command = f"""{variable}=$'\\xff' "{sys.executable}" -m spycatcher_addon --help"""
    ended = harness.spawn(("bash", "-c", command)).wait()
    assert ended.returncode == 0 and "Usage: " in ended.stdout
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("words", ["--help", "config", "verify --help", "nope"])
@pytest.mark.parametrize("locale", ["ja-JP", "de-DE"])
def test_a_terminal_that_knows_only_ascii(harness: HarnessCli, words: str, locale: str) -> None:
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "SPYCATCHER_HARNESS_LOCALE": locale}
    ended = run(harness, *words.split(), env=env)
    assert ended.returncode == (2 if words == "nope" else 0)
    assert (ended.stdout + ended.stderr).isascii()


def test_without_home_help_and_config_work(harness: HarnessCli) -> None:
    for words in (("--help",), ("config",), ("verify",)):
        command = f'unset HOME; "{sys.executable}" -m spycatcher_addon {" ".join(words)}'
        ended = harness.spawn(("sh", "-c", command)).wait()
        assert ended.returncode == (1 if words == ("verify",) else 0)
        assert "Traceback" not in ended.stderr


def test_a_read_only_working_directory(harness: HarnessCli) -> None:
    if IS_ROOT:
        pytest.skip("root may write everywhere")
    harness.cwd.chmod(0o555)
    try:
        ended = run(harness, "record", env=UPSTREAM)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert run(harness, "config").returncode == 0
    finally:
        harness.cwd.chmod(0o755)


def test_a_device_as_cassette_folder(harness: HarnessCli) -> None:
    """What a read-only folder is for those who may write everywhere."""
    ended = run(harness, "record", "--cassette-dir", "/proc", "--cassette-name", "tape", env=UPSTREAM)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "/proc/tape" in without_marks(ended.stderr)


def test_config_shows_what_there_is_of_an_upstream_and_says_what_is_missing(harness: HarnessCli) -> None:
    ended = harness.run_cli("config", "record", "--upstream-kind", "azure")
    assert ended.returncode == 1
    assert 'kind = "azure"' in ended.stdout
    assert "upstream.base_url is required for the upstream kind azure; set it" in ended.stderr
    elsewhere = harness.run_cli("config", "record", "--upstream-kind", "azure", env={"SPYCATCHER_HARNESS_CMDS_RECORD_LISTEN": "x"})
    assert (elsewhere.returncode, elsewhere.stdout) == (1, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["config", "replay"], ["--show-completion", "bash"]])
def test_a_full_disk_behind_standard_output_is_told(words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "spycatcher_addon", *words], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ran.returncode == 1
    assert ran.stderr == "Error: cannot write to standard output: No space left on device; make room, or send the output elsewhere\n"
