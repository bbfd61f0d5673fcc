"""The effective configuration as text: TOML that can be pasted into a file, with the source of each value beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from spycatcher_addon.edge.layers import DEFAULT, ResolvedConfig
from spycatcher_addon.layering import FREE_TABLE, SECTIONS, SETTINGS, Place, show_value

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LINE = 110
"""Longest line that gets its source at its end; longer ones have it on the line above."""


def config_report(resolved: ResolvedConfig) -> str:
    """Render a configuration. Values of extra headers and credentials in URLs are masked.

    Shape: tables as in a configuration file; ``KEY = VALUE  # SOURCE``; settings without a value are commented out.
    """
    mode = resolved.config.mode
    lines = [f"# effective configuration of `{mode}`", "# command line > environment > config files > defaults", ""]
    lines += [f"[cmds.{mode}]", *_settings(resolved, ())]
    for section in sorted(SECTIONS):
        if getattr(resolved.config, section[0]) is None:
            lines += ["", f"# [cmds.{mode}.{section[0]}] is not set"]
        else:
            lines += ["", f"[cmds.{mode}.{'.'.join(section)}]", *_settings(resolved, section)]
    return "\n".join(lines) + "\n"


def _settings(resolved: ResolvedConfig, section: Place) -> Iterator[str]:
    for place, setting in SETTINGS.items():
        if place[:-1] != section:
            continue
        value: object = resolved.config
        for key in place:
            value = getattr(value, key)
        if place == FREE_TABLE and isinstance(value, dict):
            for name in value:
                shown = name if _BARE_KEY.fullmatch(name) else json.dumps(name)
                yield from _line(f'{place[-1]}.{shown} = "***"', resolved.sources[f"{setting.dotted}.{name}"])
        elif value is None:
            yield from _line(f"# {place[-1]} is not set", DEFAULT)
        elif place != ("mode",):  # the subcommand says it
            yield from _line(f"{place[-1]} = {_toml(value)}", resolved.sources[setting.dotted])


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(element) for element in value)}]"
    return show_value(value if isinstance(value, bool | int | float | str) else str(value))


def _line(text: str, source: str) -> Iterator[str]:
    if len(text) + len(source) <= _LINE:
        yield f"{text:<44}  # {source}"
    else:
        yield f"# {source}"
        yield text
