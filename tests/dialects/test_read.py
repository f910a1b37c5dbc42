"""The front door: ids, notes, structured calls, and what is said about a misread."""

import pytest

from tao.dialects.read import read, read_calls
from tao.dialects.wording import REASONS, detail, quoted
from tao.events import Decided, Misread
from tao.messages import Call, ToolCall
from tao.testing import spec

TOOLS = (spec("find", "", what="string"), spec("book", "", port="string", people="integer"), spec("ring"))


def test_calls_are_numbered_within_their_reply():
    text = '<tool_call>{"name": "ring"}</tool_call><tool_call>{"name": "find", "arguments": {"what": "x"}}</tool_call>'
    assert read(text, TOOLS, step=4).calls == (Call("4.1", "ring", {}), Call("4.2", "find", {"what": "x"}))


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ('Thought: hm\nAction: find\nAction Input: {"what": "x"}', ()),
        ("Action: find\nAction Input: {'what': 'x'}", ("json_repaired",)),
        ("Action: Find\nAction Input: x", ("name_resolved",)),
        ("Action: find\nAction Input: x\nObservation: y", ("cut_observation",)),
        ('<tool_call>{"name": "ring"}</tool_call>', ("leaked_call",)),
        ('{"name": "ring", "arguments": {}}', ("leaked_call",)),
        ('{"tool": "ring", "args": {}}', ()),
        ("<think>Action: ring</think>", ("step_in_thinking",)),
        ("```\nFinal Answer: x\n```", ("unfenced",)),
        ("It is x.", ("plain_answer",)),
        ("Final Answer: x", ()),
    ],
)
def test_what_was_mended_is_noted(text, notes):
    assert read(text, TOOLS).notes == notes


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ("Thought: hm\nAction: ring", "hm"),
        ("First this.\nThought: then that\nAction: ring", "First this.\nthen that"),
        ("<think>deep</think>\nAction: ring", "deep"),
        ("<think>deep</think>\nThought: shallow\nAction: ring", "shallow"),
        ('Sure.<tool_call>{"name": "ring"}</tool_call>', "Sure."),
        ('{"thought": "hm", "action": "ring"}', "hm"),
        ("It is x.", ""),
        ("<think>deep</think>It is x.", "deep"),
    ],
)
def test_the_thought(text, thought):
    assert read(text, TOOLS).thought == thought


# ── structured calls ──────────────────────────────────────────────────────────


def calls(*sent, text=""):
    return read_calls([ToolCall(*one) for one in sent], text, TOOLS, step=2)


def test_structured_calls_keep_the_providers_ids_beside_ours():
    got = calls(("find", '{"what": "x"}', "abc"), ("ring", "", None), ("ring", "{}", "abc"), text=" hm ")
    assert got == Decided("hm", (Call("2.1", "find", {"what": "x"}, "abc"), Call("2.2", "ring", {}), Call("2.3", "ring", {}, "abc")))


@pytest.mark.parametrize(
    ("name", "arguments", "meant"),
    [
        ("find", "{'what': 'x'}", ("find", {"what": "x"})),
        ("Find", '{"what": "x"', ("find", {"what": "x"})),
        ("functions.find", "x", ("find", {"what": "x"})),
        ("find", '"{\\"what\\": \\"x\\"}"', ("find", {"what": "x"})),
        ("ring", "null", ("ring", {})),
        ("ring", "", ("ring", {})),
        ("book", '{"port": "Oban", "people": 1', "truncated"),
        ("book", "two to Oban", "bare_input"),
        ("find", "", "no_input"),
        ("fish", "{}", "unknown_tool"),
        ("", "{}", "unknown_tool"),
    ],
)
def test_damaged_structured_calls(name, arguments, meant):
    got = calls((name, arguments))
    if isinstance(meant, tuple):
        assert [(call.tool, call.args) for call in got.calls] == [meant]
    else:
        assert got.reason == meant


def test_arguments_that_a_server_sent_as_an_object():
    assert read_calls([ToolCall("find", {"what": "x"})], "", TOOLS).calls[0].args == {"what": "x"}


def test_a_structured_call_that_finishes_is_the_answer():
    assert calls(("final_answer", '{"answer": "An osprey."}')).answer == "An osprey."
    assert calls(("ring", "{}"), ("finish", '{"answer": "rung"}')).calls == (Call("2.1", "ring", {}),)


def test_without_structured_calls_the_text_is_read():
    assert read_calls([], '<tool_call>{"name": "ring"}</tool_call>', TOOLS).notes == ("leaked_call",)


# ── corrections ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "en", "zh"),
    [
        ("Action: fish\nAction Input: x", 'no tool named "fish". The tools are: find, book, ring.', "没有名为 “fish” 的工具。可用的工具有：find、book、ring。"),
        ("Action: book\nAction Input: Oban", 'needs a JSON object with the keys port, people, but got: "Oban"', "需要一个 JSON 对象，键为 port、people"),
        ('Action: find\nAction Input: {"what": "x', "breaks off", "中途断开"),
        ("Thought: hm", 'neither an action nor a final answer: "hm"', "既没有行动，也没有最终答案：“hm”"),
        ("", "empty", "空的"),
        ("Action: find", "Its parameters are: what.", "它的参数有：what。"),
        ("Thought: hm\nAction 5: ", "The action does not name a tool. The tools are: find, book, ring.", "行动没有写明工具。可用的工具有：find、book、ring。"),
    ],
)
def test_a_misread_says_what_was_wrong_in_the_language_of_the_run(text, en, zh):
    assert en in read(text, TOOLS, lang="en").detail
    assert zh in read(text, TOOLS, lang="zh").detail
    assert en in read(text, TOOLS, lang="fr").detail


def test_every_reason_has_a_sentence_in_both_languages():
    for reason, sentences in REASONS.items():
        assert set(sentences) == {"en", "zh"}
        for lang in sentences:
            said = detail(reason, lang, quote="{x}", tool="find", tools=TOOLS)
            assert said
            assert "{quote}" not in said


def test_long_quotes_are_shortened_in_their_middle():
    said = quoted("a" * 500 + "\n" + "b" * 500)
    assert len(said) <= 165
    assert said.startswith('"aaa')
    assert said.endswith('bbb"')
    assert " … " in said


def test_a_misread_keeps_the_thought():
    assert read("Thought: hm\nAction: fish", TOOLS) == Misread("unknown_tool", read("Action: fish", TOOLS).detail, "hm")
