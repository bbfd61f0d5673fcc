"""The effective configuration: precedence, sources, and what is said about mistakes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from spycatcher_addon.cassette.normalizing import parse_normalize_rules
from spycatcher_addon.config import HarnessConfig, Mode
from spycatcher_addon.edge.layers import ResolvedConfig, option_name, option_names, option_origin, resolve_config, variable_name
from spycatcher_addon.errors import InvalidConfigError
from spycatcher_addon.fault_rules import parse_fault_rules
from spycatcher_addon.layering import SETTINGS


@dataclass
class World:
    """Everything the layers are read from."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)
    cli: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("home", "work", "xdg"):
            (self.folder / name / "spycatcher_harness").mkdir(parents=True)
        self.environ |= {"XDG_CONFIG_HOME": str(self.folder / "xdg"), "XDG_CONFIG_DIRS": str(self.folder / "none")}

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def file(self, text: str) -> None:
        self.write("work/.spycatcher_harness.toml", text)

    def resolve(self, mode: str = "replay", **more: Any) -> ResolvedConfig:
        return resolve_config(Mode(mode), self.cli, self.environ, str(self.folder / "work"), str(self.folder / "home"), **more)

    def failure(self, mode: str = "replay", **more: Any) -> str:
        with pytest.raises(InvalidConfigError) as caught:
            self.resolve(mode, **more)
        return caught.value.message


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


type Writer = Callable[[World, str, str], None]
"""Puts a cassette name and a listen address (or neither) into one layer."""


def as_toml(table: str, name: str, listen: str) -> str:
    lines = [f"[{table}]", f'cassette_name = "{name}"']
    return "\n".join([*lines, f'listen = "{listen}"'] if listen else lines)


LAYERS: Mapping[str, Writer] = {
    "home": lambda world, name, listen: world.write("home/.spycatcher_harness.toml", as_toml("cmds.replay", name, listen)),
    "xdg": lambda world, name, listen: world.write("xdg/spycatcher_harness/config.toml", as_toml("cmds.replay", name, listen)),
    "pyproject": lambda world, name, listen: world.write(
        "work/pyproject.toml", as_toml("tool.spycatcher_harness.cmds.replay", name, listen)
    ),
    "own file": lambda world, name, listen: world.file(as_toml("cmds.replay", name, listen)),
    "environment": lambda world, name, listen: world.environ.update(
        {"SPYCATCHER_HARNESS_CMDS_REPLAY_CASSETTE_NAME": name} | ({"SPYCATCHER_HARNESS_CMDS_REPLAY_LISTEN": listen} if listen else {})
    ),
    "command line": lambda world, name, listen: world.cli.update({"cassette_name": name} | ({"listen": listen} if listen else {})),
}
"""The weakest first."""


@pytest.mark.parametrize(("weak", "strong"), list(itertools.combinations(LAYERS, 2)), ids=lambda name: name.replace(" ", "-"))
def test_of_two_layers_the_stronger_wins_field_by_field(world: World, weak: str, strong: str) -> None:
    LAYERS[weak](world, "weak", "127.0.0.1:1")
    LAYERS[strong](world, "strong", "")
    resolved = world.resolve()
    assert resolved.config.cassette_name == "strong"
    assert str(resolved.config.listen) == "127.0.0.1:1"
    assert resolved.config.cassette_dir == "fixtures/llm"


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("home", "file {}/home/.spycatcher_harness.toml, line 2"),
        ("xdg", "file {}/xdg/spycatcher_harness/config.toml, line 2"),
        ("pyproject", "file ./pyproject.toml, line 2"),
        ("own file", "file ./.spycatcher_harness.toml, line 2"),
        ("environment", "environment variable SPYCATCHER_HARNESS_CMDS_REPLAY_CASSETTE_NAME"),
        ("command line", "flag --cassette-name"),
    ],
)
def test_sources(world: World, layer: str, source: str) -> None:
    LAYERS[layer](world, "x", "")
    resolved = world.resolve()
    assert resolved.sources["cassette_name"] == source.format(world.folder)
    assert resolved.sources["listen"] == "default"
    assert resolved.is_set("cassette_name")
    assert not resolved.is_set("listen")


