"""The options of the command line: their spelling, their checks, and the setting each one stands for.

Help texts are given as message ids; :mod:`spycatcher_addon.edge.cli_help` looks them up when help is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated

import typer

from spycatcher_addon.cassette.canonical import pointer_from_config
from spycatcher_addon.config import HarnessConfig, ListenAddr, MatchMode, Mode, UpstreamKind
from spycatcher_addon.errors import InvalidPointerPathError
from spycatcher_addon.layering import SETTINGS, Place

FLAGS: Mapping[str, Place] = {
    "listen": ("listen",),
    "grace": ("shutdown_grace_s",),
    "cassette_dir": ("cassette_dir",),
    "cassette_name": ("cassette_name",),
    "match_mode": ("match_mode",),
    "ignore_path": ("matching", "ignore_paths"),
    "fail_unused": ("fail_unused",),
    "upstream_kind": ("upstream", "kind"),
    "base_url": ("upstream", "base_url"),
    "api_key_env": ("upstream", "api_key_env"),
    "locale": ("localization", "locale"),
    "fallback_locale": ("localization", "fallback_locale"),
}
"""Parameter of a command -> the setting it stands for."""


class BadValueError(typer.BadParameter):
    """An option's value cannot be used."""

    def __init__(self, value: str, description: str, *, is_choice: bool = False) -> None:
        super().__init__(description)
        self.value = value
        self.description = description
        """Completes "expected ..."."""
        self.message_id = "clap-error-invalid-value" if is_choice else "clap-error-value-validation"


def flag_name(place: Place) -> str:
    """How messages name the flag of a setting, or of the first flag that sets something in a table."""
    parameter = next(name for name, target in FLAGS.items() if target[: len(place)] == place)
    return f"flag --{parameter.replace('_', '-')}"


def cli_values(parameters: Mapping[str, object]) -> dict[str, object]:
    """The settings given by flags: dotted key -> value. Flags that were not given are left out."""
    return {
        ".".join(FLAGS[name]): value
        for name, value in parameters.items()
        # An empty text is a value somebody gave; an empty list is what typer makes of a flag that nobody gave.
        if name in FLAGS and value is not None and value is not False and value not in ([], ())
    }


def default_of(parameter: str) -> str | None:
    """The default of a flag's setting as text for help; ``None`` where there is nothing worth showing."""
    value: object = HarnessConfig(upstream={})  # type: ignore[arg-type]  # an empty table: the preset's own values
    for key in FLAGS.get(parameter, ()):
        value = getattr(value, key)
    if parameter not in FLAGS or value is None or value == () or value is False:
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)


def _description(place: Place) -> str:
    return SETTINGS[place].expects.description


def _listen(text: str) -> str:
    try:
        ListenAddr.parse(text)
    except ValueError as error:
        raise BadValueError(text, _description(("listen",))) from error
    return text


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:  # NaN is not in there either
        raise BadValueError(text, _description(("shutdown_grace_s",)))
    return seconds


def _ignore_path(text: str) -> str:
    try:
        pointer_from_config(text)
    except InvalidPointerPathError as error:
        raise BadValueError(text, "a JSON Pointer (/metadata/run_id) or a dotted path (messages[0].content)") from error
    return text


def _choice(values: type[StrEnum]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        try:
            return values(text).value
        except ValueError as error:
            raise BadValueError(text, f"one of {', '.join(values)}", is_choice=True) from error

    parse.__name__ = values.__name__
    return parse


def _complete(values: type[StrEnum]) -> Callable[[str], list[str]]:
    return lambda incomplete: [value for value in values if value.startswith(incomplete)]


SERVER, CASSETTE, MATCHING = "cli-group-server", "cli-group-cassette", "cli-group-matching"
UPSTREAM, SOURCES, MESSAGES = "cli-group-upstream", "cli-group-configuration", "cli-group-messages"

Listen = Annotated[
    str | None,
    typer.Option("--listen", metavar="IP:PORT", parser=_listen, help="cli-option-listen", rich_help_panel=SERVER),
]
Grace = Annotated[
    float | None,
    typer.Option("--grace", metavar="SECONDS", parser=_seconds, help="cli-option-grace", rich_help_panel=SERVER),
]
CassetteDir = Annotated[
    str | None,
    typer.Option("--cassette-dir", metavar="PATH", help="cli-option-cassette-dir", rich_help_panel=CASSETTE),
]
CassetteName = Annotated[
    str | None,
    typer.Option("--cassette-name", metavar="NAME", help="cli-option-cassette-name", rich_help_panel=CASSETTE),
]
FailUnused = Annotated[
    bool,
    typer.Option("--fail-unused", help="cli-option-fail-unused", rich_help_panel=MATCHING),
]
MatchModeOption = Annotated[
    str | None,
    typer.Option(
        "--match-mode",
        metavar="MODE",
        parser=_choice(MatchMode),
        autocompletion=_complete(MatchMode),
        help="cli-option-match-mode",
        rich_help_panel=MATCHING,
    ),
]
IgnorePath = Annotated[
    list[str] | None,
    typer.Option("--ignore-path", metavar="PATH", parser=_ignore_path, help="cli-option-ignore-path", rich_help_panel=MATCHING),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--upstream-kind",
        metavar="KIND",
        parser=_choice(UpstreamKind),
        autocompletion=_complete(UpstreamKind),
        help="cli-option-upstream-kind",
        rich_help_panel=UPSTREAM,
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="cli-option-base-url", rich_help_panel=UPSTREAM),
]
ApiKeyEnv = Annotated[
    str | None,
    typer.Option("--api-key-env", metavar="NAME", help="cli-option-api-key-env", rich_help_panel=UPSTREAM),
]
ConfigFileOption = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="cli-option-config", rich_help_panel=SOURCES),
]
Locale = Annotated[
    str | None,
    typer.Option("--locale", metavar="LANGID", help="cli-option-locale", rich_help_panel=MESSAGES),
]
FallbackLocale = Annotated[
    str | None,
    typer.Option("--fallback-locale", metavar="LANGID", help="cli-option-fallback-locale", rich_help_panel=MESSAGES),
]
ModeArgument = Annotated[
    str,
    typer.Argument(
        metavar="[SUBCOMMAND]",
        parser=_choice(Mode),
        autocompletion=_complete(Mode),
        help="cli-argument-subcommand",
    ),
]
