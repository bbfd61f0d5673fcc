"""Every text of the command line that is written for people, by message id.

The two start-up lines and everything else that a program reads are no texts and are not here.
"""

from __future__ import annotations

from collections.abc import Mapping

_ENGLISH: Mapping[str, str] = {
    "cli-about": "Record conversations with LLM APIs to cassettes and replay them offline.",
    "cli-usage": "Usage",
    "cli-heading-commands": "Commands",
    "cli-heading-options": "Options",
    "cli-heading-arguments": "Arguments",
    "cli-heading-examples": "Examples",
    "cli-heading-configuration": "Configuration",
    "cli-group-server": "Server",
    "cli-group-cassette": "Cassette",
    "cli-group-matching": "Matching",
    "cli-group-upstream": "Upstream",
    "cli-group-configuration": "Configuration sources",
    "cli-group-messages": "Messages",
    "cli-default": "[default: {value}]",
    "cli-repeatable": "May be repeated.",
    "cli-record-about": "Forward requests to the upstream provider and record each exchange.",
    "cli-replay-about": "Answer requests from a cassette; never touches the network.",
    "cli-config-about": "Print the effective configuration and where each value comes from.",
    "cli-addon-path-about": "Print the path of the add-on file for `mitmdump -s`.",
    "cli-merge-help": (
        "Each setting is taken from the first place that has it:\n"
        "command line > environment > config files > defaults.\n"
        "\n"
        "Files, the strongest first: ./.spycatcher_harness.toml, [tool.spycatcher_harness] in ./pyproject.toml, "
        "$XDG_CONFIG_HOME/spycatcher_harness/config.toml, ~/.spycatcher_harness.toml. "
        "Settings of a subcommand live in its table of the cmds namespace (cmds.record, cmds.replay, cmds.verify):"
    ),
    "cli-environment-help": (
        "Environment variables are SPYCATCHER_HARNESS_CMDS_<SUBCOMMAND>_<KEY>; a double underscore goes one table down:"
    ),
    "cli-option-help": "Show this help and exit.",
    "cli-option-version": "Show the version and exit.",
    "cli-option-install-completion": "Install completion for the current shell.",
    "cli-option-show-completion": "Print completion for the current shell, to copy or customize.",
    "cli-option-listen": "Address to listen on; port 0 picks a free one.",
    "cli-option-grace": "How long running exchanges may finish at shutdown.",
    "cli-option-cassette-dir": "Directory of the cassettes.",
    "cli-option-cassette-name": "File name of the cassette, exactly as on disk.",
    "cli-option-match-mode": "sequential_strict (recorded order) or keyed (any order).",
    "cli-option-ignore-path": "Part of the body left out of comparisons: /metadata/run_id or messages[*].id.",
    "cli-option-fail-unused": "Exit with code 3 if recorded interactions were never asked for.",
    "cli-option-upstream-kind": "Provider preset: {kinds}.",
    "cli-option-base-url": "Base URL of the provider's API.",
    "cli-option-api-key-env": "Name of the environment variable that holds the key.",
    "cli-option-config": "Read this file instead of the usual ones.",
    "cli-option-locale": "Preferred language of messages.",
    "cli-option-fallback-locale": "Language where the preferred one has no text.",
    "cli-argument-subcommand": "Subcommand whose configuration is shown: {modes}.",
    "cli-try-help": "Try '{command} --help' for help.",
    "clap-error-unknown-argument": "unknown argument: {argument}",
    "clap-error-invalid-value": "invalid value {value} for {argument}",
    "clap-error-value-validation": "invalid value {value} for {argument}",
    "clap-error-missing-argument": "missing value for {argument}",
    "clap-error-invalid-utf8": "invalid UTF-8 in argument {argument}",
    "clap-error-missing-subcommand": "missing required subcommand; valid subcommands: {valid_subcommands}",
    "clap-error-invalid-subcommand": "unknown subcommand {subcommand}; valid subcommands: {valid_subcommands}",
    "cli-expected": "expected {description}",
    "cli-did-you-mean": "did you mean {candidate}?",
    "cli-merge-failed": "failed to load merged command config",
    "cli-start-failed": "failed to start harness: {error}",
    "cli-shutdown-failed": "failed to shut down harness: {error}",
    "cli-cassette-not-found-advice": "There is no file {path}; record it first, or check --cassette-dir and --cassette-name.",
    "cli-internal-error": "internal error: {error}; please report it",
    "cli-caused-by": "Caused by: {cause}",
    "cli-error": "Error: {message}",
    "cli-warning": "warning: {message}",
    "cli-stopping": "stopping; a second signal ends at once",
    "cli-key-missing-optional": (
        "environment variable {variable} (setting upstream.api_key_env) is not set or empty; requests go upstream without a key"
    ),
    "cli-recorded": "recorded {count} to {path}",
    "cli-recorded-nothing": "recorded 0 interactions; point the client's base URL at {base_url}",
    "cli-record-error-statuses": "recorded with an error status: {count}; a replay will answer with the same errors",
    "cli-record-failed": "not recorded because of a failure: {count}; the messages above say why",
    "cli-record-abandoned": "not recorded because the client left early: {count}",
    "cli-record-refused": "answered by the harness itself and not recorded: {count} (unknown path, wrong method, missing key, ...)",
    "cli-replayed": "replayed {used} of {count} from {path}",
    "cli-unused": "interactions never asked for, counted from 0: {indexes}",
    "cli-mismatched": "answered with 409 because nothing recorded matched: {count}",
    "cli-rejected": "refused before matching: {count} (bad JSON, unknown path, ...)",
    "cli-dropped-headers": "recorded headers that cannot be sent were left out: {names}",
    "cli-interaction-one": "1 interaction",
    "cli-interaction-many": "{count} interactions",
    "cli-request-one": "1 request",
    "cli-request-many": "{count} requests",
    "cli-exchange-one": "1 exchange",
    "cli-exchange-many": "{count} exchanges",
}


def text(message_id: str, **arguments: str) -> str:
    """The text of a message with its arguments in place.

    Raises:
        KeyError: There is no such message, or an argument is missing: a mistake in this package.
    """
    return _ENGLISH[message_id].format_map(arguments)


def counted(noun: str, count: int) -> str:
    """A count with its noun (``interaction``, ``request``, ``exchange``)."""
    return text(f"cli-{noun}-{'one' if count == 1 else 'many'}", count=str(count))