def test_tables_merge_and_lists_are_replaced_across_layers(world: World) -> None:
    world.write("home/.spycatcher_harness.toml", "[cmds.record.upstream]\nkind = 'groq'\nextra_headers = { X-A = '1', x-b = '1' }")
    world.file("[cmds.record]\nupstream.extra_headers.x-a = '2'\nmatching.ignore_paths = ['/a', '/b']")
    world.environ["SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__API_KEY_ENV"] = "MINE"
    world.environ["SPYCATCHER_HARNESS_CMDS_RECORD_MATCHING__IGNORE_PATHS"] = '["/c"]'
    resolved = world.resolve("record")
    upstream = resolved.config.upstream
    assert upstream is not None
    assert (upstream.kind, upstream.base_url, upstream.api_key_env) == ("groq", "https://api.groq.com/openai/v1", "MINE")
    assert upstream.extra_headers == {"x-a": "2", "x-b": "1"}
    assert resolved.config.matching.ignore_paths == ("/c",)
    assert resolved.sources["upstream.extra_headers.x-a"] == "file ./.spycatcher_harness.toml, line 2"
    assert resolved.sources["upstream.extra_headers.x-b"].endswith("home/.spycatcher_harness.toml, line 3")
    assert resolved.sources["upstream.base_url"] == "default for upstream.kind groq"
    assert not resolved.is_set("upstream.base_url")


def test_only_the_own_subcommand_counts(world: World) -> None:
    world.file("[cmds.record]\ncassette_name = 'other'\nunknown_there = 1\n")
    world.environ["SPYCATCHER_HARNESS_CMDS_VERIFY_NONSENSE"] = "1"
    assert world.resolve().config == HarnessConfig()


def test_upstream_exists_once_a_key_is_set(world: World) -> None:
    assert world.resolve("record").config.upstream is None
    world.environ["SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__KIND"] = "open_router"
    upstream = world.resolve("record").config.upstream
    assert upstream is not None
    assert upstream.base_url == "https://openrouter.ai/api/v1"


SAMPLES: Mapping[str, tuple[str, object]] = {
    "listen": ("[::1]:5", "[::1]:5"),
    "protocol": ("openai_chat_completions", "openai_chat_completions"),
    "match_mode": ("keyed", "keyed"),
    "cassette_dir": ("true", "true"),
    "cassette_name": ("001", "001"),
    "upstream.kind": ("openai", "openai"),
    "upstream.base_url": ("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1"),
    "upstream.api_key_env": ("MINE", "MINE"),
    "upstream.api_key_required": ("false", False),
    "upstream.auth": ("none", "none"),
    "upstream.deployment": ("d", "d"),
    "upstream.api_version": ("1", "1"),
    "upstream.extra_headers": ('{ x-a = "1" }', {"x-a": "1"}),
    "upstream.connect_timeout_s": ("1", 1.0),
    "upstream.total_timeout_s": ("1.5", 1.5),
    "upstream.idle_timeout_s": ("2", 2.0),
    "redaction.drop_headers": ("[]", ()),
    "redaction.extra_drop_headers": ('["cookie"]', ("cookie",)),
    "redaction.query_parameters": ('["Sig"]', ("Sig",)),
    "redaction.body_paths": ('["/user"]', ("/user",)),
    "redaction.secret_env": ('["MY_SECRET"]', ("MY_SECRET",)),
    "redaction.secret_sha256": (f'["40:{"ab" * 32}"]', (f"40:{'ab' * 32}",)),
    "redaction.shapes": ('["jwt"]', ("jwt",)),
    "matching.ignore_paths": ('["/a"]', ("/a",)),
    "matching.normalize": ('["uuid"]', parse_normalize_rules(["uuid"])),
    "record.keep_failures": ("true", True),
    "auto.mode": ("new_episodes", "new_episodes"),
    "ui.kind": ("web", "web"),
    "ui.port": ("0", 0),
    "ui.password": ("fake", "fake"),
    "ui.keep": ("3", 3),
    "ui.mask_secrets": ("false", False),
    "record.expected_statuses": ("[429, 503]", (429, 503)),
    "replay.stream_source": ("raw", "raw"),
    "replay.report_format": ("junit", "junit"),
    "replay.report": ("report.jsonl", "report.jsonl"),
    "replay.lane": ("flow", "flow"),
    "replay.include_failures": ("true", True),
    "replay.timing": ("realistic", "realistic"),
    "replay.timing_factor": ("0.5", 0.5),
    "replay.timing_seed": ("-7", -7),
    "replay.simulate_timing": ("true", True),
    "replay.ttft_ms": ("7", 7),
    "replay.tps": ("8", 8),
    "limits.max_body_bytes": ("9", 9),
    "limits.max_header_bytes": ("8", 8),
    "limits.max_headers": ("7", 7),
    "limits.header_timeout_s": ("3", 3.0),
    "limits.idle_timeout_s": ("4.5", 4.5),
    "localization.locale": ("de-DE", "de-DE"),
    "localization.fallback_locale": ("fr-FR", "fr-FR"),
    "faults": ('["refuse"]', parse_fault_rules("refuse")),
    "fault_seed": ("-5", -5),
    "fault_report": ("faults.json", "faults.json"),
    "fail_unused": ("true", True),
    "shutdown_grace_s": ("0", 0.0),
    "mode": ("record", "record"),
}


