"""Replies without a step: rules F of the policy."""

import pytest

LONG = "Here is what I found:\n\n- ospreys fish\n- owls do not\n\n```lua\nprint(1)\n```\n\nAsk me more."

BIRD = [("find_bird", {"bird": "osprey"})]

PLAIN = {
    "F1 prose": (" It is an osprey.", "It is an osprey."),
    "F1 Markdown": (LONG, LONG),
    "F1 a question to the user": ("Would you like me to use find_bird?", "Would you like me to use find_bird?"),
    "F1 Chinese": ("根据图片，这是鹗。", "根据图片，这是鹗。"),
    "F1 a report with label-like words": ("A report.\n\nObservation: it fishes.\nQuestion: why?", "A report.\n\nObservation: it fishes.\nQuestion: why?"),
    "F1 what a tool gave": ("I used find_bird and it is an osprey.", "I used find_bird and it is an osprey."),
    "F1 advice": ("You can use the find_bird tool for that.", "You can use the find_bird tool for that."),
    "F1 JSON of an unknown tool in prose": ('Send\n```json\n{"name": "fish", "arguments": {}}\n```\nto it.', 'Send\n```json\n{"name": "fish", "arguments": {}}\n```\nto it.'),
    "F1 the schema of a tool": ('Tools:\n[{"name": "ring_bell", "description": "x"}]\nOnly one.', 'Tools:\n[{"name": "ring_bell", "description": "x"}]\nOnly one.'),
    "F2 a thought": ("Thought: It may be an osprey.", {"no_step"}),
    "F2 a thought cut off": ("Thought: I need", {"no_step"}),
    "F2 a thought and prose": ("Thought: hm\n\nIt is an osprey.", {"no_step"}),
    "F2 an answer within a thought's line": ("Thought: I know. Final Answer: osprey", {"no_step"}),
    "F2 announced as being done": ('Calling find_bird with "osprey" …', {"announced"}),
    "F2 announced as being done, Chinese": ("正在调用 查潮汐 工具……", {"announced"}),
    "F2 calling is no announcement by itself": ("Calling home is free. Use the phone.", "Calling home is free. Use the phone."),
    "F2 announced": ("I can use the `find_bird` tool to achieve this.", {"announced"}),
    "F2 announced, Chinese": ("我将使用 find_bird 工具来识别。", {"announced"}),
    "F2 announced behind prose": ("That looks hard. Let me use find_bird.", {"announced"}),
    "F2 announced under a label": ("思考：接下来我会调用 查潮汐。", {"no_step"}),
    "F3 no tool": ("Thought: Do I need to use a tool? No\nAI: It is an osprey.", "It is an osprey."),
    "F3 no tool, next line": ("Thought: Do I need to use a tool? No\nIt is an osprey.", "It is an osprey."),
    "F3 Chinese": ("思考：我需要使用工具吗？不需要\n这是鹗。", "这是鹗。"),
    "F3 nothing behind": ("Thought: Do I need to use a tool? No", {"no_step"}),
    "F3 a tool": ("Thought: Do I need to use a tool? Yes", {"no_step"}),
    "F4 empty": ("", {"empty"}),
    "F4 white space": (" \n\t\n", {"empty"}),
    "F4 only tokens": ("<|im_end|></s>", {"empty"}),
    "F4 an empty answer": ("Thought: I know\nFinal Answer:", {"no_answer"}),
    "F4 an answer that is but a thought": ("Final Answer:\n\nThought: hm", {"no_answer"}),
    "F5 inner lines": ("Final Answer:\n1. osprey\n\n2. owl\n", "1. osprey\n\n2. owl"),
    "F5 label-like words": ("Answer: The final answer is:\nosprey", "The final answer is:\nosprey"),
    "an observation alone": ("Observation: 60 cm", {"no_step"}),
    "a reply that is a call": ('find_bird("osprey")', [("find_bird", {"bird": "osprey"})]),
    "a call whose tool is written otherwise": ("Find_Bird[osprey]", BIRD),
    "a call and what it is said to have brought": ("find_bird[osprey]\nObservation 1: 60 cm", BIRD),
    "a call and a whole run behind it": ("find_bird[osprey]\nObservation: 60 cm\nThought: so\nAction: Finish[60 cm]", BIRD),
    "a call behind a thought and what it brought": ("Thought 1: I look.\nfind_bird[osprey]\nObservation 1: 60 cm\nThought 2: so\nFinal Answer: 60 cm", BIRD),
    "a call behind prose and what it brought": ('I look.\nfind_bird("osprey")\n观察：60 厘米\n最终答案：60 厘米', BIRD),
    "an end behind a thought": ("Thought: so it is 60 cm.\nFinish[60 cm]", "60 cm"),
    "a call that ends a labelled thought": ("Thought: I look.\n\nfind_bird[osprey]", BIRD),
    "a call that breaks off behind a thought": ("Thought: I look.\nfind_bird[ospr", {"truncated"}),
    "a call that ends prose": ("I look.\nfind_bird[osprey]", {"announced"}),
    "a call of an unknown tool that ends prose": ("The first one is\nbirds[0]", "The first one is\nbirds[0]"),
    "a call within a thought": ("Thought: I could use\nfind_bird[osprey]\nbut I know it.", {"no_step"}),
    "F3 no tool, its label missing": (" Do I need to use a tool? No\nAI: It is an osprey.", "It is an osprey."),
    "F3 no tool, its label missing, Chinese": ("我需要使用工具吗？不需要\n这是鹗。", "这是鹗。"),
    "F3 no tool, its label missing, nothing behind": ("Do I need to use a tool? No", {"no_step"}),
    "F3 prose about tools": ("Do I need a tool? No, a hand is enough.", "Do I need a tool? No, a hand is enough."),
    "a reply that begins like a call": ("find_bird(x) is a function.", "find_bird(x) is a function."),
    "markup that breaks off": ("Let me see. <tool_ca", {"truncated"}),
}


@pytest.mark.parametrize(("text", "meaning"), [pytest.param(*case, id=key) for key, case in PLAIN.items()])
def test_reads(means, text, meaning):
    assert means(text) == meaning
