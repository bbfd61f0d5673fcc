"""Which paths a report may take."""

from __future__ import annotations

from pathlib import Path

import pytest

from spycatcher_addon.edge.report_files import is_same_file, report_error, require_report_path
from spycatcher_addon.errors import HarnessError, HarnessIOError, InvalidConfigError


def accept(path: Path, tape: Path) -> None:
    require_report_path(str(path), "replay.report", str(tape), lambda data: data.startswith(b"ours"))


def test_a_new_file_and_an_earlier_report_are_fine(tmp_path: Path) -> None:
    tape = tmp_path / "tape"
    tape.write_bytes(b"{}")
    accept(tmp_path / "new", tape)
    (tmp_path / "old").write_bytes(b"ours, of yesterday")
    accept(tmp_path / "old", tape)
    accept(Path("/dev/null"), tape)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["tape", "link"])
def test_the_cassette_is_never_replaced(tmp_path: Path, name: str) -> None:
    tape = tmp_path / "tape"
    tape.write_bytes(b"ours")
    (tmp_path / "link").symlink_to(tape)
    with pytest.raises(InvalidConfigError, match=r"replay\.report names the cassette itself, .*tape; choose another file"):
        accept(tmp_path / name, tape)


def test_another_file_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "main.py"
    other.write_bytes(b"import os")
    with pytest.raises(InvalidConfigError, match=r"holds something else, .*main\.py; it is left alone"):
        accept(other, tmp_path / "tape")
    assert other.read_bytes() == b"import os"


def test_a_path_no_system_takes(tmp_path: Path) -> None:
    assert not is_same_file("a\0b", str(tmp_path))
    error: HarnessError = report_error("a\0b", "fault_report", ValueError("embedded null byte"))
    assert isinstance(error, HarnessIOError)
    assert error.source == "cannot write the report a\0b: embedded null byte; choose another fault_report"
