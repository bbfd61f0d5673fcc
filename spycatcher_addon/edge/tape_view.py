"""Tables and texts on a terminal or in a pipe, and JSON for programs.

On a terminal tables have lines and wrap; in a pipe they are columns of blanks, one row per line. Nothing is cut. What comes
from a cassette cannot steer the terminal: characters that are not printable are shown as escapes.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.edge.cli_layout import GAP, display_width, wrap
from spycatcher_addon.edge.terminal import write_err, write_out

if TYPE_CHECKING:
    from spycatcher_addon.cassette.model import Cassette
    from spycatcher_addon.edge.cli_text import Texts
    from spycatcher_addon.tools.losses import Loss

_PLAIN_WIDTH = 0


def terminal_width() -> int:
    """Columns of the terminal that standard output is; 0 when it is none."""
    if sys.stdout is None or not sys.stdout.isatty():
        return _PLAIN_WIDTH
    return shutil.get_terminal_size().columns


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]], numeric: Collection[int]) -> None:
    """Print a table in the form that fits standard output.

    Args:
        numeric: Indexes of the columns that are set to the right.
    """
    cells = [[on_one_line(cell) for cell in row] for row in rows]
    width = terminal_width()
    write_out(boxed_table(headings, cells, numeric, width) if width else plain_table(headings, cells, numeric))


def show_json(value: JsonValue) -> None:
    """Print a value for programs."""
    write_out(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def report_written(texts: Texts, output: str, cassette: Cassette, losses: Sequence[Loss], secrets: int, is_json: bool) -> int:
    """Say what was written and what was lost on the way; gives the exit code.

    Args:
        secrets: Interactions whose secrets went over as they are.
    """
    if is_json:
        show_json({"output": output, **written_as_json(cassette, losses, secrets)})
        warn_of_secrets(texts, output, secrets)
        return 0
    write_out(f"{texts('cli-wrote', count=len(cassette.interactions))} {output}\n")
    for loss in losses:
        text = texts(f"cli-loss-{loss.kind}", count=loss.count)
        write_err(f"warning: {text}\n")
    warn_of_secrets(texts, output, secrets)
    return 0


def warn_of_secrets(texts: Texts, output: str, secrets: int) -> None:
    """Say in how many interactions of a file that was written secrets stand; nothing where there are none."""
    if secrets:
        write_err(f"warning: {output}: {texts('cli-secrets-carried', count=secrets)}\n")


def written_as_json(cassette: Cassette, losses: Sequence[Loss], secrets: int) -> dict[str, JsonValue]:
    """The same for programs."""
    lost: list[JsonValue] = [{"kind": loss.kind.value, "count": loss.count} for loss in losses]
    return {"interactions": len(cassette.interactions), "losses": lost, "secrets": secrets}


def plain_table(headings: Sequence[str], rows: Sequence[Sequence[str]], numeric: Collection[int]) -> str:
    """Columns parted by two blanks."""
    widths = [max(display_width(row[column]) for row in (headings, *rows)) for column in range(len(headings))]
    lines = []
    for row in (headings, *rows):
        cells = []
        for column, cell in enumerate(row):
            padding = " " * (widths[column] - display_width(cell))
            cells.append(padding + cell if column in numeric else cell + padding)
        lines.append(GAP.join(cells).rstrip())
    return "".join(f"{line}\n" for line in lines)


def boxed_table(headings: Sequence[str], rows: Sequence[Sequence[str]], numeric: Collection[int], width: int) -> str:
    """A table with lines that fits into ``width`` columns; long cells go on in the next line."""
    # Only here: loading it takes longer than any of these commands.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for column, heading in enumerate(headings):
        table.add_column(Text(heading), justify="right" if column in numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    target = io.StringIO()
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    Console(file=target, width=width, force_terminal=not is_plain, no_color=is_plain, legacy_windows=False).print(table)
    return target.getvalue()


def paragraph(text: str, indent: str) -> str:
    """A text of several lines, indented, and wrapped on a terminal."""
    width = terminal_width()
    lines: list[str] = []
    for line in text.split("\n"):
        shown = on_one_line(line)
        lines += wrap(shown, max(20, width - len(indent))) if width else [shown]
    return "".join(f"{indent}{line}".rstrip() + "\n" for line in lines)


def on_one_line(value: str) -> str:
    """A text with escapes in place of what is not printable."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape", "backslashreplace").decode("ascii") for each in value)
