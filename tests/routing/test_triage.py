"""Questions sorted before the loop: who is asked what, what a wrong "direct" costs, and what the record says."""

import json

import pytest

from tao.agent import Agent, recorded_dialect, recorded_policy
from tao.errors import ToolsUnsupported
from tao.events import Decided, Misread, Nudged, Observed, Replied, from_json, to_json
from tao.messages import Message, Reply, ToolCall, Usage
from tao.prices import cost
from tao.replay import replay
from tao.routing import Route, cascade, route
from tao.routing.texts import EXAMPLES, NEED_TOOLS
from tao.routing.triage import Patient, Silent, label, probability, wants_tools
from tao.run import Run
from tao.seams import Abilities, Delta
from tao.testing import ScriptedModel

SMALL = Abilities(tools=False, constraint="gbnf", small=True, dialect="react", logprobs=True)
OPEN = "Who designed the Corvin Bridge?"
"""A question that the rules leave open."""


def search(query: str) -> str:
    """Search the library."""
    return f"Ann Orsel built what you asked for: {query}"


def calculate(expression: str) -> str:
    """Work out a sum."""
    return f"{expression} = 42"


def scripted(*replies, name="scripted", abilities=None):
    model = ScriptedModel(*replies, abilities=abilities or Abilities())
    model.name = name
    return model


def agent(*replies, abilities=None, **options):
    return Agent(scripted(*replies, abilities=abilities), [search, calculate], triage=options.pop("triage", True), settings={"verify": False, "reflect": 0, **options.pop("settings", {})}, **options)


def said(known, word="known"):
    return Reply(word, usage=Usage(150, 1), likely={"known": known, "search": 0.9 - known, "The": 0.1})


def native(tool, **args):
    return Reply("", (ToolCall(tool, json.dumps(args), "p1"),), usage=Usage(900, 20))


async def agrees(run, model=None):
    return await replay(run, recorded_dialect(run.asked, model), recorded_policy(run.asked, model=model)) == []


# ── which way ─────────────────────────────────────────────────────────────────


async def test_what_the_rules_know_to_be_talk_is_answered_with_a_short_prompt():
    one = agent("Hello! What can I do for you?", instructions="You are kind.")
    run = await one.run("Hi there!")
    assert run.answer == "Hello! What can I do for you?"
    (request,) = one.model.requests
    assert not request.tools
    assert "You are kind." in request.messages[0].content
    assert "search, calculate" in request.messages[0].content
    assert NEED_TOOLS in request.messages[0].content
    assert request.messages[-1] == Message("user", "Hi there!")
    assert route(run) == Route("direct", "small_talk")
    assert await agrees(run)


async def test_what_the_rules_know_to_need_tools_goes_into_the_loop_at_once():
    one = agent(native("calculate", expression="6*7"), Reply("42"))
    run = await one.run("What is 6*7+0?")
    assert run.answer == "42"
    assert len(one.model.requests) == 2
    assert one.model.requests[0].tools
    assert route(run) == Route("tools", "calculation")
    assert await agrees(run)


async def test_several_parts_are_a_plan():
    run = await agent(Reply("a"), max_steps=4).run("Look up the height of Mount Tavik and then work out three times that.")
    assert route(run) == Route("plan", "several_parts")


@pytest.mark.parametrize(("known", "way"), [(0.85, "direct"), (0.05, "tools")])
async def test_the_model_sorts_what_the_rules_leave_open_and_its_confidence_is_kept(known, way):
    replies = [said(known), "A person whom everybody knows."] if way == "direct" else [said(known, "search"), "Thought: I know\nFinal Answer: Ann"]
    one = agent(*replies, abilities=SMALL)
    run = await one.run(OPEN)
    sort = one.model.requests[0]
    assert sort.grammar == 'root ::= "known" | "search"'
    assert (sort.max_tokens, sort.likely) == (1, 10)
    assert route(run) == Route(way, "model", round(known / 0.9, 2))
    assert run.steps == 2
    assert ("Corvin" in one.model.requests[1].messages[-1].content) is True
    assert bool(one.model.requests[1].grammar) is (way == "tools")
    assert not any(word in str(one.model.requests[1]) for word in ("triage", "'known'"))
    assert await agrees(run)


async def test_a_model_without_probabilities_says_a_plain_word():
    one = agent("Known.", "Somebody.")
    run = await one.run(OPEN)
    assert one.model.requests[0].likely == 0
    assert one.model.requests[0].grammar is None
    assert route(run) == Route("direct", "model")
    assert run.answer == "Somebody."


