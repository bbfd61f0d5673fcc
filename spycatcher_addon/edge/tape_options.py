"""Arguments and options of the commands that work on cassettes which exist already."""

from __future__ import annotations

from typing import Annotated

import typer

from spycatcher_addon.edge.cli_options import BadValueError
from spycatcher_addon.tools.editing import IndexListError, parse_index_list
from spycatcher_addon.tools.formats import TargetFormat

OUTPUT = "cli-group-output"
"""Message id of the heading that the options below stand under in help."""


def _index(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise BadValueError(text, "number")
    return int(text[:20])


def _indexes(text: str) -> frozenset[int]:
    try:
        return parse_index_list(text)
    except IndexListError as error:
        raise BadValueError(text, "indexes", detail=str(error)) from error


def _target(text: str) -> TargetFormat:
    try:
        return TargetFormat(text)
    except ValueError as error:
        raise BadValueError(text, "choice", tuple(TargetFormat)) from error


OneCassette = Annotated[str | None, typer.Argument(metavar="[CASSETTE]", help="Path of a cassette; the configured one if not given.")]
SomeCassettes = Annotated[
    list[str] | None, typer.Argument(metavar="[CASSETTE]...", help="Paths of cassettes; the configured one if none is given.")
]
Inputs = Annotated[list[str], typer.Argument(metavar="CASSETTE...", help="Paths of the cassettes, in the order wanted.")]
Input = Annotated[str, typer.Argument(metavar="INPUT", help="A cassette, an HTTP archive (HAR) or a cassette of vcrpy.")]
Left = Annotated[str, typer.Argument(metavar="LEFT", help="Path of the first cassette.")]
Right = Annotated[str, typer.Argument(metavar="RIGHT", help="Path of the cassette it is compared with.")]
Number = Annotated[int, typer.Argument(metavar="N", parser=_index, help="Index of the interaction, counted from 0.")]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.", rich_help_panel=OUTPUT)]
Raw = Annotated[bool, typer.Option("--raw", help="Print the recorded bytes of the answer.", rich_help_panel=OUTPUT)]
Output = Annotated[str, typer.Option("--output", metavar="FILE", help="File to write.", rich_help_panel=OUTPUT)]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.", rich_help_panel=OUTPUT)]
Prices = Annotated[
    str | None, typer.Option("--prices", metavar="FILE", help="Price table (TOML) for the estimated cost.", rich_help_panel=OUTPUT)
]
Drop = Annotated[
    frozenset[int],
    typer.Option("--drop", metavar="INDEXES", parser=_indexes, help="Interactions to leave out: 0,3-5.", rich_help_panel=OUTPUT),
]
To = Annotated[TargetFormat, typer.Option("--to", metavar="FORMAT", parser=_target, help="Format to write.", rich_help_panel=OUTPUT)]
