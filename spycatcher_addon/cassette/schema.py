"""Cassette files: bytes to a cassette and back (docs/cassette-format.md).

The entry to the format: picks the reader of the file's version, turns what that reader finds into messages that name file,
place and cure, and prints files piece by piece, so that an interaction can be appended without touching those before it::

    file == head + FIRST + interaction + SEPARATOR + interaction + TAIL      or      head + EMPTY_TAIL

Knows no paths; the caller says how to call the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from spycatcher_addon.cassette import format_v1, format_v2
from spycatcher_addon.cassette.byte_layouts import print_compact, print_indented
from spycatcher_addon.cassette.document import (
    EMPTY_TAIL,
    FIRST,
    HEAD_END,
    INTERACTIONS,
    RESTORE,
    SEPARATOR,
    TAIL,
    DamagedDocumentError,
    cut_canonical,
    normalize_text,
    parse_canonical_element,
    parse_canonical_head,
    scan_document,
)
from spycatcher_addon.cassette.fields import (
    JsonObject,
    MalformedFieldError,
    as_integer,
    join,
    list_at,
    mentions_surrogates,
    object_at,
    optional_text_at,
    reject_lone_surrogates,
    texts_at,
)
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction
from spycatcher_addon.cassette.normalizing import parse_normalize_rules
from spycatcher_addon.errors import InvalidCassetteError, UnsupportedCassetteFormatVersionError

__all__ = [
    "EMPTY_TAIL",
    "FIRST",
    "FORMAT_VERSION",
    "SEPARATOR",
    "TAIL",
    "Element",
    "OtherwiseLaidOutError",
    "encode_cassette",
    "encode_head",
    "encode_interaction",
    "is_canonical_tail",
    "parse_cassette",
    "stream_cassette",
]

FORMAT_VERSION: Final = 2
"""The version written, and the newest one read."""

_READERS: Final[dict[int, Callable[[JsonValue], Interaction]]] = {1: format_v1.parse_interaction, 2: format_v2.parse_interaction}
_MAX_VERSION: Final = 2**32 - 1
_CHUNK_BYTES: Final = 1 << 20


class OtherwiseLaidOutError(Exception):
    """A file is not laid out as the harness writes it, or damaged: :func:`parse_cassette` reads it, or says what is wrong."""


@dataclass(frozen=True, slots=True)
class Element:
    """One interaction of a file, and where it stands."""

    start: int
    """Place of its first byte in the file."""
    data: bytes
    """Its bytes in the file, without a separator."""
    interaction: Interaction


def parse_cassette(data: bytes, source: str) -> Cassette:
    """Read a cassette of any known version.

    A leading byte order mark and CRLF line ends are accepted; unknown keys are passed over.

    Args:
        source: How to call the file in messages.

    Raises:
        InvalidCassetteError: The file is damaged, breaks its format, or holds bytes that are not the recorded ones.
        UnsupportedCassetteFormatVersionError: The version is another; told before the rest is looked at.
    """
    data = normalize_text(data)
    try:
        head, elements = stream_cassette(memoryview(data)[start : start + _CHUNK_BYTES] for start in range(0, len(data), _CHUNK_BYTES))
        return replace(head, interactions=tuple(element.interaction for element in elements))
    except OtherwiseLaidOutError:
        # The general reader decides, and knows how to say what is wrong.
        pass
    try:
        return _assemble(scan_document(data), mentions_surrogates(data))
    except MalformedFieldError as error:
        raise InvalidCassetteError(f"{source}: {error.place}: {error.problem}; {RESTORE}") from None
    except DamagedDocumentError as error:
        raise InvalidCassetteError(f"{source}: {error}") from None
    except RecursionError:
        raise InvalidCassetteError(f"{source}: nested too deeply to be read; {RESTORE}") from None


def stream_cassette(chunks: Iterable[bytes | memoryview]) -> tuple[Cassette, Iterator[Element]]:
    """Read a cassette that is laid out as the harness writes it, holding one interaction at a time.

    Everything is checked that :func:`parse_cassette` checks.

    Args:
        chunks: The file from its first byte to its last; the first chunk must hold everything before the interactions.

    Returns:
        The cassette without its interactions, and those, one by one. Nothing is certain before the last one has come.

    Raises:
        OtherwiseLaidOutError: Also while the interactions are read.
        UnsupportedCassetteFormatVersionError: The version is another.
    """
    pieces = cut_canonical(chunks)
    try:
        _, first = next(pieces)
        head = _assemble(iter(parse_canonical_head(first).items()), mentions_surrogates(first))
    except (ValueError, RecursionError, MalformedFieldError) as error:
        raise OtherwiseLaidOutError from error
    return head, _elements(pieces, _READERS[head.format_version])


def _elements(pieces: Iterator[tuple[int, bytes]], read: Callable[[JsonValue], Interaction]) -> Iterator[Element]:
    try:
        for index, (start, data) in enumerate(pieces):
            yield Element(start, data, _parse_element(read, parse_canonical_element(data), index, mentions_surrogates(data)))
    except (ValueError, RecursionError, MalformedFieldError) as error:
        raise OtherwiseLaidOutError from error


def encode_cassette(cassette: Cassette) -> bytes:
    """Print a cassette as a file of the version written now, whatever version it was read from.

    Raises:
        InvalidCassetteError: A text of the cassette cannot be stored.
    """
    head = encode_head(cassette.hashing, cassette.generator)
    if not cassette.interactions:
        return head + EMPTY_TAIL
    return head + FIRST + SEPARATOR.join(map(encode_interaction, cassette.interactions)) + TAIL


def encode_head(hashing: Hashing, generator: str) -> bytes:
    """Print everything before the first interaction.

    Args:
        generator: Name and version of the program that began the file.

    Raises:
        InvalidCassetteError: A text holds a lone surrogate.
    """
    rules: JsonObject = {"ignore_paths": list(hashing.ignore_paths), "redaction_rules": list(hashing.redaction_rules)}
    if hashing.normalize:
        rules["normalize"] = [rule.as_json() for rule in hashing.normalize]
    return _encode_text(
        f'{{\n  "format_version": {FORMAT_VERSION},\n  "generator": {print_compact(generator)},\n  "hashing": '
        + print_indented(rules, "\n  ")
        + ","
        + HEAD_END.decode("ascii"),
        "the head",
    )


def encode_interaction(interaction: Interaction) -> bytes:
    """Print an interaction as it stands in the file, indented, without a separator.

    Raises:
        InvalidCassetteError: A text of the interaction holds a lone surrogate.
    """
    return _encode_text(format_v2.print_interaction(interaction), "the interaction")


def is_canonical_tail(data: bytes) -> bool:
    """Whether a whole file ends as the harness writes it, so that an interaction can be written over its closing brackets."""
    if not data.endswith((b"\n    }" + TAIL, HEAD_END + EMPTY_TAIL)):
        return False
    # The brackets must be those of the interactions: no other key stands at the top level behind theirs.
    return data.startswith(HEAD_END, max(0, data.rfind(b'\n  "')))


def _encode_text(text: str, what: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start)
        shown = text.split("\n")[line].strip().encode("ascii", "backslashreplace").decode("ascii")
        raise InvalidCassetteError(
            f"{what} cannot be stored: it holds a lone surrogate, which UTF-8 cannot express, in: {shown[:80]}"
        ) from None


def _assemble(members: Iterator[tuple[str | int, JsonValue]], has_surrogates: bool) -> Cassette:
    head: JsonObject = {}
    interactions: list[Interaction] = []
    waiting: list[JsonValue] = []
    read: Callable[[JsonValue], Interaction] | None = None
    for key, value in members:
        if isinstance(key, str):
            head[key] = value
            if key == "format_version":
                read = _reader(value)
        elif read is None:
            # The version stands behind the interactions.
            waiting.append(value)
        else:
            interactions.append(_parse_element(read, value, key, has_surrogates))
    if read is None:
        raise MalformedFieldError("format_version", "missing")
    list_at(head, INTERACTIONS, "")
    if has_surrogates:
        reject_lone_surrogates(head, "")
    interactions += [_parse_element(read, value, index, has_surrogates) for index, value in enumerate(waiting)]
    version = as_integer(head["format_version"], "format_version", _MAX_VERSION)
    if version == 1:
        return Cassette(version, tuple(interactions))
    return Cassette(version, tuple(interactions), _parse_hashing(head), optional_text_at(head, "generator", "") or "")


def _reader(version: JsonValue) -> Callable[[JsonValue], Interaction]:
    number = as_integer(version, "format_version", _MAX_VERSION)
    if number not in _READERS:
        raise UnsupportedCassetteFormatVersionError(number, FORMAT_VERSION)
    return _READERS[number]


def _parse_element(read: Callable[[JsonValue], Interaction], value: JsonValue, index: int, has_surrogates: bool) -> Interaction:
    try:
        if has_surrogates:
            reject_lone_surrogates(value, "")
        return read(value)
    except MalformedFieldError as error:
        raise MalformedFieldError(join(f"{INTERACTIONS}[{index}]", error.place), error.problem) from None


def _parse_hashing(head: JsonObject) -> Hashing:
    if head.get("hashing") is None:
        return Hashing()
    members = object_at(head, "hashing", "")
    try:
        normalize = parse_normalize_rules(members.get("normalize") or ())
    except ValueError as error:
        raise MalformedFieldError("hashing.normalize", str(error)) from error
    return Hashing(tuple(texts_at(members, "ignore_paths", "hashing")), tuple(texts_at(members, "redaction_rules", "hashing")), normalize)
