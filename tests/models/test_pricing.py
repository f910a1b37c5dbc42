"""Where prices come from."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from tao.errors import ConfigError
from tao.messages import Usage
from tao.models.pricing import finder, installed, names_of, packaged, price_of, priced
from tao.models.profiles import PROFILES
from tao.models.tariffs import TARIFFS
from tao.prices import FREE, Price, Rate, from_json
from tao.testing import ScriptedModel
from tao.wrappers.models import fallback, retry

OWN = {"openai:mine": Price((Rate(Decimal(1), Decimal(2), currency="EUR"),))}
NOON = datetime(2026, 11, 25, 12, tzinfo=UTC).timestamp()
packaged_prices = pytest.mark.skipif(not installed(), reason="genai-prices (extra prices) is not installed")


def test_our_own_table_is_in_yuan_and_says_where_its_figures_stand():
    rows = [(provider, model, price) for provider, table in TARIFFS.items() for model, price in table.items()]
    assert {provider for provider, _, _ in rows} <= set(PROFILES)
    for provider, model, price in rows:
        assert price.currency == "CNY", (provider, model)
        assert price.source.startswith("https://")
        assert datetime.fromisoformat(price.seen)
        assert all((rate.currency == "CNY" and rate.cached is None) or rate.cached <= rate.input for rate in price.rates)
        assert price.of(Usage(1000, 1000), NOON) is not None, (provider, model)


@pytest.mark.parametrize(("name", "usage", "yuan"), [
    ("qwen:qwen-plus", Usage(1_000, 1_000), "0.0028"),
    ("dashscope:qwen-plus", Usage(1_000, 1_000, 0, 10), "0.0088"),
    ("dashscope:qwen3-max", Usage(100_000, 1_000), "0.416"),
    ("ark:doubao-seed-1-8-251215", Usage(1_000, 100), "0.001"),
    ("volcengine:doubao-seed-1-8", Usage(1_000, 1_000), "0.0088"),
    ("siliconflow:deepseek-ai/DeepSeek-V3", Usage(1_000, 1_000, 500), "0.01"),
    ("deepseek:deepseek-flash", Usage(1_000, 1_000, 500), "0.00451"),
    ("glm:glm-5.3", Usage(1_000, 1_000, 500), "0.033"),
    ("zhipu:glm-5.3-flash", Usage(1_000_000, 0, 500_000), "0.515"),
    ("minimax:MiniMax-M2.7", Usage(1_000_000, 0, 400_000, None, 200_000), "1.533"),
    ("kimi:kimi-k3", Usage(1_000, 1_000, 1_000), "0.102"),
    ("ark:doubao-seed-2-1-pro-260915", Usage(1_000, 1_000), "0.036"),
])  # fmt: skip
def test_rows_of_our_own_table(name, usage, yuan):
    assert price_of(name).of(usage, NOON) == Decimal(yuan)


def test_a_prompt_longer_than_the_page_speaks_of_has_no_known_price():
    assert price_of("dashscope:qwen3.6-plus").of(Usage(256_001, 1), NOON) is None


def test_ones_own_prices_go_before_all():
    own = {"dashscope:qwen-plus": Price((Rate(Decimal(9), Decimal(9), currency="USD"),)), "ollama:m": Price((Rate(Decimal(1), Decimal(1)),))}
    assert price_of("dashscope:qwen-plus", own=own).currency == "USD"
    assert price_of("qwen:qwen-plus", own=own).currency == "USD"
    assert price_of("ollama:m", own=own).of(Usage(1_000_000, 0), NOON) == 1
    assert finder(OWN)("openai:mine") == OWN["openai:mine"]


@pytest.mark.parametrize("name", ["ollama:m", "llama.cpp:m", "LM-Studio:m", "hosted_vllm:m", "local", "http://localhost:1/v1#m"])
def test_ones_own_machine_is_free_under_every_name(name):
    assert price_of(name) is FREE


def test_a_model_of_ones_own_may_be_free_and_one_without_a_name_has_no_price():
    def mine(request, hear=None):
        raise NotImplementedError

    with pytest.raises(ConfigError, match=r"the model has no `name`.*\n设置了 max_cost"):
        priced(mine, lambda _: FREE, {"max_cost": 1, "currency": "CNY"})
    mine.name = "mine"
    recorded = priced(mine, lambda _: FREE, {"max_cost": 1, "currency": "CNY"})
    assert recorded == {"prices": {"mine": {"rates": [{"input": "0", "output": "0", "currency": ""}]}}, "currency": "CNY"}


@pytest.mark.parametrize("worth", [0, -1, "x", "nan", "inf", None, True])
def test_what_a_currency_is_worth_is_a_number_above_0(worth):
    with pytest.raises(ConfigError, match=r"exchange: USD is .*; it must be a number above 0\n汇率：USD 为"):
        priced((), lambda _: None, {"max_cost": 1, "currency": "CNY", "exchange": {"USD": worth}})


@pytest.mark.parametrize(("written", "named"), [
    ("qwen:qwen-plus", "dashscope:qwen-plus"), ("Kimi:kimi-k3", "moonshot:kimi-k3"), ("claude:x", "anthropic:x"), ("lm-studio:m", "lmstudio:m"),
    ("vllm:http://10.0.0.5:8000/v1#m", "vllm:m"), ("openai:https://gateway.example.com/v1#m", "openai:m"), ("glm:glm-5.3", "zai:glm-5.3"),
])  # fmt: skip
def test_ones_own_price_holds_under_every_name_of_the_provider(written, named):
    own = {written: Price((Rate(Decimal(9), Decimal(9)),)), "openai:another": Price((Rate(Decimal(1), Decimal(1)),))}
    assert finder(own)(named) is own[written]
    assert finder(own)(f"{named}-mini") is not own[written]


def test_what_nobody_says_is_not_known():
    assert price_of("scripted") is None
    assert price_of("dashscope:qwen-nonsense") is None
    assert price_of("http://example.org/v1#m") is None
    assert price_of("local:qwen") is FREE


@packaged_prices
@pytest.mark.parametrize("name", ["openai:gpt-5", "gemini:gemini-2.5-pro", "moonshot:kimi-k2.5", "minimax:MiniMax-M2", "zhipu:glm-4.7", "openrouter:openai/gpt-5"])
def test_prices_of_the_package(name):
    price = price_of(name)
    assert price.currency == "USD"
    assert price.source.startswith("genai-prices")
    assert price.of(Usage(1000, 1000, 900), NOON) < price.of(Usage(1000, 1000), NOON)


@packaged_prices
def test_the_package_and_we_agree_on_what_a_usage_costs():
    import genai_prices  # noqa: PLC0415

    for name, model in (("openai", "gpt-5.5"), ("gemini", "gemini-2.5-pro"), ("deepseek", "deepseek-flash"), ("moonshot", "kimi-k2.5")):
        for prompt, completion, cached, hour in ((1000, 500, 200, 12), (300_000, 500, 100_000, 12), (1000, 500, 200, 2), (0, 0, 0, 12)):
            at = datetime(2026, 11, 25, hour, tzinfo=UTC)
            provider = {"gemini": "google", "moonshot": "moonshotai"}.get(name, name)
            theirs = genai_prices.calc_price(
                genai_prices.Usage(input_tokens=prompt, cache_read_tokens=cached, output_tokens=completion), model, provider_id=provider, genai_request_timestamp=at,
            )
            assert packaged(name, model).of(Usage(prompt, completion, cached), at.timestamp()) == theirs.total_price, (name, prompt, hour)


@packaged_prices
def test_of_several_currencies_the_wanted_one_is_taken():
    assert price_of("deepseek:deepseek-flash").currency == "CNY"
    assert price_of("deepseek:deepseek-flash", currency="USD").currency == "USD"
    assert price_of("dashscope:qwen-plus", currency="USD").currency == "CNY"


def named(name):
    model = ScriptedModel("x")
    model.name = name
    return model


def test_a_run_carries_the_prices_of_every_model_that_may_answer():
    chain = fallback([retry(named("dashscope:qwen-plus")), named("volcengine:kimi-k2"), named("local:qwen"), named("siliconflow:nonsense")])
    assert names_of(chain) == ("dashscope:qwen-plus", "volcengine:kimi-k2", "local:qwen", "siliconflow:nonsense")
    record = priced(chain, price_of, {})
    assert set(record) == {"prices"}
    assert {name: from_json(price) for name, price in record["prices"].items()} == {
        name: price_of(name) for name in ("dashscope:qwen-plus", "volcengine:kimi-k2")
    }
    assert priced(named("local:qwen"), price_of, {}) == {}


def test_a_budget_of_money_needs_prices_in_its_currency():
    qwen = named("dashscope:qwen-plus")
    assert priced(qwen, price_of, {"max_cost": "1"})["currency"] == "CNY"
    assert priced(named("local:qwen"), price_of, {"max_cost": "1", "currency": "EUR"}) == {"currency": "EUR"}
    with pytest.raises(ConfigError, match=r'the price of openai:nonsense is not known: say it in tao.toml, \[prices."openai:nonsense"\]'):
        priced(named("openai:nonsense"), price_of, {"max_cost": "1"})
    with pytest.raises(ConfigError, match=r"max_cost is in EUR, and dashscope:qwen-plus is billed in CNY: .* \[exchange\] CNY"):
        priced(qwen, price_of, {"max_cost": "1", "currency": "EUR"})
    assert priced(qwen, price_of, {"max_cost": "1", "currency": "EUR", "exchange": {"CNY": "0.12"}})["currency"] == "EUR"


def test_a_price_for_what_is_no_model_is_refused():
    with pytest.raises(ConfigError, match="'opnai:gpt-5' is no model; write provider:model"):
        finder({"opnai:gpt-5": OWN["openai:mine"]})
    with pytest.raises(ConfigError, match="'gpt-5' 不是模型"):
        finder({"gpt-5": OWN["openai:mine"]})


def test_what_is_written_into_a_cache_has_the_packages_own_price():
    price = price_of("anthropic:claude-opus-5-5")
    rate = price.rates[-1]
    assert rate.cached < rate.input < rate.written
    assert price.of(Usage(1_000_000, 0, 0, None, 1_000_000), NOON) == rate.written
    assert price_of("claude:claude-opus-5-5") == price
