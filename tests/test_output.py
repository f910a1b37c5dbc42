"""Structured answers from end to end: read, asked for again, ended, resumed, replayed."""

import json
from dataclasses import dataclass

import pytest
from pydantic import BaseModel, field_validator

from tao import Agent
from tao.agent import recorded_dialect, recorded_policy
from tao.errors import ConfigError, InvalidOutput
from tao.events import Decided, Nudged
from tao.messages import Reply, ToolCall
from tao.output import Fit, Misfit, reading
from tao.policies import checked, max_steps
from tao.replay import replay
from tao.run import Run
from tao.seams import Abilities, Delta
from tao.testing import MemoryJournal, ScriptedModel

CITY = {"type": "object", "properties": {"name": {"type": "string"}, "people": {"type": "integer", "minimum": 0}}, "required": ["name", "people"]}
GOOD = '{"name": "Paris", "people": 3}'
TREE = {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}}


@dataclass
class City:
    name: str
    people: int


class Even(BaseModel):
    number: int

    @field_validator("number")
    @classmethod
    def even(cls, number: int) -> int:
        if number % 2:
            raise ValueError("must be even")
        return number


def look(query: str) -> str:
    """Look something up."""
    return f"{query}: 3"


def final(text):
    return f"Thought: I know the answer\nFinal Answer: {text}"


def agent(*replies, output=CITY, dialect="react", abilities=None, **more):
    return Agent(ScriptedModel(*replies, abilities=abilities), [look], output=output, dialect=dialect, journal=MemoryJournal(), lang="en", **more)


async def same_again(run, **given):
    return await replay(run, recorded_dialect(run.asked), recorded_policy(run.asked, **given)) == []


# ── reading ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("schema", "answer", "value"), [
    (CITY, GOOD, {"name": "Paris", "people": 3}),
    (CITY, f"```json\n{GOOD}\n```", {"name": "Paris", "people": 3}),
    (CITY, f"Here it is:\n~~~\n{GOOD}\n~~~\nI hope it helps.", {"name": "Paris", "people": 3}),
    (CITY, f"It is {GOOD}.", {"name": "Paris", "people": 3}),
    (CITY, "{'name': 'Paris', 'people': 3,}", {"name": "Paris", "people": 3}),
    (CITY, '{"name": "巴黎", "people": "1,234"}', {"name": "巴黎", "people": 1234}),
    (CITY, '{"Name": "Paris", "people": 3.0}', {"name": "Paris", "people": 3}),
    ({"type": "array", "items": {"type": "number"}}, "[1, 2.5]", [1, 2.5]),
    ({"type": "array", "items": {"type": "integer"}}, "The primes are [2, 3, 5].", [2, 3, 5]),
    ({"type": "integer"}, "42", 42),
    ({"type": "integer"}, "2,102,650", 2102650),
    ({"type": ["number", "null"]}, "1,234.5", 1234.5),
    ({"type": "boolean"}, "true", True),
    ({"type": "boolean"}, "是", True),
    ({"type": ["integer", "null"]}, "null", None),
    ({"type": "string"}, "Paris", "Paris"),
    ({"type": "string"}, '"Paris"', "Paris"),
    ({"type": "string", "format": "date"}, "2025-01-31", "2025-01-31"),
    ({"enum": ["yes", "no"]}, "Yes", "yes"),
    (TREE, "[1, [2, [3]]]", [1, [2, [3]]]),
    (TREE, '{"answer": [1]}', [1]),
    (CITY, f'{{"answer": {GOOD}}}', {"name": "Paris", "people": 3}),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, '{"a": 1}', {"a": 1}),
], ids=str)  # fmt: skip
def test_an_answer_that_fits(schema, answer, value):
    read = reading(schema, answer)
    assert isinstance(read, Fit)
    assert read.value == value
    assert json.loads(read.text) == value
    assert reading(schema, read.text) == read


