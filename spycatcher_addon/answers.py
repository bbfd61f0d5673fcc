"""Every answer the harness makes itself: one JSON shape, and a message a stock SDK can print (docs/diagnostics.md).

Protocol, not user interface: never localized. Every answer carries ``x-should-retry: false``, because the OpenAI SDK would
otherwise repeat a 409 or a 5xx and turn one mismatch into three. Messages name settings, never hosts, keys or variables.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from spycatcher_addon.cassette.diff import excerpt
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.matching import InteractionPosition, MismatchDiagnostic, PositionKind
from spycatcher_addon.choices import MatchMode
from spycatcher_addon.exchange import Headers, ReplayResponse

_SHORT_HASH = 12
_NO_FIELD_DIFFERS = (
    "No field differs: either the sign of a zero does, or the stable_hash in the cassette is not that of its request (edited by hand?)."
)


def malformed_json(detail: str) -> ReplayResponse:
    """400: the request body is not JSON, so there is nothing to compare."""
    return _answer(
        400,
        "malformed_json",
        "chat completions replay requires a valid JSON request body"
        f": {detail}. Nothing was consumed; send the request the cassette was recorded with",
    )


def malformed_request(detail: str) -> ReplayResponse:
    """400: the bytes are not an HTTP request the harness takes; the connection closes after this answer."""
    return _answer(400, "malformed_request", f"the request could not be read as HTTP: {detail}", headers=(("connection", "close"),))


def not_found(path: str, known: Sequence[str]) -> ReplayResponse:
    """404: no endpoint has this path."""
    return _answer(
        404,
        "not_found",
        f"no endpoint at {path}; the harness answers {', '.join(f'POST {each}' for each in known)}. "
        "Check the base URL of the client: it ends in /v1",
    )


def unknown_tape() -> ReplayResponse:
    """404: one server holds many tapes, and the request names none that is in use."""
    return _answer(
        404,
        "unknown_tape",
        "the request names no tape in use: neither does its path begin with /_tape/TOKEN/, nor is there a header x-spycatcher-tape. "
        "Take the base URL from OPENAI_BASE_URL while the test runs; a tape is closed when its test ends",
    )


def method_not_allowed(method: str, path: str, allow: str) -> ReplayResponse:
    """405: the path is known, the method is not."""
    return _answer(405, "method_not_allowed", f"{method} is not answered at {path}; use {allow}", headers=(("allow", allow),))


def request_too_large(limit_bytes: int) -> ReplayResponse:
    """413: the request body passes the configured limit; the connection closes after this answer."""
    return _answer(
        413,
        "request_too_large",
        f"the request body is larger than {limit_bytes} bytes; raise limits.max_body_bytes if that is meant",
        headers=(("connection", "close"),),
    )


def request_head_too_large(limit: str, setting: str) -> ReplayResponse:
    """431: the request head passes a configured limit; the connection closes after this answer."""
    return _answer(
        431,
        "request_head_too_large",
        f"the request head has more than {limit}; raise {setting} if that is meant",
        headers=(("connection", "close"),),
    )


def stream_cassette_required(index: int) -> ReplayResponse:
    """501: a stream was asked for and a hand-written plain answer is what the cassette has."""
    return _answer(
        501,
        "stream_cassette_required",
        "streaming chat completions replay requires a recorded stream response"
        f': interaction {index} holds a plain one. Record it again, or mark it with "answers_stream": true',
    )


def internal(doing: str, detail: str = "") -> ReplayResponse:
    """500: the harness itself failed; ``doing`` is ``replay`` or ``record``, ``detail`` the cause and cure where they can be told."""
    more = f": {detail}" if detail else "; the log on standard error says more"
    return _answer(500, "internal", f"{doing} request failed{more}")


def upstream_credentials_missing() -> ReplayResponse:
    """502: recording needs a key and the environment has none."""
    return _answer(
        502,
        "upstream_credentials_missing",
        "upstream credentials are not configured: the environment variable named by the setting upstream.api_key_env is unset, "
        "empty or not usable. Set it where the recorder runs, or set upstream.auth to none; nothing was sent",
    )


def upstream_request_failed(cause: str) -> ReplayResponse:
    """502: the upstream could not be reached or broke before its answer began."""
    return _answer(502, "upstream_request_failed", f"upstream request failed: {cause}. Nothing was recorded")


def request_mismatch(
    diagnostic: MismatchDiagnostic, match_mode: MatchMode, ignore_paths: Sequence[str], normalize: Sequence[str] = ()
) -> ReplayResponse:
    """409: the cassette holds no interaction for this request at this point.

    Args:
        normalize: Names of the normalize rules in force.
    """
    more: dict[str, JsonValue] = {
        "position": diagnostic.position.as_json(),
        "expected_hash": diagnostic.expected_hash,
        "observed_hash": diagnostic.observed_hash,
        "diff_summary": diagnostic.diff_summary,
        "ignored_paths": list(ignore_paths),
    }
    if normalize:
        more["normalize"] = list(normalize)
    if diagnostic.nearest_index is not None:
        more["nearest_index"] = diagnostic.nearest_index
    message = "\n".join(
        [
            f"replay request did not match the cassette: {_what_was_expected(diagnostic, match_mode)}",
            *_what_differs(diagnostic),
            f"Ignored paths: {', '.join(ignore_paths) if ignore_paths else 'none'}.",
            *([f"Normalized: {', '.join(normalize)}."] if normalize else []),
            _what_next(diagnostic),
        ]
    )
    return _answer(409, "request_mismatch", message, more)


def _what_was_expected(diagnostic: MismatchDiagnostic, match_mode: MatchMode) -> str:
    position: InteractionPosition = diagnostic.position
    observed = diagnostic.observed_hash[:_SHORT_HASH]
    if position.kind is PositionKind.EXPECTED:
        return (
            f"interaction {position.value} was expected next ({match_mode.value}, hash {diagnostic.expected_hash[:_SHORT_HASH]}), "
            f"the request has hash {observed}."
        )
    if position.kind is PositionKind.EXHAUSTED:
        used_up = f"all {position.value} interactions are used up" if position.value else "it holds no interactions"
        return f"{used_up}, the request has hash {observed}."
    if diagnostic.is_already_consumed:
        return (
            f"every interaction with hash {observed} is already used, "
            f"last interaction {diagnostic.nearest_index} of {position.value} (each answers once)."
        )
    nearest = "" if diagnostic.nearest_index is None else f" The nearest is interaction {diagnostic.nearest_index}:"
    return f"none of its {position.value} interactions has hash {observed}.{nearest}"


def _what_differs(diagnostic: MismatchDiagnostic) -> list[str]:
    if diagnostic.differences:
        return [excerpt(diagnostic.differences)]
    was_compared = diagnostic.position.kind is PositionKind.EXPECTED or (
        diagnostic.nearest_index is not None and not diagnostic.is_already_consumed
    )
    return [_NO_FIELD_DIFFERS] if was_compared else []


def _what_next(diagnostic: MismatchDiagnostic) -> str:
    seen = f"The same request is recorded as interaction {', '.join(map(str, diagnostic.seen_at))}" if diagnostic.seen_at else ""
    if diagnostic.position.kind is PositionKind.EXHAUSTED or diagnostic.is_already_consumed:
        return (
            f"{f'{seen}. ' if seen else ''}A replay goes through its cassette once: start it again for another run of the program, "
            "or record the cassette again if the program now sends more requests."
        )
    if seen:
        return (
            f"{seen}: the order or the number of requests changed. If the order may vary, use --match-mode keyed; "
            "otherwise record the cassette again. Nothing was consumed."
        )
    return "If the change is meant, record the cassette again; if the field is volatile, name it with --ignore-path. Nothing was consumed."


def message_of(reply: ReplayResponse) -> str:
    """The message in an answer of ours."""
    message: str = json.loads(reply.body)["error"]["message"]
    return message


def _answer(status: int, kind: str, message: str, more: dict[str, JsonValue] | None = None, headers: Headers = ()) -> ReplayResponse:
    body = {"error": {"kind": kind, "message": message, "type": kind, "code": kind, **(more or {})}}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return ReplayResponse(
        status=status,
        headers=(("content-type", "application/json"), ("x-should-retry", "false"), *headers),
        pieces=(text.encode("utf-8", "replace"),),
        error_kind=kind,
    )
