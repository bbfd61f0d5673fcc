"""Secrets planted in every place an exchange has, and every spelling in which they must not come out again. All are made up."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

from spycatcher_addon.config import RedactionConfig
from tests.support.in_process import KEY_VARIABLE
from tests.support.raw_http import encode_json_request
from tests.support.secrets import BY_SHAPE, JWT

KEY = "fake upstream/key+0001"
NAMED = 'fake "named" wörd 42'
SHAPED = BY_SHAPE["openai-key"]
PLAIN = "a-secret-that-only-its-place-gives-away"
SECRETS = (KEY, NAMED, SHAPED, PLAIN, JWT)
ENVIRON = {KEY_VARIABLE: KEY, "FAKE_NAMED": NAMED}
REDACTION = RedactionConfig(secret_env=("FAKE_NAMED",), body_paths=("metadata.token",))


def all_escaped(text: str) -> str:
    """Every character as a JSON escape."""
    return "".join(f"\\u{ord(character):04x}" for character in text)


def spellings(secret: str) -> set[str]:
    """A secret as it must not stand in any file."""
    data = secret.encode()
    escaped = json.dumps(secret)[1:-1]
    texts = {
        secret, escaped, json.dumps(escaped)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], quote(secret, safe=""), quote(secret),
        all_escaped(secret), secret[: len(secret) * 2 // 3],
    }  # fmt: skip
    return texts | {base64.b64encode(data[start : start + (len(data) - start) // 3 * 3]).decode() for start in range(3)}


def assert_nothing_recoverable(text: str) -> None:
    """None of the secrets stands in a text, however it is spelled."""
    for secret in SECRETS:
        assert [spelling for spelling in spellings(secret) if spelling in text] == []


def planted(secret: str) -> dict[str, Any]:
    """A request body with a secret as it is, in JSON within JSON, in base64, percent-encoded, and one where a path names it."""
    nested = json.dumps({"inner": json.dumps({"key": secret})})
    return {
        "model": "m",
        "messages": [
            {"role": "user", "content": f"my key is {secret}, keep it"},
            {"role": "user", "content": nested},
            {"role": "user", "content": base64.b64encode(f"user:{secret}".encode()).decode()},
            {"role": "user", "content": f"https://x.test/?q={quote(secret, safe='')}"},
        ],
        "metadata": {"token": PLAIN, "run": 7},
    }


def request_bytes(body: dict[str, Any], secret: str, target: str = "/v1/chat/completions") -> bytes:
    """A whole request, with secrets in its query and headers too, some of them repeated."""
    query = f"?api_key={PLAIN}&q={quote(secret, safe='')}"
    headers = [
        ("Authorization", f"Bearer {SHAPED}"), ("Cookie", f"a={PLAIN}"), ("Cookie", f"b={JWT}"), ("X-Api-Key", SHAPED),
        ("X-Other", f"one {SHAPED}"), ("X-Other", f"two {JWT}"),
    ]  # fmt: skip
    return encode_json_request(body, headers, target + query)
