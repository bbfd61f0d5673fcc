"""Reading a cassette without touching it, while a recorder may be appending to it."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass

from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.cassette.schema import parse_cassette
from spycatcher_addon.edge.disk import read_regular_file
from spycatcher_addon.edge.tape_note import read_note, select_good_part
from spycatcher_addon.errors import CassetteNotFoundError, HarnessIOError, InvalidCassetteError
from spycatcher_addon.notices import Notice

_READ_ATTEMPTS = 20
"""How often a reader starts again because a recorder was appending under its eyes."""

type Identity = tuple[int, int]
type Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LoadedCassette:
    """A tape as read, and what its reader should be told."""

    cassette: Cassette
    warnings: tuple[str, ...] = ()


def read_cassette(path: str | os.PathLike[str]) -> LoadedCassette:
    """Load a tape; nothing is written, locked or created, and a recorder may be appending meanwhile.

    Returns:
        The whole tape; or, with a warning, its good part when an append to it is unfinished.

    Raises:
        CassetteNotFoundError: No such file or folder; names the last path component only.
        InvalidCassetteError: Damaged in any other way than by a cut append.
        UnsupportedCassetteFormatVersionError: Written by something newer.
        HarnessIOError: The system will not let it be read.
    """
    return read_cassette_and_bytes(path)[0]


def read_cassette_and_bytes(path: str | os.PathLike[str]) -> tuple[LoadedCassette, bytes]:
    """Load a tape as :func:`read_cassette` does, and keep the bytes that it was read from.

    Returns:
        The tape, and the file; only the good part of that where the tape is no more.

    Raises:
        HarnessError: As :func:`read_cassette`.
    """
    name = os.fspath(path)
    target = resolve_path(name)
    for _ in range(_READ_ATTEMPTS):
        data, status = _read_existing(name, target)
        try:
            return LoadedCassette(parse_cassette(data, name)), data
        except InvalidCassetteError as error:
            damage = error
        good = select_good_part(data, read_note(target), name)
        if good is not None:
            count = len(good.cassette.interactions)
            warning = (
                f"cassette {name} ends in an append that is unfinished; read the {count_of(count)} before it. "
                "Unless a recorder is at work on it now, `spycatcher-harness record` with this cassette repairs it"
            )
            return LoadedCassette(good.cassette, (Notice("notice-tape-unfinished", warning, path=name, count=count),)), good.data
        # The file and its note are read one after the other; between the two a recorder may have moved on.
        if not _has_changed(target, status):
            break
    raise damage


def count_of(count: int) -> str:
    """``1 interaction``, ``2 interactions``: for messages."""
    return f"{count} interaction{'' if count == 1 else 's'}"


def resolve_path(name: str) -> str:
    """The file behind a path: a linked tape is written where it is, and all its names share one lock."""
    try:
        return os.path.realpath(name)
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        raise HarnessIOError(f"cannot use {name!r} as a cassette path: {error}; give another path") from error


def _read_existing(name: str, target: str) -> tuple[bytes, os.stat_result]:
    try:
        return read_regular_file(target)
    except FileNotFoundError as error:
        raise CassetteNotFoundError(os.path.basename(os.path.normpath(name))) from error
    except OSError as error:
        raise io_error("read", name, error) from error


def io_error(action: str, name: str, error: OSError) -> HarnessIOError:
    advice = "make room on the disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "check the path and its permissions"
    return HarnessIOError(f"cannot {action} cassette {name}: {error.strerror or error}; {advice}")


def identity_of(status: os.stat_result) -> Identity:
    """Which file it is."""
    return status.st_dev, status.st_ino


def version_of(status: os.stat_result) -> Version:
    """Which content it has, as far as can be told without reading."""
    return status.st_size, status.st_mtime_ns


def _has_changed(target: str, before: os.stat_result) -> bool:
    try:
        now = os.stat(target)
    except OSError:
        return True
    return (identity_of(now), version_of(now)) != (identity_of(before), version_of(before))
