"""Hearing a reply while it comes in."""

import pytest

from tao.dialects.listen import Listening
from tao.seams import Delta
from tao.testing import spec

TOOLS = (spec("find", "", what="string"), spec("ring"))


def hear(text, size=1, **options):
    """What was told with each piece, and the listener before it was closed."""
    listening = Listening(TOOLS, **options)
    return [(text[: at + size], listening.feed(text[at : at + size])) for at in range(0, len(text), size)], listening


def told(pieces, kind):
    return [delta.text for _, deltas in pieces for delta in deltas if delta.kind == kind]


def test_a_thought_comes_as_it_is_written():
    pieces, _ = hear("Thought: I look it up.\nAction: find\nAction Input: x")
    thoughts = told(pieces, "thought")
    assert "".join(thoughts).strip() == "I look it up."
    assert len(thoughts) > 10


def test_a_call_is_told_once_its_line_is_over():
    pieces, _ = hear("Thought: hm\nAction: find\nAction Input: x")
    assert [seen for seen, deltas in pieces if Delta("call", "find") in deltas] == ["Thought: hm\nAction: find\n"]


@pytest.mark.parametrize(
    "text",
    ["Action: find[", 'Action: {"tool": "find", ', '<tool_call>{"name": "find", "arguments"', "<function=find>", '{"action": "find"', "行动：find\n"],
)
def test_a_name_is_sure_before_its_arguments(text):
    pieces, _ = hear(text)
    assert told(pieces, "call") == ["find"]


@pytest.mark.parametrize(
    "text",
    [
        '<answer>{"name": "find", "arguments": {"what": "x"}}</answer>',
        'Observation: <tool_call>{"name": "find", "arguments": {"what": "x"}}</tool_call>\nFinal Answer: no',
        "It writes commentary to=functions.find there",
        '{"note": "x", "action": "find", "why": 1}',
        '```json\nx{"action": "find", "action_input": "x"} y\n```\nThat is it.',
    ],
)
def test_a_name_that_only_stands_there_is_not_told(text):
    assert told(hear(text)[0], "call") == []


@pytest.mark.parametrize(
    "text", ['{"thought": "hm", "action": "find", ', '```json\n[{"name": "find", "arguments": {', '{"type": "function", "function": {"name": "find", "parameters"']
)
def test_a_name_behind_what_calls_have_is_told(text):
    assert told(hear(text)[0], "call") == ["find"]


@pytest.mark.parametrize("text", ["Action: fin", "Action: Finish[", "Action: None\n", "Action: fish\n", "Thought: Action: find", 'Thought: {"tool": "find"} is'])
def test_what_is_no_call_is_not_told(text):
    pieces, _ = hear(text)
    assert told(pieces, "call") == []


def test_the_answer_comes_without_its_label_and_piece_by_piece():
    pieces, listening = hear("Thought: I know.\nFinal Answer: An **osprey**, of course.\n\n- it fishes\n")
    answers = told(pieces, "answer")
    assert "Label" not in "".join(answers)
    assert "".join(answers) == "An **osprey**, of course.\n\n- it fishes"[: len("".join(answers))]
    assert len(answers) > 20
    assert listening.close() in ([], [Delta("answer", "s")])


@pytest.mark.parametrize(
    ("text", "shown", "rest"),
    [
        ("Final Answer: a\nThought: b", "a", "\nThought: b"),
        ("Final Answer: a\nThought: b\nFinal Answer: c", "a", ""),
        ("Final Answer: a<|im_end|>", "a", ""),
        ("Final Answer: a\n```", "a", ""),
        ('Final Answer: a\n<tool_call>{"name": "ring", "arguments": {}}</tool_call>', "a", ""),
        ("Final Answer: a <tool_call> b", "a", " <tool_call> b"),
        ("**Final Answer: a**", "a", ""),
        ("It may be a.\n\nFinal Answer: a", "", "a"),
        ("It may be a.", "", "It may be a."),
        ('{"action": "Final Answer", "action_input": "a"}', "", "a"),
        ("Action: Finish[a]", "", "a"),
        ("```\nFinal Answer: a\n```", "", "a"),
        ("Action: ring\nFinal Answer: a", "", ""),
        ("Final Answer: a\nAction: Ana paints", "a", "\nAction: Ana paints"),
    ],
)
def test_nothing_is_shown_that_the_whole_could_make_wrong(text, shown, rest):
    pieces, listening = hear(text)
    assert "".join(told(pieces, "answer")) in {shown, shown + rest}
    closing = "".join(delta.text for delta in listening.close() if delta.kind == "answer")
    assert "".join(told(pieces, "answer")) + closing == shown + rest


