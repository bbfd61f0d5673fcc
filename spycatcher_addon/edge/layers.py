"""The effective configuration of one subcommand: command line over environment over files over defaults.

Reads files and variables into :class:`~spycatcher_addon.layering.Layer` values and keeps where each setting came from.
The command line and the mitmproxy add-on both come through :func:`resolve_config`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from spycatcher_addon.config import HarnessConfig, Mode, Spelling, localization_problem
from spycatcher_addon.edge.config_files import ConfigFile, ConfigFileError, discover_config_files, read_named_config_file
from spycatcher_addon.errors import InvalidConfigError
from spycatcher_addon.known_values import secret_variables
from spycatcher_addon.layering import (
    FREE_TABLE,
    PRESET_SETTINGS,
    SECTIONS,
    SETTINGS,
    Layer,
    MergedLayers,
    Place,
    describe_problem,
    find_unknown_key,
    keys_beside,
    merge_layers,
    nearest_setting,
    parse_spelled,
    parse_spelled_list,
)

OUR_PREFIX = "SPYCATCHER_HARNESS_"
ENVIRONMENT_PREFIX = f"{OUR_PREFIX}CMDS_"
OTHER_VARIABLES = frozenset({f"{OUR_PREFIX}{name}" for name in ("LOCALE", "FALLBACK_LOCALE", "DISABLE_LOCALIZATION", "COMMAND")})
"""Variables of ours that set nothing in a configuration."""
OPTION_PREFIX = "spycatcher_"
DEFAULT = "default"

_SUBCOMMANDS = tuple(Mode)
_UPSTREAM = "upstream"
_HOLDS_A_SECRET = re.compile("(?:KEY|TOKEN|SECRET|PASSWORD)$")
"""Another subcommand's ``upstream.api_key_env`` may name such a variable, whoever gave it our prefix."""


@dataclass(frozen=True, slots=True)
class ResolvedConfig:
    """A configuration and where each of its values came from."""

    config: HarnessConfig
    sources: Mapping[str, str]
    """By dotted key: "flag --listen", "environment variable ...", "file ..., line 4", "default"."""
    half_upstream: Mapping[str, object] | None = None
    """The upstream as far as the layers give it, where that is not enough for one; only for showing."""

    def is_set(self, dotted: str) -> bool:
        """Whether any layer above the defaults gave this setting."""
        return not self.sources.get(dotted, DEFAULT).startswith(DEFAULT)


def flag_origin(place: Place) -> str:
    """Name the flag of a setting: its last key, as flags are short."""
    return f"flag --{place[-1].replace('_', '-')}"


def option_origin(place: Place) -> str:
    """Name the mitmproxy option of a setting."""
    return f"option {option_name(place)}"


def option_name(place: Place) -> str:
    """The mitmproxy option of a setting, ``spycatcher_upstream_base_url``."""
    return OPTION_PREFIX + "_".join(place)


def option_names() -> dict[str, tuple[str, bool]]:
    """All mitmproxy options: name -> (dotted key for ``cli`` of :func:`resolve_config`, whether it is a list)."""
    return {option_name(place): (setting.dotted, setting.expects.spelling is Spelling.TOML_LIST) for place, setting in SETTINGS.items()}


def variable_name(mode: str, place: Place) -> str:
    """The environment variable of a setting for one subcommand."""
    return f"{ENVIRONMENT_PREFIX}{mode}_{'__'.join(place)}".upper()


def resolve_config(
    mode: Mode,
    cli: Mapping[str, object],
    environ: Mapping[str, str],
    cwd: str,
    home: str | None,
    config_file: str | None = None,
    cli_origin: Callable[[Place], str] = flag_origin,
    *,
    is_half_upstream_good: bool = False,
) -> ResolvedConfig:
    """Merge all layers for a subcommand and check the result.

    Args:
        mode: Chooses the ``cmds.<mode>`` part of files and environment, and is the mode of the result.
        cli: Dotted key -> value. Text for a setting that is not text is read as an environment variable's would be.
        home: Home directory; ``None`` when there is none.
        config_file: The one file to read instead of the discovered ones.
        cli_origin: How messages name the source of a value in ``cli``.
        is_half_upstream_good: Leave an upstream that is no whole one out of the configuration and beside it.

    Raises:
        InvalidConfigError: A file cannot be used, a key is unknown or a value is wrong; names the layer at fault.
    """
    try:
        merged = merge_layers(
            [
                *_file_layers(mode, environ, cwd, home, config_file),
                _environment_layer(mode, environ),
                _cli_layer(cli, cli_origin),
            ]
        )
        _check_mode(mode, merged)
        half = merged.values.pop(_UPSTREAM, None) if is_half_upstream_good else None
        config = HarnessConfig.model_validate({**merged.values, "mode": mode})
        _check_other_variables(mode, environ, secret_variables(config))
    except ValidationError as error:
        raise _merge_failure(mode, describe_problem(error, merged)) from error
    except (_LayerError, ConfigFileError) as error:
        raise _merge_failure(mode, str(error)) from error
    problem = localization_problem(config.localization)
    if problem is not None:
        field = problem.split("`")[1]
        raise InvalidConfigError(f"{problem} (from {merged.origin_of(('localization', field)) or DEFAULT})")
    sources = dict(_sources(config, merged))
    if not isinstance(half, Mapping):
        return ResolvedConfig(config, sources)
    return ResolvedConfig(config, sources | {f"{_UPSTREAM}.{key}": merged.origin_of((_UPSTREAM, key)) or DEFAULT for key in half}, half)


