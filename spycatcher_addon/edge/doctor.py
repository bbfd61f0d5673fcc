"""The command ``doctor``: look at the environment, say what stands in the way, and what to do about it.

Binds its port for a moment and writes one temporary file; changes nothing else and asks nobody. Values of variables are
never shown: they may hold credentials.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from importlib import metadata
from typing import TYPE_CHECKING

from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.edge.terminal import write_out
from spycatcher_addon.errors import CassetteNotFoundError, HarnessError
from spycatcher_addon.version import VERSION

if TYPE_CHECKING:
    from spycatcher_addon.cassette.jsontext import JsonValue
    from spycatcher_addon.config import HarnessConfig

_OLDEST_PYTHON = (3, 12)
_MITMPROXY = ((12, 3), (13,))
"""The oldest version that is known to work, and the first one that is not."""
_PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_LOOPBACK_NAMES = ("127.0.0.1", "localhost")
_PLAUSIBLE_YEARS = range(2024, 2100)
_MAX_DRIFT_S = 60


class Health(StrEnum):
    """Tags in the output, the same in every language."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    health: Health
    value: str
    """What was found."""
    cure: str = ""
    """What to do, unless all is well."""


def examine(
    texts: Texts, config: HarnessConfig, recorder: HarnessConfig | None, broken: str | None, environ: Mapping[str, str], home: str | None
) -> tuple[Check, ...]:
    """Make all checks.

    Args:
        config: What ``replay`` would use; defaults where its configuration is broken.
        recorder: What ``record`` would use; ``None`` where its configuration is broken.
        broken: What is wrong with the configuration, if anything.
        home: The user's home directory, where mitmproxy keeps its certificate authority.
    """
    configuration = Check("configuration", Health.OK, "-") if broken is None else Check("configuration", Health.PROBLEM, broken)
    return (
        Check("spycatcher-harness", Health.OK, VERSION),
        _python(texts, sys.version_info[:3]),
        _mitmproxy(texts),
        configuration,
        *_proxies(texts, environ),
        *_client(texts, environ),
        *_key(texts, recorder, environ),
        _port(texts, config.listen.host, config.listen.port),
        _cassette(texts, config.cassette_path),
        *_authority(texts, home),
        *_clocks(texts, datetime.now(UTC)),
    )


def report(texts: Texts, checks: tuple[Check, ...], is_json: bool) -> int:
    """Print the checks; returns 1 when there is a problem, else 0."""
    from spycatcher_addon.edge.tape_view import on_one_line, show_json

    problems = sum(check.health is Health.PROBLEM for check in checks)
    if is_json:
        members: list[JsonValue] = [
            {"name": check.name, "health": check.health.value, "value": check.value, "cure": check.cure} for check in checks
        ]
        show_json({"checks": members, "problems": problems})
    else:
        lines = [f"{check.health:<8} {check.name}: {on_one_line(check.value)}\n" for check in checks]
        cures = [f"         {check.cure}\n" if check.cure else "" for check in checks]
        write_out("".join(line + cure for line, cure in zip(lines, cures, strict=True)))
        write_out(f"{texts('verify-found', count=problems) if problems else texts('cli-doctor-fine')}\n")
    return 1 if problems else 0


def _python(texts: Texts, found: tuple[int, ...]) -> Check:
    wanted = ".".join(map(str, _OLDEST_PYTHON))
    is_good = found >= _OLDEST_PYTHON
    value = f"{'.'.join(map(str, found))} ({platform.system()} {platform.machine()})"
    return Check("python", Health.OK if is_good else Health.PROBLEM, value, "" if is_good else texts("cli-doctor-python", wanted=wanted))


def _mitmproxy(texts: Texts) -> Check:
    oldest, too_new = _MITMPROXY
    try:
        found = metadata.version("mitmproxy")
    except metadata.PackageNotFoundError:
        found = "-"
    numbers = tuple(int(number) for number in re.findall(r"\d+", found)[:3])
    is_good = oldest <= numbers < too_new
    wanted = f">={'.'.join(map(str, oldest))},<{'.'.join(map(str, too_new))}"
    cure = "" if is_good else texts("cli-doctor-mitmproxy", wanted=wanted)
    return Check("mitmproxy", Health.OK if is_good else Health.PROBLEM, found, cure)


