"""Which language the command line speaks: by environment while it parses, by configuration afterwards.

Help, version and parse errors are needed before any configuration is read, so they follow two variables of their own.
Catalogues are loaded when the first text is asked for: reading them takes as long as the rest of a small command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.languages import language_problem

if TYPE_CHECKING:
    from spycatcher_addon.config import LocalizationConfig

LOCALE_VARIABLES = ("SPYCATCHER_HARNESS_LOCALE", "SPYCATCHER_HARNESS_FALLBACK_LOCALE")
DISABLE_VARIABLE = "SPYCATCHER_HARNESS_DISABLE_LOCALIZATION"
_TRUTHY = frozenset({"1", "true", "yes", "on"})


class LocalizationError(Exception):
    """The catalogues cannot be used; the text says why."""


class EarlyLanguage:
    """What help, version and parse errors are written with."""

    def __init__(self, environ: Mapping[str, str], warn: Callable[[str], None]) -> None:
        """Choose the language; the first variable with a well-formed identifier decides.

        Args:
            warn: Takes each warning: for a variable that is passed over, and for catalogues that cannot be used.
        """
        self._warn = warn
        self._is_disabled = environ.get(DISABLE_VARIABLE, "").strip().lower() in _TRUTHY
        self._wanted = [] if self._is_disabled else self._first_well_formed(environ)

    def _first_well_formed(self, environ: Mapping[str, str]) -> list[str]:
        for variable in LOCALE_VARIABLES:
            value = environ.get(variable)
            if value is None:
                continue
            problem = language_problem(value)
            if problem is None:
                return [value]
            self._warn(f"{variable} = {value!r} is not a language identifier such as en-US ({problem}); it is ignored")
        return []

    @cached_property
    def texts(self) -> Texts | None:
        """``None``: typer's own English output has to do, without catalogues."""
        if self._is_disabled:
            return None
        try:
            return _load(self._wanted)
        except LocalizationError as error:
            self._warn(f"help and parse errors are not localized: {error}")
            return None


def configured_texts(localization: LocalizationConfig) -> Texts:
    """The texts for everything after the configuration is known.

    Raises:
        LocalizationError: A catalogue that is needed is missing or not whole.
    """
    locale = localization.locale
    return _load([*([] if locale is None else [locale]), localization.fallback_locale])


def _load(wanted: Sequence[str]) -> Texts:
    from spycatcher_addon.edge.catalogues import load_catalogues
    from spycatcher_addon.i18n import BrokenCatalogueError

    try:
        return Texts(load_catalogues(wanted))
    except BrokenCatalogueError as error:
        raise LocalizationError(str(error)) from error
