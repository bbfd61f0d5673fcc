"""A stand-in for an LLM provider on 127.0.0.1: polite by default, scripted misbehaviour on request.

Speaks just enough HTTP/1.1 over plain sockets to control every byte and every packet boundary. By default it answers
``POST …/chat/completions`` as a Chat Completions provider does, plain or as server-sent events, with an answer that
depends only on the request. A test replaces the answer to the next request by a list of steps:

    with StubUpstream() as upstream:
        upstream.script([Send(SSE_HEAD + chunk(b"data: 1\\n\\n")), Wait(seen), Send(LAST_CHUNK)])

Knows nothing of the harness: it stands where the provider would.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import ssl
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self, assert_never

POLL_S = 0.02
"""How often a waiting step looks whether the stub is being stopped."""


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """One request as it arrived."""

    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]
    """As sent: case, order and duplicates kept."""
    body: bytes
    """After transfer decoding."""
    head: bytes
    """The raw bytes up to and including the blank line."""
    connection: int
    """One-based number of the connection it came on."""

    def header(self, name: str) -> bytes | None:
        """The first value of a header field, by case-insensitive name."""
        wanted = name.lower().encode()
        return next((value for key, value in self.headers if key.lower() == wanted), None)

    def json(self) -> Any:
        """The body parsed as JSON.

        Raises:
            ValueError: The body is not JSON.
        """
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Send:
    """Send these bytes as one write."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Wait:
    """Hold everything back until the event is set; giving up is reported in :attr:`StubUpstream.problems`."""

    event: threading.Event
    timeout_s: float = 10.0


@dataclass(frozen=True, slots=True)
class Signal:
    """Set an event, so that a test knows the steps before it are done."""

    event: threading.Event


@dataclass(frozen=True, slots=True)
class Close:
    """Close the connection in the orderly way (FIN)."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Drop the connection with a TCP reset; bytes the peer has not read yet may be lost."""


@dataclass(frozen=True, slots=True)
class HalfClose:
    """Close the sending direction only, then read until the peer closes too."""


@dataclass(frozen=True, slots=True)
class Stall:
    """Send nothing more; ends when the peer closes or the stub is stopped."""


type Step = Send | Wait | Signal | Close | Reset | HalfClose | Stall
type Responder = Callable[[ReceivedRequest], Sequence[Step]]


# --- bytes of HTTP answers ------------------------------------------------------------------------------------------


def encode_head(status: int, headers: Iterable[tuple[str, str]], reason: str | None = None) -> bytes:
    """A status line and header section with its blank line."""
    if reason is None:
        reason = HTTPStatus(status).phrase if status in HTTPStatus else "Unknown"
    lines = [f"HTTP/1.1 {status} {reason}"]
    lines.extend(f"{name}: {value}" for name, value in headers)
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def encode_response(status: int, body: bytes, content_type: str = "application/json", headers: Iterable[tuple[str, str]] = ()) -> bytes:
    """A whole answer with a ``content-length``."""
    return encode_head(status, [("content-type", content_type), ("content-length", str(len(body))), *headers]) + body


def chunk(data: bytes) -> bytes:
    """One chunk of the chunked transfer coding (RFC 9112 section 7.1)."""
    return b"%x\r\n%s\r\n" % (len(data), data)


LAST_CHUNK = b"0\r\n\r\n"
SSE_HEAD = encode_head(200, [("content-type", "text/event-stream"), ("cache-control", "no-cache"), ("transfer-encoding", "chunked")])
"""Head of a chunked event stream; follow it with ``chunk(...)`` bytes and ``LAST_CHUNK``."""


# --- the default answers: Chat Completions --------------------------------------------------------------------------


def answer_chat_completions(request: ReceivedRequest) -> Sequence[Step]:
    """Answer like a Chat Completions provider; the same request always gets the same bytes.

    A request with ``tools`` whose last message is not a tool result is answered by a call of the first tool.
    """
    path = request.target.partition("?")[0]
    if not path.endswith("/chat/completions"):
        return [Send(_error_response(404, f"no route for {path}", request))]
    if request.method != "POST":
        return [Send(_error_response(405, f"{request.method} is not supported here", request))]
    try:
        asked = request.json()
    except ValueError:
        asked = None
    if not isinstance(asked, dict) or not isinstance(asked.get("messages"), list):
        return [Send(_error_response(400, "the body must be a JSON object with a list of messages", request))]
    if asked.get("stream") is True:
        return [Send(SSE_HEAD), *(Send(chunk(frame)) for frame in _stream_frames(asked)), Send(LAST_CHUNK)]
    return [Send(encode_response(200, _plain_answer(asked)))]


