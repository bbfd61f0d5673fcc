"""CPU time per replayed answer: this project, stock mitmdump with a short script, and a bare server that does the least."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.benchmark import tapes
from scripts.benchmark.client import ask_all
from scripts.benchmark.processes import Server, mitmdump_command, reference_command, replay_command
from scripts.benchmark.report import Row, Table, Target
from scripts.benchmark.tapes import Kind
from spycatcher_addon.cassette.model import NonStreamResponse

CPU, RATE = "CPU us per answer", "answers per CPU s"


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is asked, how often, and what is good enough for this project's default lane."""

    kind: Kind
    count: int
    """Short tapes, so that they are held in memory; long ones have a table of their own."""
    at_most: float


SCENARIOS = (
    Scenario(tapes.SMALL, 1200, 2.5),
    Scenario(tapes.STREAM, 240, 2.5),
    Scenario(tapes.LARGE, 60, 1.0),
    Scenario(tapes.REPEATED, 60, 0.4),
)


def measure_replay(rounds: int, is_quick: bool) -> list[Table]:
    """A table per scenario; the candidates take turns, and each turn has a fresh server."""
    return [
        _measure(scenario, rounds, max(4, scenario.count // 40) if is_quick else scenario.count)
        for scenario in (SCENARIOS[:2] if is_quick else SCENARIOS)
    ]


def _measure(scenario: Scenario, rounds: int, count: int) -> Table:
    kind = scenario.kind
    with tempfile.TemporaryDirectory() as folder:
        tape = Path(folder) / "tape"
        tapes.write_tape(tape, kind, count)
        requests = [tapes.http_request(kind.request_body(number)) for number in range(count)]
        rows = {
            "bare asyncio + httptools": reference_command("keyed", str(tape)),
            "this project": replay_command(tape),
            "this project, flow lane": replay_command(tape),
            "stock mitmdump, short script": mitmdump_command(
                "mitmdump_replay.py", "reverse:http://127.0.0.1:9", f"tape={tape}", "connection_strategy=lazy"
            ),
        }
        made = {name: Row(name, targets=(Target(CPU, scenario.at_most),) if name == "this project" else ()) for name in rows}
        if nginx := nginx_command(Path(folder), kind):
            rows["nginx, one fixed file"] = nginx
            made["nginx, one fixed file"] = Row("nginx, one fixed file")
        for _ in range(rounds):
            for name, command in rows.items():
                settings = {"SPYCATCHER_HARNESS_CMDS_REPLAY_REPLAY__LANE": "flow"} if name.endswith("flow lane") else {}
                cpu_us = _cpu_per_answer_us(command, Path(folder), settings, requests)
                made[name].add(**{CPU: cpu_us, RATE: 1e6 / cpu_us})
        return Table(f"Replay, keyed: {kind.name}", (CPU, RATE), tuple(made.values()), ratio_of=CPU)


def _cpu_per_answer_us(command: Sequence[str], folder: Path, settings: dict[str, str], requests: list[bytes]) -> float:
    warm_up = len(requests) // 10
    with Server(command, folder, settings) as server:
        ask_all(server.port, requests[:warm_up])
        began_s = server.cpu_s()
        ask_all(server.port, requests[warm_up:])
        return (server.cpu_s() - began_s) / (len(requests) - warm_up) * 1e6


def nginx_command(folder: Path, kind: Kind) -> list[str] | None:
    """Nginx with one answer for everything, or ``None`` where it is not installed; it knows nothing of the request."""
    program = shutil.which("nginx")
    if program is None:
        return None
    answer = kind.response(0)
    (folder / "answer").write_bytes(answer.body if isinstance(answer, NonStreamResponse) else answer.raw_transcript)
    port = 20000 + time.monotonic_ns() % 20000
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}; server {{ listen 127.0.0.1:{port};\n"
        f"location / {{ error_page 405 =200 /answer; root {folder}; }} }} }}\n"
    )
    return ["sh", "-c", f"echo listening on 127.0.0.1:{port}; exec {program} -c {folder}/nginx.conf"]
