"""Tapes to replay: a short one is read whole, a long one stays in its file and is read interaction by interaction.

A long tape is checked at the start exactly like a short one, but only an index of it is kept. Every later read compares a
digest, so a file that was changed meanwhile is noticed and never misread. The file stays open: one that takes its place under
the same name (as a checkout does) does not disturb, and is told once.
"""

from __future__ import annotations

import io
import logging
import os
import stat
import threading
from dataclasses import dataclass
from typing import Self

from spycatcher_addon.cassette.model import Answering, Hashing, Interaction, Outline, RecordedRequest, Tape
from spycatcher_addon.cassette.places import (
    ChangedBytesError,
    TapeIndex,
    index_tape,
    parse_placed,
    parse_placed_answer,
    parse_placed_request,
)
from spycatcher_addon.cassette.schema import OtherwiseLaidOutError
from spycatcher_addon.edge.disk import read_chunks
from spycatcher_addon.edge.tape_reading import identity_of, read_cassette, resolve_path
from spycatcher_addon.errors import InvalidCassetteError

logger = logging.getLogger(__name__)

KEPT_BYTES = 8 * 1024 * 1024
"""Files up to this length are held in memory, where nothing that happens to the file can reach them."""


@dataclass(frozen=True, slots=True)
class ReplayTape:
    """A tape to replay, and what its reader should be told."""

    tape: Tape
    warnings: tuple[str, ...] = ()

    def close(self) -> None:
        """Let go of the file, if one is open. A second call does nothing."""
        if isinstance(self.tape, LongTape):
            self.tape.close()


class LongTape:
    """A tape that stays in its file, from :meth:`open` to :meth:`close`."""

    def __init__(self, file: io.FileIO, name: str, target: str, index: TapeIndex) -> None:
        """For :meth:`open`, which is the way to get one."""
        self.format_version = index.head.format_version
        self.hashing: Hashing = index.head.hashing
        self._file = file
        self._name = name
        self._target = target
        self._identity = identity_of(os.fstat(file.fileno()))
        self._index = index
        self._turn = threading.Lock()
        self._is_change_told = False

    @classmethod
    def open(cls, name: str, target: str) -> Self:
        """Check and index a file.

        Args:
            name: How to name the file in messages.
            target: Its path, without symbolic links in it.

        Raises:
            OtherwiseLaidOutError: It must be read as a whole, which also tells what is wrong with it.
            UnsupportedCassetteFormatVersionError: Written by something newer.
            OSError: The system will not let it be read.
        """
        file = io.FileIO(target)
        try:
            return cls(file, name, target, index_tape(read_chunks(file)))
        except BaseException:
            file.close()
            raise

    def outlines(self) -> tuple[Outline, ...]:
        """What must be known of each interaction to find it, in their order."""
        return self._index.outlines

    def interaction(self, index: int) -> Interaction:
        """Read the interaction of that zero-based index: one small read, mostly from the system's cache.

        Raises:
            InvalidCassetteError: The file was changed, and the interaction is not there any more.
        """
        place = self._index.places[index]
        try:
            return parse_placed(place, self._read(place.start, place.end), self.format_version)
        except (ChangedBytesError, OSError) as error:
            raise self._changed(index) from error

    def answer(self, index: int) -> Answering:
        """Read all but its request.

        Raises:
            InvalidCassetteError: The file was changed, and the answer is not there any more.
        """
        place = self._index.places[index]
        try:
            answer = parse_placed_answer(place, self._read(place.request_end, place.end), self.format_version)
        except (ChangedBytesError, OSError) as error:
            raise self._changed(index) from error
        if answer is None or answer.failure != self._index.outlines[index].failure:
            return self.interaction(index)
        return answer

    def request(self, index: int) -> RecordedRequest:
        """Read its request alone.

        Raises:
            InvalidCassetteError: The file was changed, and the request is not there any more.
        """
        place = self._index.places[index]
        try:
            request = parse_placed_request(place, self._read(place.start, place.request_end), self.format_version)
        except (ChangedBytesError, OSError) as error:
            raise self._changed(index) from error
        return self.interaction(index).request if request is None else request

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        with self._turn:
            self._file.close()

    def _read(self, start: int, end: int) -> bytes:
        self._tell_replacement()
        with self._turn:
            self._file.seek(start)
            return self._file.read(end - start) or b""

    def _tell_replacement(self) -> None:
        if self._is_change_told:
            return
        try:
            is_replaced = identity_of(os.stat(self._target)) != self._identity
        except OSError:
            is_replaced = True
        if is_replaced:
            self._is_change_told = True
            logger.warning(
                "the cassette was replaced or removed while it is being replayed; going on with what it was, "
                "start replay again to use what is there now: %s",
                self._name,
            )

    def _changed(self, index: int) -> InvalidCassetteError:
        if not self._is_change_told:
            self._is_change_told = True
            logger.error("the cassette was changed while it is being replayed; start replay again to use what is there now: %s", self._name)
        return InvalidCassetteError(
            f"the cassette was changed while it is being replayed: interaction {index} is not there any more as it was at the start. "
            "Start replay again to use what is there now"
        )


def open_to_replay(path: str | os.PathLike[str]) -> ReplayTape:
    """Open a tape for replay; nothing is written, locked or created.

    Raises:
        HarnessError: As :func:`~spycatcher_addon.edge.tape_reading.read_cassette`.
    """
    name = os.fspath(path)
    target = resolve_path(name)
    if _is_long(target):
        try:
            return ReplayTape(LongTape.open(name, target))
        except (OtherwiseLaidOutError, OSError):
            # Reading it whole gives what there is to be had, or the reason why there is nothing.
            pass
    loaded = read_cassette(path)
    return ReplayTape(loaded.cassette, loaded.warnings)


def _is_long(target: str) -> bool:
    try:
        status = os.stat(target)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size > KEPT_BYTES
