"""The command ``scrub``: today's redaction rules on cassettes that exist already, each rewritten in one step or left as it is.

What it decides is in :mod:`spycatcher_addon.tools.scrubbing`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from spycatcher_addon.edge import cli_options as options
from spycatcher_addon.edge import tape_options as tape
from spycatcher_addon.edge.cli_failure import EXIT_FAILURE, EXIT_USAGE, CommandError
from spycatcher_addon.edge.cli_help import HelpCommand
from spycatcher_addon.edge.cli_text import Texts, without_marks
from spycatcher_addon.edge.tape_options import Settings
from spycatcher_addon.edge.terminal import write_err, write_out

if TYPE_CHECKING:
    from spycatcher_addon.cassette.jsontext import JsonValue
    from spycatcher_addon.config import HarnessConfig
    from spycatcher_addon.tools.scrubbing import Left, Scrubbed


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of one cassette."""

    path: str
    output: str | None = None
    """Where the result was written, if it was."""
    format_version: int = 0
    scrubbed: Scrubbed | None = None
    left: tuple[Left, ...] = ()
    """Secrets that it cannot replace."""
    problem: CommandError | None = None
    """Why nothing came of it."""

    @property
    def is_changed(self) -> bool:
        return self.scrubbed is not None and self.scrubbed.is_changed


def register_scrub_command(app: typer.Typer, settings: Settings) -> None:
    """Add the command to the program."""

    # The first line of the docstring is the help that typer shows when there are no catalogues.
    @app.command("scrub", cls=HelpCommand)
    def _scrub(
        ctx: typer.Context,
        tapes: tape.TapesOrFolders = None,
        check: tape.Check = False,
        output: tape.ScrubOutput = None,
        force: tape.Force = False,
        as_json: tape.AsJson = False,
        cassette_dir: options.CassetteDir = None,
        cassette_name: options.CassetteName = None,
        config: options.ConfigFileOption = None,
        locale: options.Locale = None,
        fallback_locale: options.FallbackLocale = None,
    ) -> int:
        """Apply today's redaction rules to cassettes that exist already."""
        configured, texts = settings(ctx)
        given = tapes or [configured.cassette_path]
        if output is not None and (check or len(given) > 1 or os.path.isdir(given[0])):
            raise CommandError(texts("cli-scrub-output-misfit"), exit_code=EXIT_USAGE)
        return _scrub_all(texts, configured, given, output, is_check=check, is_forced=force, is_json=as_json)


def _scrub_all(
    texts: Texts, config: HarnessConfig, given: Sequence[str], output: str | None, *, is_check: bool, is_forced: bool, is_json: bool
) -> int:
    from spycatcher_addon.edge.progress import progress
    from spycatcher_addon.edge.tape_files import files_of
    from spycatcher_addon.edge.tape_folders import looks_like_cassette

    paths = files_of(texts, given, looks_like_cassette)
    outcomes = [_scrub_one(texts, config, path, output, is_check, is_forced) for path in progress(paths, "scrub")]
    if is_json:
        _show_as_json(outcomes, is_check)
    for outcome in outcomes:
        if outcome.problem is not None:
            write_err("".join(f"{line}\n" for line in outcome.problem.lines))
        elif not is_json:
            _show_as_text(texts, outcome, is_check)
    has_failed = any(outcome.problem is not None or outcome.left for outcome in outcomes)
    return EXIT_FAILURE if has_failed or (is_check and any(outcome.is_changed for outcome in outcomes)) else 0


def _scrub_one(texts: Texts, config: HarnessConfig, path: str, output: str | None, is_check: bool, is_forced: bool) -> _Outcome:
    from spycatcher_addon.edge.tape_files import write_output

    try:
        result = _scrubbed(texts, config, path)
        if output is not None:
            write_output(texts, output, result.data, [path], is_forced=is_forced)
        elif result.scrubbed.is_changed and not is_check:
            output, result = path, _rewrite(texts, config, path)
        return _Outcome(path, output, result.format_version, result.scrubbed, result.left)
    except CommandError as error:
        return _Outcome(path, problem=error)


@dataclass(frozen=True, slots=True)
class _Result:
    """One cassette after the rules have been applied."""

    data: bytes
    """The file as it should be."""
    format_version: int
    """As it was read."""
    scrubbed: Scrubbed
    left: tuple[Left, ...]


