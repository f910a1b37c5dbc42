"""Coverage-guided fuzzing of the readers (atheris).

    .venv/bin/python tests/fuzz/fuzz_reading.py -runs=100000 -max_len=600 [folder with inputs]

Every input must be read without an exception, call known tools only, and be heard as it is read. Half of the inputs are
taken as text, half as a row of pieces that replies are made of.
"""

import json
import sys

import atheris

with atheris.instrument_imports(include=["tao.dialects"]):
    from tao.dialects.listen import Listening
    from tao.dialects.read import read, read_calls
    from tao.dialects.repair import Read, read_json
    from tao.dialects.wording import REASONS
    from tao.events import Decided
    from tao.messages import ToolCall
    from tao.testing import spec

TOOLS = (spec("find", "", what="string"), spec("book", "", port="string", people="integer"), spec("ring"), spec("查", "", 词="string"))
NAMES = {tool.name for tool in TOOLS}
PIECES = (
    "Thought: ", "思考：", "Action: find", "Action: ring", "Action: book", "行动：查", "Action Input: ", "行动输入：", '{"what": "x"}', "\n", "\n\n", " ",
    "Observation: 1", "Final Answer: ", "最终答案：", "Answer: 2", "```", "```json\n", "~~~", "<think>", "</think>", "<tool_call>", "</tool_call>",
    '{"name": "find", "arguments": {"what": "x"}}', '{"action": "find", "action_input": "x"}', "find[x]", "find(what='x')", "[", "]", "{", "}", "(", ")",
    '"', "'", "\\", "[TOOL_CALLS]", "[ARGS]", "<|im_end|>", "</s>", "<function=find>", "<parameter=what>", "</parameter>", "</function>", "**", "`",
    "Question: q", "- a", "1. b", "| c | d |", "I will use find.", "\u200b", "\r\n", "✿FUNCTION✿: find", "✿ARGS✿: ", "[find(what='a')]", "# ", ":", "，",
    "Action: find Action Input: x", "Action: None", "Finish[done]", "<b>", ">>>find\n", ">>>all\n", "<|channel|>", "final", "commentary to=functions.find ", "<|message|>", "<|call|>",
    "Do I need to use a tool? No", "AI: hi", "<answer>", "</answer>", '<invoke name="find">', '<parameter name="what">', "<arg_key>what</arg_key>",
    "<arg_value>x</arg_value>", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "find", "what", "=", "x", "True", "None", "1", ",",
    "<|python_tag|>", "tool_call(", "print(", "<find>", "<what>", "</what>", "</find>", "“", "”", "：", "<|tool_call_begin|>functions.find:0",
)  # fmt: skip


def text_of(data: bytes) -> str:
    """The input as a reply."""
    if data[:1] < b"\x80":
        return data[1:].decode("utf-8", "surrogatepass" if data[:1] < b"\x08" else "replace")
    return "".join(PIECES[byte % len(PIECES)] for byte in data[1:])


def one_input(data: bytes) -> None:
    """Read one reply in every way."""
    try:
        text = text_of(data)
    except UnicodeDecodeError:
        return
    reading = read(text, TOOLS)
    if isinstance(reading, Decided):
        assert (reading.answer is None) == bool(reading.calls)
        assert all(call.tool in NAMES for call in reading.calls)
        json.dumps([dict(call.args) for call in reading.calls])
    else:
        assert reading.reason in REASONS
        assert reading.detail
    heard(text, reading, 1 + len(data) % 23)
    read_calls([ToolCall("find", text, None)], "", TOOLS)
    found = read_json(text)
    assert not isinstance(found, Read) or found.end <= len(text)


def heard(text: str, reading: object, size: int) -> None:
    """What is told while the reply comes in must be what is read; a stray closing think tag alone may turn it over."""
    listening = Listening(TOOLS)
    said = [delta for at in range(0, len(text), size) for delta in listening.feed(text[at : at + size])] + listening.close()
    told = "".join(delta.text for delta in said if delta.kind == "answer")
    answer = reading.answer if isinstance(reading, Decided) else None
    if not listening.stop and "think" not in text and "reason" not in text and "thought" not in text.lower().replace("thought:", ""):
        assert told == (answer or ""), (told, answer)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
