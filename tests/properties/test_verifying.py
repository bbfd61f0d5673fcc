"""Whatever somebody made of a cassette, checking it gives findings or one of our errors, and every finding has a line."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.normalizing import parse_normalize_rules
from spycatcher_addon.cassette.schema import parse_cassette
from spycatcher_addon.errors import HarnessError
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.redaction.shapes import SHAPE_NAMES
from spycatcher_addon.verifying.findings import RULES
from spycatcher_addon.verifying.tape_text import TapeText
from spycatcher_addon.verifying.whole_tape import verify_cassette
from tests.support.verify_tapes import answered, plain, stream, tape_of, version_1_document

TAPES = (
    tape_of(plain(), stream(), answered(b'{"a":["b",{"c":1}]}')),
    json.dumps(version_1_document(), indent=2).encode(),
    json.dumps(version_1_document()).encode(),
)
IGNORE = IgnorePathConfig(("/messages/0/id", "/a/*"), parse_normalize_rules(["uuid", "timestamp"]))
RULES_OF_TODAY = RedactionRules(
    frozenset({"authorization"}), frozenset({"key"}), ("/metadata/token",), frozenset(SHAPE_NAMES), ("fake-known-value-1",)
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def verify(data: bytes) -> None:
    try:
        cassette = parse_cassette(data, "tape")
    except HarnessError:
        return
    lines = data.count(b"\n") + 1
    for found in verify_cassette(cassette, IGNORE, RULES_OF_TODAY, TapeText(data)):
        assert found.rule in RULES
        assert found.line is not None and 1 <= found.line <= lines
        assert found.interaction is None or found.interaction < len(cassette.interactions)


@given(st.data())
@settings(max_examples=150)
def test_bytes_that_were_changed(data: st.DataObject) -> None:
    tape = data.draw(st.sampled_from(TAPES))
    start = data.draw(st.integers(0, len(tape)))
    length = data.draw(st.sampled_from([0, 1, 2, 20, len(tape)]))
    put = data.draw(st.binary(max_size=4) | st.sampled_from([b'"', b"\\", b"}", b"]", b"\n", b"\0", b"\r\n", b"<<<<<<< x\n"]))
    verify(tape[:start] + put + tape[start + length :])


@given(st.data())
@settings(max_examples=300)
def test_values_that_were_changed(data: st.DataObject) -> None:
    document = json.loads(data.draw(st.sampled_from(TAPES)))
    target: Any = document
    while True:
        steps: list[Any] = list(range(len(target))) if isinstance(target, list) else list(target)
        step = data.draw(st.sampled_from(steps))
        below = target[step]
        if not isinstance(below, (dict, list)) or not below or data.draw(st.booleans()):
            break
        target = below
    match data.draw(st.sampled_from(["change", "remove", "double", "add"])):
        case "change":
            target[step] = data.draw(VALUES)
        case "remove":
            del target[step]
        case "double" if isinstance(target, list):
            target.insert(step, target[step])
        case _ if isinstance(target, dict):
            target[data.draw(st.text(max_size=5))] = data.draw(VALUES)
    verify(json.dumps(document, indent=data.draw(st.sampled_from([None, 1, 2]))).encode())
