"""The pytest plugin: the marker, the fixtures, and when a test fails because of its tape.

Needs the standard library and pytest only: the harness itself runs as a child process, maybe in an environment of its
own. What is needed only by tests that use a tape is imported by the first of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from spycatcher_addon.pytest_plugin.session import Session, Tape, Wanted

_MODES = ("replay", "once", "new_episodes", "all", "rewrite", "off")
_SESSION: pytest.StashKey[Session] = pytest.StashKey()
_USE: pytest.StashKey[_Use] = pytest.StashKey()
_WORKER_OUTPUT = "spycatcher"


class SpycatcherWarning(pytest.PytestWarning):
    """Something about a tape that does not fail the test, but is probably not meant."""


class _Use:
    """The tape of a running test, and what is known about the test."""

    def __init__(self, session: Session, tape: Tape, wanted: Wanted) -> None:
        self.session = session
        self.tape = tape
        self.wanted = wanted
        self.has_begun = False
        self.has_passed = False
        self.has_failed = False
        """Whether any report says so: a subtest fails without an exception of its test."""
        self.is_in_teardown = False
        self.is_over = False
        """Whether the fixture has been torn down; the tape is closed when all of the test's fixtures are."""
        self.told_refusals = 0
        """Of how many refused requests the failure text has told."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("spycatcher", "recorded conversations with LLM APIs (spycatcher-harness)")
    group.addoption(
        "--spycatcher",
        dest="spycatcher_mode",
        metavar="MODE",
        choices=_MODES,
        help="replay (the default), once: record missing tapes, new_episodes: add what is missing, all: record anew, "
        "rewrite: the same if everything goes well, off: ask the provider, record nothing",
    )
    group.addoption("--spycatcher-orphans", action="store_true", help="list the tapes that no test uses")
    parser.addini("spycatcher_mode", "what --spycatcher says when it is not given", default="replay")
    parser.addini("spycatcher_record_in_ci", "obey spycatcher_mode also where the variable CI is set", type="bool", default=False)
    parser.addini("spycatcher_command", "the command that starts spycatcher-harness", default="")
    parser.addini("spycatcher_unused", "ignore or fail: what recorded interactions that nobody asks for do to a test", default="ignore")
    parser.addini(
        "spycatcher_base_url_variables",
        "environment variables that hold the base URL while a test runs",
        type="args",
        default=["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    )
    parser.addini(
        "spycatcher_api_key_variables",
        "environment variables that hold a stand-in for the key while a test runs",
        type="args",
        default=["OPENAI_API_KEY"],
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "spycatcher(name=None, **settings): answer the test's LLM requests from a tape; settings as below [cmds.auto], "
        "and mode, unused, ignore_paths, cassette_dir",
    )


def _ask_for_the_fixture(item: pytest.Item) -> bool:
    """Let a marked test use the fixture; tells whether a test uses it."""
    names: list[str] | None = getattr(item, "fixturenames", None)
    if names is None:
        return False
    if "spycatcher" not in names and item.get_closest_marker("spycatcher") is not None:
        # First, so that every other fixture finds the variables set; a new list, as all parameter sets of a test share theirs.
        names = item.fixturenames = ["spycatcher", *names]  # type: ignore[attr-defined]
    return "spycatcher" in names


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:  # a conftest.py may have put marks on them
        _ask_for_the_fixture(item)


def pytest_itemcollected(item: pytest.Item) -> None:
    is_ours = _ask_for_the_fixture(item)
    if item.config.getoption("spycatcher_orphans"):
        _session(item.config).note_collected(item, is_ours)


@pytest.fixture(scope="session")
def spycatcher_config() -> Mapping[str, Any]:
    """Settings for all tests that use a tape; override it in a test file or conftest.py, in any scope."""
    return {}


@pytest.fixture
def spycatcher(request: pytest.FixtureRequest, spycatcher_config: Mapping[str, Any]) -> Iterator[Tape]:
    """The tape of this test. While the test runs, the OpenAI SDK's environment variables lead to it."""
    from spycatcher_addon.pytest_plugin.session import TapeError

    session = _session(request.config)
    try:
        wanted = session.wanted(request.node, spycatcher_config)
        tape = session.open_tape(wanted)
    except TapeError as error:
        raise pytest.fail.Exception(f"spycatcher: {error}", pytrace=False) from None
    use = _Use(session, tape, wanted)
    request.node.stash[_USE] = use
    patch = pytest.MonkeyPatch()
    for name, value in tape.env.items():
        patch.setenv(name, value)
    try:
        yield tape
    finally:
        patch.undo()
        use.is_over = True
        if not use.is_in_teardown:  # after an interrupt, where nobody comes by any more
            del request.node.stash[_USE]
            _close(use)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """Close the tape when every fixture is gone: one that fails in its own teardown makes the test a failed one too."""
    use = item.stash.get(_USE, None)
    if use is None:
        return (yield)
    use.is_in_teardown = True
    try:
        result = yield
    except BaseException:
        use.has_passed = False
        _close_if_over(item, use, suppress(pytest.fail.Exception))  # the first failure is the one to tell
        raise
    _close_if_over(item, use, nullcontext())
    return result


