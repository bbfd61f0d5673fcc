"""Arguments and options of the commands that work on cassettes which exist already."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from spycatcher_addon.edge.cli_options import OUTPUT, BadValueError
from spycatcher_addon.tools.formats import TargetFormat

if TYPE_CHECKING:
    from spycatcher_addon.config import HarnessConfig
    from spycatcher_addon.edge.cli_text import Texts

type Settings = Callable[[typer.Context], tuple[HarnessConfig, Texts]]
"""Gives the configuration of ``replay`` and the texts for people, or raises ``CommandError``."""


def _path(text: str) -> str:
    if not text:
        raise BadValueError(text, "path")
    return text


def _index(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise BadValueError(text, "number")
    return int(text[:20])


def _indexes(text: str) -> frozenset[int]:
    from spycatcher_addon.tools.editing import IndexListError, parse_index_list

    try:
        return parse_index_list(text)
    except IndexListError as error:
        raise BadValueError(text, "indexes", detail=str(error)) from error


def _target(text: str) -> TargetFormat:
    try:
        return TargetFormat(text)
    except ValueError as error:
        raise BadValueError(text, "choice", tuple(TargetFormat)) from error


OneCassette = Annotated[
    str | None, typer.Argument(metavar="[CASSETTE]", parser=_path, help="Path of a cassette; the configured one if not given.")
]
SomeCassettes = Annotated[
    list[str] | None, typer.Argument(metavar="[CASSETTE]...", parser=_path, help="Paths of cassettes; the configured one if none is given.")
]
TapesOrFolders = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CASSETTE]...", parser=_path, help="Cassettes, or folders with cassettes; the configured one if none is given."
    ),
]
Inputs = Annotated[list[str], typer.Argument(metavar="CASSETTE...", parser=_path, help="Paths of the cassettes, in the order wanted.")]
Input = Annotated[str, typer.Argument(metavar="INPUT", parser=_path, help="A cassette, an HTTP archive (HAR) or a cassette of vcrpy.")]
Left = Annotated[str, typer.Argument(metavar="LEFT", parser=_path, help="Path of the first cassette.")]
Right = Annotated[str, typer.Argument(metavar="RIGHT", parser=_path, help="Path of the cassette it is compared with.")]
Number = Annotated[int, typer.Argument(metavar="N", parser=_index, help="Index of the interaction, counted from 0.")]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.", rich_help_panel=OUTPUT)]
Raw = Annotated[bool, typer.Option("--raw", help="Print the recorded bytes of the answer.", rich_help_panel=OUTPUT)]
Output = Annotated[str, typer.Option("--output", metavar="FILE", parser=_path, help="File to write.", rich_help_panel=OUTPUT)]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.", rich_help_panel=OUTPUT)]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit with code 1 if something would change.", rich_help_panel=OUTPUT)]
ScrubOutput = Annotated[str | None, typer.Option("--output", metavar="FILE", parser=_path, help="File to write.", rich_help_panel=OUTPUT)]
Prices = Annotated[
    str | None, typer.Option("--prices", metavar="FILE", help="Price table (TOML) for the estimated cost.", rich_help_panel=OUTPUT)
]
Drop = Annotated[
    frozenset[int] | None,
    typer.Option("--drop", metavar="INDEXES", parser=_indexes, help="Interactions to leave out: 0,3-5.", rich_help_panel=OUTPUT),
]
UnusedIn = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        "--unused-in",
        metavar="FILE",
        help="Report of a replay: what nobody asked for is left out.",
        rich_help_panel=OUTPUT,
    ),
]
"""The longer name tells the option from that of ``replay``, whose file this one reads."""
To = Annotated[TargetFormat, typer.Option("--to", metavar="FORMAT", parser=_target, help="Format to write.", rich_help_panel=OUTPUT)]
