"""``spycatcher-harness serve-tapes``: one server for the tapes of many tests, told what to do in lines of JSON.

This is the other half of the pytest plugin, which runs in an environment of its own that may lack all our dependencies.
It is an interface for programs: nothing here is localized, and it belongs to the version of the plugin beside it
(:data:`PROTOCOL`).

Standard input, one object per line, each with an ``id`` that its answer repeats:

* ``{"op": "open", "token", "cassette_dir", "cassette_name", "mode", "is_explicit", "settings"}``, where ``settings`` is a
  table as below ``[cmds.auto]``;
* ``{"op": "report", "token"}``;
* ``{"op": "close", "token", "succeeded"}``.

Standard output: ``{"ready": {"protocol", "version", "url"}}``, then ``{"id", "ok": {...}}`` or
``{"id", "error": {"type", "message"}}`` for each. The end of standard input stops the server.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Mapping
from typing import Any

from spycatcher_addon.choices import RecordMode
from spycatcher_addon.config import HarnessConfig, ListenAddr, Mode
from spycatcher_addon.edge.layers import resolve_config
from spycatcher_addon.edge.server import host
from spycatcher_addon.edge.tape_rack import TapeRack
from spycatcher_addon.edge.tape_run import TapeReport
from spycatcher_addon.edge.terminal import log_to_standard_error
from spycatcher_addon.errors import HarnessError, HarnessIOError, InvalidConfigError
from spycatcher_addon.layering import SECTIONS, Place, find_unknown_key, keys_beside, nearest_setting
from spycatcher_addon.record_modes import select_mode
from spycatcher_addon.tape_address import tape_path
from spycatcher_addon.version import VERSION

PROTOCOL = 1
"""Grows with every change that an older plugin could not live with."""

_COUNTS = ("interactions", "matched", "mismatched", "rejected", "recorded", "failed", "abandoned", "refused", "error_statuses")

_OF_THE_SERVER = frozenset(
    {
        ("listen",),
        ("mode",),
        ("cassette_dir",),
        ("cassette_name",),
        ("auto",),
        ("limits",),
        ("localization",),
        ("fail_unused",),
        ("shutdown_grace_s",),
        ("upstream", "connect_timeout_s"),
        ("upstream", "total_timeout_s"),
        ("upstream", "idle_timeout_s"),
    }
)
"""Settings that one tape cannot have for itself."""


class TapeServer:
    """The commands, in front of a rack of tapes."""

    def __init__(self, base: HarnessConfig, environ: Mapping[str, str], cwd: str) -> None:
        self.rack = TapeRack(base, environ)
        self.url = ""
        """``http://host:port`` of the listener."""
        self._environ = environ
        self._cwd = cwd
        self._configs: dict[str, HarnessConfig] = {}

    async def handle(self, line: str | bytes) -> dict[str, Any]:
        """Carry out one command; whatever goes wrong is in the answer."""
        number: object = None
        try:
            command = json.loads(line)
            number = command.get("id")
            return {"id": number, "ok": await self._carry_out(command)}
        except HarnessError as error:
            message = f"{error}: {error.source}" if isinstance(error, HarnessIOError) else str(error)
            return {"id": number, "error": {"type": type(error).__name__, "message": message}}
        except Exception as error:  # a mistake in a command, or in here: the server must go on for the other tests
            return {"id": number, "error": {"type": type(error).__name__, "message": f"{type(error).__name__}: {error}"}}

    async def _carry_out(self, command: Mapping[str, Any]) -> dict[str, Any]:
        match command["op"]:
            case "open":
                return await self._open(command)
            case "report":
                return _as_json(self.rack.report(command["token"]))
            case "close":
                return _as_json(await self.rack.close_tape(command["token"], command["succeeded"]))
            case unknown:
                raise InvalidConfigError(f"unknown command {unknown!r}; plugin and command are of different versions")

    async def _open(self, command: Mapping[str, Any]) -> dict[str, Any]:
        config = self._config_for(command["settings"]).model_copy(
            update={"cassette_dir": command["cassette_dir"], "cassette_name": command["cassette_name"]}
        )
        try:
            wanted = RecordMode(command["mode"])
        except ValueError:
            raise InvalidConfigError(f"unknown mode {command['mode']!r}; the modes are {', '.join(RecordMode)}") from None
        mode = select_mode(wanted, command["is_explicit"], self._environ)
        run = await self.rack.open_tape(command["token"], config, mode)
        return {"base_url": self.url + tape_path(command["token"]), "notices": list(run.notices), **_as_json(run.report())}

    def _config_for(self, settings: Mapping[str, Any]) -> HarnessConfig:
        """Merge the settings of one tape over files and environment, which are read once for each different set."""
        key = json.dumps(settings, sort_keys=True)
        if key not in self._configs:
            self._configs[key] = _resolve(self._environ, self._cwd, flatten_settings(settings))
        return self._configs[key]


