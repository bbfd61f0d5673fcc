"""A start without the parts of mitmproxy that a replay or a recording never uses.

``mitmproxy.addons`` imports all of its thirty-five modules as soon as one of them is wanted: a web page, a filter language, a
directory client and more, which is a third of the start. While :func:`only_wanted_addons` lasts, an empty package stands in its
place, so each module is loaded for itself; afterwards the name is free again, and whoever imports the package gets all of it.

For the command's own process, before any thread is there; a library does not do this to its host.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

_PACKAGE = "mitmproxy.addons"


@contextmanager
def only_wanted_addons() -> Iterator[None]:
    """Let imports of single modules of ``mitmproxy.addons`` load nothing but these."""
    if _PACKAGE in sys.modules:
        yield
        return
    spec = find_spec(_PACKAGE)
    stand_in = ModuleType(_PACKAGE)
    stand_in.__path__ = list(spec.submodule_search_locations or ()) if spec is not None else []
    sys.modules[_PACKAGE] = stand_in
    try:
        yield
    finally:
        del sys.modules[_PACKAGE]
        mitmproxy = sys.modules.get("mitmproxy")
        if getattr(mitmproxy, "addons", None) is stand_in:
            del mitmproxy.addons  # type: ignore[union-attr]
