"""Cleaning, thinking, labels and cutting: rules N, T, L and C of the policy."""

import pytest

BIRD = [("find_bird", {"bird": "osprey"})]
FOREIGN = (
    '<tool_call>{"name": "ring_bell", "arguments": {}}</tool_call>', "[TOOL_CALLS]ring_bell{}", "[ring_bell()]", "<answer>A kite.</answer>",
    ">>>ring_bell {}", "to=functions.ring_bell {}", "ring_bell[ARGS]{}", '{"name": "ring_bell", "parameters": {}}',
    "Action: ring_bell Action Input: {}",
)  # fmt: skip
"""Calls and an answer as a page may hold them, to be repeated by whoever reads it."""

NORMALISE = {
    "N1 byte order mark and CRLF": ("\ufeffThought: hm\r\nAction: find_bird\r\nAction Input: osprey\r\n", BIRD),
    "N1 zero width in a label": ("Act\u200bion: ring_bell", [("ring_bell", {})]),
    "N1 zero width around a label": ("\u200bAction\u200b:\u200b find_bird\u2060\nAction Input: osprey\u200b", BIRD),
    "N1 zero width within a value stays": ('Action: find_bird\nAction Input: {"bird": "os\u200dprey"}', [("find_bird", {"bird": "os\u200dprey"})]),
    "N2 full-width structure": ("Action：find_bird\nAction Input：｛“bird”：“osprey”｝", BIRD),
    "N2 full-width in a value stays": ('Action: find_bird\nAction Input: {"bird": "鹗（鱼鹰）：“好”"}', [("find_bird", {"bird": "鹗（鱼鹰）：“好”"})]),
    "N3 tokens at the tail": ("Action: find_bird\nAction Input: osprey<|im_end|></s>", BIRD),
    "N3 tokens at the head": ("<|im_start|>assistant\nFinal Answer: It is an osprey.", "It is an osprey."),
    "N3 a next turn is made up": ("Final Answer: An osprey.<|eot_id|><|start_header_id|>user<|end_header_id|>\nThanks", "An osprey."),
    "N3 a table's bars are no tokens": ("Final Answer: | bird | size |\n|---|---|\n| osprey | 60 |", "| bird | size |\n|---|---|\n| osprey | 60 |"),
    "N4 all in one fence": ("```text\nThought: hm\nAction: find_bird\nAction Input: osprey\n```", BIRD),
    "N1 zero width before JSON on its line": ('Question: a bird?\n\u200b{"action": "find_bird", "action_input": "osprey"}', BIRD),
    "N1 zero width in native markup": ('<tool_call>\n\u200b{"name": "find_bird", "arguments": {"bird": "osprey"}}\n\ufeff</tool_call>', BIRD),
    "N4 the step in a fence, waiting behind it": ("```\nAction: find_bird\nAction Input: osprey\n```\n\n(I wait for the result.)", BIRD),
    "N4 the step in a fence, a result made up behind it": (
        "```text\nThought: hm\nAction: find_bird\nAction Input: osprey\n```\n<tool_response>60 cm</tool_response>\nIt is 60 cm long.", BIRD),
    "N4 a thought in a fence is no answer": ("```\nThought: a bird, then\n```\nI am thinking.", {"no_step"}),
    "N4 an example in a fence is none": (
        "So it looks:\n```\nAction: find_bird\nAction Input: osprey\n```\nThat is all.",
        "So it looks:\n```\nAction: find_bird\nAction Input: osprey\n```\nThat is all."),
    "N4 a dangling fence behind a bare input": ("Action: find_bird\nAction Input: osprey\n```", BIRD),
    "N4 the fence of an input's own part": (
        "Action: run_lua\nAction Input: print(1)\n```\nx\n```", [("run_lua", {"code": "print(1)\n```\nx\n```"})]),
    "N4 a dangling fence": ("Final Answer: An osprey.\n```", "An osprey."),
    "N4 a fence of the answer's own": ("Final Answer:\n```lua\nprint(1)\n```", "```lua\nprint(1)\n```"),
}

