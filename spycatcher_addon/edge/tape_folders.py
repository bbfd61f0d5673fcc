"""Which cassettes a path means: itself, or all that lie in the folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

_HEAD_BYTES = 1 << 16
_CASSETTE_SUFFIXES = ("", ".json", ".cassette")
_VERSION = re.compile(rb'"format_version"\s*:\s*-?\d')
"""Plans of other tools have a member of that name too, but a text in it."""


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """What paths led to."""

    paths: tuple[str, ...]
    passed_over: tuple[str, ...] = ()
    """Files in folders that are something else."""


def find_files(paths: Iterable[str], is_wanted: Callable[[str], bool]) -> FoundFiles:
    """Replace each folder by the files in it, its subfolders included, in the order of their names.

    Hidden files, lock files and linked folders are left out. A path that is no folder stays, whatever is there.

    Args:
        is_wanted: Decides about a file in a folder.

    Raises:
        OSError: A folder cannot be read.
    """
    found: dict[str, None] = {}
    passed_over: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            found[path] = None
            continue
        for file in _files_below(path):
            if is_wanted(file):
                found[file] = None
            else:
                passed_over.append(file)
    return FoundFiles(tuple(found), tuple(passed_over))


def _files_below(folder: str) -> Iterable[str]:
    for above, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(above, name)
            # Whoever opens a pipe waits for its other end.
            if not name.startswith(".") and not name.endswith(".lock") and os.path.isfile(path):
                yield path


def _raise(error: OSError) -> None:
    raise error


def may_be_cassette(path: str) -> bool:
    """Whether a file is a cassette or what is left of one, and not clearly something else.

    A damaged one is told by what cassettes alone have near their beginning or end, and an empty one, or one of nothing but
    zero bytes as a crash leaves them, by a name that could be a cassette's.
    """
    with suppress(OSError), open(path, "rb") as file:
        head = file.read(_HEAD_BYTES)
        if not head.strip(b"\0 \t\r\n"):
            return os.path.splitext(path)[1] in _CASSETTE_SUFFIXES
        file.seek(max(len(head), file.seek(0, os.SEEK_END) - _HEAD_BYTES))
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        return start.startswith((b"{", b"<<<<<<< ")) and _VERSION.search(head + file.read()) is not None
    return True  # whoever reads it will say why it cannot be


def looks_like_cassette(path: str) -> bool:
    """Whether a file begins as a cassette does, damaged or not."""
    with suppress(OSError), open(path, "rb") as file:
        head = file.read(_HEAD_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip()
        return head.startswith(b"{") and b'"format_version"' in head
    return False
