"""Secrets that are known by their value, because a variable of the environment holds them.

The environment arrives as an argument; values are read from it anew each time, as the key of the upstream is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.notices import Notice
from spycatcher_addon.redaction.rules import is_long_enough

_VARIABLE_PREFIX = "env."


def secret_variables(config: HarnessConfig) -> tuple[str, ...]:
    """Names of the variables whose values are secrets: the upstream's key, and those of ``redaction.secret_env``."""
    key_variable = () if config.upstream is None else (config.upstream.api_key_env,)
    return tuple(dict.fromkeys((*key_variable, *config.redaction.secret_env)))


def recorded_rules(config: HarnessConfig) -> tuple[str, ...]:
    """All rules in force as a tape notes them: those of the settings, and the names of the variables."""
    return (*config.redaction.rules.names, *(_VARIABLE_PREFIX + name for name in secret_variables(config)))


def scrubbed_rules(config: HarnessConfig, recorded: Iterable[str]) -> tuple[str, ...]:
    """All rules in force for a tape that exists already; variables that it names itself count too.

    Args:
        recorded: The rules that the tape notes.
    """
    of_tape = (rule for rule in recorded if rule.startswith(_VARIABLE_PREFIX))
    return tuple(dict.fromkeys((*recorded_rules(config), *of_tape)))


def known_values(config: HarnessConfig, environ: Mapping[str, str], recorded: Iterable[str] = ()) -> tuple[str, ...]:
    """The values themselves, of those variables that are set and not empty.

    Args:
        recorded: The rules that a tape notes; variables named there count too, as a replay often has no upstream settings.
    """
    of_tape = [rule.removeprefix(_VARIABLE_PREFIX) for rule in recorded if rule.startswith(_VARIABLE_PREFIX)]
    return tuple(value for name in dict.fromkeys((*secret_variables(config), *of_tape)) if (value := environ.get(name)))


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
