"""The shape of the code, checked by reading it: who may import what, and where tests live.

An AST walk, so that it holds wherever the tests run, whether or not ruff is installed there.
"""

from __future__ import annotations

import ast
import graphlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "spycatcher_addon"
UNIT_TESTS = ROOT / "tests" / "unit"

MODULES = sorted(PurePosixPath(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py"))
ENTRY_POINTS = {PurePosixPath("__init__.py"), PurePosixPath("__main__.py"), PurePosixPath("cassette/__init__.py")}
"""Doors: they lead to other modules, edge/ among them, but hold no decision."""
PURE = [module for module in MODULES if module.parts[0] not in ("edge", "launcher", "pytest_plugin") and module not in ENTRY_POINTS]

FORBIDDEN_IN_PURE = {
    "asyncio",
    "importlib",
    "logging",
    "mitmproxy",
    "multiprocessing",
    "os",
    "pathlib",
    "selectors",
    "shutil",
    "signal",
    "socket",
    "spycatcher_addon.edge",
    "spycatcher_addon.launcher",
    "ssl",
    "subprocess",
    "tempfile",
    "threading",
    "time",
    "typer",
}
FORBIDDEN_CALLS_IN_PURE = {"__import__", "input", "open", "print"}


def parsed(module: PurePosixPath) -> ast.Module:
    return ast.parse((PACKAGE / module).read_text(encoding="utf-8"), str(module))


def dotted(module: PurePosixPath) -> str:
    parts = ["spycatcher_addon", *module.with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(tree: ast.AST) -> Iterator[str]:
    """Every name a module imports, both ``a.b`` and ``a.b.c`` of ``from a.b import c``, however deep it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


@pytest.mark.parametrize("module", PURE, ids=str)
def test_pure_modules_do_not_touch_the_world(module: PurePosixPath) -> None:
    tree = parsed(module)
    names = {name for name in imported_names(tree) for banned in FORBIDDEN_IN_PURE if is_within(name, banned)}
    calls = {
        f"{node.func.id}()"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS_IN_PURE
    }
    assert names | calls == set(), f"{module} is pure: move what needs {sorted(names | calls)} to edge/ and pass the value in"


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_imports_are_absolute_and_click_is_typers_own(module: PurePosixPath) -> None:
    tree = parsed(module)
    assert not any(isinstance(node, ast.ImportFrom) and node.level > 0 for node in ast.walk(tree)), "relative import"
    assert not any(is_within(name, "click") for name in imported_names(tree)), "typer brings its own click"


def imported_modules(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """The package's own modules that a module imports; ``from a.b import c`` means ``a.b.c`` where that is a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from names & known
            if names - known:
                yield node.module


def test_modules_import_each_other_in_one_direction() -> None:
    known = {dotted(module) for module in MODULES}
    graph = {dotted(module): set(imported_modules(parsed(module), known)) for module in MODULES}
    # These two packages re-export lazily; what imports one means a module inside it.
    doors = {"spycatcher_addon", "spycatcher_addon.cassette"}
    graph = {module: imports - doors for module, imports in graph.items() if module not in doors}
    try:
        list(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        pytest.fail(f"modules import each other in a circle: {' -> '.join(error.args[1])}")


def unit_test_of(module: PurePosixPath) -> PurePosixPath:
    """Where the unit tests of a module live, relative to ``tests/unit``; a package's own code is tested as a module of its name."""
    as_file = module.parent.with_suffix(".py") if module.name == "__init__.py" else module
    return as_file.parent / f"test_{as_file.name}"


def has_code(module: PurePosixPath) -> bool:
    """Whether a module defines any function; one that only declares values and types has nothing to test."""
    return any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) for node in ast.walk(parsed(module)))


@pytest.mark.parametrize("module", [module for module in MODULES if module not in ENTRY_POINTS and has_code(module)], ids=str)
def test_every_module_has_a_unit_test_file(module: PurePosixPath) -> None:
    assert (UNIT_TESTS / unit_test_of(module)).is_file(), f"tests/unit/{unit_test_of(module)} is missing"


def test_every_unit_test_file_mirrors_a_module() -> None:
    mirrored = {UNIT_TESTS / unit_test_of(module) for module in MODULES if module not in ENTRY_POINTS}
    strays = [str(path.relative_to(ROOT)) for path in sorted(UNIT_TESTS.rglob("test_*.py")) if path not in mirrored]
    assert strays == [], "no module of that name in the package"


def test_importing_the_package_does_not_load_mitmproxy() -> None:
    code = "import sys, spycatcher_addon; print(sorted(name for name in ('mitmproxy', 'typer', 'asyncio') if name in sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_tests_do_not_sleep_long() -> None:
    """Waiting is for events; a fixed sleep is slow on a fast machine and too short on a slow one."""
    long_sleeps = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == "sleep" and isinstance(node.args[0].value, (int, float)) and node.args[0].value > 0.05:
                long_sleeps.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert long_sleeps == []
