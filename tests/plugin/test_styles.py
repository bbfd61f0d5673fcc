"""The ways people write tests: coroutines, threads, subprocesses, classes, fixtures, parameters, workers, any order."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project

ENVIRONMENT = """
import os
import pytest

BEFORE = dict(os.environ)

@pytest.fixture(autouse=True)
def restored():
    yield
    # Set up before the tape's own fixture or after it, this one only ever sees one of two states.
    assert os.environ.get("OPENAI_BASE_URL") in (BEFORE.get("OPENAI_BASE_URL"), os.environ.get("OPENAI_API_BASE"))

@pytest.mark.spycatcher
def test_set(spycatcher):
    assert os.environ["OPENAI_BASE_URL"] == os.environ["OPENAI_API_BASE"] == spycatcher.base_url
    assert os.environ["OPENAI_API_KEY"] == spycatcher.api_key
    assert "/_tape/" in spycatcher.base_url and spycatcher.base_url.endswith("/v1")
    assert str(spycatcher.path).endswith("cassettes/test_it/test_set.json")
    assert spycatcher.mode == "once"
    assert dict(os.environ, **spycatcher.env) == dict(os.environ)
    assert spycatcher.report().matched == 0

def test_put_back():
    ours = {"PYTEST_CURRENT_TEST"}
    assert {k: v for k, v in os.environ.items() if k not in ours} == {k: v for k, v in BEFORE.items() if k not in ours}
"""


@pytest.mark.parametrize("given", [{}, {"OPENAI_BASE_URL": "http://own.invalid/v1", "OPENAI_API_KEY": "sk-fake-own"}])
def test_the_environment_is_set_for_the_test_and_put_back(project: Project, given: dict[str, str]) -> None:
    for name, value in given.items():
        project.monkeypatch.setenv(name, value)
    project.write("test_it.py", ENVIRONMENT)
    project.run("--spycatcher=once", "-W", "ignore::spycatcher_addon.pytest_plugin.SpycatcherWarning").assert_outcomes(passed=2)


def test_proxies_are_kept_out_of_the_way(project: Project) -> None:
    project.monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    project.monkeypatch.setenv("NO_PROXY", "internal.example")
    project.write(
        "test_it.py",
        """
import os, urllib.request
import pytest

@pytest.mark.spycatcher
def test_direct():
    assert os.environ["NO_PROXY"] == os.environ["no_proxy"] == "internal.example,127.0.0.1"
    assert urllib.request.proxy_bypass("127.0.0.1")
""",
    )
    project.run("--spycatcher=off").assert_outcomes(passed=1)


STYLES = """
import asyncio, os, subprocess, sys, threading, unittest
from concurrent.futures import ThreadPoolExecutor
import pytest
from llm import ask

@pytest.fixture
def base_url_in_a_fixture():
    return os.environ["OPENAI_BASE_URL"]

@pytest.mark.spycatcher
def test_fixtures_see_the_variables(base_url_in_a_fixture):
    assert ask("fixture", base_url=base_url_in_a_fixture)[0] == 200

def test_without_marker(spycatcher):
    assert ask("fixture only")[0] == 200

@pytest.mark.spycatcher(match_mode="keyed")
def test_threads():
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, [f"thread {n}" for n in range(8)]))
    assert [status for status, _ in answers] == [200] * 8
    assert all(f"thread {n}" in text for n, (_, text) in enumerate(answers))

@pytest.mark.spycatcher
def test_subprocess():
    code = "import llm; assert llm.ask('child')[0] == 200"
    subprocess.run([sys.executable, "-c", code], check=True)

@pytest.mark.spycatcher
class TestClass:
    def test_method(self):
        assert ask("method")[0] == 200

    class TestInner:
        @pytest.mark.spycatcher("given name")
        def test_named(self):
            assert ask("named")[0] == 200

class TestCase(unittest.TestCase):
    @pytest.mark.spycatcher
    def test_unittest(self):
        self.assertEqual(ask("unittest")[0], 200)

