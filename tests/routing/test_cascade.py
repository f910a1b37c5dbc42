"""Easy steps to the small model, hard ones to the large: who answers, in whose dialect, at whose price."""

import asyncio
import json
from decimal import Decimal

import pytest

from tao.agent import Agent, recorded_dialect, recorded_policy
from tao.errors import ConfigError, ToolsUnsupported, Transient
from tao.events import Asked, Decided, Ended, Misread, Nudged, Observed, Replied, from_json, to_json
from tao.messages import Call, Message, Observation, Reply, ToolCall, Usage
from tao.policies import max_steps
from tao.prices import Price, Rate, cost
from tao.replay import replay
from tao.routing import RULES, cascade, longer_than
from tao.routing.rules import rules
from tao.run import Run
from tao.seams import Abilities
from tao.testing import ScriptedModel, did, history
from tao.wrappers.models import fallback, retry

SMALL = Abilities(tools=False, constraint="gbnf", small=True, dialect="react")


def lookup(name: str) -> str:
    """What is known of a name."""
    if name == "nobody":
        raise ValueError("no such name")
    return f"{name} is 7 years old"


def scripted(name, *replies, abilities=None):
    model = ScriptedModel(*replies, abilities=abilities or Abilities())
    model.name = name
    return model


def small(*replies):
    return scripted("local:small", *replies, abilities=SMALL)


def large(*replies):
    return scripted("openai:large", *replies)


def call(tool, **args):
    return Reply("", (ToolCall(tool, json.dumps(args), "p1"),), usage=Usage(100, 10), finish="tool_calls")


def acting(name):
    return f'Thought: I look.\nAction: lookup\nAction Input: {{"name": "{name}"}}'


def who(run):
    return [event.reply.by or run.asked.model for event in run.all(Replied)]


async def went(model, question="How old is Ann?", **options):
    return await Agent(model, [lookup], **{"settings": {"verify": False, "reflect": 0}, **options}).run(question)


async def agrees(run, model=None):
    """A replay without an agent makes the same prompts and decisions."""
    return await replay(run, recorded_dialect(run.asked, model), recorded_policy(run.asked, model=model)) == []


# ── rules ─────────────────────────────────────────────────────────────────────

STEP = did(1, "lookup", "Ann is 7", name="Ann")
FAILED = did(1, "lookup", Observation("no", ok=False), name="Ann")


def run_of(*events):
    before = [Replied(Reply("…", usage=Usage(100, 10)))] if events else []
    return history("How old is Ann?", *before, *events)


@pytest.mark.parametrize(("rule", "yes", "no"), [
    ("first_step", [run_of()], [run_of(*STEP)]),
    ("after_misread", [run_of(Misread("no_action"))], [run_of(), run_of(*STEP), run_of(Misread("no_tools"))]),
    ("after_failed_tool", [run_of(*FAILED), run_of(*FAILED, Nudged("again", "loop_guard"))], [run_of(*STEP), run_of(*FAILED, *STEP)]),
    ("after_objection", [run_of(Nudged("no", "verify")), run_of(Nudged("no", "loop_guard"))],
     [run_of(Nudged("", "wrap_up:max_tokens", may_call=False)), run_of(Nudged("", "cascade")), run_of(*STEP)]),
    ("reflection", [run_of(Nudged("look back", "reflect"))], [run_of(Nudged("no", "verify"))]),
    ("final_answer", [run_of(Nudged("", "wrap_up", may_call=False)), run_of(Nudged("", "cascade", hide=True))], [run_of(*STEP), run_of(Nudged("no", "verify", may_answer=False))]),
    ("longer_than:105", [run_of(*STEP)], [run_of()]),
    ("longer_than:100000", [], [run_of(*STEP)]),
])  # fmt: skip
def test_a_rule_looks_at_what_happened(rule, yes, no):
    (holds,) = rules([rule])
    assert [holds(run) for run in yes] == [True] * len(yes)
    assert [holds(run) for run in no] == [False] * len(no)


def test_the_planned_rule_reads_what_triage_said():
    sort = Asked("q", settings={"triage": {"way": "plan", "rule": "several_parts"}})
    assert RULES["planned"](Run("r", [sort]))
    assert not RULES["planned"](run_of())


def test_a_rule_that_does_not_exist_is_named_with_those_that_do():
    with pytest.raises(ConfigError, match=r"(?s)'after_misred' is no rule; did you mean 'after_misread'\?.*longer_than:TOKENS.*没有名为 'after_misred' 的规则"):
        cascade(small(), large(), ["after_misred"])
    with pytest.raises(ConfigError, match="is no rule"):
        cascade(small(), large(), ["longer_than:many"])
    with pytest.raises(ConfigError, match="at least one rule"):
        cascade(small(), large(), [])


