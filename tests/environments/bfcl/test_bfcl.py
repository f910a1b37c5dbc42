"""Functions and right calls that others wrote, through schemas, names, every form that we read, the check, the grammar and the tools.

Some right calls do not fit their own function's schema (in Java and JavaScript a variable's name may stand for an object). Which
these are is not listed here: `jsonschema` says so, and our check has to agree with it; how many there are is counted.
"""

import json
import re
from decimal import Decimal

import pytest
from bfcl_forms import ONE, ONE_TAGGED, TAGGED, TYPED, bare
from bfcl_gold import CATEGORIES, LIVE, tasks

from tao import Agent
from tao.dialects.bracket import Bracket
from tao.dialects.grammar import Rules, schema_rule
from tao.dialects.json_action import JsonAction, JsonReply
from tao.dialects.listen import Listening
from tao.dialects.react import React
from tao.dialects.read import read, read_calls
from tao.errors import BadArguments
from tao.events import Decided
from tao.messages import Call, Message, Reply, Request, ToolCall, ToolSpec
from tao.models import quirks
from tao.models.chat import body
from tao.testing import ScriptedModel
from tao.tools.declare import foreign
from tao.tools.notations import PLAIN
from tao.tools.validate import check

COUNTS = {
    "simple_python": (400, 400), "simple_java": (100, 100), "simple_javascript": (50, 50), "multiple": (557, 200), "parallel": (200, 540),
    "parallel_multiple": (520, 607), "live_simple": (258, 258), "live_multiple": (4178, 1053), "live_parallel": (18, 39), "live_parallel_multiple": (95, 55),
}  # fmt: skip
"""Functions and right calls of each category."""
MISFITS = {
    "simple_python": (6, 1), "simple_java": (10, 4), "simple_javascript": (9, 5), "multiple": (1, 1), "parallel": (2, 2), "parallel_multiple": (17, 4),
    "live_simple": (21, 19), "live_multiple": (128, 107), "live_parallel": (0, 0), "live_parallel_multiple": (6, 5),
}  # fmt: skip
"""Right calls, in all variants, that do not fit the function's schema, and how many of them our check mends; it refuses the others."""


def same(one, other):
    """Equal as JSON, with the types of numbers and the order of keys."""
    return json.dumps(one) == json.dumps(other)


def called(reading):
    return [(call.tool, dict(call.args)) for call in reading.calls] if isinstance(reading, Decided) else reading


def closed(schema):
    """The schema as the policy reads it: an object that lists its properties takes no others."""
    if not isinstance(schema, dict):
        return schema
    out = {key: closed(value) if key != "properties" else {name: closed(part) for name, part in value.items()} for key, value in schema.items()}
    return {"additionalProperties": False, **out} if out.get("properties") else out


