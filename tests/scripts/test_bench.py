"""The benchmark: how it reckons, and that every table can be taken; never how fast anything is."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from scripts import bench
from scripts.benchmark import tapes
from scripts.benchmark.clients import lateness
from scripts.benchmark.processes import Server, reference_command
from scripts.benchmark.report import Row, Table, Target, report_json, summary
from scripts.benchmark.start_up import CPU, WALL, measure_commands
from spycatcher_addon.cassette.schema import parse_cassette


def small_table() -> Table:
    reference, good, bad = (
        Row("reference"),
        Row("good", targets=(Target("ms", 0.5),)),
        Row("bad", targets=(Target("ms", 150, is_ratio=False),)),
    )
    reference.add(ms=100.0)
    for figure in (50.0, 10.0, 40.0):
        good.add(ms=figure)
    bad.add(ms=200.0)
    return Table("Title", ("ms", "other"), (reference, good, bad), ratio_of="ms")


def test_a_table_shows_medians_ratios_and_targets() -> None:
    lines = [line.split() for line in small_table().lines()]
    assert lines[0] == ["Title"]
    assert lines[2] == ["ms", "other", "ratio", "target"]
    assert lines[3:] == [
        ["reference", "100.0", "1.00"],
        ["good", "40.0", "0.40", "ms", "ratio", "<=", "0.5"],
        ["bad", "200.0", "2.00", "ms", "<=", "150"],
    ]


def test_all_targets_are_summed_up_and_told_as_json() -> None:
    lines = summary([small_table()])
    assert lines[-2].split()[-4:] == ["0.40", "<=", "0.5", "ok"]
    assert lines[-1].split()[-4:] == ["200.0", "<=", "150", "MISSED"]
    assert summary([]) == []
    report = json.loads(json.dumps(report_json([small_table()], {"cpus": 2})))
    assert report["machine"] == {"cpus": 2}
    assert report["tables"][0]["rows"][1] == {"name": "good", "ms": 40.0, "ratio": 0.4, "samples": 3}
    assert [target["is_met"] for target in report["targets"]] == [True, False]


def test_commands_take_turns_and_the_first_round_does_not_count(tmp_path: Path) -> None:
    note = tmp_path / "order"
    commands = {name: (sys.executable, "-c", f"open({str(note)!r}, 'a').write({name!r})") for name in "ab"}
    table = measure_commands("t", commands, 2, tmp_path, {"b": (Target(CPU, 1),)})
    assert note.read_text() == "ababab"
    assert [(row.name, len(row.samples[WALL]), len(row.samples[CPU])) for row in table.rows] == [("a", 2, 2), ("b", 2, 2)]
    assert [len(row.targets) for row in table.rows] == [0, 1]


def test_lateness_is_taken_against_the_first_event_of_each_stream() -> None:
    gap_s = tapes.STREAM.gap_ms / 1000
    figures = lateness([[1.0, 1.0 + gap_s, 1.004 + 2 * gap_s], [5.0, 5.0 + gap_s, 5.0 + 2 * gap_s]])
    assert [round(figure, 3) for figure in figures.values()] == [0.0, 4.0, 4.0]


@pytest.mark.parametrize("kind", [tapes.SMALL, tapes.STREAM, tapes.LARGE])
def test_tapes_are_what_requests_are_made_for(tmp_path: Path, kind: tapes.Kind) -> None:
    payload_bytes = tapes.write_tape(tmp_path / "tape", kind, 3)
    cassette = parse_cassette((tmp_path / "tape").read_bytes(), "tape")
    assert [each.request.body for each in cassette.interactions] == [kind.request_body(number) for number in range(3)]
    assert len({each.request.stable_hash for each in cassette.interactions}) == 3
    assert 0 < payload_bytes < (tmp_path / "tape").stat().st_size
    assert tapes.http_request(b"{}").endswith(b"\r\ncontent-length: 2\r\n\r\n{}")


def test_repeated_requests_are_the_same_bytes() -> None:
    assert tapes.REPEATED.request_body(0) == tapes.REPEATED.request_body(5)
    assert 90_000 < len(tapes.LARGE.request_body(0)) < 110_000


def test_a_server_that_does_not_start_is_told_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no such server: nonsense"):
        Server(reference_command("nonsense"), tmp_path)


@pytest.mark.parametrize("name", bench.TABLES)
def test_every_table_can_be_taken(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main([name, "--quick", "--json", str(tmp_path / "results.json")]) == 0
    report = json.loads((tmp_path / "results.json").read_text())
    out = capsys.readouterr().out
    assert report["tables"]
    for table in report["tables"]:
        assert table["title"] in out
        assert all(row["name"] in out for row in table["rows"])


@pytest.mark.parametrize("words", [["three"], ["--rounds", "0"]])
def test_what_does_not_exist_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        bench.main(words)
    assert caught.value.code == 2
