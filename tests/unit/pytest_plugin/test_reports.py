"""Words for what came of tapes."""

from __future__ import annotations

from typing import Any

import pytest

from spycatcher_addon.pytest_plugin.reports import TapeReport, describe_empty_recording, describe_refusals, describe_unused, summary_lines

TABLE: dict[str, Any] = {
    "mode": "replay",
    "has_replayed": True,
    "has_recorded": False,
    "is_kept": None,
    "reason": "",
    "refusals": [],
    "unused": [],
    "interactions": 3,
    "matched": 3,
    "mismatched": 0,
    "rejected": 0,
    "recorded": 0,
    "failed": 0,
    "abandoned": 0,
    "refused": 0,
    "error_statuses": 0,
}
RECORDED = {"mode": "once", "has_replayed": False, "has_recorded": True, "is_kept": True, "matched": 0, "recorded": 2, "interactions": 2}


def report(path: str = "tape.json", **changes: Any) -> TapeReport:
    return TapeReport.parse(path, {**TABLE, **changes})


def refusals(*kinds: str) -> list[dict[str, str]]:
    return [{"kind": kind, "message": f"message {number}"} for number, kind in enumerate(kinds)]


def test_refusals_that_fail_a_test() -> None:
    text = describe_refusals(report(refusals=refusals("request_mismatch", "not_found", "malformed_json")))
    assert text is not None
    assert text.startswith("2 requests were not answered from cassette tape.json\n\nmessage 0\n\nmessage 2\n\n")
    assert "--spycatcher=rewrite" in text


def test_refusals_that_do_not() -> None:
    assert describe_refusals(report(refusals=refusals("not_found", "method_not_allowed", "unknown_tape"))) is None
    assert describe_refusals(report()) is None


def test_refusals_already_told_of() -> None:
    both = report(refusals=refusals("request_mismatch", "request_mismatch"))
    late = describe_refusals(both, seen=1)
    assert late is not None and late.startswith("1 request was") and "message 0" not in late
    assert describe_refusals(both, seen=2) is None


def test_only_a_few_refusals_are_shown() -> None:
    text = describe_refusals(report(refusals=refusals(*["request_mismatch"] * 9)))
    assert text is not None and text.count("message ") == 5 and "and 4 more" in text


def test_unused_interactions() -> None:
    text = describe_unused(report(unused=[0, 2]))
    assert text is not None and text.startswith("2 of 3 interactions of cassette tape.json were never asked for: 0, 2 (counted from 0)")
    assert describe_unused(report()) is None
    assert describe_unused(report(**RECORDED, unused=[0])) is None
    many = describe_unused(report(unused=list(range(30))))
    assert many is not None and "18, 19, ..." in many


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"recorded": 0}, "recorded 0 interactions to tape.json: no request came; does the client"),
        ({"recorded": 0, "refused": 2, "failed": 1, "abandoned": 3}, "2 refused by the harness; 1 failed; 3 given up by the client"),
        ({"recorded": 1}, None),
        ({"recorded": 0, "matched": 1}, None),
        ({"recorded": 0, "has_recorded": False}, None),
    ],
)
def test_recordings_of_nothing(changes: dict[str, Any], expected: str | None) -> None:
    text = describe_empty_recording(report(**{**RECORDED, **changes}))
    assert (text is None) if expected is None else (text is not None and expected in text)


def test_the_summary() -> None:
    reports = [
        report("r1.json"),
        report("r2.json", unused=[1]),
        report("n.json", mode="new_episodes", has_recorded=True, is_kept=True, recorded=1, unused=[2]),
        report("w.json", **RECORDED),
        report("e.json", **{**RECORDED, "error_statuses": 1, "failed": 1, "abandoned": 1}),
        report("d.json", **{**RECORDED, "is_kept": False, "reason": "the run did not succeed"}),
        report("z.json", **{**RECORDED, "is_kept": False, "recorded": 0}),
        report("o.json", mode="off", has_replayed=False),
    ]
    assert list(summary_lines(reports, ["lost.json"], is_verbose=False)) == [
        "tapes: 2 replayed, 3 recorded, 1 not kept, 1 passed through",
        "recorded: e.json (2 interactions, 1 with an error status, 2 not recorded)",
        "recorded: n.json (1 interaction)",
        "recorded: w.json (2 interactions)",
        "not kept: d.json (2 interactions): the run did not succeed",
        "unused: r2.json: 1 of 3 (counted from 0)",
        "orphaned: lost.json",
    ]
    assert "replayed: r1.json (3 interactions)" in list(summary_lines(reports, [], is_verbose=True))
    assert list(summary_lines([], [], is_verbose=True)) == []
