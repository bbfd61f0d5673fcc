"""The effective configuration as text."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from spycatcher_addon.cassette.normalizing import parse_normalize_rules
from spycatcher_addon.config import HarnessConfig, Mode
from spycatcher_addon.edge.config_report import config_report
from spycatcher_addon.edge.layers import resolve_config


def report(folder: Path, mode: str = "record", **cli: object) -> str:
    values = {name.replace("__", "."): value for name, value in cli.items()}
    environ: Mapping[str, str] = {"XDG_CONFIG_DIRS": str(folder)}
    return config_report(resolve_config(Mode(mode), values, environ, str(folder), None))


def test_defaults_read_back_as_the_same_configuration(tmp_path: Path) -> None:
    document = tomllib.loads(report(tmp_path, "replay"))
    assert HarnessConfig.model_validate(document["cmds"]["replay"]) == HarnessConfig()


def test_values_with_their_sources(tmp_path: Path) -> None:
    (tmp_path / ".spycatcher_harness.toml").write_text("[cmds.record]\ncassette_name = 'é \"x\"'\n", encoding="utf-8")
    text = report(tmp_path, upstream__kind="groq", matching__ignore_paths=["/a"])
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert 'cassette_name = "é \\"x\\"" # file ./.spycatcher_harness.toml, line 2' in lines
    assert 'base_url = "https://api.groq.com/openai/v1" # default for upstream.kind groq' in lines
    assert 'ignore_paths = ["/a"] # flag --ignore-paths' in lines
    assert "# locale is not set # default" in lines
    assert tomllib.loads(text)["cmds"]["record"]["upstream"]["kind"] == "groq"


def test_without_upstream(tmp_path: Path) -> None:
    assert "# [cmds.record.upstream] is not set" in report(tmp_path)


def test_secrets_are_masked(tmp_path: Path) -> None:
    text = report(tmp_path, upstream__extra_headers={"x-a": "fake-secret"}, upstream__base_url="http://h/v1?key=fake-secret")
    assert "fake-secret" not in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert '# extra_headers.x-a = "***"' in text
    assert '# base_url = "http://h/v1?key=***" # flag --base-url' in lines
    # Read back, the masks are not values.
    assert not {"extra_headers", "base_url"} & tomllib.loads(text)["cmds"]["record"]["upstream"].keys()


def test_long_lines_have_their_source_above(tmp_path: Path) -> None:
    lines = report(tmp_path, cassette_name="x" * 150).splitlines()
    index = lines.index(f'cassette_name = "{"x" * 150}"')
    assert lines[index - 1] == "# flag --cassette-name"


def test_header_names_that_are_no_bare_keys_are_quoted(tmp_path: Path) -> None:
    text = report(tmp_path, upstream__extra_headers={"x.y": "1"})
    assert '# extra_headers."x.y" = "***"' in text


def test_the_password_of_the_user_interface_is_masked(tmp_path: Path) -> None:
    text = report(tmp_path, ui__password="fake-secret")
    assert "fake-secret" not in text
    assert '# password = "***"' in text


def test_normalize_rules_read_back_as_the_same_ones(tmp_path: Path) -> None:
    written = report(tmp_path, **{"matching.normalize": ["uuid", 'run=run-"[0-9]+"\\d']})
    read = tomllib.loads(written)["cmds"]["record"]["matching"]["normalize"]
    assert parse_normalize_rules(read) == parse_normalize_rules(["uuid", 'run=run-"[0-9]+"\\d'])


def test_an_upstream_that_is_no_whole_one_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    values = {"upstream.kind": "azure", "upstream.extra_headers": {"x-a": "fake-secret"}}
    environ = {"XDG_CONFIG_DIRS": str(tmp_path)}
    resolved = resolve_config(Mode.RECORD, values, environ, str(tmp_path), None, is_half_upstream_good=True)
    assert resolved.config.upstream is None
    lines = [" ".join(line.split()) for line in config_report(resolved).splitlines()]
    index = lines.index("[cmds.record.upstream] # not usable as it is")
    assert lines[index + 1 : index + 3] == ['kind = "azure" # flag --kind', '# extra_headers = "***" # flag --extra-headers']
