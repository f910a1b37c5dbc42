"""Budgets of sessions, users and tenants over a time."""

from contextlib import suppress
from decimal import Decimal

import pytest

from tao import Agent
from tao.errors import ConfigError, OverBudget
from tao.events import Asked, Decided, Ended, Observed, Paused, Replied, Ruled
from tao.messages import Call, Observation, Reply, Usage
from tao.prices import Cost, Price, Rate, from_json, to_json
from tao.quotas import Quota, Spent, admit, narrowed, over, spent
from tao.run import NO_TOOLS, Run
from tao.stores.sql import Journal
from tao.testing import ScriptedModel

PRICE = to_json(Price((Rate(Decimal(1000), Decimal(1000), currency="CNY"),)))
NOW = 1_790_000_000.0


def run(name, at, *replies, **who):
    """A run that began at `at` and whose replies came so many seconds later, 100 tokens each."""
    events = [Replied(Reply("x", usage=Usage(90, 10)), at=at + later) for later in replies]
    return Run(name, [Asked("q", model="p:m", settings={"who": who, "prices": {"p:m": PRICE}}, at=at), *events])


RUNS = [
    run("a", NOW - 100, 1, 2, user="li", tenant="acme", session="1"),
    run("b", NOW - 5000, 1, 4950, user="li", tenant="acme", session="2"),
    run("c", NOW - 50, 1, user="wang", tenant="acme", session="3"),
    run("d", NOW - 40, 1),
]


@pytest.mark.parametrize(("per", "name", "window", "used"), [
    ("user", "li", 1000, (1, 300)), ("user", "li", 9000, (2, 400)), ("tenant", "acme", 1000, (2, 400)), ("session", "2", 1000, (0, 100)),
    ("user", "nobody", 9000, (0, 0)),
])  # fmt: skip
def test_what_was_used_is_counted_by_the_moment_of_each_reply(per, name, window, used):
    found = spent(RUNS, per, name, NOW - window)
    assert (found.runs, found.tokens) == used
    assert found.cost.amounts.get("CNY", 0) == Decimal(used[1]) / 1000


@pytest.mark.parametrize(("quota", "used", "words"), [
    ({"max_runs": 3}, Spent(3), ("3 of 3 runs", "3 / 3 次运行")),
    ({"max_tokens": 5000}, Spent(1, 5000), ("5,000 of 5,000 tokens", "5,000 / 5,000 词元")),
    ({"max_cost": Decimal(2), "currency": "CNY"}, Spent(1, 1, Cost({"CNY": Decimal("2.5")})), ("¥2.50 of ¥2.00", "¥2.50 / ¥2.00")),
    ({"max_cost": Decimal(2), "currency": "CNY", "exchange": {"USD": 7}}, Spent(1, 1, Cost({"USD": Decimal(1)})), ("¥7.00 of ¥2.00", "¥7.00 / ¥2.00")),
    ({"max_cost": Decimal(2), "currency": "CNY"}, Spent(1, 1, Cost({"USD": Decimal(1)})), ("$1.00 of ¥2.00", "$1.00 / ¥2.00")),
    ({"max_steps": 3}, Spent(steps=3), ("3 of 3 steps", "3 / 3 步")),
    ({"max_model_calls": 3}, Spent(model_calls=4), ("4 of 3 model calls", "4 / 3 次模型调用")),
    ({"max_tool_calls": 3}, Spent(tool_calls=3), ("3 of 3 tool calls", "3 / 3 次工具调用")),
    ({"max_prompt_tokens": 3000}, Spent(prompt_tokens=3000), ("3,000 of 3,000 prompt tokens", "3,000 / 3,000 提示词元")),
    ({"max_completion_tokens": 3}, Spent(completion_tokens=3), ("3 of 3 completion tokens", "3 / 3 输出词元")),
    ({"max_reasoning_tokens": 3}, Spent(reasoning_tokens=3), ("3 of 3 reasoning tokens", "3 / 3 思考词元")),
    ({"max_cached_tokens": 3}, Spent(cached_tokens=3), ("3 of 3 cached tokens", "3 / 3 缓存词元")),
    ({"max_seconds": 60}, Spent(seconds=61.26), ("61.3 of 60 seconds", "61.3 / 60 秒")),
    ({"max_steps": 4, "max_seconds": 60}, Spent(steps=3, seconds=59.9), None),
    ({"max_runs": 4, "max_tokens": 5001, "max_cost": Decimal(2), "currency": "CNY"}, Spent(3, 5000, Cost({"CNY": Decimal("1.99")})), None),
])  # fmt: skip
def test_what_is_used_up(quota, used, words):
    assert over(Quota("user", **quota), used) == words


