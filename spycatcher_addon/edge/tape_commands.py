"""The commands that make cassettes of others: ``merge`` and ``prune``; and the list of all commands on cassettes that exist already.

Without a path they take the cassette that ``replay`` would take. What they decide is in :mod:`spycatcher_addon.tools`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from spycatcher_addon.edge import cli_options as options
from spycatcher_addon.edge import tape_options as tape
from spycatcher_addon.edge.cli_failure import EXIT_USAGE, CommandError
from spycatcher_addon.edge.cli_help import HelpCommand
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.edge.convert_command import register_convert_command
from spycatcher_addon.edge.looking_commands import register_looking_commands
from spycatcher_addon.edge.scrub_command import register_scrub_command
from spycatcher_addon.edge.tape_options import Settings
from spycatcher_addon.edge.tape_view import report_written

if TYPE_CHECKING:
    from spycatcher_addon.cassette.model import Cassette
    from spycatcher_addon.config import HarnessConfig


def register_tape_commands(app: typer.Typer, settings: Settings) -> None:
    """Add the commands on cassettes to the program, in the order in which help lists them."""
    register_looking_commands(app, settings)
    _register_editing_commands(app, settings)
    register_convert_command(app, settings)
    register_scrub_command(app, settings)


def _register_editing_commands(app: typer.Typer, settings: Settings) -> None:
    # The first line of each docstring is the help that typer shows when there are no catalogues.
    @app.command("merge", cls=HelpCommand)
    def _merge(
        ctx: typer.Context,
        inputs: tape.Inputs,
        output: tape.Output,
        force: tape.Force = False,
        as_json: tape.AsJson = False,
        config: options.ConfigFileOption = None,
        locale: options.Locale = None,
        fallback_locale: options.FallbackLocale = None,
    ) -> int:
        """Put several cassettes into a new one."""
        configured, texts = settings(ctx)
        return _merge_files(texts, configured, inputs, output, is_forced=force, is_json=as_json)

    @app.command("prune", cls=HelpCommand)
    def _prune(
        ctx: typer.Context,
        output: tape.Output,
        drop: tape.Drop = None,
        unused_in: tape.UnusedIn = None,
        cassette: tape.OneCassette = None,
        force: tape.Force = False,
        as_json: tape.AsJson = False,
        cassette_dir: options.CassetteDir = None,
        cassette_name: options.CassetteName = None,
        config: options.ConfigFileOption = None,
        locale: options.Locale = None,
        fallback_locale: options.FallbackLocale = None,
    ) -> int:
        """Write a copy of a cassette without some of its interactions."""
        configured, texts = settings(ctx)
        if drop is None and not unused_in:
            raise CommandError(texts("cli-prune-nothing-named"), exit_code=EXIT_USAGE)
        return _prune_file(texts, configured, cassette, drop or frozenset(), unused_in or [], output, is_forced=force, is_json=as_json)


def _merge_files(texts: Texts, config: HarnessConfig, paths: Sequence[str], output: str, *, is_forced: bool, is_json: bool) -> int:
    from spycatcher_addon.cassette.schema import encode_cassette
    from spycatcher_addon.edge.progress import progress
    from spycatcher_addon.edge.tape_files import count_secrets, load_cassette, write_output
    from spycatcher_addon.errors import HarnessError
    from spycatcher_addon.tools.editing import merge_cassettes
    from spycatcher_addon.version import GENERATOR

    cassettes = [load_cassette(texts, path) for path in progress(paths, "merge")]
    try:
        secrets = sum(count_secrets(config, cassette) for cassette in progress(cassettes, "merge"))
        merged = merge_cassettes(cassettes, GENERATOR)
        data = encode_cassette(merged)
    except HarnessError as error:
        raise CommandError(texts.error(error)) from error
    write_output(texts, output, data, paths, is_forced=is_forced)
    return report_written(texts, output, merged, (), secrets, is_json)


def _prune_file(
    texts: Texts,
    config: HarnessConfig,
    given: str | None,
    drop: frozenset[int],
    reports: Sequence[str],
    output: str,
    *,
    is_forced: bool,
    is_json: bool,
) -> int:
    from spycatcher_addon.cassette.schema import encode_cassette
    from spycatcher_addon.edge.tape_files import count_secrets, load_cassette, write_output
    from spycatcher_addon.errors import HarnessError
    from spycatcher_addon.tools.editing import IndexListError, prune_cassette, under_settings

    path = given or config.cassette_path
    cassette = load_cassette(texts, path)
    try:
        drop |= _unused(texts, cassette, path, reports)
        pruned = prune_cassette(under_settings(cassette, cassette.hashing), drop)
        data = encode_cassette(pruned)
        secrets = count_secrets(config, pruned)
    except IndexListError as error:
        last = len(cassette.interactions) - 1
        message = texts("cli-show-missing", index=str(max(drop)), last=str(last)) if last >= 0 else texts("cli-tape-empty")
        raise CommandError(message) from error
    except HarnessError as error:
        raise CommandError(texts.error(error)) from error
    write_output(texts, output, data, [path, *reports], is_forced=is_forced)
    return report_written(texts, output, pruned, (), secrets, is_json)


def _unused(texts: Texts, cassette: Cassette, path: str, reports: Sequence[str]) -> frozenset[int]:
    """The interactions that no run of any report asked for.

    Raises:
        CommandError: A report cannot be read or used, or was made with another cassette.
    """
    from spycatcher_addon.edge.tape_files import read_file
    from spycatcher_addon.mismatch_report import NoReportError, unused_in, unused_in_all

    read: list[dict[int, str]] = []
    for report in reports:
        try:
            read.append(unused_in(read_file(texts, report)))
        except NoReportError as error:
            raise CommandError(texts("cli-prune-no-report", path=report, problem=str(error))) from error
        for index, stable_hash in read[-1].items():
            if index >= len(cassette.interactions) or cassette.interactions[index].request.stable_hash != stable_hash:
                raise CommandError(texts("cli-prune-other-cassette", path=report, cassette=path, index=str(index)))
    return frozenset(unused_in_all(read)) if read else frozenset()
