"""Provider presets."""

from __future__ import annotations

import pytest

from spycatcher_addon.choices import AuthScheme, UpstreamKind
from spycatcher_addon.upstream_presets import UPSTREAM_PRESETS, azure_base_url, has_api_version


def test_every_kind_has_a_preset_of_its_own() -> None:
    assert set(UPSTREAM_PRESETS) == set(UpstreamKind)
    variables = [preset.api_key_env for preset in UPSTREAM_PRESETS.values()]
    assert len(set(variables)) == len(variables), "a key meant for one provider would be sent to another"


def test_open_router_is_another_spelling() -> None:
    assert UpstreamKind("open_router") is UpstreamKind.OPENROUTER
    with pytest.raises(ValueError, match="nonsense"):
        UpstreamKind("nonsense")


def test_hosted_providers_need_keys_and_local_ones_do_not() -> None:
    optional = {kind for kind, preset in UPSTREAM_PRESETS.items() if not preset.api_key_required}
    assert optional == {UpstreamKind.OLLAMA, UpstreamKind.VLLM, UpstreamKind.CUSTOM}


def test_only_azure_uses_the_api_key_header() -> None:
    assert {kind for kind, preset in UPSTREAM_PRESETS.items() if preset.auth is AuthScheme.API_KEY} == {UpstreamKind.AZURE}


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("https://a.example", "https://a.example/openai/deployments/d%2F1?api-version=v1"),
        ("https://a.example/?x=1", "https://a.example/openai/deployments/d%2F1?x=1&api-version=v1"),
        ("https://a.example/openai/deployments/own", "https://a.example/openai/deployments/own?api-version=v1"),
        ("https://a.example?api-version=own", "https://a.example/openai/deployments/d%2F1?api-version=own"),
    ],
)
def test_azure_base_url(resource: str, expected: str) -> None:
    assert azure_base_url(resource, "d/1", "v1") == expected
    assert azure_base_url(expected, "d/1", "v1") == expected, "a complete URL stays as it is"


def test_has_api_version_looks_at_names_only() -> None:
    assert has_api_version("https://a.example?x=1&api-version=2")
    assert not has_api_version("https://a.example/api-version=2?x=api-version=2")
