"""The words that settings choose from, and the address they name.

They stand apart from what they are settings of, so that help and completion can list them without loading it.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """What a harness does with the requests it gets."""

    RECORD = "record"
    REPLAY = "replay"
    VERIFY = "verify"
    AUTO = "auto"
    """Replay or record, as ``auto.mode`` says."""


class Protocol(StrEnum):
    """The API the harness exposes."""

    OPENAI_CHAT_COMPLETIONS = "openai_chat_completions"


class MatchMode(StrEnum):
    """How requests find their interactions."""

    SEQUENTIAL_STRICT = "sequential_strict"
    """In the recorded order, each exactly once."""
    KEYED = "keyed"
    """In any order: the first unused interaction with the same hash."""


class RecordMode(StrEnum):
    """When ``auto`` and the pytest plugin replay, and when they record."""

    REPLAY = "replay"
    """Replay; a missing tape is an error, and nothing ever goes upstream."""
    ONCE = "once"
    """Record when there is no tape, else replay."""
    NEW_EPISODES = "new_episodes"
    """Replay what the tape knows, record what it does not."""
    ALL = "all"
    """Record everything anew; what was recorded replaces the tape at the end."""
    REWRITE = "rewrite"
    """As ``all``, but the tape is replaced only when everything was recorded whole."""
    OFF = "off"
    """Pass everything through to the upstream; no tape is read or written."""


class Lane(StrEnum):
    """Which way replayed answers take."""

    AUTO = "auto"
    """The fast lane for ordinary requests where nobody looks at flows, else the flow lane."""
    FLOW = "flow"
    """The flow lane for all: every exchange is a flow of mitmproxy."""


class StreamSource(StrEnum):
    """What a replayed stream is made of."""

    EVENTS = "events"
    """The recorded events, printed canonically."""
    RAW = "raw"
    """The recorded transcript, byte for byte, in the chunks it came in."""


class ReportFormat(StrEnum):
    """What a report of a replay is written as."""

    JSONL = "jsonl"
    """JSON lines, while the replay serves."""
    JUNIT = "junit"
    """JUnit XML, at the end."""
    GITHUB = "github"
    """Workflow commands of GitHub Actions, at the end."""


class VerifyFormat(StrEnum):
    """What ``verify`` prints."""

    TEXT = "text"
    """Lines for people, in their language."""
    JSON = "json"
    """One document with everything."""
    GITHUB = "github"
    """Workflow commands of GitHub Actions."""
    JUNIT = "junit"
    """JUnit XML."""
    SARIF = "sarif"
    """SARIF 2.1.0, for code scanning."""


class TimingMode(StrEnum):
    """Where the times of a replayed answer come from."""

    OFF = "off"
    """Everything at once."""
    RECORDED = "recorded"
    """As the recorded chunks came."""
    SCALED = "scaled"
    """As recorded, times a factor."""
    FIXED = "fixed"
    """A first pause, then a steady rate."""
    REALISTIC = "realistic"
    """As recorded, each gap with some seeded jitter; the order never changes."""
    CI = "ci"
    """Preset: a short, steady rate that exercises streaming without costing time."""
    DEMO = "demo"
    """Preset: realistic, and readable where the tape has no times."""


class UpstreamKind(StrEnum):
    """A provider with a preset, or ``custom`` for any other OpenAI-compatible server."""

    OPENROUTER = "openrouter"
    OPENAI = "openai"
    DEEPSEEK = "deepseek"
    GROQ = "groq"
    TOGETHER = "together"
    MISTRAL = "mistral"
    AZURE = "azure"
    OLLAMA = "ollama"
    VLLM = "vllm"
    CUSTOM = "custom"

    @classmethod
    def _missing_(cls, value: object) -> UpstreamKind | None:
        return cls.OPENROUTER if value == "open_router" else None


class AuthScheme(StrEnum):
    """How the key is sent upstream."""

    BEARER = "bearer"
    """``authorization: Bearer KEY``"""
    API_KEY = "api-key"
    """``api-key: KEY``"""
    NONE = "none"
    """No key is read and none is sent."""


class UiKind(StrEnum):
    """Where exchanges can be watched."""

    NONE = "none"
    WEB = "web"
    """mitmweb, in a browser."""
    CONSOLE = "console"
    """mitmproxy's own interface, in the terminal."""


@dataclass(frozen=True, slots=True)
class ListenAddr:
    """An IP address and a TCP port; port 0 lets the system choose one.

    Raises:
        ValueError: ``host`` is not an IP address, or ``port`` is not in 0..65535.
    """

    host: str
    """IPv4 or IPv6 address without brackets; names are not accepted, so nothing is ever looked up."""
    port: int

    def __post_init__(self) -> None:
        ipaddress.ip_address(self.host)
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port {self.port} is not in 0..65535")

    @classmethod
    def parse(cls, text: str) -> ListenAddr:
        """Read ``IP:PORT`` or ``[IPv6]:PORT``.

        Raises:
            ValueError: It is something else, a host name for example.

        >>> ListenAddr.parse("[::1]:0")
        ListenAddr(host='::1', port=0)
        """
        host, colon, port = text.rpartition(":")
        is_bracketed = host.startswith("[") and host.endswith("]")
        # Brackets belong to IPv6 and only to it: without them "::1:80" could be read in two ways.
        if not colon or is_bracketed != (":" in host) or not re.fullmatch(r"[0-9]{1,5}", port):
            raise ValueError(f"{text!r} is not an IP address with a port")
        return cls(host.strip("[]"), int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
