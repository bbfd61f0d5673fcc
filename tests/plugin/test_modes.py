"""Which tests record and which replay, and what is kept."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project

TWO = """
import os
import pytest
from llm import ask

@pytest.mark.spycatcher
def test_one():
    assert ask("one")[0] == 200

@pytest.mark.spycatcher
def test_two():
    assert ask("two")[0] == 200
    assert ask("three", stream=True)[0] == 200
"""
TAPES = ["cassettes/test_two/test_one.json", "cassettes/test_two/test_two.json"]


def test_replay_is_the_default_and_names_the_missing_tape(project: Project) -> None:
    project.write("test_two.py", TWO)
    result = project.run()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*there is no cassette cassettes/test_two/test_one.json*--spycatcher=once*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*another exception*")
    assert project.upstream.connection_count == 0
    assert project.tapes() == []


def test_once_records_then_replays_offline(project: Project) -> None:
    project.write("test_two.py", TWO)
    recording = project.run("--spycatcher=once")
    recording.assert_outcomes(passed=2)
    recording.stdout.fnmatch_lines(["*= spycatcher =*", "tapes: 2 recorded", "recorded: cassettes/test_two/test_one.json (1 interaction)"])
    assert project.tapes() == TAPES
    assert project.questions(TAPES[1]) == ["two", "three"]
    seen = project.upstream.connection_count
    for arguments in ((), ("--spycatcher=once",)):
        replay = project.run(*arguments)
        replay.assert_outcomes(passed=2)
        replay.stdout.fnmatch_lines(["tapes: 2 replayed"])
    assert project.upstream.connection_count == seen


def test_no_secret_of_either_side_is_on_the_tape(project: Project) -> None:
    project.write("test_two.py", TWO)
    project.run("--spycatcher=once")
    sent = project.upstream.requests[0]
    assert sent.header("authorization") == b"Bearer sk-fake-key-of-the-test-suite"
    assert sent.header("x-spycatcher-tape") is None
    assert sent.target == "/api/v1/chat/completions"
    text = (project.path / TAPES[0]).read_text(encoding="utf-8")
    assert "_tape" not in text and "no-key" not in text and "sk-fake" not in text


@pytest.mark.parametrize("mode", ["once", "new_episodes", "all", "rewrite"])
def test_a_failing_test_keeps_nothing(project: Project, mode: str) -> None:
    project.write("test_two.py", TWO)
    project.run("--spycatcher=once")
    before = (project.path / TAPES[0]).read_bytes()
    (project.path / TAPES[1]).unlink()
    project.write("test_two.py", TWO + "    assert False, 'changed my mind'\n")
    result = project.run(f"--spycatcher={mode}", "-k", "test_two")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*changed my mind*", "not kept: cassettes/test_two/test_two.json (2 interactions): the run did not succeed"]
    )
    assert project.tapes() == TAPES[:1]
    if mode == "once":
        assert (project.path / TAPES[0]).read_bytes() == before


WAYS_TO_FAIL = """
import pytest, unittest
from llm import ask

pytestmark = pytest.mark.spycatcher

@pytest.mark.xfail(strict=True)
def test_passes_unexpectedly():
    ask("a")

class TestCase(unittest.TestCase):
    def tearDown(self):
        assert "tear" not in self.id()

    def test_tear(self):
        ask("a")

    def test_sub(self):
        ask("a")
        with self.subTest():
            self.fail()
