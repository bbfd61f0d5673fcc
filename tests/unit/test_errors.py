from __future__ import annotations

import copy
import pickle

import pytest

from spycatcher_addon import errors
from spycatcher_addon.errors import (
    CanonicalError,
    CassetteNotFoundError,
    HarnessError,
    HarnessIOError,
    IncompleteEventError,
    InvalidCassetteError,
    InvalidConfigError,
    InvalidPointerPathError,
    InvalidUtf8Error,
    ModeNotYetImplementedError,
    RequestMismatchError,
    StreamParseError,
    UnsupportedCassetteFormatVersionError,
    UpstreamRequestFailedError,
)

CASES: list[tuple[HarnessError, dict[str, object], str]] = [
    (InvalidConfigError("no upstream"), {"message": "no upstream"}, "invalid configuration: no upstream"),
    (CassetteNotFoundError("chat"), {"cassette_name": "chat"}, "cassette not found: chat"),
    (InvalidCassetteError("line 3"), {"message": "line 3"}, "invalid cassette: line 3"),
    (
        UnsupportedCassetteFormatVersionError(3, 2),
        {"found": 3, "supported": 2},
        "unsupported cassette format version 3; supported version is 2",
    ),
    (
        RequestMismatchError(4, "aaa", "bbb", "removed: x"),
        {"interaction_id": 4, "expected_hash": "aaa", "observed_hash": "bbb", "diff_summary": "removed: x"},
        "request mismatch at interaction 4: expected aaa, observed bbb",
    ),
    (UpstreamRequestFailedError("it timed out"), {"source": "it timed out"}, "upstream request failed: it timed out"),
    (ModeNotYetImplementedError("Verify"), {"mode": "Verify"}, "mode not yet implemented: Verify"),
    (HarnessIOError("/home/me/tape: disk full"), {"source": "/home/me/tape: disk full"}, "io failure"),
    (InvalidPointerPathError("a b"), {"path": "a b"}, 'invalid JSON Pointer path: "a b"'),
    (InvalidUtf8Error("byte 3"), {"detail": "byte 3"}, "SSE stream contained invalid UTF-8: byte 3"),
    (IncompleteEventError(), {}, "SSE stream ended before the final event was complete"),
]
each_error = pytest.mark.parametrize(("error", "fields", "text"), CASES, ids=[type(error).__name__ for error, _, _ in CASES])

CLASSES = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, HarnessError)]
PARENTS = {HarnessError, CanonicalError, StreamParseError}


def test_the_table_has_every_class() -> None:
    assert {type(error) for error, _, _ in CASES} == set(CLASSES) - PARENTS


@each_error
def test_text_and_fields(error: HarnessError, fields: dict[str, object], text: str) -> None:
    assert str(error) == text
    assert {name: getattr(error, name) for name in fields} == fields


@each_error
def test_an_error_survives_copying_and_pickling(error: HarnessError, fields: dict[str, object], text: str) -> None:
    for twin in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(twin) is type(error)
        assert (twin.args, str(twin)) == (error.args, text)
        assert {name: getattr(twin, name) for name in fields} == fields


def test_message_ids_are_stable_and_belong_to_one_class_each() -> None:
    ids = {error.message_id: type(error) for error, _, _ in CASES} | {each.message_id: each for each in PARENTS - {HarnessError}}
    assert len(ids) == len(CLASSES) - 1
    assert all(message_id.startswith("harness-error-") for message_id in ids)
    assert ids["harness-error-io"] is HarnessIOError
    assert ids["harness-error-unsupported-cassette-format-version"] is UnsupportedCassetteFormatVersionError


@pytest.mark.parametrize("error_class", CLASSES)
def test_every_failure_ends_a_command_with_exit_code_1(error_class: type[HarnessError]) -> None:
    assert error_class.exit_code == 1


@pytest.mark.parametrize(
    ("leaf", "parent"),
    [(InvalidPointerPathError, CanonicalError), (InvalidUtf8Error, StreamParseError), (IncompleteEventError, StreamParseError)],
)
def test_families(leaf: type[HarnessError], parent: type[HarnessError]) -> None:
    assert issubclass(leaf, parent)
