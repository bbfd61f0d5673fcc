"""One pytest run: its modes, its harness process, the tape of each test."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from spycatcher_addon.pytest_plugin.child import Child, ChildError, find_command
from spycatcher_addon.pytest_plugin.naming import FOLDER, BadNameError, named_tape, tape_name
from spycatcher_addon.pytest_plugin.orphans import Scope, find_orphans
from spycatcher_addon.pytest_plugin.reports import TapeReport
from spycatcher_addon.tape_address import TAPE_HEADER

MARKER = "spycatcher"
MODES = ("replay", "once", "new_episodes", "all", "rewrite", "off")
UNUSED = ("ignore", "fail")
API_KEY = "no-key-is-needed-while-spycatcher-answers"
"""What the program under test gets as its key; the harness has the real one, if there is one."""

_PLUGIN_SETTINGS = ("mode", "unused", "cassette_dir", "ignore_paths")
"""Settings of the plugin itself, beside those of the harness."""


class TapeError(Exception):
    """A tape could not be opened or closed; the text is for the user."""


@dataclass(frozen=True)
class Tape:
    """The tape of one test, as the ``spycatcher`` fixture gives it."""

    base_url: str
    """What the client under test takes as its base URL; ``OPENAI_BASE_URL`` holds it too."""
    api_key: str
    """A stand-in that is good enough for a client; ``OPENAI_API_KEY`` holds it too."""
    headers: Mapping[str, str]
    """For a client whose base URL cannot change from test to test: ``server_url`` with these names the tape as well."""
    server_url: str
    """The base URL that is the same for all tests of a run."""
    path: Path
    """The cassette file; it may not exist yet."""
    mode: str
    """The mode that holds, one of ``replay``, ``once``, ``new_episodes``, ``all``, ``rewrite``, ``off``."""
    env: Mapping[str, str]
    """The environment variables that are set while the test runs."""
    _shown_path: str = field(repr=False)
    _child: Child = field(repr=False)
    _token: str = field(repr=False)
    _log_start: int = field(repr=False)

    def log(self) -> str:
        """What the harness has written to standard error since the tape was opened."""
        return self._child.log_since(self._log_start)

    def report(self) -> TapeReport:
        """What came of the tape up to now.

        Raises:
            TapeError: The harness is gone.
        """
        try:
            return TapeReport.parse(self._shown_path, self._child.ask("report", token=self._token))
        except ChildError as error:
            raise TapeError(str(error)) from None


@dataclass(frozen=True)
class Wanted:
    """What a test asks for, from its marker, its configuration fixture and the options of the run."""

    folder: str
    """Absolute; holds the tapes of the test file's folder."""
    name: str
    mode: str
    is_explicit: bool
    """Whether the mode holds even where ``CI`` is set."""
    unused: str
    settings: Mapping[str, Any]

    @property
    def path(self) -> str:
        return os.path.join(self.folder, self.name)


