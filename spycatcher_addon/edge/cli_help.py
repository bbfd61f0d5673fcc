"""Help and parse errors as text: grouped options, defaults, examples, at most 80 columns.

Typer parses; how it looks is decided here, because its own help knows neither groups without markup (which would
swallow ``[cmds.record]``) nor wide characters.
"""

from __future__ import annotations

import difflib
import os
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from spycatcher_addon.config import Mode, UpstreamKind
from spycatcher_addon.edge.cli_options import BadValueError, default_of
from spycatcher_addon.edge.cli_text import text
from spycatcher_addon.edge.terminal import write_out

WIDTH = 80
_GAP = "  "
_TIE = "\x00"
"""A blank where no line may be broken; printed as a blank."""

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
    "config": ("spycatcher-harness config replay", "spycatcher-harness config record --config ci.toml"),
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


def display_width(line: str) -> int:
    """Columns a text takes in a terminal: two for wide characters, none for marks and formatting characters."""
    return sum(
        0 if unicodedata.category(character) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in line
    )


def wrap(paragraph: str, width: int) -> list[str]:
    """Break a text into lines of at most ``width`` columns; wide characters may be parted from each other."""
    lines: list[str] = []
    for source in paragraph.split("\n"):
        line = ""
        for word, is_after_blank in _words(source):
            joined = f"{line} {word}" if line and is_after_blank else line + word
            if line and display_width(joined) > width:
                lines.append(line)
                line = word
            else:
                line = joined
        lines.append(line)
    return lines


def _words(line: str) -> Iterator[tuple[str, bool]]:
    """Pieces that may start a new line, each with whether a blank stands before it."""
    for word in line.split(" "):
        piece, is_after_blank = "", True
        for character in word:
            # Text in wide characters has no blanks; it may be broken before any of them that is no punctuation.
            if piece and unicodedata.east_asian_width(character) == "W" and unicodedata.category(character)[0] == "L":
                yield piece, is_after_blank
                piece, is_after_blank = "", False
            piece += character
        yield piece, is_after_blank


