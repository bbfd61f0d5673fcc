from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.redaction.layers import undo_base64, undo_json_escapes, undo_percent


@given(st.text(), st.booleans())
def test_json_escapes_are_undone_and_every_character_is_found_again(text: str, is_ascii: bool) -> None:
    escaped = json.dumps(text, ensure_ascii=is_ascii)[1:-1]
    layer = undo_json_escapes(escaped)
    if layer is None:
        assert escaped == text
        return
    assert layer.text == text
    for position, character in enumerate(text):
        outer = escaped[layer.outer(position) : layer.outer(position + 1)]
        assert json.loads(f'"{outer}"') == character


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_percent_encoding_is_undone_and_every_character_is_found_again(text: str) -> None:
    encoded = quote(text, safe="")
    layer = undo_percent(encoded)
    if layer is None:
        assert encoded == text
        return
    assert layer.text == text
    for position, character in enumerate(text):
        assert encoded[layer.outer(position) : layer.outer(position + 1)] == quote(character, safe="")


@pytest.mark.parametrize("text", ["", "plain", "100 %", "%zz"])
def test_text_without_a_layer_has_none(text: str) -> None:
    assert undo_json_escapes(text) is None
    assert undo_percent(text) is None


@pytest.mark.parametrize(("text", "plain"), [("\\x", "x"), ("\\ud83d", "\ud83d"), ("\\u00", "u00"), ("a\\", "a\\")])
def test_escapes_that_json_does_not_know(text: str, plain: str) -> None:
    layer = undo_json_escapes(text)
    assert layer is not None and layer.text == plain


@given(st.text(min_size=20, alphabet=st.characters(exclude_categories=["Cs"])), st.sampled_from(["", " ", "/", "path/to/"]))
def test_base64_is_decoded_whatever_path_stands_before_it(text: str, before: str) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        outer = before + encode(text.encode()).decode()
        assert any(text in run.text and run.end == len(outer) for run in undo_base64(outer))


def test_wrapped_base64_is_one_run() -> None:
    text = "a text that fills some lines, " * 10
    wrapped = base64.encodebytes(text.encode()).decode().strip()
    assert "\n" in wrapped
    assert [run.text for run in undo_base64(wrapped)][0] == text


def test_words_are_no_base64() -> None:
    assert list(undo_base64("some words and a line\nanother line")) == []
