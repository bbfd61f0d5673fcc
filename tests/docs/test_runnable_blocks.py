"""The pages tell the truth: their runnable blocks run, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts.stub_upstream import StubUpstream
from tests.support.cli import HarnessCli
from tests.support.doc_blocks import PageRun, parse_blocks

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
RUNNABLE = [page for page in PAGES if any(parse_blocks(page.read_text(encoding="utf-8")))]
LINK = re.compile(r"\]\((?P<target>[^)#\s]+)?(?:#(?P<anchor>[^)\s]+))?\)")
CODE = re.compile(r"^```.*?^```[ \t]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def heading_anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, made the way code hosts make them."""
    text = re.sub(r"^```.*?^```[ \t]*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", RUNNABLE, ids=page_id)
def test_runnable_blocks_run(page: Path, harness: HarnessCli, upstream: StubUpstream) -> None:
    run = PageRun(harness, upstream.base_url)
    for block in parse_blocks(page.read_text(encoding="utf-8")):
        ended = run.run(block)
        assert ended is None or ended.returncode == 0, f"{page_id(page)}:{block.line}\n{ended.stdout}{ended.stderr}"
    background = run.interrupt_background()
    assert background is None or background.returncode == 0, background


def test_the_readme_is_among_them() -> None:
    assert "README.md" in {page_id(page) for page in RUNNABLE}


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_inside_the_project_lead_somewhere(page: Path) -> None:
    broken = []
    for match in LINK.finditer(CODE.sub("", page.read_text(encoding="utf-8"))):
        target, anchor = match["target"], match["anchor"]
        if target is not None and "://" in target:
            continue
        path = page if target is None else page.parent / target
        if not path.exists() or (anchor is not None and anchor not in heading_anchors(path)):
            broken.append(match[0])
    assert broken == []


def test_the_readme_is_short_and_starts_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) < 150
    assert readme.index("scripts/demo") < readme.index("scripts/test") < readme.index("## ")
