"""What the pages show to be typed is accepted: flags, files, variables and options of mitmproxy exist and are spelled right."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from spycatcher_addon.config import Mode
from spycatcher_addon.edge.cli import build_app
from spycatcher_addon.edge.layers import option_names, resolve_config
from tests.support.doc_blocks import FENCE

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = ("README.md", "docs/users-guide.md", "docs/streams-and-timing.md")
FOREIGN_FLAGS = {
    *("--include-deps", "--with-executables-from"),  # pipx and uv
    *("--mode", "--set", "--options", "--listen-host", "--listen-port"),  # mitmproxy
    *("--version", "--help"),
}


def read_page(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def fenced(page: str, language: str) -> list[str]:
    return [match["code"] for match in FENCE.finditer(read_page(page)) if match["info"].split()[0] == language]


def own_flags() -> set[str]:
    program = get_command(build_app())
    commands = program.commands.values()  # type: ignore[attr-defined]
    return {flag for command in commands for parameter in command.params for flag in parameter.opts}


@pytest.mark.parametrize("page", PAGES)
def test_flags_exist(page: str) -> None:
    shown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", read_page(page)))
    assert shown - FOREIGN_FLAGS - own_flags() == set()


@pytest.mark.parametrize("page", PAGES)
def test_each_configuration_file_loads(page: str, tmp_path: Path) -> None:
    for number, code in enumerate(fenced(page, "toml")):
        file = tmp_path / f"{number}.toml"
        file.write_text(code, encoding="utf-8")
        for name in tomllib.loads(code)["cmds"]:
            resolved = resolve_config(Mode(name), {}, {}, str(tmp_path), None, str(file))
            assert any(source.startswith(f"file {file}") for source in resolved.sources.values()), code


@pytest.mark.parametrize("page", PAGES)
def test_each_variable_sets_something(page: str, tmp_path: Path) -> None:
    assignments = re.findall(r"\b(SPYCATCHER_HARNESS_CMDS_([A-Z]+)_\w+)=(\S+)", read_page(page))
    for name, mode, value in assignments:
        resolved = resolve_config(Mode(mode.lower()), {}, {name: value}, str(tmp_path), None)
        assert f"environment variable {name}" in resolved.sources.values()


@pytest.mark.parametrize("page", PAGES)
def test_each_option_of_mitmproxy_exists(page: str) -> None:
    shown = set(re.findall(r"--set (spycatcher_\w+)=", read_page(page)))
    assert shown - set(option_names()) == set()
