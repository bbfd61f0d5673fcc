"""The Fluent catalogues the package brings: where they are, and which of them serve a wanted language."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path

from fluent.runtime import FluentResource
from fluent.runtime.fallback import AbstractResourceLoader
from fluent.syntax.ast import Resource

from spycatcher_addon.i18n import BrokenCatalogueError, CatalogueChain, parse_catalogue
from spycatcher_addon.languages import select_languages

CATALOGUE_FILE = "spycatcher-harness.ftl"
SOURCE_LOCALE = "en-US"
"""The complete catalogue that all others are translated from; the last resort of every chain."""
LOCALES = (SOURCE_LOCALE, "en-GB", "de-DE", "fr-FR", "es-ES", "ja-JP")

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "_i18n", _PACKAGE.parent / "i18n")
"""In an installed package, and in a checkout."""


class HarnessLocalizations(AbstractResourceLoader):
    """The package's catalogues as a resource loader for :class:`fluent.runtime.FluentLocalization`.

    An application that has its own localization adds this loader to it, or builds one from it alone::

        FluentLocalization(["de-DE", "en-US"], [CATALOGUE_FILE], HarnessLocalizations(), use_isolating=True)
    """

    def resources(self, locale: str, resource_ids: list[str]) -> Generator[list[Resource], None, None]:
        """The parsed catalogue of a locale; nothing for a locale or resource that is not ours."""
        if locale in LOCALES and CATALOGUE_FILE in resource_ids:
            yield [FluentResource(read_catalogue(locale))]


def read_catalogue(locale: str) -> str:
    """The text of one of :data:`LOCALES`.

    Raises:
        BrokenCatalogueError: It is missing or cannot be read.
    """
    place = next((place for place in _PLACES if place.is_dir()), _PLACES[0])
    path = place / locale / CATALOGUE_FILE
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BrokenCatalogueError(f"cannot read catalogue {locale} ({path}): {reason}; install the package again") from error


def load_catalogues(wanted: Sequence[str]) -> CatalogueChain:
    """The catalogues for language identifiers in order of preference, English at the end.

    Raises:
        BrokenCatalogueError: One that is needed is missing or not whole.
    """
    chosen = select_languages([*wanted, SOURCE_LOCALE], LOCALES)
    return CatalogueChain([parse_catalogue(locale, read_catalogue(locale)) for locale in chosen])
