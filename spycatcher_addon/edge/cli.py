"""The command ``spycatcher-harness``: its subcommands, exit codes and what goes to which stream.

Help, version, ``config`` and ``addon-path`` load no mitmproxy; ``record`` and ``replay`` do, once their configuration
is known to be good.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.main import get_command

from spycatcher_addon.config import Mode
from spycatcher_addon.edge import cli_options as options
from spycatcher_addon.edge.cli_help import HelpCommand, HelpGroup, parse_error_lines
from spycatcher_addon.edge.cli_text import text
from spycatcher_addon.edge.config_report import config_report
from spycatcher_addon.edge.layers import ResolvedConfig, resolve_config
from spycatcher_addon.edge.serving import ServingError, serve
from spycatcher_addon.edge.terminal import log_to_standard_error, prepare_streams, write_err, write_out
from spycatcher_addon.errors import InvalidConfigError
from spycatcher_addon.version import VERSION

PROGRAM = "spycatcher-harness"

EXIT_FAILURE = 1
EXIT_USAGE = 2


class _MergeError(Exception):
    """The layers do not give a usable configuration; the text is the cause."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; nothing but the exit code and text leaves it.

    Args:
        arguments: Without the program's name; those of the process if not given.
    """
    prepare_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        broken = next((word for word in words if any("\ud800" <= character <= "\udfff" for character in word)), None)
        if broken is not None:
            message = text("clap-error-invalid-utf8", argument=ascii(broken))
            write_err(f"error: {message}\n\n{text('cli-try-help', command=PROGRAM)}\n")
            return EXIT_USAGE
        outcome = get_command(build_app()).main(args=words, prog_name=PROGRAM, standalone_mode=False)
    except typer.TyperException as error:
        write_err("\n".join(parse_error_lines(error)) + "\n")
        return EXIT_USAGE
    except _MergeError as error:
        _fail(text("cli-merge-failed"), text("cli-caused-by", cause=str(error)))
        return EXIT_FAILURE
    except ServingError as error:
        _fail(str(error))
        return EXIT_FAILURE
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0
    except Exception as error:
        _fail(text("cli-internal-error", error=f"{type(error).__name__}: {error}"))
        return EXIT_FAILURE
    return outcome if isinstance(outcome, int) else 0


def _fail(message: str, *more: str) -> None:
    write_err("\n".join([text("cli-error", message=message), *more]) + "\n")


def build_app() -> typer.Typer:
    """Build the typer application."""
    app = typer.Typer(
        cls=HelpGroup,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_program)
    app.command("record", cls=HelpCommand)(_record)
    app.command("replay", cls=HelpCommand)(_replay)
    app.command("config", cls=HelpCommand)(_config)
    app.command("addon-path", cls=HelpCommand)(_addon_path)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        write_out(f"{PROGRAM} {VERSION}\n")
        raise typer.Exit


def _program(
    version: Annotated[bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True)] = False,
) -> None:
    """Options before the subcommand."""


def _record(
    ctx: typer.Context,
    listen: options.Listen = None,
    grace: options.Grace = None,
    cassette_dir: options.CassetteDir = None,
    cassette_name: options.CassetteName = None,
    match_mode: options.MatchModeOption = None,
    ignore_path: options.IgnorePath = None,
    upstream_kind: options.Kind = None,
    base_url: options.BaseUrl = None,
    api_key_env: options.ApiKeyEnv = None,
    config: options.ConfigFileOption = None,
    locale: options.Locale = None,
    fallback_locale: options.FallbackLocale = None,
) -> int:
    return _serve(Mode.RECORD, ctx)


def _replay(
    ctx: typer.Context,
    listen: options.Listen = None,
    grace: options.Grace = None,
    cassette_dir: options.CassetteDir = None,
    cassette_name: options.CassetteName = None,
    match_mode: options.MatchModeOption = None,
    ignore_path: options.IgnorePath = None,
    fail_unused: options.FailUnused = False,
    config: options.ConfigFileOption = None,
    locale: options.Locale = None,
    fallback_locale: options.FallbackLocale = None,
) -> int:
    return _serve(Mode.REPLAY, ctx)


def _config(
    ctx: typer.Context,
    subcommand: options.ModeArgument = Mode.REPLAY,
    listen: options.Listen = None,
    grace: options.Grace = None,
    cassette_dir: options.CassetteDir = None,
    cassette_name: options.CassetteName = None,
    match_mode: options.MatchModeOption = None,
    ignore_path: options.IgnorePath = None,
    fail_unused: options.FailUnused = False,
    upstream_kind: options.Kind = None,
    base_url: options.BaseUrl = None,
    api_key_env: options.ApiKeyEnv = None,
    config: options.ConfigFileOption = None,
    locale: options.Locale = None,
    fallback_locale: options.FallbackLocale = None,
) -> int:
    write_out(config_report(_resolve(Mode(subcommand), ctx)))
    return 0


def _addon_path() -> int:
    write_out(f"{Path(__file__).resolve().parent.parent / 'launcher' / 'addon.py'}\n")
    return 0


def _resolve(mode: Mode, ctx: typer.Context) -> ResolvedConfig:
    """Merge the layers for a subcommand.

    Raises:
        _MergeError: They do not give a usable configuration.
    """
    try:
        return resolve_config(
            mode,
            options.cli_values(ctx.params),
            os.environ,
            os.getcwd(),
            os.environ.get("HOME") or os.environ.get("USERPROFILE"),
            ctx.params["config"],
            options.flag_name,
        )
    except FileNotFoundError as error:
        raise _MergeError("the working directory no longer exists; change to another one") from error
    except InvalidConfigError as error:
        raise _MergeError(error.message) from error


def _serve(mode: Mode, ctx: typer.Context) -> int:
    resolved = _resolve(mode, ctx)
    # Only now, and only here: mitmproxy takes longer to load than everything else together.
    from spycatcher_addon.edge.server import start_harness

    log_to_standard_error(logging.WARNING)
    return asyncio.run(serve(resolved, os.environ, start_harness))
