"""The plugin costs nothing and brings nothing along until a test uses it; what it does is tested in tests/plugin."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.support.cli import ROOT

PLUGIN = ROOT / "spycatcher_addon" / "pytest_plugin"
PURE_STANDARD_LIBRARY = (
    "spycatcher_addon.pytest_plugin",
    "spycatcher_addon.tape_address",
    "spycatcher_addon.errors",
    "spycatcher_addon.version",
)


@pytest.mark.parametrize("name", sorted(path.name for path in PLUGIN.glob("*.py")))
def test_it_needs_the_standard_library_and_pytest_only(name: str) -> None:
    imported = []
    for node in ast.walk(ast.parse((PLUGIN / name).read_text(encoding="utf-8"))):
        imported += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    foreign = [
        module
        for module in imported
        if module.partition(".")[0] not in {*sys.stdlib_module_names, "pytest"} and not module.startswith(PURE_STANDARD_LIBRARY)
    ]
    assert foreign == []


def test_a_run_that_does_not_use_it_loads_nothing_of_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("empty")
    (folder / "conftest.py").write_text(
        "import sys\n\ndef pytest_unconfigure():\n"
        "    print('loaded:', sorted(name for name in sys.modules if name.startswith('spycatcher_addon.')))\n"
    )
    (folder / "test_it.py").write_text("def test_nothing():\n    pass\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "spycatcher_addon.pytest_plugin", str(folder)],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = (line for line in ran.stdout.splitlines() if line.startswith("loaded:"))
    assert line == "loaded: ['spycatcher_addon.errors', 'spycatcher_addon.pytest_plugin', 'spycatcher_addon.version']"
    assert "spycatcher" not in ran.stdout.replace(line, "")
