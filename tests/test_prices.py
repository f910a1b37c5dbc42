"""What a run costs, against a table worked out by hand: 12 providers and every shape of usage."""

from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise

import pytest

from tao.errors import ConfigError
from tao.events import Asked, Misread, Replied
from tao.messages import Reply, Usage
from tao.prices import FREE, Cost, Price, Rate, cost, from_json, is_local, money, to_json, total
from tao.run import NO_TOOLS, Run

NIGHT = datetime(2026, 11, 25, 20, 0, tzinfo=UTC).timestamp()  # a Wednesday, no peak hour anywhere
PEAK = datetime(2026, 11, 25, 2, 0, tzinfo=UTC).timestamp()
SUNDAY = datetime(2026, 11, 29, 2, 0, tzinfo=UTC).timestamp()


def price(*rates):
    """Rates from "input cached output currency" and what else holds."""
    made = []
    for words, more in rates:
        fresh, reused, said, currency = words.split()
        made.append(Rate(Decimal(fresh), Decimal(said), None if reused == "-" else Decimal(reused), currency=currency, **more))
    return Price(tuple(made))


PRICES = {  # per million tokens, as they were when this table was made; what they are today is another matter
    "openai:m": price(("10 1 45 USD", {"over": 272_000}), ("5 0.5 30 USD", {})),
    "anthropic:m": price(("3 0.3 15 USD", {})),
    "gemini:m": price(("2.5 0.25 15 USD", {"over": 200_000}), ("1.25 0.125 10 USD", {})),
    "deepseek:m": price(
        ("2 0.04 8 CNY", {"hours": "01:00-04:00", "weekdays": True}), ("2 0.04 8 CNY", {"hours": "06:00-10:00", "weekdays": True}),
        ("1 0.02 4 CNY", {}),
    ),
    "dashscope:m": price(("2.4 0.48 20 CNY", {"over": 128_000, "thinking": Decimal(24)}), ("0.8 0.16 2 CNY", {"thinking": Decimal(8)})),
    "moonshot:m": price(("0.6 0.1 3 USD", {})),
    "zhipu:m": price(("8 2 28 CNY", {})),
    "siliconflow:m": price(("4 - 16 CNY", {})),
    "minimax:m": price(("0.3 0.06 1.2 USD", {})),
    "volcengine:m": price(
        ("2.4 0.16 24 CNY", {"over": 128_000}), ("1.2 0.16 16 CNY", {"over": 32_000}), ("0.8 0.16 2 CNY", {"short": 200}), ("0.8 0.16 8 CNY", {}),
    ),
    "openrouter:m": price(("1.25 0.125 10 USD", {})),
    "ollama:m": FREE,
}

PLAIN = Usage(100_000, 10_000)
CACHED = Usage(100_000, 10_000, 80_000)
THOUGHT = Usage(100_000, 10_000, 0, 8_000)
BOTH = Usage(100_000, 10_000, 80_000, 8_000)
LONG = Usage(300_000, 10_000)
SHORT = Usage(10_000, 100)
ZERO = Usage(0, 0, 0, 0)

# By hand: (prompt - cached) × input + cached × cached price + completion × output, all over a million.
BY_HAND = {
    #             plain              cached             thought            both               long               short
    "openai":      ("0.80 USD",      "0.44 USD",        "0.80 USD",        "0.44 USD",        "3.45 USD",        "0.053 USD"),
    "anthropic":   ("0.45 USD",      "0.234 USD",       "0.45 USD",        "0.234 USD",       "1.05 USD",        "0.0315 USD"),
    "gemini":      ("0.225 USD",     "0.135 USD",       "0.225 USD",       "0.135 USD",       "0.90 USD",        "0.0135 USD"),
    "deepseek":    ("0.14 CNY",      "0.0616 CNY",      "0.14 CNY",        "0.0616 CNY",      "0.34 CNY",        "0.0104 CNY"),
    "dashscope":   ("0.10 CNY",      "0.0488 CNY",      "0.16 CNY",        "0.1088 CNY",      "0.92 CNY",        "0.0082 CNY"),
    "moonshot":    ("0.09 USD",      "0.05 USD",        "0.09 USD",        "0.05 USD",        "0.21 USD",        "0.0063 USD"),
    "zhipu":       ("1.08 CNY",      "0.60 CNY",        "1.08 CNY",        "0.60 CNY",        "2.68 CNY",        "0.0828 CNY"),
    "siliconflow": ("0.56 CNY",      "0.56 CNY",        "0.56 CNY",        "0.56 CNY",        "1.36 CNY",        "0.0416 CNY"),
    "minimax":     ("0.042 USD",     "0.0228 USD",      "0.042 USD",       "0.0228 USD",      "0.102 USD",       "0.00312 USD"),
    "volcengine":  ("0.28 CNY",      "0.1968 CNY",      "0.28 CNY",        "0.1968 CNY",      "0.96 CNY",        "0.0082 CNY"),
    "openrouter":  ("0.225 USD",     "0.135 USD",       "0.225 USD",       "0.135 USD",       "0.475 USD",       "0.0135 USD"),
    "ollama":      ("0", "0", "0", "0", "0", "0"),
}  # fmt: skip
SHAPES = dict(zip(("plain", "cached", "thought", "both", "long", "short"), (PLAIN, CACHED, THOUGHT, BOTH, LONG, SHORT), strict=True))


