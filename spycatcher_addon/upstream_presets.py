"""Providers the harness knows by name: where they live, which variable holds the key, which header carries it.

A preset only fills in settings that no configuration layer gave; every one of them can be overridden.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from spycatcher_addon.choices import AuthScheme, UpstreamKind


@dataclass(frozen=True, slots=True)
class UpstreamPreset:
    """What a kind implies."""

    base_url: str | None
    """``None`` when there is no address that would suit everybody: the user has to give one."""
    api_key_env: str
    auth: AuthScheme = AuthScheme.BEARER
    api_key_required: bool = True
    """``False`` for servers that usually run without keys: an unset variable then means "send no key"."""


UPSTREAM_PRESETS: dict[UpstreamKind, UpstreamPreset] = {
    UpstreamKind.OPENROUTER: UpstreamPreset("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    UpstreamKind.OPENAI: UpstreamPreset("https://api.openai.com/v1", "OPENAI_API_KEY"),
    UpstreamKind.DEEPSEEK: UpstreamPreset("https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    UpstreamKind.GROQ: UpstreamPreset("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    UpstreamKind.TOGETHER: UpstreamPreset("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    UpstreamKind.MISTRAL: UpstreamPreset("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    UpstreamKind.AZURE: UpstreamPreset(None, "AZURE_OPENAI_API_KEY", auth=AuthScheme.API_KEY),
    UpstreamKind.OLLAMA: UpstreamPreset("http://127.0.0.1:11434/v1", "OLLAMA_API_KEY", api_key_required=False),
    UpstreamKind.VLLM: UpstreamPreset("http://127.0.0.1:8000/v1", "VLLM_API_KEY", api_key_required=False),
    UpstreamKind.CUSTOM: UpstreamPreset(None, "UPSTREAM_API_KEY", api_key_required=False),
}


def azure_base_url(resource_url: str, deployment: str, api_version: str) -> str:
    """Build the base URL of one Azure OpenAI deployment.

    A URL that names a deployment already, or already carries ``api-version``, keeps that part as it is.

    >>> azure_base_url("https://demo.openai.azure.com/", "gpt-4o", "2024-10-21")
    'https://demo.openai.azure.com/openai/deployments/gpt-4o?api-version=2024-10-21'
    """
    location, _, query = resource_url.partition("?")
    if "/deployments/" not in urlsplit(location).path:
        location = f"{location.rstrip('/')}/openai/deployments/{quote(deployment, safe='')}"
    if not has_api_version(resource_url):
        query = "&".join(part for part in (query, f"api-version={quote(api_version, safe='')}") if part)
    return f"{location}?{query}"


def has_api_version(base_url: str) -> bool:
    """Whether the query of a base URL has an ``api-version``."""
    return any(pair.startswith("api-version=") for pair in urlsplit(base_url).query.split("&"))
