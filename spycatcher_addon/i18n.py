"""Texts for people, from Fluent catalogues: reading catalogues, formatting messages, putting errors into words.

Everything is handed in: the texts of catalogues, the order of languages, the localizer. This module finds no files, detects
no language and keeps nothing for the process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from fluent.runtime import FluentBundle, FluentLocalization
from fluent.runtime.types import fluent_number
from fluent.syntax import FluentParser
from fluent.syntax.ast import Junk, Message, Term

from spycatcher_addon.errors import HarnessError

_PLAIN_MESSAGE = re.compile(
    r"^([a-zA-Z][\w-]*) = (?=[^ \n])(?:[^{}\r\n]|\{ \$[a-zA-Z][\w-]* \})+\n(?=\n*(?:[a-zA-Z#-]|\Z))", re.MULTILINE | re.ASCII
)
"""A message of one line and nothing but text and variables, which is Fluent for certain (Fluent 1.0, syntax of messages)."""
_REFERENCE = re.compile(r"\{\s*-?[a-zA-Z]")
"""A placeable that refers to another message, a term or a function."""


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
    plain: dict[str, str] = {}
    rest = source
    if not _REFERENCE.search(source):  # a message that another refers to must be there when that one is formatted
        for match in _PLAIN_MESSAGE.finditer(source):
            if match[1] in plain:
                raise BrokenCatalogueError(f"catalogue {locale}: {match[1]} stands twice")
            plain[match[1]] = match[0]
        rest = _PLAIN_MESSAGE.sub("", source)
    resource = FluentParser(with_spans=False).parse(rest)
    names: set[tuple[type, str]] = {(Message, name) for name in plain}
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
    bundle = _Catalogue(locale, plain)
    bundle.add_resource(resource)
    return bundle


class _Catalogue(FluentBundle):
    """A bundle that parses plain messages when they are asked for: a command needs few, and parsing all takes as long as its work."""

    def __init__(self, locale: str, plain: dict[str, str]) -> None:
        """Make a bundle.

        Args:
            plain: Message id -> Fluent source of that message.
        """
        super().__init__([locale], use_isolating=True)
        self._plain = plain

    def has_message(self, message_id: str) -> bool:
        return message_id in self._plain or super().has_message(message_id)

    def get_message(self, message_id: str) -> Any:
        source = self._plain.get(message_id)
        if source is not None:
            self.add_resource(FluentParser(with_spans=False).parse(source))
            self._plain.pop(message_id, None)  # only now: log lines are put into words by several threads
        return super().get_message(message_id)


def localize_harness_error(localizer: Localizer, error: HarnessError, on_missing: Callable[[str], None] | None = None) -> str:
    """Put an error into the localizer's language.

    The error's fields are the message's arguments, all as text, so no digits are grouped and nothing in them is taken for
    Fluent syntax. Note that ``HarnessIOError.source``, which may show paths, is part of the localized text.

    Args:
        on_missing: Takes the id of a message that the localizer cannot give.

    Returns:
        The localized text; ``str(error)`` when the localizer lacks the message or the message wants other arguments.
    """
    message_id = getattr(error, "message_id", None)
    if not isinstance(message_id, str):
        return str(error)
    arguments = _arguments_of(error)
    if isinstance(localizer, FluentLocalization):
        # It hides what went wrong inside a message, so its catalogues are asked one by one.
        text = _first_text(_bundles_of(localizer), message_id, arguments)
    else:
        value = localizer.format_value(message_id, dict(arguments))
        text = None if value == message_id else value
    if text is None and on_missing is not None:
        on_missing(message_id)
    return str(error) if text is None else text


def _arguments_of(error: HarnessError) -> dict[str, str]:
    fields = {name: str(value) for name, value in vars(error).items() if not name.startswith("_")}
    # The families themselves have no fields; what they say is their detail.
    return fields or {"detail": str(error)}


def _first_text(bundles: Iterable[FluentBundle], message_id: str, arguments: Mapping[str, str | int]) -> str | None:
    values = {name: fluent_number(value, useGrouping=False) if isinstance(value, int) else value for name, value in arguments.items()}
    for bundle in bundles:
        pattern = bundle.get_message(message_id).value if bundle.has_message(message_id) else None
        if pattern is not None:
            try:
                text, problems = bundle.format_pattern(pattern, values)
            except RecursionError:  # a message that refers to itself
                continue
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
