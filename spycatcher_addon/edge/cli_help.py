"""Help as text: grouped options, defaults, examples, at most 80 columns.

Typer parses; how it looks is decided here, because its own help knows neither groups without markup (which would
swallow ``[cmds.record]``) nor wide characters. The language travels as the context's object (``obj``); without texts, or
when one is missing, typer's own English output is shown.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from spycatcher_addon.choices import Mode
from spycatcher_addon.edge.cli_language import EarlyLanguage
from spycatcher_addon.edge.cli_layout import GAP, TIE, WIDTH, indented, table, wrap
from spycatcher_addon.edge.cli_options import CHOICES, default_of
from spycatcher_addon.edge.cli_text import MissingTextError, Texts
from spycatcher_addon.edge.terminal import write_out

_EXAMPLES = {
    "": (
        "spycatcher-harness record --cassette-name checkout",
        "spycatcher-harness replay --cassette-name checkout --fail-unused",
        "spycatcher-harness config record",
    ),
    "record": (
        "spycatcher-harness record --cassette-name checkout --upstream-kind openai",
        "spycatcher-harness record --base-url http://127.0.0.1:8000/v1",
    ),
    "replay": (
        "spycatcher-harness replay --cassette-name checkout",
        "spycatcher-harness replay --match-mode keyed --fail-unused",
    ),
    "verify": (
        "spycatcher-harness verify --cassette-name checkout",
        "spycatcher-harness verify fixtures/llm --format github --strict",
    ),
    "auto": (
        "spycatcher-harness auto --record-mode once --upstream-kind openai",
        "spycatcher-harness auto --record-mode new_episodes --match-mode keyed",
    ),
    "config": ("spycatcher-harness config replay", "spycatcher-harness config record --config ci.toml"),
    "ls": ("spycatcher-harness ls fixtures/llm/checkout", "spycatcher-harness ls --json"),
    "show": ("spycatcher-harness show 0 fixtures/llm/checkout", "spycatcher-harness show 2 --raw"),
    "diff": ("spycatcher-harness diff old/checkout fixtures/llm/checkout",),
    "stats": ("spycatcher-harness stats fixtures/llm/checkout --prices prices.toml",),
    "merge": ("spycatcher-harness merge morning evening --output day",),
    "prune": (
        "spycatcher-harness prune fixtures/llm/checkout --drop 0,3-5 --output smaller",
        "spycatcher-harness prune --report replay.jsonl --output smaller",
    ),
    "convert": (
        "spycatcher-harness convert session.har --to v2 --output fixtures/llm/checkout",
        "spycatcher-harness convert fixtures/llm/checkout --to har --output out.har",
    ),
    "scrub": ("spycatcher-harness scrub fixtures/llm --check", "spycatcher-harness scrub fixtures/llm/checkout"),
    "doctor": ("spycatcher-harness doctor",),
    "addon-path": ('mitmdump --mode reverse:http://localhost -s "$(spycatcher-harness addon-path)"',),
}

_FILE_EXAMPLE = (
    "[cmds.record]",
    'cassette_name = "checkout"',
    "[cmds.record.upstream]",
    'kind = "openai"',
)
_ENVIRONMENT_EXAMPLES = (
    "SPYCATCHER_HARNESS_CMDS_REPLAY_CASSETTE_NAME=checkout",
    "SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__BASE_URL=https://api.openai.com/v1",
)


def _heading(text: str) -> str:
    wants_colour = sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\x1b[1m{text}\x1b[0m" if wants_colour else text


class UnknownSubcommandError(typer.BadParameter):
    """The first word is no subcommand."""

    def __init__(self, word: str, ctx: typer.Context) -> None:
        super().__init__(f"no such command {word!r}", ctx)
        self.word = word


def _show_help(ctx: Any, _parameter: Any, is_wanted: bool) -> None:
    """Print help ourselves: typer would end with code 1 when the reader has left (``--help | head -1``)."""
    if is_wanted and not ctx.resilient_parsing:
        write_out(f"{ctx.get_help()}\n")
        raise typer.Exit


class HelpCommand(TyperCommand):
    """A subcommand whose help is laid out here."""

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _show_help
        return option

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            # The low-level parser knows no context; without one the message could not show the usage.
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        lines = _page_lines(self, ctx, self.name or "")
        if lines is None:
            super().format_help(ctx, formatter)
        else:
            formatter.write("\n".join(lines) + "\n")


class HelpGroup(TyperGroup):
    """The program itself: help laid out here, and a typed error for an unknown subcommand."""

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _show_help
        return option

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            raise UnknownSubcommandError(args[0], ctx)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        lines = _page_lines(self, ctx, "")
        if lines is None:
            super().format_help(ctx, formatter)
        else:
            formatter.write("\n".join(lines) + "\n")


def texts_of(ctx: typer.Context) -> Texts | None:
    """The texts a command line is answered with; ``None`` where there are no catalogues."""
    language = ctx.find_root().obj
    return language.texts if isinstance(language, EarlyLanguage) else None


def _page_lines(command: TyperCommand | TyperGroup, ctx: typer.Context, name: str) -> list[str] | None:
    """The help of a command; ``None`` when the texts for it are not to be had."""
    texts = texts_of(ctx)
    try:
        return None if texts is None else _page(texts, command, ctx, name)
    except MissingTextError:
        return None


def _page(texts: Texts, command: TyperCommand | TyperGroup, ctx: typer.Context, name: str) -> list[str]:
    lines = wrap(texts(f"cli-{name}-about" if name else "cli-about"), WIDTH)
    if not name:
        lines += ["", *wrap(texts("cli-long-about"), WIDTH)]
    lines += ["", usage(texts, ctx), ""]
    if isinstance(command, TyperGroup):
        rows = [(subcommand, texts(f"cli-{subcommand}-about")) for subcommand in command.list_commands(ctx)]
        lines += [_heading(texts("cli-heading-commands")), *table(rows), ""]
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        if parameter.param_type_name == "argument":
            groups.setdefault("cli-heading-arguments", []).append(_argument_row(texts, parameter))
        else:
            group = getattr(parameter, "rich_help_panel", None) or "cli-heading-options"
            groups.setdefault(group, []).append(_option_row(texts, parameter))
    for group, rows in groups.items():
        lines += [_heading(texts(group)), *table(rows), ""]
    if name in ("", *Mode, "config"):
        lines += _configuration_help(texts)
    return [*lines, _heading(texts("cli-heading-examples")), *(GAP + line for line in _EXAMPLES[name])]


def _configuration_help(texts: Texts) -> Iterator[str]:
    yield _heading(texts("cli-heading-configuration"))
    yield from indented(texts("cli-merge-help"))
    yield from indented(texts("cli-precedence"))
    yield ""
    yield from indented(texts("cli-files-help"))
    yield from ("", *(f"{GAP}{GAP}{line}" for line in _FILE_EXAMPLE), "")
    yield from indented(texts("cli-environment-help"))
    yield from ("", *(f"{GAP}{GAP}{line}" for line in _ENVIRONMENT_EXAMPLES), "")


def _argument_row(texts: Texts, parameter: Any) -> tuple[str, str]:
    text = texts(f"cli-argument-{parameter.name}")
    if parameter.name in CHOICES:
        text += f" {_choices(texts, parameter.name)} {_default(texts, Mode.REPLAY)}"
    return parameter.metavar, text


def _option_row(texts: Texts, parameter: Any) -> tuple[str, str]:
    names = ", ".join(sorted(parameter.opts, key=len))
    left = f"{names} {parameter.metavar}" if parameter.metavar else names
    parts = [texts(f"cli-option-{max(parameter.opts, key=len).lstrip('-')}")]
    if parameter.name in CHOICES:
        parts.append(_choices(texts, parameter.name))
    if parameter.multiple:
        parts.append(texts("cli-repeatable"))
    default = default_of(parameter.name)
    if default is not None:
        parts.append(_default(texts, default))
    return left, " ".join(parts)


def _choices(texts: Texts, parameter: str) -> str:
    return f"[{texts('cli-choices')} {', '.join(CHOICES[parameter])}]"


def _default(texts: Texts, value: str) -> str:
    # Put beside the text, not into it, so that a copied default has no isolation marks in it; and kept on one line.
    return f"[{texts('cli-default')} {value}]".replace(" ", TIE)


def usage(texts: Texts, ctx: typer.Context) -> str:
    """The usage line of a command."""
    if ctx.parent is None:
        return f"{texts('cli-usage')} {ctx.command_path} [OPTIONS] COMMAND [ARGS]"
    command: Any = ctx.command
    arguments = [parameter.metavar for parameter in command.get_params(ctx) if parameter.param_type_name == "argument"]
    return " ".join([f"{texts('cli-usage')} {ctx.command_path} [OPTIONS]", *arguments])