@pytest.mark.parametrize(("schema", "answer", "why", "warum", "bare"), [
    (CITY, "About three.", "it is not JSON", "没有 JSON", True),
    (CITY, "", "it is not JSON", "没有 JSON", True),
    (CITY, '{"name": "Paris", "peop', "the JSON breaks off", "JSON 中途断开了", True),
    (CITY, '{"name": "Paris", "people": 3', "the JSON breaks off", "JSON 中途断开了", True),
    ({"type": "array", "items": {"type": "string"}}, '["a", "b"', "the JSON breaks off", "JSON 中途断开了", True),
    (TREE, "[1, [2, [3]]", "the JSON breaks off", "JSON 中途断开了", True),
    (CITY, '{"name": "Paris"}', "people is missing: wanted a whole number", "缺少 people", False),
    (CITY, '{"name": "Paris", "people": "many"}', 'people: got "many" (text), wanted a whole number', 'people：收到 "many"（文本）', False),
    (CITY, '{"name": "Paris", "people": -1}', "people: got -1", "people：收到 -1", False),
    (CITY, '{"name": "Paris", "people": 1, "mayor": "x"}', "unknown key mayor (keys: name, people)", "没有键 mayor（可用的键：name、people）", False),
    (CITY, f"{GOOD} or {GOOD}", "it is not JSON", "没有 JSON", True),
    (CITY, "[1]", "it: got [1] (list), wanted an object", "它：收到 [1]（列表）", False),
    ({"type": "integer"}, "about 42", "it is not JSON", "没有 JSON", True),
    ({"enum": ["yes", "no"]}, "perhaps", 'wanted one of "yes", "no"', '以下之一："yes"、"no"', False),
    (TREE, '[1, ["a"]]', "[1]", "[1]", False),
], ids=str)  # fmt: skip
def test_an_answer_that_does_not_fit(schema, answer, why, warum, bare):
    for lang, said in (("en", why), ("zh", warum)):
        read = reading(schema, answer, lang)
        assert isinstance(read, Misfit)
        assert said in read.why
        assert read.bare == bare


def test_text_that_is_fine_stays_as_it_was_written():
    assert reading(CITY, '{"name":"Paris",\n "people":3}\n').text == '{"name":"Paris",\n "people":3}'
    assert reading({"type": "integer"}, "3.0").text == "3"
    assert reading({"type": "string"}, "巴黎").text == '"巴黎"'


# ── a run ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("dialect", "abilities", "reply"), [
    ("react", None, final(GOOD)),
    ("json", None, final(f"```json\n{GOOD}\n```")),
    ("bracket", None, final(GOOD)),
    ("react", Abilities(constraint="gbnf", small=True), final(GOOD)),
    ("json", Abilities(constraint="json_schema"), json.dumps({"thought": "t", "tool": "Final Answer", "args": {"answer": json.loads(GOOD)}})),
    ("native", None, Reply("", calls=(ToolCall("final_answer", GOOD, "c1"),))),
    ("native", None, GOOD),
    ("auto", None, Reply("", calls=(ToolCall("final_answer", GOOD, "c1"),))),
], ids=str)  # fmt: skip
async def test_every_dialect_gives_an_object(dialect, abilities, reply):
    one = agent(reply, output=City, dialect=dialect, abilities=abilities, settings={"verify": False})
    run = await one.run("How many live in Paris?")
    assert (run.ended.reason, json.loads(run.answer), one.parse(run)) == ("answered", json.loads(GOOD), City("Paris", 3))
    assert await same_again(run)


async def test_it_is_asked_for_again_once_with_what_is_wrong():
    one = agent(final('{"name": "Paris"}'), final(GOOD))
    run = await one.run("How many?")
    (nudge,) = run.all(Nudged)
    assert (nudge.by, nudge.may_call, nudge.hide, run.ended.reason, run.answer) == ("output", True, False, "answered", GOOD)
    assert "people is missing" in nudge.text
    assert json.dumps(CITY, separators=(",", ":")) in nudge.text
    assert nudge.text in one.model.requests[1].messages[-1].content
    assert await same_again(run)


async def test_where_only_the_form_is_wrong_no_tool_is_called_for_it():
    run = await agent(final("three"), final(GOOD)).run("How many?")
    assert [(nudge.by, nudge.may_call) for nudge in run.all(Nudged)] == [("output", False)]


async def test_the_second_time_it_ends_with_the_text_as_it_was():
    one = agent(final("three"), final("3"), settings={"lang": "en"})
    run = await one.run("How many?")
    assert (run.ended.reason, run.answer) == ("invalid_output", "3")
    assert run.ended.detail.startswith("The answer does not have the form that was asked for: ")
    with pytest.raises(InvalidOutput, match="invalid_output") as caught:
        one.parse(run)
    assert "没有符合要求的答案" in str(caught.value)
    assert await same_again(run)


async def test_in_chinese():
    one = Agent(ScriptedModel("最终答案：三", "最终答案：三"), output=CITY, dialect="react")
    run = await one.run("有多少？")
    assert next(run.all(Nudged)).text.startswith("最终答案不符合要求的形式：没有 JSON。")
    assert run.ended.detail == "答案不符合要求的形式：没有 JSON。"


async def test_the_rules_of_the_type_count_and_replay_without_it():
    one = agent(final('{"number": 3}'), final('{"number": 4}'), output=Even)
    run = await one.run("A number?")
    assert [nudge.by for nudge in run.all(Nudged)] == ["check:output"]
    assert "number: must be even" in next(run.all(Nudged)).text
    assert one.parse(run) == Even(number=4)
    assert await same_again(run)
    assert await same_again(run, form=one.form)