def run(model, *usages, at=NIGHT, **more):
    known = {name: to_json(one) for name, one in PRICES.items() if one is not FREE}
    events = [Replied(Reply("x", usage=usage, seconds=2.0, **more), at=at + 2.0) for usage in usages]
    return Run("r", [Asked("q", model=model, settings={"prices": known}, at=at), *events])


def amounts(text):
    number, _, currency = text.partition(" ")
    return {currency: Decimal(number)} if currency else {}


@pytest.mark.parametrize("provider", BY_HAND)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_provider_and_shape(provider, shape):
    by_hand = amounts(BY_HAND[provider][list(SHAPES).index(shape)])
    assert cost(run(f"{provider}:m", SHAPES[shape])) == Cost(by_hand)


@pytest.mark.parametrize("provider", BY_HAND)
def test_the_replies_of_a_run_add_up(provider):
    by_hand = sum((next(iter(amounts(cell).values()), Decimal(0)) for cell in BY_HAND[provider]), Decimal(0))
    found = cost(run(f"{provider}:m", *SHAPES.values(), ZERO))
    assert sum(found.amounts.values()) == by_hand
    assert found.unknown == 0


@pytest.mark.parametrize("provider", set(BY_HAND) - {"ollama"})
@pytest.mark.parametrize("usage", [Usage(), Usage(100, None), Usage(None, 100), Usage(None, None, 10, 10)])
def test_what_was_not_counted_is_unknown_and_not_nothing(provider, usage):
    assert cost(run(f"{provider}:m", usage)) == Cost({}, 1)
    found = cost(run(f"{provider}:m", PLAIN, usage))
    assert (found.amounts, found.unknown) == (amounts(BY_HAND[provider][0]), 1)


@pytest.mark.parametrize("provider", BY_HAND)
def test_all_zero_costs_nothing(provider):
    found = cost(run(f"{provider}:m", ZERO))
    assert found.unknown == 0
    assert not any(found.amounts.values())


def test_a_model_without_a_price_is_unknown():
    assert cost(run("openai:other", PLAIN, ZERO)) == Cost({}, 2)
    assert cost(Run("r", [Asked("q", model="scripted"), Replied(Reply("x"))])) == Cost({}, 1)


def test_more_cached_than_prompt_is_no_refund():
    assert cost(run("openai:m", Usage(100, 0, 500))) == Cost({"USD": Decimal("0.00005")})


def test_peak_hours_hold_on_working_days():
    assert cost(run("deepseek:m", PLAIN, at=PEAK)) == Cost({"CNY": Decimal("0.28")})
    assert cost(run("deepseek:m", PLAIN, at=SUNDAY)) == Cost({"CNY": Decimal("0.14")})
    start = datetime(2026, 11, 25, 1, 0, tzinfo=UTC).timestamp()
    assert [cost(run("deepseek:m", PLAIN, at=start + s)).amounts["CNY"] for s in (-1, 0, 3 * 3600 - 1, 3 * 3600)] == [
        Decimal("0.14"), Decimal("0.28"), Decimal("0.28"), Decimal("0.14")
    ]  # the moment when it was asked for, not the one when it was there


def test_hours_may_pass_midnight_and_prices_begin_on_a_day():
    night = price(("1 - 1 USD", {"hours": "22:00-06:00"}), ("2 - 2 USD", {"since": "2026-11-26"}), ("3 - 3 USD", {}))
    at = [datetime(2026, 11, day, hour, tzinfo=UTC).timestamp() for day, hour in ((25, 12), (25, 23), (26, 5), (26, 12))]
    assert [night.of(Usage(1_000_000, 0), one) for one in at] == [3, 1, 1, 2]


