"""Command lines that cannot be parsed, in words: what is wrong, the usage, where to find help.

Typer keeps click's exception classes to itself, so they are told apart by their names.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup

from spycatcher_addon.edge.cli_help import UnknownSubcommandError, usage
from spycatcher_addon.edge.cli_layout import GAP, indented
from spycatcher_addon.edge.cli_options import BadValueError
from spycatcher_addon.edge.cli_text import MissingTextError, Texts


def parse_error_lines(texts: Texts | None, error: typer.TyperException) -> list[str]:
    """The lines for a command line that could not be parsed: what is wrong, usage, where to find help."""
    ctx = getattr(error, "ctx", None)
    if texts is not None:
        try:
            return [f"error: {_parse_error_text(texts, error, ctx)}", *_hints(texts, error), *_where_to_find_help(texts, ctx)]
        except MissingTextError:
            pass
    lines = [f"error: {error.format_message()}"]
    if ctx is not None:
        lines += ["", ctx.get_usage(), f"Try '{ctx.command_path} --help' for help."]
    return lines


def invalid_utf8_lines(texts: Texts | None, word: str, program: str) -> list[str]:
    """The lines for an argument that is not text."""
    shown = ascii(word)
    try:
        message = f"invalid UTF-8 in argument {shown}" if texts is None else texts("clap-error-invalid-utf8", argument=shown)
        help_hint = "For help, try:" if texts is None else texts("cli-try-help")
    except MissingTextError:
        return invalid_utf8_lines(None, word, program)
    return [f"error: {message}", "", f"{help_hint} {program} --help"]


def _hints(texts: Texts, error: typer.TyperException) -> Iterator[str]:
    if isinstance(error, BadValueError):
        expected = " ".join([texts(error.expected_id), ", ".join(error.choices)]).rstrip()
        yield from indented(expected)
        if error.detail:
            yield from indented(error.detail)
    possibilities = getattr(error, "possibilities", None)
    if possibilities:
        (nearest,) = difflib.get_close_matches(str(getattr(error, "option_name", "")), possibilities, n=1, cutoff=0)
        yield f"{GAP}{texts('cli-did-you-mean')} {nearest}"


def _where_to_find_help(texts: Texts, ctx: typer.Context | None) -> Iterator[str]:
    if ctx is not None:
        yield from ("", usage(texts, ctx), f"{texts('cli-try-help')} {ctx.command_path} --help")


def _parse_error_text(texts: Texts, error: typer.TyperException, ctx: typer.Context | None) -> str:
    kind = type(error).__name__
    option = str(getattr(error, "option_name", ""))
    if isinstance(error, BadValueError):
        parameter: Any = error.param
        argument = max(parameter.opts, key=len) if parameter else ""
        if error.choices:
            return texts("clap-error-invalid-value", value=error.value, argument=argument, valid_values=", ".join(error.choices))
        return texts("clap-error-value-validation", value=error.value, argument=argument)
    if kind == "NoSuchOption":
        return texts("clap-error-unknown-argument", argument=option)
    if ctx is not None and isinstance(ctx.command, TyperGroup) and isinstance(error, UnknownSubcommandError):
        return texts("clap-error-invalid-subcommand", subcommand=error.word, valid_subcommands=_subcommands(ctx, ctx.command))
    if ctx is not None and isinstance(ctx.command, TyperGroup) and kind == "UsageError":
        return texts("clap-error-missing-subcommand", valid_subcommands=_subcommands(ctx, ctx.command))
    if kind == "UsageError" and error.message.startswith("Got unexpected extra argument"):
        return texts("clap-error-unknown-argument", argument=error.message.partition(") (")[2].removesuffix(")"))
    if kind == "BadOptionUsage" and "requires an argument" in error.message:
        return texts("clap-error-missing-argument", argument=option)
    if kind == "BadOptionUsage" and "does not take a value" in error.message:
        return texts("clap-error-too-many-values", argument=option, expected="0", actual="1")
    if kind == "MissingParameter":
        missing: Any = getattr(error, "param", None)
        return texts("clap-error-missing-argument", argument=max(missing.opts, key=len))
    if kind == "FileError":
        return texts("clap-error-io", argument=error.format_message())
    return texts("clap-error-format", argument=error.format_message())


def _subcommands(ctx: typer.Context, group: TyperGroup) -> str:
    return ", ".join(group.list_commands(ctx))
