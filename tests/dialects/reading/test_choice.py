"""What wins, which tool is meant, and calls on the action's line: rules P, A and B of the policy."""

import pytest

from tao.testing import spec

BIRD = [("find_bird", {"bird": "osprey"})]
BELL = [("ring_bell", {})]
FERRY = [("book_ferry", {"port": "Oban", "people": 2})]

PRECEDENCE = {
    "P1 the first decides": ("Final Answer: osprey\nAction: ring_bell\nAction Input: {}", "osprey"),
    "P2 action, then answer": ("Action: ring_bell\nFinal Answer: It rang.", BELL),
    "P2 with a made-up result between": ("Action: ring_bell\nObservation: rang\nFinal Answer: It rang.", BELL),
    "P3 a new question is made up": ("Final Answer: osprey\n\nQuestion: and now?\nThought: ring\nAction: ring_bell\nAction Input: {}", "osprey"),
    "P3 a thought and a second answer": ("Final Answer: osprey\nThought: better\nFinal Answer: kestrel", "osprey"),
    "P3 the same label again": ("Final Answer: osprey\nFinal Answer: osprey", "osprey"),
    "P3 minutes of a meeting": (
        "Final Answer: Minutes\nAction: Ana paints\nAction: Ben rings\nObservation: late",
        "Minutes\nAction: Ana paints\nAction: Ben rings\nObservation: late",
    ),
    "P3 questions and answers": (
        "Final Answer: FAQ\nQuestion: open?\nAnswer: at nine",
        "FAQ\nQuestion: open?\nAnswer: at nine",
    ),
    "P3 a sample in code": (
        "Final Answer: like this\n```\nThought: a\nAction: ring_bell\nAction Input: {}\n```\nDone.",
        "like this\n```\nThought: a\nAction: ring_bell\nAction Input: {}\n```\nDone.",
    ),
    "P3 markup behind an answer": ('Final Answer: done\n<tool_call>{"name": "ring_bell", "arguments": {}}</tool_call>', "done"),
    "P4 several text actions": ("Action: ring_bell\nAction Input: {}\nAction: find_bird\nAction Input: osprey", BELL),
    "P4 several JSON actions": ('{"action": "ring_bell", "action_input": {}}\n{"action": "find_bird", "action_input": "osprey"}', BELL),
    "P5 several native calls": (
        '<tool_call>{"name": "ring_bell", "arguments": {}}</tool_call><tool_call>{"name": "find_bird", "arguments": {"bird": "osprey"}}</tool_call>',
        BELL + BIRD,
    ),
    "P6 the label first": ('Action: ring_bell\n<tool_call>{"name": "find_bird", "arguments": {"bird": "x"}}</tool_call>', None),
    "P6 the markup first": ('<tool_call>{"name": "ring_bell", "arguments": {}}</tool_call>\nAction: find_bird\nAction Input: x', BELL),
    "P7 no action, then an answer": ("Action: None\nAction Input: N/A\nObservation: -\nFinal Answer: osprey", "osprey"),
    "P7 no tool needed": ("Thought: easy\nAction: N/A (no tool needed)\nFinal Answer: osprey", "osprey"),
    "P7 Chinese": ("思考：闲聊\n行动：直接回复\n行动输入：无\n观察：直接回复\n最终回答：你好", "你好"),
    "P7 no action and no answer": ("Thought: I know it is an osprey\nAction: None", {"no_step"}),
    "an unknown tool decides too": ("Action: fish\nAction Input: x\nObservation: no\nAction: ring_bell", {"unknown_tool"}),
}

NAMES = {
    name: (f"Action: {name}\nAction Input: osprey", BIRD)
    for name in (
        "find_bird.", "`find_bird`", "**find_bird**", '"find_bird"', "[find_bird]", "find_bird:", "functions.find_bird", "find_bird:0",
        "Find_Bird", "find bird", "FindBird", "find-bird", "Use find_bird", "use the find_bird tool", "I will call find_bird now",
        "find_bird (to look it up)", "find_bird tool", "使用find_bird工具", "调用 find_bird 来识别", "find_bird - looks it up",
    )
}  # fmt: skip
NOT_NAMES = {
    name: (f"Action: {name}\nAction Input: osprey", {"unknown_tool"})
    for name in (
        "find", "find_brid", "find_birds_all", "df.find_bird", "find_bird or ring_bell", "look it up", "I do not need find_bird", "`df.head()`",
    )
}  # fmt: skip

