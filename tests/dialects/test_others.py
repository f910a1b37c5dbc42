"""Label words of other forms: they count where ours decide nothing, and a step comes of them."""

import pytest

from tao.dialects.others import ours
from tao.dialects.read import read
from tao.events import Misread
from tao.testing import spec

TOOLS = [spec("search", query="string"), spec("bash", cmd="string"), spec("ring")]
CATS = [("search", {"query": "cats"})]


def meaning(text):
    reading = read(text, TOOLS)
    return reading.reason if isinstance(reading, Misread) else [(call.tool, call.args) for call in reading.calls] or reading.answer


@pytest.mark.parametrize("text", [
    "Think: d\nAct: search[cats]", "Think: d\n\nAct: search\n\n```\ncats\n```", "Act: search(cats)", "Thought: d\nAct: search\nAct Input: cats", "**Think:** d\n**Act:** search[cats]",
    "Thought: d\nTool: search\nTool Input: cats", 'Tool Name: search\nTool Arguments: {"query": "cats"}', "THINK 2: d\nACT 2: search[cats]\nObservation 2: meow",
    "Tool: search\nInput: cats\nTool Output: meow\nThought: e", "Thought: d\nAction: search\nInput: cats", 'Action: search\nParameters: {"query": "cats"}',
    'ASSISTANT Thought: d\nASSISTANT Action: search\nASSISTANT Action Input: {"query": "cats"}\nASSISTANT Observation: meow', '思考：d\n工具：search\n参数：{"query": "cats"}',
    "思考：d\n工具名称：search\n工具输入：cats", "分析：d\n操作：search\n操作输入：cats\n执行结果：喵", "思考：d\n行动：search\n输入：cats", "**思考**：d\n**调用工具**：search\n**工具参数**：cats",
])  # fmt: skip
def test_a_step_in_other_words_is_a_step(text):
    assert meaning(text) == CATS


@pytest.mark.parametrize("text", [
    "<think>d</think>\n<action>search[cats]</action>", "<thought>d</thought><action>search[cats]</action>", '<action>search(query="cats")</action>', "<Thought> d\n<Action> search[cats]",
    "<Action>search</Action>\n<Action Input>cats</Action Input>", "<thought>d</thought>\n<action>search[cats]</action>\n<observation>meow</observation>\n<action>ring</action>",
])  # fmt: skip
def test_so_is_a_step_in_tags(text):
    assert meaning(text) == CATS


@pytest.mark.parametrize(("text", "wanted"), [
    ("<action>fly[home]</action>", "unknown_tool"), ("<action>search</action>", "no_input"), ("Write <action>search[cats]</action> to search.", "unknown_tool"),
    ("<thought>It is <action>search[cats]</action>.</thought>\nFinal Answer: 4", "4"),
])  # fmt: skip
def test_tags_mean_no_more_than_labels(text, wanted):
    assert meaning(text) == wanted


@pytest.mark.parametrize(("text", "wanted"), [
    ("Think: done\n\nAct: answer(220)", "220"), ("Think: done\nAct: finish[220]", "220"), ("Thought: d\nAction: Answer\nFinal Answer: 220", "220"), ("思考：好\n行动：回答[220]", "220"),
    ("ASSISTANT Thought: d\nASSISTANT Response: It is 220.", "It is 220."), ("Think: done\n\nAct: finish", "no_answer"), ("Think: d\nAct: search", "no_input"),
    ("Think: d\nAct: ring", [("ring", {})]), ('Action: Finish\nAction Input: {"return_type": "give_up_and_restart"}', "no_answer"),
    ('Action: Finish\nAction Input: {"return_type": "give_answer", "final_answer": "220"}', "220"),
])  # fmt: skip
def test_so_are_answers_and_what_is_missing_is_asked_for(text, wanted):
    assert meaning(text) == wanted


@pytest.mark.parametrize("text", [
    "Act 1: The hero leaves.\nAct 2: She searches.", "Think: twice before you act.", "It runs so:\nTool: search\nInput: cats", "Tool: hammer\nInput: nails", "操作：先关电源，再拧螺丝。", "Input: 3\nOutput: 4",
    "```\nTool: search\nInput: cats\n```\nThis is how it is written.",
])  # fmt: skip
def test_the_same_words_in_an_answer_stay_as_they_are(text):
    assert meaning(text) == text
    assert meaning(f"Final Answer: {text}") == text


def test_values_in_code_keep_their_words():
    assert meaning("Think: d\nAct: bash\n```\ncat <<E\nInput: 3\nTool: x\nE\n```") == [("bash", {"cmd": "cat <<E\nInput: 3\nTool: x\nE"})]


def test_without_such_a_label_there_is_nothing_to_say():
    assert ours("Thought: d\nAction: search[x]") is None
    assert ours("Just prose.\nAct: search[x]") is None
