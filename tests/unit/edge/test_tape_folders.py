from __future__ import annotations

import os
from pathlib import Path

from spycatcher_addon.edge.tape_folders import find_files, looks_like_cassette, may_be_cassette


def test_folders_give_their_files_in_order_and_files_stay(tmp_path: Path) -> None:
    for name in ("b/one", "b/a/two", "b/zz", "b/.hidden", "b/.git/x", "b/zz.lock", "other"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    base = str(tmp_path)
    found = find_files([f"{base}/nowhere", f"{base}/b", f"{base}/b/one"], lambda path: not path.endswith("zz"))
    assert found.paths == (f"{base}/nowhere", f"{base}/b/one", f"{base}/b/a/two")
    assert found.passed_over == (f"{base}/b/zz",)


def test_a_linked_folder_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "loop").symlink_to(tmp_path)
    assert find_files([str(tmp_path)], lambda path: True).paths == ()


def test_what_looks_like_a_cassette(tmp_path: Path) -> None:
    cases = {
        '{"format_version": 2': True,
        '\ufeff\n {"interactions": [], "format_version": 1}': True,
        '{"log": {}}': False,
        '"format_version"': False,
        "": False,
    }
    for number, (text, expected) in enumerate(cases.items()):
        path = tmp_path / str(number)
        path.write_text(text, encoding="utf-8")
        assert looks_like_cassette(str(path)) is expected, text
    assert not looks_like_cassette(str(tmp_path / "nowhere"))


def test_what_may_be_a_cassette(tmp_path: Path) -> None:
    cases = {
        b'{"format_version": 2': True,
        b'\xef\xbb\xbf{"interactions": [' + b" " * 200_000 + b'], "format_version": 1}': True,
        b'<<<<<<< ours\n{\n  "format_version": 2,': True,
        b"": True,
        b"\0" * 1000: True,
        b'{"format_version": "1.2"}': False,
        b'{"interactions": [], "version": 1}': False,
        b'"format_version": 2': False,
        b"\x89PNG": False,
        b"# notes on format_version": False,
    }
    for number, (data, expected) in enumerate(cases.items()):
        path = tmp_path / str(number)
        path.write_bytes(data)
        assert may_be_cassette(str(path)) is expected, data[:40]
    (tmp_path / "__init__.py").touch()
    assert not may_be_cassette(str(tmp_path / "__init__.py")), "empty, and not by accident"
    assert may_be_cassette(str(tmp_path / "nowhere")), "for whoever reads it to complain"


def test_pipes_are_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert find_files([str(tmp_path)], lambda path: True).paths == ()
