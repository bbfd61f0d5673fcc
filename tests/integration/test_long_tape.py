"""Replaying a tape that stays in its file, over real sockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from spycatcher_addon.choices import MatchMode
from spycatcher_addon.config import MatchingConfig
from spycatcher_addon.edge import long_tape
from tests.support.in_process import TAPE_NAME, InProcessHarness, replay_config
from tests.support.raw_http import RawResponse, encode_request, exchange
from tests.support.tape_samples import sample_interaction
from tests.support.tapes_on_disk import tape_of

COUNT = 4


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    path = tmp_path / TAPE_NAME
    path.write_bytes(tape_of(COUNT))
    return path


@pytest.fixture
def harness(tape: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessHarness]:
    monkeypatch.setattr(long_tape, "KEPT_BYTES", 0)
    with InProcessHarness(
        replay_config(tape.parent, match_mode=MatchMode.KEYED, matching=MatchingConfig(ignore_paths=("/metadata",)))
    ) as running:
        yield running


def ask(harness: InProcessHarness, number: int) -> RawResponse:
    body = sample_interaction(number).request.body
    return exchange(harness.addr, encode_request(body=body))


def answer(number: int) -> bytes:
    return getattr(sample_interaction(number).response, "body", b"?")


def test_answers_are_read_from_the_file_as_they_are_asked_for(harness: InProcessHarness) -> None:
    for number in (2, 0, 3):
        assert ask(harness, number).body == answer(number)
    reply = ask(harness, 3)
    assert (reply.status, reply.json()["error"]["kind"]) == (409, "request_mismatch")
    assert harness.stop().unused == (1,)


def test_a_request_that_matches_nothing_is_told_the_nearest_one(harness: InProcessHarness) -> None:
    body = sample_interaction(2).request.body.replace(b"question", b"the question")
    reply = exchange(harness.addr, encode_request(body=body))
    assert reply.status == 409
    assert '"the question' in json.dumps(reply.json()["error"]["message"]).replace("\\", "")


def test_a_file_that_is_overwritten_is_noticed_and_not_misread(
    harness: InProcessHarness, tape: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with tape.open("r+b") as file:
        file.write(tape.read_bytes().replace(b"question 1", b"question 8").replace(answer(1)[:32], b"0" * 32))
    for _ in range(2):
        reply = ask(harness, 1)
        assert (reply.status, reply.json()["error"]["kind"]) == (500, "internal")
        assert "interaction 1 is not there any more" in reply.json()["error"]["message"]
        assert "Start replay again" in reply.json()["error"]["message"]
    assert ask(harness, 8).status == 500  # looking for the nearest interaction comes by the changed one
    assert ask(harness, 2).body == answer(2)
    assert [record.levelname for record in caplog.records if "changed while" in record.getMessage()] == ["ERROR"]
    assert harness.stop().unused == (0, 1, 3)


def test_a_file_that_is_replaced_goes_on_being_served(harness: InProcessHarness, tape: Path, caplog: pytest.LogCaptureFixture) -> None:
    new = tape.with_name("new")
    new.write_bytes(tape_of(1))
    new.replace(tape)
    for number in (3, 1):
        assert ask(harness, number).body == answer(number)
    assert [record.levelname for record in caplog.records if "replaced or removed" in record.getMessage()] == ["WARNING"]
