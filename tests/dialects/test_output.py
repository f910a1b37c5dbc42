"""The form of the answer in every dialect: what is said, what a reply is held to, what is found in one."""

import json
from random import Random

import pytest

from tao.dialects import choose
from tao.dialects.output import enveloped, finisher, likely
from tao.events import Decided, Misread, Nudged, Replied
from tao.messages import Reply, ToolCall
from tao.output import Fit
from tao.output import reading as reading_of
from tao.run import Run
from tao.seams import Abilities
from tao.testing import history, spec

CITY = {"type": "object", "properties": {"answer": {"type": "string"}, "people": {"type": "integer"}}, "required": ["answer", "people"]}
NODE = {"$ref": "#/$defs/Node", "$defs": {"Node": {
    "type": "object", "properties": {"v": {"type": "integer"}, "below": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}, "required": ["v"],
}}}  # fmt: skip
TOOLS = (spec("search", "Search.", query="string"),)
SAYS = '{"answer": "Paris", "people": 3}'
TEXT, FREE = ("react", "json", "bracket"), Abilities()
HELD, SCHEMA = Abilities(constraint="gbnf", small=True), Abilities(constraint="json_schema")


def run(schema=CITY, *events, tools=TOOLS, lang="en"):
    started = history("How many?", *events, tools=tools, lang=lang)
    return Run("test", [type(started.asked)("How many?", tools, lang, settings={"output": schema} if schema else {}), *events])


def reading(dialect, text="", calls=(), schema=CITY, abilities=FREE, tools=TOOLS):
    return choose(dialect, abilities).parse(run(schema, Replied(Reply(text, calls=calls)), tools=tools))


# ── what is said ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("lang", "said"), [("en", "The final answer is JSON that fits this schema"), ("zh", "最终答案必须是符合以下模式的 JSON")])
@pytest.mark.parametrize("dialect", TEXT)
def test_a_text_dialect_says_the_form_beside_the_question(dialect, lang, said):
    request = choose(dialect, FREE).render(run(lang=lang))
    assert said in request.messages[-1].content
    assert json.dumps(CITY, separators=(",", ":")) in request.messages[-1].content
    assert said not in request.messages[0].content
    plain = choose(dialect, FREE).render(run(None, lang=lang))
    assert "schema" not in str(plain.messages)
    assert request.messages[:-1] == plain.messages[:-1]


@pytest.mark.parametrize("dialect", TEXT)
def test_the_form_is_said_again_after_a_misread(dialect):
    after = run(CITY, Replied(Reply("?")), Misread("no_step", "What?"))
    assert "What?" in (last := choose(dialect, FREE).render(after).messages[-1].content)
    assert json.dumps(CITY, separators=(",", ":")) in last


@pytest.mark.parametrize("dialect", [*TEXT, "native"])
def test_a_prompt_only_grows(dialect):
    one = choose(dialect, FREE)
    before = one.render(run()).messages
    after = one.render(run(CITY, Replied(Reply("x")), Decided("t", answer="x"), Nudged("Give JSON.", "output"))).messages
    assert after[: len(before)] == before


# ── what a reply is held to ───────────────────────────────────────────────────


@pytest.mark.parametrize("dialect", TEXT)
def test_a_grammar_lets_only_fitting_json_be_the_answer(dialect):
    request = choose(dialect, HELD).render(run())
    rules = dict(line.split(" ::= ", 1) for line in request.grammar.splitlines())
    assert rules["answer"].startswith('"Final Answer: " ')
    named = rules["answer"].removeprefix('"Final Answer: " ')
    assert r'"\"answer\"" ":"' in rules[named]
    assert r'"\"people\"" ":"' in rules[named]
    assert request.max_tokens > choose(dialect, HELD).render(run(None)).max_tokens


def test_a_grammar_follows_references_of_the_answers_schema():
    grammar = choose("react", HELD).render(run(NODE)).grammar
    assert r"\"below\"" in grammar
    assert r"\"v\"" in grammar


HELD_TO = [
    CITY, NODE, {"type": "string"}, {"type": "integer", "minimum": 3, "maximum": 40}, {"enum": ["ja", "是", 'no "x"']},
    {"type": "array", "items": {"type": ["number", "null"]}, "maxItems": 3}, {"type": "boolean"},
    {"type": "object", "additionalProperties": {"type": "integer"}}, {"type": "string", "format": "date"},
    {"anyOf": [{"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind"]}, {"type": "null"}]},
    {"type": "array", "items": {"type": "object", "properties": {"名": {"type": "string"}, "n": {"type": "number"}}, "required": ["名"]}},
    {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
]  # fmt: skip


