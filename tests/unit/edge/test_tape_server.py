"""The commands of the tape server; the process around it is tested in tests/e2e/test_cli_auto.py."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.edge.tape_server import TapeServer, flatten_settings
from spycatcher_addon.errors import InvalidConfigError

TOKEN = "0123456789abcdef"


def server_in(folder: Path, **environ: str) -> TapeServer:
    server = TapeServer(HarnessConfig(), {"HOME": str(folder), **environ}, str(folder))
    server.url = "http://127.0.0.1:1"
    return server


def open_command(folder: Path, **changes: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "op": "open",
        "token": TOKEN,
        "cassette_dir": str(folder),
        "cassette_name": "tape.json",
        "mode": "once",
        "is_explicit": False,
        "settings": {"upstream": {"base_url": "http://127.0.0.1:1/v1"}},
        **changes,
    }


def handle(server: TapeServer, *commands: dict[str, Any]) -> list[dict[str, Any]]:
    async def run() -> list[dict[str, Any]]:
        return [await server.handle(json.dumps(command)) for command in commands]

    return asyncio.run(run())


def test_open_report_close(tmp_path: Path) -> None:
    opened, reported, closed, gone = handle(
        server_in(tmp_path),
        open_command(tmp_path),
        {"id": 8, "op": "report", "token": TOKEN},
        {"id": 9, "op": "close", "token": TOKEN, "succeeded": True},
        {"id": 10, "op": "report", "token": TOKEN},
    )
    assert opened["id"] == 7
    assert opened["ok"]["base_url"] == f"http://127.0.0.1:1/_tape/{TOKEN}/v1"
    assert (opened["ok"]["mode"], opened["ok"]["has_recorded"], reported["ok"]["is_kept"]) == ("once", True, None)
    assert (closed["ok"]["is_kept"], closed["ok"]["reason"]) == (False, "nothing was recorded")
    assert gone == {"id": 10, "error": gone["error"]} and gone["error"]["type"] == "InvalidConfigError"


@pytest.mark.parametrize(
    ("changes", "environ", "expected"),
    [
        pytest.param({"mode": "onse"}, {}, "unknown mode 'onse'; the modes are replay, once", id="mode"),
        pytest.param({"mode": "replay"}, {}, "cassette not found: tape.json", id="missing tape"),
        pytest.param({}, {"CI": "true"}, "cassette not found: tape.json", id="CI replays"),
        pytest.param({"settings": {}}, {}, "upstream configuration is required", id="no upstream"),
        pytest.param({"settings": {"match_mod": "keyed"}}, {}, "did you mean `match_mode`?", id="unknown key"),
        pytest.param({"settings": {"match_mode": "keyd"}}, {}, "from the test (match_mode)", id="wrong value"),
        pytest.param({"cassette_name": "../tape.json"}, {}, "path traversal", id="escape"),
        pytest.param({"token": "short"}, {}, "a tape's token is", id="token"),
    ],
)
def test_refused(tmp_path: Path, changes: dict[str, Any], environ: dict[str, str], expected: str) -> None:
    (answer,) = handle(server_in(tmp_path, **environ), open_command(tmp_path, **changes))
    assert answer["id"] == 7 and expected in answer["error"]["message"]
    assert list(tmp_path.iterdir()) == []


def test_ci_records_when_told_so(tmp_path: Path) -> None:
    opened, _ = handle(
        server_in(tmp_path, CI="1"), open_command(tmp_path, is_explicit=True), {"id": 1, "op": "close", "token": TOKEN, "succeeded": False}
    )
    assert opened["ok"]["has_recorded"]


def test_settings_of_files_and_environment_lie_below_those_of_the_test(tmp_path: Path) -> None:
    (tmp_path / ".spycatcher_harness.toml").write_text('[cmds.auto.matching]\nignore_paths = ["/a"]\n[cmds.auto]\nmatch_mode = "keyed"\n')
    server = server_in(tmp_path, SPYCATCHER_HARNESS_CMDS_AUTO_UPSTREAM__BASE_URL="http://env/v1")
    config = server._config_for({"matching": {"ignore_paths": ["/b"]}})
    assert (config.matching.ignore_paths, config.match_mode, config.upstream and config.upstream.base_url) == (
        ("/b",),
        "keyed",
        "http://env/v1",
    )
    assert server._config_for({"matching": {"ignore_paths": ["/b"]}}) is config, "read once for each set of settings"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {}),
        ({"match_mode": "keyed"}, {"match_mode": "keyed"}),
        (
            {"upstream": {"kind": "openai", "extra_headers": {"x-a": "b"}}, "replay": {"timing": "recorded"}},
            {"upstream.kind": "openai", "upstream.extra_headers": {"x-a": "b"}, "replay.timing": "recorded"},
        ),
    ],
)
def test_flat_settings(settings: dict[str, Any], expected: dict[str, object]) -> None:
    assert flatten_settings(settings) == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"listen": "127.0.0.1:1"},
        {"limits": {"max_body_bytes": 1}},
        {"upstream": {"total_timeout_s": 1}},
        {"auto": {"mode": "all"}},
        {"mode": "x"},
    ],
)
def test_settings_of_the_whole_server_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfigError, match="holds for all tests of a run"):
        flatten_settings(settings)
