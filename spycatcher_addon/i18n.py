"""Texts for people, from Fluent catalogues: reading catalogues, formatting messages, putting errors into words.

Everything is handed in: the texts of catalogues, the order of languages, the localizer. This module finds no files, detects
no language and keeps nothing for the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from fluent.runtime import FluentBundle, FluentLocalization
from fluent.runtime.types import fluent_number
from fluent.syntax import FluentParser
from fluent.syntax.ast import Junk, Message, Term

from spycatcher_addon.errors import HarnessError


class Localizer(Protocol):
    """What looks texts up: :class:`fluent.runtime.FluentLocalization`, :class:`CatalogueChain`, or one of your own."""

    def format_value(self, msg_id: str, args: dict[str, Any] | None = None) -> str:
        """The text of a message; the message's id when there is none."""


class BrokenCatalogueError(Exception):
    """A catalogue is not whole; the text says which one and where."""


class CatalogueChain:
    """Catalogues in the order they are asked; the first that can format a message does."""

    def __init__(self, bundles: Iterable[FluentBundle]) -> None:
        self._bundles = tuple(bundles)

    def find(self, message_id: str, arguments: Mapping[str, str | int]) -> str | None:
        """The formatted message, or ``None`` when no catalogue has it or every one needs an argument that is missing."""
        return _first_text(self._bundles, message_id, arguments)

    def format_value(self, msg_id: str, args: dict[str, Any] | None = None) -> str:
        """The same as a :class:`Localizer`: a message that cannot be formatted is its own id."""
        return self.find(msg_id, args or {}) or msg_id


def parse_catalogue(locale: str, source: str) -> FluentBundle:
    """Read a Fluent catalogue; its placeables will be wrapped in the isolation marks U+2068 and U+2069.

    Args:
        locale: Chooses the plural rules. Must be one that the locale data has.

    Raises:
        BrokenCatalogueError: Something in it is not Fluent, a message stands twice, or there is none.
    """
    resource = FluentParser(with_spans=False).parse(source)
    names: set[tuple[type, str]] = set()
    for entry in resource.body:
        if isinstance(entry, Junk):
            line = source.count("\n", 0, source.find((entry.content or "").split("\n")[0])) + 1
            raise BrokenCatalogueError(f"catalogue {locale}, line {line}: not Fluent syntax")
        if isinstance(entry, Message | Term):
            name = (type(entry), entry.id.name)
            if name in names:
                raise BrokenCatalogueError(f"catalogue {locale}: {entry.id.name} stands twice")
            names.add(name)
    if not names:
        raise BrokenCatalogueError(f"catalogue {locale}: there are no messages in it")
    bundle = FluentBundle([locale], use_isolating=True)
    bundle.add_resource(resource)
    return bundle


def localize_harness_error(localizer: Localizer, error: HarnessError) -> str:
    """Put an error into the localizer's language.

    The error's fields are the message's arguments, all as text, so no digits are grouped and nothing in them is taken for
    Fluent syntax. Note that ``HarnessIOError.source``, which may show paths, is part of the localized text.

    Returns:
        The localized text; ``str(error)`` when the localizer lacks the message or the message wants other arguments.
    """
    message_id = getattr(error, "message_id", None)
    if not isinstance(message_id, str):
        return str(error)
    arguments = _arguments_of(error)
    if isinstance(localizer, FluentLocalization):
        # It hides what went wrong inside a message, so its catalogues are asked one by one.
        return _first_text(_bundles_of(localizer), message_id, arguments) or str(error)
    text = localizer.format_value(message_id, dict(arguments))
    return str(error) if text == message_id else text


def _arguments_of(error: HarnessError) -> dict[str, str]:
    fields = {name: str(value) for name, value in vars(error).items() if not name.startswith("_")}
    # The families themselves have no fields; what they say is their detail.
    return fields or {"detail": str(error)}


def _first_text(bundles: Iterable[FluentBundle], message_id: str, arguments: Mapping[str, str | int]) -> str | None:
    values = {name: fluent_number(value, useGrouping=False) if isinstance(value, int) else value for name, value in arguments.items()}
    for bundle in bundles:
        pattern = bundle.get_message(message_id).value if bundle.has_message(message_id) else None
        if pattern is not None:
            text, problems = bundle.format_pattern(pattern, values)
            if not problems:
                return str(text)
    return None


def _bundles_of(localization: FluentLocalization) -> Iterator[FluentBundle]:
    for index, locale in enumerate(localization.locales):
        for resources in localization.resource_loader.resources(locale, localization.resource_ids):
            bundle = localization.bundle_class(
                localization.locales[index:], functions=localization.functions, use_isolating=localization.use_isolating
            )
            for resource in resources:
                bundle.add_resource(resource)
            yield bundle