async def test_a_word_that_cannot_be_read_goes_into_the_loop():
    one = agent("I would rather not say", native("search", query="Corvin Bridge"), "Ann Orsel")
    run = await one.run(OPEN)
    assert route(run) == Route("tools", "model")
    assert run.answer == "Ann Orsel"
    assert run.misreads == 0
    assert list(run.all(Misread)) == []


async def test_in_chinese_everything_is_said_in_chinese():
    one = agent(said(0.85), "一位有名的建筑师。", abilities=SMALL)
    run = await one.run("科文桥是谁设计的？")
    assert run.answer == "一位有名的建筑师。"
    assert "只回复一个词" in one.model.requests[0].messages[0].content
    assert "不要猜测" in one.model.requests[1].messages[0].content
    assert all("\\u" not in message.content for request in one.model.requests for message in request.messages)
    assert [word for _, word in EXAMPLES["en"]] == [word for _, word in EXAMPLES["zh"]]


@pytest.mark.parametrize("options", [{"max_steps": 2}, {"output": {"type": "object", "properties": {"a": {"type": "string"}}}}, {"triage": False}])
async def test_where_there_is_no_room_or_no_use_nothing_is_sorted(options):
    one = agent('{"a": "hi"}', **options)
    run = await one.run("Hi there!")
    assert route(run) is None
    assert "triage" not in run.asked.settings
    assert one.model.requests[0].tools


async def test_without_tools_nothing_is_sorted():
    run = await Agent(scripted("Hello!"), triage=True).run("Hi there!")
    assert route(run) is None


async def test_the_threshold_can_be_set():
    run = await agent(said(0.5), Reply("x"), abilities=SMALL, settings={"triage": 0.9}).run(OPEN)
    assert route(run).way == "tools"


async def test_in_a_conversation_what_was_said_is_shown_to_the_sorter():
    one = agent("known", "A small particle.")
    run = await one.run("What is a quark?", history=[Message("user", "Let us talk physics."), Message("assistant", "Gladly.")])
    assert "assistant: Gladly." in one.model.requests[0].messages[-1].content
    assert one.model.requests[1].messages[1:3] == (Message("user", "Let us talk physics."), Message("assistant", "Gladly."))
    assert run.answer == "A small particle."


# ── a wrong "direct" is cheap ─────────────────────────────────────────────────


@pytest.mark.parametrize("reply", [
    NEED_TOOLS, f"{NEED_TOOLS}.", f"I am not sure. {NEED_TOOLS}", "I don't know who designed it.", "", 'Action: search\nAction Input: {"query": "bridge"}',
    native("search", query="bridge"),
])  # fmt: skip
async def test_a_direct_answer_may_ask_for_tools_and_the_run_goes_on(reply):
    one = agent("known", reply, native("search", query="Corvin Bridge"), "Ann Orsel")
    run = await one.run(OPEN)
    assert run.answer == "Ann Orsel"
    assert route(run) == Route("direct", "model", None, needed_tools=True)
    assert [type(event) for event in run.events[-5:]] == [Decided, Observed, Replied, Decided, type(run.ended)]
    assert one.model.requests[2].tools
    assert one.model.requests[2].messages[-1] == Message("user", OPEN), "what was said before is left out"
    assert await agrees(run)


async def test_a_policy_that_objects_to_a_direct_answer_opens_the_loop():
    def objects(run):
        return Nudged("Look it up.", "mine", hide=True) if run.proposed and not run.observed else None

    one = agent("known", "Somebody.", native("search", query="Corvin Bridge"), "Ann Orsel", policy=objects)
    run = await one.run(OPEN)
    assert run.answer == "Ann Orsel"
    assert one.model.requests[2].tools
    assert "Somebody." not in str(one.model.requests[2])


async def test_what_the_sorting_took_is_counted():
    one = agent(Reply("known", usage=Usage(150, 1)), Reply(NEED_TOOLS, usage=Usage(80, 3)), Reply("Ann", usage=Usage(900, 5)))
    run = await one.run(OPEN)
    assert (run.usage.prompt, run.usage.completion) == (1130, 9)
    assert run.steps == 3


