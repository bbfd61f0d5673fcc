"""Sums, medians and money."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from decimal import Decimal

import pytest

from spycatcher_addon.cassette.model import FailureKind
from spycatcher_addon.tools.statistics import PriceTableError, collect_stats, middle, parse_price_table, sum_stats
from tests.support.tool_samples import plain, streamed

PRICES = """
currency = "USD"
[models."m-1"]
input_per_million = 2
output_per_million = 8.50
cached_input_per_million = 0.5
[models."m-*"]
input_per_million = 1
output_per_million = 1
"""


def table(text: str = PRICES) -> object:
    return parse_price_table(tomllib.loads(text, parse_float=Decimal))


def test_sums_by_model() -> None:
    tapes = [plain(), streamed(), plain(model="b"), plain(status=500, usage=None), replace(plain(), failure=FailureKind.CUT)]
    b, m = collect_stats(tapes)
    assert (b.model, b.interactions, b.streams, b.errors) == ("b", 1, 0, 0)
    assert (m.model, m.interactions, m.streams, m.errors, m.without_usage) == ("m-1", 4, 1, 2, 1)
    assert (m.input_tokens, m.output_tokens) == (36, 15)
    assert (m.ttft_ms, m.duration_ms) == ([120], [480])
    assert (m.request_bytes > 0, m.response_bytes > m.request_bytes, m.cost) == (True, True, None)


def test_the_total() -> None:
    total = sum_stats(collect_stats([plain(), plain(model="b"), streamed()]))
    assert (total.interactions, total.input_tokens, total.duration_ms, total.cost) == (3, 36, [480], None)
    assert sum_stats([]).interactions == 0


def test_costs_are_exact() -> None:
    cached = {"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 8}}
    prices = parse_price_table(tomllib.loads(PRICES, parse_float=Decimal))
    stats = collect_stats([plain(), plain(usage=cached), plain(model="m-2"), plain(model="x"), plain(model="m-1", usage=None)], prices)
    costs = {each.model: each.cost for each in stats}
    assert costs["m-1"] == (Decimal(12 * 2 + 2 * 2) + Decimal("8.5") * 6 + Decimal("0.5") * 8) / 1_000_000
    assert costs["m-2"] == Decimal(17) / 1_000_000
    assert costs["x"] is None
    assert sum_stats(stats).cost == costs["m-1"] + costs["m-2"]
    assert {each.model: each.as_json()["cost"] for each in stats}["m-2"] == "0.000017"


def test_a_price_without_usage_is_zero_not_unknown() -> None:
    (stats,) = collect_stats([plain(usage=None)], parse_price_table(tomllib.loads(PRICES, parse_float=Decimal)))
    assert (stats.cost, stats.without_usage) == (0, 1)


def test_the_longest_beginning_decides() -> None:
    text = '[models."g*"]\ninput_per_million=1\noutput_per_million=1\n[models."gpt*"]\ninput_per_million=2\noutput_per_million=2\n'
    prices = parse_price_table(tomllib.loads(text, parse_float=Decimal))
    price = prices.price_of("gpt-9")
    assert price is not None and price.input_per_million == 2
    assert prices.price_of("other") is None
    assert prices.currency == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("price = 1", "unknown key 'price'"),
        ("currency = 1\n[models]", "currency: "),
        ("", "expected a table per model"),
        ("models = 1", "expected a table per model"),
        ("[models]\nm = 1", 'models."m": expected a table'),
        ("[models.m]\ninput_per_million = 1", 'models."m".output_per_million: expected a number'),
        ("[models.m]\ninput_per_million = -1\noutput_per_million = 1", "input_per_million: expected"),
        ("[models.m]\ninput_per_million = true\noutput_per_million = 1", "input_per_million: expected"),
        ("[models.m]\ninput_per_million = inf\noutput_per_million = 1", "input_per_million: expected"),
        ("[models.m]\ninput = 1", 'models."m".input: unknown key'),
    ],
)
def test_price_tables_that_cannot_be_used(text: str, problem: str) -> None:
    with pytest.raises(PriceTableError, match=problem.replace(".", r"\.")):
        table(text)


def test_the_median() -> None:
    assert middle([]) is None
    assert middle([3, 1, 2]) == 2
    assert middle([1, 2]) == 2


def test_plain_answers_have_durations_too() -> None:
    timed = [replace(plain(), metadata=replace(plain().metadata, duration_ms=ms)) for ms in (100, 300, 200)]
    (stats,) = collect_stats([*timed, plain()])
    assert stats.duration_ms == [100, 300, 200]


def test_for_programs() -> None:
    (stats,) = collect_stats([plain()])
    members = stats.as_json()
    assert (members["median_ttft_ms"], members["total_duration_ms"], members["cost"]) == (None, None, None)
