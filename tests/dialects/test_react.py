"""Text ReAct, and what it shares with the other text dialects: prompts, steps, grammars, in both languages."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tao.dialects.bracket import Bracket
from tao.dialects.grammar import Rules
from tao.dialects.json_action import JsonAction
from tao.dialects.prompts import texts
from tao.dialects.react import REPLY_LIMIT, STOP, React
from tao.dialects.read import read
from tao.events import Asked, Decided, Misread, Nudged, Recalled, Replied
from tao.messages import Call, Message, Observation, Reply, ToolSpec
from tao.run import Run
from tao.testing import did, history, spec
from tao.tools.validate import fits

SEARCH, ADD = spec("search", "Look it up", query="string"), spec("add", "Add", a="integer", b="integer")
FORMS = [React(), JsonAction(), Bracket()]
HELD = [React(constrained=True), JsonAction(constrained=True), Bracket(constrained=True)]
STRANGE = ["search", "查天气", 'say "hi"', "a.b-c", "back\\slash", "two words", "x]y", "naïve", "ROOT", "any", "ws", "2nd", "tab\there"]


def contents(run, dialect):
    return [message.content for message in dialect.render(run).messages]


def roles(run, dialect):
    return [message.role for message in dialect.render(run).messages]


def one(name, **args):
    return Decided("I look.", (Call("1.1", name, args),))


# ── prompts ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dialect", FORMS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize(("lang", "question"), [("en", "Question: how high?"), ("zh", "问题：how high?")])
def test_a_prompt_says_the_form_the_tools_the_examples_and_the_question(dialect, lang, question):
    run = history("how high?", *did(1, "search", "800 m", "First look.", query="hill"), tools=[SEARCH, ADD], lang=lang)
    request = dialect.render(run)
    system, *rest = request.messages
    assert system.role == "system"
    assert texts(lang)[f"{dialect.name}.form"] in system.content
    assert "- search(query: string): Look it up\n- add(a: integer, b: integer): Add" in system.content
    assert texts(lang)["task"].split("\n", maxsplit=1)[0] in system.content
    assert [message.content for message in rest[-3:]] == [question, dialect.say(one("search", query="hill")).replace("I look.", "First look."), "Observation: 800 m"]
    assert len([message for message in rest if message.content.startswith(texts(lang)["begin"])]) >= 3
    assert (request.tools, request.grammar, request.stop) == ((), None, STOP)
    assert [message.role for message in rest] == ["user", "assistant"] * (len(rest) // 2) + ["user"]


@pytest.mark.parametrize("dialect", FORMS, ids=lambda dialect: dialect.name)
def test_without_examples_and_without_tools(dialect):
    bare = type(dialect)(few_shot=False)
    assert roles(history("q", tools=[SEARCH]), bare) == ["system", "user"]
    said = contents(history("q", tools=[SEARCH]), bare)[0]
    assert said == texts("en")["task.brief"].format(tools="- search(query: string): Look it up", form=texts("en")[f"{dialect.name}.form"])
    assert roles(history("q"), dialect) == ["system", "user"]
    assert "(none)" in contents(history("q"), dialect)[0]
    assert "（无）" in contents(history("q", lang="zh"), dialect)[0]


def test_instructions_notes_and_the_conversation_before():
    before = (Message("user", "hello"), Message("assistant", "hi"))
    run = Run("x", [Asked("q", lang="en", instructions="Be kind.", history=before), Recalled(("one", "two"))])
    assert contents(run, React())[0].startswith("Be kind.\n\nAnswer the question.")
    assert contents(run, React())[1:] == ["hello", "hi", "Question: q\nNote: one\nNote: two"]


@pytest.mark.parametrize("dialect", FORMS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_misread_reply_is_shown_with_what_was_wrong_and_the_form(dialect, lang):
    reading = read("Action: fly\nAction Input: {}", [SEARCH], lang=lang)
    run = history("q", Replied(Reply("Action: fly\nAction Input: {}")), reading, tools=[SEARCH], lang=lang)
    *_, said, correction = contents(run, dialect)
    assert said == "Action: fly\nAction Input: {}"
    assert correction == f"{reading.detail}\n{texts(lang)[f'{dialect.name}.form']}"
    assert ("没有名为" if lang == "zh" else "no tool named") in correction


# ── steps ─────────────────────────────────────────────────────────────────────


def test_how_each_dialect_writes_a_step():
    two = Decided("Both.", (Call("1.1", "search", {"query": "蓝港"}), Call("1.2", "add", {"a": 1, "b": 2})))
    assert React().say(two) == 'Thought: Both.\nAction: search\nAction Input: {"query": "蓝港"}\nAction: add\nAction Input: {"a": 1, "b": 2}'
    assert JsonAction().say(two) == (
        'Thought: Both.\nAction: {"tool": "search", "args": {"query": "蓝港"}}\nAction: {"tool": "add", "args": {"a": 1, "b": 2}}'
    )
    assert Bracket().say(two) == 'Thought: Both.\nAction: search[蓝港]\nAction: add[{"a": 1, "b": 2}]'
    for dialect in FORMS:
        assert dialect.say(Decided("I know.", answer="42")) == "Thought: I know.\nFinal Answer: 42"
        assert dialect.say(Decided(answer="")) == "Final Answer: "


@pytest.mark.parametrize("dialect", FORMS + HELD, ids=lambda dialect: f"{dialect.name} {dialect.constrained}")
def test_of_several_actions_in_one_reply_the_first_is_done(dialect):
    calls = (Call("1.1", "search", {"query": 'a "b", c]'}), Call("1.2", "add", {"a": 1, "b": 2}), Call("1.3", "search", {"query": "文"}))
    assert read(dialect.say(Decided("All.", calls)), [SEARCH, ADD]) == Decided("All.", calls[:1])


@pytest.mark.parametrize("dialect", FORMS, ids=lambda dialect: dialect.name)
def test_the_last_reply_is_read_with_the_runs_tools_and_language(dialect):
    run = history("q", *did(1, "add", "3", a=1, b=2), Replied(Reply("x")), Misread("x"), Replied(Reply(dialect.say(one("search", query="文")))), tools=[SEARCH], lang="zh")
    assert dialect.parse(run) == Decided("I look.", (Call("2.1", "search", {"query": "文"}),))
    run.events.append(Replied(Reply("")))
    assert dialect.parse(run).detail == "回复是空的。"
    listener = dialect.listen(run)
    assert [delta.text for delta in listener.feed("Thought: I wait.\nAction: search\nAction Input: {") if delta.kind == "call"] == ["search"]


# ── grammars ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dialect", HELD, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("name", STRANGE)
def test_tools_of_any_name_are_held_to_the_form(gbnf, dialect, name):
    parameters = {"type": "object", "properties": {name: {"type": "string"}, "days": {"type": "integer"}}, "required": [name]}
    tools = [ToolSpec(name, "", parameters), ADD]
    request = dialect.render(history("q", tools=tools))
    holds = gbnf(request.grammar)
    assert (request.max_tokens, request.temperature, request.stop) == (REPLY_LIMIT, 0.0, STOP)
    for step in (one(name, **{name: 'any "text"', "days": 3}), one("add", a=1, b=2), Decided("I know.", answer="42\nor more")):
        for end in ("", "\n", "\n\n"):
            assert holds.accepts(dialect.say(step) + end)
    for text in (dialect.say(one("fly")), "Thought: no end", dialect.say(one("add", a="1", b=2)), "Final Answer: 4", dialect.say(one("add", a=1))):
        assert not holds.accepts(text)


@settings(max_examples=30, deadline=None)
@given(random=st.randoms(use_true_random=False))
@pytest.mark.parametrize("dialect", HELD, ids=lambda dialect: dialect.name)
def test_whatever_the_grammar_lets_through_can_be_read(gbnf, dialect, random):
    kinds = {"type": "object", "properties": {"on": {"type": "string", "format": "date"}, "kind": {"enum": ["a", "b c"]}, "few": {"type": "array", "items": {"type": "integer"}}}}
    tools = [spec("search", query="string"), ToolSpec("plan", "", {**kinds, "required": ["on"]}), spec("ring")]
    text = gbnf(dialect.render(history("q", tools=tools)).grammar).sample(random)
    reading = read(text, tools)
    assert isinstance(reading, Decided) or reading.reason == "no_answer" or not text.split("Answer: ")[-1].strip(), text


@pytest.mark.parametrize("dialect", HELD, ids=lambda dialect: dialect.name)
def test_a_nudge_closes_a_way_and_leads_the_thought(gbnf, dialect):
    call, answer = dialect.say(one("search", query="x")), dialect.say(Decided("I know.", answer="4"))

    def may(nudge):
        holds = gbnf(dialect.render(history("q", *did(1, "add", "3", a=1, b=2), nudge, tools=[SEARCH])).grammar)
        return holds.accepts(call), holds.accepts(answer)

    assert may(Recalled(())) == (True, True)
    assert may(Nudged("", "x", may_answer=False)) == (True, False)
    assert may(Nudged("", "x", may_call=False)) == (False, True)
    assert may(Nudged("", "x", without=("search",))) == (False, True)
    assert may(Nudged("", "x", lead="I look")) == (True, False)
    assert may(Nudged("", "x", lead='I "')) == (False, False)


def test_what_leads_the_thought_need_not_be_said():
    run = history("q", *did(1, "add", "3", a=1, b=2), Nudged("Look again.", "x", lead="I look again."), tools=[SEARCH])
    assert contents(run, React())[-1] == "Observation: 3\nLook again."
    assert contents(run, React(constrained=True))[-1] == "Observation: 3"
    run = history("q", *did(1, "add", "3", a=1, b=2), Nudged("Look again.", "x"), tools=[SEARCH])
    assert contents(run, React(constrained=True))[-1] == "Observation: 3\nLook again."


@pytest.mark.parametrize("dialect", HELD, ids=lambda dialect: dialect.name)
def test_a_frame_is_a_rule_of_the_dialects_own_form(gbnf, dialect):
    rules = Rules()
    holds = gbnf(rules.text(dialect.frame('a "b"', '"{}"')))
    assert holds.accepts(dialect.say(Decided(calls=(Call("1.1", 'a "b"', {}),))))
    assert json.loads(JsonAction().say(Decided(calls=(Call("1.1", 'a "b"', {}),))).removeprefix("Action: "))["tool"] == 'a "b"'


@pytest.mark.model
@pytest.mark.parametrize("dialect", HELD, ids=lambda dialect: dialect.name)
async def test_a_very_small_model_held_to_the_form_is_always_read(gbnf, engine, dialect):
    kinds = {'say "hi"': {"enum": ["a b", "中"]}, "on": {"type": "string", "format": "date"}, "n": {"type": "integer", "minimum": 3, "maximum": 12}}
    tools = [ToolSpec("a.b-c 查", "Use it.", {"type": "object", "properties": kinds, "required": ["on", "n"]}), spec("back\\slash", text="string")]
    run = history("When is it?", Nudged("", "x", may_answer=False), tools=tools)
    request = type(dialect)(constrained=True, few_shot=False).render(run)
    reply = await engine(request)
    assert reply.finish == "stop"
    assert gbnf(request.grammar).accepts(reply.text)
    run.events.append(Replied(reply))
    reading = dialect.parse(run)
    assert isinstance(reading, Decided)
    (call,) = reading.calls
    assert fits(run.tool(call.tool).parameters, call.args)


def test_failed_observations_are_shown_like_others():
    run = history("q", *did(1, "add", Observation("b is missing", ok=False), a=1), tools=[ADD])
    assert contents(run, React())[-1] == "Observation: b is missing"
