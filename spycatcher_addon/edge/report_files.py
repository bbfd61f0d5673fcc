"""Where reports go: a path that may be written, because nothing is lost by it, and that can be, which is tried at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from spycatcher_addon.errors import HarnessIOError, InvalidConfigError

_LOOKED_AT_BYTES = 1 << 20


def is_same_file(first: str, second: str) -> bool:
    """Whether two paths lead to one file, links followed; ``False`` where either leads to none."""
    try:
        return Path(first).samefile(second)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return False


def require_report_path(path: str, setting: str, cassette_path: str, is_report: Callable[[bytes], bool]) -> None:
    """Refuse a path that a report must not replace.

    Args:
        setting: How messages name the setting that holds the path.
        is_report: Told the beginning of a file that is there; whether it is an earlier report.

    Raises:
        InvalidConfigError: It is the cassette, or a file that is no report.
        HarnessIOError: It cannot be read.
    """
    if is_same_file(path, cassette_path):
        raise InvalidConfigError(f"{setting} names the cassette itself, {cassette_path}; choose another file")
    try:
        target = Path(path)
        if target.is_file():
            with target.open("rb") as file:
                start = file.read(_LOOKED_AT_BYTES)
            if not is_report(start):
                raise InvalidConfigError(
                    f"{setting} names a file that holds something else, {path}; it is left alone: remove it, or choose another file"
                )
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise report_error(path, setting, error) from error


def report_error(path: str, setting: str, error: OSError | ValueError) -> HarnessIOError:
    """What to say of a report that cannot be written."""
    reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return HarnessIOError(f"cannot write the report {path}: {reason}; choose another {setting}")