def _proxies(texts: Texts, environ: Mapping[str, str]) -> Iterator[Check]:
    """Most HTTP clients send even requests to this machine through a proxy, unless they are told not to."""
    named = [name for upper in _PROXY_VARIABLES for name in (upper, upper.lower()) if environ.get(name)]
    excluded = re.split(r"[,\s]+", f"{environ.get('NO_PROXY', '')},{environ.get('no_proxy', '')}".lower())
    is_good = not named or "*" in excluded or all(name in excluded for name in _LOOPBACK_NAMES)
    yield Check("proxy", Health.OK if is_good else Health.WARNING, ", ".join(named) or "-", "" if is_good else texts("cli-doctor-proxy"))


def _client(texts: Texts, environ: Mapping[str, str]) -> Iterator[Check]:
    value = environ.get("OPENAI_BASE_URL")
    if value:
        is_local = re.match(r"https?://(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?(/|$)", value, re.IGNORECASE) is not None
        cure = "" if is_local else texts("cli-doctor-base-url")
        yield Check("client", Health.OK if is_local else Health.WARNING, "OPENAI_BASE_URL", cure)


def _key(texts: Texts, recorder: HarnessConfig | None, environ: Mapping[str, str]) -> Iterator[Check]:
    upstream = None if recorder is None else recorder.upstream
    if upstream is not None and upstream.api_key_required:
        is_set = bool(environ.get(upstream.api_key_env))
        yield Check("key", Health.OK if is_set else Health.WARNING, upstream.api_key_env, "" if is_set else texts("cli-doctor-key"))


def _port(texts: Texts, host: str, port: int) -> Check:
    shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if os.name != "nt":  # there it would allow what the harness itself is refused
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            probe.listen()
    except OSError as error:
        return Check("listen", Health.PROBLEM, f"{shown} ({error.strerror or error})", texts("cli-doctor-port"))
    return Check("listen", Health.OK, shown)


def _cassette(texts: Texts, path: str) -> Check:
    try:
        loaded = read_cassette(path)
    except CassetteNotFoundError:
        return Check("cassette", Health.WARNING, path, texts("cli-doctor-no-cassette"))
    except HarnessError as error:
        return Check("cassette", Health.PROBLEM, path, texts.error(error))
    if loaded.warnings:
        return Check("cassette", Health.WARNING, path, " ".join(loaded.warnings))
    return Check("cassette", Health.OK, path)


def _authority(texts: Texts, home: str | None) -> Iterator[Check]:
    """The folder of mitmproxy's certificate authority; only clients that speak TLS to the harness need it."""
    if not home:
        return
    folder = os.path.join(home, ".mitmproxy")
    key = os.path.join(folder, "mitmproxy-ca.pem")
    writable = folder if os.path.isdir(folder) else home
    if not os.access(writable, os.W_OK | os.X_OK):
        yield Check("ca", Health.WARNING, folder, texts("cli-doctor-ca-folder"))
        return
    is_open = False
    with contextlib.suppress(OSError):
        is_open = os.name != "nt" and bool(os.stat(key).st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    yield Check("ca", Health.WARNING if is_open else Health.OK, key if is_open else folder, texts("cli-doctor-ca-open") if is_open else "")


def _clocks(texts: Texts, now: datetime) -> Iterator[Check]:
    """The clock of the system, and that of the file system, which need not be the same in a container or on a share."""
    shown = f"{now:%Y-%m-%dT%H:%M:%SZ}"
    if now.year not in _PLAUSIBLE_YEARS:
        yield Check("clock", Health.PROBLEM, shown, texts("cli-doctor-clock"))
        return
    drift_s = 0.0
    with contextlib.suppress(OSError), tempfile.TemporaryFile() as file:
        file.write(b"x")
        file.flush()
        drift_s = os.fstat(file.fileno()).st_mtime - time.time()
    is_good = abs(drift_s) < _MAX_DRIFT_S
    cure = "" if is_good else texts("cli-doctor-clock-drift", seconds=f"{drift_s:.0f}")
    yield Check("clock", Health.OK if is_good else Health.WARNING, shown, cure)