@pytest.mark.parametrize(("quota", "words"), [
    ({"per": "user", "window": 0}, "quota: window is 0; it must be above 0"),
    ({"per": "user", "max_tokens": -1}, "配额：max_tokens 为 -1；应大于 0"),
    ({"per": "team"}, "quota: per is 'team'; wanted: session, user, tenant"),
    ({"per": "user", "max_cost": Decimal(1)}, "quota: max_cost needs a currency"),
    ({"per": "user", "max_steps": 0}, "quota: max_steps is 0; it must be above 0"), ({"per": "user", "max_seconds": float("nan")}, "max_seconds is nan"),
    ({"per": "user", "max_cost": Decimal(1), "currency": "CNY", "exchange": {"USD": 0}}, "exchange: USD is 0; it must be a number above 0"),
])  # fmt: skip
def test_a_quota_that_makes_no_sense(quota, words):
    with pytest.raises(ConfigError, match=words):
        Quota(**quota)


async def test_runs_are_looked_up_in_the_journal(tmp_path):
    async with Journal(tmp_path / "runs.db") as journal:
        for one in RUNS:
            for end in range(1, len(one.events) + 1):
                await journal(Run(one.id, one.events[:end]), one.events[end - 1])
        quota = Quota("user", 1000, max_tokens=300)
        with pytest.raises(OverBudget, match=r"user 'li' has used up what is agreed for 0\.277778 hours: 300 of 300 tokens"):
            await admit(journal, [quota], {"user": "li"}, NOW)
        await admit(journal, [quota], {"user": "li"}, NOW + 2000)
        await admit(journal, [quota], {"user": "wang"}, NOW)
        await admit(journal, [quota], {}, NOW)
        with pytest.raises(OverBudget, match="租户 'acme' 已用完"):
            await admit(journal, [quota, Quota("tenant", 1000, max_runs=2)], {"user": "wang", "tenant": "acme"}, NOW)


async def test_an_agent_begins_no_run_that_is_over_the_quota(tmp_path):
    async with Journal(tmp_path / "runs.db") as journal:
        model = ScriptedModel("Final Answer: 4", "Final Answer: 5")
        agent = Agent(model, dialect="react", journal=journal, quotas=[Quota("user", max_runs=1)])
        first = await agent.run("2 + 2?", who={"user": "li"})
        assert isinstance(first.ended, Ended)
        with pytest.raises(OverBudget, match="1 of 1 runs"):
            await agent.run("2 + 3?", who={"user": "li"})
        assert await journal.count() == 1
        assert (await agent.run("2 + 3?", who={"user": "wang"})).answer == "5"


def test_everything_is_counted_by_its_moment():
    usage = Usage(90, 10, 50, 4)
    asked = Asked("q", model="p:m", settings={"who": {"user": "li"}}, at=NOW)
    work = [Replied(Reply("x", usage=usage), at=NOW + 10), Decided(calls=(Call("1.1", "f", {}),)), Paused("ask", at=NOW + 11), Ruled("1.1", "", "approve", at=NOW + 511)]
    rest = [Observed("1.1", Observation("1", replies=(Reply("", usage=usage),)), at=NOW + 520), Replied(Reply("", finish=NO_TOOLS), at=NOW + 521)]
    whole = Run("r", [asked, *work, *rest])
    assert spent([whole], "user", "li", NOW - 1) == Spent(1, 200, Cost(unknown=2), 1, 3, 1, 180, 20, 8, 100, 21.0)
    assert spent([whole], "user", "li", NOW + 500) == Spent(0, 100, Cost(unknown=1), 0, 2, 1, 90, 10, 4, 50, 10.0)