def table(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Two columns, the second one wrapped; the first is as wide as its widest cell that leaves room for the second."""
    left_width = max((display_width(left) for left, _ in rows if display_width(left) <= 28), default=28)
    indent = " " * (len(_GAP) + left_width + len(_GAP))
    lines: list[str] = []
    for left, right in rows:
        right_lines = wrap(right, WIDTH - len(indent))
        if display_width(left) > left_width:
            lines.append(_GAP + left)
        else:
            lines.append(_GAP + left + " " * (left_width - display_width(left)) + _GAP + right_lines.pop(0))
        lines += [indent + line for line in right_lines]
    return [line.replace(_TIE, " ") for line in lines]


def _heading(message_id: str) -> str:
    heading = f"{text(message_id)}:"
    wants_colour = sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\x1b[1m{heading}\x1b[0m" if wants_colour else heading


class UnknownSubcommandError(typer.BadParameter):
    """The first word is no subcommand."""

    def __init__(self, word: str, ctx: typer.Context) -> None:
        super().__init__(word, ctx)
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
        name = self.name or ""
        formatter.write("\n".join(_page(self, ctx, name, [])) + "\n")


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
        rows = [(name, text(f"cli-{name}-about")) for name in self.list_commands(ctx)]
        commands = [_heading("cli-heading-commands"), *table(rows), ""]
        formatter.write("\n".join(_page(self, ctx, "", commands)) + "\n")


def _page(command: TyperCommand | TyperGroup, ctx: typer.Context, name: str, commands: list[str]) -> list[str]:
    about = text(f"cli-{name}-about" if name else "cli-about")
    lines = [*wrap(about, WIDTH), "", usage(ctx), "", *commands]
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        if parameter.param_type_name == "argument":
            groups.setdefault("cli-heading-arguments", []).append(_argument_row(parameter))
        else:
            group = getattr(parameter, "rich_help_panel", None) or "cli-heading-options"
            groups.setdefault(group, []).append(_option_row(parameter))
    for group, rows in groups.items():
        lines += [_heading(group), *table(rows), ""]
    if name in ("", *Mode, "config"):
        lines += [_heading("cli-heading-configuration")]
        lines += [_GAP + line if line else "" for line in wrap(text("cli-merge-help"), WIDTH - len(_GAP))]
        lines += ["", *(f"{_GAP}{_GAP}{line}" for line in _FILE_EXAMPLE), ""]
        lines += [_GAP + line for line in wrap(text("cli-environment-help"), WIDTH - len(_GAP))]
        lines += ["", *(f"{_GAP}{_GAP}{line}" for line in _ENVIRONMENT_EXAMPLES), ""]
    return [*lines, _heading("cli-heading-examples"), *(_GAP + line for line in _EXAMPLES[name])]


def _argument_row(parameter: Any) -> tuple[str, str]:
    modes = ", ".join(Mode)
    return parameter.metavar, f"{text('cli-argument-subcommand', modes=modes)} {text('cli-default', value=Mode.REPLAY)}"


def _option_row(parameter: Any) -> tuple[str, str]:
    names = ", ".join(sorted(parameter.opts, key=len))
    left = f"{names} {parameter.metavar}" if parameter.metavar else names
    message_id = f"cli-option-{max(parameter.opts, key=len).lstrip('-')}"
    description = text(message_id, kinds=", ".join(UpstreamKind))
    if parameter.multiple:
        description += f" {text('cli-repeatable')}"
    default = default_of(parameter.name)
    if default is not None:
        description += f" {text('cli-default', value=default).replace(' ', _TIE)}"
    return left, description


def usage(ctx: typer.Context) -> str:
    """The usage line of a command."""
    pieces = {"": "[OPTIONS] COMMAND [ARGS]", "config": "[OPTIONS] [SUBCOMMAND]", "addon-path": "[OPTIONS]"}
    name = ctx.info_name or ""
    return f"{text('cli-usage')}: {ctx.command_path} {pieces.get('' if ctx.parent is None else name, '[OPTIONS]')}"


def parse_error_lines(error: typer.TyperException) -> list[str]:
    """The lines for a command line that could not be parsed: what is wrong, usage, where to find help."""
    ctx = getattr(error, "ctx", None)
    lines = [f"error: {_parse_error_text(error, ctx)}"]
    if isinstance(error, BadValueError):
        lines += [_GAP + line for line in wrap(text("cli-expected", description=error.description), WIDTH - len(_GAP))]
    possibilities = getattr(error, "possibilities", None)
    if possibilities:
        (nearest,) = difflib.get_close_matches(str(getattr(error, "option_name", "")), possibilities, n=1, cutoff=0)
        lines.append(_GAP + text("cli-did-you-mean", candidate=nearest))
    if ctx is not None:
        lines += ["", usage(ctx), text("cli-try-help", command=ctx.command_path)]
    return lines


def _parse_error_text(error: typer.TyperException, ctx: typer.Context | None) -> str:
    # Typer keeps click's exception classes to itself, so they are told apart by their names.
    kind = type(error).__name__
    if isinstance(error, BadValueError):
        parameter: Any = error.param
        return text(error.message_id, value=error.value, argument=max(parameter.opts, key=len) if parameter else "")
    if kind == "NoSuchOption":
        return text("clap-error-unknown-argument", argument=str(getattr(error, "option_name", "")))
    if ctx is not None and isinstance(ctx.command, TyperGroup) and isinstance(error, UnknownSubcommandError):
        return text("clap-error-invalid-subcommand", subcommand=error.word, valid_subcommands=_subcommands(ctx, ctx.command))
    if ctx is not None and isinstance(ctx.command, TyperGroup) and kind == "UsageError":
        return text("clap-error-missing-subcommand", valid_subcommands=_subcommands(ctx, ctx.command))
    if kind == "UsageError" and error.message.startswith("Got unexpected extra argument"):
        return text("clap-error-unknown-argument", argument=error.message.partition(") (")[2].removesuffix(")"))
    if kind == "BadOptionUsage" and "requires an argument" in error.message:
        return text("clap-error-missing-argument", argument=str(getattr(error, "option_name", "")))
    return error.format_message()


def _subcommands(ctx: typer.Context, group: TyperGroup) -> str:
    return ", ".join(group.list_commands(ctx))
