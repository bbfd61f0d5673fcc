"""The benchmark script: it measures, prints ratios to its reference and refuses tables it does not have."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scripts import bench


def test_a_table_shows_ratios_to_its_first_row_and_whether_targets_are_met(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        bench.Row("reference", [100.0], [50.0]),
        bench.Row("good", [50.0, 10.0, 60.0], [20.0], target=0.5),
        bench.Row("bad", [200.0], [100.0], target=0.5),
    ]
    bench.print_table(bench.Table("Title", rows))
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert lines[0] == ["Title"]
    assert lines[2:] == [
        ["reference", "100.0", "50.0", "1.00", "1.00"],
        ["good", "50.0", "20.0", "0.50", "0.40", "<=", "0.5", "ok"],
        ["bad", "200.0", "100.0", "2.00", "2.00", "<=", "0.5", "MISSED"],
    ]


def test_commands_take_turns_and_the_first_round_does_not_count(tmp_path: Path) -> None:
    note = tmp_path / "order"
    candidates = [(name, (sys.executable, "-c", f"open({str(note)!r}, 'a').write({name!r})"), None) for name in "ab"]
    table = bench.measure_commands("t", candidates, 2, tmp_path)
    assert note.read_text() == "ababab"
    assert [(row.name, len(row.wall_ms), len(row.cpu_ms)) for row in table.rows] == [("a", 2, 2), ("b", 2, 2)]


def test_the_chosen_tables_are_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[int] = []

    def table(rounds: int) -> None:
        asked.append(rounds)
        bench.print_table(bench.Table("made", [bench.Row("x", [1.0], [1.0])]))

    monkeypatch.setattr(bench, "TABLES", {"one": table, "two": table})
    assert bench.main(["two", "--rounds", "3"]) == 0
    assert asked == [3]
    assert bench.main([]) == 0
    assert asked == [3, 15, 15]
    for words in (["three"], ["--rounds", "0"]):
        with pytest.raises(SystemExit) as caught:
            bench.main(words)
        assert caught.value.code == 2