@pytest.mark.spycatcher
@pytest.mark.parametrize("text", ["a", "A", "x/../y", "c:d*?", "ü" * 60, "", "a b"])
def test_parameters(text):
    assert ask("parameter " + text)[0] == 200

def test_unmarked():
    assert "OPENAI_BASE_URL" not in os.environ
"""


def test_styles_record_and_replay(project: Project) -> None:
    project.write("tests/deep/test_it.py", STYLES)
    project.run("--spycatcher=once").assert_outcomes(passed=15)
    tapes = project.tapes()
    assert all(tape.startswith("tests/deep/cassettes/test_it/") and tape.endswith(".json") and tape.isascii() for tape in tapes)
    names = [tape.rpartition("/")[2].removesuffix(".json") for tape in tapes]
    assert len(names) == 14
    assert {"TestClass.test_method", "given name", "TestCase.test_unittest", "test_parameters-a"} <= set(names)
    assert len({name.lower() for name in names}) == len(names), "no two differ in case only"
    seen = project.upstream.connection_count
    project.run("--spycatcher=replay").assert_outcomes(passed=15)
    assert project.upstream.connection_count == seen


LATE = """
import os
import pytest
from llm import ask

@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.spycatcher), 3])
def test_parameter_set(number):
    assert ("OPENAI_BASE_URL" in os.environ) == (number == 2)
    assert number != 2 or ask("a")[0] == 200

def test_marked_by_conftest():
    assert ask("b")[0] == 200

def test_asks_within(request):
    request.getfixturevalue("spycatcher")
    assert ask("c")[0] == 200
"""
MARKING = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if "conftest" in item.name:
            item.add_marker(pytest.mark.spycatcher)
"""


def test_marks_on_single_parameter_sets_and_marks_put_on_later(project: Project) -> None:
    project.write("test_it.py", LATE)
    project.write("conftest.py", MARKING)
    project.run("--spycatcher=once").assert_outcomes(passed=5)
    names = ["test_asks_within", "test_marked_by_conftest", "test_parameter_set-2"]
    assert project.tapes() == [f"cassettes/test_it/{name}.json" for name in names]
    project.run("--spycatcher=replay").assert_outcomes(passed=5)


ASYNC = """
import asyncio
import pytest
from llm import ask

async def ask_all(*texts):
    return [status for status, _ in await asyncio.gather(*(asyncio.to_thread(ask, text) for text in texts))]

{mark}
@pytest.mark.spycatcher(match_mode="keyed")
async def test_coroutine():
    assert await ask_all("a", "b", "c") == [200] * 3

{mark}
@pytest.mark.spycatcher
async def test_mismatch():
    await ask_all("known" if {known} else "unknown")
"""


@pytest.mark.parametrize(
    ("plugin", "mark"), [("pytest_asyncio.plugin", "@pytest.mark.asyncio"), ("anyio.pytest_plugin", "@pytest.mark.anyio")]
)
def test_coroutines(project: Project, plugin: str, mark: str) -> None:
    pytest.importorskip(plugin.partition(".")[0])
    quiet = ("-W", "ignore::pytest.PytestDeprecationWarning")
    project.write("conftest.py", "import pytest\n\n@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'\n")
    project.write("test_it.py", ASYNC.format(mark=mark, known=True))
    project.run("--spycatcher=once", *quiet, plugins=[plugin]).assert_outcomes(passed=2)
    project.run(*quiet, plugins=[plugin]).assert_outcomes(passed=2)
    project.write("test_it.py", ASYNC.format(mark=mark, known=False))
    result = project.run(*quiet, plugins=[plugin])
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(['changed: canonical_body.messages[[]0[]].content: "known" -> "unknown"'])


