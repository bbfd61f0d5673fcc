"""docs/diagnostics.md is complete and true: each example in it is made again, by a harness over a socket.

``python -m tests.docs.test_diagnostics`` puts fresh examples into the page.
"""

from __future__ import annotations

import ast
import json
import re
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from scripts.stub_upstream import Send, StubUpstream, encode_response
from spycatcher_addon import answers, errors
from spycatcher_addon.config import LimitsConfig, MatchingConfig, MatchMode
from spycatcher_addon.edge import cli, serving
from tests.support.in_process import TAPE_NAME, InProcessHarness, record_config, replay_config
from tests.support.openai_clients import sync_client
from tests.support.raw_http import BodyEnd, RawResponse, ResponseHead, encode_json_request, encode_request, exchange

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "diagnostics.md"
PACKAGE = ROOT / "spycatcher_addon"
ANSWER = re.compile(r"^```json answer=(?P<name>\S+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
SDK_TEXT = re.compile(r"^```text sdk=(?P<name>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE_ROW = re.compile(
    r"^\| (?P<status>\d{3}) \| `(?P<kind>[a-z_]+)` \| (?P<connection>stays open|closes) \| `(?P<exception>\w+)` \|", re.MULTILINE
)

FRANCE = {"model": "m", "messages": [{"role": "user", "content": "Capital of France?"}], "temperature": 0.5}
ITALY = {"model": "m", "messages": [{"role": "user", "content": "Capital of Italy?"}], "temperature": 0.5}
NORWAY = {"model": "m", "messages": [{"role": "user", "content": "Capital of Norway?"}], "temperature": 0.5}


# --- the examples -------------------------------------------------------------------------------------------------------


def replayed(folder: Path, *requests: bytes, recorded: tuple[Any, ...] = (FRANCE, ITALY), **settings: Any) -> RawResponse:
    """Record ``recorded`` from a stub, then send ``requests`` to a replay of that; gives the last answer."""
    with StubUpstream() as upstream, InProcessHarness(record_config(folder, upstream.base_url)) as recorder:
        for value in recorded:
            assert exchange(recorder.addr, encode_json_request(value)).status == 200
    with InProcessHarness(replay_config(folder, **settings)) as replay:
        return [exchange(replay.addr, request) for request in requests][-1]


def hand_written_plain(folder: Path) -> RawResponse:
    """A plain answer that somebody put where a stream is asked for: without the mark that a recorder leaves."""
    asked = {**FRANCE, "stream": True}
    replayed(folder, encode_json_request(FRANCE))
    with StubUpstream() as upstream, InProcessHarness(record_config(folder, upstream.base_url)) as recorder:
        exchange(recorder.addr, encode_json_request(asked))
    path = folder / TAPE_NAME
    cassette = json.loads(path.read_bytes())
    plain, _, stream = cassette["interactions"]
    stream["response"] = plain["response"]
    cassette["interactions"] = [stream]
    path.write_text(json.dumps(cassette), encoding="utf-8")
    with InProcessHarness(replay_config(folder)) as replay:
        return exchange(replay.addr, encode_json_request(asked))


def recorded_without_key(folder: Path) -> RawResponse:
    with InProcessHarness(record_config(folder, "http://127.0.0.1:1/v1"), environ={}) as recorder:
        return exchange(recorder.addr, encode_json_request(FRANCE))


def recorded_without_upstream(folder: Path) -> RawResponse:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with InProcessHarness(record_config(folder, f"http://127.0.0.1:{port}/v1")) as recorder:
        return exchange(recorder.addr, encode_json_request(FRANCE))


def misfitting_ignore_path(folder: Path) -> RawResponse:
    matching = MatchingConfig(ignore_paths=("/metadata/run",))
    return replayed(folder, encode_json_request({**FRANCE, "metadata": ["a list"]}), matching=matching)


def unknown_tape(_: Path) -> RawResponse:
    """The answer as it is made; a server with many tapes is started in that server's own tests."""
    answer = answers.unknown_tape()
    return RawResponse(ResponseHead(answer.status, "", answer.headers, b""), answer.pieces, BodyEnd.COMPLETE)


EXAMPLES: dict[str, Callable[[Path], RawResponse]] = {
    "malformed_json": lambda folder: replayed(folder, encode_request(b'{"model": "m", ')),
    "malformed_request": lambda folder: replayed(folder, b"POST /v1/chat/completions HTTP/1.1\r\nbad name: 1\r\n\r\n"),
    "not_found": lambda folder: replayed(folder, encode_request(method="GET", target="/chat/completions")),
    "unknown_tape": unknown_tape,
    "method_not_allowed": lambda folder: replayed(folder, encode_request(method="GET")),
    "request_mismatch": lambda folder: replayed(folder, encode_json_request(NORWAY)),
    "request_mismatch/order": lambda folder: replayed(folder, encode_json_request(ITALY)),
    "request_mismatch/exhausted": lambda folder: replayed(
        folder, encode_json_request(FRANCE), encode_json_request(FRANCE), recorded=(FRANCE,)
    ),
    "request_mismatch/unknown": lambda folder: replayed(
        folder,
        encode_json_request({**ITALY, "temperature": 0.7}),
        match_mode=MatchMode.KEYED,
        matching=MatchingConfig(ignore_paths=("metadata.run_id",)),
    ),
    "request_mismatch/used": lambda folder: replayed(
        folder, encode_json_request(ITALY), encode_json_request(ITALY), match_mode=MatchMode.KEYED
    ),
    "request_too_large": lambda folder: replayed(folder, encode_request(b" " * 2000), limits=LimitsConfig(max_body_bytes=1000)),
    "request_head_too_large": lambda folder: replayed(
        folder, encode_request(b"{}", [("x-long", "y" * 2000)]), limits=LimitsConfig(max_header_bytes=1000)
    ),
    "internal": misfitting_ignore_path,
    "stream_cassette_required": hand_written_plain,
    "upstream_credentials_missing": recorded_without_key,
    "upstream_request_failed": recorded_without_upstream,
}


# --- the page -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def examples_in(page: str) -> dict[str, str]:
    return {match["name"]: match["body"] for match in ANSWER.finditer(page)}


def table_in(page: str) -> dict[str, tuple[int, str, str]]:
    """Per kind: status, what becomes of the connection, the SDK's exception."""
    return {row["kind"]: (int(row["status"]), row["connection"], row["exception"]) for row in TABLE_ROW.finditer(page)}


def calls(name: str, tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def test_every_kind_has_a_row_a_heading_and_an_example(page: str) -> None:
    tree = ast.parse((PACKAGE / "answers.py").read_text(encoding="utf-8"))
    kinds = {call.args[1].value for call in calls("_answer", tree) if isinstance(call.args[1], ast.Constant)}
    assert set(table_in(page)) == kinds
    assert {name.partition("/")[0] for name in EXAMPLES} == kinds
    assert set(examples_in(page)) == set(EXAMPLES)
    assert set(re.findall(r"^### `([a-z_]+)`$", page, re.MULTILINE)) == kinds


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_is_what_a_harness_answers(page: str, name: str, tmp_path: Path) -> None:
    answer = EXAMPLES[name](tmp_path)
    written = examples_in(page)[name]
    assert written == encode_example(answer)
    status, connection, _ = table_in(page)[name.partition("/")[0]]
    assert answer.status == status
    assert (answer.header("connection") == "close") is (connection == "closes")
    assert answer.header("content-type") == "application/json"
    assert answer.header("x-should-retry") == "false"
    assert answer.header("allow") == ("POST" if status == 405 else None)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if "/" not in name])