def types(schema):
    """Every type that a schema names."""
    kind = schema.get("type", [])
    yield from kind if isinstance(kind, list) else [kind]
    for part in [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", [])]:
        if isinstance(part, dict):
            yield from types(part)


@pytest.fixture(scope="module")
def jsonschema():
    return pytest.importorskip("jsonschema")


@pytest.mark.parametrize("category", [*CATEGORIES, *LIVE])
def test_every_schema_becomes_json_schema(category, jsonschema):
    functions, seen = 0, set()
    for task in tasks(category):
        for tool, told in zip(task.tools, task.functions, strict=True):
            functions += 1
            schema = tool.spec.parameters
            if (text := json.dumps(schema)) in seen:
                continue
            seen.add(text)
            if category in CATEGORIES or functions % 5 == 0:  # slow
                jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object", told
            assert set(types(schema)) <= PLAIN, told
            assert schema["properties"].keys() == told["parameters"]["properties"].keys()
            assert set(schema.get("required", ())) <= schema["properties"].keys()
            assert foreign(tool.spec, print).spec.parameters is schema
    assert functions == COUNTS[category][0]


@pytest.mark.parametrize("category", [*CATEGORIES, *LIVE])
def test_every_provider_takes_the_names_and_they_come_back(category):
    for task in tasks(category):
        specs = tuple(tool.spec for tool in task.tools)
        (gold, *_) = task.calls()
        made = tuple(ToolCall(name, json.dumps(args), f"c{at}") for at, (name, args) in enumerate(gold))
        sent = quirks.safe_names(Request((Message("user", "?"), Message("assistant", "", made)), specs))
        written = json.loads(body(sent, {}))
        names = [one["function"]["name"] for one in written["tools"]]
        assert len(set(names)) == len(specs)
        assert all(len(name) <= 64 and name.replace("_", "a").replace("-", "a").isalnum() and name.isascii() for name in names)
        back = quirks.own_names(Reply("", sent.messages[1].calls), [spec.name for spec in specs])
        assert back.calls == made


@pytest.mark.parametrize("category", [*CATEGORIES, *LIVE])
def test_right_calls_pass_the_check_unchanged(category, jsonschema):
    calls, misfits, mended = 0, 0, 0
    for task in tasks(category):
        schemas = {tool.name: tool.spec.parameters for tool in task.tools}
        valid = {name: jsonschema.Draft202012Validator(closed(schema), format_checker=jsonschema.FormatChecker()) for name, schema in schemas.items()}
        calls += len(task.gold)
        for name, args in (call for calls in task.calls() for call in calls):
            fits = valid[name].is_valid(args)
            misfits += not fits
            try:
                got, notes = check(schemas[name], args)
            except BadArguments:
                got, notes = None, ()
            assert fits == (same(got, args) and not notes), (task.id, args, got, notes)
            assert got is None or valid[name].is_valid(got), (task.id, args, got)
            mended += not fits and got is not None
    assert calls == COUNTS[category][1]
    assert (misfits, mended) == MISFITS[category]


# ── every form, read back ─────────────────────────────────────────────────────

DIALECTS = {"react": React(), "json": JsonAction(), "bracket": Bracket(), "object": JsonReply(), "bracket, held to a grammar": Bracket(constrained=True)}


WRAPPERS = {"arguments", "parameters", "args", "input", "params"}
"""A parameter of such a name, when it stands first behind `<function>`, looks like the tag around all arguments; five calls have one."""


def as_read(wishes, schemas):
    """What bare text can carry: where a schema names no type, a value is the text that stands there."""
    typed = {(tool, key) for tool, schema in schemas.items() for key, form in schema["properties"].items() if {"type", "enum", "anyOf"} & form.keys()}
    return [(tool, {key: value if (tool, key) in typed else bare(value) for key, value in args.items()}) for tool, args in wishes]


def fit(wishes, schemas):
    """Whether each call fits as it stands."""
    try:
        return not any(check(schemas[tool], args)[1] for tool, args in wishes)
    except BadArguments:
        return False


def parts(task):
    """The right calls as they are read by forms of one call: each alone."""
    return [[call] for call in next(task.calls())]


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("name", DIALECTS)
def test_what_a_dialect_writes_is_read_back(name, category):
    dialect = DIALECTS[name]
    for task in tasks(category):
        specs = [tool.spec for tool in task.tools]
        for tool, args in (call for calls in task.calls() for call in calls):
            text = dialect.say(Decided("I look it up.", (Call("1.1", tool, args),)), specs)
            reading = read(text, specs)
            assert same(called(reading), [(tool, args)]), (task.id, text, reading)
            assert reading.thought == "I look it up."


@pytest.mark.parametrize("category", CATEGORIES)
def test_structured_calls_are_read_back(category):
    for task in tasks(category):
        specs = [tool.spec for tool in task.tools]
        for calls in task.calls():
            sent = [ToolCall(tool, json.dumps(args, ensure_ascii=False), f"call_{at}") for at, (tool, args) in enumerate(calls)]
            assert same(called(read_calls(sent, "", specs)), calls), task.id


@pytest.mark.parametrize("name", TYPED)
def test_a_leaked_call_is_read_back(name):
    for task in (task for category in CATEGORIES for task in tasks(category)):
        wishes = next(task.calls())
        text = TYPED[name](wishes)
        reading = read(text, [tool.spec for tool in task.tools])
        assert same(called(reading), wishes), (task.id, text, reading)


@pytest.mark.parametrize("name", [*TAGGED, *ONE_TAGGED])
def test_a_call_of_bare_texts_is_read_back(name):
    unread = 0
    for task in (task for category in CATEGORIES for task in tasks(category)):
        specs = [tool.spec for tool in task.tools]
        schemas = {spec.name: spec.parameters for spec in specs}
        for wishes in [next(task.calls())] if name in TAGGED else parts(task):
            text = {**TAGGED, **ONE_TAGGED}[name](wishes)
            reading = read(text, specs)
            if name in ONE_TAGGED and next(iter(wishes[0][1]), "") in WRAPPERS:
                unread += not same(called(reading) if isinstance(reading, Decided) else None, wishes)
            elif fit(wishes, schemas):
                assert same(called(reading), as_read(wishes, schemas)), (task.id, text, reading)
            else:
                assert [tool for tool, _ in called(reading)] == [tool for tool, _ in wishes], (task.id, text, reading)
    assert unread == (5 if name in ONE_TAGGED else 0)


@pytest.mark.parametrize("name", ONE)
def test_a_labelled_call_is_read_back(name):
    for task in (task for category in CATEGORIES for task in tasks(category)):
        specs = [tool.spec for tool in task.tools]
        for wishes in parts(task):
            text = ONE[name](wishes)
            reading = read(text, specs)
            assert same(called(reading), wishes), (task.id, text, reading)


@pytest.mark.parametrize("name", [*TYPED, *TAGGED, *ONE, *ONE_TAGGED])
def test_the_listener_tells_the_calls_that_are_read(name):
    form = {**TYPED, **TAGGED, **ONE, **ONE_TAGGED}[name]
    for at, task in enumerate(task for category in CATEGORIES for task in tasks(category)[::40]):
        size = (1, 3, 7)[at % 3]
        specs = [tool.spec for tool in task.tools]
        wishes = next(task.calls())[: None if name in {**TYPED, **TAGGED} else 1]
        text, listening = form(wishes), Listening(specs)
        told = [delta for start in range(0, len(text), size) for delta in listening.feed(text[start : start + size])] + listening.close()
        assert [delta.text for delta in told if delta.kind == "call"] == [tool for tool, _ in wishes], (task.id, text, told)
        assert not any(delta.kind == "answer" for delta in told), (task.id, text, told)


# ── grammar and tools ─────────────────────────────────────────────────────────


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_grammar_of_a_schema_takes_the_right_calls(category, gbnf):
    for task in tasks(category)[::5]:
        schemas = {tool.name: tool.spec.parameters for tool in task.tools}
        for tool, args in next(task.calls()):
            if fit([(tool, args)], schemas):
                rules = Rules(schemas[tool])
                grammar = gbnf(rules.text(schema_rule(schemas[tool], rules)))
                ordered = {key: args[key] for key in schemas[tool]["properties"] if key in args}
                text = re.sub(r"\d\.?\d*e-\d+", lambda small: f"{Decimal(small[0]):f}", json.dumps(ordered, ensure_ascii=False))
                assert grammar.accepts(text), (task.id, text)


def noting(told, done):
    """A tool of that description that only writes down what it was called with."""

    async def act(**args):
        done.append((told["name"], args))
        return "done"

    return foreign(ToolSpec(told["name"], told["description"], told["parameters"]), act)


@pytest.mark.parametrize("category", CATEGORIES)
async def test_an_agent_carries_out_what_the_calls_say(category):
    for task in tasks(category)[::4]:
        done = []

        tools = [noting(told, done) for told in task.functions]
        wishes = next(task.calls())
        if not fit(wishes, {one.name: one.spec.parameters for one in tools}):
            continue
        sent = tuple(ToolCall(name, json.dumps(args), f"call_{at}") for at, (name, args) in enumerate(wishes))
        run = await Agent(ScriptedModel(Reply("", sent), "All done."), tools, dialect="native").run("Do it.")
        assert run.answer == "All done.", (task.id, run.events)
        assert sorted(map(json.dumps, done)) == sorted(map(json.dumps, wishes)), task.id
