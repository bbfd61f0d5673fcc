"""Writes the pages that are made from the program itself: ``reference.py [--check]``.

Only what stands between two marks is made: in docs/cli-reference.md what ``--help`` prints, command by command, and in
docs/configuration.md the tables of settings. With ``--check`` nothing is written; the exit code says whether the pages on
disk are the ones that would be.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pydantic import BaseModel  # noqa: E402 - the checkout may not be installed
from pydantic_core import PydanticUndefined  # noqa: E402

from spycatcher_addon.config import HarnessConfig  # noqa: E402
from spycatcher_addon.edge.catalogues import SOURCE_LOCALE, load_catalogues  # noqa: E402
from spycatcher_addon.edge.cli import PROGRAM, build_app  # noqa: E402
from spycatcher_addon.edge.cli_options import FLAGS  # noqa: E402
from spycatcher_addon.layering import FREE_TABLE, PRESET_SETTINGS, SECTIONS, SETTINGS, Place, Setting, section_of  # noqa: E402

CLI_PAGE = ROOT / "docs" / "cli-reference.md"
CONFIGURATION_PAGE = ROOT / "docs" / "configuration.md"
BEGIN, END = "<!-- made by scripts/reference.py -->", "<!-- end of what is made -->"


def help_of(*words: str) -> str:
    """What ``--help`` prints for a command, in English and without colour, whatever the environment is."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SPYCATCHER_HARNESS_")}
    command = [sys.executable, "-m", "spycatcher_addon", *words, "--help"]
    return subprocess.run(command, cwd=ROOT, env=environ | {"PYTHONUTF8": "1"}, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout


def help_sections() -> str:
    """What each command says of itself."""
    names = [(command.name or "",) for command in build_app().registered_commands]
    return "\n".join(f"## {' '.join([PROGRAM, *words])}\n\n```text\n{help_of(*words)}```\n" for words in [(), *names]).rstrip("\n")


def settings_tables() -> str:
    """A table per section: key, flag, default, what is expected, what it is for."""
    tables = []
    for section in ((), *sorted(SECTIONS)):
        rows = [row(setting) for place, setting in SETTINGS.items() if place[:-1] == section]
        title = f"### `{'.'.join(section)}`" if section else "### At the top"
        tables.append("\n".join([title, "", "| key | default | value | flag | meaning |", "| --- | --- | --- | --- | --- |", *rows]))
    return "\n\n".join(tables)


def row(setting: Setting) -> str:
    flag = next((name for name, place in FLAGS.items() if place == setting.place), None)
    shown_flag = f"`--{flag.replace('_', '-')}`" if flag else ""
    cells = [f"`{setting.place[-1]}`", default_of(setting.place), setting.expects.description, shown_flag, meaning(setting.place, flag)]
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def model_of(place: Place) -> type[BaseModel]:
    """The model that a setting is a field of."""
    model: type[BaseModel] = HarnessConfig
    for key in place[:-1]:
        model = section_of(model.model_fields[key].annotation) or model
    return model


def default_of(place: Place) -> str:
    if place in PRESET_SETTINGS:
        return "by `kind`"
    if place == ("mode",):
        return "the subcommand"
    if place == FREE_TABLE:
        return "empty"
    default = model_of(place).model_fields[place[-1]].default
    if default is None or default is PydanticUndefined:
        return "none"
    if isinstance(default, tuple):
        return f"`[{', '.join(map(toml, default))}]`"
    return f"`{toml(default)}`"


def toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value) if isinstance(value, int) else f'"{value}"'


def meaning(place: Place, flag: str | None) -> str:
    """From the field's docstring, or from the flag's help."""
    from_source = field_docstrings().get((model_of(place).__name__, place[-1]))
    if from_source is None and flag is not None:
        from_source = load_catalogues([SOURCE_LOCALE]).find(f"cli-option-{flag.replace('_', '-')}", {})
    return " ".join((from_source or "").replace("``", "`").split())


def field_docstrings() -> dict[tuple[str, str], str]:
    """The string literal under each field of the models, by class and field."""
    tree = ast.parse((ROOT / "spycatcher_addon" / "config.py").read_text(encoding="utf-8"))
    found = {}
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef):
            for field, below in zip(owner.body, owner.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
                    value = below.value
                    if isinstance(value, ast.Constant) and isinstance(value.value, str):
                        found[owner.name, field.target.id] = value.value
    return found


MADE = {CLI_PAGE: help_sections, CONFIGURATION_PAGE: settings_tables}


def page_as_it_would_be(path: Path) -> str:
    """The page on disk with its made part made anew."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n\n{MADE[path]()}\n\n{END}{rest.partition(END)[2]}"


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: reference.py [--check]", file=sys.stderr)
        return 2
    wanted = {path: page_as_it_would_be(path) for path in MADE}
    outdated = [path for path, text in wanted.items() if path.read_text(encoding="utf-8") != text]
    for path in outdated:
        if arguments:
            print(f"{path.relative_to(ROOT)} is not up to date; run scripts/reference.py", file=sys.stderr)
        else:
            path.write_text(wanted[path], encoding="utf-8")
    return 1 if arguments and outdated else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