# ── who answers ───────────────────────────────────────────────────────────────


async def test_the_small_model_goes_on_until_it_stumbles():
    one, two = small("Action: lookup", acting("Ann"), "Final Answer: 7"), large("It is done.")
    run = await went(cascade(one, two, ["after_failed_tool"]))
    assert who(run) == ["local:small"] * 3
    assert two.requests == []


async def test_after_a_misread_the_large_one_answers_in_its_own_dialect():
    one, two = small("Action: lookup", "Final Answer: 7 years"), large(call("lookup", name="Ann"))
    run = await went(cascade(one, two, ["after_misread"]))
    assert who(run) == ["local:small", "openai:large", "local:small"]
    assert run.answer == "7 years"
    assert two.requests[0].tools, "structured calls for the model that can"
    assert two.requests[0].grammar is None
    assert one.requests[1].grammar, "a grammar for the model that can"
    assert not one.requests[1].tools
    assert "Ann is 7 years old" in one.requests[1].messages[-1].content
    assert await agrees(run)


async def test_the_small_models_misreads_do_not_change_the_large_ones_dialect():
    one = small("Action: lookup", "Action: lookup", "Action: lookup")
    two = large(call("lookup", name="Ann"), call("lookup", name="Bob"), Reply("Ann and Bob are 7."))
    run = await went(cascade(one, two, ["after_misread"]), max_steps=9)
    assert [bool(request.tools) for request in two.requests] == [True] * len(two.requests)
    assert await agrees(run)


async def test_after_a_failed_tool_and_back():
    one, two = small(acting("nobody"), "Final Answer: 7"), large(call("lookup", name="Ann"))
    run = await went(cascade(one, two, ["after_failed_tool"]))
    assert who(run) == ["local:small", "openai:large", "local:small"]
    assert run.answer == "7"


async def test_with_stay_the_large_one_goes_on_to_the_end():
    one, two = small(acting("nobody")), large(call("lookup", name="Ann"), call("lookup", name="Bob"), Reply("7 and 7"))
    run = await went(cascade(one, two, ["after_failed_tool"], stay=True))
    assert who(run) == ["local:small", *["openai:large"] * 3]
    assert run.answer == "7 and 7"
    assert await agrees(run)


async def test_the_final_answer_of_the_small_one_is_put_aside_and_the_large_one_asked():
    one, two = small(acting("Ann"), "Final Answer: perhaps 70"), large(Reply("She is 7."))
    run = await went(cascade(one, two, ["final_answer"]))
    assert who(run) == ["local:small", "local:small", "openai:large"]
    assert run.answer == "She is 7."
    assert "perhaps 70" not in str(two.requests[0])
    assert [nudge.by for nudge in run.all(Nudged)] == ["cascade"]
    assert await agrees(run)


async def test_the_handing_over_keeps_to_the_budget():
    one, two = small(acting("Ann"), "Final Answer: 7", "Final Answer: 7"), large(Reply("She is 7."), Reply("She is 7."))
    run = await went(cascade(one, two, ["final_answer"]), max_steps=2)
    assert run.steps == 2
    assert run.answer


async def test_the_first_step_is_the_large_ones():
    one, two = small("Final Answer: 7"), large(call("lookup", name="Ann"))
    run = await went(cascade(one, two, ["first_step"]))
    assert who(run) == ["openai:large", "local:small"]


async def test_a_policys_objection_and_a_reflection():
    def objects(run):
        return Nudged("Look it up.", "mine", hide=True) if run.proposed and not any(run.all(Nudged)) else None

    one, two = small("Final Answer: 70"), large(Reply("7"))
    run = await went(cascade(one, two, ["after_objection"]), policy=objects)
    assert who(run) == ["local:small", "openai:large"]
    assert run.answer == "7"
    assert two.requests[0].messages[-1].content.endswith("Look it up.")


async def test_rules_of_ones_own():
    def asks_for_ages(run):
        return "old" in run.asked.question

    model = cascade(small(), large(Reply("7")), [asks_for_ages])
    run = await went(model)
    assert who(run) == ["openai:large"]
    assert run.asked.settings["cascade"]["when"] == ["asks_for_ages"]
    assert await agrees(run, model)
    with pytest.raises(ConfigError, match="'asks_for_ages' is no rule"):
        recorded_dialect(run.asked)


async def test_one_dialect_for_both():
    one, two = small("Action: lookup", "Final Answer: 7"), large(acting("Ann"))
    run = await went(cascade(one, two, ["after_misread"]), dialect="react")
    assert run.answer == "7"
    assert two.requests[0].grammar is None
    assert two.requests[0].stop
    assert await agrees(run)