def _rewrite(texts: Texts, config: HarnessConfig, path: str) -> _Result:
    """Scrub a cassette where it is; read again under its lock, for a recorder may have come in between.

    Raises:
        CommandError: It cannot be written; it is as it was.
    """
    from spycatcher_addon.edge.disk import replace_file
    from spycatcher_addon.edge.tape_lock import TapeLock
    from spycatcher_addon.edge.tape_reading import io_error, resolve_path
    from spycatcher_addon.errors import HarnessError

    try:
        target = resolve_path(path)
        lock = TapeLock.acquire(target)
        try:
            io.FileIO(target, "r+").close()  # a file that may not be written is not replaced either
            result = _scrubbed(texts, config, path)
            replace_file(target, result.data, os.stat(target).st_mode & 0o7777)
        finally:
            lock.release()
    except HarnessError as error:
        raise CommandError(texts.error(error)) from error
    except OSError as error:
        raise CommandError(texts.error(io_error("write", path, error))) from error
    return result


def _scrubbed(texts: Texts, config: HarnessConfig, path: str) -> _Result:
    """Apply the rules to a file; writes nothing.

    Raises:
        CommandError: It cannot be read or scrubbed.
    """
    from spycatcher_addon.cassette.schema import encode_cassette
    from spycatcher_addon.edge.tape_files import read_whole_cassette
    from spycatcher_addon.errors import HarnessError
    from spycatcher_addon.known_values import known_values, scrubbed_rules
    from spycatcher_addon.tools.scrubbing import find_left, scrub_cassette

    data, cassette = read_whole_cassette(texts, path)
    recorded = cassette.hashing.redaction_rules
    rules = config.redaction.rules.with_known(known_values(config, os.environ, recorded))
    try:
        names = scrubbed_rules(config, recorded)
        scrubbed = scrub_cassette(cassette, rules, names, config.matching.ignore, config.limits.max_body_bytes)
        if scrubbed.is_changed:
            data = encode_cassette(scrubbed.cassette)
        return _Result(data, cassette.format_version, scrubbed, find_left(scrubbed, data, rules, config.limits.max_body_bytes))
    except HarnessError as error:
        raise CommandError(f"{path}: {texts.error(error)}") from error


def _show_as_json(outcomes: Sequence[_Outcome], is_check: bool) -> None:
    from spycatcher_addon.edge.tape_view import show_json

    cassettes: list[JsonValue] = []
    for outcome in outcomes:
        scrubbed = outcome.scrubbed
        cassettes.append(
            {
                "cassette": outcome.path,
                "output": outcome.output,
                "changed": outcome.is_changed,
                "error": None if outcome.problem is None else without_marks(outcome.problem.message),
                "replaced": [] if scrubbed is None else [each.as_json() for each in scrubbed.replaced],
                "unsearched": [] if scrubbed is None else [{"interaction": index, "place": place} for index, place in scrubbed.unsearched],
                "left": [each.as_json() for each in outcome.left],
            }
        )
    show_json({"check": is_check, "cassettes": cassettes})


def _show_as_text(texts: Texts, outcome: _Outcome, is_check: bool) -> None:
    from spycatcher_addon.cassette.schema import FORMAT_VERSION

    scrubbed = outcome.scrubbed
    assert scrubbed is not None, "a cassette without a problem was scrubbed"
    word = texts("verify-interaction")
    for each in scrubbed.replaced:
        times = "" if each.count == 1 else f" (x {each.count})"
        write_out(f"{outcome.path}: {word} {each.interaction}: {each.place}: {each.rule}{times}\n")
    for index, place in scrubbed.unsearched:
        write_err(f"warning: {outcome.path}: {word} {index}: {place}: {texts('cli-scrub-unsearched')}\n")
    for left in outcome.left:
        where = left.place if left.interaction is None else f"{word} {left.interaction}: {left.place}"
        write_err(f"error: {outcome.path}: {where}: {left.rule}: {texts('cli-scrub-left')}\n")
    if scrubbed.is_changed:
        count = sum(each.count for each in scrubbed.replaced)
        write_out(f"{outcome.path}: {texts('cli-scrub-would-change' if is_check else 'cli-scrub-changed', count=count)}\n")
    elif not outcome.left:
        write_out(f"{outcome.path}: {texts('cli-scrub-clean')}\n")
    if outcome.output is not None and scrubbed.is_changed and outcome.format_version != FORMAT_VERSION:
        write_err(f"{outcome.output}: {texts('cli-scrub-converted', version=str(FORMAT_VERSION))}\n")
