"""A bar for work that takes a while, on the terminal of standard error; nothing where that is none."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence

_QUIET_S = 0.7
"""Work that is done by then needs no bar."""


def progress[T](items: Sequence[T], label: str, clock_s: Callable[[], float] = time.monotonic) -> Iterator[T]:
    """Give the items one by one, and show how many have been taken once that has lasted for a moment.

    What is printed to standard output meanwhile would run into the bar: print afterwards.

    Args:
        label: Stands before the bar.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    started_s = clock_s()
    rest = iter(enumerate(items))
    for number, item in rest:
        if number and clock_s() - started_s >= _QUIET_S:
            yield from _with_bar([item, *(later for _, later in rest)], number, label)
            return
        yield item


def _with_bar[T](items: Sequence[T], done: int, label: str) -> Iterator[T]:
    # Only now: few need it, and it takes a while to load.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(label, total=done + len(items), completed=done)
        for item in items:
            yield item
            bar.advance(task)