def test_the_sdk_raises_what_the_table_says(page: str, name: str, tmp_path: Path) -> None:
    status, _, exception = table_in(page)[name]
    body = json.loads(examples_in(page)[name])

    def respond(_: object) -> list[Any]:
        return [Send(encode_response(status, json.dumps(body).encode(), headers=[("x-should-retry", "false")]))]

    with StubUpstream(respond) as answering, sync_client(answering.base_url) as client, pytest.raises(openai.APIStatusError) as caught:
        client.chat.completions.create(model="m", messages=[])
    assert (type(caught.value).__name__, caught.value.code) == (exception, name)
    assert len(answering.requests) == 1
    shown = {match["name"]: match["text"] for match in SDK_TEXT.finditer(page)}
    if name in shown:
        assert shown[name] == sdk_text(body, exception, status)
        assert all(line in str(caught.value).replace("\\n", "\n") for line in body["error"]["message"].splitlines())


def test_every_error_of_the_start_is_named(page: str) -> None:
    leaves = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.HarnessError) and not value.__subclasses__()
    }
    assert {name for name in leaves if f"`{name}`" not in page} == set()


def test_every_log_line_is_explained(page: str) -> None:
    """The fixed parts of each warning and error that is logged stand in the page, in order."""
    words = re.sub(r"\s+", " ", page)
    missing = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("warning", "error")):
                continue
            if not (node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)):
                continue
            parts = [re.escape(part) for part in re.split(r"%[sdr]", node.args[0].value)]
            if not re.search(r"[^`|]*".join(parts), words):
                missing.append(f"{path.name}:{node.lineno}: {node.args[0].value}")
    assert missing == []


def test_every_exit_code_is_explained(page: str) -> None:
    codes = {0, cli.EXIT_FAILURE, cli.EXIT_USAGE, serving.EXIT_UNUSED}
    listed = {int(code) for code in re.findall(r"^\| (\d{1,3}) \| ", page.partition("## Exit codes")[2], re.MULTILINE)}
    assert codes <= listed


# --- writing the examples -----------------------------------------------------------------------------------------------


def encode_example(answer: RawResponse) -> str:
    return json.dumps(answer.json(), indent=2, ensure_ascii=False) + "\n"


def sdk_text(body: dict[str, Any], exception: str, status: int) -> str:
    return f"openai.{exception}: Error code: {status} - {body['error']['message']}\n"


def rewrite() -> None:
    """Put fresh examples into the page."""
    page = PAGE.read_text(encoding="utf-8")
    made: dict[str, RawResponse] = {}
    for name, run in EXAMPLES.items():
        with tempfile.TemporaryDirectory() as folder:
            made[name] = run(Path(folder))
    table = table_in(page)
    page = ANSWER.sub(lambda match: f"```json answer={match['name']}\n{encode_example(made[match['name']])}```", page)
    page = SDK_TEXT.sub(
        lambda match: "```text sdk={}\n{}```".format(
            match["name"], sdk_text(made[match["name"]].json(), table[match["name"]][2], made[match["name"]].status)
        ),
        page,
    )
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    rewrite()
