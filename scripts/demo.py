"""The whole story in one run: record a conversation with the real ``openai`` client, replay it offline, break it once.

Run it by ``scripts/demo``, which prepares the environment. Needs no key and no network: the provider is a stub on this
machine. The cassette stays in ``build/demo/`` (or the folder given as argument) for a look; any failure ends with exit
code 1 and a line that says why.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.stub_upstream import StubUpstream  # noqa: E402  (found through the line above)

FOLDER = Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else ROOT / "build" / "demo"
SHOWN_FOLDER = os.path.relpath(FOLDER)
CASSETTE_NAME = "conversation"
START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 15
SHOWN_COLUMNS = 120

WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather in a city, now.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


class DemoError(Exception):
    """The demo cannot go on; the text says why."""


@dataclass(frozen=True)
class Server:
    """A running ``record`` or ``replay``."""

    process: subprocess.Popen[str]
    base_url: str
    log: Path

    def stop(self) -> str:
        """Interrupt it as Ctrl-C does; returns what it reported on standard error."""
        self.process.send_signal(signal.SIGINT)
        try:
            code = self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise DemoError(f"the harness did not stop within {STOP_TIMEOUT_S} s") from None
        if code != 0:
            raise DemoError(f"the harness ended with exit code {code}:\n{self.report()}")
        return self.report()

    def report(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace").strip()


@contextmanager
def harness(subcommand: str, **more_env: str) -> Iterator[Server]:
    """``spycatcher-harness record`` or ``replay`` on a free port, in the demo's folder."""
    # Only what this run says: no configuration, key or proxy of the person who runs it.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("SPYCATCHER_", "OPENAI_", "XDG_"))}
    env |= {"HOME": str(FOLDER), "PYTHONUTF8": "1", **more_env}
    command = [sys.executable, "-m", "spycatcher_addon", subcommand, "--listen", "127.0.0.1:0"]
    command += ["--cassette-dir", str(FOLDER), "--cassette-name", CASSETTE_NAME]
    log = FOLDER / f"{subcommand}.log"
    with log.open("w", encoding="utf-8") as stderr:
        process = subprocess.Popen(command, cwd=FOLDER, env=env, stdout=subprocess.PIPE, stderr=stderr, encoding="utf-8")
    give_up = threading.Timer(START_TIMEOUT_S, process.kill)
    give_up.start()
    try:
        assert process.stdout is not None
        process.stdout.readline()  # listening on 127.0.0.1:PORT
        export = process.stdout.readline().strip()
        give_up.cancel()
        server = Server(process, export.partition("=")[2], log)
        if not server.base_url:
            process.wait(STOP_TIMEOUT_S)
            raise DemoError(f"`spycatcher-harness {subcommand}` did not start:\n{server.report()}")
        yield server
    finally:
        give_up.cancel()
        if process.poll() is None:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


# --- the conversation -----------------------------------------------------------------------------------------------


def make_client(base_url: str) -> Any:
    """A stock client with its default settings, retries included."""
    from openai import OpenAI

    return OpenAI(base_url=base_url, api_key="sk-fake-key-of-the-demo")


def ask_plainly(client: Any, question: str) -> Any:
    return client.chat.completions.create(model="stub/polite-1", messages=[{"role": "user", "content": question}])


def hold_conversation(client: Any) -> list[Any]:
    """One plain answer, one stream, one tool call; returns everything the client received, as plain values."""
    plain = ask_plainly(client, "What is the capital of France?")
    say(f"   plain     {plain.choices[0].message.content}")

    stream = client.chat.completions.create(
        model="stub/polite-1",
        messages=[{"role": "user", "content": "And of Italy?"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    say(f"   streamed  {text}  ({len(chunks)} chunks)")

    called = client.chat.completions.create(
        model="stub/polite-1", messages=[{"role": "user", "content": "Is it raining in Rome?"}], tools=[WEATHER_TOOL]
    )
    function = called.choices[0].message.tool_calls[0].function
    say(f"   tool call {function.name}({function.arguments})")
    return [plain.model_dump(), [chunk.model_dump() for chunk in chunks], called.model_dump()]


# --- the story ------------------------------------------------------------------------------------------------------


def say(text: str = "") -> None:
    print(text, flush=True)


def show_cassette() -> None:
    """Show what a reviewer would look at: the first question, and the beginning of the recorded stream."""
    path = FOLDER / CASSETTE_NAME
    lines = path.read_text(encoding="utf-8").splitlines()
    say(f"4. The cassette is a text file for your repository: {SHOWN_FOLDER}/{CASSETTE_NAME}, {len(lines)} lines. Two places in it:")
    for landmark, count in (('"body":', 14), ('"events":', 8)):
        start = next((number for number, line in enumerate(lines) if line.strip().startswith(landmark)), None)
        if start is None:
            raise DemoError(f"the cassette has no {landmark} line; look at {path}")
        for number, line in enumerate(lines[start : start + count], start + 1):
            say(f"   {number:4} | {line if len(line) <= SHOWN_COLUMNS else line[: SHOWN_COLUMNS - 1] + '…'}")
        say("      …")


def indent(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.splitlines())


def tell_story() -> None:
    from openai import APIStatusError

    FOLDER.mkdir(parents=True, exist_ok=True)
    for leftover in (*FOLDER.glob(f"{CASSETTE_NAME}*"), *FOLDER.glob("*.log")):
        leftover.unlink()

    with StubUpstream() as upstream:
        say(f"1. A stub provider stands in for the real one at {upstream.base_url}; `spycatcher-harness record` sits before it.")
        settings = {
            "SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__BASE_URL": upstream.base_url,
            "SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__API_KEY_ENV": "DEMO_API_KEY",
            "DEMO_API_KEY": "sk-fake-key-of-the-demo",
        }
        with harness("record", **settings) as recorder:
            recorded = hold_conversation(make_client(recorder.base_url))
            say(indent(recorder.stop()))
        asked = len(upstream.requests)
    say(f"2. The provider answered {asked} requests and is now switched off.")

    with harness("replay") as replayer:
        say("3. `spycatcher-harness replay` gets the same conversation:")
        replayed = hold_conversation(make_client(replayer.base_url))
        say(indent(replayer.stop()))
    if replayed != recorded:
        raise DemoError("the replayed answers differ from the recorded ones")
    say("   Every answer and every streamed chunk is equal to what was recorded.")

    show_cassette()

    with harness("replay") as replayer:
        say("5. A program that asks something else fails at once, and the client's exception says what changed:")
        try:
            ask_plainly(make_client(replayer.base_url), "What is the capital of Norway?")
        except APIStatusError as error:
            if "Norway" not in str(error):
                raise DemoError(f"the exception does not name the changed text: {error}") from None
            say(indent(f"openai.{type(error).__name__}: {error.message}"))
        else:
            raise DemoError("the changed request was answered; it should have been refused")
        replayer.stop()


WHAT_NEXT = """
That was all of it, without network or key. Next, with a real provider (README.md shows it step by step):
   OPENROUTER_API_KEY=... .venv/bin/spycatcher-harness record --upstream-kind openrouter
   then run your program with OPENAI_BASE_URL=http://127.0.0.1:8787/v1 in another terminal"""


def main() -> int:
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            del os.environ[name]  # everything here is on this machine
    try:
        tell_story()
    except DemoError as error:
        print(f"demo failed: {error}", file=sys.stderr)
        return 1
    except Exception as error:  # a newcomer gets one line, not a traceback
        print(f"demo failed: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    say(WHAT_NEXT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
