"""A recorder process for tests that kill, starve or lock out one: ``tape_recorder.py TAPE SEED COUNT [FILE_LIMIT]``.

Says ``ready N`` (interactions found), then appends up to COUNT sample interactions and says ``done I`` after each;
``failed TEXT`` for one that could not be appended, after which the limit is lifted. ``refused TEXT`` when the tape
cannot be opened. Waits for its standard input to end before it closes the tape.
"""

from __future__ import annotations

import resource
import sys

from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.errors import HarnessIOError
from tests.support.tape_samples import HASHING, sample_interaction, sample_size


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(tape: str, seed: int, count: int, file_limit: int | None) -> None:
    try:
        writer = CassetteWriter.open(tape, HASHING)
    except HarnessIOError as error:
        say(f"refused {error.source}")
        return
    say(f"ready {writer.interaction_count}")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if file_limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, limits[1]))
    end = writer.interaction_count + count
    while writer.interaction_count < end:
        number = writer.interaction_count
        try:
            writer.append(sample_interaction(number, sample_size(seed, number)))
        except HarnessIOError as error:
            say(f"failed {error.source}")
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        else:
            say(f"done {number}")
    sys.stdin.read()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else None)
