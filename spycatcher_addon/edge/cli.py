"""The command ``spycatcher-harness``: its subcommands, exit codes and what goes to which stream.

Help, version, ``verify``, ``config`` and ``addon-path`` load no mitmproxy; ``record`` and ``replay`` do, once their
configuration is known to be good. What goes wrong before the language is settled is said in English, and the tags
``error:``, ``Error:``, ``Caused by:`` and ``warning:`` are the same in every language, so that programs can find them.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.main import get_command

from spycatcher_addon.choices import Mode, UiKind, VerifyFormat
from spycatcher_addon.edge import cli_options as options
from spycatcher_addon.edge import tape_options
from spycatcher_addon.edge.cli_failure import EXIT_FAILURE, EXIT_USAGE, CommandError
from spycatcher_addon.edge.cli_help import HelpCommand, HelpGroup, texts_of
from spycatcher_addon.edge.cli_language import EarlyLanguage, LocalizationError, configured_texts
from spycatcher_addon.edge.cli_parse_errors import invalid_utf8_lines, parse_error_lines
from spycatcher_addon.edge.cli_text import MissingTextError, Texts
from spycatcher_addon.edge.tape_commands import register_tape_commands
from spycatcher_addon.edge.terminal import OutputError, prepare_streams, write_err, write_out
from spycatcher_addon.errors import InvalidConfigError
from spycatcher_addon.version import VERSION

if TYPE_CHECKING:
    from spycatcher_addon.config import HarnessConfig
    from spycatcher_addon.edge.layers import ResolvedConfig

PROGRAM = "spycatcher-harness"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; nothing but the exit code and text leaves it.

    Args:
        arguments: Without the program's name; those of the process if not given.
    """
    prepare_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["serve-tapes"]:  # for programs: lines of JSON, no texts, no options, and so no part of the command line
        from spycatcher_addon.edge.lean_start import only_wanted_addons

        with only_wanted_addons():
            from spycatcher_addon.edge.tape_server import main as serve_tapes

        return serve_tapes(words[1:])
    language = EarlyLanguage(os.environ, lambda warning: write_err(f"warning: {warning}\n"))
    try:
        return _run(words, language)
    except CommandError as error:
        write_err("\n".join(error.lines) + "\n")
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0
    except OutputError as error:
        return _output_failed(str(error))
    except OSError as error:
        if error.errno == errno.ENOSPC:  # what typer writes itself
            return _output_failed(os.strerror(error.errno))
        return _internal_error(error)
    except Exception as error:
        return _internal_error(error)


def _run(words: list[str], language: EarlyLanguage) -> int:
    try:
        broken = next((word for word in words if any("\ud800" <= character <= "\udfff" for character in word)), None)
        if broken is not None:
            write_err("\n".join(invalid_utf8_lines(language.texts, broken, PROGRAM)) + "\n")
            return EXIT_USAGE
        app = get_command(build_app(words[0] if words else ""))
        outcome = app.main(args=words, prog_name=PROGRAM, standalone_mode=False, obj=language)
    except typer.TyperException as error:
        write_err("\n".join(parse_error_lines(language.texts, error)) + "\n")
        return EXIT_USAGE
    return outcome if isinstance(outcome, int) else 0


def _output_failed(reason: str) -> int:
    write_err(f"Error: cannot write to standard output: {reason}; make room, or send the output elsewhere\n")
    return EXIT_FAILURE


def _internal_error(error: Exception) -> int:
    write_err(f"Error: internal error: {type(error).__name__}: {error}; please report it\n")
    return EXIT_FAILURE


