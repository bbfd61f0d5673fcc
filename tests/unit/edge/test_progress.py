from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from spycatcher_addon.edge.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def seconds(step: float) -> Callable[[], float]:
    ticks = iter(range(1000))
    return lambda: next(ticks) * step


def put_in_place(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal for standard error. Not a fixture: the capture of pytest takes the stream back between set-up and test."""
    monkeypatch.setenv("TERM", "xterm")
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_nothing_is_shown_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    assert list(progress(range(5), "work", seconds(10))) == [0, 1, 2, 3, 4]
    assert pipe.getvalue() == ""


def test_nothing_is_shown_where_there_is_no_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert list(progress(range(3), "work")) == [0, 1, 2]


def test_quick_work_needs_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = put_in_place(monkeypatch)
    assert list(progress(range(5), "work", seconds(0.01))) == [0, 1, 2, 3, 4]
    assert terminal.getvalue() == ""


def test_long_work_has_one_and_every_item_comes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = put_in_place(monkeypatch)
    out, standard = sys.stdout, []
    for item in progress(range(6), "[work]", seconds(0.3)):
        standard.append(sys.stdout is out)
        assert item == len(standard) - 1
    assert len(standard) == 6
    assert all(standard), "standard output must not be led to the bar"
    assert "[work]" in terminal.getvalue()
    assert "6/6" in terminal.getvalue()
