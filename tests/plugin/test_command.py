"""How the harness is found and started, and what happens where it cannot be."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.plugin.conftest import Project
from tests.support.cli import ROOT

ASKING = """
import pytest
from llm import ask

@pytest.mark.spycatcher
@pytest.mark.parametrize("text", ["a", "b"])
def test_asks(text):
    assert ask(text)[0] == 200
"""

BLOCKER = '''
"""Makes this Python one that has pytest and the plugin, and none of the harness's own dependencies."""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"mitmproxy", "pydantic", "typer", "fluent", "filelock", "brotli", "h11", "cryptography"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
'''


def script(folder: Path, name: str, *lines: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def isolated_tool(folder: Path, name: str = "spycatcher-harness") -> Path:
    """A command that runs the harness in another environment than the tests'; leaves a mark when it runs."""
    mark = folder / f"{name}.ran"
    return script(folder, name, f"touch {mark}", f'PYTHONPATH={ROOT} exec {sys.executable} -m spycatcher_addon "$@"')


@pytest.fixture
def without_dependencies(project: Project) -> Project:
    """A project whose Python lacks everything but pytest and the plugin; recorded already."""
    project.write("test_it.py", ASKING)
    project.run("--spycatcher=once").assert_outcomes(passed=2)
    project.write("site/sitecustomize.py", BLOCKER)
    project.monkeypatch.setenv("PYTHONPATH", f"{project.path / 'site'}:{ROOT}")
    project.monkeypatch.delenv("SPYCATCHER_HARNESS_COMMAND")
    return project


def test_it_works_beside_an_isolated_tool(without_dependencies: Project) -> None:
    folder = without_dependencies.path / "tool"
    isolated_tool(folder)
    without_dependencies.monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    without_dependencies.write(
        "test_imports.py", "import pytest\n\ndef test_really():\n    with pytest.raises(ImportError):\n        import mitmproxy\n"
    )
    without_dependencies.run().assert_outcomes(passed=3)
    assert (folder / "spycatcher-harness.ran").exists()


def test_without_any_command_the_error_says_how_to_get_one(without_dependencies: Project) -> None:
    without_dependencies.monkeypatch.setenv("PATH", "/usr/bin:/bin")
    result = without_dependencies.run()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(
        ["spycatcher: * the command spycatcher-harness is not on PATH, and this Python has no mitmproxy *pipx install*"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_ini_key_then_variable_then_path_then_this_python(project: Project) -> None:
    project.write("test_it.py", ASKING)
    folder = project.path / "tools"
    tools = {name: isolated_tool(folder, name) for name in ("by-ini", "by-variable", "spycatcher-harness")}
    project.write("pytest.ini", f"[pytest]\nspycatcher_command = {tools['by-ini']}\n")
    project.monkeypatch.setenv("SPYCATCHER_HARNESS_COMMAND", str(tools["by-variable"]))
    project.monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def ran() -> list[str]:
        names = sorted(path.stem for path in folder.glob("*.ran"))
        for path in folder.glob("*.ran"):
            path.unlink()
        return names

    project.run("--spycatcher=once").assert_outcomes(passed=2)
    assert ran() == ["by-ini"]
    (project.path / "pytest.ini").unlink()
    project.run().assert_outcomes(passed=2)
    assert ran() == ["by-variable"]
    project.monkeypatch.delenv("SPYCATCHER_HARNESS_COMMAND")
    project.run().assert_outcomes(passed=2)
    assert ran() == ["spycatcher-harness"]
    tools["spycatcher-harness"].unlink()
    project.run().assert_outcomes(passed=2)
    assert ran() == []


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        pytest.param(["echo hello", "exec cat"], "*is not a harness this plugin can talk to; it said: hello", id="another program"),
        pytest.param(["echo 'no such thing' >&2", "exit 3"], "*ended with code 3 when asked to start:", id="a program that fails"),
        pytest.param(['echo \'{"ready": {"protocol": 999, "version": "9.9"}}\'', "exec cat"], "*is of version 9.9*", id="another version"),
    ],
)
def test_a_command_that_is_no_harness(project: Project, lines: list[str], said: str) -> None:
    project.write("test_it.py", ASKING)
    project.monkeypatch.setenv("SPYCATCHER_HARNESS_COMMAND", str(script(project.path / "tools", "wrong", *lines)))
    result = project.run()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_command_that_does_not_exist(project: Project) -> None:
    project.write("test_it.py", ASKING)
    project.monkeypatch.setenv("SPYCATCHER_HARNESS_COMMAND", "/nowhere/spycatcher-harness")
    result = project.run()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*cannot run /nowhere/spycatcher-harness: No such file or directory; check spycatcher_command"])


def test_a_wrong_configuration_file_is_told_once_started(project: Project) -> None:
    project.write("test_it.py", ASKING)
    project.write(".spycatcher_harness.toml", "[cmds.auto]\nmatch_mode = 'keyd'\n")
    project.monkeypatch.setenv("SPYCATCHER_HARNESS_CMDS_AUTO_MATCH_MODE", "keyd")
    result = project.run()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*did not start: invalid configuration: *match_mode*"])


def test_a_harness_that_dies_costs_one_test(project: Project) -> None:
    project.write("test_it.py", ASKING)
    project.run("--spycatcher=once")
    project.write(
        "test_it.py",
        ASKING.replace("def test_asks(text):", "def test_asks(text, spycatcher):")
        + "    if text == 'a':\n        spycatcher._child._process.kill()\n        spycatcher._child._process.wait()\n",
    )
    result = project.run()
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*ended with code -9*"])


def test_an_interrupt_drops_what_was_being_recorded(project: Project) -> None:
    project.write(
        "test_it.py",
        "import os, pytest, signal\nfrom llm import ask\n\n@pytest.mark.spycatcher\ndef test_interrupted(spycatcher):\n"
        "    ask('a')\n    assert os.getpgid(spycatcher._child._process.pid) != os.getpgrp(), 'a terminal would interrupt it too'\n"
        "    signal.raise_signal(signal.SIGINT)\n",
    )
    result = project.run("--spycatcher=once")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["not kept: cassettes/test_it/test_interrupted.json (1 interaction)*", "*KeyboardInterrupt*"])
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert project.tapes() == []


def test_one_process_for_all_tests_and_none_left(project: Project) -> None:
    project.write("test_it.py", ASKING)
    folder = project.path / "tools"
    counting = script(folder, "counting", f"echo x >> {folder}/starts", f'exec {sys.executable} -m spycatcher_addon "$@"')
    project.monkeypatch.setenv("SPYCATCHER_HARNESS_COMMAND", str(counting))
    project.run("--spycatcher=once").assert_outcomes(passed=2)
    assert (folder / "starts").read_text() == "x\n"
