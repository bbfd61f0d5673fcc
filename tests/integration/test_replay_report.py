"""The replay report, over real sockets: what is in it, when it is there, and that answers do not change for it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from spycatcher_addon.cassette.lines import interaction_lines
from spycatcher_addon.config import MatchingConfig, MatchMode, RedactionConfig, ReplayConfig
from spycatcher_addon.errors import HarnessIOError, InvalidConfigError
from spycatcher_addon.mismatch_report import unused_in
from tests.integration.test_replay_transport import ask_body, numbered_tape
from tests.support.in_process import TAPE_NAME, InProcessHarness, replay_config
from tests.support.raw_http import RawResponse, encode_json_request, encode_request, exchange

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "mismatch-report-1.json").read_text())
SECRET = "sk-proj-" + "fake" * 10


def start(folder: Path, **more: Any) -> InProcessHarness:
    more.setdefault("replay", ReplayConfig(report=str(folder / "report")))
    environ = more.pop("environ", None)
    return InProcessHarness(replay_config(folder, **more), environ)


def records(folder: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (folder / "report").read_text(encoding="utf-8").splitlines()]
    for record in found:
        jsonschema.validate(record, SCHEMA)
    return found


def without_report(folder: Path, asked: bytes) -> RawResponse:
    with InProcessHarness(replay_config(folder)) as replay:
        return exchange(replay.addr, asked)


def test_a_mismatch_is_in_the_file_when_its_answer_is_there_and_the_answer_is_the_same(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    asked = encode_json_request(ask_body(2), headers=[("X-Request-Id", "id-1")])
    expected = without_report(tmp_path, asked)
    with start(tmp_path, matching=MatchingConfig(ignore_paths=("user",))) as replay:
        assert exchange(replay.addr, encode_json_request(ask_body(0))).status == 200
        assert records(tmp_path) == []
        exchange(replay.addr, asked)
        (record,) = records(tmp_path)
        with InProcessHarness(replay_config(tmp_path, matching=MatchingConfig(ignore_paths=("user",)))) as other:
            exchange(other.addr, encode_json_request(ask_body(0)))
    lines = interaction_lines((tmp_path / TAPE_NAME).read_bytes())
    assert (record["index"], record["nearest"], record["line"]) == (1, None, lines[1])
    assert (record["request_id"], record["number"], record["ignored_paths"], record["seen_at"]) == ("id-1", 1, ["/user"], [2])
    assert record["differences"] != []
    assert expected.status == 409


@pytest.mark.parametrize("asked", [encode_json_request(ask_body(9)), encode_request(b"{"), encode_request(b"{}", target="/nowhere")])
def test_answers_are_the_same_with_and_without_a_report(tmp_path: Path, asked: bytes) -> None:
    numbered_tape(tmp_path)
    plain_answer = without_report(tmp_path, asked)
    with start(tmp_path) as replay:
        reported = exchange(replay.addr, asked)
    assert reported == plain_answer


def test_the_nearest_interaction_is_named_where_the_order_does_not_count(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    with start(tmp_path, match_mode=MatchMode.KEYED) as replay:
        exchange(replay.addr, encode_json_request({**ask_body(1), "temperature": 0.5}))
        (record,) = records(tmp_path)
    assert (record["reason"], record["index"], record["nearest"]) == ("no_matching_interaction", None, 1)
    assert record["differences"] == [
        {"kind": "added", "path": "canonical_body.temperature", "expected": None, "observed": 0.5},
    ]


def test_requests_that_are_not_compared_are_records_of_their_own(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    with start(tmp_path) as replay:
        exchange(replay.addr, encode_request(b"{}", target="/nowhere"))
        exchange(replay.addr, encode_request(b"{"))
        found = records(tmp_path)
    assert [(each["kind"], each["number"], each["error_kind"], each["status"]) for each in found] == [
        ("refused", 1, "not_found", 404),
        ("refused", 2, "malformed_json", 400),
    ]


def test_the_summary_says_what_was_used(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    with start(tmp_path, match_mode=MatchMode.KEYED) as replay:
        exchange(replay.addr, encode_json_request(ask_body(1)))
        exchange(replay.addr, encode_json_request(ask_body(7)))
    summary = records(tmp_path)[-1]
    assert (summary["interactions"], summary["matched"], summary["mismatched"], summary["rejected"]) == (3, 1, 1, 0)
    assert list(unused_in((tmp_path / "report").read_bytes())) == [0, 2]


def test_no_secret_of_a_refused_request_is_in_the_report(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    environ = {"MY_TOKEN": "planted-known-value-0001"}
    with start(tmp_path, redaction=RedactionConfig(secret_env=("MY_TOKEN",)), environ=environ) as replay:
        content = f"my key is {SECRET} and {environ['MY_TOKEN']}"
        body = {"model": "m", "messages": [{"role": "user", "content": content}], "user": SECRET}
        headers = [("authorization", f"Bearer {SECRET}"), ("x-request-id", SECRET)]
        exchange(replay.addr, encode_json_request(body, headers=headers))
        exchange(replay.addr, encode_request(b"{}", target=f"/v1/{SECRET}"))
        exchange(replay.addr, encode_request(b"{" + SECRET.encode()))
        exchange(replay.addr, encode_request(b"", method=SECRET))
    text = (tmp_path / "report").read_text(encoding="utf-8")
    assert len(records(tmp_path)) == 5
    assert SECRET not in text
    assert environ["MY_TOKEN"] not in text


@pytest.mark.parametrize("form", ["junit", "github"])
def test_the_other_forms_are_written_at_the_end(tmp_path: Path, form: str) -> None:
    numbered_tape(tmp_path)
    settings = ReplayConfig(report=str(tmp_path / "report"), report_format=form)  # type: ignore[arg-type]
    for _ in range(2):  # the second time over its own earlier report
        with start(tmp_path, replay=settings) as replay:
            exchange(replay.addr, encode_json_request(ask_body(2)))
            assert (tmp_path / "report").read_bytes() == b""
        assert "canonical_body" in (tmp_path / "report").read_text(encoding="utf-8")


def test_a_report_in_the_place_of_something_else_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    tape = (tmp_path / TAPE_NAME).read_bytes()
    (tmp_path / "report").write_text("notes of mine")
    with pytest.raises(InvalidConfigError, match="holds something else"):
        start(tmp_path)
    with pytest.raises(InvalidConfigError, match="names the cassette itself"):
        start(tmp_path, replay=ReplayConfig(report=str(tmp_path / TAPE_NAME)))
    for path in (tmp_path, tmp_path / "none" / "report"):
        with pytest.raises(HarnessIOError):
            start(tmp_path, replay=ReplayConfig(report=str(path)))
    assert (tmp_path / "report").read_text() == "notes of mine"
    assert (tmp_path / TAPE_NAME).read_bytes() == tape


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_told_once_and_answers_go_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    numbered_tape(tmp_path)
    with start(tmp_path, replay=ReplayConfig(report="/dev/full")) as replay:
        answers = [exchange(replay.addr, encode_json_request(ask_body(9))).status for _ in range(3)]
    assert answers == [409, 409, 409]
    told = [record.getMessage() for record in caplog.records if "report" in record.getMessage()]
    assert told == ["the replay report could not be written and stays incomplete: /dev/full: No space left on device"]


def test_a_job_of_github_actions_gets_annotations(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    with start(tmp_path, replay=ReplayConfig(), environ={"GITHUB_ACTIONS": "true"}) as replay:
        for _ in range(12):
            exchange(replay.addr, encode_json_request(ask_body(2)))
        annotations = replay.stop().annotations
    assert len(annotations) == 10
    line = interaction_lines((tmp_path / TAPE_NAME).read_bytes())[0]
    assert annotations[0].startswith(f"::error file={tmp_path / TAPE_NAME},line={line},title=replay mismatch")