def test_fault_rules_are_tables_of_their_own(world: World) -> None:
    world.file("[cmds.replay]\n[[cmds.replay.faults]]\nrefuse = true\n[[cmds.replay.faults]]\nstall = true\nafter_events = 2\n")
    resolved = world.resolve()
    assert resolved.config.faults == parse_fault_rules([{"refuse": True}, {"stall": True, "after_events": 2}])
    assert resolved.sources["faults"] == "file ./.spycatcher_harness.toml, line 2"
    world.cli["faults"] = ["status=500", "refuse"]
    assert [str(rule) for rule in world.resolve().config.faults] == ["status=500", "refuse=true"]


def test_an_unusable_fault_rule_is_named_with_its_layer(world: World) -> None:
    world.file("[[cmds.replay.faults]]\nrefuse = true\n[[cmds.replay.faults]]\nstatus = 200\n")
    with pytest.raises(InvalidConfigError) as caught:
        world.resolve()
    assert "from file ./.spycatcher_harness.toml, line 1" in str(caught.value)
    assert "faults[1].status is 200; expected one of 429, 500, 503, 529" in str(caught.value)


@pytest.mark.parametrize("dotted", [setting.dotted for setting in SETTINGS.values()])
@pytest.mark.parametrize("layer", ["file", "environment", "option"])
def test_every_setting_is_reachable(world: World, layer: str, dotted: str) -> None:
    text, expected = SAMPLES[dotted]
    place = tuple(dotted.split("."))
    if dotted in ("upstream.deployment", "upstream.api_version"):
        world.cli |= {"upstream.kind": "azure", "upstream.base_url": "http://a", "upstream.deployment": "x", "upstream.api_version": "x"}
        del world.cli[dotted]
    if layer == "file":
        is_text = SETTINGS[place].expects.spelling == "literal"
        world.file(f"[cmds.record]\n{dotted} = {repr(text) if is_text else text}\n")
    elif layer == "environment":
        world.environ[variable_name("record", place).lower()] = text
    else:
        _, is_list = option_names()[option_name(place)]
        world.cli[dotted] = [text] if is_list else text
    value: Any = world.resolve("record").config
    for key in place:
        value = getattr(value, key)
    assert (str(value) if dotted == "listen" else value) == expected


def test_option_names_are_distinct_and_follow_the_field_paths() -> None:
    names = option_names()
    assert len(names) == len(SETTINGS)
    assert names["spycatcher_upstream_base_url"] == ("upstream.base_url", False)
    assert names["spycatcher_matching_ignore_paths"] == ("matching.ignore_paths", True)


def test_several_options_make_a_list(world: World) -> None:
    world.cli["matching.ignore_paths"] = ["/a", "messages[*].id"]
    assert world.resolve(cli_origin=option_origin).config.matching.ignore_paths == ("/a", "messages[*].id")


