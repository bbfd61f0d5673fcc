"""The texts of the command line: messages of the catalogues with their arguments, or an exception when one is not to be had.

What a program reads, and what a person copies, is never one of these texts: every argument is wrapped in isolation marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spycatcher_addon.errors import HarnessError
from spycatcher_addon.notices import Notice

if TYPE_CHECKING:
    from spycatcher_addon.i18n import CatalogueChain

_ISOLATION_MARKS = str.maketrans("", "", "\u2068\u2069")


def without_marks(text: str) -> str:
    """A text without the isolation marks around its arguments: for logs, which people search and copy from."""
    return text.translate(_ISOLATION_MARKS)


class MissingTextError(Exception):
    """No catalogue can format a message."""


class Texts:
    """Messages in one language, with its fallbacks."""

    def __init__(self, catalogues: CatalogueChain) -> None:
        self._catalogues = catalogues

    def __call__(self, message_id: str, **arguments: str | int) -> str:
        """The text of a message; a number as argument chooses between singular and plural.

        Raises:
            MissingTextError: There is no such message, or it needs an argument that is not given.
        """
        text = self._catalogues.find(message_id, arguments)
        if text is None:
            raise MissingTextError(f"no catalogue has a usable text for {message_id}; install the package again")
        return text

    def notice(self, notice: str) -> str:
        """The text of a notice; one that has no translation stays as it is."""
        if not isinstance(notice, Notice):
            return notice
        found = self._catalogues.find(notice.message_id, notice.arguments)
        if found is None:
            from spycatcher_addon.edge.localizing import log_missing

            log_missing(notice.message_id)
        return str(notice) if found is None else found

    def error(self, error: HarnessError) -> str:
        """The text of an error."""
        # Loaded already by whoever made the catalogues; commands that print no texts never load it.
        from spycatcher_addon.edge.localizing import localize_harness_error

        return localize_harness_error(self._catalogues, error)