CONFIGURED = """
import json, uuid
import pytest
from llm import ask

@pytest.fixture(scope="{scope}")
def spycatcher_config():
    return {{"ignore_paths": ["metadata.run"], "cassette_dir": "tapes"}}

@pytest.mark.spycatcher(match_mode="keyed", redaction={{"extra_drop_headers": ["x-secret"]}})
def test_volatile():
    for text in {texts}:
        assert ask(text, metadata={{"run": str(uuid.uuid4())}}, headers={{"x-secret": "classified"}})[0] == 200
"""


@pytest.mark.parametrize("scope", ["function", "module", "session"])
def test_the_configuration_fixture_has_any_scope_and_the_marker_adds_to_it(project: Project, scope: str) -> None:
    project.write("test_it.py", CONFIGURED.format(scope=scope, texts=["a", "b"]))
    project.run("--spycatcher=once").assert_outcomes(passed=1)
    project.write("test_it.py", CONFIGURED.format(scope=scope, texts=["b", "a"]))
    project.run().assert_outcomes(passed=1)
    text = (project.path / "tapes/test_it/test_volatile.json").read_text(encoding="utf-8")
    assert "classified" not in text and "/metadata/run" in text


MANY = """
import pytest
from llm import ask

@pytest.mark.spycatcher
@pytest.mark.parametrize("number", range(12))
def test_many(number):
    assert str(number) in ask(f"number {number}")[1]
"""


def test_workers_share_the_summary_and_not_the_server(project: Project) -> None:
    pytest.importorskip("xdist")
    project.write("test_it.py", MANY)
    recording = project.run("--spycatcher=once", "-n", "3", plugins=["xdist.plugin"])
    recording.assert_outcomes(passed=12)
    recording.stdout.fnmatch_lines(["tapes: 12 recorded", "recorded: cassettes/test_it/test_many-0.json (1 interaction)"])
    (project.path / "cassettes/test_it/test_many-gone.json").write_bytes((project.path / "cassettes/test_it/test_many-0.json").read_bytes())
    replay = project.run("-n", "3", "--spycatcher-orphans", plugins=["xdist.plugin"])
    replay.assert_outcomes(passed=12)
    replay.stdout.fnmatch_lines(["tapes: 12 replayed", "orphaned: cassettes/test_it/test_many-gone.json"])


def test_any_order(project: Project) -> None:
    pytest.importorskip("pytest_randomly")
    project.write("test_it.py", MANY)
    for mode, seed in (("once", "1"), ("replay", "2"), ("replay", "3")):
        project.run(f"--spycatcher={mode}", "--randomly-seed", seed, plugins=["pytest_randomly"]).assert_outcomes(passed=12)


ORPHANS = """
import pytest
from llm import ask

@pytest.mark.spycatcher
def test_a():
    ask("a")

@pytest.mark.spycatcher("shared/b")
def test_b():
    ask("b")
"""


def test_orphans_are_the_tapes_no_collected_test_uses(project: Project) -> None:
    project.write("test_it.py", ORPHANS)
    project.write("test_other.py", ORPHANS.replace("shared/b", "other"))
    project.run("--spycatcher=once").assert_outcomes(passed=4)
    tape = (project.path / "cassettes/test_it/test_a.json").read_text(encoding="utf-8")
    for orphan in ("cassettes/test_it/gone.json", "cassettes/test_gone/test_a.json", "deeper/cassettes/test_x/test_y.json"):
        project.write(orphan, tape)
    project.write("cassettes/test_it/of-another-tool.json", "{}")

    def orphans(*arguments: str) -> list[str]:
        lines = project.run("--spycatcher-orphans", *arguments).outlines
        return [line.removeprefix("orphaned: ") for line in lines if line.startswith("orphaned: ")]

    everything = ["cassettes/test_gone/test_a.json", "cassettes/test_it/gone.json", "deeper/cassettes/test_x/test_y.json"]
    assert orphans() == everything
    assert orphans("-k", "test_b") == everything, "tests that were not chosen have tapes all the same"
    assert orphans("--collect-only") == everything
    assert orphans("test_it.py") == ["cassettes/test_it/gone.json"]
    assert orphans("test_other.py") == ["none"]
