"""Files that the cassette tools read and write: never over an existing one unless told to, and in one step."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, parse_json
from spycatcher_addon.cassette.model import Cassette, Hashing
from spycatcher_addon.cassette.schema import FORMAT_VERSION, parse_cassette
from spycatcher_addon.edge.cli_failure import CommandError, advice
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.edge.disk import read_regular_file, replace_file
from spycatcher_addon.edge.tape_folders import find_files
from spycatcher_addon.edge.tape_lock import TapeLock
from spycatcher_addon.edge.tape_reading import read_cassette, resolve_path
from spycatcher_addon.edge.terminal import write_err
from spycatcher_addon.errors import HarnessError
from spycatcher_addon.known_values import known_values
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.tools.editing import with_hash
from spycatcher_addon.tools.formats import SourceFormat, source_format
from spycatcher_addon.tools.har import import_har
from spycatcher_addon.tools.importing import Imported, ImportFormatError
from spycatcher_addon.tools.losses import Loss, LossKind
from spycatcher_addon.tools.scrubbing import interactions_with_secrets
from spycatcher_addon.tools.statistics import PriceTable, PriceTableError, parse_price_table
from spycatcher_addon.tools.vcr import import_vcr
from spycatcher_addon.version import GENERATOR

if TYPE_CHECKING:
    from spycatcher_addon.config import HarnessConfig

_YAML_SUFFIXES = (".yaml", ".yml")


def load_cassette(texts: Texts, path: str, exit_code: int = 1) -> Cassette:
    """Read a cassette; what its reader should be told goes to standard error.

    Raises:
        CommandError: It cannot be read.
    """
    try:
        loaded = read_cassette(path)
    except HarnessError as error:
        raise CommandError(texts.error(error) + advice(texts, error, path), exit_code=exit_code) from error
    write_err("".join(f"warning: {warning}\n" for warning in loaded.warnings))
    return loaded.cassette


def count_secrets(config: HarnessConfig, cassette: Cassette) -> int:
    """How many interactions hold what the configured redaction rules take out.

    Raises:
        InvalidPointerPathError: A body path is not usable.
    """
    rules = config.redaction.rules.with_known(known_values(config, os.environ, cassette.hashing.redaction_rules))
    return interactions_with_secrets(cassette, rules, config.limits.max_body_bytes)


def files_of(texts: Texts, paths: Iterable[str], is_wanted: Callable[[str], bool]) -> tuple[str, ...]:
    """The files that paths and folders lead to; says how many in folders are something else.

    Raises:
        CommandError: A folder cannot be read, or there is no such file in any of them.
    """
    given = tuple(paths)
    try:
        found = find_files(given, is_wanted)
    except OSError as error:
        raise CommandError(texts("cli-file-unreadable", path=str(error.filename), reason=_reason(error))) from error
    if not found.paths:
        raise CommandError(texts("cli-folder-empty", path=", ".join(given)))
    if found.passed_over:
        write_err(f"{texts('cli-folder-passed-over', count=len(found.passed_over))}\n")
    return found.paths


def read_whole_cassette(texts: Texts, path: str) -> tuple[bytes, Cassette]:
    """Read a cassette that is to be rewritten: its bytes and what they hold.

    Raises:
        CommandError: It cannot be read, or ends in an append that is unfinished, part of which a rewrite would lose.
    """
    try:
        data = read_regular_file(resolve_path(path))[0]
        return data, parse_cassette(data, path)
    except (OSError, HarnessError):
        # The ordinary reader knows how to say it, and whether an append is under way.
        load_cassette(texts, path)
        raise CommandError(texts("cli-file-unfinished", path=path)) from None


def load_convertible(texts: Texts, path: str, config: HarnessConfig, ignore: IgnorePathConfig) -> tuple[Cassette, tuple[Loss, ...], bool]:
    """Read a cassette or the file of another tool, told by its content (YAML by its name).

    Returns:
        The cassette, what was lost already, and whether it comes from another tool.

    Raises:
        CommandError: It is none of these, or cannot be read.
        InvalidPointerPathError: An ignore path does not fit a body.
    """
    data, modified = _read(texts, path)
    document: object
    if path.lower().endswith(_YAML_SUFFIXES):
        document, kind = _parse_yaml(texts, path, data), SourceFormat.VCR
    else:
        document = _json_or_none(data)
        kind = source_format(document)
    if kind is SourceFormat.CASSETTE:
        return load_cassette(texts, path), (), False
    rules = config.redaction.rules.with_known(known_values(config, os.environ))
    imported = _import(texts, path, kind, document, rules.drop_headers, ignore, modified)
    redactor = InteractionRedactor(rules, config.limits.max_body_bytes)
    redacted = [redactor.interaction(interaction) for interaction in imported.interactions]
    interactions = tuple(with_hash(interaction, ignore) for interaction, _ in redacted)
    secrets = sum(len(found) for _, found in redacted)
    losses = (*imported.losses, Loss(LossKind.SECRETS, secrets)) if secrets else imported.losses
    hashing = Hashing(tuple(ignore.ignored_body_paths), rules.names, ignore.normalize)
    return Cassette(FORMAT_VERSION, interactions, hashing, GENERATOR), losses, True


def read_file(texts: Texts, path: str) -> bytes:
    """Read a file whole.

    Raises:
        CommandError: It cannot be read.
    """
    return _read(texts, path)[0]


def load_prices(texts: Texts, path: str) -> PriceTable:
    """Read a price table.

    Raises:
        CommandError: It cannot be read or used.
    """
    data, _ = _read(texts, path)
    try:
        return parse_price_table(tomllib.loads(data.decode("utf-8"), parse_float=Decimal))
    except (ValueError, PriceTableError) as error:  # ValueError: no TOML, no UTF-8, or a number of too many digits
        raise CommandError(texts("cli-prices-unusable", path=path, problem=str(error))) from error


def write_output(texts: Texts, path: str, data: bytes, inputs: Iterable[str], *, is_forced: bool, is_cassette: bool = True) -> None:
    """Write a file in one step, with its folders; a cassette only while nothing records to it.

    Raises:
        CommandError: It exists and is not to be overwritten, is also read, or cannot be written.
    """
    try:
        target = os.path.realpath(path)
        if any(os.path.exists(each) and os.path.exists(target) and os.path.samefile(each, target) for each in inputs):
            raise CommandError(texts("cli-file-same", path=path))
        has_content = os.path.exists(target)
        if has_content and not is_forced:
            raise CommandError(texts("cli-file-exists", path=path))
        permissions = os.stat(target).st_mode & 0o7777 if has_content else None
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not is_cassette:
            replace_file(target, data, permissions)
            return
        lock = TapeLock.acquire(target)
        try:
            replace_file(target, data, permissions)
        finally:
            lock.release()
    except HarnessError as error:
        raise CommandError(texts.error(error)) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise CommandError(texts("cli-file-unwritable", path=path, reason=_reason(error))) from error


def _read(texts: Texts, path: str) -> tuple[bytes, str]:
    """The bytes of a file, and when it was changed last, as cassettes write times."""
    try:
        data, status = read_regular_file(path)
    except (OSError, ValueError) as error:
        raise CommandError(texts("cli-file-unreadable", path=path, reason=_reason(error))) from error
    return data, f"{datetime.fromtimestamp(status.st_mtime, UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


def _reason(error: OSError | ValueError) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _json_or_none(data: bytes) -> JsonValue:
    try:
        return parse_json(data.removeprefix(b"\xef\xbb\xbf"))
    except NotJsonError:
        return None


def _parse_yaml(texts: Texts, path: str, data: bytes) -> object:
    # Only here: few need it, and it takes a while to load.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        document: object = YAML(typ="safe", pure=True).load(data)
    except (YAMLError, ValueError, RecursionError) as error:
        problem = " ".join(str(error).split())
        raise CommandError(texts("cli-file-unconvertible", path=path, problem=problem)) from error
    return document


def _import(
    texts: Texts, path: str, kind: SourceFormat, document: object, drop: frozenset[str], ignore: IgnorePathConfig, recorded_at: str
) -> Imported:
    try:
        if kind is SourceFormat.VCR:
            return import_vcr(document, drop, ignore, recorded_at)
        assert isinstance(document, dict), "told by its members"
        return import_har(document, drop, ignore, recorded_at)
    except ImportFormatError as error:
        raise CommandError(texts("cli-file-unconvertible", path=path, problem=str(error))) from error