def test_the_edge_of_a_tier_belongs_to_the_cheaper_one():
    assert [PRICES["volcengine:m"].of(Usage(tokens, 0), NIGHT) for tokens in (32_000, 32_001)] == [Decimal("0.0256"), Decimal("0.0384012")]
    assert [PRICES["volcengine:m"].of(Usage(0, tokens), NIGHT) for tokens in (200, 201)] == [Decimal("0.0004"), Decimal("0.001608")]
    assert price(("1 - 1 USD", {"most": 10})).of(Usage(11, 1), NIGHT) is None


def test_replies_of_a_stand_in_are_charged_at_its_own_price():
    asked = run("openai:m", PLAIN)
    asked.events += [Replied(Reply("x", usage=PLAIN, by=name), at=NIGHT) for name in ("zhipu:m", "ollama:m")]
    found = cost(asked)
    assert found == Cost({"USD": Decimal("0.80"), "CNY": Decimal("1.08")})
    assert found.within("CNY", {"USD": "7.1"}) == Decimal("6.76")
    assert found.within("CNY") is None
    assert str(found) == "$0.8000 + ¥1.08"


def test_a_refusal_of_tools_is_not_billed():
    refused = run("openai:m", PLAIN)
    refused.events += [Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS)]
    assert cost(refused) == Cost({"USD": Decimal("0.80")})


def test_other_prices_than_those_recorded_can_be_asked_for():
    assert cost(run("openai:m", PLAIN), lambda name: PRICES["zhipu:m"]) == Cost({"CNY": Decimal("1.08")})


def test_costs_add_up():
    assert total([Cost({"CNY": Decimal(1)}), Cost({"CNY": Decimal(2), "USD": Decimal(1)}, 1), Cost()]) == Cost({"CNY": Decimal(3), "USD": Decimal(1)}, 1)


@pytest.mark.parametrize(("name", "local"), [
    ("local:qwen", True), ("ollama:x", True), ("http://127.0.0.1:8000/v1#m", True), ("http://example.org/v1#m", False), ("openai:x", False), ("", False),
])  # fmt: skip
def test_models_of_ones_own_machine_cost_nothing(name, local):
    assert is_local(name) is local
    assert cost(Run("r", [Asked("q", model=name), Replied(Reply("x"))])).unknown == 1  # nobody counted
    assert cost(Run("r", [Asked("q", model=name), Replied(Reply("x", usage=PLAIN))])).unknown == (not local)


def test_amounts_are_shown_with_as_many_digits_as_they_need():
    shown = [money(Decimal(a), c) for a, c in (("0", "CNY"), ("0.00123", "CNY"), ("0.5", "USD"), ("12.345", "USD"), ("1", "XYZ"))]
    assert shown == ["¥0.00", "¥0.0012", "$0.5000", "$12.34", "XYZ 1.00"]


@pytest.mark.parametrize("name", PRICES)
def test_prices_as_json_are_the_same_prices(name):
    assert from_json(to_json(PRICES[name])) == PRICES[name]


@pytest.mark.parametrize("record", [
    {}, {"rates": []}, {"rates": [{}]}, {"rates": [{"input": "x", "output": "1"}]}, {"rates": [{"input": "1", "output": "1", "hours": "9"}]}, {"rates": 3}, {"rates": ["x"]},
])  # fmt: skip
def test_what_is_no_price_is_refused(record):
    with pytest.raises(ConfigError, match=r"is no price .* wanted"):
        from_json(record)


def test_the_columns_of_the_table_differ_where_the_shapes_do():
    """The table would be worth little where it could not tell a mistake."""
    assert all(row[0] != row[1] for name, row in BY_HAND.items() if name not in {"siliconflow", "ollama"})
    assert sum(a != b for row in BY_HAND.values() for a, b in pairwise(row)) > 40


def test_what_is_written_into_a_cache_has_its_own_price_and_is_charged_once():
    rate = Rate(Decimal(5), Decimal(25), Decimal("0.5"), written=Decimal("6.25"))
    usage = Usage(prompt=1_000_000, completion=0, cached=600_000, written=300_000)
    assert rate.amount(usage) == Decimal("0.5") + Decimal("0.3") + Decimal("1.875")
    assert Rate(Decimal(5), Decimal(25)).amount(usage) == Decimal(5)
    assert from_json(to_json(Price((rate,)))) == Price((rate,))
