"""What the doctor sees, and the cures."""

from __future__ import annotations

import json
import socket
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import pytest

from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.config import HarnessConfig, ListenAddr, UpstreamConfig
from spycatcher_addon.edge import doctor
from spycatcher_addon.edge.cli import main
from spycatcher_addon.edge.doctor import Check, Health, examine, report
from tests.support.texts import ENGLISH, without_marks
from tests.support.tool_samples import cassette, plain

FAKE_SECRET = "fake-proxy-password"


@pytest.fixture
def config(tmp_path: Path) -> HarnessConfig:
    (tmp_path / "tape").write_bytes(encode_cassette(cassette(plain())))
    return HarnessConfig(listen=ListenAddr("127.0.0.1", 0), cassette_dir=str(tmp_path), cassette_name="tape")


def look(
    config: HarnessConfig, environ: dict[str, str] | None = None, recorder: HarnessConfig | None = None, home: str | None = None
) -> dict[str, Check]:
    return {check.name: check for check in examine(ENGLISH, config, recorder, None, environ or {}, home)}


def test_a_good_environment(config: HarnessConfig, tmp_path: Path) -> None:
    checks = look(config, home=str(tmp_path))
    assert {check.health for check in checks.values()} == {Health.OK}
    assert list(checks) == ["spycatcher-harness", "python", "mitmproxy", "configuration", "proxy", "listen", "cassette", "ca", "clock"]


@pytest.mark.parametrize(
    ("environ", "health"),
    [
        ({"HTTP_PROXY": f"http://u:{FAKE_SECRET}@proxy.test"}, Health.WARNING),
        ({"https_proxy": "x", "no_proxy": "127.0.0.1"}, Health.WARNING),
        ({"ALL_PROXY": "x", "NO_PROXY": "localhost, 127.0.0.1"}, Health.OK),
        ({"HTTP_PROXY": "x", "NO_PROXY": "*"}, Health.OK),
        ({"HTTP_PROXY": ""}, Health.OK),
    ],
)
def test_proxies(config: HarnessConfig, environ: dict[str, str], health: Health) -> None:
    check = look(config, environ)["proxy"]
    assert check.health is health
    assert FAKE_SECRET not in check.value + check.cure
    assert ("NO_PROXY" in check.cure) is (health is Health.WARNING)


@pytest.mark.parametrize(
    ("url", "health"),
    [
        ("http://127.0.0.1:8787/v1", Health.OK),
        ("http://localhost/v1", Health.OK),
        ("http://[::1]:1", Health.OK),
        ("https://localhost.example.test/v1", Health.WARNING),
    ],
)
def test_the_clients_variable(config: HarnessConfig, url: str, health: Health) -> None:
    check = look(config, {"OPENAI_BASE_URL": url})["client"]
    assert (check.health, check.value) == (health, "OPENAI_BASE_URL")


def test_the_key(config: HarnessConfig) -> None:
    recorder = HarnessConfig(upstream=UpstreamConfig(api_key_env="SOME_KEY"))
    assert look(config, recorder=recorder)["key"].health is Health.WARNING
    assert look(config, {"SOME_KEY": "fake"}, recorder)["key"] == Check("key", Health.OK, "SOME_KEY")


def test_a_port_that_is_taken(config: HarnessConfig) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        check = look(config.model_copy(update={"listen": ListenAddr("127.0.0.1", port)}))["listen"]
    assert check.health is Health.PROBLEM and check.value.startswith(f"127.0.0.1:{port} (")
    assert "--listen 127.0.0.1:0" in check.cure


def test_cassettes(config: HarnessConfig) -> None:
    path = Path(config.cassette_path)
    path.write_bytes(b"{")
    assert look(config)["cassette"].health is Health.PROBLEM
    path.unlink()
    assert look(config)["cassette"].health is Health.WARNING


def test_a_private_key_that_others_can_read(config: HarnessConfig, tmp_path: Path) -> None:
    key = tmp_path / ".mitmproxy" / "mitmproxy-ca.pem"
    key.parent.mkdir()
    key.write_bytes(b"")
    key.chmod(0o644)
    check = look(config, home=str(tmp_path))["ca"]
    assert (check.health, check.value) == (Health.WARNING, str(key))
    key.chmod(0o600)
    assert look(config, home=str(tmp_path))["ca"].health is Health.OK


def test_a_folder_that_cannot_be_written(config: HarnessConfig, tmp_path: Path) -> None:
    assert look(config, home=str(tmp_path / "nope"))["ca"].health is Health.WARNING


@pytest.mark.parametrize(("version", "is_good"), [("12.2.9", False), ("12.3.0", True), ("12.10", True), ("13.0", False), (None, False)])
def test_versions_of_mitmproxy(config: HarnessConfig, version: str | None, is_good: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(name: str) -> str:
        if version is None:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", found)
    check = look(config)["mitmproxy"]
    assert (check.health is Health.OK) is is_good
    assert (">=12.3,<13" in without_marks(check.cure)) is not is_good


def test_an_old_python(config: HarnessConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.sys, "version_info", (3, 11, 9))
    check = look(config)["python"]
    assert check.health is Health.PROBLEM and "3.12" in check.cure


def test_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    (check,) = doctor._clocks(ENGLISH, datetime(1970, 1, 1, tzinfo=UTC))
    assert (check.health, check.value) == (Health.PROBLEM, "1970-01-01T00:00:00Z")
    ahead = doctor.time.time() + 3600
    monkeypatch.setattr(doctor.time, "time", lambda: ahead)
    (check,) = doctor._clocks(ENGLISH, datetime(2026, 1, 1, tzinfo=UTC))
    assert check.health is Health.WARNING and "-3600 s" in without_marks(check.cure)


def test_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    checks = (Check("a", Health.OK, "1\x1b"), Check("b", Health.WARNING, "2", "do"), Check("c", Health.PROBLEM, "3", "this"))
    assert report(ENGLISH, checks, is_json=False) == 1
    assert without_marks(capsys.readouterr().out) == (
        "ok       a: 1\\x1b\nwarning  b: 2\n         do\nproblem  c: 3\n         this\n1 problem found\n"
    )
    assert report(ENGLISH, checks, is_json=True) == 1
    assert json.loads(capsys.readouterr().out)["problems"] == 1
    assert report(ENGLISH, checks[:2], is_json=False) == 0
    assert capsys.readouterr().out.endswith("no problems found\n")


def test_a_broken_configuration_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".spycatcher_harness.toml").write_text('[cmds.replay]\nmatch_mode = "nope"\n')
    assert main(["doctor", "--json"]) == 1
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["configuration"]["health"] == "problem" and "match_mode" in checks["configuration"]["value"]
    assert checks["python"]["health"] == "ok"
