"""Secrets that are known by their value, because a variable of the environment holds them.

The environment arrives as an argument; values are read from it anew each time, as the key of the upstream is.
"""

from __future__ import annotations

from collections.abc import Mapping

from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.notices import Notice
from spycatcher_addon.redaction.rules import is_long_enough


def secret_variables(config: HarnessConfig) -> tuple[str, ...]:
    """Names of the variables whose values are secrets: the upstream's key, and those of ``redaction.secret_env``."""
    key_variable = () if config.upstream is None else (config.upstream.api_key_env,)
    return tuple(dict.fromkeys((*key_variable, *config.redaction.secret_env)))


def known_values(config: HarnessConfig, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values themselves, of those variables that are set and not empty."""
    return tuple(value for name in secret_variables(config) if (value := environ.get(name)))


def short_secret_notices(config: HarnessConfig, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What to tell a person about variables named in ``redaction.secret_env`` whose values cannot be searched for."""
    return tuple(
        Notice(
            "notice-secret-too-short",
            f"the value of the environment variable {name} (redaction.secret_env) is too short to be told from ordinary text: "
            "it is not searched for; use a longer value, or name its place in redaction.body_paths",
            variable=name,
        )
        for name in config.redaction.secret_env
        if (value := environ.get(name)) and not is_long_enough(value)
    )
