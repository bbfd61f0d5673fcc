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
    from spycatcher_addon.edge.server import RunningHarness, start_harness

__all__ = [
    "CanonicalError",
    "CassetteNotFoundError",
    "HarnessConfig",
    "HarnessError",
    "HarnessIOError",
    "IncompleteEventError",
    "InvalidCassetteError",
    "InvalidConfigError",
    "InvalidPointerPathError",
    "InvalidUtf8Error",
    "ModeNotYetImplementedError",
    "RequestMismatchError",
    "RunningHarness",
    "StreamParseError",
    "UnsupportedCassetteFormatVersionError",
    "UpstreamRequestFailedError",
    "__version__",
    "start_harness",
]

_LOADED_ON_USE = {
    "HarnessConfig": "spycatcher_addon.config",
    "RunningHarness": "spycatcher_addon.edge.server",
    "start_harness": "spycatcher_addon.edge.server",
}


def __getattr__(name: str) -> object:
    module = _LOADED_ON_USE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