"""


def test_a_test_that_fails_without_an_exception_of_its_own_keeps_nothing(project: Project) -> None:
    project.write("test_it.py", WAYS_TO_FAIL)
    result = project.run("--spycatcher=once")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["tapes: 3 not kept"])
    assert project.tapes() == []


def test_new_episodes_asks_for_what_is_missing(project: Project) -> None:
    project.write("test_two.py", TWO)
    project.run("--spycatcher=once")
    project.write("test_two.py", TWO.replace('ask("two")', 'ask("new")'))
    asked = len(project.upstream.requests)
    project.run("--spycatcher=new_episodes").assert_outcomes(passed=2)
    assert len(project.upstream.requests) == asked + 1
    assert project.questions(TAPES[1]) == ["new", "three", "two"]
    project.run().assert_outcomes(passed=2)


@pytest.mark.parametrize("mode", ["all", "rewrite"])
def test_recording_anew_replaces_the_tape(project: Project, mode: str) -> None:
    project.write("test_two.py", TWO)
    project.run("--spycatcher=once")
    project.write("test_two.py", TWO.replace('ask("two")', 'ask("new")'))
    project.run().assert_outcomes(passed=1, failed=1)
    project.run(f"--spycatcher={mode}").assert_outcomes(passed=2)
    assert project.questions(TAPES[1]) == ["new", "three"]
    project.run().assert_outcomes(passed=2)


def test_off_records_nothing(project: Project) -> None:
    project.write("test_two.py", TWO)
    result = project.run("--spycatcher=off")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["tapes: 2 passed through"])
    assert len(project.upstream.requests) == 3
    assert project.tapes() == []


@pytest.mark.parametrize(
    ("ini", "arguments", "records"),
    [
        pytest.param("", (), False, id="default"),
        pytest.param("spycatcher_mode = once\n", (), False, id="ini alone does not record in CI"),
        pytest.param("spycatcher_mode = once\nspycatcher_record_in_ci = true\n", (), True, id="ini says so"),
        pytest.param("", ("--spycatcher=once",), True, id="command line says so"),
    ],
)
def test_ci_records_only_when_told_so(project: Project, ini: str, arguments: tuple[str, ...], records: bool) -> None:
    project.write("test_two.py", TWO)
    project.write("pytest.ini", f"[pytest]\n{ini}")
    project.monkeypatch.setenv("CI", "true")
    project.run(*arguments).assert_outcomes(**({"passed": 2} if records else {"errors": 2}))
    assert project.tapes() == (TAPES if records else [])


def test_the_ini_key_holds_elsewhere_and_the_command_line_wins(project: Project) -> None:
    project.write("test_two.py", TWO)
    project.write("pytest.ini", "[pytest]\nspycatcher_mode = once\n")
    project.run("--spycatcher=replay").assert_outcomes(errors=2)
    project.run().assert_outcomes(passed=2)
    assert project.tapes() == TAPES


def test_marker_and_fixture_choose_modes_below_the_command_line(project: Project) -> None:
    project.write(
        "conftest.py", "import pytest\n\n@pytest.fixture(scope='module')\ndef spycatcher_config():\n    return {'mode': 'once'}\n"
    )
    project.write("test_two.py", TWO.replace("spycatcher\ndef test_one", "spycatcher(mode='replay')\ndef test_one"))
    project.run().assert_outcomes(passed=1, errors=1)
    assert project.tapes() == TAPES[1:]
    project.run("--spycatcher=once").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ("mode='onse'", "unknown spycatcher mode 'onse'; use one of replay, once"),
        ("unused='fial'", "unknown spycatcher unused 'fial'; use one of ignore, fail"),
        ("match_mod='keyed'", "unknown setting `match_mod` for a test; did you mean `match_mode`?"),
        ("match_mode='keyd'", "match_mode"),
        ("limits={'max_body_bytes': 1}", "`limits` holds for all tests of a run"),
        ("'../escape'", "'../escape' cannot be a cassette name"),
        ("'a', 'b'", "takes one cassette name"),
        ("listen=object()", "not JSON serializable"),
    ],
)
def test_wrong_settings_are_one_clear_error(project: Project, marker: str, said: str) -> None:
    project.write("test_two.py", TWO.replace("spycatcher\ndef test_one", f"spycatcher({marker})\ndef test_one"))
    result = project.run("--spycatcher=once", "-k", "test_one")
    result.assert_outcomes(errors=1, deselected=1)
    assert said in result.stdout.str()
    result.stdout.no_fnmatch_line("*Traceback*")


def test_an_unknown_mode_on_the_command_line_is_a_usage_error(project: Project) -> None:
    result = project.run("--spycatcher=record")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--spycatcher*invalid choice: *record*"])


def test_a_fixture_that_fails_in_its_own_teardown_makes_the_test_a_failed_one(project: Project) -> None:
    project.write(
        "test_it.py",
        "import pytest\nfrom llm import ask\n\n@pytest.fixture\ndef fussy():\n    yield\n    assert not 'tidy'\n\n"
        "@pytest.mark.spycatcher\ndef test_records(fussy):\n    ask('a')\n",
    )
    result = project.run("--spycatcher=once")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*assert not 'tidy'*", "not kept: cassettes/test_it/test_records.json (1 interaction)*"])
    assert not (project.path / "cassettes" / "test_it" / "test_records.json").exists()
