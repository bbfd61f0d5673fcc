"""Configuration layers as plain mappings: merging them, finding unknown keys, saying which value is wrong and whose it is.

Knows every setting's place and spelling (from :class:`spycatcher_addon.config.HarnessConfig`), but not how files,
variables or flags are read. A setting's place is a tuple of keys, ``("upstream", "base_url")``.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from spycatcher_addon.config import Expects, HarnessConfig, Spelling, UpstreamConfig
from spycatcher_addon.redaction.shapes import SHAPE_NAMES, find_credentials

type Place = tuple[str, ...]

FREE_TABLE: Place = ("upstream", "extra_headers")
"""The one table whose keys are the user's own."""

_SHOWN_CHARS = 200
_URL_CREDENTIALS = re.compile(r"(://)[^/?#\"]*@")
_QUERY_CREDENTIALS = re.compile(r"([?&][^=&#]*(?:key|token|secret|password|sig)[^=&#]*=)[^&#\"]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that can be configured."""

    place: Place
    expects: Expects

    @property
    def dotted(self) -> str:
        """The place as it is written in messages, ``upstream.base_url``."""
        return ".".join(self.place)


@dataclass(frozen=True, slots=True)
class Layer:
    """Values of one origin: a file, the environment, the command line."""

    values: Mapping[str, object]
    """Nested as in a configuration file, beginning below ``cmds.<subcommand>``."""
    origin: Callable[[Place], str]
    """Names where the value at a place was written: "flag --listen"."""


@dataclass(slots=True)
class MergedLayers:
    """What the layers say together."""

    values: dict[str, object] = field(default_factory=dict)
    origins: dict[Place, str] = field(default_factory=dict)
    """Where each value, and each table's strongest part, came from."""

    def origin_of(self, place: Place) -> str | None:
        """The origin of a value or of the nearest enclosing thing that has one."""
        for length in range(len(place), 0, -1):
            if place[:length] in self.origins:
                return self.origins[place[:length]]
        return None


def section_of(annotation: object) -> type[BaseModel] | None:
    """The model in a field's annotation, if the field is a section."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := section_of(part))), None)


def _expects(info: FieldInfo) -> Expects:
    return next(entry for entry in info.metadata if isinstance(entry, Expects))


def _walk(section: type[BaseModel], above: Place) -> tuple[dict[Place, Setting], list[Place]]:
    settings: dict[Place, Setting] = {}
    sections: list[Place] = []
    for name, info in section.model_fields.items():
        place = (*above, name)
        below = section_of(info.annotation)
        if below is None:
            settings[place] = Setting(place, _expects(info))
        else:
            inner_settings, inner_sections = _walk(below, place)
            sections += [place, *inner_sections]
            settings |= inner_settings
    return settings, sections


SETTINGS, _SECTIONS = _walk(HarnessConfig, ())
"""Every setting by its place, in the order of the model."""
SECTIONS: frozenset[Place] = frozenset(_SECTIONS)

PRESET_SETTINGS: frozenset[Place] = frozenset(
    ("upstream", name) for name in ("base_url", "api_key_env", "api_key_required", "auth") if name in UpstreamConfig.model_fields
)
"""Settings whose default depends on ``upstream.kind``."""


def merge_layers(layers: Sequence[Layer]) -> MergedLayers:
    """Merge layers, the weakest first: tables key by key, everything else (lists too) replaced whole."""
    merged = MergedLayers()
    for layer in layers:
        _merge_table(merged, merged.values, layer, layer.values, ())
    return merged


def _merge_table(merged: MergedLayers, target: dict[str, object], layer: Layer, values: Mapping[str, object], above: Place) -> None:
    for key, value in values.items():
        place = (*above, key)
        if isinstance(value, Mapping):
            below = target.get(key)
            if not isinstance(below, dict):
                below = target[key] = {}
            _merge_table(merged, below, layer, value, place)
        else:
            target[key] = value
            merged.origins = {other: text for other, text in merged.origins.items() if other[: len(place)] != place}
        merged.origins[place] = layer.origin(place)


def find_unknown_key(values: Mapping[str, object], above: Place = ()) -> Place | None:
    """The place of the first key that is no setting, or ``None``."""
    for key, value in values.items():
        place = (*above, key)
        if place in SECTIONS:
            if isinstance(value, Mapping) and (unknown := find_unknown_key(value, place)):
                return unknown
        elif place not in SETTINGS:
            return place
    return None


def nearest_setting(place: Place) -> Place | None:
    """The known place somebody most likely meant: the same key in another table, else the closest spelling."""
    key = place[-1].replace("-", "_").lower()
    known = [*SETTINGS, *SECTIONS]
    homonyms = [candidate for candidate in known if candidate[-1] == key]
    if homonyms:
        return homonyms[0]
    if place[:-1] in SECTIONS:
        # Inside a table only the last key is in doubt; the shared rest would make all its keys look alike.
        spelled, wanted = {candidate[-1]: candidate for candidate in known}, key
    else:
        spelled, wanted = {"_".join(candidate): candidate for candidate in known}, "_".join((*place[:-1], key))
        spelled = {candidate[-1]: candidate for candidate in known} | spelled
    close = difflib.get_close_matches(wanted, spelled, n=1, cutoff=0.7)
    return spelled[close[0]] if close else None


def keys_beside(place: Place) -> list[str]:
    """The known keys of the table that a place lies in, for a message that has nothing closer to offer."""
    above = place[:-1]
    return sorted(known[-1] for known in (*SETTINGS, *SECTIONS) if known[:-1] == above)


def parse_spelled(setting: Setting, text: str) -> object:
    """Read a setting's value from text, as an environment variable has it.

    Text that is not TOML is returned as it is; the check of the whole configuration then refuses it by its type.
    """
    if setting.expects.spelling is Spelling.LITERAL:
        return text
    try:
        document = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # ValueError: no TOML, or a number of more digits than Python reads
        return text
    return document["value"] if document.keys() == {"value"} else text


def parse_spelled_list(setting: Setting, texts: Sequence[str]) -> object:
    """Read a list from an option that may be given several times: its elements, or once the whole list as TOML."""
    if len(texts) == 1 and texts[0].lstrip().startswith("["):
        value = parse_spelled(setting, texts[0])
        if isinstance(value, list) and all(isinstance(element, str) for element in value):
            return value
    return list(texts)


def show_value(value: object) -> str:
    """A value as TOML spells it, shortened for a message, without what looks like credentials in a URL."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:  # more digits than Python prints
        return "a number of very many digits"
    for secret in sorted({text[each.start : each.end] for each in find_credentials(text, SHAPE_NAMES)}, key=len, reverse=True):
        text = text.replace(secret, "***")
    text = _URL_CREDENTIALS.sub("\\1***@", text)
    text = _QUERY_CREDENTIALS.sub("\\1***", text)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."


def describe_problem(error: ValidationError, merged: MergedLayers) -> str:
    """Say which setting is wrong, what it holds, who set it and what was expected. Secrets are not shown."""
    details = error.errors(include_url=False)[0]
    location = tuple(str(part) for part in details["loc"])
    reason = str(details["ctx"]["error"]) if details["type"] == "value_error" else ""
    place = next((location[:n] for n in range(len(location), 0, -1) if location[:n] in SETTINGS or location[:n] in SECTIONS), ())
    setting = SETTINGS.get(place)
    if setting is None:
        if reason:  # a check across several settings, which says all there is
            return reason
        setting = Setting(place, Expects("a table", Spelling.TOML))
    value: object = merged.values
    for key in place:
        value = value[key] if isinstance(value, dict) else value
    shown = "(value not shown)" if setting.expects.is_secret else show_value(value)
    origin = merged.origin_of(location) or "default"
    expected = f"expected {setting.expects.description}"
    return f"`{setting.dotted}` = {shown}, from {origin}: {expected}{f' ({reason})' if reason else ''}"
