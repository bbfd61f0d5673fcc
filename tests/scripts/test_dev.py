"""The set-up scripts: they run on old Pythons, find a working new one by running it, and say what to do when there is none."""

from __future__ import annotations

import ast
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import dev

ROOT = Path(__file__).resolve().parent.parent.parent


def write_fake_python(path: Path, version: str | None, lacks: str = "") -> Path:
    """A command that answers the probe like that Python, or fails like a pyenv shim when ``version`` is ``None``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    answer = "exit 127" if version is None else f"echo '{version}|{path}|{lacks}'"
    path.write_text(f"#!/bin/sh\n{answer}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any Python: an empty ``PATH`` folder and an empty pyenv root."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.delenv("PYTHON", raising=False)
    return tmp_path


def test_runs_on_python_3_8() -> None:
    ast.parse((ROOT / "scripts" / "dev.py").read_text(encoding="utf-8"), feature_version=(3, 8))


def test_no_python_tells_what_was_tried(machine: Path) -> None:
    write_fake_python(machine / "bin" / "python3", "3.11.7")
    write_fake_python(machine / "bin" / "python3.12", None)
    found, tried = dev.find_python()
    assert found is None
    assert "python3 (is 3.11.7)" in tried and "python3.12 (does not run)" in tried


def test_shims_that_fail_are_passed_over(machine: Path) -> None:
    write_fake_python(machine / "bin" / "python3.14", None)
    write_fake_python(machine / "bin" / "python3.13", "3.13.2")
    found, _ = dev.find_python()
    assert found is not None and found.version == (3, 13, 2)


def test_pyenv_versions_are_sorted_as_numbers(machine: Path) -> None:
    for version in ("3.9.18", "3.12.9", "3.12.10", "3.11.7"):
        write_fake_python(machine / "pyenv" / "versions" / version / "bin" / "python", version)
    found, _ = dev.find_python()
    assert found is not None and found.version == (3, 12, 10)


def test_python_of_the_environment_comes_first(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_fake_python(machine / "bin" / "python3.13", "3.13.2")
    monkeypatch.setenv("PYTHON", str(write_fake_python(machine / "opt" / "mine", "3.12.1")))
    found, _ = dev.find_python()
    assert found is not None and found.version == (3, 12, 1)


def test_python_that_cannot_make_environments_is_passed_over(machine: Path) -> None:
    write_fake_python(machine / "bin" / "python3.13", "3.13.2", lacks="ensurepip")
    write_fake_python(machine / "bin" / "python3.12", "3.12.1")
    found, tried = dev.find_python()
    assert found is not None and found.version == (3, 12, 1)
    assert "python3.13 (is 3.13.2 but lacks ensurepip)" in tried


@pytest.mark.parametrize("script", ["demo", "test", "bench", "dev"])
def test_wrappers_pass_over_a_python_that_fails(machine: Path, script: str) -> None:
    """The first working Python runs dev.py, from any folder, whatever the first name on PATH does."""
    write_fake_python(machine / "bin" / "python3", None)
    working = machine / "bin" / "python"
    working.write_text(f'#!/bin/sh\ncase "$1" in -c) exit 0;; esac\necho "$@" >"{machine}/called"\n')
    working.chmod(0o755)
    environment = {"PATH": f"{machine / 'bin'}:/usr/bin:/bin", "HOME": str(machine)}
    ran = subprocess.run(["/bin/sh", str(ROOT / "scripts" / script), "one", "two words"], cwd=machine, env=environment, timeout=60)
    assert ran.returncode == 0
    chore = "" if script == "dev" else f"{script} "
    assert (machine / "called").read_text() == f"{ROOT}/scripts/dev.py {chore}one two words\n"


def test_wrapper_without_any_python_says_what_to_do(tmp_path: Path) -> None:
    """A copy with no Python in reach: plain words, exit code 1."""
    script = (ROOT / "scripts" / "dev").read_text(encoding="utf-8").replace("/usr/bin/python3", "/nonexistent/python3")
    (tmp_path / "dev").write_text(script)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "dirname").symlink_to("/usr/bin/dirname")
    environment = {"PATH": str(tools), "HOME": str(tmp_path)}
    ran = subprocess.run(["/bin/sh", str(tmp_path / "dev"), "test"], env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1
    assert "Install Python 3.12" in ran.stderr and ran.stdout == ""


def test_unfit_python_is_never_given_to_children(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("PYTHONHOME", "/elsewhere")
    assert not {"PYTHONPATH", "PYTHONHOME"} & set(dev.clean_environment())


def test_the_running_python_passes_its_own_probe() -> None:
    found = dev.probe(sys.executable)
    assert found is not None and found.is_usable and os.path.samefile(found.path, sys.executable)
