"""What holds for every input: nothing raises, only known tools are called, what a dialect writes is read back, and what is
cut off is never half done."""

import json

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tao.dialects.bracket import Bracket
from tao.dialects.json_action import JsonAction
from tao.dialects.listen import Listening
from tao.dialects.names import FINISH, NULL, squeeze
from tao.dialects.react import React
from tao.dialects.read import read, read_calls
from tao.dialects.wording import REASONS
from tao.events import Decided, Misread
from tao.messages import Call, ToolCall, ToolSpec
from tao.testing import spec

TOOLS = (spec("find", "", what="string"), spec("book", "", port="string", people="integer"), spec("ring"), spec("查", "", 词="string"))
PIECES = st.sampled_from(
    [
        "Thought: ", "思考：", "Action: find", "Action: ring", "行动：查", "Action Input: ", "行动输入：", '{"what": "x"}', "x", "\n", "\n\n", " ",
        "Observation: 1", "Final Answer: ", "最终答案：", "Answer: 2", "```", "```json\n", "~~~", "<think>", "<tool_call>", "</tool_call>", "**", "`",
        '{"name": "find", "arguments": {"what": "x"}}', "find[x]", "find(what='x')", "[", "]", "{", "}", '"', "'", "\\", "[TOOL_CALLS]", "<|im_end|>",
        "</s>", "<function=find>", "<parameter=what>", "</function>", "Question: q", "- a", "1. b", "| c | d |", "I will use find.", "\u200b", "\r\n",
        "✿FUNCTION✿: find", "✿ARGS✿: ", "[f(a=1)]", "# ", "Action: find Action Input: x", "Action: None", "Finish[done]", "Action: Finish[done]", "<b>", "</b>", ">>>find\n", "，", "：",
        "<|channel|>", "final", "<|message|>", "Do I need to use a tool? No", "AI: hi", "<answer>", "</answer>", "to=functions.find ", "call:",
    ]
)  # fmt: skip
MIXED = st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=14).map("".join)
ANY = st.one_of(st.text(max_size=200), MIXED)


@given(ANY)
@settings(max_examples=200, deadline=None)
@example("Action: find\nAction Input: " + "{" * 5000)
@example('{"name": "find", "arguments": ' + "[" * 20000)
@example("\ud800 Action: find[\udfff]")
def test_never_raises_and_calls_known_tools_only(text):
    reading = read(text, TOOLS, step=3, lang="zh")
    if isinstance(reading, Misread):
        assert reading.reason in REASONS
        assert reading.detail
        return
    assert (reading.answer is None) == bool(reading.calls)
    assert reading.answer != ""
    assert [call.id for call in reading.calls] == [f"3.{number}" for number in range(1, len(reading.calls) + 1)]
    assert all(call.tool in {tool.name for tool in TOOLS} and isinstance(call.args, dict) for call in reading.calls)
    json.dumps([call.args for call in reading.calls])


@given(MIXED.filter(lambda text: "</think>" not in text), st.integers(1, 9))
@settings(max_examples=200, deadline=None)
def test_the_answer_that_is_told_is_the_answer_that_is_read(text, size):
    whole = read(text, TOOLS)
    listening = Listening(TOOLS)
    deltas = [delta for at in range(0, len(text), size) for delta in listening.feed(text[at : at + size])] + listening.close()
    told = "".join(delta.text for delta in deltas if delta.kind == "answer")
    assert told == ((whole.answer or "") if isinstance(whole, Decided) else "")
    assert not listening.stop or (isinstance(whole, Decided) and whole.calls)


# ── generated tools and values ────────────────────────────────────────────────

WORDS = st.one_of(
    st.text("abcdefgnoXYZ019_", min_size=1, max_size=10).map(lambda rest: "n" + rest),
    st.text("天气查询搜索时间城市名称", min_size=2, max_size=5),
)


def free(name):
    """A name that means neither finishing nor nothing, and no label."""
    return squeeze(name) not in FINISH and not NULL.fullmatch(name)


NAMES = WORDS.filter(free)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
VALUES = {
    "string": TEXT,
    "integer": st.integers(-(10**12), 10**12),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "array": st.lists(st.one_of(TEXT, st.integers(), st.none()), max_size=3),
    "object": st.dictionaries(TEXT, st.one_of(TEXT, st.booleans(), st.lists(st.integers(), max_size=2)), max_size=3),
}