FINISH = {
    "A4 finish": ("Action: finish\nAction Input: osprey", "osprey"),
    "A4 Finish[…]": ("Action: Finish[60 to 70 cm]", "60 to 70 cm"),
    "A4 with a key": ('Action: Finish[answer="osprey"]', "osprey"),
    "A4 JSON": ('Action: terminate\nAction Input: {"output": "osprey"}', "osprey"),
    "A4 Final Answer as the action": ("Action: Final Answer\nAction Input: osprey", "osprey"),
    "A4 Final Answer behind Action": ("Action: Final Answer: osprey", "osprey"),
    "A4 Chinese": ("行动：结束\n行动输入：是鹗", "是鹗"),
    "A4 code in brackets": ("Action: Finish[\n```lua\nprint({[1]=2})\n```\n]", "```lua\nprint({[1]=2})\n```"),
    "A4 in JSON": ('{"action": "Final Answer", "action_input": "osprey"}', "osprey"),
    "A4 in markup": ('<tool_call>{"name": "finish", "arguments": {"answer": "osprey"}}</tool_call>', "osprey"),
    "A4 none in brackets": ("Action: finish[None]", "None"),
    "A4 the keyword None": ("Action: finish(None)", {"no_answer"}),
    "A4 nothing in brackets": ("Action: finish[ ]", {"no_answer"}),
    "A4 none for an input": ("Action: finish\nAction Input: None", {"no_answer"}),
    "A4 nothing in it": ("Action: FINISH", {"no_answer"}),
    "A4 empty": ("Action: finish\nAction Input: {}", {"no_answer"}),
    "A4 cut off": ('Action: finish\nAction Input: {"answer": "osp', {"truncated"}),
    "A4 then a labelled answer": ("Action: finish\nFinal Answer: osprey", "osprey"),
}

