"""What stands in the brackets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tao.dialects.bracket import Bracket
from tao.dialects.read import read
from tao.events import Decided, Observed
from tao.messages import Call, Observation
from tao.testing import history, spec

SEARCH, ADD, RING = spec("search", query="string"), spec("add", a="integer", b="integer"), spec("ring")


def written(dialect, tool, **args):
    return dialect.say(Decided(calls=(Call("1.1", tool, args),)))


@pytest.mark.parametrize(("tool", "args", "text"), [
    ("search", {"query": "Blue Harbour"}, "search[Blue Harbour]"), ("search", {"query": "《蓝港》"}, "search[《蓝港》]"), ("ring", {}, "ring[]"),
    ("add", {"a": 1, "b": 2}, 'add[{"a": 1, "b": 2}]'), ("search", {"query": "a]b"}, 'search[{"query": "a]b"}]'), ("search", {"query": ""}, 'search[{"query": ""}]'),
    ("search", {"query": " x"}, 'search[{"query": " x"}]'), ("search", {"query": "a=1"}, 'search[{"query": "a=1"}]'), ("search", {"query": 3}, 'search[{"query": 3}]'),
    ("search", {"query": "none"}, 'search[{"query": "none"}]'), ("search", {"query": "“x”"}, 'search[{"query": "“x”"}]'), ("search", {"query": "..."}, 'search[{"query": "..."}]'),
    ("search", {"query": "无"}, 'search[{"query": "无"}]'), ("search", {"query": "42"}, "search[42]"),
])  # fmt: skip
def test_one_plain_text_stands_bare_and_all_else_as_an_object(tool, args, text):
    assert written(Bracket(), tool, **args) == f"Action: {text}"


def test_one_of_several_parameters_is_named():
    find = spec("find", query="string", place="string?")
    step = Decided(calls=(Call("1.1", "find", {"place": "Lima"}), Call("1.2", "search", {"query": "x"})))
    assert Bracket().say(step, [find, SEARCH]) == 'Action: find[{"place": "Lima"}]\nAction: search[x]'
    run = history("q", step, *(Observed(call.id, Observation("seen")) for call in step.calls), tools=[find, SEARCH])
    assert any("find[{" in message.content for message in Bracket().render(run).messages)


def test_held_to_a_grammar_it_is_always_an_object():
    held = Bracket(constrained=True)
    assert written(held, "search", query="Blue Harbour") == 'Action: search[{"query": "Blue Harbour"}]'
    assert written(held, "ring") == "Action: ring[{}]"


@settings(max_examples=300)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40), st.booleans())
def test_any_text_is_read_back(text, constrained):
    reading = read(written(Bracket(constrained), "search", query=text), [SEARCH, ADD, RING])
    assert isinstance(reading, Decided)
    assert [(call.tool, call.args) for call in reading.calls] == [("search", {"query": text})]