# ── with all the rest ─────────────────────────────────────────────────────────


async def test_each_reply_is_paid_at_the_price_of_the_model_that_gave_it():
    prices = {"openai:large": Price((Rate(Decimal(10), Decimal(100), currency="USD"),)), "deepseek:small": Price((Rate(Decimal(1), Decimal(2), currency="USD"),))}
    one = scripted("deepseek:small", Reply("Action: lookup", usage=Usage(1000, 10)), Reply("Final Answer: 7", usage=Usage(2000, 20)), abilities=SMALL)
    two = large(Reply("", (ToolCall("lookup", '{"name": "Ann"}', "p"),), usage=Usage(3000, 30)))
    run = await went(cascade(one, two, ["after_misread"]), prices=prices.get)
    assert set(run.asked.settings["prices"]) == set(prices)
    assert cost(run).amounts == {"USD": Decimal(1000 + 20 + 2000 + 40 + 30000 + 3000) / 1_000_000}


async def test_a_large_model_that_cannot_answer_is_stood_in_for():
    third = scripted("zhipu:third", Reply("7"))
    chain = fallback([retry(large(Transient("busy")), 1), third])
    run = await went(cascade(small(), chain, ["first_step"]))
    assert who(run) == ["zhipu:third"]
    assert run.answer == "7"


async def test_a_large_model_without_structured_calls_goes_on_as_text():
    one, two = small("Final Answer: 7"), large(ToolsUnsupported("no tools"), acting("Ann"))
    agent = Agent(cascade(one, two, ["first_step"]), [lookup], settings={"verify": False})
    run = await agent.run("How old is Ann?")
    assert [event.reason for event in run.all(Misread)] == ["no_tools"]
    assert who(run) == ["local:small", "openai:large", "local:small"] or run.answer == "7"
    assert agent.worked == {"openai:large": "react"}
    again = await Agent(cascade(small("Final Answer: 7"), large(acting("Ann")), ["first_step"]), [lookup]).run("q")
    assert again.answer == "7"
    assert await agrees(run)


async def test_a_run_goes_on_after_any_event_with_the_same_model_at_its_turn():
    def fresh(taken_small=0, taken_large=0):
        one = small(*[acting("nobody"), "Final Answer: 7"][taken_small:])
        return cascade(one, large(*[call("lookup", name="Ann")][taken_large:]), ["after_failed_tool"])

    whole = await went(fresh())
    for end in range(1, len(whole.events)):
        told = [from_json(json.loads(json.dumps(to_json(event)))) for event in whole.events[:end]]
        before = Run(whole.id, told)
        taken = who(before)
        agent = Agent(fresh(taken.count("local:small"), taken.count("openai:large")), [lookup])
        after = await agent.resume(before)
        assert who(after) == who(whole)
        assert after.answer == whole.answer


async def test_both_are_heard_and_closed():
    class Closing(ScriptedModel):
        closed = 0

        async def close(self):
            self.closed += 1

    one, two = Closing("Final Answer: 7", abilities=SMALL), Closing()
    async with Agent(cascade(one, two, ["after_misread"]), [lookup], settings={"verify": False}) as agent:
        told = [item.text async for item in agent.stream("How old?") if hasattr(item, "text")]
    assert "".join(told).strip() == "7"
    assert (one.closed, two.closed) == (1, 1)


async def test_asked_without_a_run_the_small_one_answers():
    model = cascade(scripted("a", "small"), scripted("b", "large"), ["first_step"])
    reply = await model(await _request())
    assert (model.name, reply.text) == ("a", "small")


async def _request():
    return (await asyncio.sleep(0)) or __import__("tao.messages", fromlist=["Request"]).Request((Message("user", "hi"),))


def test_a_cascade_inside_a_wrapper_is_refused():
    with pytest.raises(ConfigError, match=r"(?s)a cascade stands inside a wrapper.*包在其他包装之内"):
        Agent(retry(cascade(small(), large()), 2), [lookup])


def test_a_length_rule_has_a_name():
    assert longer_than(4000).__name__ == "longer_than:4000"


async def test_own_policy_and_limits_hold_for_both():
    run = await went(cascade(small(acting("Ann")), large(Reply("7")), ["final_answer"]), policy=max_steps(2))
    assert who(run) == ["local:small", "openai:large"]
    assert isinstance(run.events[-1], Ended)
    assert isinstance(run.events[2], Decided)
    assert isinstance(run.events[3], Observed)
    assert run.observed[0][0] == Call("1.1", "lookup", {"name": "Ann"})
