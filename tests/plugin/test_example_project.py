"""docs/examples/agent: its own run replays its own tapes, and it can be recorded anew."""

from __future__ import annotations

import shutil

import pytest

from spycatcher_addon.edge.tape_reading import read_cassette
from tests.plugin.conftest import Project
from tests.support.cli import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "agent"
TAPES = sorted(str(path.relative_to(EXAMPLE)) for path in (EXAMPLE / "cassettes").rglob("*.json"))


@pytest.fixture
def example(project: Project) -> Project:
    """A copy of the example in an empty folder."""
    for path in EXAMPLE.iterdir():
        if path.is_file():
            shutil.copy(path, project.path)
    shutil.copytree(EXAMPLE / "cassettes", project.path / "cassettes")
    return project


def test_its_own_tapes_replay_offline(example: Project) -> None:
    result = example.run("--spycatcher-orphans")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["tapes: 4 replayed", "orphaned: none"])
    assert example.upstream.connection_count == 0
    assert len(TAPES) == 4


def test_it_records_anew_and_replays_that(example: Project) -> None:
    shutil.rmtree(example.path / "cassettes")
    example.run("--spycatcher=once").assert_outcomes(passed=4)
    assert example.tapes() == TAPES
    seen = example.upstream.connection_count
    for _ in range(2):
        example.run().assert_outcomes(passed=4)
    assert example.upstream.connection_count == seen
    agent = read_cassette(example.path / "cassettes/test_agent/test_the_agent_calls_its_tool_and_streams_the_answer.json").cassette
    assert [interaction.response.__class__.__name__ for interaction in agent.interactions] == [
        "NonStreamResponse",
        "NonStreamResponse",
        "StreamResponse",
    ]
    parallel = read_cassette(example.path / "cassettes/test_agent/test_several_questions_at_once.json").cassette
    assert len(parallel.interactions) == 9


def test_a_changed_prompt_is_told(example: Project) -> None:
    agent = example.path / "agent.py"
    agent.write_text(agent.read_text(encoding="utf-8").replace('"content": question}', '"content": question.upper()}'))
    result = example.run("-k", "streams")
    result.assert_outcomes(failed=1, deselected=3)
    result.stdout.fnmatch_lines(['changed: canonical_body.messages[[]0[]].content: "How is the weather in Paris?" -> "HOW IS *'])
