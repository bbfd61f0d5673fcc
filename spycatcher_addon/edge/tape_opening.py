"""Bring the file of a tape into a shape that can be appended to in place.

Decides, for the holder of a tape's lock, between creating, continuing, cutting back, rewriting and refusing. Changes
nothing before the whole file has been parsed. ``OSError`` goes through to the caller.
"""

from __future__ import annotations

import io
import os
import stat
from dataclasses import dataclass, replace

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction
from spycatcher_addon.cassette.schema import (
    EMPTY_TAIL,
    FORMAT_VERSION,
    SEPARATOR,
    TAIL,
    Element,
    OtherwiseLaidOutError,
    encode_cassette,
    encode_head,
    encode_interaction,
    parse_cassette,
    stream_cassette,
)
from spycatcher_addon.content_coding import DEFAULT_LIMIT_BYTES
from spycatcher_addon.edge.disk import read_chunks, read_regular_file, replace_file, write_at
from spycatcher_addon.edge.tape_note import Note, select_good_part
from spycatcher_addon.edge.tape_reading import count_of
from spycatcher_addon.errors import HarnessError, InvalidCassetteError
from spycatcher_addon.notices import Notice
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.rules import rules_from_names
from spycatcher_addon.version import GENERATOR

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class OpenTape:
    """A tape that can be appended to in place."""

    file: io.FileIO
    """Open for reading and writing."""
    length: int
    """Bytes in it, closing brackets included."""
    count: int
    """Interactions on it."""
    notices: tuple[str, ...]
    """What had to be done to it, for people."""


def tail_after(count: int) -> bytes:
    """The closing brackets of a tape of ``count`` interactions."""
    return TAIL if count else EMPTY_TAIL


def put_tail(file: io.FileIO, length: int, tail: bytes) -> None:
    """Make a tape end with ``tail`` at ``length`` again, whatever an append left there, and flush it.

    Harmless to repeat, so a crash in here leaves no worse tape than before.
    """
    write_at(file, length - len(tail), tail)
    file.truncate(length)
    os.fsync(file.fileno())


def open_tape(name: str, target: str, hashing: Hashing, note: Note | None) -> OpenTape:
    """Open the tape at ``target``, creating, repairing or rewriting it when that is called for.

    Args:
        name: How to name the file in messages.
        target: Its path, without symbolic links in it.
        hashing: The settings that its hashes shall be made with.
        note: From its lock file, which the caller holds.

    Raises:
        HarnessError: The tape cannot be continued; it is as it was.
        OSError: The system refuses; the tape is as it was, or torn as it was.
    """
    try:
        file = io.FileIO(target, "r+")  # proves that it may be written before anything is decided
    except FileNotFoundError:
        data = encode_cassette(Cassette(FORMAT_VERSION, (), hashing, GENERATOR))
        return OpenTape(_replace(target, data, None), len(data), 0, ())
    try:
        length, count = _length_and_count(file, hashing)
        if count:
            return OpenTape(file, length, count, ())
        data, status = read_regular_file(target)
        notices: list[str] = []
        try:
            cassette = parse_cassette(data, name)
        except InvalidCassetteError:
            good = select_good_part(data, note, name)
            if good is None:
                raise
            data, cassette = good.data, good.cassette
            put_tail(file, len(data), tail_after(len(cassette.interactions)))
            kept = count_of(len(cassette.interactions))
            text = f"cassette {name} ended in an append that was cut short; cut it back to the {kept} before that"
            notices.append(Notice("notice-tape-cut-back", text, path=name, count=len(cassette.interactions)))
        reasons = _reasons_to_rewrite(name, data, cassette, hashing)
        if reasons:
            notices += reasons
            data = encode_cassette(rehashed_under(hashing, cassette))
            file.close()  # Windows replaces no open file
            file = _replace(target, data, status.st_mode & 0o7777)
        return OpenTape(file, len(data), len(cassette.interactions), tuple(notices))
    except BaseException:
        file.close()
        raise


