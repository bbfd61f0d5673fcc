"""The command ``convert``: cassettes in other formats, and cassettes from the files of other tools, one or a folder of them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from spycatcher_addon.edge import cli_options as options
from spycatcher_addon.edge import tape_options as tape
from spycatcher_addon.edge.cli_failure import EXIT_FAILURE, CommandError
from spycatcher_addon.edge.cli_help import HelpCommand
from spycatcher_addon.edge.cli_text import Texts, without_marks
from spycatcher_addon.edge.tape_options import Settings
from spycatcher_addon.edge.terminal import write_err

if TYPE_CHECKING:
    from spycatcher_addon.cassette.canonical import IgnorePathConfig
    from spycatcher_addon.cassette.jsontext import JsonValue
    from spycatcher_addon.cassette.model import Cassette
    from spycatcher_addon.config import HarnessConfig
    from spycatcher_addon.tools.losses import Loss


def register_convert_command(app: typer.Typer, settings: Settings) -> None:
    """Add the command to the program."""

    # The first line of the docstring is the help that typer shows when there are no catalogues.
    @app.command("convert", cls=HelpCommand)
    def _convert(
        ctx: typer.Context,
        source: tape.Input,
        to: tape.To,
        output: tape.Output,
        force: tape.Force = False,
        as_json: tape.AsJson = False,
        ignore_path: options.IgnorePath = None,
        normalize: options.Normalize = None,
        config: options.ConfigFileOption = None,
        locale: options.Locale = None,
        fallback_locale: options.FallbackLocale = None,
    ) -> int:
        """Convert between cassette formats, vcrpy, HAR and WireMock."""
        configured, texts = settings(ctx)
        convert = _convert_folder if os.path.isdir(source) else _convert_one
        return convert(texts, configured, source, to, output, is_forced=force, is_json=as_json)


@dataclass(frozen=True, slots=True)
class _Conversion:
    """What came of one file."""

    source: str
    output: str
    cassette: Cassette | None = None
    losses: tuple[Loss, ...] = ()
    secrets: int = 0
    """Interactions whose secrets went over as they are."""
    needs_a_look: bool = False
    """It is a cassette now that a recorder has never seen."""
    problem: CommandError | None = None
    """Why nothing came of it."""


def _convert_folder(texts: Texts, config: HarnessConfig, folder: str, to: str, output: str, *, is_forced: bool, is_json: bool) -> int:
    """Convert every file of a folder that is a cassette, an HTTP archive or YAML; the output is a folder with the same tree."""
    from spycatcher_addon.edge.progress import progress
    from spycatcher_addon.edge.tape_files import files_of
    from spycatcher_addon.edge.tape_view import report_written, show_json, warn_of_secrets, written_as_json

    done: list[_Conversion] = []
    for path in progress(files_of(texts, [folder], _is_convertible), "convert"):
        target = os.path.join(output, os.path.relpath(path, folder))
        try:
            done.append(_convert_file(texts, config, path, to, target, is_forced))
        except CommandError as error:
            done.append(_Conversion(path, target, problem=error))
    if is_json:
        files: list[JsonValue] = []
        for each in done:
            written: dict[str, JsonValue] = {"interactions": None, "losses": [], "secrets": None}
            if each.cassette is not None:
                written = written_as_json(each.cassette, each.losses, each.secrets)
            problem = None if each.problem is None else without_marks(each.problem.message)
            files.append({"source": each.source, "output": each.output, **written, "error": problem})
        show_json({"output": output, "files": files})
    for each in done:
        if each.problem is not None:
            write_err("".join(f"{line}\n" for line in each.problem.lines))
        elif is_json:
            warn_of_secrets(texts, each.output, each.secrets)
        elif each.cassette is not None:
            report_written(texts, each.output, each.cassette, each.losses, each.secrets, is_json=False)
    if any(each.needs_a_look for each in done):
        write_err(f"warning: {texts('cli-convert-verify')}\n")
    return EXIT_FAILURE if any(each.problem is not None for each in done) else 0


def _is_convertible(path: str) -> bool:
    from spycatcher_addon.edge.tape_folders import looks_like_cassette

    return path.lower().endswith((".har", ".yaml", ".yml")) or looks_like_cassette(path)


def _convert_one(texts: Texts, config: HarnessConfig, source: str, to: str, output: str, *, is_forced: bool, is_json: bool) -> int:
    from spycatcher_addon.edge.tape_view import report_written

    done = _convert_file(texts, config, source, to, output, is_forced)
    assert done.cassette is not None, "without one there is an exception"
    code = report_written(texts, output, done.cassette, done.losses, done.secrets, is_json)
    if done.needs_a_look:
        write_err(f"warning: {texts('cli-convert-verify')}\n")
    return code


def _convert_file(texts: Texts, config: HarnessConfig, source: str, to: str, output: str, is_forced: bool) -> _Conversion:
    from spycatcher_addon.edge.tape_files import count_secrets, load_convertible, write_output
    from spycatcher_addon.errors import HarnessError
    from spycatcher_addon.tools.formats import TargetFormat

    target = TargetFormat(to)
    ignore = config.matching.ignore
    try:
        cassette, lost_before, is_foreign = load_convertible(texts, source, config, ignore)
        data, lost_now = _encode_as(target, cassette, ignore)
        secrets = 0 if is_foreign else count_secrets(config, cassette)  # the files of other tools have been through the rules
    except HarnessError as error:
        raise CommandError(texts.error(error)) from error
    is_cassette = target in (TargetFormat.V1, TargetFormat.V2)
    write_output(texts, output, data, [source], is_forced=is_forced, is_cassette=is_cassette)
    return _Conversion(source, output, cassette, (*lost_before, *lost_now), secrets, is_foreign and is_cassette)


def _encode_as(target: str, cassette: Cassette, ignore: IgnorePathConfig) -> tuple[bytes, tuple[Loss, ...]]:
    from spycatcher_addon.cassette.model import Hashing
    from spycatcher_addon.cassette.schema import FORMAT_VERSION, encode_cassette
    from spycatcher_addon.tools.editing import under_settings
    from spycatcher_addon.tools.formats import TargetFormat
    from spycatcher_addon.tools.har import encode_har
    from spycatcher_addon.tools.version_one import encode_version_one
    from spycatcher_addon.tools.wiremock import encode_wiremock
    from spycatcher_addon.version import VERSION

    match TargetFormat(target):
        case TargetFormat.V1:
            return encode_version_one(cassette)
        case TargetFormat.V2:
            is_old = cassette.format_version != FORMAT_VERSION
            hashing = Hashing(tuple(ignore.ignored_body_paths), normalize=ignore.normalize) if is_old else cassette.hashing
            return encode_cassette(under_settings(cassette, hashing)), ()
        case TargetFormat.HAR:
            document, losses = encode_har(cassette, VERSION)
        case TargetFormat.WIREMOCK:
            document, losses = encode_wiremock(cassette)
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "backslashreplace"), losses
