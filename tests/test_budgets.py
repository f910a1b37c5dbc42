"""Budgets through the whole: agent, loop, journal, resume."""

from decimal import Decimal

import pytest

from tao import Agent
from tao.errors import ConfigError, Transient
from tao.events import Asked, Ended, Nudged, Observed, Replied, from_json, to_json
from tao.messages import Reply, Usage
from tao.prices import Cost, Price, Rate, cost
from tao.run import Run
from tao.testing import MemoryJournal, ScriptedModel
from tao.wrappers.models import fallback

LOOK = 'Thought: look\nAction: look\nAction Input: {"place": "P"}'
SAY = "Thought: I know\nFinal Answer: 238"


def look(place: str) -> str:
    """Look at a place."""
    return f"{place} is 238"


def price(name):
    return Price((Rate(Decimal(1000), Decimal(10_000), currency="CNY"),)) if name == "scripted" else None


class Script(ScriptedModel):
    """Looks at another place each time until it has no tools; each prompt is 30 tokens longer than the last."""

    def __init__(self, reply=LOOK, final=SAY, **more):
        super().__init__(**more)
        self.reply, self.final, self.calls = reply, final, 0

    async def __call__(self, request, hear=None):
        self.requests.append(request)
        self.calls += 1
        last = "no tool is left" in str(request.messages) or "不能再用工具" in str(request.messages)
        text = self.final if last else self.reply.replace("P", f"place {self.calls}")
        return Reply(text, usage=Usage(100 + 30 * self.calls, 10), model="m")


def agent(model, **more):
    settings = {name: more.pop(name) for name in list(more) if (name.startswith("max_") and name != "max_steps") or name in {"currency", "deadline"}}
    return Agent(model, [look], dialect="react", max_steps=more.pop("max_steps", 50), settings=settings, **more)


@pytest.mark.parametrize(("name", "limit", "spent"), [
    ("max_tokens", 2000, lambda run: run.usage.prompt + run.usage.completion),
    ("max_prompt_tokens", 1800, lambda run: run.usage.prompt),
    ("max_completion_tokens", 100, lambda run: run.usage.completion),
    ("max_model_calls", 4, lambda run: len(list(run.all(Replied)))),
    ("max_tool_calls", 3, lambda run: len(list(run.all(Observed)))),
    ("max_cost", "2.5", lambda run: cost(run).amounts["CNY"]),
])  # fmt: skip
@pytest.mark.parametrize("question", ["How high is it?", "它有多高？"])
async def test_a_run_ends_with_its_answer_and_within_its_budget(name, limit, spent, question):
    run = await agent(Script(), prices=price, **{name: limit}).run(question)
    assert (run.ended.reason, run.answer) == (name, "238")
    assert spent(run) <= Decimal(limit)
    assert spent(run) >= Decimal(limit) / 2  # and it was made use of
    assert [nudge.by for nudge in run.all(Nudged) if nudge.by.startswith("wrap_up")] == [f"wrap_up:{name}"]
    assert ("is the best answer so far" if question.isascii() else "目前最好的答案") in run.ended.detail


@pytest.mark.parametrize("limit", range(100, 3000, 100))
async def test_no_budget_of_tokens_is_overshot_by_more_than_one_call(limit):
    model = Script(final=LOOK)  # never answers
    run = await agent(model, max_tokens=limit).run("How high is it?")
    calls = [event.reply.usage.prompt + event.reply.usage.completion for event in run.all(Replied)]
    assert run.ended.reason == "max_tokens"
    assert sum(calls[:-1]) < limit
    assert sum(calls) <= limit * 1.05 or len(calls) == 1  # and the estimate is good


async def test_several_calls_at_once_cannot_overshoot_the_budget_of_tools():
    both = "Thought: look\n" + "\n".join(f'Action: look\nAction Input: {{"place": "{n}"}}' for n in "ab")
    run = await agent(Script(reply=both), max_tool_calls=1).run("How high is it?")
    kinds = [event.observation.kind for event in run.all(Observed)]
    assert kinds.count("") == 1
    assert run.ended.reason == "max_tool_calls"


async def test_an_unknown_price_is_told_before_anything_is_asked():
    with pytest.raises(ConfigError, match="max_cost is set, and the price of scripted is not known"):
        agent(Script(), max_cost="1")


async def test_a_run_carries_its_prices_and_a_resumed_one_keeps_its_budget():
    journal = MemoryJournal()
    model = Script()
    whole = await agent(model, prices=price, max_cost="2.5", journal=journal).run("How high is it?", id="r")
    copied = [from_json(to_json(event)) for event in whole.events]
    assert cost(Run("r", copied)) == cost(whole)
    for cut in range(1, len(copied)):
        again = Script()
        again.calls = sum(isinstance(event, Replied) for event in copied[:cut])
        resumed = await Agent(again, [look], dialect="react").resume(Run("r", copied[:cut]))
        assert [type(event) for event in resumed.events] == [type(event) for event in whole.events]
        assert resumed.ended == whole.ended


async def test_a_stand_in_is_charged_as_what_it_is():
    first, second = ScriptedModel(*[Transient("busy")] * 9), Script(reply=SAY)
    first.name, second.name = "p:first", "p:second"

    def prices(name):
        return Price((Rate(Decimal(1000) if name == "p:second" else Decimal(1), Decimal(0), currency="CNY"),))

    run = await agent(fallback([first, second]), prices=prices, max_tokens=10_000).run("How high is it?")
    assert run.last(Replied).reply.by == "p:second"
    assert cost(run) == Cost({"CNY": Decimal("0.13")})
    assert set(run.asked.settings["prices"]) == {"p:first", "p:second"}


async def test_a_run_without_prices_records_none():
    run = await agent(ScriptedModel(SAY)).run("How high is it?")
    assert "prices" not in run.asked.settings
    assert cost(run).unknown == 1
    assert isinstance(run.events[0], Asked)
    assert isinstance(run.events[-1], Ended)