def _length_and_count(file: io.FileIO, hashing: Hashing) -> tuple[int, int]:
    """Check a tape that can be appended to as it stands, holding one interaction at a time; zeros where more must be looked at.

    Raises:
        UnsupportedCassetteFormatVersionError: Written by something newer.
        OSError: It cannot be read.
    """
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return 0, 0
    last: Element | None = None
    count = 0
    try:
        head, elements = stream_cassette(read_chunks(file))
        if head.format_version != FORMAT_VERSION or not _is_same(hashing, head.hashing):
            return 0, 0
        for element in elements:
            last, count = element, count + 1
    except OtherwiseLaidOutError:
        return 0, 0
    # Standing there just as it would be written, the last interaction also proves whose brackets follow it.
    if last is None or encode_interaction(last.interaction) != last.data:
        return 0, 0
    return last.start + len(last.data) + len(TAIL), count


def _replace(target: str, data: bytes, permissions: int | None) -> io.FileIO:
    replace_file(target, data, permissions)
    return io.FileIO(target, "r+")


def _reasons_to_rewrite(name: str, data: bytes, cassette: Cassette, hashing: Hashing) -> list[str]:
    """Why a tape cannot be continued as it stands, each as a notice; empty when it can."""
    reasons: list[str] = []
    if cassette.format_version != FORMAT_VERSION:
        old = cassette.format_version
        text = f"cassette {name} was of format version {old}; rewrote it as version {FORMAT_VERSION}"
        reasons.append(Notice("notice-tape-converted", text, path=name, old=str(old), new=str(FORMAT_VERSION)))
    elif not _can_append(data, cassette, name):
        text = (
            f"cassette {name} was not laid out as a recorder leaves it (line ends, byte order mark or another "
            "formatter); rewrote it, what was recorded is unchanged"
        )
        reasons.append(Notice("notice-tape-laid-out", text, path=name))
    count = len(cassette.interactions)
    if count and not _is_same(hashing, cassette.hashing):
        text = (
            f"cassette {name} was recorded under other ignore paths or redaction rules; computed the hashes of its "
            f"{count_of(count)} anew. Redaction was not applied to them again: "
            "`spycatcher-harness verify` tells whether that is needed"
        )
        reasons.append(Notice("notice-tape-rehashed", text, path=name, count=count))
    elif not count and hashing != cassette.hashing:
        text = f"cassette {name} was empty; noted the present ignore paths and redaction rules in it"
        reasons.append(Notice("notice-tape-settings-noted", text, path=name))
    return reasons


def _can_append(data: bytes, cassette: Cassette, name: str) -> bool:
    """Whether overwriting the last bytes of ``data`` would add an interaction to it, and nothing else.

    The last bytes being the usual brackets is not enough: behind ``interactions`` a person may have added another
    member that ends alike. Unless the last interaction stands there just as it would be written, appending is tried
    out in memory.
    """
    if data.startswith(_BYTE_ORDER_MARK):
        return False
    if not cassette.interactions:
        return data == encode_head(cassette.hashing, cassette.generator) + EMPTY_TAIL
    if not data.endswith(TAIL):
        return False
    last = encode_interaction(cassette.interactions[-1])
    if data.endswith(last + TAIL):
        return True
    trial = data[: -len(TAIL)] + SEPARATOR + last + TAIL
    try:
        return len(parse_cassette(trial, name).interactions) == len(cassette.interactions) + 1
    except HarnessError:
        return False


def _is_same(one: Hashing, other: Hashing) -> bool:
    """Order and repetition of settings make no difference to a hash."""
    return one.compares_like(other.ignore_paths, other.normalize) and set(one.redaction_rules) == set(other.redaction_rules)


def rehashed_under(hashing: Hashing, cassette: Cassette) -> Cassette:
    """The tape in the written format, with hashes that agree with ``hashing``."""
    interactions = cassette.interactions
    if cassette.format_version != FORMAT_VERSION or not _is_same(hashing, cassette.hashing):
        ignore = IgnorePathConfig(hashing.ignore_paths, hashing.normalize)
        redactor = InteractionRedactor(rules_from_names(hashing.redaction_rules), DEFAULT_LIMIT_BYTES)
        interactions = tuple(_rehashed(interaction, ignore, redactor) for interaction in interactions)
    return Cassette(FORMAT_VERSION, interactions, hashing, GENERATOR)


def _rehashed(interaction: Interaction, ignore: IgnorePathConfig, redactor: InteractionRedactor) -> Interaction:
    """Hash what the rules leave of the request, as a request that comes in replay is hashed; it stays on the tape as it is."""
    compared = redactor.request(interaction.request)
    request = replace(interaction.request, stable_hash=stable_hash(canonicalize(compared, ignore)))
    return replace(interaction, request=request)