@pytest.mark.parametrize("schema", HELD_TO, ids=str)
@pytest.mark.parametrize("dialect", TEXT)
def test_whatever_the_grammar_lets_through_is_read_and_fits(dialect, schema, gbnf):
    one, random = choose(dialect, HELD), Random(7)
    grammar = gbnf(one.render(run(schema)).grammar)
    answers = []
    for _ in range(60):
        text = grammar.sample(random)
        read = one.parse(run(schema, Replied(Reply(text))))
        if "Final Answer: " in text.split("\n", 1)[1][:20]:
            answers.append(read.answer)
            assert isinstance(reading_of(schema, read.answer), Fit), text
        else:
            assert read.calls
    assert answers


@pytest.mark.parametrize("schema", [CITY, NODE, {"type": "array", "items": {"type": "integer"}}], ids=["object", "recursive", "list"])
def test_a_schema_of_replies_holds_that_of_the_answer(schema):
    held = choose("json", SCHEMA).render(run(schema)).schema
    args = held["anyOf"][-1]["properties"]["args"]
    assert args["required"] == ["answer"]
    assert held.get("$defs") == schema.get("$defs")
    assert args["properties"]["answer"] == {key: value for key, value in schema.items() if key != "$defs"}


def test_function_calling_offers_one_more_function_and_wants_a_call():
    request = choose("native", FREE).render(run())
    assert [tool.name for tool in request.tools] == ["search", "final_answer"]
    assert (request.tools[-1].parameters, request.tool_choice) == (CITY, "required")
    assert request.messages[-1].content == "How many?\nGive the final answer by calling final_answer."
    assert choose("native", FREE).render(run(tools=())).tools[0].name == "final_answer"
    assert "请调用 final_answer" in choose("native", FREE).render(run(lang="zh")).messages[-1].content


@pytest.mark.parametrize(("nudge", "names"), [
    (Nudged("x", "wrap_up", may_call=False), ["final_answer"]),
    (Nudged("x", "verify", may_answer=False), ["search"]),
    (Nudged("x", "loop_guard", without=("search",)), ["final_answer"]),
    (Nudged("x", "reflect"), ["search", "final_answer"]),
])  # fmt: skip
def test_a_nudge_closes_a_way(nudge, names):
    request = choose("native", FREE).render(run(CITY, Replied(Reply("x")), Decided(answer="x"), nudge))
    assert ([tool.name for tool in request.tools], request.tool_choice) == (names, "required")


def test_a_tool_of_the_users_own_keeps_its_name():
    taken = tuple(spec(name, "", a="string") for name in ("final_answer", "finish", "done"))
    assert finisher(run(tools=taken[:1])).name == "finish"
    assert finisher(run(tools=taken)).name not in {"final_answer", "finish", "done"}
    name = finisher(run(tools=taken)).name
    assert reading("native", calls=(ToolCall(name, SAYS),), tools=taken).answer == SAYS
    assert reading("native", calls=(ToolCall("final_answer", '{"a": "x"}'),), tools=taken).calls[0].tool == "final_answer"


# ── what is found in a reply ──────────────────────────────────────────────────


@pytest.mark.parametrize("arguments", [
    SAYS, '{"answer": "Paris", "people": 3,}', json.dumps({"answer": {"answer": "Paris", "people": 3}}),
])  # fmt: skip
def test_the_arguments_of_the_finishing_call_are_the_answer(arguments):
    decided = reading("native", "I know.", (ToolCall("final_answer", arguments, "c1"),))
    assert isinstance(decided, Decided)
    assert json.loads(decided.answer) in (json.loads(SAYS), {"answer": {"answer": "Paris", "people": 3}})
    assert (decided.thought, decided.calls) == ("I know.", ())


