"""Configuration files: where they are looked for, how they are read, which line a key stands on."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from spycatcher_addon.layering import Place

OWN_FILE = ".spycatcher_harness.toml"
PYPROJECT = "pyproject.toml"
TOOL_TABLE = "spycatcher_harness"


class ConfigFileError(Exception):
    """A configuration file cannot be used; the text names the file, the reason and the cure."""


@dataclass(frozen=True)
class ConfigFile:
    """A configuration file that was read."""

    shown: str
    """How messages name it."""
    text: str
    document: Mapping[str, object]
    """The part that holds our settings: the whole file, or ``[tool.spycatcher_harness]`` of a ``pyproject.toml``."""
    above: Place = ()
    """Where that part lies in the file."""

    @cached_property
    def _lines(self) -> dict[Place, int]:
        lines: dict[Place, int] = {}
        for place, line in key_lines(self.text).items():
            lines.setdefault(_lower(place), line)
        return lines

    def table(self, name: str) -> str:
        """How the heading of a table of ours is written in this file."""
        return f"[{'.'.join((*self.above, name))}]"

    def origin(self, place: Place) -> str:
        """Name the file and, where it is known, the line of a key (given by its place in :attr:`document`)."""
        line = self._lines.get(_lower((*self.above, *place)))
        return f"file {self.shown}" if line is None else f"file {self.shown}, line {line}"


def _lower(place: Place) -> Place:
    # The layers hold header names in lower case, whatever the file has.
    return tuple(key.lower() for key in place)


def discover_config_files(environ: Mapping[str, str], cwd: str, home: str | None) -> list[ConfigFile]:
    """Read the files that exist, the weakest first: home, XDG, ``pyproject.toml``, the working directory's own.

    Raises:
        ConfigFileError: One of them cannot be read or is not TOML.
    """
    candidates: list[tuple[Path, str]] = []
    if home:
        path = Path(home) / OWN_FILE
        # In the home directory itself the first and the last place are one file; its strongest place counts.
        if Path(home) != Path(cwd):
            candidates.append((path, str(path)))
    for directory in _xdg_directories(environ, home):
        path = directory / "spycatcher_harness" / "config.toml"
        if _exists(path):
            candidates.append((path, str(path)))
            break
    candidates += [(Path(cwd) / name, f"./{name}") for name in (PYPROJECT, OWN_FILE)]
    return [read_config_file(path, shown) for path, shown in candidates if _exists(path)]


def read_named_config_file(name: str, cwd: str) -> ConfigFile:
    """Read the one file that the user named.

    Raises:
        ConfigFileError: There is none of that name, it cannot be read or is not TOML.
    """
    path = Path(cwd) / name
    if not name or not _exists(path):
        raise ConfigFileError(f"configuration file {name or repr(name)} does not exist; check --config")
    return read_config_file(path, name)


def read_config_file(path: Path, shown: str) -> ConfigFile:
    """Read one file as UTF-8 TOML, with or without a byte order mark.

    Raises:
        ConfigFileError: It cannot be read, is no regular file or is not TOML.
    """
    try:
        # Opening a FIFO would wait for a writer for ever, so the kind is looked at first.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ConfigFileError(f"{shown} is not a regular file; move it away or name another file with --config")
        text = path.read_bytes().decode("utf-8-sig")
        document: Mapping[str, object] = tomllib.loads(text)
    except OSError as error:
        raise ConfigFileError(_unreadable(path, shown, error)) from error
    except UnicodeDecodeError as error:
        raise ConfigFileError(f"{shown} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigFileError(f"{shown} is not TOML: {error}") from error
    except ValueError as error:
        raise ConfigFileError(f"{shown} is not usable TOML: a number in it has too many digits") from error
    except RecursionError as error:
        raise ConfigFileError(f"{shown} is not usable TOML: it is nested too deeply") from error
    if path.name != PYPROJECT:
        return ConfigFile(shown, text, document)
    return ConfigFile(shown, text, _tool_table(document, shown), ("tool", TOOL_TABLE))


def _unreadable(path: Path, shown: str, error: OSError) -> str:
    if path.is_symlink() and not path.exists():
        return f"{shown} is a link to {os.readlink(path)}, which does not exist; mend or remove the link"
    return f"cannot read {shown}: {error.strerror or type(error).__name__}; mend its permissions or move it away"


def _tool_table(document: Mapping[str, object], shown: str) -> Mapping[str, object]:
    tool = document.get("tool")
    if not isinstance(tool, Mapping):
        return {}
    if "spycatcher-harness" in tool:
        raise ConfigFileError(f"{shown}: the table is called [tool.{TOOL_TABLE}], with an underscore; rename it")
    own = tool.get(TOOL_TABLE, {})
    if not isinstance(own, Mapping):
        raise ConfigFileError(f"{shown}: tool.{TOOL_TABLE} must be a table, [tool.{TOOL_TABLE}.cmds.replay] for example")
    return own


def _exists(path: Path) -> bool:
    # A path that cannot even be looked at (no permission on the folder, a file as a parent, a NUL) counts as absent.
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def _xdg_directories(environ: Mapping[str, str], home: str | None) -> Iterator[Path]:
    """The XDG configuration directories; relative ones are ignored, as the base directory specification asks."""
    own = environ.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    shared = environ.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    for directory in (own, *shared.split(os.pathsep)):
        if directory and os.path.isabs(directory):
            yield Path(directory)


def key_lines(text: str) -> dict[Place, int]:
    """The line, counted from 1, on which each key of a TOML text is written; for an array its first line.

    The text must be valid. It is cut into statements by trying: the shortest run of lines that is TOML on its own.
    """
    lines = text.replace("\r\n", "\n").split("\n")  # a lone CR at the end of a statement would not be TOML
    found: dict[Place, int] = {}
    header = ""
    start = 0
    while start < len(lines):
        end = start + 1
        while not _is_toml("\n".join(lines[start:end])) and end < len(lines):
            end += 1
        statement = "\n".join(lines[start:end])
        if statement.lstrip().startswith("["):
            header = statement
        try:
            document = tomllib.loads(statement if statement is header else f"{header}\n{statement}")
        except ValueError:  # no TOML, or a number of more digits than Python reads
            break
        for place in _places(document, ()):
            found.setdefault(place, start + 1)
        start = end
    return found


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except ValueError:  # no TOML, or a number of more digits than Python reads
        return False
    return True


def _places(table: Mapping[str, object], above: Place) -> Iterator[Place]:
    for key, value in table.items():
        yield (*above, key)
        if isinstance(value, Mapping):
            yield from _places(value, (*above, key))