@pytest.mark.parametrize(("steps", "asked"), [(1, 0), (2, 1), (8, 1)])
async def test_it_is_asked_for_again_where_the_limits_leave_room(steps, asked):
    one = agent(final("three"), final(GOOD), max_steps=steps)
    run = await one.run("How many?")
    assert sum(nudge.by == "output" for nudge in run.all(Nudged)) == asked
    assert run.ended.reason == ("answered" if asked else "invalid_output")
    assert await same_again(run)


async def test_what_a_limit_ends_with_fits_too_or_says_that_it_does_not():
    acts = 'Thought: t\nAction: look\nAction Input: {"query": "%s"}'
    fits = await agent(acts % "a", f"Thought: t\nFinal Answer: It is {GOOD}", max_steps=2).run("How many?")
    assert (fits.ended.reason, json.loads(fits.answer)) == ("max_steps", json.loads(GOOD))
    none = await agent(acts % "a", final("three"), max_steps=2).run("How many?")
    assert (none.ended.reason, none.answer) == ("invalid_output", "three")
    assert "limit of steps" in none.ended.detail
    assert "does not have the form" in none.ended.detail


async def test_an_earlier_answer_that_fitted_goes_before_a_last_one_that_does_not():
    again = checked(max_steps(8), [lambda run: "Really?" if run.steps == 2 else None])
    run = await agent(final("three"), final(GOOD), final("yes, three"), policy=again).run("How many?")
    assert (run.ended.reason, run.answer) == ("answered", GOOD)
    assert "the one before it stands" in run.ended.detail


async def test_checks_see_answers_that_fit():
    seen = []

    def check(run):
        seen.append(run.proposed)

    await agent(final("three"), final(GOOD), checks=[check]).run("How many?")
    assert set(seen) == {"three", GOOD} or set(seen) == {GOOD}


async def test_a_run_goes_on_in_another_process_with_the_recorded_form():
    first = agent(final("three"), final(GOOD), output=City)
    whole = await first.run("How many?")
    for stop in range(1, len(whole.events)):
        half = Run(whole.id, whole.events[:stop])
        replies = [final("three"), final(GOOD)][half.steps :]
        other = Agent(ScriptedModel(*replies), [look], dialect="react")
        assert (await other.resume(half)).events == whole.events
        assert other.parse(half) == json.loads(GOOD)
        assert first.parse(half) == City("Paris", 3)


async def test_it_streams():
    pieces = [item async for item in agent(final(GOOD)).stream("How many?")]
    assert "".join(item.text for item in pieces if isinstance(item, Delta) and item.kind == "answer") == GOOD
    assert pieces[-1].answer == GOOD


async def test_the_schema_is_in_the_record():
    run = await agent(final(GOOD)).run("How many?")
    assert run.asked.settings["output"] == CITY
    assert next(run.all(Decided)).answer == GOOD


async def test_parse_says_what_is_lacking():
    plain = Agent(ScriptedModel("Final Answer: x"), dialect="react")
    with pytest.raises(ConfigError, match="give the agent output=") as caught:
        plain.parse(await plain.run("How many?"))
    assert "请给 Agent 传入 output=" in str(caught.value)
    other = agent(output=Even)
    with pytest.raises(InvalidOutput, match="does not fit the type that is wanted now"):
        other.parse(await agent(final(GOOD)).run("How many?"))
    with pytest.raises(InvalidOutput, match="thinking"):
        other.parse(Run("x", (await agent(final(GOOD)).run("How many?")).events[:1]))
    with pytest.raises(ConfigError, match="output is 3"):
        agent(output=3)


# ── the forms in which models give an answer ──────────────────────────────────