class Session:
    """What one pytest process knows; under xdist each worker has one, and the controller another."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._child: Child | None = None
        self._start_failure: str | None = None
        self.reports: list[TapeReport] = []
        self.known_paths: set[str] = set()
        """Tapes of all collected and all run tests."""
        self.collected_files: set[str] = set()

    # --- what a test asks for -----------------------------------------------------------------------------------------

    def wanted(self, item: pytest.Item, configured: Mapping[str, Any]) -> Wanted:
        """Put together what holds for a test.

        Args:
            configured: What the ``spycatcher_config`` fixture gave.

        Raises:
            TapeError: Marker, fixture or ini key have a value that cannot be used.
        """
        name, marked = _read_marker(item)
        settings = _merged(dict(configured), marked)
        option = self._config.getoption("spycatcher_mode")
        own = {key: settings.pop(key) for key in _PLUGIN_SETTINGS if key in settings}
        mode = own.get("mode") or self._config.getini("spycatcher_mode")
        unused = own.get("unused") or self._config.getini("spycatcher_unused")
        for what, value, allowed in (("mode", mode, MODES), ("unused", unused, UNUSED)):
            if value not in allowed:
                raise TapeError(f"unknown spycatcher {what} {value!r}; use one of {', '.join(allowed)}")
        if "ignore_paths" in own:
            settings = _merged(settings, {"matching": {"ignore_paths": list(own["ignore_paths"])}})
        folder = os.path.join(item.path.parent, own.get("cassette_dir", FOLDER))
        is_explicit = option is not None or bool(self._config.getini("spycatcher_record_in_ci"))
        return Wanted(folder, _name_of(item, name), option or mode, is_explicit, unused, settings)

    def note_collected(self, item: pytest.Item, is_ours: bool) -> None:
        """Remember a test for the search for orphans."""
        self.collected_files.add(str(item.path))
        if is_ours:
            with contextlib.suppress(TapeError):  # the test itself will say so
                self.known_paths.add(self.wanted(item, {}).path)

    # --- tapes --------------------------------------------------------------------------------------------------------

    def open_tape(self, wanted: Wanted) -> Tape:
        """Open the tape of a test, starting the harness if this is the first.

        Raises:
            TapeError: It cannot be opened.
        """
        self.known_paths.add(wanted.path)
        token = secrets.token_urlsafe(24)
        try:
            child = self._living_child()
            log_start = child.log_length()
            opened = child.ask(
                "open",
                token=token,
                cassette_dir=wanted.folder,
                cassette_name=wanted.name,
                mode=wanted.mode,
                is_explicit=wanted.is_explicit,
                settings=wanted.settings,
            )
        except (ChildError, TypeError) as error:  # TypeError: a setting that JSON cannot say
            raise TapeError(self._explain(str(error), wanted)) from None
        names = [*((name, opened["base_url"]) for name in self._config.getini("spycatcher_base_url_variables"))]
        names += ((name, API_KEY) for name in self._config.getini("spycatcher_api_key_variables"))
        return Tape(
            base_url=opened["base_url"],
            api_key=API_KEY,
            headers={TAPE_HEADER: token},
            server_url=f"{child.url}/v1",
            path=Path(wanted.path),
            mode=opened["mode"],
            env={**dict(names), **_no_proxy(os.environ)},
            _shown_path=self._shown(Path(wanted.path)),
            _child=child,
            _token=token,
            _log_start=log_start,
        )

    def close_tape(self, tape: Tape, succeeded: bool) -> TapeReport:
        """Close the tape of a test; what was recorded is kept if the test succeeded.

        Raises:
            TapeError: The harness is gone, or the recording could not be put in its place.
        """
        try:
            report = TapeReport.parse(tape._shown_path, tape._child.ask("close", token=tape._token, succeeded=succeeded))
        except ChildError as error:
            raise TapeError(str(error)) from None
        self.reports.append(report)
        return report

    def _explain(self, problem: str, wanted: Wanted) -> str:
        if problem.startswith("cassette not found:"):
            return (
                f"there is no cassette {self._shown(Path(wanted.path))}, and nothing is recorded in mode replay; "
                "record it with: pytest --spycatcher=once"
            )
        return f"the cassette {self._shown(Path(wanted.path))} cannot be used: {problem}"

    def _shown(self, path: Path) -> str:
        root = self._config.rootpath
        return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)

    def _living_child(self) -> Child:
        if self._start_failure is not None:
            raise ChildError(self._start_failure)
        if self._child is not None and not self._child.is_alive:
            self._child.stop()
            self._child = None
        if self._child is None:
            try:
                command = find_command(self._config.getini("spycatcher_command"), os.environ)
                self._child = Child(command, str(self._config.rootpath))
            except ChildError as error:
                self._start_failure = str(error)  # it would be the same for every other test, and take as long
                raise
        return self._child

    def stop(self) -> None:
        """End the harness."""
        if self._child is not None:
            self._child.stop()
            self._child = None

    # --- the end of the run -------------------------------------------------------------------------------------------

    def as_table(self) -> dict[str, Any]:
        """For the controller of xdist, which takes plain values only."""
        return {
            "reports": [asdict(report) for report in self.reports],
            "known_paths": sorted(self.known_paths),
            "collected_files": sorted(self.collected_files),
        }

    def take_table(self, table: Mapping[str, Any]) -> None:
        """Take over what a worker of xdist knows."""
        for report in table["reports"]:
            refusals = tuple((kind, message) for kind, message in report["refusals"])
            self.reports.append(TapeReport(**{**report, "refusals": refusals, "unused": tuple(report["unused"])}))
        self.known_paths.update(table["known_paths"])
        self.collected_files.update(table["collected_files"])

    def orphans(self) -> list[str]:
        """Tapes that no collected test uses, as paths to show."""
        arguments = [str(argument) for argument in self._config.args]
        folders = tuple(argument for argument in arguments if os.path.isdir(argument))
        if len(folders) == len(arguments):
            scope = Scope(tuple(os.path.abspath(folder) for folder in folders))
        else:  # only the files named on the command line are known
            scope = Scope((), tuple(os.path.join(Path(file).parent, FOLDER, Path(file).stem) for file in self.collected_files))
        return [self._shown(Path(path)) for path in find_orphans(scope, self.known_paths)]


def _read_marker(item: pytest.Item) -> tuple[str | None, dict[str, Any]]:
    """Name and settings from the markers of a test; the one nearest to the test wins."""
    name: str | None = None
    settings: dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers(MARKER))):
        if len(marker.args) > 1 or not all(isinstance(argument, str) for argument in marker.args):
            raise TapeError("@pytest.mark.spycatcher takes one cassette name, and settings as keywords")
        name = marker.args[0] if marker.args else name
        settings = _merged(settings, marker.kwargs)
    return name, settings


def _name_of(item: pytest.Item, given: str | None) -> str:
    module = item.path.stem
    if given is not None:
        try:
            return named_tape(module, given)
        except BadNameError as error:
            raise TapeError(str(error)) from None
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    callspec = getattr(item, "callspec", None)
    function = getattr(item, "originalname", None) or item.name
    return tape_name(module, classes, function, None if callspec is None else callspec.id)


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Tables key by key, everything else replaced."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _no_proxy(environ: Mapping[str, str]) -> dict[str, str]:
    """Keep clients from asking a proxy for this machine, where one is configured."""
    if not any(environ.get(name) for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")):
        return {}
    given = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    return dict.fromkeys(("no_proxy", "NO_PROXY"), f"{given},127.0.0.1" if given else "127.0.0.1")
