"""Finding the harness and talking to it, with small scripts in its place."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from spycatcher_addon.edge import tape_server
from spycatcher_addon.pytest_plugin import child
from spycatcher_addon.pytest_plugin.child import Child, ChildError, find_command

READY = 'print(\'{"ready": {"protocol": 1, "version": "t", "url": "http://127.0.0.1:1"}}\', flush=True)\n'
ECHO = (
    READY
    + """
import json, sys
print("log line", file=sys.stderr, flush=True)
for line in sys.stdin:
    command = json.loads(line)
    if command["op"] == "refuse":
        print(json.dumps({"id": command["id"], "error": {"type": "X", "message": "refused"}}), flush=True)
    elif command["op"] == "die":
        print("last words", file=sys.stderr)
        sys.exit(7)
    elif command["op"] == "chatter":
        print("chatter", flush=True)
    else:
        print(json.dumps({"id": command["id"] - 1, "ok": {"late": True}}), flush=True)
        print(json.dumps({"id": command["id"], "ok": command}), flush=True)
"""
)


def command_for(folder: Path, source: str) -> list[str]:
    path = folder / "fake.py"
    path.write_text(source)
    return [sys.executable, str(path)]


def test_both_halves_speak_the_same_protocol() -> None:
    assert child.PROTOCOL == tape_server.PROTOCOL


@pytest.mark.parametrize(
    ("configured", "environ", "found", "expected"),
    [
        ("uvx 'a b' x", {"SPYCATCHER_HARNESS_COMMAND": "other"}, "/bin/h", ["uvx", "a b", "x"]),
        (" ", {"SPYCATCHER_HARNESS_COMMAND": "pipx run h"}, "/bin/h", ["pipx", "run", "h"]),
        ("", {"SPYCATCHER_HARNESS_COMMAND": ""}, "/bin/h", ["/bin/h"]),
        ("", {}, None, [sys.executable, "-m", "spycatcher_addon"]),
    ],
)
def test_the_order_in_which_the_command_is_looked_for(
    configured: str, environ: dict[str, str], found: str | None, expected: list[str]
) -> None:
    assert find_command(configured, environ, lambda name: found if name == "spycatcher-harness" else None) == expected


def test_a_command_with_an_open_quote_is_told() -> None:
    with pytest.raises(ChildError, match="cannot understand the command 'h: No closing quotation; check spycatcher_command"):
        find_command("'h", {})


def test_questions_and_answers(tmp_path: Path) -> None:
    running = Child(command_for(tmp_path, ECHO), str(tmp_path))
    assert running.url == "http://127.0.0.1:1" and running.is_alive
    assert running.ask("open", token="t") == {"id": 1, "op": "open", "token": "t"}
    with pytest.raises(ChildError, match="^refused$"):
        running.ask("refuse")
    results: list[object] = []
    threads = [threading.Thread(target=lambda n=n: results.append(running.ask("x", n=n)["n"])) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(8))  # type: ignore[type-var]
    running.stop()
    running.stop()
    assert not running.is_alive


def test_the_log_can_be_read_in_parts(tmp_path: Path) -> None:
    running = Child(command_for(tmp_path, ECHO), str(tmp_path))
    running.ask("x")
    assert running.log_since(0) == "log line"
    assert running.log_since(running.log_length()) == ""
    running.stop()


def test_an_end_is_told_with_code_and_last_words_and_again(tmp_path: Path) -> None:
    running = Child(command_for(tmp_path, ECHO), str(tmp_path))
    with pytest.raises(ChildError, match=r"(?s)ended with code 7 when asked to die a tape:.*last words"):
        running.ask("die")
    with pytest.raises(ChildError, match="ended with code 7"):
        running.ask("x")
    assert not running.is_alive
    running.stop()


def test_chatter_is_named(tmp_path: Path) -> None:
    running = Child(command_for(tmp_path, ECHO), str(tmp_path))
    with pytest.raises(ChildError, match="it said: chatter"):
        running.ask("chatter")
    running.stop()


def test_silence_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "_START_TIMEOUT_S", 0.05)
    with pytest.raises(ChildError, match="did not answer within 0 s when asked to start"):
        Child(command_for(tmp_path, "import sys; sys.stdin.read()"), str(tmp_path))
