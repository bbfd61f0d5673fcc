"""Where the command begins: what has to be arranged before the rest is loaded, which takes some tenths of a second."""

from __future__ import annotations

import gc
import os
import signal


def main() -> int:
    """Run ``spycatcher-harness`` with the arguments of the process; returns its exit code."""
    # Python's own answer to Ctrl-C while modules load would be a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Loading makes much and throws nothing away: looking for garbage meanwhile would be a tenth of `--help`. Commands that
    # live longer switch it on again.
    gc.disable()
    # Pydantic would search every installed package for plugins, which the settings do not use.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from spycatcher_addon.edge.cli import main as run

    return run()
