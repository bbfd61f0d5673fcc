"""Counts over cassettes: interactions, tokens, bytes, durations, and what the tokens would cost at given prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import median

from spycatcher_addon.cassette.fields import JsonObject
from spycatcher_addon.cassette.model import Interaction, StreamResponse
from spycatcher_addon.tools.listing import Row, describe

_MILLION = 1_000_000
_SUMS = ("interactions", "errors", "streams", "input_tokens", "output_tokens", "without_usage", "request_bytes", "response_bytes")
_PRICE_KEYS = ("input_per_million", "output_per_million", "cached_input_per_million")


class PriceTableError(ValueError):
    """A price table cannot be used; the text says which entry, and what is expected."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of a model cost."""

    input_per_million: Decimal
    output_per_million: Decimal
    cached_input_per_million: Decimal | None = None
    """For input tokens read from a cache; ``None``: as any other."""


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by model; a name that ends in ``*`` stands for all that begin like it."""

    currency: str
    prices: Mapping[str, Price]

    def price_of(self, model: str) -> Price | None:
        """The price of a model: its own entry, else that of the longest beginning."""
        if model in self.prices:
            return self.prices[model]
        beginnings = [name for name in self.prices if name.endswith("*") and model.startswith(name[:-1])]
        return self.prices[max(beginnings, key=len)] if beginnings else None


@dataclass(slots=True)
class ModelStats:
    """Sums for one model."""

    model: str
    """Empty for requests that name none."""
    interactions: int = 0
    errors: int = 0
    """Answers with a status from 400 on, and exchanges that ended badly."""
    streams: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    without_usage: int = 0
    """Answers that do not say how many tokens they took; they are in no sum of tokens or money."""
    request_bytes: int = 0
    response_bytes: int = 0
    ttft_ms: list[int] = field(default_factory=list)
    """Per stream, milliseconds to its first chunk."""
    duration_ms: list[int] = field(default_factory=list)
    """Per stream, milliseconds to its last chunk."""
    cost: Decimal | None = None
    """``None`` without a price for the model."""

    def as_json(self) -> JsonObject:
        """The sums for programs."""
        return {
            "model": self.model,
            "interactions": self.interactions,
            "errors": self.errors,
            "streams": self.streams,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "without_usage": self.without_usage,
            "request_bytes": self.request_bytes,
            "response_bytes": self.response_bytes,
            "median_ttft_ms": middle(self.ttft_ms),
            "median_duration_ms": middle(self.duration_ms),
            "total_duration_ms": sum(self.duration_ms) if self.duration_ms else None,
            "cost": None if self.cost is None else format(self.cost, "f"),
        }


def middle(times_ms: list[int]) -> int | None:
    """The median, rounded; ``None`` of nothing."""
    return round(median(times_ms)) if times_ms else None


def collect_stats(interactions: Iterable[Interaction], prices: PriceTable | None = None) -> tuple[ModelStats, ...]:
    """Sum up by model, in the order of the models' names."""
    by_model: dict[str, ModelStats] = {}
    for interaction in interactions:
        row = describe(0, interaction)
        _count(by_model.setdefault(row.model, ModelStats(row.model)), row, interaction, prices)
    return tuple(by_model[model] for model in sorted(by_model))


def sum_stats(by_model: Iterable[ModelStats]) -> ModelStats:
    """Add the models up; the cost is that of the models with a price, ``None`` when none has one."""
    total = ModelStats("")
    for each in by_model:
        for name in _SUMS:
            setattr(total, name, getattr(total, name) + getattr(each, name))
        total.ttft_ms += each.ttft_ms
        total.duration_ms += each.duration_ms
        if each.cost is not None:
            total.cost = each.cost + (total.cost or 0)
    return total


def parse_price_table(table: Mapping[str, object]) -> PriceTable:
    """Read a price table from the values of its TOML document (docs/tape-tools.md, "stats").

    Args:
        table: Numbers as integers or :class:`~decimal.Decimal`.

    Raises:
        PriceTableError: A key is unknown, missing or no price.
    """
    unknown = sorted(table.keys() - {"currency", "models"})
    if unknown:
        raise PriceTableError(f"unknown key {unknown[0]!r}; expected currency and models")
    currency = table.get("currency", "")
    models = table.get("models")
    if not isinstance(currency, str):
        raise PriceTableError('currency: expected a text such as "USD"')
    if not isinstance(models, Mapping):
        raise PriceTableError('expected a table per model, such as [models."gpt-4o-mini"]')
    return PriceTable(currency, {str(name): _price(str(name), entry) for name, entry in models.items()})


def _price(name: str, entry: object) -> Price:
    if not isinstance(entry, Mapping):
        raise PriceTableError(f'models."{name}": expected a table with {_PRICE_KEYS[0]} and {_PRICE_KEYS[1]}')
    unknown = sorted(str(key) for key in entry if key not in _PRICE_KEYS)
    if unknown:
        raise PriceTableError(f'models."{name}".{unknown[0]}: unknown key; expected one of {", ".join(_PRICE_KEYS)}')
    cached = _amount(name, entry, _PRICE_KEYS[2]) if _PRICE_KEYS[2] in entry else None
    return Price(_amount(name, entry, _PRICE_KEYS[0]), _amount(name, entry, _PRICE_KEYS[1]), cached)


def _amount(name: str, entry: Mapping[object, object], key: str) -> Decimal:
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite() or value < 0:
        raise PriceTableError(f'models."{name}".{key}: expected a number, 0 or more')
    return Decimal(value)


def _count(stats: ModelStats, row: Row, interaction: Interaction, prices: PriceTable | None) -> None:
    stats.interactions += 1
    stats.errors += row.status >= 400 or row.failure is not None
    stats.streams += row.is_stream
    stats.request_bytes += row.request_bytes
    stats.response_bytes += row.response_bytes
    response = interaction.response
    if isinstance(response, StreamResponse) and response.timing is not None and response.timing.chunks:
        stats.ttft_ms.append(response.timing.ttft_ms)
        stats.duration_ms.append(response.timing.chunks[-1][1])
    elif interaction.metadata.duration_ms is not None:
        stats.duration_ms.append(interaction.metadata.duration_ms)
    price = None if prices is None else prices.price_of(row.model)
    if price is not None:
        stats.cost = stats.cost or Decimal(0)
    usage = row.usage
    if usage.input_tokens is None or usage.output_tokens is None:
        stats.without_usage += 1
        return
    stats.input_tokens += usage.input_tokens
    stats.output_tokens += usage.output_tokens
    if price is not None and stats.cost is not None:
        stats.cost += _cost(price, usage.input_tokens, usage.output_tokens, usage.cached_input_tokens or 0)


def _cost(price: Price, input_tokens: int, output_tokens: int, cached_tokens: int) -> Decimal:
    cached = min(cached_tokens, input_tokens) if price.cached_input_per_million is not None else 0
    fresh_cost = price.input_per_million * (input_tokens - cached)
    return (fresh_cost + (price.cached_input_per_million or 0) * cached + price.output_per_million * output_tokens) / _MILLION
