"""A recording that is not the tape yet: it lies beside the tape until somebody knows whether it is to be kept.

Decides where it lies and how it takes the tape's place, in one step; what goes on the tape in which order is decided in
:mod:`spycatcher_addon.record_modes`.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress

from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.cassette.schema import FORMAT_VERSION, encode_cassette
from spycatcher_addon.choices import MatchMode
from spycatcher_addon.edge.disk import read_regular_file, replace_file
from spycatcher_addon.edge.tape_lock import TapeLock
from spycatcher_addon.edge.tape_note import Note, NoteState
from spycatcher_addon.edge.tape_opening import rehashed_under
from spycatcher_addon.edge.tape_reading import LoadedCassette, read_cassette
from spycatcher_addon.errors import CassetteNotFoundError, HarnessIOError, InvalidCassetteError
from spycatcher_addon.record_modes import Asked, arrange
from spycatcher_addon.version import GENERATOR

_SUFFIX = ".recording"
_RANDOM_BYTES = 4


class StagedRecording:
    """One recording beside one tape. Its methods block on the disk."""

    def __init__(self, cassette_dir: str, cassette_name: str, may_replace_damaged: bool) -> None:
        """Note what the tape is now; nothing is written.

        Args:
            may_replace_damaged: A tape that cannot be parsed is no obstacle, as it will be replaced.

        Raises:
            InvalidCassetteError: The tape is damaged, and that is an obstacle.
            UnsupportedCassetteFormatVersionError, HarnessIOError: The tape cannot be read.
        """
        above, _, base = cassette_name.rpartition("/")
        self.name = f"{above}/" * bool(above) + f".{base}.{secrets.token_hex(_RANDOM_BYTES)}{_SUFFIX}"
        """The staged tape's cassette name, in the same folder."""
        self._tape = os.path.join(cassette_dir, cassette_name)
        self._staged = os.path.join(cassette_dir, self.name)
        self._target = os.path.realpath(self._tape)
        self._digest, self._permissions = _look_at(self._target)
        self.old: LoadedCassette | None = None
        """The tape as it is; ``None`` when there is none that can be read."""
        self.notices: list[str] = []
        try:
            self.old = read_cassette(self._tape)
        except CassetteNotFoundError:
            pass
        except InvalidCassetteError as error:
            if not may_replace_damaged:
                raise
            self.notices.append(f"{error}; it will be replaced by what is recorded now")
        self.notices += _left_over(os.path.dirname(self._staged) or ".", f".{base}.")

    def keep(self, asked: Sequence[Asked], match_mode: MatchMode, keeps_old: bool) -> int:
        """Put the recording in the tape's place, or into the tape; gives the number of interactions on the tape then.

        Raises:
            HarnessIOError: The tape was changed meanwhile, is in use, or cannot be written. It is as it was, and the
                recording lies where the message says.
        """
        lock = TapeLock.acquire(self._target)
        try:
            if _look_at(self._target)[0] != self._digest:
                raise HarnessIOError(
                    f"cassette {self._tape} was changed by another program while it was being recorded, and is left alone; "
                    f"what was recorded is in {self._staged}: rename that file to keep it, or remove it"
                )
            recorded = read_cassette(self._staged).cassette
            old = () if self.old is None else rehashed_under(recorded.hashing, self.old.cassette).interactions
            interactions = arrange(old, recorded.interactions, asked, match_mode, keeps_old)
            data = encode_cassette(Cassette(FORMAT_VERSION, interactions, recorded.hashing, GENERATOR))
            try:
                replace_file(self._target, data, self._permissions)
                if lock.is_pending:  # the tape was torn before; it is whole now
                    lock.write_note(Note(NoteState.COMPLETE, len(data), len(data), not interactions, os.getpid()), durable=False)
            except OSError as error:
                raise HarnessIOError(
                    f"cannot write cassette {self._tape}: {error.strerror or error}; what was recorded is in {self._staged}"
                ) from error
        finally:
            lock.release()
        self.discard()
        return len(interactions)

    def discard(self) -> None:
        """Remove the recording."""
        with suppress(OSError):
            os.unlink(self._staged)


def _look_at(target: str) -> tuple[str | None, int | None]:
    """A digest of a tape's bytes and its permissions; ``None`` twice when there is none."""
    try:
        data, status = read_regular_file(target)
    except FileNotFoundError:
        return None, None
    except OSError as error:
        raise HarnessIOError(f"cannot read cassette {target}: {error.strerror or error}; check the path and its permissions") from error
    return hashlib.sha256(data).hexdigest(), status.st_mode & 0o7777


def _left_over(folder: str, prefix: str) -> list[str]:
    """A notice for each recording of this tape that a killed process left behind."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    length = len(prefix) + 2 * _RANDOM_BYTES + len(_SUFFIX)  # a tape may be called as another one with something behind it
    ours = (name for name in names if name.startswith(prefix) and name.endswith(_SUFFIX) and len(name) == length)
    paths = [os.path.join(folder, name) for name in ours]
    return [f"{path} is a recording that was cut off; rename it to keep it, or remove it" for path in paths if not _is_in_use(path)]


def _is_in_use(path: str) -> bool:
    try:
        TapeLock.acquire(os.path.realpath(path)).release()
    except HarnessIOError:
        return True
    return False