def test_an_answer_behind_prose_streams_where_the_prompt_opened_no_thinking():
    pieces, _ = hear("I know it.\n\nFinal Answer: An osprey.", thinks=False)
    assert "".join(told(pieces, "answer")).startswith("An osprey")


def test_a_made_up_observation_stops_the_reply():
    text = "Thought: hm\nAction: find\nAction Input: x\nObservation: 1\nFinal Answer: 1"
    listening = Listening(TOOLS)
    heard = ""
    while not listening.stop:
        heard += text[len(heard)]
        listening.feed(heard[-1])
    assert heard.endswith("Observation:")
    assert listening.feed("more") == []
    assert [delta for delta in listening.close() if delta.kind == "answer"] == []


@pytest.mark.parametrize(
    "text",
    ["Observation: 1\n", "Thought: hm\nObservation: 1\n", "Action: fish\nObservation: 1\n", "Final Answer: a\nObservation: 1\n", "Action: find\nObservation: 1\n"],
)
def test_an_observation_without_a_call_stops_nothing(text):
    _, listening = hear(text)
    assert not listening.stop


@pytest.mark.parametrize(
    "text",
    [
        "Action: find[x]\n观察：", '<tool_call>{"name": "ring", "arguments": {}}</tool_call><tool_response>', "Action: ring\n<observation>",
        "find[x]\nObservation 1: y", "Thought: hm\nfind[x]\n观察：乙", 'hm\nfind("x")\nObservation: y',
    ],
)  # fmt: skip
def test_other_results_stop_it_too(text):
    _, listening = hear(text)
    assert listening.stop


def test_thinking_is_told_as_thought():
    pieces, _ = hear("<think>a plan\nAction: ring\n</think>\nFinal Answer: done, all of it")
    assert "".join(told(pieces, "thought")) == "a plan\nAction: ring\n"
    assert "".join(told(pieces, "answer")).startswith("done")


def test_line_ends_cut_in_two():
    pieces, listening = hear("Final Answer: a\r\nb\r\n\r\nc", 1)
    closing = "".join(delta.text for delta in listening.close())
    assert "".join(told(pieces, "answer")) + closing == "a\nb\n\nc"


def test_a_fence_on_the_line_of_the_label_hides_labels_and_ends():
    text = "Final Answer: ```lua\nThought: a\nAction: ring\n```\nso it goes\nThought: b\nFinal Answer: c"
    pieces, listening = hear(text)
    shown = "".join(told(pieces, "answer"))
    assert shown == "```lua\nThought: a\nAction: ring\n```\nso it goes"
    assert listening.close() in ([], [Delta("thought", "")])


PROSE = "It is an osprey. Ospreys fish.\n\n- they dive\n- they rest\n\n```lua\nprint(1)\n```\n\nThat is all."


@pytest.mark.parametrize("text", [" Do I need to use a tool? No\nAI: Hello!", "我需要使用工具吗？否\nAI：Hello!", "Do I need to use a tool? No\nHello!", "Assistant: Hello!"])
def test_a_reply_that_asks_itself_for_a_tool_is_told_when_it_is_over(text):
    pieces, listening = hear(text, plain=True)
    assert told(pieces, "answer") == []
    assert [delta for delta in listening.close() if delta.kind == "answer"] == [Delta("answer", "Hello!")]


def test_prose_is_told_as_it_comes_where_it_is_the_answer():
    pieces, listening = hear(PROSE, plain=True)
    answers = told(pieces, "answer")
    assert len(answers) > 15
    assert "".join(answers) + "".join(delta.text for delta in listening.close()) == PROSE


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Sure, I will look that up for you now.\nAction: find\nAction Input: x", "Sure, I will look that up for you now."),
        ('Of course, here is what I do: {"name": "ring", "parameters": {}}', "Of course, here is what I do:"),
        ("Of course, let me ring the bell.<tool_call>", "Of course, let me ring the bell."),
        ('Of course, let me ring the bell.\n```json\n{"name": "ring"', "Of course, let me ring the bell."),
        ("Thought: hm\nIt is an osprey that I see.", ""),
        ('{"name": "ring", "arguments": {}}', ""),
    ],
)
def test_markup_is_never_told_as_an_answer(text, shown):
    pieces, _ = hear(text, plain=True)
    assert "".join(told(pieces, "answer")) == shown