THINK = {
    "T1 a draft is not run": ("<think>\nAction: ring_bell\n</think>\nAction: find_bird\nAction Input: osprey", BIRD),
    "T1 several blocks, any case": ("<think>a</think>\n<THINKING>b</THINKING>\nFinal Answer: c", "c"),
    "T1 only the closing tag": ("It wants a bird, so\nAction: ring_bell\nmaybe.\n</think>\n\nAction: find_bird\nAction Input: osprey", BIRD),
    "T1 Kimi's": ("◁think▷a bird◁/think▷An osprey.", "An osprey."),
    "T1 a fence": ("```vis-thinking\nAction: ring_bell\n```\nAction: find_bird\nAction Input: osprey", BIRD),
    "T1 Harmony": ("<|channel|>analysis<|message|>a bird<|end|><|start|>assistant<|channel|>final<|message|>An osprey.<|return|>", "An osprey."),
    "T1 Harmony, a message without a channel": ("<|channel|>analysis<|message|>a bird<|end|><|start|>assistantAn osprey.", "An osprey."),
    "T1 Harmony, a step without a channel": (
        "<|channel|>analysis<|message|>a bird<|end|><|start|>assistant\nAction: find_bird\nAction Input: osprey", BIRD),
    "T1 Harmony, a header that breaks off": ("<|channel|>analysis<|message|>a bird<|end|><|start|>assistant to=functions.find", {"truncated"}),
    "T1 behind an answer on its line": ("Final Answer: An osprey.<think>It is one.</think>", "An osprey."),
    "T1 within an answer": ("Final Answer: An <think>or a kite?</think>osprey.", "An osprey."),
    "T1 in the code of an answer": (
        "Final Answer: So:\n```\n<think>hm</think>\n```\nand on.", "So:\n```\n<think>hm</think>\n```\nand on."),
    "T1 opened in an answer's running text": ("Final Answer: The tag <think> opens it.", "The tag <think> opens it."),
    "T1 JSON that only thinks": ('{"thought": "a bird, then"}', {"no_step"}),
    "T1 the tag as code in an answer": ("Final Answer: It writes `<think>` and `</think>`.", "It writes `<think>` and `</think>`."),
    "T1 the tag in a value": ('Action: run_lua\nAction Input: {"code": "return \\"</think>\\""}', [("run_lua", {"code": 'return "</think>"'})]),
    "T2 a step and nothing else": ("<think>\nThought: look\nAction: find_bird\nAction Input: osprey\n</think>\n", BIRD),
    "T2 an answer and nothing else": ("<think>I know it\nFinal Answer: An osprey.</think>", "An osprey."),
    "T2 never closed": ("<think>look\nAction: find_bird\nAction Input: osprey", BIRD),
    "T2 only thinking": ("<think>It may be an osprey.</think>", {"no_step"}),
    "T2 only thinking, never closed": ("<think>It may be", {"no_step"}),
    "T2 markup inside is not run": ('<think><tool_call>{"name": "ring_bell", "arguments": {}}</tool_call></think>', {"no_step"}),
}

LABELS = {
    "L1 bold": ("**Thought:** hm\n\n**Action:** `find_bird`\n**Action Input:** osprey", BIRD),
    "L1 bold over the line": ("**Action: find_bird**\n**Action Input: osprey**", BIRD),
    "L1 headings without colons": ("### Thought\nhm\n### Action\nfind_bird\n### Action Input\nosprey", BIRD),
    "L1 numbers": ("Thought 3: hm\nAction 3: find_bird\nAction Input 3: osprey", BIRD),
    "L1 list marks": ("- Thought: hm\n- Action: find_bird\n- Action Input: osprey", BIRD),
    "L1 numbering": ("1. 行动：find_bird\n2. 行动输入：osprey", BIRD),
    "L1 lower case": ("thought: hm\naction: find_bird\naction_input: osprey", BIRD),
    "L1 upper case": ("THOUGHT: hm\nACTION: find_bird\nACTION INPUT: osprey", BIRD),
    "L1 square brackets": ("【思考】看看\n【行动】find_bird\n【行动输入】osprey", BIRD),
    "L1 doubled": ("Thought: Thought: hm\nAction: Action 1: find_bird\nAction Input: Action Input: osprey", BIRD),
    "L1 last answer": ("思考：够了\n最后的回应：是鹗。", "是鹗。"),
    "L1 traditional Chinese": ("思考：看看\n行動：find_bird\n行動輸入：osprey\n觀察：魚鷹", BIRD),
    "L1 bold answer": ("**Final Answer:** **Osprey**, of course.", "**Osprey**, of course."),
    "L1 answer bold to its end": ("**Final Answer: Osprey**", "Osprey"),
    "L2 in the thought's text": ("Thought: the Action: ring_bell is too loud\nAction: find_bird\nAction Input: osprey", BIRD),
    "L2 in a string": ('Action: run_lua\nAction Input: {"code": "Action: ring_bell\\nObservation: x"}', [("run_lua", {"code": "Action: ring_bell\nObservation: x"})]),
    "L2 in a string with raw lines": ('Action: run_lua\nAction Input: {"code": "-- a\nAction: ring_bell\n"}', [("run_lua", {"code": "-- a\nAction: ring_bell\n"})]),
    "L2 in the input's fence": ("Action: run_lua\nAction Input:\n```\nAction: ring_bell\nObservation: x\n```", [("run_lua", {"code": "Action: ring_bell\nObservation: x"})]),
    "L2 all on one line": ("Thought: I look. Action: find_bird Action Input: osprey", BIRD),
    "L2 all on one line, unknown": ("Thought: I look. Action: fish Action Input: osprey", {"no_step"}),
    "L2 all on one line, in a draft": ("<think>Action: ring_bell Action Input: x</think>\nFinal Answer: no", "no"),
    "L2 all on one line, in a sample": (
        "Like\n```\nThought: a Action: ring_bell Action Input: x\n```\nor so.",
        "Like\n```\nThought: a Action: ring_bell Action Input: x\n```\nor so.",
    ),
    "L3 invented labels": ("Action Reason: none\nAction: find_bird\nAction Intention: look\nAction Input: osprey", BIRD),
    "L3 an invented label ends bare text": ("Action: find_bird\nAction Input: osprey\nOutput Files: none", BIRD),
    "L4 no thought": ("Action: find_bird\nAction Input: osprey", BIRD),
    "an input without an action": ("Thought: hm\nAction Input: osprey", {"no_tool"}),
    "an action without a name": ("Action:\nAction Input: osprey", {"no_tool", "unknown_tool"}),
}

