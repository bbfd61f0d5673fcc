"""What ``verify`` does: read the cassette, have it checked, print one line per finding. Changes nothing, binds nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping

from spycatcher_addon.cassette.canonical import IgnorePathConfig, pointer_from_config
from spycatcher_addon.config import HarnessConfig, validate_for_start
from spycatcher_addon.edge.cli_failure import cassette_advice
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.edge.files import read_cassette
from spycatcher_addon.edge.terminal import write_err, write_out
from spycatcher_addon.errors import HarnessError
from spycatcher_addon.known_values import known_values
from spycatcher_addon.verifying import Finding, verify_cassette

EXIT_FOUND = 1


class VerificationError(Exception):
    """The cassette or the configuration cannot be checked at all; the text is for the user."""


def verify(config: HarnessConfig, texts: Texts, environ: Mapping[str, str] = os.environ) -> int:
    """Check the configured cassette; findings and the result go to standard output, the count of problems to standard error.

    Args:
        environ: Where values that must not be on the tape are looked up.

    Returns:
        The exit code: 0, also with warnings; 1 when there are problems.

    Raises:
        VerificationError: The configuration cannot be used or the cassette cannot be read.
    """
    path = config.cassette_path
    try:
        validate_for_start(config)
        ignore = IgnorePathConfig(tuple(pointer_from_config(written) for written in config.matching.ignore_paths))
        loaded = read_cassette(path)
        rules = config.redaction.rules.with_known(known_values(config, environ, loaded.cassette.hashing.redaction_rules))
        findings = verify_cassette(loaded.cassette, ignore, rules)
    except HarnessError as error:
        failure = f"{texts('cli-verify-failed')} {texts.error(error)}" + cassette_advice(texts, error, path)
        raise VerificationError(failure) from error
    write_err("".join(f"warning: {texts.notice(warning)}\n" for warning in loaded.warnings))
    write_out("".join(f"{path}: {finding_line(texts, finding)}\n" for finding in findings))
    problems = sum(not finding.is_warning for finding in findings)
    if problems:
        write_err(f"{texts('verify-found', count=problems)}\n")
        return EXIT_FOUND
    if findings:
        write_out(f"{path}: {texts('verify-only-warnings', count=len(findings))}\n")
    else:
        write_out(f"{path}: {texts('verify-clean', count=len(loaded.cassette.interactions))}\n")
    return 0


def finding_line(texts: Texts, finding: Finding) -> str:
    """A finding as one line, whatever its arguments hold."""
    place = "" if finding.interaction is None else f"{texts('verify-interaction')} {finding.interaction}: "
    tag = "warning: " if finding.is_warning else ""
    arguments = {name: _on_one_line(value) for name, value in finding.arguments}
    return f"{place}{tag}{texts(finding.message_id, **arguments)}"


def _on_one_line(value: str) -> str:
    return "".join(character if character.isprintable() else character.encode("unicode_escape").decode("ascii") for character in value)