async def test_it_goes_on_after_any_event():
    replies = [Reply("known", usage=Usage(150, 1)), NEED_TOOLS, native("search", query="Corvin Bridge"), "Ann Orsel"]
    whole = await agent(*replies).run(OPEN)
    for end in range(1, len(whole.events)):
        before = Run(whole.id, [from_json(json.loads(json.dumps(to_json(event)))) for event in whole.events[:end]])
        after = await agent(*replies[sum(1 for _ in before.all(Replied)) :]).resume(before)
        assert after.events == whole.events


# ── who is asked ──────────────────────────────────────────────────────────────


async def test_another_model_may_sort_and_is_named_and_paid():
    sorter = scripted(said(0.8), name="local:small", abilities=SMALL)
    main = scripted(Reply("Somebody.", usage=Usage(100, 3)), name="local:large")
    one = Agent(main, [search], triage=sorter)
    run = await one.run(OPEN)
    assert [event.reply.by for event in run.all(Replied)] == ["local:small", ""]
    assert sorter.requests[0].grammar
    assert main.requests[0].grammar is None
    assert run.asked.model == "local:large"
    assert cost(run).unknown == 0
    assert await agrees(run)


async def test_with_a_cascade_the_small_model_sorts_and_the_rules_see_the_steps_alone():
    small = scripted(said(0.05, "search"), name="local:a", abilities=SMALL)
    large = scripted(Reply("Ann Orsel."), name="openai:b")
    run = await Agent(cascade(small, large, ["first_step"]), [search], triage=True).run(OPEN)
    assert [event.reply.by or "small" for event in run.all(Replied)] == ["small", "openai:b"]
    assert large.requests[0].tools
    assert await agrees(run)


async def test_planned_questions_may_go_to_the_large_model():
    small, large = scripted(name="local:a", abilities=SMALL), scripted(Reply("33"), name="openai:b")
    run = await Agent(cascade(small, large, ["planned"]), [search], triage=True, settings={"verify": False}).run("Look up the height of Mount Tavik and then work out three times that.")
    assert run.answer == "33"


async def test_a_server_without_structured_tools_is_learned_from_all_the_same():
    one = agent("known", NEED_TOOLS, ToolsUnsupported("no"), 'Action: search\nAction Input: {"query": "x"}', "Final Answer: Ann")
    run = await one.run(OPEN)
    assert run.answer == "Ann"
    assert one.worked == {"scripted": "react"}


# ── streams ───────────────────────────────────────────────────────────────────


async def test_the_sorting_is_not_heard_and_the_answer_is():
    told = [item async for item in agent("known", "Somebody whom all know.").stream(OPEN) if isinstance(item, Delta)]
    assert "".join(item.text for item in told) == "Somebody whom all know."
    told = [item async for item in agent("known", NEED_TOOLS, "Final Answer: Ann").stream(OPEN) if isinstance(item, Delta)]
    assert "".join(item.text for item in told).strip() == "Ann"


class Echo:
    """A Listener that tells everything."""

    def __init__(self):
        self.stop = False

    def feed(self, text):
        return [Delta("answer", text)]

    def close(self):
        return []


def test_a_short_reply_is_kept_back_until_it_is_over_and_a_long_one_is_told():
    short = Patient(Echo())
    assert short.feed("I cannot find it.") == []
    assert short.close() == []
    long = Patient(Echo())
    assert long.feed("a" * 150) == []
    assert "".join(delta.text for delta in long.feed("b" * 60)) == "a" * 150 + "b" * 60
    assert [*long.feed("c"), *long.close()] == [Delta("answer", "c")]
    assert Silent().feed("known") == Silent().close() == []


# ── reading ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("text", "likely", "note"), [
    ("known", {}, "triage:direct"), ("search", {}, "triage:tools"), ("Known!", {}, "triage:direct"), ("kn", {}, "triage:direct"), ("", {}, "triage:tools"),
    ("<think>hm</think> known", {}, "triage:direct"), ("search", {" known": 0.6, "search": 0.2}, "triage:direct:0.75"), ("known", {"kn": 0.1, "Search": 0.3}, "triage:tools:0.25"),
    ("known", {"The": 0.9}, "triage:direct"),
])  # fmt: skip
def test_a_label_is_read(text, likely, note):
    assert label(Reply(text, likely=likely), 0.5) == note


def test_probabilities_and_asking_for_tools():
    assert probability(Reply("x")) is None
    assert probability(Reply("x", likely={"known": 0.3, "kno": 0.1, "search": 0.4})) == pytest.approx(0.5)
    assert wants_tools("抱歉，找不到相关信息。")
    assert not wants_tools("Paris.")
    assert not wants_tools("I do not know everything, " * 20)
