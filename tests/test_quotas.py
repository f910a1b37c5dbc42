"""Budgets of sessions, users and tenants over a time."""

from decimal import Decimal

import pytest

from tao import Agent
from tao.errors import ConfigError, OverBudget
from tao.events import Asked, Ended, Replied
from tao.messages import Reply, Usage
from tao.prices import Cost, Price, Rate, to_json
from tao.quotas import Quota, Spent, admit, over, spent
from tao.run import Run
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
    ({"max_runs": 4, "max_tokens": 5001, "max_cost": Decimal(2), "currency": "CNY"}, Spent(3, 5000, Cost({"CNY": Decimal("1.99")})), None),
])  # fmt: skip
def test_what_is_used_up(quota, used, words):
    assert over(Quota("user", **quota), used) == words


@pytest.mark.parametrize(("quota", "words"), [
    ({"per": "user", "window": 0}, "quota: window is 0; it must be above 0"),
    ({"per": "user", "max_tokens": -1}, "配额：max_tokens 为 -1；应大于 0"),
    ({"per": "team"}, "quota: per is 'team'; wanted: session, user, tenant"),
    ({"per": "user", "max_cost": Decimal(1)}, "quota: max_cost needs a currency"),
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


def test_quotas_need_a_journal():
    with pytest.raises(ConfigError, match="quotas need a journal that lists its runs"):
        Agent(ScriptedModel(), quotas=[Quota("user", max_runs=1)])