@pytest.mark.parametrize(("settings", "quota", "used", "left"), [
    ({"max_steps": 8}, {"max_steps": 10}, Spent(steps=7), {"max_steps": 3}),
    ({"max_steps": 8}, {"max_steps": 100}, Spent(steps=7), {"max_steps": 8}),
    ({}, {"max_tokens": 500, "max_cached_tokens": 90, "max_seconds": 60}, Spent(1, 200, seconds=20.5), {"max_tokens": 300, "max_cached_tokens": 90, "deadline": 39.5}),
    ({"deadline": 5}, {"max_seconds": 60, "max_runs": 3}, Spent(1), {"deadline": 5}),
    ({}, {"max_cost": Decimal(2), "currency": "CNY", "exchange": {"USD": 7}}, Spent(cost=Cost({"USD": Decimal("0.1")})),
     {"max_cost": "1.3", "currency": "CNY", "exchange": {"USD": "7"}}),
    ({"max_cost": "0.5", "currency": "CNY"}, {"max_cost": Decimal(2), "currency": "CNY"}, Spent(), {"max_cost": "0.5", "currency": "CNY"}),
    ({"max_cost": "0.5", "currency": "USD"}, {"max_cost": Decimal("1.4"), "currency": "CNY", "exchange": {"USD": 7}}, Spent(), {"max_cost": "0.2", "currency": "USD"}),
    ({"max_cost": "0.5", "currency": "USD"}, {"max_cost": Decimal("1.4"), "currency": "CNY"}, Spent(), {"max_cost": "0.5", "currency": "USD"}),
])  # fmt: skip
def test_a_run_gets_no_more_than_is_left(settings, quota, used, left):
    assert narrowed(settings, Quota("user", **quota), used) == left


@pytest.mark.parametrize(("quota", "reason"), [
    ({"max_tokens": 1000}, "max_tokens"), ({"max_steps": 7}, "max_steps"), ({"max_model_calls": 7}, "max_model_calls"),
    ({"max_cost": Decimal(1), "currency": "CNY"}, "max_cost"),
])  # fmt: skip
async def test_a_quota_is_never_overshot_by_more_than_one_call(tmp_path, quota, reason):
    class Wanders(ScriptedModel):
        name, count = "p:m", 0

        async def __call__(self, request, hear=None):
            self.count += 1
            return Reply(f'Thought: {self.count}\nAction: look\nAction Input: {{"n": {self.count}}}', usage=Usage(90, 10))

    def look(n: int) -> str:
        """Look up n."""
        return f"the {n}th thing"

    model = Wanders()
    async with Journal(tmp_path / "runs.db") as journal:
        agent = Agent(
            model, [look], dialect="react", journal=journal, max_steps=5, quotas=[Quota("user", **quota)], prices=lambda _: from_json(PRICE),
        )
        ends = []
        with suppress(OverBudget):
            while len(ends) < 20:
                ends += [(await agent.run("What is the value of 1?", who={"user": "li"})).ended.reason]
        assert (len(ends) < 20, ends[-1]) == (True, reason)
        assert 5 < model.count <= 11  # 7 or 10 calls are agreed


def test_a_quota_of_money_needs_known_prices(tmp_path):
    model = ScriptedModel()
    model.name = "openai:nobody-knows"
    with pytest.raises(ConfigError, match="the price of openai:nobody-knows is not known"):
        Agent(model, journal=Journal(tmp_path / "runs.db"), quotas=[Quota("user", max_cost=Decimal(1), currency="CNY")], prices=lambda _: None)


def test_quotas_need_a_journal():
    with pytest.raises(ConfigError, match="quotas need a journal that lists its runs"):
        Agent(ScriptedModel(), quotas=[Quota("user", max_runs=1)])