KINDS = [
    ({"anyOf": [{"type": "object", "properties": {"kind": {"const": kind}, name: {"type": "string"}}, "required": ["kind", name]} for kind, name in (("cat", "lives"), ("dog", "name"))]},
     {"kind": "dog", "name": "旺财"}),
    ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, [[1, 2], [3]]),
    ({"type": "object", "properties": {"档": {"enum": ["高", "中", "低"]}}, "required": ["档"]}, {"档": "中"}),
    ({"type": "object", "properties": {"d": {"type": "string", "format": "date"}}, "required": ["d"]}, {"d": "2025-03-14"}),
    ({"$defs": {"T": {"type": "object", "properties": {"v": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/T"}}}, "required": ["v"]}}, "$ref": "#/$defs/T"},
     {"v": 1, "kids": [{"v": 2}]}),
    ({"type": "object", "properties": {"answer": {"type": "string"}, "tool": {"type": "string"}}, "required": ["answer", "tool"]}, {"answer": "a", "tool": "look"}),
    ({"type": "object", "properties": {"thought": {"type": "string"}, "action": {"type": "string"}}, "required": ["thought", "action"]}, {"thought": "t", "action": "go"}),
    ({"type": "integer"}, 238), ({"type": "boolean"}, False), ({"type": ["string", "null"]}, None), ({"enum": [1, 2, "三"]}, "三"),
]  # fmt: skip
FORMS = {
    "labelled": ("react", "Thought: I know.\nFinal Answer: {}"), "fenced": ("react", "Final Answer:\n```json\n{}\n```"), "bare": ("bracket", "{}"),
    "in brackets": ("bracket", "Thought: t\nAction: Finish[{}]"), "as a call": ("json", '{{"thought": "t", "action": "final_answer", "input": {}}}'),
    "as a call's args": ("json", '{{"thought": "t", "tool": "final_answer", "args": {{"answer": {}}}}}'), "beside a thought": ("json", '{{"thought": "t", "answer": {}}}'),
}


@pytest.mark.parametrize(("schema", "value"), KINDS, ids=str)
@pytest.mark.parametrize("form", FORMS)
async def test_odd_schemas_in_every_form(schema, value, form):
    dialect, text = FORMS[form]
    model = ScriptedModel(text.format(json.dumps(value, ensure_ascii=False)))
    run = await Agent(model, [look], dialect=dialect, output=schema).run("什么？")
    assert (run.ended.reason, json.loads(run.answer)) == ("answered", value)
    assert type(json.loads(run.answer)) is type(value)


CUT = [
    ({"$defs": {"T": {"type": "object", "properties": {"v": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/T"}}}, "required": ["v"]}}, "$ref": "#/$defs/T"},
     '{\n  "v": 1,\n  "kids": [\n    {"v": 2, "kids": []},\n    {"v": 3}\n  ]\n}'),
    ({"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}, '[\n  {"a": 1},\n  {"a": 2}\n]'),
    ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, "[[1, 2], [3, 4]]"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "whole"), CUT, ids=("tree", "objects", "lists"))
@pytest.mark.parametrize("form", ["labelled", "bare", "in brackets", "as a call", "beside a thought"])
@pytest.mark.parametrize("before", ["", "It is "])
async def test_a_part_of_an_answer_that_breaks_off_or_is_damaged_is_no_answer(schema, whole, form, before):
    dialect, text = FORMS[form]
    begun = text.format(f"{before}…").partition("…")[0]
    places = [place for place, char in enumerate(whole) if char in "}],"]
    for broken in (*(begun + whole[:place] for place in places), begun + whole[:-1] + "; oops"):
        run = await Agent(ScriptedModel(*[broken] * 8), [look], dialect=dialect, output=schema).run("What?")
        assert run.ended.reason != "answered", (broken, run.answer)


@pytest.mark.parametrize(("schema", "whole"), CUT, ids=("tree", "objects", "lists"))
async def test_a_call_that_breaks_off_is_no_answer(schema, whole):
    text = whole if whole.startswith("{") else f'{{"answer": {whole}}}'
    last = text.rindex("]") if whole.startswith("[") else len(text) - 1  # behind it only the call's own bracket is missing
    for place in [place for place, char in enumerate(text[: last + 1]) if char in "}],"]:
        calls = [Reply("", calls=(ToolCall("final_answer", text[:place], str(number)),)) for number in range(8)]
        run = await Agent(ScriptedModel(*calls), [look], dialect="native", output=schema).run("What?")
        assert run.ended.reason != "answered", (text[:place], run.answer)


@pytest.mark.parametrize("dialect", ["react", "native"])
@pytest.mark.parametrize(("limits", "reason"), [({"max_tool_calls": 1}, "max_tool_calls"), ({"max_steps": 3}, "max_steps")])
async def test_after_the_tools_are_gone_it_is_asked_for_once_more_where_there_is_room(dialect, limits, reason):
    call = Reply("", calls=(ToolCall("look", '{"query": "x"}', "1"),)) if dialect == "native" else 'Action: look\nAction Input: {"query": "x"}'
    steps = limits.get("max_steps", 8)
    model = ScriptedModel(*[call] * (1 if steps > 3 else 2), "Final Answer: many", 'Final Answer: {"n": 3}')
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    agent = Agent(model, [look], dialect=dialect, output=schema, max_steps=steps, settings={key: one for key, one in limits.items() if key != "max_steps"})
    run = await agent.run("How many?")
    assert (run.ended.reason, run.answer) == ((reason, '{"n": 3}') if steps > 3 else ("invalid_output", "many"))
    assert not any(request.tools and request.tools[0].name == "look" for request in model.requests[2:])