def _error_response(status: int, message: str, request: ReceivedRequest) -> bytes:
    body = json.dumps({"error": {"message": message, "code": status}}).encode()
    response = encode_response(status, body)
    return response[: -len(body)] if request.method == "HEAD" else response


def _completion_id(asked: dict[str, Any]) -> str:
    return "chatcmpl-" + hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:24]


def _last_text(asked: dict[str, Any]) -> str:
    """The text of the last message that has one, whether a string or a list of parts."""
    for message in reversed(asked["messages"]):
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            return content
        if isinstance(content, list):
            return " ".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return ""


def _tool_call(asked: dict[str, Any]) -> tuple[str, str] | None:
    """Name and JSON arguments of the tool to call, or ``None`` for a text answer."""
    tools, last = asked.get("tools"), asked["messages"][-1] if asked["messages"] else {}
    if not tools or asked.get("tool_choice") == "none" or (isinstance(last, dict) and last.get("role") == "tool"):
        return None
    function = tools[0]["function"]
    properties = function.get("parameters", {}).get("properties", {})
    words = [word.strip("?!.,") for word in _last_text(asked).split()]
    value = words[-1] if words else "nothing"
    return function["name"], json.dumps(dict.fromkeys(properties, value))


def _usage(asked: dict[str, Any], answer: str) -> dict[str, int]:
    prompt, completion = len(json.dumps(asked["messages"]).split()), len(answer.split())
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _answer_text(asked: dict[str, Any]) -> str:
    return f"You asked: {_last_text(asked)!r} - and the stub says: naïve café ☕, every time."