def test_a_whole_table_in_a_variable(world: World) -> None:
    world.environ["SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM"] = '{ kind = "openai", api_key_env = "A" }'
    world.environ["SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__API_KEY_ENV"] = "B"
    world.environ["SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__EXTRA_HEADERS__REFERER"] = "c"
    upstream = world.resolve("record").config.upstream
    assert upstream is not None
    assert (upstream.kind, upstream.api_key_env, upstream.extra_headers) == ("openai", "B", {"referer": "c"})


def test_a_named_file_replaces_the_discovered_ones(world: World) -> None:
    world.file("[cmds.replay]\ncassette_name = 'found'\nnonsense = 1")
    world.write("work/ci.toml", "[cmds.replay]\ncassette_dir = 'named'")
    resolved = world.resolve(config_file="ci.toml")
    assert (resolved.config.cassette_dir, resolved.config.cassette_name) == ("named", "default")
    assert resolved.sources["cassette_dir"] == "file ci.toml, line 2"


@pytest.mark.parametrize(
    ("toml", "parts"),
    [
        ("listen = 'x'", ["unknown key `listen` in file ./.spycatcher_harness.toml, line 1", "[cmds.replay]"]),
        ("cmds = 1", ["`cmds` in file", "must be a table"]),
        ("cmds.replay = 1", ["`cmds.replay` in file", "must be a table"]),
        ("[cmds.reply]", ["unknown subcommand table `cmds.reply`", "did you mean `cmds.replay`?"]),
        ("[cmds.zzz]", ["unknown subcommand table `cmds.zzz`", "record, replay, verify"]),
        ("[cmds.replay]\n\ncasette_name = 1", ["unknown key `casette_name`", "line 3", "did you mean `cassette_name`?"]),
        ("[cmds.replay]\nlocale = 'en'", ["unknown key `locale`", "did you mean `localization.locale`?"]),
        ("[cmds.replay.replay]\nzzz = 1", ["unknown key `replay.zzz`", "known here: "]),
        ("[cmds.replay]\nlisten = 'localhost:1'", ['`listen` = "localhost:1"', "line 2", "expected an IP address with a port"]),
        ("[cmds.replay]\nmode = 'record'", ["these settings are for replay"]),
        ("[cmds.replay]\nlisten = 2024-01-01", ["`listen` = ", "expected an IP address"]),
        ("[cmds", ["./.spycatcher_harness.toml is not TOML"]),
    ],
)
def test_mistakes_in_a_file(world: World, toml: str, parts: list[str]) -> None:
    world.file(toml)
    message = world.failure()
    assert message.startswith("failed to merge layered config for `replay`: ")
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize(
    ("variable", "value", "parts"),
    [
        ("REPLAY_LISTEN", "localhost:1", ['`listen` = "localhost:1"', "SPYCATCHER_HARNESS_CMDS_REPLAY_LISTEN"]),
        ("REPLAY_LOCALE", "en", ["did you mean SPYCATCHER_HARNESS_CMDS_REPLAY_LOCALIZATION__LOCALE?"]),
        ("REPLAY_UPSTREAM_BASE_URL", "x", ["did you mean SPYCATCHER_HARNESS_CMDS_REPLAY_UPSTREAM__BASE_URL?"]),
        ("REPLAY_UPSTREAM", "{ url = 1 }", ["sets no known setting"]),
        ("REPLAY_UPSTREAM", "text", ["`upstream`", "expected a table"]),
        ("REPLAY_UPSTREAM__EXTRA_HEADERS__", "x", ["sets no known setting"]),
        ("REPLAY_LISTEN__HOST", "x", ["sets no known setting"]),
        ("REPLAY", "x", ["sets no known setting"]),
        ("REPLAY_", "x", ["sets no known setting"]),
        ("RELPAY_LISTEN", "x", ["SPYCATCHER_HARNESS_CMDS_RELPAY_LISTEN names no subcommand", "RECORD, REPLAY, VERIFY"]),
        ("REPLAY_FAIL_UNUSED", "yes", ['`fail_unused` = "yes"', "expected true or false"]),
        ("REPLAY_REPLAY__TPS", "fast", ['`replay.tps` = "fast"', "expected a whole number"]),
        ("REPLAY_CASSETTE_NAME", "\udcff", ["SPYCATCHER_HARNESS_CMDS_REPLAY_CASSETTE_NAME is not valid UTF-8"]),
    ],
)
def test_mistakes_in_the_environment(world: World, variable: str, value: str, parts: list[str]) -> None:
    world.environ[f"SPYCATCHER_HARNESS_CMDS_{variable}"] = value
    message = world.failure()
    assert message.startswith("failed to merge layered config for `replay`: ")
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("SPYCATCHER_HARNESS_LISTEN", "did you mean SPYCATCHER_HARNESS_CMDS_REPLAY_LISTEN?"),
        ("spycatcher_harness_upstream__base_url", "did you mean SPYCATCHER_HARNESS_CMDS_REPLAY_UPSTREAM__BASE_URL?"),
        ("SPYCATCHER_HARNESS_LOCALES", "did you mean SPYCATCHER_HARNESS_LOCALE?"),
        ("SPYCATCHER_HARNESS_", "settings are named SPYCATCHER_HARNESS_CMDS_<SUBCOMMAND>_<SETTING>"),
        ("SPYCATCHER_HARNESS_ZZZZZZZZ", "settings are named SPYCATCHER_HARNESS_CMDS_<SUBCOMMAND>_<SETTING>"),
    ],
)
def test_a_variable_of_ours_that_means_nothing(world: World, variable: str, hint: str) -> None:
    world.environ[variable] = "x"
    assert world.failure().endswith(f"environment variable {variable} means nothing to spycatcher-harness; {hint}")