@pytest.mark.parametrize(("schema", "arguments", "answer"), [
    ({"type": "array", "items": {"type": "integer"}}, '{"answer": [1, 2]}', "[1, 2]"),
    ({"type": "array", "items": {"type": "integer"}}, "[1, 2]", "[1, 2]"),
    ({"type": "object", "properties": {"answer": {"type": "string"}}}, '{"answer": "Paris"}', '{"answer": "Paris"}'),
    ({"type": "object", "properties": {"note": {"type": "string"}}}, "{}", "{}"),
    ({"type": "boolean"}, '{"answer": false}', "false"),
    (NODE, '{"answer": {"v": 1}}', '{"v": 1}'),
    (NODE, '{"v": 1}', '{"v": 1}'),
], ids=str)  # fmt: skip
def test_whatever_the_form_the_whole_value_is_kept(schema, arguments, answer):
    assert reading("native", calls=(ToolCall("final_answer", arguments),), schema=schema).answer == answer


def test_calls_before_the_finishing_one_are_made_first():
    decided = reading("native", calls=(ToolCall("search", '{"query": "x"}'), ToolCall("final_answer", SAYS)))
    assert [call.tool for call in decided.calls] == ["search"]
    assert isinstance(reading("native", calls=(ToolCall("final_answer", '{"answer": "Par'),)), Misread)


@pytest.mark.parametrize("text", [
    f"Thought: I know the answer\nFinal Answer: {SAYS}",
    f"Thought: I know the answer\n{SAYS}",
    SAYS,
    f"```json\n{SAYS}\n```",
    f"Thought: I know\n```json\n{SAYS}\n```",
    f"<think>hm</think>\n{SAYS}",
    f"Action: Final Answer\nAction Input: {SAYS}",
    json.dumps({"thought": "I know", "tool": "Final Answer", "args": {"answer": json.loads(SAYS)}}),
    json.dumps({"thought": "I know", "tool": "Final Answer", "args": json.loads(SAYS)}),
])  # fmt: skip
@pytest.mark.parametrize("dialect", [*TEXT, "native"])
def test_the_json_is_found_however_it_stands_there(dialect, text):
    decided = reading(dialect, text)
    assert isinstance(decided, Decided)
    assert json.loads(decided.answer.removeprefix("```json").removesuffix("```")) == json.loads(SAYS)


@pytest.mark.parametrize("text", [
    'Thought: I look.\nAction: search\nAction Input: {"query": "x"}',
    'Action: {"tool": "search", "args": {"query": "x"}}',
    '{"thought": "I look", "tool": "search", "args": {"query": "x"}}',
])  # fmt: skip
def test_a_call_stays_a_call(text):
    assert [call.tool for call in reading("react", text).calls] == ["search"]


@pytest.mark.parametrize("text", ['Thought: hm\n{"city": "Paris"}', 'Thought: hm\n{"answer": "Paris", "people"', "Thought: hm"])
def test_other_json_is_no_answer(text):
    assert isinstance(reading("react", text), Misread)


def test_words_stay_as_they_are_where_no_form_was_asked_for():
    assert reading("react", 'Final Answer: {"answer": "x"}', schema=None).answer == '{"answer": "x"}'
    assert isinstance(reading("react", f"Thought: I know\n{SAYS}", schema=None), Misread)
    assert finisher(run(None)) is None


@pytest.mark.parametrize(("schema", "value", "expected"), [
    (CITY, {"answer": "a", "people": "many"}, True),
    (CITY, {"answer": "a"}, False),
    (CITY, {"answer": "a", "people": 1, "more": 1}, False),
    ({**CITY, "additionalProperties": True}, {"answer": "a", "people": 1, "more": 1}, True),
    ({"type": ["integer", "null"]}, None, True),
    ({"type": "integer"}, True, False),
    ({"enum": ["a", "b"]}, "b", True),
    ({"enum": ["a", "b"]}, "c", False),
    ({"anyOf": [{"type": "array"}, CITY]}, [1], True),
    (NODE, {"v": 1}, True),
    (NODE, {"w": 1}, False),
], ids=str)  # fmt: skip
def test_what_may_be_meant(schema, value, expected):
    assert likely(schema, value) is expected


def test_references_of_any_form_still_lead_to_their_place_in_the_envelope():
    assert enveloped(NODE)["$defs"] == NODE["$defs"]
    tree = {"type": "array", "items": {"$ref": "#"}}
    assert enveloped(tree)["properties"]["answer"]["items"] == {"$ref": "#/properties/answer"}
    inner = {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/items/properties/a"}}}}
    assert enveloped(inner)["properties"]["answer"]["items"]["properties"]["b"] == {"$ref": "#/properties/answer/items/properties/a"}