def _plain_answer(asked: dict[str, Any]) -> bytes:
    call, text = _tool_call(asked), _answer_text(asked)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if call is not None:
        name, arguments = call
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_stub_1", "type": "function", "function": {"name": name, "arguments": arguments}}],
        }
    answer = {
        "id": _completion_id(asked),
        "object": "chat.completion",
        "created": 1700000000,
        "model": asked.get("model", "stub"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop" if call is None else "tool_calls"}],
        "usage": _usage(asked, text),
    }
    return json.dumps(answer, ensure_ascii=False).encode()


def _stream_frames(asked: dict[str, Any]) -> list[bytes]:
    """The encoded events of a streamed answer, keep-alive comments and ``[DONE]`` included."""

    def frame(choices: list[dict[str, Any]], **more: Any) -> bytes:
        value = {
            "id": _completion_id(asked),
            "object": "chat.completion.chunk",
            "created": 1700000000,
            "model": asked.get("model", "stub"),
            "choices": choices,
            **more,
        }
        return b"data: " + json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"

    def delta(finish_reason: str | None = None, **fields: Any) -> bytes:
        return frame([{"index": 0, "delta": fields, "finish_reason": finish_reason}])

    frames = [b": OPENROUTER PROCESSING\n\n", b": OPENROUTER PROCESSING\n\n", delta(role="assistant", content="")]
    call, text = _tool_call(asked), _answer_text(asked)
    if call is None:
        words = text.split(" ")
        frames.extend(delta(content=word if index == 0 else f" {word}") for index, word in enumerate(words))
        frames.append(delta(finish_reason="stop"))
    else:
        name, arguments = call
        start = {"index": 0, "id": "call_stub_1", "type": "function", "function": {"name": name, "arguments": ""}}
        frames.append(delta(tool_calls=[start]))
        pieces = [arguments[at : at + 7] for at in range(0, len(arguments), 7)]
        frames.extend(delta(tool_calls=[{"index": 0, "function": {"arguments": piece}}]) for piece in pieces)
        frames.append(delta(finish_reason="tool_calls"))
    options = asked.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage") is True:
        frames.append(frame([], usage=_usage(asked, text)))
    frames.append(b"data: [DONE]\n\n")
    return frames


# --- the server -----------------------------------------------------------------------------------------------------


class StubUpstream:
    """A threaded provider stub; use it as a context manager.

    Every counter and list may be read from any thread. ``stop`` ends all connections and joins all threads.
    """

    def __init__(self, respond: Responder = answer_chat_completions, tls_context: ssl.SSLContext | None = None, port: int = 0) -> None:
        self._respond = respond
        self._tls_context = tls_context
        self._changed = threading.Condition()
        self._answer_scripts: deque[Sequence[Step]] = deque()
        self._accept_scripts: deque[Sequence[Step]] = deque()
        self._requests: list[ReceivedRequest] = []
        self._problems: list[str] = []
        self._connection_count = 0
        self._open: dict[int, socket.socket] = {}
        self._threads: list[threading.Thread] = []
        self._stopping = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", port), backlog=256)
        self.port: int = self._listener.getsockname()[1]
        self._start_thread(self._accept_connections)

    @property
    def base_url(self) -> str:
        """What a client or the harness is configured with; requests go to ``{base_url}/chat/completions``."""
        return f"{'http' if self._tls_context is None else 'https'}://127.0.0.1:{self.port}/api/v1"

    @property
    def requests(self) -> list[ReceivedRequest]:
        """All requests received whole, oldest first."""
        with self._changed:
            return list(self._requests)

    @property
    def connection_count(self) -> int:
        """How many TCP connections were accepted, used or not."""
        with self._changed:
            return self._connection_count

    @property
    def open_connection_count(self) -> int:
        """How many connections are open now."""
        with self._changed:
            return len(self._open)

    @property
    def problems(self) -> list[str]:
        """What went wrong on this side: a :class:`Wait` that timed out, a peer that broke the HTTP syntax."""
        with self._changed:
            return list(self._problems)

    def script(self, steps: Sequence[Step]) -> None:
        """Queue the answer to the next request that has none yet.

        After the last step the connection stays open for the next request, unless a step closed it.
        """
        with self._changed:
            self._answer_scripts.append(tuple(steps))

    def script_connection(self, steps: Sequence[Step]) -> None:
        """Queue steps that the next new connection runs before TLS and before any request is read."""
        with self._changed:
            self._accept_scripts.append(tuple(steps))

    def wait_for_requests(self, count: int, timeout_s: float = 10.0) -> None:
        """Return as soon as ``count`` requests have arrived.

        Raises:
            TimeoutError: They have not arrived in time.
        """
        self._wait_until(lambda: len(self._requests) >= count, f"{count} requests", timeout_s)

    def wait_for_no_connections(self, timeout_s: float = 10.0) -> None:
        """Return as soon as no connection is open.

        Raises:
            TimeoutError: A connection is still open after that time.
        """
        self._wait_until(lambda: not self._open, "the last connection to end", timeout_s)

    def stop(self) -> None:
        """Stop listening, end every connection, join every thread; a second call does nothing."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            pass  # wakes the thread that waits in accept()
        while True:
            with self._changed:
                for connection in self._open.values():
                    with contextlib.suppress(OSError):
                        socket.socket.shutdown(connection, socket.SHUT_RDWR)  # not TLS's own, which is not safe across threads
                thread = self._threads.pop() if self._threads else None
            if thread is None:
                break
            thread.join()
        self._listener.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    # --- threads --------------------------------------------------------------------------------------------------

    def _start_thread(self, target: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, name=f"stub-upstream-{self.port}", daemon=True)
        with self._changed:
            self._threads = [old for old in self._threads if old.is_alive()]
            thread.start()  # under the lock, so that nobody drops it as "not alive" before it runs
            self._threads.append(thread)

    def _accept_connections(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if self._stopping.is_set():
                connection.close()
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._changed:
                self._connection_count += 1
                number = self._connection_count
                self._open[number] = connection
                steps = self._accept_scripts.popleft() if self._accept_scripts else ()
                self._changed.notify_all()
            self._start_thread(self._serve_connection, number, connection, steps)

    def _serve_connection(self, number: int, connection: socket.socket, first_steps: Sequence[Step]) -> None:
        try:
            if not self._run_steps(connection, first_steps):
                return
            if self._tls_context is not None:
                with self._changed:  # one step for stop(): wrapping empties the plain socket object
                    connection = self._tls_context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
                    self._open[number] = connection
                connection.do_handshake()
            reader = _RequestReader(connection, number)
            while (request := reader.read_request()) is not None:
                with self._changed:
                    self._requests.append(request)
                    steps = self._answer_scripts.popleft() if self._answer_scripts else None
                    self._changed.notify_all()
                if not self._run_steps(connection, self._respond(request) if steps is None else steps):
                    return
        except _BadRequestError as error:
            self._report(f"connection {number}: {error}")
        except OSError:
            pass  # the peer left or the stub is stopping; both are ordinary here
        finally:
            connection.close()
            with self._changed:
                self._open.pop(number, None)
                self._changed.notify_all()

    def _run_steps(self, connection: socket.socket, steps: Sequence[Step]) -> bool:
        """Run the steps; ``False`` when the connection is finished."""
        for step in steps:
            match step:
                case Send(data):
                    connection.sendall(data)
                case Wait(event, timeout_s):
                    if not self._wait_for(event, timeout_s):
                        return False
                case Signal(event):
                    event.set()
                case Close():
                    _close_orderly(connection)
                    return False
                case Reset():
                    # Linger with time zero: close() discards what is unsent and sends RST.
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return False
                case HalfClose():
                    _close_orderly(connection)
                    _read_until_closed(connection)
                    return False
                case Stall():
                    _read_until_closed(connection)
                    return False
                case _:
                    assert_never(step)
        return True

    def _wait_for(self, event: threading.Event, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        while not event.wait(POLL_S):
            if self._stopping.is_set():
                return False
            if time.monotonic() > deadline:
                self._report(f"a Wait step gave up after {timeout_s} s")
                return False
        return True

    def _wait_until(self, is_done: Callable[[], bool], what: str, timeout_s: float) -> None:
        with self._changed:
            if not self._changed.wait_for(is_done, timeout_s):
                raise TimeoutError(f"the stub upstream waited {timeout_s} s for {what}")

    def _report(self, problem: str) -> None:
        with self._changed:
            self._problems.append(problem)


def _close_orderly(connection: socket.socket) -> None:
    if isinstance(connection, ssl.SSLSocket):
        # close_notify; the peer's own answer to it is not waited for.
        connection.settimeout(0.05)
        with contextlib.suppress(OSError):
            connection.unwrap()
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


def _read_until_closed(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.settimeout(None)
        while connection.recv(65536):
            pass


# --- reading requests -----------------------------------------------------------------------------------------------


class _BadRequestError(Exception):
    """The peer sent something that is not HTTP/1.1."""


class _RequestReader:
    """Reads whole requests from one connection, pipelined ones too."""

    def __init__(self, connection: socket.socket, number: int) -> None:
        self._connection = connection
        self._number = number
        self._buffer = b""

    def read_request(self) -> ReceivedRequest | None:
        """The next request, or ``None`` when the peer closed between requests.

        Raises:
            _BadRequestError: Not HTTP/1.1, or the peer closed in the middle of a request.
        """
        while b"\r\n\r\n" not in self._buffer:
            if not self._receive():
                if self._buffer:
                    raise _BadRequestError("closed in the middle of a request head")
                return None
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        first, *lines = head.split(b"\r\n")
        parts = first.split(b" ")
        if len(parts) != 3 or not parts[2].startswith(b"HTTP/1."):
            raise _BadRequestError(f"not an HTTP/1.1 request line: {first!r}")
        headers = []
        for line in lines:
            name, colon, value = line.partition(b":")
            if not colon:
                raise _BadRequestError(f"not a header line: {line!r}")
            headers.append((name, value.strip(b" \t")))
        body = self._read_body({name.lower(): value for name, value in headers})
        method, target = parts[0].decode("latin-1"), parts[1].decode("latin-1")
        return ReceivedRequest(method, target, tuple(headers), body, head + b"\r\n\r\n", self._number)

    def _read_body(self, headers: dict[bytes, bytes]) -> bytes:
        if headers.get(b"expect", b"").lower() == b"100-continue":
            self._connection.sendall(encode_head(100, []))
        if b"chunked" in headers.get(b"transfer-encoding", b"").lower():
            return self._read_chunked_body()
        return self._take(int(headers.get(b"content-length", b"0")))

    def _read_chunked_body(self) -> bytes:
        body = bytearray()
        while size := int(self._take_line().partition(b";")[0], 16):
            body += self._take(size)
            self._take_line()
        while self._take_line():
            pass  # trailers
        return bytes(body)

    def _take_line(self) -> bytes:
        while b"\r\n" not in self._buffer:
            self._receive_more()
        line, _, self._buffer = self._buffer.partition(b"\r\n")
        return line

    def _take(self, count: int) -> bytes:
        parts, missing = [], count
        while missing > len(self._buffer):
            parts.append(self._buffer)
            missing -= len(self._buffer)
            self._buffer = b""
            self._receive_more()
        parts.append(self._buffer[:missing])
        self._buffer = self._buffer[missing:]
        return b"".join(parts)

    def _receive_more(self) -> None:
        if not self._receive():
            raise _BadRequestError("closed in the middle of a request body")

    def _receive(self) -> bool:
        data = self._connection.recv(262144)
        self._buffer += data
        return bool(data)