CUTS = {
    "C1 everything after": ("Action: find_bird\nAction Input: osprey\nObservation: 60 cm\nThought: so\nFinal Answer: 60 cm", BIRD),
    "C1 numbered, heading": ("Action: find_bird\nAction Input: osprey\n## Observation 1:\n60 cm", BIRD),
    "C1 a tag": ("Action: find_bird\nAction Input: osprey\n<observation>60 cm</observation>", BIRD),
    "C1 on the same line": ("Action 1: find_bird[osprey] Observation 1: 60 cm", BIRD),
    "C1 on the line of the input": ("Action: find_bird\nAction Input: osprey Observation: 60 cm", BIRD),
    "C1 Chinese": ("行动：find_bird\n行动输入：osprey\n观察：60 厘米\n最终答案：60 厘米", BIRD),
    **{
        f"C4 {mark!r} in an observation that is repeated": (f"Observation: it says {mark}\nThought: no\nFinal Answer: An osprey.", "An osprey.")
        for mark in FOREIGN
    },
    "C4 nothing but an observation with a call in it": ('Observation: <tool_call>{"name": "ring_bell", "arguments": {}}</tool_call>', {"no_step"}),
    "C4 a call behind the observation": ('Observation: rain\n<tool_call>{"name": "ring_bell", "arguments": {}}</tool_call>', [("ring_bell", {})]),
    "C2 residue of a stop word": ("Action: find_bird\nAction Input: osprey\nObserv", BIRD),
    "C2 residue before the observation": ("Action: find_bird\nAction Input: osprey\nObserv\nObservation: 60 cm", BIRD),
    "C2 residue, Chinese": ("行动：find_bird\n行动输入：osprey\n观察", BIRD),
    "C2 two letters are no residue": ("Action: run_lua\nAction Input: a =\nOb", [("run_lua", {"code": "a =\nOb"})]),
    "C3 JSON ends at its bracket": ('Action: find_bird\nAction Input: {"bird": "osprey"}\n\nI used {name} here.', BIRD),
    "C3 log lines": ("Action: find_bird\nAction Input: {'bird': 'osprey'}\nTool Name: find_bird\nObservation: x", BIRD),
    "C3 bare text ends at a label": ("Action: find_bird\nAction Input: osprey\n\nThought: I wait.", BIRD),
    "C3 bare text of several lines": ("Action: run_lua\nAction Input: a = 1\nprint(a)", [("run_lua", {"code": "a = 1\nprint(a)"})]),
    "C3 a quoted value, then prose": ('Action: find_bird\nAction Input: "osprey"\n\nI will wait now.', BIRD),
    "N3 the speaker's name in front": ("Assistant: It is an osprey.", "It is an osprey."),
    "N3 the speaker's name in front, Chinese": ("助手：\n这是鹗。", "这是鹗。"),
    "N3 the speaker's name before a step": ("ASSISTANT: Thought: I look.\nAction: find_bird[osprey]", BIRD),
    "N3 the speaker's name before an action": ("Assistant: Action: find_bird[osprey]", BIRD),
    "N3 the speaker's name before JSON": ('### Assistant:\n{"action": "find_bird", "action_input": "osprey"}', BIRD),
    "N3 the speaker's name before markup": ('Assistant: <tool_call>{"name": "ring_bell", "arguments": {}}</tool_call>', [("ring_bell", {})]),
    "N3 nothing but the speaker's name": ("Assistant:", {"empty"}),
    "N3 a dialogue": ("Assistant: Who is there?\nUser: An osprey.", "Assistant: Who is there?\nUser: An osprey."),
    "N3 a name within an answer": ("Final Answer: Assistant: a play", "Assistant: a play"),
    "C4 an observation before any action": ("Observation: I can ring.\nAction: find_bird\nAction Input: osprey", BIRD),
}


@pytest.mark.parametrize(("text", "meaning"), [pytest.param(*case, id=key) for part in (NORMALISE, THINK, LABELS, CUTS) for key, case in part.items()])
def test_reads(means, text, meaning):
    got = means(text)
    assert (got <= meaning) if isinstance(meaning, set) and isinstance(got, set) else (got == meaning)
