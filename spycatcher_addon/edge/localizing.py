"""Errors in a person's language, for whoever uses the package: what the localizer lacks is logged."""

from __future__ import annotations

import logging

from spycatcher_addon import i18n
from spycatcher_addon.errors import HarnessError

logger = logging.getLogger("spycatcher_addon")


def localize_harness_error(localizer: i18n.Localizer, error: HarnessError) -> str:
    """Put an error into the localizer's language; the id of a message that it cannot give is logged at debug level.

    Returns:
        As :func:`spycatcher_addon.i18n.localize_harness_error`: the localized text, or ``str(error)``.
    """
    return i18n.localize_harness_error(localizer, error, log_missing)


def log_missing(message_id: str) -> None:
    """Log that no catalogue can give a message."""
    logger.debug("no catalogue has a usable text for %s", message_id)
