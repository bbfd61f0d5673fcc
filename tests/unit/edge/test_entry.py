"""The command's first moments."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.support.cli import ROOT


@pytest.mark.parametrize("delay_s", [0.0, 0.01, 0.02, 0.03, 0.04])
def test_an_interrupt_while_loading_shows_no_traceback(delay_s: float) -> None:
    # A stand-in for the slow part: the process says when it begins to load, so that the signal comes in the middle of it.
    code = (
        "import sys, builtins\n"
        "from spycatcher_addon.edge import entry\n"
        "load = builtins.__import__\n"
        "def slow(name, *rest):\n"
        "    if name == 'spycatcher_addon.edge.cli':\n"
        "        print('loading', flush=True)\n"
        "    return load(name, *rest)\n"
        "builtins.__import__ = slow\n"
        "sys.argv = ['spycatcher-harness', 'config']\n"
        "sys.exit(entry.main())\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"loading\n"
    time.sleep(delay_s)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert b"Traceback" not in errors
    assert process.returncode in (-signal.SIGINT, 0, 130)
