"""When the tape fails a test, what the failure says, and what only warns."""

from __future__ import annotations

import pytest

from scripts.stub_upstream import Reset
from tests.plugin.conftest import Project

SWALLOWING = """
import pytest
from llm import ask

@pytest.mark.spycatcher
def test_swallows():
    for text in ["a", "b"]:
        ask(text)
"""
TAPE = "cassettes/test_it/test_swallows.json"


@pytest.fixture
def recorded(project: Project) -> Project:
    project.write("test_it.py", SWALLOWING)
    project.run("--spycatcher=once").assert_outcomes(passed=1)
    return project


def test_a_swallowed_mismatch_fails_the_test_with_the_diagnosis(recorded: Project) -> None:
    recorded.write("test_it.py", SWALLOWING.replace('"b"]', '"changed"]'))
    result = recorded.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ test_swallows _*",
            f"spycatcher: 1 request was not answered from cassette {TAPE}",
            "*interaction 1 was expected next*",
            'changed: canonical_body.messages[[]0[]].content: "b" -> "changed"',
            "*FAILED test_it.py::test_swallows*spycatcher: 1 request was not*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_the_tests_own_failure_stays_readable(recorded: Project) -> None:
    recorded.write("test_it.py", SWALLOWING.replace('"b"]', '"changed"]') + "        assert len(text) == 1, 'own reason'\n")
    result = recorded.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["spycatcher: 1 request was not answered*", "*Captured traceback call*", "test_it.py:9: in test_swallows", "*own reason*"]
    )


def test_a_real_sdk_exception_ends_in_the_same_diagnosis(recorded: Project) -> None:
    recorded.write(
        "test_it.py",
        "import openai, pytest\n\n@pytest.mark.spycatcher\ndef test_swallows():\n    with openai.OpenAI() as client:\n"
        "        client.chat.completions.create(model='stub', messages=[{'role': 'user', 'content': 'z'}])\n",
    )
    result = recorded.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['changed: canonical_body.messages[[]0[]].content: "a" -> "z"', "*ConflictError*"])
    assert "openai/_base_client.py" not in result.stdout.str()


def test_expected_failures_stay_expected(recorded: Project) -> None:
    recorded.write(
        "test_it.py",
        SWALLOWING.replace('"b"]', '"changed"]').replace("@pytest.mark.spycatcher", "@pytest.mark.spycatcher\n@pytest.mark.xfail"),
    )
    recorded.run().assert_outcomes(xfailed=1)


@pytest.mark.parametrize(("end", "outcome"), [("pytest.skip('no answer')", "failed"), ("pytest.xfail('known')", "xfailed")])
def test_a_test_may_expect_to_fail_but_not_skip_because_of_its_tape(recorded: Project, end: str, outcome: str) -> None:
    recorded.write("test_it.py", SWALLOWING.replace('"b"]', '"changed"]') + f"    {end}\n")
    recorded.run().assert_outcomes(**{outcome: 1})


def test_a_request_after_the_test_is_an_error_of_its_teardown(recorded: Project) -> None:
    recorded.write(
        "test_it.py",
        SWALLOWING.replace("def test_swallows()", "def test_swallows(late)")
        + "\n@pytest.fixture\ndef late():\n    yield\n    ask('too late')\n",
    )
    result = recorded.run()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["spycatcher: after the test itself, 1 request was not answered from cassette *"])


def test_a_request_of_a_fixture_that_fails_the_setup_is_told_too(recorded: Project) -> None:
    recorded.write(
        "test_it.py",
        SWALLOWING.replace("def test_swallows()", "def test_swallows(early)")
        + "\n@pytest.fixture\ndef early():\n    assert ask('too early')[0] == 200\n",
    )
    result = recorded.run()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["spycatcher: before the test itself, 1 request was not answered from cassette *"])


def test_what_the_harness_said_stands_in_the_failure(project: Project) -> None:
    project.upstream.script([Reset()])
    project.write("test_it.py", SWALLOWING + "    assert False\n")
    result = project.run("--spycatcher=once")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Captured spycatcher call*", "*NOT RECORDED: the upstream failed*"])


def test_unknown_paths_are_left_to_the_program_as_they_are_while_recording(project: Project) -> None:
    project.write("test_it.py", SWALLOWING + "    ask('x', base_url=__import__('os').environ['OPENAI_BASE_URL'] + '/v2')\n")
    project.run("--spycatcher=once").assert_outcomes(passed=1)
    project.run().assert_outcomes(passed=1)


UNUSED = SWALLOWING.replace('["a", "b"]', '["a"]')


@pytest.mark.parametrize(
    ("ini", "marker", "outcome"),
    [("", "", "passed"), ("", "(unused='fail')", "failed"), ("fail", "", "failed"), ("fail", "(unused='ignore')", "passed")],
)
def test_unused_interactions_fail_a_test_when_asked(recorded: Project, ini: str, marker: str, outcome: str) -> None:
    recorded.write("test_it.py", UNUSED.replace("mark.spycatcher", f"mark.spycatcher{marker}"))
    if ini:
        recorded.write("pytest.ini", f"[pytest]\nspycatcher_unused = {ini}\n")
    result = recorded.run()
    result.assert_outcomes(**{outcome: 1})
    result.stdout.fnmatch_lines([f"unused: {TAPE}: 1 of 2 (counted from 0)"])
    if outcome == "failed":
        result.stdout.fnmatch_lines(["spycatcher: 1 of 2 interactions of cassette *never asked for: 1 (counted from 0)*"])


def test_a_recording_without_requests_is_a_warning(project: Project) -> None:
    project.write("test_it.py", "import pytest\n\n@pytest.mark.spycatcher\ndef test_nothing():\n    pass\n")
    result = project.run("--spycatcher=once")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*SpycatcherWarning: recorded 0 interactions to cassettes/test_it/test_nothing.json: no request came*"])
    assert project.tapes() == []


def test_a_recording_without_key_says_so(project: Project) -> None:
    project.monkeypatch.delenv("STUB_API_KEY")
    project.write("test_it.py", SWALLOWING)
    result = project.run("--spycatcher=once")
    result.stdout.fnmatch_lines(["*recorded 0 interactions*: 2 refused by the harness*"])


def test_tapes_cannot_be_read_are_named_with_their_fault(recorded: Project) -> None:
    (recorded.path / TAPE).write_text("<<<<<<< HEAD\n", encoding="utf-8")
    result = recorded.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"spycatcher: the cassette {TAPE} cannot be used: invalid cassette: *"])


def test_a_stand_alone_token_request_is_a_404(recorded: Project) -> None:
    recorded.write(
        "test_it.py",
        """
import pytest
from llm import ask

@pytest.mark.spycatcher
def test_swallows(spycatcher):
    base = spycatcher.server_url
    for url in (base, base.replace("/v1", "/_tape/0123456789abcdef0123/v1"), base.replace("/v1", "/_tape/..%2F..%2Fetc/v1")):
        status, body = ask("a", base_url=url)
        assert status == 404 and '"kind":"unknown_tape"' in body, body
    assert ask("a", base_url=base, headers={"x-spycatcher-tape": "0123456789abcdef0123"})[0] == 404
    assert ask("a", base_url=base, headers=spycatcher.headers)[0] == 200
    assert ask("b")[0] == 200
""",
    )
    recorded.run().assert_outcomes(passed=1)
