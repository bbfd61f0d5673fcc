"""``verify`` after ``record``, as processes: what was recorded is clean, what somebody edited is not."""

from __future__ import annotations

import hashlib
import json
import socket
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import pytest

from scripts.stub_upstream import StubUpstream
from tests.support.cli import FAKE_KEY, ROOT, HarnessCli
from tests.support.openai_clients import question, sync_client
from tests.support.texts import without_marks

TAPE = "fixtures/llm/default"
SCHEMA = ROOT / "docs" / "schemas" / "verify-report-1.json"


@pytest.fixture
def tape(harness: HarnessCli, upstream: StubUpstream) -> Path:
    """A tape of a plain answer and a stream, recorded from the stub."""
    running = harness.record(upstream.base_url, "--ignore-path", "/user")
    with sync_client(running.base_url, max_retries=0) as client:
        client.chat.completions.create(**question("One?"))
        list(client.chat.completions.create(**question("Two?", stream=True)))
    assert running.stop().returncode == 0
    return harness.cwd / TAPE


def test_a_fresh_recording_is_clean(harness: HarnessCli, tape: Path) -> None:
    before = tape.read_bytes()
    ended = harness.run_cli("verify", "--ignore-path", "user")
    assert (ended.returncode, without_marks(ended.stdout), ended.stderr) == (0, f"{TAPE}: 2 interactions checked, nothing found\n", "")
    assert tape.read_bytes() == before
    assert FAKE_KEY.encode() not in before


def test_other_ignore_paths_are_a_finding(harness: HarnessCli, tape: Path) -> None:
    ended = harness.run_cli("verify")
    assert ended.returncode == 1
    assert without_marks(ended.stdout).startswith(f"{TAPE}: recorded with other ignore paths (/user) than the configuration has (-)")


def test_an_edited_request_is_a_finding(harness: HarnessCli, tape: Path) -> None:
    """The text was changed where the file keeps it as text, so only the hash can tell."""
    source = tape.read_text(encoding="utf-8")
    tape.write_text(source.replace('"path": "/v1/chat/completions"', '"path": "/v2/chat/completions"', 1), encoding="utf-8")
    ended = harness.run_cli("verify", "--ignore-path", "/user")
    assert ended.returncode == 1
    (line,) = without_marks(ended.stdout).splitlines()
    assert line.startswith(f"{TAPE}: interaction 0: stable_hash is ")


def test_the_redaction_of_the_configuration_is_checked(harness: HarnessCli, tape: Path) -> None:
    env = {"SPYCATCHER_HARNESS_CMDS_VERIFY_REDACTION__EXTRA_DROP_HEADERS": '["Content-Type"]'}
    ended = harness.run_cli("verify", "--ignore-path", "/user", env=env)
    assert ended.returncode == 1
    assert "keeps the header content-type" in without_marks(ended.stdout)


def test_findings_speak_the_configured_language(harness: HarnessCli, tape: Path) -> None:
    ended = harness.run_cli("verify", "--locale", "ja-JP")
    assert ended.returncode == 1
    assert "記録時の無視パス" in ended.stdout and "件の問題が見つかりました" in ended.stderr


def test_it_binds_no_port_and_asks_for_no_key(harness: HarnessCli, tape: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        assert harness.run_cli("verify", "--listen", listen, "--ignore-path", "/user").returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "first"),
    [
        (["--cassette-name", "nope"], 1, "Error: failed to verify cassette: cassette not found: nope"),
        (["--cassette-dir", "/dev", "--cassette-name", "null"], 1, "Error: failed to verify cassette: "),
        (["--cassette-name", ""], 1, "Error: failed to verify cassette: invalid configuration: cassette name must not be empty"),
        (["--nope"], 2, "error: unknown argument: --nope"),
        (["--format", "yaml"], 2, "error: invalid value yaml for --format"),
        (["--listen", "localhost:1"], 2, "error: invalid value localhost:1 for --listen"),
        (["--locale", "not_a_locale"], 1, "Error: failed to load merged command config"),
    ],
)
def test_what_cannot_be_checked(harness: HarnessCli, words: list[str], code: int, first: str) -> None:
    ended = harness.run_cli("verify", *words)
    assert (ended.returncode, ended.stdout) == (code, "")
    assert without_marks(ended.stderr.splitlines()[0]).startswith(first)
    assert list(harness.cwd.iterdir()) == [], "nothing is made"


