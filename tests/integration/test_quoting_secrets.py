"""Messages about a cassette quote what stands in it, but no secret that somebody put in the wrong place."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from spycatcher_addon.choices import VerifyFormat
from tests.support.cli import HarnessCli
from tests.support.secrets import BY_SHAPE
from tests.support.verify_tapes import answered, plain, stream, tape_of

SECRET = BY_SHAPE["openai-key"]
GOOD = tape_of(plain(), stream(), answered(b'{"a":"b"}'))


def instead_of(old: str, new: str) -> Callable[[bytes], bytes]:
    return lambda data: re.sub(old.encode(), new.replace("SECRET", SECRET).encode(), data, count=1)


EDITS: dict[str, Callable[[bytes], bytes]] = {
    "status": instead_of('"status": 200', '"status": "SECRET"'),
    "method": instead_of('"method": "POST"', '"method": ["SECRET"]'),
    "kind": instead_of('"kind": "non_stream"', '"kind": "SECRET"'),
    "layout": instead_of('"layout": "compact"', '"layout": "SECRET"'),
    "key-twice": instead_of('"generator"', '"SECRET": 1, "SECRET": 2, "generator"'),
    "key-twice-below": instead_of('"protocol_id"', '"SECRET": 1, "SECRET": 2, "protocol_id"'),
    "unknown-key": instead_of('"generator"', '"SECRET": 1, "generator"'),
    "half-a-character": instead_of('"protocol_id"', r'"SECRET": "\\\\ud800", "protocol_id"'),
    "too-deep": instead_of('"generator"', f'"SECRET": {"[" * 5000}{"]" * 5000}, "generator"'),
    "hash": instead_of(r'"stable_hash": "\w+"', '"stable_hash": "SECRET"'),
    "time": instead_of('"recorded_at": "[^"]+"', '"recorded_at": "SECRET"'),
    "ignore-path": instead_of(r'"ignore_paths": \[\]', '"ignore_paths": ["/SECRET"]'),
    "version": instead_of('"format_version": 2', '"format_version": "SECRET"'),
    "torn": lambda data: instead_of('"generator"', '"SECRET')(data)[:150],
    "merge-marker": instead_of('  "generator"', "<<<<<<< SECRET\n"),
}


@pytest.mark.parametrize("form", VerifyFormat)
def test_no_report_shows_it(harness: HarnessCli, form: VerifyFormat) -> None:
    for name, edit in EDITS.items():
        data = edit(GOOD)
        assert data != GOOD, name
        (harness.cwd / name).write_bytes(data)
    ended = harness.run_cli("verify", *EDITS, "--format", form)
    assert ended.returncode == 1
    assert SECRET[8:30] not in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    assert all(name in ended.stdout for name in EDITS), "each is reported"


@pytest.mark.parametrize("name", ["kind", "layout", "key-twice", "version"])
def test_no_other_command_shows_it(harness: HarnessCli, name: str) -> None:
    (harness.cwd / "tape").write_bytes(EDITS[name](GOOD))
    for words in (["replay", "--cassette-dir", ".", "--cassette-name", "tape"], ["ls", "tape"], ["stats", "tape"]):
        ended = harness.run_cli(*words)
        assert ended.returncode == 1
        assert "tape" in ended.stderr
        assert SECRET[8:30] not in ended.stdout + ended.stderr
