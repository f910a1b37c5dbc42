"""A key that stands twice with different values: whatever form the call has, nothing is run, and the model hears which key."""

import json

import pytest

from tao.dialects.read import read, read_calls
from tao.dialects.repair import Read, read_json
from tao.events import Decided, Misread
from tao.messages import Pairs, ToolCall, ToolSpec, doubled, paired

TOOLS = (
    ToolSpec("pay", "", {"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "integer"}, "more": {"type": "object"}}, "required": ["to"]}),
    ToolSpec("say", "", {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}),
)  # fmt: skip
FORMS = {
    "json": 'Action: pay\nAction Input: {"to": "A", "to": "B"}',
    "json, escaped": 'Action: pay\nAction Input: {"to": "A", "\\u0074o": "B"}',
    "json, with what looks like keys": 'Action: pay\nAction Input: {"to": "http://a: {\\"to\\": 1}", "to": "B", "amount": 5}',
    "mended": "Action: pay\nAction Input: {'to': 'A', 'to': 'B',}",
    "unquoted": "Action: pay\nAction Input: {to: A, to: B}",
    "cut": 'Action: pay\nAction Input: {"to": "A", "to": "B"',
    "no opening brace": 'Action: pay\nAction Input: "to": "A", "to": "B"}',
    "in a string": 'Action: pay\nAction Input: "{\\"to\\": \\"A\\", \\"to\\": \\"B\\"}"',
    "in a fence": 'Action: pay\nAction Input:\n```json\n{"to": "A", "to": "B"}\n```',
    "deeper": 'Action: pay\nAction Input: {"to": "A", "more": {"list": [1, {"to": "A", "to": "B"}]}}',
    "deeper, mended": "Action: pay\nAction Input: {to: 'A', more: {list: [1, {'to': 'A', 'to': 'B'}]}}",
    "two spellings": 'pay(To="A", to="B")',
    "python": 'Action: pay(to="A", to="B")',
    "python list": '[pay(to="A", to="B")]',
    "an object in brackets": 'Action: pay({"to": "A", "to": "B"})',
    "action object": '{"action": "pay", "action_input": {"to": "A", "to": "B"}}',
    "name and arguments": '{"name": "pay", "arguments": {"to": "A", "to": "B"}}',
    "hermes": '<tool_call>\n{"name": "pay", "arguments": {"to": "A", "to": "B"}}\n</tool_call>',
    "parameters": "<tool_call>\n<function=pay>\n<parameter=to>\nA\n</parameter>\n<parameter=to>\nB\n</parameter>\n</function>\n</tool_call>",
    "invoke": '<function_calls>\n<invoke name="pay">\n<parameter name="to">A</parameter>\n<parameter name="to">B</parameter>\n</invoke>\n</function_calls>',
    "glm": "<tool_call>pay\n<arg_key>to</arg_key>\n<arg_value>A</arg_value>\n<arg_key>to</arg_key>\n<arg_value>B</arg_value>\n</tool_call>",
    "own tag": "<pay><to>A</to><to>B</to></pay>",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_it_is_no_call_and_the_key_is_named(form):
    found = read(FORMS[form], TOOLS)
    assert isinstance(found, Misread), found
    assert found.reason == "double_key"
    assert found.detail == 'The call of "pay" gives the key "to" twice, with different values, so nothing was executed. Give each key once.'
    assert read(FORMS[form], TOOLS, lang="zh").detail == "对 “pay” 的调用把键 “to” 写了两次，值却不同，因此没有执行。每个键只写一次。"


@pytest.mark.parametrize("form", FORMS)
def test_the_same_value_twice_is_fine(form):
    found = read(FORMS[form].replace('http://a: {\\"to\\": 1}', "A").replace("B", "A"), TOOLS)
    assert isinstance(found, Decided), found
    assert found.calls[0].args["to"] == "A"
    assert type(found.calls[0].args) is dict


@pytest.mark.parametrize("arguments", ['{"to": "A", "to": "B"}', "{'to': 'A', 'to': 'B'}", '{"to": "A", "more": {"x": [{"a": 1, "a": true}]}}', '{"to": "A", "amount": 1, "amount": "1"}'])
def test_structured_calls_of_a_server_are_no_exception(arguments):
    found = read_calls([ToolCall("say", '{"text": "hi"}', "a"), ToolCall("pay", arguments, "b")], "", TOOLS)
    assert isinstance(found, Misread)
    assert found.reason == "double_key"
    fine = read_calls([ToolCall("pay", '{"to": "A", "to": "A"}', "b")], "", TOOLS)
    assert [call.args for call in fine.calls] == [{"to": "A"}]


@pytest.mark.parametrize(("text", "key"), [
    ('{"action": "say", "action": "pay", "action_input": {"to": "A"}}', "action"),
    ('{"action": "pay", "action_input": {"to": "A"}, "action_input": {"to": "B"}}', "action_input"),
    ('<tool_call>{"name": "pay", "name": "say", "arguments": {"text": "A"}}</tool_call>', "name"),
    ('{"action": "Final Answer", "action_input": "A", "action_input": "B"}', "action_input"),
])  # fmt: skip
def test_a_call_that_is_itself_said_in_two_ways_is_none(text, key):
    found = read(text, TOOLS)
    assert isinstance(found, Misread), found
    assert found.reason == "double_key"
    assert f'"{key}"' in found.detail


def test_two_thoughts_are_no_two_calls():
    found = read('{"thought": "first", "thought": "then", "action": "pay", "action_input": {"to": "A"}}', TOOLS)
    assert [call.args for call in found.calls] == [{"to": "A"}]


@pytest.mark.parametrize("text", ['{"a": "x: y", "b": {"c": "d\\": 1"}}', '{"a" : 1, "b"\n: [{"a": 1}, {"a": 2}]}', "[]", '["a:b"]', "{}", '"a: b"', "5"])
def test_other_json_is_as_it_was(text):
    found = read_json(text)
    assert isinstance(found, Read)
    assert found.value == json.loads(text)
    assert type(found.value) is type(json.loads(text))
    assert doubled(found.value) is None


@pytest.mark.parametrize("text", ['[{"a": 1, "a": 2}, 5]', '[{"a": 1, "a": 2}, {"b": 3}]', '{"x": [{"a": 1, "a": 2}], "y": 1}', '{"a": 1, "a": {"b": "c:d"}}'])
def test_a_double_is_found_however_many_keys_there_are(text):
    assert doubled(read_json(text).value) == "a"


def test_pairs():
    assert Pairs([("a", 1), ("a", 2), ("b", 1), ("b", 2)]).double == "a"
    assert type(Pairs([("a", 1), ("a", 1)]).plain()) is dict
    assert paired([("a", 1), ("a", True)]) == {"a": True}
    assert doubled([{"x": paired([("", 1), ("", 1.0)])}]) == ""
    assert doubled("text") is None
    assert json.loads('{"a": {"b": 1, "b": 1}}', object_pairs_hook=paired) == {"a": {"b": 1}}
