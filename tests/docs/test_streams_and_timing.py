"""The tables of docs/streams-and-timing.md say what the program does."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import Cassette, FailureKind, NonStreamResponse
from spycatcher_addon.cassette.schema import FORMAT_VERSION
from spycatcher_addon.choices import TimingMode
from spycatcher_addon.config import ReplayConfig, StreamSource
from spycatcher_addon.exchange import Ending, ObservedRequest
from spycatcher_addon.pacing import Pacing
from spycatcher_addon.replaying import ReplayPolicy, ReplaySession
from tests.support.tape_samples import sample_interaction

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "streams-and-timing.md").read_text(encoding="utf-8")


def table_with(head: str) -> dict[str, str]:
    """First cell -> rest of the row, for the table whose first heading is ``head``."""
    rows = PAGE[PAGE.index(f"| {head} |") :].partition("\n\n")[0].splitlines()[2:]
    return {row.split("`")[1]: row for row in rows}


def test_stream_sources_are_listed() -> None:
    rows = table_with("`--stream-source`")
    assert set(rows) == set(StreamSource)
    assert [name for name, row in rows.items() if "(default)" in row] == [ReplayConfig().stream_source]


def test_timing_modes_are_listed() -> None:
    rows = table_with("`--timing`")
    assert set(rows) == set(TimingMode)
    assert [name for name, row in rows.items() if "(default)" in row] == [ReplayConfig().timing]


@pytest.mark.parametrize("mode", [TimingMode.FIXED, TimingMode.CI])
def test_steady_modes_have_the_pace_of_the_table(mode: TimingMode) -> None:
    first_ms, per_second = map(float, re.findall(r"\d+", table_with("`--timing`")[mode])[:2])
    due = ReplayConfig(timing=mode).pacing.stream_due_ms(None, 3, 0)
    assert due == pytest.approx((first_ms, first_ms + 1000 / per_second, first_ms + 2000 / per_second))


def test_chance_stays_as_near_as_the_table_says() -> None:
    least, most = map(float, re.findall(r"\d\.\d+", table_with("`--timing`")[TimingMode.REALISTIC]))
    count = 4000
    due = Pacing(TimingMode.REALISTIC).stream_due_ms([100 * (number + 1) for number in range(count)], count, 0)
    gaps = [after - before for before, after in zip((0.0, *due), due, strict=False)]
    assert sum(least <= gap / 100 <= most for gap in gaps) / count == pytest.approx(0.9, abs=0.02)


def test_demo_without_recorded_times_is_about_as_fast_as_the_table_says() -> None:
    first_ms, per_second = map(float, re.findall(r"\d+", table_with("`--timing`")[TimingMode.DEMO]))
    due = Pacing(TimingMode.DEMO).stream_due_ms(None, 3001, 0)
    assert due[-1] == pytest.approx(first_ms + 3000 * 1000 / per_second, rel=0.1)


def test_plain_answers_wait_as_the_page_says() -> None:
    answer = NonStreamResponse(200, (), b'{"usage": {"completion_tokens": 50}}')
    waits = {mode: Pacing(mode, factor=2).plain_due_ms(answer, 300, 0) for mode in TimingMode}
    assert {mode for mode, wait in waits.items() if not wait} == {TimingMode.OFF}
    expected = {TimingMode.FIXED: 1200.0, TimingMode.CI: 110.0, TimingMode.RECORDED: 300.0, TimingMode.SCALED: 600.0}
    assert {mode: waits[mode] for mode in expected} == expected
    without = {mode: Pacing(mode).plain_due_ms(answer, None, 0) for mode in TimingMode}
    assert {mode for mode, wait in without.items() if wait} == {TimingMode.FIXED, TimingMode.CI, TimingMode.DEMO}


@pytest.mark.parametrize("failure", FailureKind)
def test_recorded_failures_end_as_the_table_says(failure: FailureKind) -> None:
    says = {Ending.RESET: "connection reset", Ending.UNFINISHED: "body unfinished", Ending.COMPLETE: "a clean end"}
    failed = replace(sample_interaction(0), failure=failure)
    request = ObservedRequest(failed.request.method, failed.request.path, failed.request.query, (), failed.request.body)
    session = ReplaySession(Cassette(FORMAT_VERSION, (failed,)), ReplayPolicy(include_failures=True))
    delivery = session.handle(request).delivery
    assert delivery is not None
    assert says[delivery.ending] in table_with("`failure`")[failure].rsplit(" | ", 1)[1]


def test_all_kinds_of_failure_are_listed() -> None:
    assert set(table_with("`failure`")) == set(FailureKind)