CALLS = {
    "B1 brackets": ("Action: find_bird[osprey]", BIRD),
    "B1 full-width brackets": ("行动：find_bird［osprey］", BIRD),
    "B1 keywords": ('Action: book_ferry(port="Oban", people=2)', FERRY),
    "B1 positions": ("Action: book_ferry('Oban', 2)", FERRY),
    "B1 positions in square brackets": ('Action: book_ferry["Oban", 2]', FERRY),
    "B1 JSON in brackets": ('Action: book_ferry[{"port": "Oban", "people": 2}]', FERRY),
    "B1 JSON in parentheses": ('Action: book_ferry ({"port": "Oban", "people": 2})', FERRY),
    "B1 pairs in brackets": ("Action: book_ferry[port=Oban, people=2]", FERRY),
    "B1 one text": ('Action: find_bird("osprey")', BIRD),
    "B1 brackets inside": ("Action: run_lua[t = {[1] = 'a'}; print(t[1])]", [("run_lua", {"code": "t = {[1] = 'a'}; print(t[1])"})]),
    "B1 several lines": ("Action: run_lua[\nt = {}\nprint(t[1])\n]", [("run_lua", {"code": "t = {}\nprint(t[1])"})]),
    "B1 a bracket in quotes": ('Action: run_lua[print("]")]', [("run_lua", {"code": 'print("]")'})]),
    "B1 quotes around a part stay": ('Action: find_bird["osprey" or "kestrel"]', [("find_bird", {"bird": '"osprey" or "kestrel"'})]),
    "B1 an expression is text": ("Action: run_lua(3 * 7)", [("run_lua", {"code": "3 * 7"})]),
    "B1 nothing": ("Action: ring_bell()", BELL),
    "B1 nothing, and a null input": ("Action: ring_bell()\nAction Input: None", BELL),
    "B1 the input label says it": ("Action: find_bird()\nAction Input: osprey", BIRD),
    "B1 positions without quotes": ("Action: book_ferry(Oban, 2)", FERRY),
    "B1 positions without quotes in brackets": ("Action: book_ferry[Port Ellen, 2]", [("book_ferry", {"port": "Port Ellen", "people": 2})]),
    "B1 positions without quotes, Chinese commas": ("行动：book_ferry（Oban，2）", FERRY),
    "B1 positions of words alone": ("Action: book_ferry(Oban, two)", {"bare_input"}),
    "B1 more positions than parameters": ("Action: book_ferry(Oban, Mull, 2)", {"bare_input"}),
    "B1 behind a colon": ("Thought: I look.\nAction: find_bird: osprey\nPAUSE", BIRD),
    "B1 behind a colon, Chinese": ("行动：find_bird：osprey", BIRD),
    "B1 behind a colon, and what it brought": ("Action: find_bird: osprey\n\nObservation: 60 cm\nAnswer: 60 cm", BIRD),
    "B1 behind a colon, for a number": ("Action: seat: 17", [("seat", {"number": 17})]),
    "B1 an answer behind a colon": ("Action: Finish: an osprey", "an osprey"),
    "B1 quoted behind the name": ('Action: find_bird "osprey"', BIRD),
    "B1 behind a colon, for two": ("Action: book_ferry: Oban", {"bare_input"}),
    "B1 behind a colon, denied": ("Action: find_bird: not needed", {"unknown_tool"}),
    "B1 behind a colon of an unknown tool": ("Action: fish: osprey", {"unknown_tool"}),
    "B1 behind a colon, and an input of its own": ("Action: find_bird: the tool\nAction Input: osprey", BIRD),
    "B1 only the closing bracket missing": ('Action: book_ferry(port="Oban", people=2)', FERRY),
    "B1 a string cut off": ('Action: find_bird("ospr', {"truncated"}),
    "B1 brackets cut off": ("Action: find_bird[ospr", {"truncated"}),
    "B1 a number cut off": ("Action: book_ferry('Oban', 2", {"truncated"}),
    "B1 too few": ('Action: book_ferry("Oban")', {"bare_input"}),
    "B1 too many": ('Action: find_bird("osprey", "kestrel")', {"bare_input"}),
    "B1 two calls on a line": ("Action: find_bird[osprey] and ring_bell[]", BIRD),
    "B2 the tool again": ("Action: run_lua\nAction Input: run_lua(print(1))", [("run_lua", {"code": "print(1)"})]),
    "B2 with JSON": ('Action: find_bird\nAction Input: find_bird({"bird": "osprey"})', BIRD),
    "B2 a whole call as input": ('Action: find_bird\nAction Input: {"name": "find_bird", "arguments": {"bird": "osprey"}}', None),
    "B2 another tool as input": ('Action: ring_bell\nAction Input: {"tool": "find_bird", "args": {"bird": "osprey"}}', {"no_input"}),
}

ALL = {**PRECEDENCE, **NAMES, **NOT_NAMES, **FINISH, **CALLS}


@pytest.mark.parametrize(("text", "meaning"), [pytest.param(*case, id=key) for key, case in ALL.items() if case[1] is not None])
def test_reads(means, text, meaning):
    assert means(text) == meaning


def test_a_tool_of_a_finishing_name_is_a_tool(means):
    assert means("Action: finish\nAction Input: coat", spec("finish", "", layer="string")) == [("finish", {"layer": "coat"})]


def test_the_only_tool_is_not_guessed(means):
    assert means("Action: look it up\nAction Input: x", spec("find", "", bird="string")) == {"unknown_tool"}


def test_two_names_that_differ_in_case_only_are_told_apart_or_refused(means):
    tools = (spec("Bell", ""), spec("bell", ""))
    assert means("Action: bell", *tools) == [("bell", {})]
    assert means("Action: BELL", *tools) == {"unknown_tool"}


def test_a_name_within_a_longer_name_does_not_count(means):
    tools = (spec("find", "", q="string"), spec("find bird", "", q="string"))
    assert means("Action: please find bird now\nAction Input: osprey", *tools) == [("find bird", {"q": "osprey"})]


def test_a_whole_call_as_input_is_unwrapped_unless_its_keys_are_the_tools_own(means):
    text = 'Action: call\nAction Input: {"name": "call", "arguments": {"who": "Ana"}}'
    assert means(text, spec("call", "", who="string")) == [("call", {"who": "Ana"})]
    assert means(text, spec("call", "", bird="string", arguments="object")) == [("call", {"name": "call", "arguments": {"who": "Ana"}})]