def _close_if_over(item: pytest.Item, use: _Use, keeping: AbstractContextManager[None]) -> None:
    use.is_in_teardown = False
    if use.is_over:
        del item.stash[_USE]
        with keeping:
            _close(use)


def _close(use: _Use) -> None:
    from spycatcher_addon.pytest_plugin.reports import describe_empty_recording, describe_refusals
    from spycatcher_addon.pytest_plugin.session import TapeError

    try:
        report = use.session.close_tape(use.tape, use.has_passed)
    except TapeError as error:
        raise pytest.fail.Exception(f"spycatcher: {error}", pytrace=False) from None
    if use.has_passed:
        warning = describe_empty_recording(report)
        if warning is not None:
            warnings.warn(SpycatcherWarning(warning), stacklevel=1)
    untold = describe_refusals(report, use.told_refusals)
    if untold is not None:
        pytest.fail(f"spycatcher: {'after' if use.has_begun else 'before'} the test itself, {untold}", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    use = item.stash.get(_USE, None)
    if use is None:
        return (yield)
    use.has_begun = True
    failure: BaseException | None = None
    result = None
    try:
        result = yield
    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
        failure = error
    text = _tape_failure(use, has_ended_well=failure is None)
    if (text is not None or failure is not None) and (log := use.tape.log()):
        item.add_report_section("call", "spycatcher", log)
    # A test may expect to fail, but not skip itself because its tape gave no answer: nobody would ever notice.
    if text is not None and not isinstance(failure, pytest.xfail.Exception):
        if failure is not None:
            item.add_report_section("call", "traceback", _short_traceback(failure, item.config))
        raise pytest.fail.Exception(text, pytrace=False) from None
    if failure is not None:
        raise failure
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    use = item.stash.get(_USE, None)
    if use is not None and report.when == "call":
        use.has_failed |= report.failed
        use.has_passed = report.passed and not use.has_failed
    return report


def _short_traceback(failure: BaseException, config: pytest.Config) -> str:
    """Only the project's own lines: how an SDK came to raise what the harness told it is of no interest."""

    def select_own(info: pytest.ExceptionInfo[BaseException]) -> Any:
        own = info.traceback.filter(
            lambda entry: config.rootpath in Path(entry.path).parents and "site-packages" not in Path(entry.path).parts
        )
        return own or info.traceback

    return str(pytest.ExceptionInfo.from_exception(failure).getrepr(style="short", chain=False, tbfilter=select_own))


def _tape_failure(use: _Use, has_ended_well: bool) -> str | None:
    """Why the tape fails the test, if it does; a test that swallowed its client's exceptions fails all the same."""
    from spycatcher_addon.pytest_plugin.reports import describe_refusals, describe_unused
    from spycatcher_addon.pytest_plugin.session import TapeError

    try:
        report = use.tape.report()
    except TapeError as error:
        return f"spycatcher: {error}"
    use.told_refusals = len(report.refusals)
    text = describe_refusals(report)
    if text is None and has_ended_well and use.wanted.unused == "fail":
        text = describe_unused(report)
    return None if text is None else f"spycatcher: {text}"


@pytest.hookimpl(trylast=True)  # after an interrupt, pytest tears down the running test here
def pytest_sessionfinish(session: pytest.Session) -> None:
    ours = session.config.stash.get(_SESSION, None)
    if ours is None:
        return
    ours.stop()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[_WORKER_OUTPUT] = ours.as_table()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """A worker of xdist has ended."""
    table = getattr(node, "workeroutput", {}).get(_WORKER_OUTPUT)
    if table is not None:
        _session(node.config).take_table(table)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    wants_orphans = config.getoption("spycatcher_orphans")
    ours = config.stash.get(_SESSION, None)
    if ours is None and not wants_orphans:
        return
    from spycatcher_addon.pytest_plugin.reports import summary_lines

    orphans = _session(config).orphans() if wants_orphans else []
    lines = list(summary_lines(_session(config).reports, orphans, is_verbose=config.getoption("verbose") > 0))
    if wants_orphans and not orphans:
        lines.append("orphaned: none")
    if lines:
        terminalreporter.section("spycatcher")
        for line in lines:
            terminalreporter.write_line(line)


def _session(config: pytest.Config) -> Session:
    ours = config.stash.get(_SESSION, None)
    if ours is None:
        from spycatcher_addon.pytest_plugin.session import Session

        ours = config.stash[_SESSION] = Session(config)
    return ours
