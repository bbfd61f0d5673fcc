"""Fake credentials of real length, and real-looking traffic without any. All of it is made up."""

from __future__ import annotations

import base64
import json

_LETTERS = "fakeFAKE0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789fakefakefake"


def _fake(length: int) -> str:
    return (_LETTERS * 2)[:length]


JWT = ".".join(
    base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
    for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": "fake"}, {"fake": "signature"})
)
PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nRkFLRUZBS0VGQUtFRkFLRUZBS0VGQUtF\nRkFLRUZBS0U=\n-----END RSA PRIVATE KEY-----"

BY_SHAPE = {
    "anthropic-key": f"sk-ant-api03-{_fake(80)}",
    "openrouter-key": f"sk-or-v1-{_fake(64)}",
    "openai-key": f"sk-proj-{_fake(48)}",
    "google-key": f"AIza{_fake(35)}",
    "aws-key-id": "AKIAFAKEFAKEFAKE1234",
    "github-token": f"ghp_{_fake(36)}",
    "gitlab-token": f"glpat-{_fake(20)}",
    "slack-token": "xoxb-123456789012-123456789012-fakefakefake",
    "stripe-key": f"sk_live_{_fake(24)}",
    "huggingface-token": f"hf_{_fake(34)}",
    "groq-key": f"gsk_{_fake(52)}",
    "xai-key": f"xai-{_fake(80)}",
    "replicate-token": f"r8_{_fake(37)}",
    "jwt": JWT,
    "private-key": PRIVATE_KEY,
}

AWS_SECRET = "FaKeFaKe/FaKeFaKe0123456789+FaKeFaKeFaKe"

ORDINARY = (
    "sk-estimator-html-doc-link-2023-11-07-v1",
    "sk-rounded-corners-0-1-2-3-4-5-component-library",
    "sk-container-id-1-sk-toggleable__content-2-3-4-fade",
    "sk-SK-locale-slovak-2024-2025-2026-translations",
    "xapp-container-for-the-main-window",
    "xoxb-is-a-slack-prefix-but-this-is-prose",
    "glpat-your-access-token-goes-here",
    "The secret key: 3f786850e387550fdab836ed7e6dc881de23001b is what the commit is called",
    "chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012",
    "gen-1730000000-AbCdEfGhIjKlMnOpQrSt",
    "call_AbCdEfGhIjKlMnOpQrStUvWx",
    "toolu_01AbCdEfGhIjKlMnOpQrStUv",
    "msg_01AbCdEfGhIjKlMnOpQrStUv",
    "fp_44709d6fcb",
    "req_0123456789abcdef0123456789abcdef",
    "file-AbCdEfGhIjKlMnOpQrStUvWx",
    "asst_AbCdEfGhIjKlMnOpQrStUvWx",
    "thread_AbCdEfGhIjKlMnOpQrStUvWx",
    "123e4567-e89b-12d3-a456-426614174000",
    "4868cd1f0e2d3c4b5a69788796a5b4c3d2e1f000",
    "e32ae6519ec4dd863df69cb02d6080d850387a4d61c43099162fc2b62674cdc2",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    base64.b64encode(bytes(range(256)) * 40).decode(),
    base64.b64encode(b"A long text about tokens, keys and secrets that holds none of them. " * 20).decode(),
    "Set OPENAI_API_KEY=sk-... and pass your secret key as api_key; a placeholder such as sk-xxxx or sk-your-key-here will not do.",
    "sk-learn-is-not-a-key but sk-estimator-id-1, sk-container and sk-top-level-container-with-a-very-long-name-1 are CSS classes",
    "the task-list, the risk-adjusted desk-top and the disk-0123456789012345678901234567890123456789",
    "def hf_hub_download_with_retries_and_a_very_long_name(token): return gsk_helper(token, key=KEY, secret=SECRET)",
    "xai-explainability and xoxo-hugs-and-kisses-2024; ghp_ is how they begin; AKIA is a prefix; AIza too",
    "eyJust.not.a.token eyJhbGciOiJub3.eyJub3RoaW5n.something_else_entirely but.dotted.names.everywhere",
    "eyJnotjsonatallnotjson.abcdefghijklmnop.qrstuvwxyzabcdef",
    "-----BEGIN CERTIFICATE-----\nRkFLRUZBS0VGQUtF\n-----END CERTIFICATE-----\n-----BEGIN PUBLIC KEY-----",
    "https://api.example.test/v1/chat/completions?model=gpt-4o-mini-2024-07-18&page_token=7&monkey=1",
    "/usr/lib/python3.13/site-packages/spycatcher_addon/redaction/__init__.py:1234",
    "gpt-4o-mini-2024-07-18 claude-3-5-sonnet-20241022 meta-llama/Llama-3.3-70B-Instruct-Turbo deepseek-ai/DeepSeek-V3",
    "commit 4868cd1 Merge pull request from feature/token-refresh-with-secret-rotation",
    "price: 100%25 of 20%20 and \\u00e9t\\u00e9 \\n\\n caf\\u00e9, \\u003cb\\u003e",
    "org-AbCdEfGhIjKlMnOpQrStUvWx proj_AbCdEfGhIjKlMnOpQrStUvWx",
    "W/\"0123456789abcdef0123456789abcdef\" and public_key: 0123456789abcdef",
    "cache_key=0123456789abcdef0123456789abcdef token_count=12 max_tokens: 4096 'key': 'value' password: hunter2",
    "Kq8" * 500,
)  # fmt: skip
"""Identifiers, hashes, images, code and prose as they occur in conversations with models."""
