"""The report's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import Cassette
from spycatcher_addon.choices import ReportFormat
from spycatcher_addon.edge.mismatch_file import MismatchFile
from spycatcher_addon.mismatch_report import RefusedRequest
from spycatcher_addon.replaying import ReplayPolicy, ReplaySession
from tests.support.tape_samples import sample_interaction

RECORD = RefusedRequest(1, "2026-01-01T00:00:00Z", None, "GET", "/x", 404, "not_found", "surrogate \udcff")


def session(count: int = 2) -> ReplaySession:
    return ReplaySession(Cassette(2, tuple(map(sample_interaction, range(count)))), ReplayPolicy())


@pytest.mark.parametrize("form", ReportFormat)
def test_each_form_is_written_and_closing_twice_writes_once(tmp_path: Path, form: ReportFormat) -> None:
    path = tmp_path / "report"
    report = MismatchFile(str(path), form, "tape", lambda: "2026-01-01T00:00:00Z")
    report.take(RECORD)
    during = path.read_bytes()
    report.close(session())
    after = path.read_bytes()
    report.close(session())
    assert path.read_bytes() == after != b""
    assert (during != b"") is (form is ReportFormat.JSONL)


def test_the_summary_has_the_hashes_of_what_was_not_used(tmp_path: Path) -> None:
    path = tmp_path / "report"
    report = MismatchFile(str(path), ReportFormat.JSONL, "tape", lambda: "now")
    replay = session()
    report.close(replay)
    summary = json.loads(path.read_text())
    assert summary["unused"] == [{"index": index, "stable_hash": replay.stable_hash(index)} for index in (0, 1)]