@st.composite
def wishes(draw):
    """A few tools, and a call of one of them whose arguments fit its schema."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique_by=squeeze))
    tools = []
    for name in names:
        kinds = draw(st.dictionaries(NAMES, st.sampled_from(list(VALUES)), max_size=3))
        properties = {key: {"type": kind} for key, kind in kinds.items()}
        tools.append(ToolSpec(name, "", {"type": "object", "properties": properties, "required": list(kinds)}))
    tool = draw(st.sampled_from(tools))
    args = {key: draw(VALUES[schema["type"]]) for key, schema in tool.parameters["properties"].items()}
    return tuple(tools), Call("1.1", tool.name, args)


THOUGHTS = st.sampled_from(["", "I look it up.", "需要先查一下。"])


@given(wishes(), THOUGHTS, st.sampled_from([React(), JsonAction(), Bracket()]))
@settings(max_examples=200, deadline=None)
def test_a_call_that_a_dialect_writes_is_read_back(wish, thought, dialect):
    tools, call = wish
    text = dialect.say(Decided(thought, (call,)))
    reading = read(text, tools)
    assert isinstance(reading, Decided), (text, reading)
    assert [(got.tool, got.args) for got in reading.calls] == [(call.tool, call.args)], text
    assert reading.thought == thought
    assert "json_repaired" not in reading.notes


@given(wishes(), st.sampled_from(["call_1", None, ""]))
@settings(max_examples=100, deadline=None)
def test_a_structured_call_is_read_back(wish, provider):
    tools, call = wish
    sent = ToolCall(call.tool, json.dumps(call.args, ensure_ascii=False), provider)
    assert read_calls([sent], "", tools) == Decided("", (Call("1.1", call.tool, call.args, provider),))


MARKUP = {
    "hermes": lambda call: f'<tool_call>\n{json.dumps({"name": call.tool, "arguments": call.args}, ensure_ascii=False)}\n</tool_call>',
    "mistral": lambda call: f"[TOOL_CALLS]{call.tool}[ARGS]{json.dumps(call.args)}",
    "harmony": lambda call: f"<|channel|>commentary to=functions.{call.tool} <|constrain|>json<|message|>{json.dumps(call.args)}<|call|>",
    "deepseek": lambda call: f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{call.tool}<｜tool▁sep｜>{json.dumps(call.args)}<｜tool▁call▁end｜>",
    "llama": lambda call: json.dumps({"name": call.tool, "parameters": call.args}),
}


@given(wishes(), st.sampled_from(list(MARKUP)))
@settings(max_examples=200, deadline=None)
def test_a_leaked_call_is_read_back(wish, family):
    tools, call = wish
    assume(family != "llama" or call.args)
    reading = read(MARKUP[family](call), tools)
    assert isinstance(reading, Decided)
    assert [(got.tool, got.args) for got in reading.calls] == [(call.tool, call.args)]
    assert "leaked_call" in reading.notes


@given(wishes(), st.data())
@settings(max_examples=200, deadline=None)
def test_a_call_cut_off_anywhere_is_the_same_call_or_none(wish, data):
    """JSON whose last value is whole may be closed; then what is there must be a beginning of what was meant."""
    tools, call = wish
    form = data.draw(st.sampled_from([React().say, JsonAction().say, Bracket().say]))
    text = form(Decided("", (call,)))
    reading = read(text[: data.draw(st.integers(0, len(text)))], tools)
    if isinstance(reading, Decided) and reading.calls:
        got = reading.calls[0]
        assert got.tool == call.tool
        assert begins(got.args, call.args), (got.args, call.args)


def begins(got, meant):
    """Whether a value is the meant one, or a container of beginnings of it."""
    if isinstance(got, dict) and isinstance(meant, dict):
        return list(got) == list(meant)[: len(got)] and all(begins(got[key], meant[key]) for key in got)
    if isinstance(got, list) and isinstance(meant, list):
        return len(got) <= len(meant) and all(map(begins, got, meant))
    return got == meant and type(got) is type(meant)


def test_long_replies_do_not_blow_up():
    """Anything but linear time would let the test run into its time limit."""
    for unit in ("{", '{"', "[", "(", "<tool_call>", "Action: ", "\nThought:", "```\n", '"', "'", "`", "</", "x,", "a=", '\\"', "Question: a\n",
                 "<think>a</think>", "<|start|>assistant x", "```\nThought: a\n```\n", "\ntool_call(a=1)", "[find(a=1), ", "print(find("):
        for lead in ("", "Action: find\nAction Input: ", "Final Answer: ", '{"name": "find", "arguments": {"what": "', "Action: find["):
            read(lead + unit * (100_000 // len(unit)), TOOLS)
