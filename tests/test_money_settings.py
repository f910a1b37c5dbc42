"""Settings of budgets, prices and of how models are called, from tao.toml to the agent."""

from decimal import Decimal

import pytest

from tao.build import budget, build
from tao.config import ModelPrice, Models, load
from tao.errors import ConfigError, OverBudget
from tao.messages import Usage
from tao.seams import Abilities
from tao.testing import ScriptedModel
from tao.wrappers.models import Around


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


TOML = """
model = "dashscope:qwen-plus"
max_cost = 0.5
currency = "CNY"
max_tool_calls = 12
max_reasoning_tokens = 4000

[exchange]
USD = 7.1

[models]
attempts = 5
timeout = 40
requests_per_minute = 60
tokens_per_minute = 100000
fallback = ["siliconflow:mine", "ollama:qwen3"]

[prices."siliconflow:mine"]
input = 1.5
cached = 0.3
output = 6
currency = "USD"
"""
KEYS = {"DASHSCOPE_API_KEY": "k", "SILICONFLOW_API_KEY": "k"}


def test_a_file_with_all_of_it(alone):
    (alone / "tao.toml").write_text(TOML)
    settings = load()
    assert settings.models == Models(
        attempts=5, timeout=40, requests_per_minute=60, tokens_per_minute=100_000, fallback=("siliconflow:mine", "ollama:qwen3")
    )
    assert budget(settings) == {
        "max_tool_calls": 12, "max_reasoning_tokens": 4000, "max_cost": "0.5", "currency": "CNY", "exchange": {"USD": "7.1"},
    }
    agent = build(settings, KEYS)
    assert agent.model.name == "dashscope:qwen-plus"
    assert agent.settings["currency"] == "CNY"
    assert set(agent.settings["prices"]) == {"dashscope:qwen-plus", "siliconflow:mine"}
    assert agent.prices("siliconflow:mine").of(Usage(1_000_000, 0, 500_000), 0.0) == Decimal("0.90")


def test_without_any_of_it_there_is_no_budget_of_money():
    settings = load()
    assert budget(settings) == {}
    assert budget(load({"max_tokens": 9, "deadline": 3})) == {"max_tokens": 9, "deadline": 3.0}


def test_a_model_over_a_network_survives_and_stand_ins_may_be_named_in_the_environment(monkeypatch):
    assert isinstance(build(load({"model": "ollama:qwen3"}), {}).model, Around)
    monkeypatch.setenv("TAO_MODELS__FALLBACK", "ollama:a, ollama:b")
    assert build(load({"model": "ollama:qwen3"}), {}).model.name == "ollama:qwen3"
    assert load().models.fallback == ("ollama:a", "ollama:b")


def test_a_budget_that_cannot_be_kept_is_an_error(alone):
    (alone / "tao.toml").write_text('model = "dashscope:qwen-nonsense"\nmax_cost = 1\n')
    with pytest.raises(ConfigError, match="the price of dashscope:qwen-nonsense is not known"):
        build(load(), KEYS)
    (alone / "tao.toml").write_text('model = "dashscope:qwen-plus"\nmax_cost = 1\ncurrency = "EUR"\n')
    with pytest.raises(ConfigError, match="billed in CNY"):
        build(load(), KEYS)


@pytest.mark.parametrize(("toml", "words"), [
    ("max_cost = 0", "setting 'max_cost' is 0 (tao.toml); wanted: more than 0"),
    ('max_cost = "much"', "wanted: a number"),
    ('currency = "yuan"', "setting 'currency' is 'yuan' (tao.toml); wanted: three capital letters such as CNY or USD"),
    ('currency = "元"', "应为：三个大写字母，如 CNY 或 USD"),
    ("[models]\nattempt = 2", "there is no setting 'models.attempt' (tao.toml); did you mean 'attempts'?"),
    ("[models]\nattempts = 0", "setting 'models.attempts' is 0 (tao.toml); wanted: 1 or more"),
    ('[prices."a:b"]\ninput = 1\noutput = 2\ncache = 3', "there is no setting 'prices.a:b.cache' (tao.toml); did you mean 'cached'?"),
    ('[prices."a:b"]\ninput = 1', "setting 'prices.a:b.output' is missing (tao.toml)"),
    ('[prices."a:b"]\ninput = -1\noutput = 1', "setting 'prices.a:b.input' is -1 (tao.toml); wanted: 0 or more"),
    ("[exchange]\nUSD = 0", "setting 'exchange.USD' is 0 (tao.toml); wanted: more than 0"),
])  # fmt: skip
def test_what_is_wrong_is_said(alone, toml, words):
    (alone / "tao.toml").write_text(toml + "\n")
    with pytest.raises(ConfigError) as raised:
        load()
    assert words in str(raised.value)


def test_every_one_of_them_says_what_it_is_for():
    assert all(field.description for table in (Models, ModelPrice) for field in table.model_fields.values())


WHO = """
who = { user = "li", role = "clerk" }
[[quotas]]
per = "user"
max_runs = 1
"""


async def test_for_whom_the_commands_runs_are_stands_in_the_file(alone):
    (alone / "tao.toml").write_text(WHO)
    agent = build(load(), {}, model="http://localhost:9/v1#m")
    agent.model = ScriptedModel("Final Answer: 4", "Final Answer: 5", abilities=Abilities())
    async with agent:
        run = await agent.run("2 + 2?")
        assert run.asked.settings["who"] == {"user": "li", "role": "clerk"}
        with pytest.raises(OverBudget, match="1 of 1 runs"):
            await agent.run("2 + 3?")
        assert (await agent.run("2 + 3?", who={"user": "wang"})).asked.settings["who"] == {"user": "wang", "role": "clerk"}


def test_for_whom_runs_are_has_four_names(alone, monkeypatch):
    monkeypatch.setenv("TAO_WHO__TENANT", "acme")
    assert load().who == {"tenant": "acme"}
    (alone / "tao.toml").write_text('who = { usr = "li" }')
    with pytest.raises(ConfigError, match=r"who\.usr"):
        load()
