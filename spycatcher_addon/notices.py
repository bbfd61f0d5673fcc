"""Notices: sentences about what happened at the start, in English, which also know how to be said in other languages."""

from __future__ import annotations

from collections.abc import Mapping


class Notice(str):
    """An English sentence; as text it is used like any other, and the command line looks its translation up."""

    message_id: str
    """Fluent id of the same sentence in the catalogues."""
    arguments: Mapping[str, str | int]

    def __new__(cls, message_id: str, english: str, **arguments: str | int) -> Notice:
        """Make a notice.

        Args:
            english: The whole sentence, with the arguments in place.
            arguments: What the translations put in place; a number chooses between singular and plural.
        """
        notice = super().__new__(cls, english)
        notice.message_id = message_id
        notice.arguments = arguments
        return notice
