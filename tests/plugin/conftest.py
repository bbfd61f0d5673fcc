"""A project of its own for each test, with a small client, run by a pytest of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest

from scripts.stub_upstream import StubUpstream
from spycatcher_addon.edge.tape_reading import read_cassette
from tests.support.cli import COMMAND, FAKE_KEY, ROOT

CLIENT = '''
"""A client that takes its base URL from the environment, as the OpenAI SDK does."""
import json, os, urllib.error, urllib.request

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))

def ask(text, base_url=None, headers=(), **more):
    body = json.dumps({"model": "stub", "messages": [{"role": "user", "content": text}], **more}).encode()
    url = (base_url or os.environ["OPENAI_BASE_URL"]) + "/chat/completions"
    fields = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"], **dict(headers)}
    try:
        with OPENER.open(urllib.request.Request(url, body, fields), timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
'''


class Project:
    """A folder with tests in it."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, upstream: StubUpstream) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.upstream = upstream
        self.monkeypatch = monkeypatch
        for name in ("CI", "OPENAI_BASE_URL", "OPENAI_API_KEY", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # quick, and not decided by what happens to be installed
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.setenv("SPYCATCHER_HARNESS_COMMAND", " ".join(COMMAND))
        monkeypatch.setenv("SPYCATCHER_HARNESS_CMDS_AUTO_UPSTREAM__BASE_URL", upstream.base_url)
        monkeypatch.setenv("SPYCATCHER_HARNESS_CMDS_AUTO_UPSTREAM__API_KEY_ENV", "STUB_API_KEY")
        monkeypatch.setenv("STUB_API_KEY", FAKE_KEY)
        pytester.makepyfile(llm=CLIENT)

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, *arguments: str, plugins: Sequence[str] = ()) -> pytest.RunResult:
        """Run its tests in a process of their own, with our plugin and the given ones, by module name."""
        chosen = [argument for name in ("spycatcher_addon.pytest_plugin", *plugins) for argument in ("-p", name)]
        return self.pytester.runpytest_subprocess("-p", "no:cacheprovider", *chosen, *arguments, timeout=120)

    def tapes(self) -> list[str]:
        """Everything in all folders of tapes."""
        return sorted(str(path.relative_to(self.path)) for path in self.path.rglob("cassettes/**/*") if path.is_file())

    def questions(self, tape: str) -> list[str]:
        """What was asked on a tape."""
        interactions = read_cassette(self.path / tape).cassette.interactions
        return [json.loads(interaction.request.body)["messages"][-1]["content"] for interaction in interactions]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, upstream: StubUpstream) -> Iterator[Project]:
    """An empty project; recording goes to the stub upstream."""
    yield Project(pytester, monkeypatch, upstream)