def test_folders_and_formats(harness: HarnessCli, tape: Path) -> None:
    """One command over all cassettes of a repository, in each of its forms."""
    (tape.parent / "torn").write_bytes(tape.read_bytes()[:-200])
    (tape.parent / "README.md").write_text("About these cassettes.")
    ended = harness.run_cli("verify", "fixtures", "--ignore-path", "/user", "--format", "json")
    report = json.loads(ended.stdout)
    jsonschema.validate(report, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert (ended.returncode, report["outcome"], report["counts"]["passed_over"]) == (1, "unreadable", 1)
    assert [(each["path"], each["outcome"]) for each in report["tapes"]] == [(TAPE, "clean"), ("fixtures/llm/torn", "unreadable")]
    annotations = harness.run_cli("verify", "fixtures", "--ignore-path", "/user", "--format", "github").stdout
    assert annotations.startswith("::error file=fixtures/llm/torn,line=")
    suite = ElementTree.fromstring(harness.run_cli("verify", "fixtures", "--ignore-path", "/user", "--format", "junit").stdout)
    assert suite.get("failures") == "1"
    sarif = json.loads(harness.run_cli("verify", "fixtures", "--ignore-path", "/user", "--format", "sarif").stdout)
    (result,) = sarif["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "fixtures/llm/torn"


def test_a_digest_stands_for_a_secret(harness: HarnessCli, tape: Path) -> None:
    secret = "fake-secret-of-somebody-0123456789"
    leaky = harness.cwd / "leaky.json"
    source = json.loads(tape.read_text(encoding="utf-8"))
    source["interactions"][0]["response"]["body"] = {"text": [f"?token={secret}&x=1"]}
    leaky.write_text(json.dumps(source, indent=2), encoding="utf-8")
    digest = f"{len(secret)}:{hashlib.sha256(secret.encode()).hexdigest()}"
    words = ["verify", "leaky.json", "--ignore-path", "/user"]
    assert harness.run_cli(*words).returncode == 0
    ended = harness.run_cli(*words, env={"SPYCATCHER_HARNESS_CMDS_VERIFY_REDACTION__SECRET_SHA256": f'["{digest}"]'})
    assert ended.returncode == 1
    assert "leaky.json: interaction 0: response.body holds a secret (rule sha256, " in without_marks(ended.stdout)
    assert secret not in ended.stdout + ended.stderr


@pytest.mark.parametrize("written", ["secret", "8:" + "0" * 64, "20:" + "0" * 63, "x:" + "0" * 64])
def test_a_digest_that_is_none_is_refused_and_not_shown(harness: HarnessCli, written: str) -> None:
    ended = harness.run_cli("verify", env={"SPYCATCHER_HARNESS_CMDS_VERIFY_REDACTION__SECRET_SHA256": f'["{written}"]'})
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "SPYCATCHER_HARNESS_CMDS_VERIFY_REDACTION__SECRET_SHA256" in ended.stderr
    assert written == "secret" or written not in ended.stderr


def test_warnings_count_with_strict(harness: HarnessCli, tape: Path) -> None:
    source = json.loads(tape.read_text(encoding="utf-8"))
    source["note"] = "added by hand"
    tape.write_text(json.dumps(source, indent=2), encoding="utf-8")
    assert harness.run_cli("verify", "--ignore-path", "/user").returncode == 0
    ended = harness.run_cli("verify", "--ignore-path", "/user", "--strict")
    assert (ended.returncode, without_marks(ended.stderr)) == (1, "1 problem found\n")


def test_paths_that_lead_nowhere(harness: HarnessCli) -> None:
    (harness.cwd / "empty").mkdir()
    ended = harness.run_cli("verify", "nope", "empty")
    assert ended.returncode == 1
    assert without_marks(ended.stdout).splitlines()[:2] == ["nope: cannot be read", "empty: cannot be read"]
    assert "cassette not found: nope" in without_marks(ended.stderr)
    assert "no cassette in the folder empty" in without_marks(ended.stderr)
