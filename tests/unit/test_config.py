"""The configuration model and the checks before a start."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from spycatcher_addon.config import (
    FORBIDDEN_EXTRA_HEADERS,
    AuthScheme,
    HarnessConfig,
    ListenAddr,
    LocalizationConfig,
    MatchingConfig,
    MatchMode,
    Mode,
    Protocol,
    RedactionConfig,
    UiConfig,
    UiKind,
    UpstreamConfig,
    UpstreamKind,
    localization_problem,
    validate_for_start,
)
from spycatcher_addon.errors import InvalidConfigError


def test_defaults() -> None:
    config = HarnessConfig()
    assert str(config.listen) == "127.0.0.1:8787"
    assert (config.mode, config.protocol, config.match_mode) == (
        Mode.REPLAY,
        Protocol.OPENAI_CHAT_COMPLETIONS,
        MatchMode.SEQUENTIAL_STRICT,
    )
    assert config.cassette_path == "fixtures/llm/default"
    assert config.upstream is None
    assert config.redaction.effective_drop_headers == {
        "authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "x-auth-token", "x-amz-security-token",
        "cookie", "set-cookie", "openai-organization", "openai-project",
    }  # fmt: skip
    assert (config.replay.simulate_timing, config.replay.ttft_ms, config.replay.tps) == (False, 200, 50)
    assert config.limits.max_body_bytes == 134_217_728
    assert (config.localization.locale, config.localization.fallback_locale) == (None, "en-US")
    assert (config.fail_unused, config.shutdown_grace_s) == (False, 5.0)


@pytest.mark.parametrize(
    ("directory", "expected"), [("a", "a/n"), ("a/", "a/n"), ("/", "/n"), ("", "n"), ("/abs/dir", "/abs/dir/n"), (".", "./n")]
)
def test_cassette_path_joins_without_resolving(directory: str, expected: str) -> None:
    assert HarnessConfig(cassette_dir=directory, cassette_name="n").cassette_path == expected


@pytest.mark.parametrize(
    "values",
    [
        {"listen": "localhost:1"}, {"listen": 8787}, {"mode": "recording"}, {"match_mode": "fuzzy"}, {"cassette_name": 1},
        {"fail_unused": 1}, {"fail_unused": "true"}, {"shutdown_grace_s": -1}, {"shutdown_grace_s": float("nan")},
        {"shutdown_grace_s": True},
        {"replay": {"tps": 0}}, {"replay": {"ttft_ms": -1}}, {"replay": {"ttft_ms": 1.0}}, {"limits": {"max_body_bytes": 0}},
        {"redaction": {"drop_headers": "authorization"}}, {"redaction": {"drop_headers": ["two words"]}},
        {"matching": {"ignore_paths": ["a.["]}}, {"nonsense": 1}, {"replay": {"nonsense": 1}},
        {"upstream": {"base_url": "ftp://example.invalid"}}, {"upstream": {"base_url": "/v1"}}, {"upstream": {"base_url": "http://a b"}},
        {"upstream": {"base_url": "http://a:0"}}, {"upstream": {"base_url": "http://a..b"}},
        {"upstream": {"base_url": "http://a:99999"}}, {"upstream": {"base_url": "http://a/#f"}},
        {"upstream": {"base_url": "http://user:fake@a/v1"}}, {"upstream": {"base_url": "http://user@a/v1"}},
        {"upstream": {"api_key_env": "sk-fake-key"}}, {"upstream": {"api_key_env": ""}}, {"upstream": {"auth": "basic"}},
        {"upstream": {"connect_timeout_s": 0}}, {"upstream": {"extra_headers": {"a b": "1"}}}, {"upstream": {"extra_headers": {"a": 1}}},
        {"upstream": {"extra_headers": {"a": "x\r\nb: y"}}}, {"upstream": {"extra_headers": {"A": "1", "a": "2"}}},
        {"upstream": {"deployment": "d"}}, {"upstream": {"kind": "custom"}},
    ],
    ids=str,
)  # fmt: skip
def test_bad_values_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        HarnessConfig(**values)


@pytest.mark.parametrize("name", sorted(FORBIDDEN_EXTRA_HEADERS))
def test_transport_headers_cannot_be_configured(name: str) -> None:
    with pytest.raises(ValidationError, match="belongs to the transport"):
        UpstreamConfig(extra_headers={name.title(): "x"})


def test_a_key_given_in_place_of_its_variable_is_not_repeated() -> None:
    with pytest.raises(ValidationError) as caught:
        UpstreamConfig(api_key_env="sk-fake-secret")
    assert "sk-fake-secret" not in str(caught.value)


def test_configurations_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        HarnessConfig().listen = ListenAddr("127.0.0.1", 1)  # type: ignore[misc]


def test_a_preset_fills_in_only_what_was_not_given() -> None:
    groq = UpstreamConfig(kind=UpstreamKind.GROQ)
    assert (groq.base_url, groq.api_key_env, groq.auth) == ("https://api.groq.com/openai/v1", "GROQ_API_KEY", AuthScheme.BEARER)
    own = UpstreamConfig(kind=UpstreamKind.GROQ, base_url="http://127.0.0.1:1", auth=AuthScheme.NONE)
    assert (own.base_url, own.api_key_env, own.auth) == ("http://127.0.0.1:1", "GROQ_API_KEY", AuthScheme.NONE)
    assert UpstreamConfig() == UpstreamConfig(kind=UpstreamKind.OPENROUTER)


@pytest.mark.parametrize("kind", [kind for kind in UpstreamKind if kind not in (UpstreamKind.AZURE, UpstreamKind.CUSTOM)])
def test_presets_with_an_address_need_nothing_else(kind: UpstreamKind) -> None:
    assert UpstreamConfig(kind=kind).base_url.startswith("http")


def test_optional_keys_stay_optional_under_another_name() -> None:
    assert not UpstreamConfig(kind=UpstreamKind.VLLM, api_key_env="MY_KEY").api_key_required
    assert UpstreamConfig(kind=UpstreamKind.VLLM, api_key_required=True).api_key_required


AZURE = {"kind": "azure", "base_url": "https://demo.openai.azure.com"}


def test_azure_puts_deployment_and_version_into_the_url() -> None:
    upstream = UpstreamConfig(**AZURE, deployment="gpt", api_version="2024-10-21")  # type: ignore[arg-type]
    assert upstream.base_url == "https://demo.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21"
    assert upstream.auth is AuthScheme.API_KEY
    assert UpstreamConfig(**upstream.model_dump()) == upstream


@pytest.mark.parametrize(
    ("values", "missing"), [({}, "upstream.deployment"), ({"deployment": "gpt"}, "upstream.api_version"), ({"base_url": None}, "base_url")]
)
def test_azure_says_what_is_missing(values: dict[str, Any], missing: str) -> None:
    with pytest.raises(ValidationError, match=missing):
        UpstreamConfig(**(AZURE | values))


@pytest.mark.parametrize("path", ["/openai/v1", "/openai/v1/", "/openai/deployments/own?api-version=1"])
def test_azure_takes_a_complete_url_as_it_is(path: str) -> None:
    url = AZURE["base_url"] + path
    assert UpstreamConfig(**(AZURE | {"base_url": url})).base_url == url  # type: ignore[arg-type]


def test_redaction_settings_become_rules() -> None:
    config = RedactionConfig(drop_headers=("X-A",), query_parameters=("Sig",), body_paths=("metadata.token",), shapes=("jwt",))
    assert config.rules.names == ("header.x-a", "query.sig", "body./metadata/token", "shape.jwt")
    (digest,) = RedactionConfig(secret_sha256=("20:" + "0f" * 32,)).rules.digests
    assert (digest.length, digest.sha256) == (20, b"\x0f" * 32)


@pytest.mark.parametrize(
    "redaction",
    [
        {"secret_sha256": ["a-secret"]}, {"secret_sha256": ["8:" + "0" * 64]},
        {"shapes": ["nope"]}, {"query_parameters": ["a b"]}, {"query_parameters": [""]}, {"body_paths": ["a..b"]},
        {"secret_env": ["A-B"]},
    ],
)  # fmt: skip
def test_redaction_refuses(redaction: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RedactionConfig.model_validate(redaction)


def test_redaction_names_are_compared_without_case() -> None:
    assert RedactionConfig(drop_headers=("X-Mine",), extra_drop_headers=("Cookie",)).effective_drop_headers == {"x-mine", "cookie"}
    assert RedactionConfig(drop_headers=()).effective_drop_headers == frozenset()


def test_ignore_paths_are_kept_as_written() -> None:
    assert MatchingConfig(ignore_paths=("messages[*].id", "/a/b")).ignore_paths == ("messages[*].id", "/a/b")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"cassette_name": ""}, "cassette name must not be empty"),
        ({"cassette_name": "/abs"}, "cassette name must not contain path traversal sequences"),
        ({"cassette_name": "a/../b"}, "cassette name must not contain path traversal sequences"),
        ({"cassette_name": "a..b"}, "cassette name must not contain path traversal sequences"),
        ({"cassette_name": "C:\\x"}, "cassette name must not contain path traversal sequences"),
        ({"cassette_name": "\\x"}, "cassette name must not contain path traversal sequences"),
        ({"mode": "record"}, "upstream configuration is required for record mode"),
        ({"mode": "record", "cassette_name": ""}, "cassette name must not be empty"),
        ({"mode": "record", "cassette_name": ".."}, "cassette name must not contain path traversal sequences"),
        ({"cassette_name": "a\0"}, "cassette name and directory must not contain a NUL character"),
        ({"cassette_dir": "a\0"}, "cassette name and directory must not contain a NUL character"),
        ({"cassette_name": "a/"}, "cassette name must name a file; remove the slash at its end"),
        (
            {"localization": {"locale": "not_a_locale"}},
            "invalid localization field `locale` value `not_a_locale`: Parser error: Invalid subtag",
        ),
    ],
    ids=str,
)
def test_validation_at_start_in_its_order(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidConfigError) as caught:
        validate_for_start(HarnessConfig(**values))
    assert caught.value.message == message


@pytest.mark.parametrize("name", ["default", "a/b", "with space", "日本.json", "C:", ".hidden", "x" * 300])
def test_usable_cassette_names(name: str) -> None:
    validate_for_start(HarnessConfig(cassette_name=name))
    validate_for_start(HarnessConfig(cassette_name=name, mode=Mode.RECORD, upstream=UpstreamConfig()))


def test_localization_problem_names_the_field() -> None:
    assert localization_problem(LocalizationConfig(locale="en")) is None
    assert "`fallback_locale` value ``" in str(localization_problem(LocalizationConfig(fallback_locale="")))


def test_faults_are_read_as_rules() -> None:
    config = HarnessConfig.model_validate({"faults": [{"status": 429, "interaction": 0}, "refuse"], "fault_seed": 7})
    assert [str(rule) for rule in config.faults] == ["status=429,interaction=0", "refuse=true"]
    assert (config.fault_seed, config.fault_report, HarnessConfig().faults) == (7, None, ())
    assert HarnessConfig.model_validate({"faults": config.faults}).faults == config.faults


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"faults": ["refuse", {"stal": True}]}, r"faults\[1\]\.stal is not known"),
        ({"fault_seed": 1.5}, "fault_seed"),
        ({"faults": 3}, "not a list"),
    ],
)
def test_unusable_faults(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        HarnessConfig.model_validate(settings)


@pytest.mark.parametrize(
    "settings",
    [{"port": -1}, {"port": 65536}, {"keep": 0}, {"password": ""}, {"password": "$argon2id$broken"}, {"kind": "page"}, {"mask_secrets": 1}],
)
def test_what_a_user_interface_cannot_be_told(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        UiConfig(**settings)


def test_a_user_interface_by_default() -> None:
    ui = HarnessConfig().ui
    assert (ui.kind, ui.port, ui.password, ui.keep, ui.mask_secrets) == (UiKind.NONE, 8081, None, 500, True)
    assert UiConfig(password="$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA").password is not None


def test_normalize_rules_are_names_texts_and_tables() -> None:
    config = MatchingConfig.model_validate({"normalize": ["uuid", "run=run-[0-9]+", {"name": "n", "pattern": "x", "replacement": "y"}]})
    assert [rule.name for rule in config.normalize] == ["uuid", "run", "n"]
    assert config.ignore.normalize == config.normalize


@pytest.mark.parametrize("rules", [["guid"], ["x=("], ["x=(a+)+"], "uuid"])
def test_normalize_rules_that_cannot_be_used(rules: object) -> None:
    with pytest.raises(ValidationError, match="normalize"):
        MatchingConfig.model_validate({"normalize": rules})


def test_ignore_paths_become_pointers() -> None:
    assert MatchingConfig(ignore_paths=("messages[*].id",)).ignore.ignored_body_paths == ("/messages/*/id",)


@pytest.mark.parametrize(
    "values",
    [
        {"upstream": {"api_key_env": "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"}},
        {"replay": {"tps": 10**400}},
        {"replay": {"ttft_ms": 10**400}},
        {"replay": {"timing_factor": 1e308}},
        {"shutdown_grace_s": 1e300},
    ],
)
def test_keys_in_the_place_of_names_and_numbers_beyond_use_are_refused(values: Any) -> None:
    with pytest.raises(ValidationError):
        HarnessConfig.model_validate(values)