def flatten_settings(settings: Mapping[str, Any], above: Place = ()) -> dict[str, object]:
    """Nested tables of settings as dotted keys.

    Raises:
        InvalidConfigError: A key is unknown, or one that holds for the whole server.
    """
    unknown = find_unknown_key(settings, above)
    if unknown is not None:
        nearest = nearest_setting(unknown)
        hint = f"did you mean `{'.'.join(nearest)}`?" if nearest else f"known here: {', '.join(keys_beside(unknown))}"
        raise InvalidConfigError(f"unknown setting `{'.'.join(unknown)}` for a test; {hint}")
    flat: dict[str, object] = {}
    for key, value in settings.items():
        place = (*above, key)
        if place in _OF_THE_SERVER:
            raise InvalidConfigError(
                f"the setting `{'.'.join(place)}` holds for all tests of a run; "
                "set it under [cmds.auto] in a configuration file, or in the environment"
            )
        if place in SECTIONS and isinstance(value, Mapping):
            flat |= flatten_settings(value, place)
        else:
            flat[".".join(place)] = value
    return flat


def main(arguments: list[str], environ: Mapping[str, str] = os.environ) -> int:
    """Serve until standard input ends; gives the exit code."""
    # What anything else prints must not get between our lines.
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    log_to_standard_error(logging.WARNING)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for pytest, which still has tapes to close

    def say(value: object) -> None:
        output.write(json.dumps(value) + "\n")
        output.flush()

    try:
        if arguments:
            raise InvalidConfigError("serve-tapes takes no arguments; it is for the pytest plugin")
        base = _resolve(environ, os.getcwd(), {}).model_copy(update={"listen": ListenAddr("127.0.0.1", 0)})
        asyncio.run(_serve(base, environ, say))
    except HarnessError as error:
        say({"failed": {"type": type(error).__name__, "message": str(error)}})
        return 1
    except BrokenPipeError:  # the plugin is gone
        return 0
    return 0


async def _serve(base: HarnessConfig, environ: Mapping[str, str], say: Any) -> None:
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    server = TapeServer(base, environ, os.getcwd())
    harness = await host(base, server.rack, environ)
    server.url = f"http://{harness.addr}"
    tasks: set[asyncio.Task[None]] = set()

    async def carry_out(line: bytes) -> None:
        say(await server.handle(line))

    try:
        loop.add_signal_handler(signal.SIGTERM, lines.put_nowait, b"")
        threading.Thread(target=_read_lines, args=(loop, lines), daemon=True).start()
        say({"ready": {"protocol": PROTOCOL, "version": VERSION, "url": server.url}})
        while line := await lines.get():
            task = asyncio.create_task(carry_out(line))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        if tasks:
            await asyncio.wait(tasks, timeout=base.shutdown_grace_s)
    finally:
        await harness.shutdown(grace=0)


def _read_lines(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes]) -> None:
    """Pass standard input on line by line; an empty one at its end. In a thread, as not every system can wait for it otherwise."""
    try:
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")
    except RuntimeError:
        pass  # the loop has ended before standard input


def _resolve(environ: Mapping[str, str], cwd: str, settings: Mapping[str, object]) -> HarnessConfig:
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return resolve_config(Mode.AUTO, settings, environ, cwd, home, cli_origin=lambda place: f"the test ({'.'.join(place)})").config


def _as_json(report: TapeReport) -> dict[str, Any]:
    stats = report.stats
    return {
        "mode": report.mode.value,
        "has_replayed": report.has_replayed,
        "has_recorded": report.has_recorded,
        "is_kept": None if report.verdict is None else report.verdict.is_kept,
        "reason": "" if report.verdict is None else report.verdict.reason,
        "refusals": [{"kind": refusal.kind, "message": refusal.message} for refusal in report.refusals],
        "unused": list(stats.unused),
        **{name: getattr(stats, name) for name in _COUNTS},
    }
