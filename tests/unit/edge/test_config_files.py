"""Finding and reading configuration files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spycatcher_addon.edge.config_files import (
    ConfigFileError,
    discover_config_files,
    key_lines,
    read_config_file,
    read_named_config_file,
)


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    found = {name: tmp_path / name for name in ("home", "work", "xdg", "shared")}
    for folder in found.values():
        folder.mkdir()
    return found


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_no_files_is_fine(places: dict[str, Path]) -> None:
    assert discover_config_files({"XDG_CONFIG_DIRS": str(places["shared"])}, str(places["work"]), None) == []


def test_all_places_weakest_first(places: dict[str, Path]) -> None:
    home = write(places["home"] / ".spycatcher_harness.toml", "")
    xdg = write(places["xdg"] / "spycatcher_harness" / "config.toml", "")
    write(places["shared"] / "spycatcher_harness" / "config.toml", "")
    write(places["work"] / "pyproject.toml", "")
    write(places["work"] / ".spycatcher_harness.toml", "")
    environ = {"XDG_CONFIG_HOME": str(places["xdg"]), "XDG_CONFIG_DIRS": str(places["shared"])}
    shown = [file.shown for file in discover_config_files(environ, str(places["work"]), str(places["home"]))]
    assert shown == [str(home), str(xdg), "./pyproject.toml", "./.spycatcher_harness.toml"]


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "home/.config"),
        ({"XDG_CONFIG_HOME": ""}, "home/.config"),
        ({"XDG_CONFIG_HOME": "relative"}, "shared"),
        ({"XDG_CONFIG_HOME": "{}/nowhere"}, "shared"),
    ],
)
def test_the_first_xdg_directory_that_has_it(places: dict[str, Path], tmp_path: Path, environ: dict[str, str], expected: str) -> None:
    for folder in ("home/.config", "shared"):
        if folder != "home/.config" or expected == folder:
            write(tmp_path / folder / "spycatcher_harness" / "config.toml", "")
    environ = {name: text.format(tmp_path) for name, text in environ.items()} | {"XDG_CONFIG_DIRS": f"{tmp_path}/none:{tmp_path}/shared"}
    (found,) = discover_config_files(environ, str(places["work"]), str(places["home"]))
    assert found.shown == str(tmp_path / expected / "spycatcher_harness" / "config.toml")


def test_home_as_working_directory_is_read_once(places: dict[str, Path]) -> None:
    write(places["home"] / ".spycatcher_harness.toml", "")
    found = discover_config_files({"XDG_CONFIG_DIRS": str(places["shared"])}, str(places["home"]), str(places["home"]))
    assert [file.shown for file in found] == ["./.spycatcher_harness.toml"]


def test_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(b"\xef\xbb\xbf[cmds.replay]\r\nlisten = '127.0.0.1:1'\r\n")
    file = read_config_file(path, "c.toml")
    assert file.document == {"cmds": {"replay": {"listen": "127.0.0.1:1"}}}
    assert file.origin(("cmds", "replay", "listen")) == "file c.toml, line 2"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[cmds.replay]\nlisten = \n", "c.toml is not TOML: .*line 2"),
        (b"a = 1\na = 2\n", "c.toml is not TOML: .*line 2"),
        (b"a = '\xff'\n", r"c.toml is not UTF-8 \(byte 5\)"),
        (b"a = " + b"[" * 100_000, "c.toml is not usable TOML: it is nested too deeply|c.toml is not TOML"),
        (b"\x00", "c.toml is not TOML"),
    ],
)
def test_unusable_content(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigFileError, match=message):
        read_config_file(path, "c.toml")


def test_not_a_regular_file(tmp_path: Path) -> None:
    (tmp_path / ".spycatcher_harness.toml").mkdir()
    with pytest.raises(ConfigFileError, match="not a regular file"):
        discover_config_files({}, str(tmp_path), None)
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(ConfigFileError, match="not a regular file"):
        read_named_config_file("fifo", str(tmp_path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable(tmp_path: Path) -> None:
    write(tmp_path / "c.toml", "").chmod(0)
    with pytest.raises(ConfigFileError, match="cannot read c.toml: Permission denied"):
        read_named_config_file("c.toml", str(tmp_path))


def test_dangling_link_is_an_error_not_absence(tmp_path: Path) -> None:
    (tmp_path / ".spycatcher_harness.toml").symlink_to(tmp_path / "gone")
    with pytest.raises(ConfigFileError, match=r"^\./\.spycatcher_harness\.toml is a link to .*/gone, which does not exist; mend or remove"):
        discover_config_files({}, str(tmp_path), None)


@pytest.mark.parametrize("name", ["", "nope.toml", "a\0b"])
def test_named_file_must_exist(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigFileError, match="does not exist"):
        read_named_config_file(name, str(tmp_path))


def test_pyproject_gives_its_own_table(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n[tool.spycatcher_harness.cmds.replay]\nlisten = 'x'\n")
    file = read_named_config_file("pyproject.toml", str(tmp_path))
    assert file.document == {"cmds": {"replay": {"listen": "x"}}}
    assert file.origin(("cmds", "replay", "listen")) == "file pyproject.toml, line 4"


@pytest.mark.parametrize("text", ["", "tool = 5", "[tool.other]\nx = 1"])
def test_pyproject_without_our_table(tmp_path: Path, text: str) -> None:
    write(tmp_path / "pyproject.toml", text)
    assert read_named_config_file("pyproject.toml", str(tmp_path)).document == {}


@pytest.mark.parametrize(
    ("text", "message"), [("[tool.spycatcher-harness]", "with an underscore"), ("tool.spycatcher_harness = 1", "must be a table")]
)
def test_pyproject_mistakes(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path / "pyproject.toml", text)
    with pytest.raises(ConfigFileError, match=message):
        read_named_config_file("pyproject.toml", str(tmp_path))


def test_key_lines() -> None:
    text = (
        "# [cmds.replay] in a comment\n"  # 1
        "[cmds.replay]  # a header\n"  # 2
        "listen = 'x'\n"  # 3
        "text = '''\n"  # 4
        "[cmds.fake]\n"  # 5
        "listen = 1\n"  # 6
        "'''\n"  # 7
        "list = [\n"  # 8
        "  1,\n"  # 9
        "]\n"  # 10
        '"quoted key".sub = 1\n'  # 11
        "inline = { a = 1, b = { c = 2 } }\n"  # 12
        "\n"  # 13
        "[[cmds.many]]\n"  # 14
        "[cmds.last]\n"  # 15
        "end = 1"  # 16
    )
    lines = key_lines(text)
    replay = ("cmds", "replay")
    assert {place[2:]: line for place, line in lines.items() if place[:2] == replay} == {
        (): 2,
        ("listen",): 3,
        ("text",): 4,
        ("list",): 8,
        ("quoted key",): 11,
        ("quoted key", "sub"): 11,
        ("inline",): 12,
        ("inline", "a"): 12,
        ("inline", "b"): 12,
        ("inline", "b", "c"): 12,
    }
    assert lines["cmds", "last", "end"] == 16
    assert ("cmds", "fake") not in lines


def test_origin_without_a_line(tmp_path: Path) -> None:
    file = read_config_file(write(tmp_path / "c.toml", "a = 1"), "c.toml")
    assert file.origin(("b",)) == "file c.toml"
    assert file.origin(("A",)) == "file c.toml, line 1"


def test_a_number_of_too_many_digits_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "big.toml").write_text(f"n = {'9' * 5000}")
    with pytest.raises(ConfigFileError, match=r"^big\.toml is not usable TOML: a number in it has too many digits"):
        read_named_config_file("big.toml", str(tmp_path))
