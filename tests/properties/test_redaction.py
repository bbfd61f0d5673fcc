"""What holds of redaction whatever is redacted."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, canonicalize, stable_hash
from spycatcher_addon.cassette.model import Interaction, Metadata, NonStreamResponse, RecordedRequest
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.redaction.shapes import SHAPE_NAMES
from tests.support.secrets import BY_SHAPE

KNOWN = 'fake "known" välue'
PLANTED = [BY_SHAPE["github-token"], BY_SHAPE["openai-key"], BY_SHAPE["private-key"], KNOWN]
REDACTOR = InteractionRedactor(RedactionRules(frozenset(), frozenset({"key"}), ("/x",), frozenset(SHAPE_NAMES), (KNOWN,)), 10_000_000)
TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
STRING = st.builds(lambda before, secret, after: f"{before} {secret} {after}", TEXT, st.sampled_from([*PLANTED, "plain", ""]), TEXT)
VALUE = st.recursive(
    STRING | st.integers() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
METADATA = Metadata("p", "u", "2026-01-01T00:00:00Z", 0)


def nested(value: Any, depth: int) -> Any:
    return value if depth == 0 else {"nested": json.dumps(nested(value, depth - 1))}


def request(value: Any, depth: int = 0, indent: int | None = None) -> RecordedRequest:
    return RecordedRequest("POST", "/v1/chat/completions", "key=a&b=1", (), json.dumps(nested(value, depth), indent=indent).encode())


@given(VALUE, st.integers(0, 3), st.sampled_from([None, 2]))
def test_nothing_planted_is_left_and_the_rest_is(value: Any, depth: int, indent: int | None) -> None:
    body = REDACTOR.request(request(value, depth, indent)).body.decode()
    plain = json.loads(body)
    for _ in range(depth):
        plain = json.loads(plain["nested"])
    text = json.dumps(plain, ensure_ascii=False)
    assert [secret for secret in PLANTED if secret in text or json.dumps(secret, ensure_ascii=False)[1:-1] in text] == []
    if not any(json.dumps(secret)[1:-1] in json.dumps(value) for secret in PLANTED) and not (isinstance(value, dict) and "x" in value):
        assert plain == value


@given(VALUE, st.binary())
def test_redacting_again_changes_nothing(value: Any, answer: bytes) -> None:
    once, _ = REDACTOR.interaction(Interaction(request(value), NonStreamResponse(200, (), answer), METADATA))
    assert REDACTOR.interaction(once) == (once, ())


@given(VALUE, st.randoms())
def test_the_order_of_members_makes_no_difference_to_the_hash(value: Any, chance: Any) -> None:
    def shuffled(part: Any) -> Any:
        if isinstance(part, dict):
            keys = list(part)
            chance.shuffle(keys)
            return {key: shuffled(part[key]) for key in keys}
        return [shuffled(each) for each in part] if isinstance(part, list) else part

    hashes = {stable_hash(canonicalize(REDACTOR.request(request(body)), NOTHING_IGNORED)) for body in (value, shuffled(value))}
    assert len(hashes) == 1
