"""Results as tables and as JSON: figures per candidate, ratios to the first one, and whether targets are met."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Target:
    """What is good enough."""

    column: str
    at_most: float
    is_ratio: bool = True
    """Whether it is about the ratio to the first row, rather than the figure itself."""


@dataclass(slots=True)
class Row:
    """One candidate: its samples, one list per column."""

    name: str
    samples: dict[str, list[float]] = field(default_factory=dict)
    targets: tuple[Target, ...] = ()

    def add(self, **figures: float) -> None:
        """Note one more sample of each column."""
        for column, figure in figures.items():
            self.samples.setdefault(column, []).append(figure)

    def median(self, column: str) -> float:
        """The figure that stands for a column."""
        return statistics.median(self.samples[column])


@dataclass(frozen=True, slots=True)
class Verdict:
    """A target, and how it came out."""

    what: str
    measured: float
    at_most: float

    @property
    def is_met(self) -> bool:
        """Whether it is good enough."""
        return self.measured <= self.at_most


@dataclass(frozen=True, slots=True)
class Table:
    """Candidates that were measured together; the first row is the reference."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    ratio_of: str | None = None
    """The column whose ratio to the first row is shown."""

    def ratio(self, row: Row, column: str) -> float:
        """How many times the reference."""
        return row.median(column) / self.rows[0].median(column)

    def verdicts(self) -> list[Verdict]:
        """How the targets of all rows came out."""
        return [
            Verdict(
                f"{self.title}: {row.name}, {target.column}{' ratio' if target.is_ratio else ''}",
                self.ratio(row, target.column) if target.is_ratio else row.median(target.column),
                target.at_most,
            )
            for row in self.rows
            for target in row.targets
        ]

    def lines(self) -> list[str]:
        """The table as it is printed."""
        headings = ["", *self.columns, *(["ratio"] if self.ratio_of else []), "target"]
        body = [self._cells(row) for row in self.rows]
        widths = [max(len(cells[index]) for cells in (headings, *body)) for index in range(len(headings))]
        return [self.title, "", *(_line(cells, widths) for cells in (headings, *body))]

    def as_json(self) -> dict[str, object]:
        """Medians and ratios."""
        rows = []
        for row in self.rows:
            medians = {column: row.median(column) for column in self.columns if column in row.samples}
            ratio = {} if self.ratio_of is None else {"ratio": self.ratio(row, self.ratio_of)}
            rows.append({"name": row.name, **medians, **ratio, "samples": len(next(iter(row.samples.values())))})
        return {"title": self.title, "rows": rows}

    def _cells(self, row: Row) -> list[str]:
        figures = [_shown(row.median(column)) if column in row.samples else "" for column in self.columns]
        ratio = [f"{self.ratio(row, self.ratio_of):.2f}"] if self.ratio_of else []
        targets = [f"{target.column}{' ratio' if target.is_ratio else ''} <= {target.at_most:g}" for target in row.targets]
        return [row.name, *figures, *ratio, ", ".join(targets)]


def summary(tables: Iterable[Table]) -> list[str]:
    """All targets in one table."""
    verdicts = [verdict for table in tables for verdict in table.verdicts()]
    if not verdicts:
        return []
    cells = [["", "measured", "target", ""]]
    cells += [[each.what, _shown(each.measured), f"<= {each.at_most:g}", "ok" if each.is_met else "MISSED"] for each in verdicts]
    widths = [max(len(line[index]) for line in cells) for index in range(4)]
    return ["Targets", "", *(_line(line, widths) for line in cells)]


def report_json(tables: Iterable[Table], machine: Mapping[str, object]) -> dict[str, object]:
    """Everything, for a file."""
    tables = list(tables)
    verdicts = [verdict for table in tables for verdict in table.verdicts()]
    targets = [{"what": each.what, "measured": each.measured, "at_most": each.at_most, "is_met": each.is_met} for each in verdicts]
    return {"machine": dict(machine), "tables": [table.as_json() for table in tables], "targets": targets}


def _shown(figure: float) -> str:
    return f"{figure:.0f}" if figure >= 1000 else f"{figure:.1f}" if figure >= 10 else f"{figure:.2f}"


def _line(cells: list[str], widths: list[int]) -> str:
    return "  ".join([cells[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))]).rstrip()
