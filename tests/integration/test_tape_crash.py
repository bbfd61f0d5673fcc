"""Recorder processes killed, starved of disk and locked out, against the tape they leave behind."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import spycatcher_addon
from spycatcher_addon.edge.tape_note import NoteState, read_note
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.errors import HarnessIOError
from tests.support.tape_samples import HASHING, sample_interaction, sample_size

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and resource limits")

ROOT = Path(spycatcher_addon.__file__).parent.parent
KILLS = 40


@contextmanager
def recorder(tape: Path, *arguments: int) -> Iterator[subprocess.Popen[str]]:
    """A recorder process, killed at the end if it still runs."""
    command = [sys.executable, "-m", "tests.support.tape_recorder", str(tape), *map(str, arguments)]
    process = subprocess.Popen(
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def assert_holds(tape: Path, seeds: list[int], count: int) -> None:
    """The tape holds the sample interactions of these numbers, byte for byte."""
    interactions = read_cassette(tape).cassette.interactions
    assert len(interactions) == count
    for number, interaction in enumerate(interactions):
        assert interaction == sample_interaction(number, sample_size(seeds[number], number))


def kill_some_time(process: subprocess.Popen[str], tape: Path, chance: random.Random) -> None:
    """Anywhere; every second time soon after the recorder has noted that it is going to write."""
    time.sleep(chance.uniform(0, 0.05))
    if chance.random() < 0.5:
        for _ in range(10_000):
            note = read_note(str(tape))
            if note is not None and note.state is NoteState.APPENDING and note.next_length - note.good_length > 50_000:
                time.sleep(chance.uniform(0, 0.003))
                break
    process.kill()


def test_killing_the_recorder_anywhere_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(20_260_102)
    tape, seeds, torn = tmp_path / "tape", list[int](), 0
    for seed in range(KILLS):
        with recorder(tape, seed, 10_000) as process:
            assert process.stdout is not None
            found = process.stdout.readline().split()
            assert found == ["ready", str(len(seeds))], "a new recorder continues with all that was kept"
            killer = threading.Thread(target=kill_some_time, args=(process, tape, chance))
            killer.start()
            acknowledged = len(seeds) + sum(line.endswith("\n") for line in process.stdout if line.startswith("done"))
            killer.join()
        loaded = read_cassette(tape)
        torn += bool(loaded.warnings)
        kept = len(loaded.cassette.interactions)
        assert kept in (acknowledged, acknowledged + 1)
        seeds += [seed] * (kept - len(seeds))
        for number in range(max(0, kept - 3), kept):
            assert loaded.cassette.interactions[number] == sample_interaction(number, sample_size(seeds[number], number))
        if tape.stat().st_size > 15_000_000:  # keeps the reading of it short
            assert_holds(tape, seeds, kept)
            tape.unlink()
            seeds.clear()
    if seeds:
        assert_holds(tape, seeds, len(seeds))
    with CassetteWriter.open(tape, HASHING) as writer:
        writer.append(sample_interaction(len(seeds)))
    assert len(read_cassette(tape).cassette.interactions) == len(seeds) + 1
    print(f"{KILLS} kills, {torn} of them inside a write")


def test_a_full_disk_loses_one_interaction_loudly_and_nothing_else(tmp_path: Path) -> None:
    tape = tmp_path / "tape"
    with CassetteWriter.open(tape, HASHING) as writer:
        for number in range(3):
            writer.append(sample_interaction(number))
    before = tape.read_bytes()
    with recorder(tape, 1, 4, len(before) + 700) as process:
        out, _ = process.communicate(timeout=20)
    lines = out.splitlines()
    failures = [line for line in lines if line.startswith("failed")]
    assert len(failures) == 1
    assert str(tape) in failures[0]
    assert "File too large" in failures[0]
    assert re.search(r"the \d interactions before it can still be read", failures[0])
    assert [line for line in lines if line.startswith("done")] == ["done 3", "done 4", "done 5", "done 6"]
    interactions = read_cassette(tape).cassette.interactions
    assert interactions[:3] == tuple(sample_interaction(number) for number in range(3))
    assert interactions[3:] == tuple(sample_interaction(number, sample_size(1, number)) for number in range(3, 7))
    assert os.listdir(tmp_path) == ["tape"]


@pytest.mark.parametrize("room", [0, 1, 9, 10, 11, 200])
def test_a_full_disk_leaves_the_very_bytes_that_were_there(tmp_path: Path, room: int) -> None:
    """However far the write came; the limit is lifted only after the file was looked at."""
    tape = tmp_path / "tape"
    with CassetteWriter.open(tape, HASHING) as writer:
        writer.append(sample_interaction(0))
    before = tape.read_bytes()
    script = (
        "import resource, sys\n"
        "from spycatcher_addon.edge.tape_writing import CassetteWriter\n"
        "from spycatcher_addon.errors import HarnessIOError\n"
        "from tests.support.tape_samples import HASHING, sample_interaction\n"
        "writer = CassetteWriter.open(sys.argv[1], HASHING)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))\n"
        "for _ in range(2):\n"
        "    try: writer.append(sample_interaction(1))\n"
        "    except HarnessIOError: print(open(sys.argv[1], 'rb').read().hex())\n"
        "writer.close()\n"
    )
    command = [sys.executable, "-c", script, str(tape), str(len(before) + room)]
    result = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True, timeout=20
    )
    assert result.stdout.split() == [before.hex()] * 2
    assert tape.read_bytes() == before
    assert os.listdir(tmp_path) == ["tape"]


def test_a_second_process_is_refused_at_once_and_touches_nothing(tmp_path: Path) -> None:
    tape = tmp_path / "tape"
    with recorder(tape, 0, 1) as first:
        assert first.stdout is not None
        assert [first.stdout.readline(), first.stdout.readline()] == ["ready 0\n", "done 0\n"]
        before, note = tape.read_bytes(), read_note(str(tape))
        assert note is not None
        with recorder(tape, 1, 1) as second:
            answer, _ = second.communicate(timeout=20)
        assert answer.startswith(f"refused cassette {tape} is in use: another recorder (process {first.pid})")
        assert "stop that one first" in answer
        with pytest.raises(HarnessIOError) as refusal:
            CassetteWriter.open(tape, HASHING)
        assert str(first.pid) in refusal.value.source
        assert tape.read_bytes() == before
        assert read_note(str(tape)) == note
        first.communicate(timeout=20)
    assert os.listdir(tmp_path) == ["tape"]
    CassetteWriter.open(tape, HASHING).close()


def test_readers_see_a_good_tape_at_every_moment_of_a_recording(tmp_path: Path) -> None:
    tape = tmp_path / "tape"
    with recorder(tape, 3, 60) as process:
        assert process.stdout is not None
        process.stdout.readline()
        drain = threading.Thread(target=process.stdout.read)  # or the recorder would wait for room in the pipe
        drain.start()
        seen = [0]
        while seen[-1] < 60 and process.poll() is None:
            interactions = read_cassette(tape).cassette.interactions
            seen.append(len(interactions))
            if interactions:
                assert interactions[-1] == sample_interaction(seen[-1] - 1, sample_size(3, seen[-1] - 1))
        process.kill()
        drain.join()
    assert seen == sorted(seen)
    assert seen[-1] == 60


def test_processes_that_open_and_close_one_tape_in_a_hurry_never_hold_it_together(tmp_path: Path) -> None:
    """The lock file is removed at every close: whoever had opened it just before must notice."""
    tape = tmp_path / "tape"
    script = (
        "import sys, time\n"
        "from spycatcher_addon.edge.tape_writing import CassetteWriter\n"
        "from spycatcher_addon.errors import HarnessIOError\n"
        "from tests.support.tape_samples import HASHING, sample_interaction\n"
        "done, end = 0, time.monotonic() + 30\n"
        "while done < 40 and time.monotonic() < end:\n"
        "    try: writer = CassetteWriter.open(sys.argv[1], HASHING)\n"
        "    except HarnessIOError as error:\n"
        "        assert 'is in use' in error.source, error.source\n"
        "        continue\n"
        "    writer.append(sample_interaction(writer.interaction_count))\n"
        "    writer.close()\n"
        "    done += 1\n"
        "print(done)\n"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tape)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    done = [int(child.communicate(timeout=40)[0]) for child in children]
    interactions = read_cassette(tape).cassette.interactions
    assert interactions == tuple(sample_interaction(number) for number in range(sum(done)))
    assert os.listdir(tmp_path) == ["tape"]
