"""Where the tape of a test lies: beside the test file, under a name that every file system takes."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence

FOLDER = "cassettes"
_MAX_LENGTH = 100
_UNSAFE = re.compile(r"[^a-z0-9_.-]|\.\.|\.\Z")


class BadNameError(ValueError):
    """A cassette name in a marker cannot be used; the text says why."""


def tape_name(module: str, classes: Sequence[str], function: str, parameters: str | None) -> str:
    """The cassette name of a test, below :data:`FOLDER`.

    Args:
        module: The test file's name without its suffix.
        classes: The classes around the test, outermost first.
        parameters: pytest's id of the parameter set, ``None`` for a test without parameters.

    >>> tape_name("test_chat", [], "test_reply", "gpt-4")
    'test_chat/test_reply-gpt-4.json'
    """
    name = ".".join([*classes, function])
    if parameters is not None:
        name += f"-{_safe_parameters(parameters)}"
    return f"{module}/{_shortened(name)}.json"


def named_tape(module: str, name: str) -> str:
    """The cassette name for one given in a marker: for this module only, or, with a slash in it, for any.

    Raises:
        BadNameError: It is empty, leads out of the folder, or is no file name.
    """
    parts = name.replace(os.sep, "/").split("/")
    if ".." in name or any(part in ("", ".") for part in parts) or re.search(r'[\x00-\x1f<>:"|?*\\]', name):
        raise BadNameError(f"{name!r} cannot be a cassette name: use letters, digits, -, _ and ., and / for a folder")
    suffix = "" if name.endswith(".json") else ".json"
    return f"{'/'.join(parts) if len(parts) > 1 else f'{module}/{name}'}{suffix}"


def _safe_parameters(parameters: str) -> str:
    """Replace what some file system refuses or takes for something else; a short digest keeps different ids apart."""
    safe = _UNSAFE.sub("_", parameters.lower())
    return safe if safe == parameters else f"{safe[:_MAX_LENGTH]}-{_digest(parameters)}"


def _shortened(name: str) -> str:
    encoded = name.encode()  # file systems count bytes
    return name if len(encoded) <= _MAX_LENGTH else f"{encoded[: _MAX_LENGTH - 9].decode(errors='ignore')}-{_digest(name)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
