"""Prepares ``.venv`` and runs the project's chores in it: ``dev.py setup | demo | test | check | docs | build | bench | ci``.

Standard library only, any Python >= 3.8: this file runs before there is an environment. It looks for a Python the
project itself can use (>= 3.12) by *running* candidates, because an installed name, such as a pyenv shim, may not work.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "spycatcher-setup-stamp"
MINIMUM = (3, 12)

PROBE = """
import sys, sysconfig
try:
    import ensurepip, venv
    lacks = ""
except ImportError as error:
    lacks = error.name or "venv"
if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
    lacks = "the ordinary CPython build"
print("%d.%d.%d|%s|%s" % (sys.version_info[:3] + (sys.executable, lacks)))
"""

NO_PYTHON = """
No Python >= 3.12 that works was found. Tried: {tried}.
What to do, any one of these, then run this again:
  - install Python 3.12 or newer: https://www.python.org/downloads/, or your system's packages (python3.12 python3.12-venv);
  - pyenv install 3.13;
  - install uv (https://docs.astral.sh/uv/); it fetches a Python by itself;
  - say where it is: PYTHON=/path/to/python3.12 scripts/test
"""


class Interpreter(NamedTuple):
    """A Python that was run and answered."""

    path: str
    version: tuple[int, ...]
    lacks: str
    """What it would need to make a virtual environment; empty when nothing is missing."""

    @property
    def is_usable(self) -> bool:
        return self.version >= MINIMUM and not self.lacks

    @property
    def version_text(self) -> str:
        return ".".join(str(part) for part in self.version)


def say(text: str) -> None:
    print(f"[dev] {text}", flush=True)


def fail(text: str) -> NoReturn:
    print(text.strip("\n"), file=sys.stderr, flush=True)
    raise SystemExit(1)


# --- finding a Python -----------------------------------------------------------------------------------------------


def probe(command: str) -> Interpreter | None:
    """Run a candidate and see what it is; ``None`` when it does not run."""
    try:
        ran = subprocess.run(
            [command, "-c", PROBE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=30,
            text=True,
            env=clean_environment(),
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    parts = ran.stdout.strip().split("|")
    if ran.returncode != 0 or len(parts) != 3:
        return None
    return Interpreter(parts[1] or command, tuple(int(part) for part in parts[0].split(".")), parts[2])


def candidates() -> Iterator[str]:
    """Commands that may be a Python we can use, best first."""
    if os.environ.get("PYTHON"):
        yield os.environ["PYTHON"]
    yield from ("python3.14", "python3.13", "python3.12", "python3", "python")
    versions = Path(os.environ.get("PYENV_ROOT") or Path(os.path.expanduser("~")) / ".pyenv") / "versions"
    numbered: list[tuple[tuple[int, ...], Path]] = []
    for folder in versions.glob("*"):
        if re.fullmatch(r"\d+\.\d+\.\d+", folder.name):
            numbered.append((tuple(int(part) for part in folder.name.split(".")), folder))
    for _, folder in sorted(numbered, reverse=True):
        yield str(folder / "bin" / "python")


def find_python() -> tuple[Interpreter | None, list[str]]:
    """The first usable Python, and in words what was tried before it."""
    tried: list[str] = []
    for command in candidates():
        found = probe(command)
        if found is None:
            tried.append(f"{command} (does not run)")
        elif found.is_usable:
            return found, tried
        elif found.version < MINIMUM:
            tried.append(f"{command} (is {found.version_text})")
        else:
            tried.append(f"{command} (is {found.version_text} but lacks {found.lacks})")
    return None, tried


# --- the environment ------------------------------------------------------------------------------------------------


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def clean_environment() -> dict[str, str]:
    """Our environment without what would make a child Python load another one's modules or install elsewhere."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__")}
    environment.update(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_USER="0")
    return environment


def wanted_stamp(version_text: str) -> str:
    """What ``.venv`` must have been made from; another text means it has to be brought up to date."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "spycatcher_addon/version.py"):
        digest.update((ROOT / name).read_bytes())
    return f"{version_text} {digest.hexdigest()} {VENV}\n"


def is_up_to_date(inside: Interpreter) -> bool:
    try:
        stamp = STAMP.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return stamp == wanted_stamp(inside.version_text) and runs_in_venv("import spycatcher_addon, mitmproxy, pytest")


def runs_in_venv(code: str) -> bool:
    ran = subprocess.run(
        [str(venv_python()), "-c", code],
        cwd=tempfile.gettempdir(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=clean_environment(),
    )
    return ran.returncode == 0


def setup() -> None:
    """Make ``.venv`` usable, doing as little as that takes."""
    inside = probe(str(venv_python())) if VENV.exists() else None
    asked = probe(os.environ["PYTHON"]) if os.environ.get("PYTHON") else None
    other_version_asked = asked is not None and asked.is_usable and inside is not None and asked.version != inside.version
    if inside is not None and inside.is_usable and not other_version_asked:
        if is_up_to_date(inside):
            say(f"using .venv (Python {inside.version_text})")
            return
        say(f"bringing .venv (Python {inside.version_text}) up to date")
    else:
        if VENV.exists():
            say("making .venv anew: " + ("another Python was asked for" if other_version_asked else "the one there does not work"))
            shutil.rmtree(VENV)
        make_venv()
    install()


def make_venv() -> None:
    chosen, tried = find_python()
    if os.environ.get("PYTHON") and tried:
        say(f"PYTHON is set but cannot be used: {tried[0]}")
    if chosen is not None:
        say(f"using Python {chosen.version_text} ({chosen.path}) for .venv")
        made = subprocess.call([chosen.path, "-m", "venv", str(VENV)], env=clean_environment())
    elif shutil.which("uv"):
        say("no Python >= 3.12 found here; letting uv make .venv with one")
        made = subprocess.call(["uv", "venv", "--quiet", "--seed", "--python", "3.12", str(VENV)], env=clean_environment())
    else:
        fail(NO_PYTHON.format(tried=", ".join(tried)))
    if made != 0:
        fail(f"Making {VENV} failed; the lines above say why. Remove the folder and try again.")


def install() -> None:
    """Install the project and what its tests need, and note it in the stamp."""
    if STAMP.exists():
        STAMP.unlink()
    say("installing spycatcher-harness and its development tools into .venv (a minute or two the first time)")
    command = [str(venv_python()), "-m", "pip", "install", "-qq", "--editable", ".[dev]"]
    if subprocess.call(command, cwd=str(ROOT), env=clean_environment()) != 0:
        fail("Installing failed; the lines above are pip's. It needs the package index: check network and proxy, then try again.")
    inside = probe(str(venv_python()))
    if inside is None:
        fail(f"{venv_python()} does not run after installing; remove {VENV} and try again.")
    STAMP.write_text(wanted_stamp(inside.version_text), encoding="utf-8")


# --- chores ---------------------------------------------------------------------------------------------------------


def run_python(arguments: list[str]) -> int:
    """Run the environment's Python in the project folder; returns its exit code."""
    return subprocess.call([str(venv_python()), *arguments], cwd=str(ROOT), env=clean_environment())


def run_tests(arguments: list[str]) -> int:
    return run_python(["-m", "pytest", "-n", "auto", *arguments])


def run_demo(arguments: list[str]) -> int:
    return run_python(["scripts/demo.py", *arguments])


def run_checks(arguments: list[str]) -> int:
    """Lint and types; both run even if the first fails."""
    codes = []
    for command in (["ruff", "check", "."], ["mypy"]):
        say(" ".join(command))
        codes.append(run_python(["-m", *command]))
    return max(codes)


def run_docs(arguments: list[str]) -> int:
    return run_python(["-m", "pytest", "tests/docs", *arguments])


def run_build(arguments: list[str]) -> int:
    """Build the wheel and the source archive into ``dist/``, then try the wheel in an environment of its own."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    code = run_python(["-m", "build", "--outdir", "dist"])
    if code != 0:
        return code
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        say("trying the wheel in a fresh environment")
        fresh = Path(folder) / "venv"
        python = str(fresh / venv_python().relative_to(VENV))
        for command in (
            [str(venv_python()), "-m", "venv", str(fresh)],
            [python, "-m", "pip", "install", "-qq", str(wheel)],
            [python, "-m", "spycatcher_addon", "--version"],
        ):
            code = subprocess.call(command, cwd=folder, env=clean_environment())
            if code != 0:
                return code
    return 0


def run_bench(arguments: list[str]) -> int:
    return run_python(["scripts/bench.py", *arguments])


def run_ci(arguments: list[str]) -> int:
    return max(run_tests(arguments), run_checks([]))


CHORES = {"demo": run_demo, "test": run_tests, "check": run_checks, "docs": run_docs, "build": run_build, "bench": run_bench, "ci": run_ci}


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py", description="Prepare .venv and run a chore in it.", add_help=False)
    parser.add_argument("chore", choices=["setup", *CHORES], help="what to run; `test`, `docs` and `ci` pass further arguments to pytest")
    if sys.argv[1:2] in ([], ["-h"], ["--help"]):
        parser.print_help()
        return 0
    chore = parser.parse_args(sys.argv[1:2]).chore
    setup()
    if chore == "setup":
        say("ready. Next: scripts/demo shows a recording and its replay; scripts/test runs the tests.")
        return 0
    return CHORES[chore](sys.argv[2:])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
