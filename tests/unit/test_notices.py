"""Notices: English text that knows its translation."""

from __future__ import annotations

import json

import pytest

from spycatcher_addon.edge.catalogues import LOCALES, load_catalogues
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.notices import Notice
from tests.support.texts import ENGLISH

NOTICE = Notice("notice-tape-converted", "cassette x was of format version 1; rewrote it as version 2", path="x", old="1", new="2")


def test_a_notice_is_text() -> None:
    assert f"{NOTICE}" == "cassette x was of format version 1; rewrote it as version 2"
    assert json.loads(json.dumps([NOTICE])) == [str(NOTICE)]


@pytest.mark.parametrize("locale", LOCALES)
def test_its_translation_has_its_arguments(locale: str) -> None:
    said = Texts(load_catalogues([locale])).notice(NOTICE)
    assert [part for part in ("\u2068x\u2069", "\u20681\u2069", "\u20682\u2069") if part not in said] == []


def test_what_has_no_translation_stays() -> None:
    assert ENGLISH.notice("plain") == "plain"
    assert ENGLISH.notice(Notice("no-such-message", "plain")) == "plain"