class _LayerError(Exception):
    """A layer has something that does not belong there."""


def _merge_failure(mode: Mode, detail: str) -> InvalidConfigError:
    return InvalidConfigError(f"failed to merge layered config for `{mode}`: {detail}")


def _check_mode(mode: Mode, merged: MergedLayers) -> None:
    written = merged.values.get("mode", mode)
    if written != mode:
        origin = merged.origin_of(("mode",))
        raise _LayerError(f"`mode` = {written!r}, from {origin}: these settings are for {mode}; remove the key")


def _file_layers(mode: Mode, environ: Mapping[str, str], cwd: str, home: str | None, config_file: str | None) -> Iterator[Layer]:
    found = discover_config_files(environ, cwd, home) if config_file is None else [read_named_config_file(config_file, cwd)]
    for file in found:
        yield _file_layer(mode, file)


def _file_layer(mode: Mode, file: ConfigFile) -> Layer:
    for key in file.document:
        if key != "cmds":
            raise _LayerError(
                f"unknown key `{key}` in {file.origin((key,))}; settings go into tables named {file.table('cmds.<subcommand>')}, "
                f"{file.table(f'cmds.{mode}')} here"
            )
    commands = file.document.get("cmds", {})
    if not isinstance(commands, Mapping):
        raise _LayerError(f"`cmds` in {file.origin(('cmds',))} must be a table, such as {file.table(f'cmds.{mode}')}")
    for name, table in commands.items():
        if name not in _SUBCOMMANDS:
            close = difflib.get_close_matches(name, _SUBCOMMANDS, n=1)
            hint = f"did you mean `cmds.{close[0]}`?" if close else f"the subcommands are {', '.join(_SUBCOMMANDS)}"
            raise _LayerError(f"unknown subcommand table `cmds.{name}` in {file.origin(('cmds', name))}; {hint}")
        if not isinstance(table, Mapping):
            raise _LayerError(f"`cmds.{name}` in {file.origin(('cmds', name))} must be a table")
    values = commands.get(mode, {})
    unknown = find_unknown_key(values)
    if unknown is not None:
        nearest = nearest_setting(unknown)
        hint = f"did you mean `{'.'.join(nearest)}`?" if nearest else f"known here: {', '.join(keys_beside(unknown))}"
        raise _LayerError(f"unknown key `{'.'.join(unknown)}` in {file.origin(('cmds', mode, *unknown))}; {hint}")
    return Layer(_lower_case_header_names(values), lambda place: file.origin(("cmds", mode, *place)))


def _lower_case_header_names(values: Mapping[str, object]) -> Mapping[str, object]:
    """Make header names of all layers comparable, so that a stronger layer replaces ``X-Title`` with ``x-title``."""
    upstream = values.get(FREE_TABLE[0])
    headers = upstream.get(FREE_TABLE[1]) if isinstance(upstream, Mapping) else None
    if not isinstance(upstream, Mapping) or not isinstance(headers, Mapping):
        return values
    lowered = {name.lower(): value for name, value in headers.items()}
    return {**values, FREE_TABLE[0]: {**upstream, FREE_TABLE[1]: lowered}}


