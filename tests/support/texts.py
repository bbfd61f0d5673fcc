"""English texts for tests of what is said, and the isolation marks taken off where a test is not about them."""

from __future__ import annotations

from spycatcher_addon.edge.catalogues import load_catalogues
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.notices import Notice

ENGLISH = Texts(load_catalogues(["en-US"]))


def without_marks(text: str) -> str:
    """A text without U+2068 and U+2069, which surround every argument."""
    return text.replace("\u2068", "").replace("\u2069", "")


def assert_same_in_the_english_catalogue(*notices: str) -> None:
    """Each notice says in the code what the English catalogue says."""
    for notice in notices:
        assert isinstance(notice, Notice), f"not to be translated: {notice}"
        assert without_marks(ENGLISH.notice(notice)) == notice
