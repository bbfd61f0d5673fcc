"""Tape files that no test uses."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from spycatcher_addon.pytest_plugin.naming import FOLDER

_SNIFFED_BYTES = 512


@dataclass(frozen=True)
class Scope:
    """Which tapes a run can judge: it knows the tests it has collected, and no others."""

    folders: tuple[str, ...]
    """Searched through for folders of tapes."""
    modules: tuple[str, ...] = ()
    """Folders of the tapes of single test files, where only those were collected."""


def find_orphans(scope: Scope, used: Collection[str]) -> list[str]:
    """The tapes in scope that are not among the used ones, sorted.

    Args:
        used: Absolute paths.
    """
    return sorted({path for path in _tapes(scope) if path not in used})


def _tapes(scope: Scope) -> Iterator[str]:
    for folder in scope.folders:
        for above, names, _ in os.walk(folder):
            names[:] = [name for name in names if not name.startswith(".") and name != "node_modules"]
            if FOLDER in names:
                names.remove(FOLDER)
                yield from _tapes_below(os.path.join(above, FOLDER))
    for folder in scope.modules:
        yield from _tapes_below(folder)


def _tapes_below(folder: str) -> Iterator[str]:
    for above, _, names in os.walk(folder):
        yield from (path for path in _json_files(above, names) if _is_tape(path))


def _json_files(folder: str, names: Iterable[str]) -> Iterator[str]:
    return (os.path.join(folder, name) for name in names if name.endswith(".json") and not name.startswith("."))


def _is_tape(path: str) -> bool:
    """Whether a file looks like one of ours: other tools keep their own recordings in folders of this name."""
    try:
        with open(path, "rb") as file:
            return b'"format_version"' in file.read(_SNIFFED_BYTES)
    except OSError:
        return False
