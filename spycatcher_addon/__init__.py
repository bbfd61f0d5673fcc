"""Record conversations with LLM APIs to cassettes and replay them offline.

The names below are loaded when they are first used: importing the package alone loads neither mitmproxy nor pydantic.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spycatcher_addon.errors import (
    CanonicalError,
    CassetteNotFoundError,
    HarnessError,
    HarnessIOError,
    IncompleteEventError,
    InvalidCassetteError,
    InvalidConfigError,
    InvalidPointerPathError,
    InvalidUtf8Error,
    ModeNotYetImplementedError,
    RequestMismatchError,
    StreamParseError,
    UnsupportedCassetteFormatVersionError,
    UpstreamRequestFailedError,
)
from spycatcher_addon.version import VERSION as __version__

if TYPE_CHECKING:
    from spycatcher_addon.config import HarnessConfig
    from spycatcher_addon.edge.catalogues import HarnessLocalizations
    from spycatcher_addon.edge.localizing import localize_harness_error
    from spycatcher_addon.edge.server import RunningHarness, start_harness
    from spycatcher_addon.edge.sync_harness import SyncHarness, start_harness_sync

__all__ = [
    "CanonicalError",
    "CassetteNotFoundError",
    "HarnessConfig",
    "HarnessError",
    "HarnessIOError",
    "HarnessLocalizations",
    "IncompleteEventError",
    "InvalidCassetteError",
    "InvalidConfigError",
    "InvalidPointerPathError",
    "InvalidUtf8Error",
    "ModeNotYetImplementedError",
    "RequestMismatchError",
    "RunningHarness",
    "StreamParseError",
    "SyncHarness",
    "UnsupportedCassetteFormatVersionError",
    "UpstreamRequestFailedError",
    "__version__",
    "localize_harness_error",
    "start_harness",
    "start_harness_sync",
]

_LOADED_ON_USE = {
    "HarnessConfig": "spycatcher_addon.config",
    "HarnessLocalizations": "spycatcher_addon.edge.catalogues",
    "RunningHarness": "spycatcher_addon.edge.server",
    "SyncHarness": "spycatcher_addon.edge.sync_harness",
    "localize_harness_error": "spycatcher_addon.edge.localizing",
    "start_harness": "spycatcher_addon.edge.server",
    "start_harness_sync": "spycatcher_addon.edge.sync_harness",
}


def __getattr__(name: str) -> object:
    module = _LOADED_ON_USE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
