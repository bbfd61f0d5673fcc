"""The built wheel, not the checkout: what is in it, and that it works from another folder."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from spycatcher_addon.version import VERSION

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without the network."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"spycatcher_addon", f"spycatcher_harness-{VERSION}.dist-info"}
    assert "spycatcher_addon/py.typed" in names
    assert "spycatcher_addon/launcher/addon.py" in names
    assert not [name for name in names if "__pycache__" in name]


def test_every_catalogue_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    catalogues = {path.relative_to(ROOT / "i18n").as_posix() for path in (ROOT / "i18n").rglob("*.ftl")}
    assert {f"spycatcher_addon/_i18n/{name}" for name in catalogues} <= names
    assert len(catalogues) == 6


def test_every_module_of_the_checkout_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "spycatcher_addon").rglob("*.py")}
    assert modules <= names


def test_metadata_names_the_command_and_the_version(wheel: Path) -> None:
    info = f"spycatcher_harness-{VERSION}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        assert "spycatcher-harness = spycatcher_addon.edge.entry:main" in archive.read(f"{info}/entry_points.txt").decode()
        metadata = archive.read(f"{info}/METADATA").decode()
    assert f"Version: {VERSION}\n" in metadata and "Requires-Python: >=3.12\n" in metadata


def test_wheel_runs_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    """Imported from the archive's own files, with only the dependencies of the test environment around it."""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    code = f"import sys; sys.path.insert(0, {str(site)!r}); import spycatcher_addon; print(spycatcher_addon.__file__)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith(str(site))
    version = subprocess.run(
        [sys.executable, "-m", "spycatcher_addon", "--version"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert (version.returncode, version.stdout) == (0, f"spycatcher-harness {VERSION}\n"), version.stderr
    helped = subprocess.run(
        [sys.executable, "-m", "spycatcher_addon", "--help"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "HOME": str(tmp_path), "PATH": "", "PYTHONUTF8": "1", "SPYCATCHER_HARNESS_LOCALE": "ja-JP"},
        capture_output=True,
        encoding="utf-8",
    )
    assert "使い方: spycatcher-harness" in helped.stdout, helped.stderr
