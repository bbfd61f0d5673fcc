"""The effective configuration as text: TOML that can be pasted into a file, with the source of each value beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from spycatcher_addon.cassette.normalizing import NormalizeRule
from spycatcher_addon.edge.layers import DEFAULT, ResolvedConfig
from spycatcher_addon.layering import FREE_TABLE, SECTIONS, SETTINGS, Place, show_value

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PASSWORD: Place = ("ui", "password")
_UPSTREAM: Place = ("upstream",)
_MASK = "***"
_LINE = 110
"""Longest line that gets its source at its end; longer ones have it on the line above."""


def config_report(resolved: ResolvedConfig) -> str:
    """Render a configuration. Values of extra headers, credentials in URLs and the UI's password are masked.

    Shape: tables as in a configuration file; ``KEY = VALUE  # SOURCE``; settings without a value are commented out.
    """
    mode = resolved.config.mode
    lines = [f"# effective configuration of `{mode}`", "# command line > environment > config files > defaults", ""]
    lines += [f"[cmds.{mode}]", *_settings(resolved, ())]
    for section in sorted(SECTIONS):
        if section == _UPSTREAM and resolved.half_upstream is not None:
            lines += ["", f"[cmds.{mode}.upstream]  # not usable as it is", *_half_upstream(resolved, resolved.half_upstream)]
        elif getattr(resolved.config, section[0]) is None:
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
                yield from _line(f'# {place[-1]}.{shown} = "***"', resolved.sources[f"{setting.dotted}.{name}"])
        elif value is None:
            yield from _line(f"# {place[-1]} is not set", DEFAULT)
        elif place == _PASSWORD:
            yield from _line(f'# {place[-1]} = "***"', resolved.sources[setting.dotted])
        elif place != ("mode",):  # the subcommand says it
            mark = "# " if isinstance(value, str) and _is_masked(value) else ""
            yield from _line(f"{mark}{place[-1]} = {_toml(value)}", resolved.sources[setting.dotted])


def _is_masked(value: str) -> bool:
    """Whether a text is not shown as it is; then it stands in a comment, or reading the report back would set the mask."""
    return _MASK in show_value(value) and _MASK not in value


def _half_upstream(resolved: ResolvedConfig, given: Mapping[str, object]) -> Iterator[str]:
    for key, value in given.items():
        shown = '"***"' if SETTINGS[(*_UPSTREAM, key)].expects.is_secret else _toml(value)
        mark = "# " if SETTINGS[(*_UPSTREAM, key)].expects.is_secret else ""
        yield from _line(f"{mark}{key} = {shown}", resolved.sources[f"upstream.{key}"])


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(element) for element in value)}]"
    if isinstance(value, NormalizeRule):
        rule = value.as_json()
        if not isinstance(rule, dict):
            return show_value(rule)
        return f"{{{', '.join(f'{key} = {json.dumps(text)}' for key, text in rule.items())}}}"
    return show_value(value if isinstance(value, bool | int | float | str) else str(value))


def _line(text: str, source: str) -> Iterator[str]:
    if len(text) + len(source) <= _LINE:
        yield f"{text:<44}  # {source}"
    else:
        yield f"# {source}"
        yield text