def _environment_layer(mode: Mode, environ: Mapping[str, str]) -> Layer:
    names: dict[Place, str] = {}
    values: dict[str, object] = {}
    for name in sorted(environ, key=lambda name: (name.count("__"), name)):
        if not name.upper().startswith(ENVIRONMENT_PREFIX):
            continue
        subcommand, _, key = name[len(ENVIRONMENT_PREFIX) :].lower().partition("_")
        if subcommand not in _SUBCOMMANDS:
            raise _LayerError(
                f"environment variable {name} names no subcommand; after {ENVIRONMENT_PREFIX} comes one of "
                f"{', '.join(known.upper() for known in _SUBCOMMANDS)}, then _ and the setting"
            )
        if subcommand != mode:
            continue
        place = tuple(key.split("__"))
        if place in names:
            raise _LayerError(f"environment variables {names[place]} and {name} differ only in upper and lower case; unset one")
        names[place] = name
        _put(values, place, _environment_value(mode, name, place, environ[name]))

    def origin(place: Place) -> str:
        whole = next(place[:length] for length in range(len(place), 0, -1) if place[:length] in names or length == 1)
        return f"environment variable {names.get(whole) or variable_name(mode, place)}"

    return Layer(_lower_case_header_names(values), origin)


def _check_other_variables(mode: Mode, environ: Mapping[str, str], named: Collection[str]) -> None:
    """Refuse a variable that was meant for this program and does nothing, ``SPYCATCHER_HARNESS_LISTEN`` for example.

    Args:
        named: Variables that the configuration names as holding something.
    """
    for name in sorted(environ):
        upper = name.upper()
        if not upper.startswith(OUR_PREFIX) or upper.startswith(ENVIRONMENT_PREFIX) or upper in OTHER_VARIABLES:
            continue
        if name not in named and not _HOLDS_A_SECRET.search(upper):
            raise _LayerError(f"environment variable {name} means nothing to spycatcher-harness; {_variable_hint(mode, upper)}")


def _variable_hint(mode: Mode, upper: str) -> str:
    close = difflib.get_close_matches(upper, sorted(OTHER_VARIABLES), n=1, cutoff=0.9)
    if close:
        return f"did you mean {close[0]}?"
    nearest = nearest_setting(tuple(upper[len(OUR_PREFIX) :].lower().split("__")))
    if nearest is None:
        return f"settings are named {ENVIRONMENT_PREFIX}<SUBCOMMAND>_<SETTING>"
    return f"did you mean {variable_name(mode, nearest)}?"


def _environment_value(mode: Mode, name: str, place: Place, text: str) -> object:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise _LayerError(f"environment variable {name} is not valid UTF-8; set it to UTF-8 text")
    if place in SETTINGS:
        return parse_spelled(SETTINGS[place], text)
    if place[:-1] == FREE_TABLE and place[-1]:
        return text
    if place in SECTIONS:
        value = parse_spelled(SETTINGS[FREE_TABLE], text)  # a table in TOML spelling, like any other table
        unknown = find_unknown_key(value, place) if isinstance(value, Mapping) else None
        if unknown is None:
            return value
        place = unknown
    nearest = nearest_setting(place)
    hint = f"did you mean {variable_name(mode, nearest)}?" if nearest else "compare `spycatcher-harness config`"
    raise _LayerError(f"environment variable {name} sets no known setting; {hint}")


def _put(values: dict[str, object], place: Place, value: object) -> None:
    for key in place[:-1]:
        below = values.get(key)
        if not isinstance(below, dict):
            below = values[key] = {}
        values = below
    values[place[-1]] = value


def _cli_layer(cli: Mapping[str, object], origin: Callable[[Place], str]) -> Layer:
    values: dict[str, object] = {}
    for dotted, value in cli.items():
        place = tuple(dotted.split("."))
        setting = SETTINGS[place]
        if isinstance(value, str):
            value = parse_spelled(setting, value)
        elif isinstance(value, Sequence) and setting.expects.spelling is Spelling.TOML_LIST:
            value = parse_spelled_list(setting, value)
        _put(values, place, value)
    return Layer(_lower_case_header_names(values), origin)


def _sources(config: HarnessConfig, merged: MergedLayers) -> Iterator[tuple[str, str]]:
    for place, setting in SETTINGS.items():
        if place[0] == "upstream" and config.upstream is None:
            continue
        if place == FREE_TABLE and config.upstream is not None and config.upstream.extra_headers:
            for name in config.upstream.extra_headers:
                yield f"{setting.dotted}.{name}", merged.origin_of((*place, name)) or DEFAULT
        elif place == ("mode",):
            yield setting.dotted, "subcommand"
        else:
            yield setting.dotted, merged.origins.get(place) or _default_source(place, config)


def _default_source(place: Place, config: HarnessConfig) -> str:
    if place in PRESET_SETTINGS and config.upstream is not None:
        return f"{DEFAULT} for upstream.kind {config.upstream.kind}"
    return DEFAULT
