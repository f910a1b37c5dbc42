"""An offer as a grammar."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tao.dialects.held import ANSWER_LIMIT, THOUGHT_LIMIT, VALUE_LIMIT, reply_grammar
from tao.dialects.offer import Offer, Offered, Slot
from tao.dialects.react import React
from tao.messages import ToolSpec
from tao.testing import spec

FRAME = React().frame
SEARCH, ADD, RING = spec("search", query="string"), spec("add", start="string", days="integer"), spec("ring")


def call(tool, **args):
    return f"Thought: I go on.\nAction: {tool}\nAction Input: {json.dumps(args, ensure_ascii=False)}"


def answer(text="42"):
    return f"Thought: I know.\nFinal Answer: {text}"


def held(gbnf, *offered, answer=True, lang="en", lead=""):
    return gbnf(reply_grammar(Offer(offered, answer=answer), FRAME, lang, lead))


def test_a_thought_then_one_offered_tool_or_an_answer(gbnf):
    holds = held(gbnf, Offered(SEARCH), Offered(RING))
    for text in (call("search", query="x"), call("ring"), answer(), answer("多\n行")):
        for end in ("", "\n", "\n\n\n", " \n"):
            assert holds.accepts(text + end)
    for text in (call("add", start="x", days=1), call("search"), "Action: ring\nAction Input: {}", "Thought: \n" + answer().split("\n")[1], answer() + "\nObservation"[:1] * 5):
        assert not holds.accepts(text)


def test_an_answer_where_it_may_be_or_nothing_else_is_left(gbnf):
    assert not held(gbnf, Offered(RING), answer=False).accepts(answer())
    assert held(gbnf, answer=False).accepts(answer())
    assert not held(gbnf, answer=False).accepts(call("ring"))


@pytest.mark.parametrize("lang", ["en", "zh", "fr"])
def test_lengths_are_limited(gbnf, lang):
    limit = THOUGHT_LIMIT.get(lang, THOUGHT_LIMIT["en"])
    holds = held(gbnf, Offered(SEARCH), lang=lang)
    for thought, fits in (("x" * limit, True), ("x" * (limit + 1), False)):
        assert holds.accepts(f"Thought: {thought}\nFinal Answer: 42") == fits
    assert holds.accepts(answer("x" * ANSWER_LIMIT))
    assert not holds.accepts(answer("x" * (ANSWER_LIMIT + 1)))
    assert not held(gbnf, Offered(SEARCH, {"query": Slot(used=("y",))})).accepts(call("search", query="x" * (VALUE_LIMIT + 2)))


def test_a_lead_begins_the_thought(gbnf):
    holds = held(gbnf, Offered(RING), lead='I need "x".\\')
    assert holds.accepts('Thought: I need "x".\\\nAction: ring\nAction Input: {}')
    assert holds.accepts('Thought: I need "x".\\ And more.\nAction: ring\nAction Input: {}')
    assert not holds.accepts(call("ring"))


@pytest.mark.parametrize(("lang", "known", "unknown"), [
    ("en", ("I know the answer", "I know the answer.", "I now know the answer: 5", "I have the answer", "I know the answer" + "x" * 100),
     ("I know", "I know the answe", "I", "I know how", "know the answer", "So I know the answer", "I now have it", "x")),
    ("zh", ("我知道答案", "我知道答案了。", "我现在知道答案了"), ("我", "我知道", "我知道怎么算", "现在我知道答案了", "我现在算")),
])  # fmt: skip
def test_who_knows_the_answer_gives_it(gbnf, lang, known, unknown):
    both = held(gbnf, Offered(SEARCH), lang=lang)
    only_calls = held(gbnf, Offered(SEARCH), lang=lang, answer=False)
    only_answer = held(gbnf, lang=lang)
    acting, answering = 'Action: search\nAction Input: {"query": "x"}', "Final Answer: 42"
    for thought in known:
        assert not both.accepts(f"Thought: {thought}\n{acting}")
        assert both.accepts(f"Thought: {thought}\n{answering}")
    for thought in unknown:
        assert both.accepts(f"Thought: {thought}\n{acting}")
        assert both.accepts(f"Thought: {thought}\n{answering}")
    assert all(only_calls.accepts(f"Thought: {thought}\n{acting}") and only_answer.accepts(f"Thought: {thought}\n{answering}") for thought in (*known, *unknown))
    assert not both.accepts(f"Thought: \n{acting}")


def test_only_the_calls_that_are_left(gbnf):
    holds = held(gbnf, Offered(ADD, calls=({"start": "2024-03-05", "days": 7}, {"start": "2024-03-05", "days": -7})))
    assert holds.accepts(call("add", start="2024-03-05", days=-7))
    assert not holds.accepts(call("add", start="2024-03-05", days=8))
    assert not holds.accepts(call("add", start="2024-03-06", days=7))


def test_slots(gbnf):
    known = held(gbnf, Offered(ADD, {"start": Slot(("2024-03-05", 'say "x"')), "days": Slot(())}))
    assert known.accepts(call("add", start='say "x"', days=123))
    assert not known.accepts(call("add", start="2024-03-06", days=1))
    fresh = held(gbnf, Offered(SEARCH, {"query": Slot(used=("Blue Harbour",), barred=("example",))}))
    assert fresh.accepts(call("search", query="Blue Harbour pages"))
    assert not fresh.accepts(call("search", query="blue harbour"))
    assert not fresh.accepts(call("search", query="Example text"))


def test_optional_parameters_may_be_left_out(gbnf):
    holds = held(gbnf, Offered(spec("find", query="string", limit="integer?", page="integer?")))
    for args in ({}, {"limit": 3}, {"page": 2}, {"limit": 3, "page": 2}):
        assert holds.accepts(call("find", query="x", **args))
    assert not holds.accepts(call("find", limit=3))


@pytest.mark.parametrize(("text", "fits"), [
    ("412 - 387", True), ("(412 - 387) * 0.95", True), ("412-387", True), ("30 * 412 * 0.95", True), ("412 / (387 + 30) - 30", True),
    ("412 * (-5)", True), ("412", False), ("412 - 388", False), ("4 + 12", False), ("412 - ", False), ("412 387", False), ("__import__", False), ("412 ** 387", False), ("", False),
])  # fmt: skip
def test_arithmetic_over_known_numbers(gbnf, text, fits):
    holds = held(gbnf, Offered(spec("calculate", sum="string"), {"sum": Slot(terms=("412", "387", "0.95", "30", "(-5)"))}))
    assert holds.accepts(call("calculate", sum=text)) == fits


def test_tools_whose_schemas_share_a_name_keep_their_own(gbnf):
    def tool(name, kind):
        parameters = {"$defs": {"Item": {"type": kind}}, "properties": {"item": {"$ref": "#/$defs/Item"}}, "required": ["item"]}
        return Offered(ToolSpec(name, "", parameters))

    holds = held(gbnf, tool("one", "integer"), tool("two", "string"))
    assert holds.accepts(call("one", item=1))
    assert holds.accepts(call("two", item="x"))
    assert not holds.accepts(call("one", item="x"))
    assert not holds.accepts(call("two", item=1))


@settings(max_examples=40, deadline=None)
@given(names=st.lists(st.text(min_size=1, max_size=8).filter(lambda name: name.isprintable()), min_size=1, max_size=5, unique=True), data=st.data())
def test_tools_and_parameters_of_any_name(gbnf, names, data):
    tools = [Offered(ToolSpec(name, "", {"properties": {key: {"type": "boolean"} for key in names}, "required": names[:1]})) for name in names]
    holds = held(gbnf, *tools)
    for name in names:
        assert holds.accepts(call(name, **{names[0]: True}))
    other = data.draw(st.text(min_size=1, max_size=8))
    assert holds.accepts(call(other, **{names[0]: True})) == (other in names)
