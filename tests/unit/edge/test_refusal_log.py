"""Records of refused requests, made while the replay serves."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from spycatcher_addon import answers
from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.matching import InteractionPosition, MismatchDiagnostic, PositionKind
from spycatcher_addon.cassette.normalizing import parse_normalize_rules
from spycatcher_addon.choices import MatchMode
from spycatcher_addon.edge.refusal_log import MAX_ANNOTATIONS, Annotations, RefusalLog
from spycatcher_addon.exchange import ObservedRequest
from spycatcher_addon.mismatch_report import Mismatch, RefusedRequest
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.rules import NO_RULES

REQUEST = ObservedRequest("POST", "/v1/chat/completions", "", ((b"X-Request-ID", b"a\xe9"),), b"{}")
IGNORE = IgnorePathConfig(("/user",), parse_normalize_rules(["uuid"]))
MISMATCH = MismatchDiagnostic(InteractionPosition(PositionKind.EXPECTED, 1), "a" * 64, "b" * 64, "", "request_hash_mismatch")
REPLY = answers.request_mismatch(MISMATCH, MatchMode.SEQUENTIAL_STRICT, ())


def log_of(tape: Path, *takers: object) -> RefusalLog:
    return RefusalLog(str(tape), IGNORE, InteractionRedactor(NO_RULES, 1000), lambda: "now", takers)  # type: ignore[arg-type]


def test_records_are_numbered_and_point_into_the_tape(tmp_path: Path) -> None:
    tape = tmp_path / "tape"
    tape.write_bytes(b'{"interactions": [{},\n{},\n{}]}')
    taken: list[Mismatch | RefusedRequest] = []
    log = log_of(tape, taken.append)
    log.note(REQUEST, answers.internal("replay"), None)
    log.note(REQUEST, REPLY, MISMATCH)
    refused, mismatch = taken
    assert isinstance(refused, RefusedRequest) and isinstance(mismatch, Mismatch)
    assert (refused.number, refused.time, refused.request_id, refused.error_kind) == (1, "now", "aé", "internal")
    assert (mismatch.request.number, mismatch.index, mismatch.line, mismatch.ignored_paths) == (2, 1, 2, ("/user",))
    assert mismatch.normalize == ("uuid",)


def test_a_tape_that_cannot_be_read_any_more_has_no_lines(tmp_path: Path) -> None:
    taken: list[Mismatch] = []
    log_of(tmp_path / "gone", taken.append).note(REQUEST, REPLY, MISMATCH)
    assert taken[0].line is None


def test_an_answer_is_worth_more_than_its_record(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def fail(record: object) -> None:
        raise RuntimeError

    with caplog.at_level(logging.ERROR):
        log_of(tmp_path / "tape", fail).note(REQUEST, REPLY, MISMATCH)
    assert [record.getMessage() for record in caplog.records] == ["a refused request could not be reported (RuntimeError)"]


def test_there_are_never_more_annotations_than_are_shown(tmp_path: Path) -> None:
    annotations = Annotations("tape")
    log = log_of(tmp_path / "tape", annotations.take)
    for _ in range(MAX_ANNOTATIONS + 5):
        log.note(REQUEST, REPLY, MISMATCH)
    assert len(annotations.lines) == MAX_ANNOTATIONS
