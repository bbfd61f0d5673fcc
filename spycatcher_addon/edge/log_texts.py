"""Log lines in the user's language: what the command shows a person while it serves.

Records are logged in English, for whoever uses the package as a library; the command looks them up here by the very text they
are logged with. Arguments stand behind the text, so that what a person copies from a line has no isolation marks in it.
"""

from __future__ import annotations

import logging
from typing import Final, NamedTuple

from spycatcher_addon.edge.cli_text import Texts


class LogText(NamedTuple):
    """A text that is logged, and what is printed behind it."""

    message_id: str
    english: str
    arguments: str = ""
    """In the style of :mod:`logging`."""


LOG_TEXTS: Final = (
    LogText("log-client-left", "not recorded: the client left before its answer was complete"),
    LogText("log-upstream-failed", "NOT RECORDED: the upstream failed", ": %s"),
    LogText("log-tape-unwritable", "NOT RECORDED: the cassette could not be written", ": %s"),
    LogText("log-recorder-failed", "NOT RECORDED: the recorder failed", " (%s)"),
    LogText("log-not-recorded", "NOT RECORDED", ": %s"),
    LogText("log-kept-failure", "kept as a failure; replay passes it over unless replay.include_failures is set", " (%s)"),
    LogText("log-error-status", "recorded an answer with error status", " %d"),
    LogText("log-recording-failed", "recording failed inside the harness; answered 500", " (%s)"),
    LogText("log-chunk-failed", "the recorder failed on a chunk; the stream goes on unrecorded", " (%s)"),
    LogText("log-replay-failed", "replay failed inside the harness; answered 500", " (%s)"),
    LogText("log-tape-not-found-for-request", "the request could not be given to its cassette; answered 500", " (%s)"),
    LogText("log-tape-changed", "the cassette was changed while it is being replayed; start replay again to use what is there now", ": %s"),
    LogText(
        "log-tape-replaced",
        "the cassette was replaced or removed while it is being replayed; going on with what it was, "
        "start replay again to use what is there now",
        ": %s",
    ),
    LogText("log-report-unwritable", "the replay report could not be written and stays incomplete", ": %s: %s"),
    LogText("log-refusal-unreported", "a refused request could not be reported", " (%s)"),
    LogText("log-fault", "fault in the answer of interaction", " %d: %s"),
    LogText("log-fault-idle", "a fault had nothing to change in interaction", " %d (%s): %s"),
    LogText("log-list-full", "the list is full: older exchanges leave it, and stay on the cassette (ui.keep)", ": %d"),
    LogText("log-resend-failed", "the request could not be sent once more", " (%s)"),
    LogText("log-tls-unusable", "a TLS client cannot be served: the certificate folder below the home directory is unusable", ": %s"),
)

REASONS: Final = {
    "the upstream never answered": "log-reason-no-answer",
    "the stream broke before its end": "log-reason-broken-stream",
    "SSE stream ended before the final event was complete": "log-reason-incomplete-event",
    "the request's content coding could not be undone; its body is kept as it came and was not searched for secrets": (
        "log-reason-request-coding"
    ),
    "the answer's content coding could not be undone; it is kept as its bytes came and was not searched for secrets": (
        "log-reason-answer-coding"
    ),
    "its answer had ambiguous or illegal headers": "log-reason-ambiguous-headers",
    "its answer was not valid HTTP": "log-reason-not-http",
    "the answer took too long (upstream.total_timeout_s or upstream.idle_timeout_s)": "log-reason-answer-too-long",
    "the connection attempt was given up": "log-reason-attempt-given-up",
    "the TLS handshake failed: its certificate is not trusted": "log-reason-untrusted-certificate",
    "the TLS handshake failed": "log-reason-tls-failed",
    "its host name could not be resolved": "log-reason-unknown-host",
    "the connection was refused": "log-reason-connection-refused",
    "its network could not be reached": "log-reason-network-unreachable",
    "the connection was reset": "log-reason-connection-reset",
    "the connection was closed before the answer was complete": "log-reason-connection-closed",
    "it switched protocols without being asked to": "log-reason-switched-protocols",
    "the connection timed out (upstream.connect_timeout_s)": "log-reason-connect-timed-out",
    "the connection could not be made": "log-reason-no-connection",
    "the connection broke before the answer was complete": "log-reason-connection-broke",
}
"""English sentence of a recorder, or kind of an upstream's failure -> id of its translation.

Others quote something and stay as they are.
"""

_BY_TEMPLATE: Final = {f"{text.english}{text.arguments}": text for text in LOG_TEXTS}


def localized_line(record: logging.LogRecord, texts: Texts) -> str:
    """The message of a log record in the language of ``texts``; in English where it is not one of ours."""
    arguments = record.args if isinstance(record.args, tuple) else ()
    arguments = tuple(texts(REASONS[each]) if isinstance(each, str) and each in REASONS else each for each in arguments)
    text = _BY_TEMPLATE.get(record.msg) if isinstance(record.msg, str) else None
    if text is not None:
        # Spaces around a colon differ from language to language; in the arguments themselves it stays as it is.
        behind = text.arguments.replace(": ", texts("cli-joiner-colon"))
        return texts(text.message_id) + (behind % arguments if arguments else "")
    if record.msg == "%s" and arguments:
        return str(arguments[0])
    return record.getMessage()
