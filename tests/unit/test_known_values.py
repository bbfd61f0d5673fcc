from __future__ import annotations

from spycatcher_addon.config import HarnessConfig, RedactionConfig, UpstreamConfig
from spycatcher_addon.known_values import known_values, recorded_rules, scrubbed_rules, secret_variables, short_secret_notices

CONFIG = HarnessConfig(
    upstream=UpstreamConfig(api_key_env="FAKE_KEY"), redaction=RedactionConfig(secret_env=("FAKE_A", "FAKE_KEY", "FAKE_B"))
)


def test_the_variables_are_that_of_the_key_and_those_named() -> None:
    assert secret_variables(CONFIG) == ("FAKE_KEY", "FAKE_A", "FAKE_B")
    assert secret_variables(HarnessConfig()) == ()


def test_values_are_those_of_variables_that_are_set() -> None:
    assert known_values(CONFIG, {"FAKE_KEY": "fake-1", "FAKE_B": "", "OTHER": "x"}) == ("fake-1",)


def test_a_tape_names_the_variables_but_not_their_values() -> None:
    rules = recorded_rules(CONFIG)
    assert rules[-3:] == ("env.FAKE_KEY", "env.FAKE_A", "env.FAKE_B")
    assert rules[:-3] == CONFIG.redaction.rules.names
    assert known_values(HarnessConfig(), {"FAKE_KEY": "fake-1", "FAKE_A": "fake-2"}, rules) == ("fake-1", "fake-2")


def test_a_value_too_short_to_be_searched_for_is_said_without_showing_it() -> None:
    [notice] = short_secret_notices(CONFIG, {"FAKE_A": "qqq", "FAKE_B": "long-enough-value", "FAKE_KEY": "long-enough-key"})
    assert "FAKE_A" in notice and "redaction.body_paths" in notice and "qqq" not in notice


def test_the_key_of_a_local_upstream_may_be_short() -> None:
    assert short_secret_notices(HarnessConfig(upstream=UpstreamConfig(api_key_env="FAKE_KEY")), {"FAKE_KEY": "none"}) == ()


def test_the_rules_for_a_tape_that_exists_have_the_variables_it_names_too() -> None:
    config = HarnessConfig()
    assert scrubbed_rules(config, ["env.TAPE_KEY", "shape.old"]) == (*recorded_rules(config), "env.TAPE_KEY")
