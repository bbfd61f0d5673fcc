"""The lateness table: quantiles, verdicts, and a real measurement small enough for a test."""

from __future__ import annotations

import pytest

from scripts import bench_timing
from scripts.bench_timing import Lateness, measure_lateness, print_lateness


def test_quantiles() -> None:
    row = Lateness("one", [float(number) for number in range(100)])
    assert (row.quantile(0.5), row.quantile(0.99), row.quantile(1.0)) == (50.0, 99.0, 99.0)


def test_the_table_says_what_missed(capsys: pytest.CaptureFixture[str]) -> None:
    print_lateness([Lateness("reference", [1.0]), Lateness("good", [9.0], 10.0), Lateness("bad", [11.0], 10.0)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].endswith("p99 <= 10 ok")
    assert lines[-1].endswith("p99 <= 10 MISSED")


def test_every_piece_of_every_stream_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    # The servers are processes of their own and keep the full schedule; only the number of clients shrinks.
    monkeypatch.setattr(bench_timing, "STREAMS", 2)
    bare, replay = measure_lateness(1)
    assert len(bare.late_ms) == len(replay.late_ms) == 2 * bench_timing.EVENTS
