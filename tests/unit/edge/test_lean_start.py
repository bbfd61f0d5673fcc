"""Importing single add-ons of mitmproxy, in processes of their own: what is loaded stays loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.cli import ROOT

LEAN = "from spycatcher_addon.edge.lean_start import only_wanted_addons\nimport sys\n"


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", LEAN + code], cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("module", ["spycatcher_addon.edge.server", "spycatcher_addon.edge.tape_server"])
def test_a_server_loads_no_more_add_ons_than_it_uses(module: str) -> None:
    code = (
        f"with only_wanted_addons():\n    import {module}\n"
        "print(sorted(name for name in sys.modules if name.startswith('mitmproxy.addons.')))"
    )
    loaded = run(code)
    assert "proxyserver" in loaded
    assert not [name for name in ("onboarding", "blocklist", "proxyauth", "maplocal") if name in loaded]
    assert run(code.replace("mitmproxy.addons.'", "flask'")).strip() == "[]"


def test_afterwards_the_package_is_whole_for_whoever_wants_it() -> None:
    code = (
        "with only_wanted_addons():\n    import spycatcher_addon.edge.embedding as embedding\n"
        "from mitmproxy import addons\nimport mitmproxy\n"
        "print(len(addons.default_addons()) > 30, addons.proxyserver.Proxyserver is embedding.Proxyserver, mitmproxy.addons is addons)"
    )
    assert run(code).split() == ["True", "True", "True"]


def test_where_the_package_is_loaded_already_nothing_changes() -> None:
    code = (
        "from mitmproxy import addons\nwith only_wanted_addons():\n    import mitmproxy.addons.view\n"
        "print(sys.modules['mitmproxy.addons'] is addons)"
    )
    assert run(code).strip() == "True"


def test_an_import_that_fails_leaves_no_stand_in() -> None:
    code = (
        "try:\n    with only_wanted_addons():\n        import mitmproxy.addons.nonsense\n"
        "except ImportError:\n    print('mitmproxy.addons' in sys.modules)"
    )
    assert run(code).strip() == "False"
