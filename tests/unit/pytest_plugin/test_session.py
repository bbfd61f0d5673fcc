"""What a test wants, put together from marker, fixture and options; running it is tested in tests/plugin."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from spycatcher_addon import pytest_plugin
from spycatcher_addon.choices import RecordMode
from spycatcher_addon.pytest_plugin.reports import TapeReport
from spycatcher_addon.pytest_plugin.session import MODES, Session, TapeError, Wanted
from tests.unit.pytest_plugin.test_reports import TABLE


class Item:
    """As much of a test as a session looks at."""

    def __init__(self, *markers: pytest.Mark, callspec: str | None = None) -> None:
        self.path = Path("/project/tests/test_m.py")
        self.name = "test_a[x]"
        self.originalname = "test_a"
        self.markers = markers
        if callspec is not None:
            self.callspec = SimpleNamespace(id=callspec)

    def iter_markers(self, name: str) -> Any:
        """Nearest first, as pytest does."""
        return iter(self.markers)

    def listchain(self) -> list[Any]:
        return []


class Config:
    """Options and ini keys of a run."""

    def __init__(self, option: str | None = None, **ini: Any) -> None:
        self.rootpath = Path("/project")
        self.option = option
        self.ini = {"spycatcher_mode": "replay", "spycatcher_unused": "ignore", "spycatcher_record_in_ci": False, **ini}

    def getoption(self, name: str) -> str | None:
        return self.option

    def getini(self, name: str) -> Any:
        return self.ini[name]


def wanted(item: Item, configured: dict[str, Any] | None = None, config: Config | None = None) -> Wanted:
    return Session(cast(pytest.Config, config or Config())).wanted(cast(pytest.Item, item), configured or {})


def mark(*args: Any, **kwargs: Any) -> pytest.Mark:
    return cast(pytest.Mark, pytest.mark.spycatcher(*args, **kwargs).mark)


def test_the_modes_are_those_of_the_harness() -> None:
    assert tuple(RecordMode) == MODES == pytest_plugin._MODES


def test_defaults() -> None:
    got = wanted(Item(callspec="x"))
    assert got.path == "/project/tests/cassettes/test_m/test_a-x.json"
    assert (got.mode, got.is_explicit, got.unused, got.settings) == ("replay", False, "ignore", {})


@pytest.mark.parametrize(
    ("option", "ini", "fixture", "marker", "expected"),
    [
        (None, "once", {}, {}, "once"),
        (None, "once", {"mode": "all"}, {}, "all"),
        (None, "once", {"mode": "all"}, {"mode": "off"}, "off"),
        ("rewrite", "once", {"mode": "all"}, {"mode": "off"}, "rewrite"),
    ],
)
def test_the_strongest_mode_wins(option: str | None, ini: str, fixture: dict[str, Any], marker: dict[str, Any], expected: str) -> None:
    got = wanted(Item(mark(**marker)), fixture, Config(option, spycatcher_mode=ini))
    assert (got.mode, got.is_explicit) == (expected, option is not None)


def test_ini_may_allow_recording_in_ci() -> None:
    assert wanted(Item(), config=Config(spycatcher_record_in_ci=True)).is_explicit


def test_settings_merge_table_by_table_and_nearer_markers_win() -> None:
    outer = mark("outer", upstream={"kind": "openai", "auth": "none"}, unused="fail")
    inner = mark("inner", upstream={"kind": "groq"}, ignore_paths=["/b"])
    got = wanted(Item(inner, outer), {"upstream": {"api_key_env": "KEY"}, "matching": {"ignore_paths": ["/a"]}})
    assert got.name == "test_m/inner.json" and got.unused == "fail"
    assert got.settings == {
        "upstream": {"kind": "groq", "auth": "none", "api_key_env": "KEY"},
        "matching": {"ignore_paths": ["/b"]},
    }


def test_a_folder_of_ones_own_lies_beside_the_test_file() -> None:
    assert wanted(Item(), {"cassette_dir": "tapes"}).path == "/project/tests/tapes/test_m/test_a.json"
    assert wanted(Item(), {"cassette_dir": "/else"}).path == "/else/test_m/test_a.json"


@pytest.mark.parametrize("marker", [mark("a", "b"), mark(7), mark("../a"), mark(mode="onse"), mark(unused="perhaps")])
def test_markers_that_make_no_sense(marker: pytest.Mark) -> None:
    with pytest.raises(TapeError):
        wanted(Item(marker))


def test_what_a_worker_knows_reaches_the_controller() -> None:
    worker, controller = (Session(cast(pytest.Config, Config())) for _ in range(2))
    table = {**TABLE, "unused": [1], "refusals": [{"kind": "k", "message": "m"}]}
    worker.reports.append(TapeReport.parse("tape.json", table))
    worker.note_collected(cast(pytest.Item, Item()), is_ours=True)
    worker.note_collected(cast(pytest.Item, Item(mark(7))), is_ours=True)
    controller.take_table(worker.as_table())
    assert controller.reports == worker.reports
    assert controller.known_paths == {"/project/tests/cassettes/test_m/test_a.json"}
    assert controller.collected_files == {"/project/tests/test_m.py"}
