"""The demo, as a newcomer runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.cli import ROOT, clean_environment


def run_demo(folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "demo.py"), str(folder)],
        cwd=home,
        env=clean_environment(home, {"HTTP_PROXY": "http://127.0.0.1:9", "OPENAI_API_KEY": "sk-fake-of-the-person"}),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def test_demo_tells_the_whole_story(tmp_path: Path) -> None:
    for _ in range(2):  # a second run starts afresh
        ran = run_demo(tmp_path / "demo", tmp_path)
        assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert "The provider answered 3 requests" in ran.stdout
    assert "Every answer and every streamed chunk is equal" in ran.stdout
    assert '"What is the capital of France?" -> "What is the capital of Norway?"' in ran.stdout
    assert "OPENAI_BASE_URL" in ran.stdout.splitlines()[-1]
    cassette = (tmp_path / "demo" / "conversation").read_text(encoding="utf-8")
    assert "sk-fake" not in cassette


def test_demo_that_cannot_run_says_why_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "occupied").write_text("a file where the demo wants a folder")
    ran = run_demo(tmp_path / "occupied", tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.startswith("demo failed: ") and len(ran.stderr.splitlines()) == 1