def build_app(word: str = "") -> typer.Typer:
    """Build the typer application.

    Args:
        word: The first word of the command line. If it names a subcommand, that is the only one: typer works out the
            options of all it is given, which for all of them takes longer than most have to do.
    """
    app = typer.Typer(
        cls=HelpGroup,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    # The first line of each docstring is the help that typer shows when there are no catalogues.
    app.callback()(_program)
    app.command("record", cls=HelpCommand)(_record)
    app.command("replay", cls=HelpCommand)(_replay)
    app.command("verify", cls=HelpCommand)(_verify)
    app.command("auto", cls=HelpCommand)(_auto)
    app.command("config", cls=HelpCommand)(_config)
    app.command("addon-path", cls=HelpCommand)(_addon_path)
    register_tape_commands(app, _settings)
    app.command("doctor", cls=HelpCommand)(_doctor)
    app.registered_commands = [command for command in app.registered_commands if command.name == word] or app.registered_commands
    return app


def _print_version(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        write_out(f"{PROGRAM} {_version_text(texts_of(ctx))}\n")
        raise typer.Exit


def _version_text(texts: Texts | None) -> str:
    try:
        return VERSION if texts is None else texts("cli-version", binary=PROGRAM, version=VERSION)
    except MissingTextError:
        return VERSION


def _program(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Record conversations with LLM APIs to cassettes and replay them offline."""


def _record(
    ctx: typer.Context,
    listen: options.Listen = None,
    grace: options.Grace = None,
    cassette_dir: options.CassetteDir = None,
    cassette_name: options.CassetteName = None,
    keep_failures: options.KeepFailures = False,
    match_mode: options.MatchModeOption = None,
    ignore_path: options.IgnorePath = None,
    normalize: options.Normalize = None,
    upstream_kind: options.Kind = None,
    base_url: options.BaseUrl = None,
    api_key_env: options.ApiKeyEnv = None,
    ui: options.Ui = None,
    ui_port: options.UiPort = None,
    ui_password: options.UiPassword = None,
    ui_keep: options.UiKeep = None,
    config: options.ConfigFileOption = None,
    locale: options.Locale = None,
    fallback_locale: options.FallbackLocale = None,
) -> int:
    """Forward requests to the upstream provider and record each exchange."""
    return _serve(Mode.RECORD, ctx)


def _replay(
    ctx: typer.Context,
    listen: options.Listen = None,
    grace: options.Grace = None,
    cassette_dir: options.CassetteDir = None,
    cassette_name: options.CassetteName = None,
    match_mode: options.MatchModeOption = None,
    ignore_path: options.IgnorePath = None,
    normalize: options.Normalize = None,
    fail_unused: options.FailUnused = False,
    report: options.Report = None,
    report_format: options.ReportFormatOption = None,
    stream_source: options.StreamSourceOption = None,
    timing: options.Timing = None,
    timing_factor: options.TimingFactor = None,
    timing_seed: options.TimingSeed = None,
    include_failures: options.IncludeFailures = False,
    fault: options.Fault = None,
    fault_seed: options.FaultSeed = None,
    fault_report: options.FaultReport = None,
    ui: options.Ui = None,
    ui_port: options.UiPort = None,
    ui_password: options.UiPassword = None,
    ui_keep: options.UiKeep = None,
    config: options.ConfigFileOption = None,
    locale: options.Locale = None,
    fallback_locale: options.FallbackLocale = None,
) -> int:
    """Answer requests from a cassette; never touches the network."""
    return _serve(Mode.REPLAY, ctx)


def _verify(
    ctx: typer.Context,
    tapes: tape_options.TapesOrFolders = None,
    form: options.VerifyFormatOption = VerifyFormat.TEXT,
    strict: options.Strict = False,
    listen: options.Listen = None,
    cassette_dir: options.CassetteDir = None,
    cassette_name: options.CassetteName = None,
    ignore_path: options.IgnorePath = None,
    normalize: options.Normalize = None,
    config: options.ConfigFileOption = None,
    locale: options.Locale = None,
    fallback_locale: options.FallbackLocale = None,
) -> int:
    """Check that a cassette is intact and safe to commit."""
    resolved = _resolve(Mode.VERIFY, ctx)
    texts = _texts(resolved)
    from spycatcher_addon.edge.verification import VerificationError, VerifyRequest, verify

    _collect_garbage_again()
    try:
        return verify(resolved.config, texts, os.environ, VerifyRequest(tuple(tapes or ()), VerifyFormat(form), strict))
    except (VerificationError, LocalizationError) as error:
        raise CommandError(str(error)) from error


def _auto(
    ctx: typer.Context,
    listen: options.Listen = None,
    grace: options.Grace = None,
    cassette_dir: options.CassetteDir = None,
    cassette_name: options.CassetteName = None,
    record_mode: options.RecordModeOption = None,
    keep_failures: options.KeepFailures = False,
    match_mode: options.MatchModeOption = None,
    ignore_path: options.IgnorePath = None,
    normalize: options.Normalize = None,
    fail_unused: options.FailUnused = False,
    stream_source: options.StreamSourceOption = None,
    timing: options.Timing = None,
    timing_factor: options.TimingFactor = None,
    timing_seed: options.TimingSeed = None,
    include_failures: options.IncludeFailures = False,
    fault: options.Fault = None,
    fault_seed: options.FaultSeed = None,
    fault_report: options.FaultReport = None,
    upstream_kind: options.Kind = None,
    base_url: options.BaseUrl = None,
    api_key_env: options.ApiKeyEnv = None,
    config: options.ConfigFileOption = None,
    locale: options.Locale = None,
    fallback_locale: options.FallbackLocale = None,
) -> int:
    """Replay what the cassette knows and record the rest, as the record mode says."""
    return _serve(Mode.AUTO, ctx, _without_recording_in_ci)


def _without_recording_in_ci(resolved: ResolvedConfig, texts: Texts) -> ResolvedConfig:
    """Where the variable CI is set, a configuration file alone starts no recording: it holds for developers' machines too."""
    from spycatcher_addon.edge.serving import warning_line
    from spycatcher_addon.record_modes import select_mode

    wanted = resolved.config.auto.mode
    source = resolved.sources.get("auto.mode", "")
    mode = select_mode(wanted, source.startswith(("flag ", "environment variable ")), os.environ)
    if mode is not wanted:
        write_err(f"{warning_line(texts('cli-auto-ci'))}\n")
    return replace(resolved, config=resolved.config.model_copy(update={"auto": resolved.config.auto.model_copy(update={"mode": mode})}))


def _config(
    ctx: typer.Context,
    subcommand: options.ModeArgument = Mode.REPLAY,
    listen: options.Listen = None,
    grace: options.Grace = None,
    cassette_dir: options.CassetteDir = None,
    cassette_name: options.CassetteName = None,
    record_mode: options.RecordModeOption = None,
    keep_failures: options.KeepFailures = False,
    match_mode: options.MatchModeOption = None,
    ignore_path: options.IgnorePath = None,
    normalize: options.Normalize = None,
    fail_unused: options.FailUnused = False,
    report: options.Report = None,
    report_format: options.ReportFormatOption = None,
    stream_source: options.StreamSourceOption = None,
    timing: options.Timing = None,
    timing_factor: options.TimingFactor = None,
    timing_seed: options.TimingSeed = None,
    include_failures: options.IncludeFailures = False,
    fault: options.Fault = None,
    fault_seed: options.FaultSeed = None,
    fault_report: options.FaultReport = None,
    upstream_kind: options.Kind = None,
    base_url: options.BaseUrl = None,
    api_key_env: options.ApiKeyEnv = None,
    ui: options.Ui = None,
    ui_port: options.UiPort = None,
    ui_password: options.UiPassword = None,
    ui_keep: options.UiKeep = None,
    config: options.ConfigFileOption = None,
    locale: options.Locale = None,
    fallback_locale: options.FallbackLocale = None,
) -> int:
    """Print the effective configuration and where each value comes from."""
    from spycatcher_addon.edge.config_report import config_report

    try:
        write_out(config_report(_resolve(Mode(subcommand), ctx)))
    except CommandError as error:
        # What there is helps to see what is missing; a mistake elsewhere fails here once more, and nothing is shown.
        with contextlib.suppress(CommandError):
            write_out(config_report(_resolve(Mode(subcommand), ctx, is_half_upstream_good=True)))
        raise error from None
    return 0


def _addon_path() -> int:
    """Print the path of the add-on file for `mitmdump -s`."""
    write_out(f"{Path(__file__).resolve().parent.parent / 'launcher' / 'addon.py'}\n")
    return 0


def _doctor(
    ctx: typer.Context,
    as_json: tape_options.AsJson = False,
    listen: options.Listen = None,
    cassette_dir: options.CassetteDir = None,
    cassette_name: options.CassetteName = None,
    config: options.ConfigFileOption = None,
    locale: options.Locale = None,
    fallback_locale: options.FallbackLocale = None,
) -> int:
    """Check the environment and say how to cure what is wrong."""
    from spycatcher_addon.config import HarnessConfig, LocalizationConfig
    from spycatcher_addon.edge.doctor import examine, report

    # A broken configuration is a finding like any other, and no reason to leave out the rest.
    replayer, recorder, broken, texts = HarnessConfig(), None, None, None
    try:
        replayer, texts = _settings(ctx)
        recorder = _resolve(Mode.RECORD, ctx).config
    except CommandError as error:
        broken = error.cause or error.message
    texts = texts or texts_of(ctx) or configured_texts(LocalizationConfig())
    home = os.environ.get("HOME") or os.environ.get("USERPROFILE")
    return report(texts, examine(texts, replayer, recorder, broken, os.environ, home), as_json)


def _settings(ctx: typer.Context) -> tuple[HarnessConfig, Texts]:
    """What the commands go by that work on recorded cassettes: the configuration of ``replay``.

    Raises:
        CommandError: It cannot be used.
    """
    resolved = _resolve(Mode.REPLAY, ctx)
    return resolved.config, _texts(resolved)


def _resolve(mode: Mode, ctx: typer.Context, *, is_half_upstream_good: bool = False) -> ResolvedConfig:
    """Merge the layers for a subcommand.

    Args:
        is_half_upstream_good: As for :func:`spycatcher_addon.edge.layers.resolve_config`.

    Raises:
        CommandError: They do not give a usable configuration.
    """
    # As everywhere below: help, version and parse errors come without what only a command's work needs.
    from spycatcher_addon.edge.layers import resolve_config

    try:
        return resolve_config(
            mode,
            options.cli_values(ctx.params),
            os.environ,
            os.getcwd(),
            os.environ.get("HOME") or os.environ.get("USERPROFILE"),
            ctx.params["config"],
            options.flag_name,
            is_half_upstream_good=is_half_upstream_good,
        )
    except FileNotFoundError as error:
        cause = "the working directory no longer exists; change to another one"
        raise CommandError("failed to load merged command config", cause) from error
    except InvalidConfigError as error:
        raise CommandError("failed to load merged command config", error.message) from error


def _collect_garbage_again() -> None:
    """Switch on what :mod:`spycatcher_addon.edge.entry` switched off; what was loaded meanwhile stays and need not be searched."""
    gc.freeze()
    gc.enable()


def _texts(resolved: ResolvedConfig) -> Texts:
    try:
        return configured_texts(resolved.config.localization)
    except LocalizationError as error:
        raise CommandError("failed to prepare localization", str(error)) from error


def _serve(mode: Mode, ctx: typer.Context, adapt: Callable[[ResolvedConfig, Texts], ResolvedConfig] | None = None) -> int:
    resolved = _resolve(mode, ctx)
    texts = _texts(resolved)
    if adapt is not None:
        resolved = adapt(resolved, texts)
    # Only now, and only here: mitmproxy and asyncio take longer to load than everything else together.
    import asyncio
    import logging

    from spycatcher_addon.edge.lean_start import only_wanted_addons
    from spycatcher_addon.edge.log_texts import localized_line

    with only_wanted_addons():
        from spycatcher_addon.edge.server import start_harness
    from spycatcher_addon.edge.serving import ServingError, serve
    from spycatcher_addon.edge.terminal import is_interactive, log_to_standard_error

    if resolved.config.ui.kind is UiKind.CONSOLE and not is_interactive():
        raise CommandError(f"{texts('cli-ui-needs-terminal')} --ui web", exit_code=EXIT_USAGE)
    log_to_standard_error(logging.WARNING, lambda record: localized_line(record, texts))
    _collect_garbage_again()
    try:
        return asyncio.run(serve(resolved, texts, os.environ, start_harness))
    except ServingError as error:
        raise CommandError(str(error)) from error