def test_variables_of_ours_that_are_no_settings_are_let_be(world: World) -> None:
    names = ("LOCALE", "FALLBACK_LOCALE", "DISABLE_LOCALIZATION", "COMMAND")
    world.environ |= {f"SPYCATCHER_HARNESS_{name}": "en-US" for name in names} | {"SPYCATCHER_OTHER": "x"}
    world.resolve()


def test_variables_of_ours_that_hold_secrets_are_let_be(world: World) -> None:
    world.environ |= {"SPYCATCHER_HARNESS_OPENAI_KEY": "fake", "SPYCATCHER_HARNESS_MINE": "fake"}
    world.environ["SPYCATCHER_HARNESS_CMDS_REPLAY_REDACTION__SECRET_ENV"] = '["SPYCATCHER_HARNESS_MINE"]'
    world.resolve()


def test_variables_that_differ_only_in_case(world: World) -> None:
    world.environ |= {"SPYCATCHER_HARNESS_CMDS_REPLAY_LISTEN": "127.0.0.1:1", "spycatcher_harness_cmds_replay_listen": "127.0.0.1:2"}
    assert "differ only in upper and lower case" in world.failure()


@pytest.mark.parametrize(("field", "value"), [("locale", "not_a_locale"), ("fallback_locale", "not_a_locale")])
def test_invalid_language_identifiers(world: World, field: str, value: str) -> None:
    world.cli[f"localization.{field}"] = value
    expected = f"invalid localization field `{field}` value `{value}`: Parser error: Invalid subtag (from flag --{field.replace('_', '-')})"
    assert world.failure() == expected


def test_mistakes_in_options_are_named_as_options(world: World) -> None:
    world.cli["limits.max_body_bytes"] = "lots"
    assert "from option spycatcher_limits_max_body_bytes" in world.failure(cli_origin=option_origin)


def test_overridden_values_are_not_judged(world: World) -> None:
    world.file("[cmds.replay]\nlisten = 5")
    world.cli["listen"] = "127.0.0.1:1"
    assert str(world.resolve().config.listen) == "127.0.0.1:1"


def test_a_key_outside_cmds_names_the_table_as_the_file_has_it(world: World) -> None:
    world.write("work/pyproject.toml", '[tool.spycatcher_harness]\nlisten = "127.0.0.1:1"\n')
    assert world.failure().endswith(
        "unknown key `listen` in file ./pyproject.toml, line 2; settings go into tables named "
        "[tool.spycatcher_harness.cmds.<subcommand>], [tool.spycatcher_harness.cmds.replay] here"
    )
    world.write("work/pyproject.toml", "[tool.spycatcher_harness]\ncmds = 1\n")
    assert world.failure().endswith("must be a table, such as [tool.spycatcher_harness.cmds.replay]")
