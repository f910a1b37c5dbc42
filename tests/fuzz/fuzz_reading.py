"""Fuzzing of the readers, guided by coverage (atheris) or plainly at random, which is faster and for bulk.

    .venv/bin/python tests/fuzz/fuzz_reading.py -runs=100000 -max_len=200 [folder with inputs]
    .venv/bin/python tests/fuzz/fuzz_reading.py --plain 900000 [--seed 1]

Every input must be read without an exception, call known tools only, and (each eighth) be heard as it is read. Inputs are text,
a row of pieces that replies are made of, or, plainly, cases of the corpus that were cut, doubled, crossed and spoilt.
"""

import argparse
import contextlib
import json
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

PLAIN = "--plain" in sys.argv
if PLAIN:
    guided: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
else:
    import atheris

    guided = atheris.instrument_imports(include=["tao.dialects"])

with guided:
    from tao.dialects.listen import Listening
    from tao.dialects.read import read, read_calls
    from tao.dialects.repair import Read, read_json
    from tao.dialects.wording import REASONS
    from tao.evaluation.corpus import load_cases
    from tao.events import Decided
    from tao.messages import ToolCall, ToolSpec
    from tao.testing import spec

TOOLS = (spec("find", "", what="string"), spec("book", "", port="string", people="integer"), spec("ring"), spec("查", "", 词="string"))
HEAR = 8
"""Each so many-th input is heard in pieces too, which costs more than all the rest."""
PIECES = (
    "Thought: ", "思考：", "Action: find", "Action: ring", "Action: book", "行动：查", "Action Input: ", "行动输入：", '{"what": "x"}', "\n", "\n\n", " ",
    "Observation: 1", "Observation: ", "观察：", "Final Answer: ", "最终答案：", "Answer: 2", "```", "```json\n", "~~~", "<think>", "</think>", "<tool_call>", "</tool_call>",
    '{"name": "find", "arguments": {"what": "x"}}', '{"action": "find", "action_input": "x"}', "find[x]", "find(what='x')", "[", "]", "{", "}", "(", ")",
    '"', "'", "\\", "[TOOL_CALLS]", "[ARGS]", "<|im_end|>", "</s>", "<function=find>", "<parameter=what>", "</parameter>", "</function>", "**", "`",
    "Question: q", "- a", "1. b", "| c | d |", "I will use find.", "\u200b", "\r\n", "✿FUNCTION✿: find", "✿ARGS✿: ", "[find(what='a')]", "# ", ":", "，",
    "Action: find Action Input: x", "Action: None", "Finish[done]", "<b>", ">>>find\n", ">>>all\n", "<|channel|>", "final", "commentary to=functions.find ", "<|message|>", "<|call|>", "<|start|>assistant", "<|end|>",
    "Do I need to use a tool? No", "AI: hi", "<answer>", "</answer>", '<invoke name="find">', '<parameter name="what">', "<arg_key>what</arg_key>",
    "<arg_value>x</arg_value>", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "find", "what", "=", "x", "True", "None", "1", ",",
    "<|python_tag|>", "tool_call(", "print(", "<find>", "<what>", "</what>", "</find>", "“", "”", "：", "<|tool_call_begin|>functions.find:0",
    "analysis", "<tool_name>find</tool_name>", "<arguments>", "</arguments>", "print(find('x'))", "<function(find)>", "｛", "｝",
)  # fmt: skip


def text_of(data: bytes) -> str:
    """The input as a reply."""
    if data[:1] < b"\x80":
        return data[1:].decode("utf-8", "surrogatepass" if data[:1] < b"\x08" else "replace")
    return "".join(PIECES[byte % len(PIECES)] for byte in data[1:])


def one_input(data: bytes) -> None:
    """Read one input in every way."""
    try:
        text = text_of(data)
    except UnicodeDecodeError:
        return
    check(text, TOOLS, len(data) % 23 + 1 if sum(data[-4:]) % HEAR == 0 else 0)


def check(text: str, tools: Sequence[ToolSpec], size: int) -> None:
    """Read one reply in every way; with a `size` it is also heard in pieces of that many characters."""
    reading = read(text, tools)
    if isinstance(reading, Decided):
        assert (reading.answer is None) == bool(reading.calls)
        assert {call.tool for call in reading.calls} <= {tool.name for tool in tools}
        json.dumps([dict(call.args) for call in reading.calls])
    else:
        assert reading.reason in REASONS
        assert reading.detail
    if size:
        heard(text, tools, reading, size)
        read_calls([ToolCall(tools[0].name if tools else "find", text, None)], "", tools)
        found = read_json(text)
        assert not isinstance(found, Read) or found.end <= len(text)


def heard(text: str, tools: Sequence[ToolSpec], reading: object, size: int) -> None:
    """What is told while the reply comes in must be what is read; a stray closing think tag alone may turn it over."""
    listening = Listening(tools)
    said = [delta for at in range(0, len(text), size) for delta in listening.feed(text[at : at + size])] + listening.close()
    told = "".join(delta.text for delta in said if delta.kind == "answer")
    answer = reading.answer if isinstance(reading, Decided) else None
    if not listening.stop and "think" not in text and "reason" not in text and "thought" not in text.lower().replace("thought:", ""):
        assert told == (answer or ""), (told, answer)


# ── plainly at random ─────────────────────────────────────────────────────────

CASES = load_cases(Path(__file__).parents[2] / "corpus" / "cases.jsonl") if PLAIN else []
LETTERS = "aé你{}[]()<>|:：,\"'`*\n\\ \u200b“”，\ud800😀\r=#/"


def made(rng: random.Random) -> tuple[str, Sequence[ToolSpec]]:
    """An input: a third each of text, of pieces, and of spoilt cases; these with their own tools."""
    kind = rng.random()
    if kind < 1 / 3:
        return "".join(rng.choice(PIECES) for _ in range(rng.randrange(14))), TOOLS
    if kind < 0.4:
        return "".join(rng.choice(LETTERS) for _ in range(rng.randrange(40))), TOOLS
    case, other = rng.choice(CASES), rng.choice(CASES)
    text = case.text[:600]
    for _ in range(rng.randrange(1, 5)):
        at, to = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        match rng.randrange(6):
            case 0:
                text = text[:at] + text[min(to, at + 12) :]
            case 1:
                text = text[:at]
            case 2:
                text = text[:at] + rng.choice(PIECES) + text[at:]
            case 3:
                text = text[:at] + rng.choice(LETTERS) + text[at + 1 :]
            case 4:
                text = text[:at] + other.text[rng.randrange(len(other.text) + 1) :][:200]
            case _:
                text = text[:to] + text[at:to] + text[to:]
    return text, case.tools


def tell(line: str) -> None:
    """A line for whoever waits."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def plainly(count: int, seed: int) -> int:
    """Read so many random inputs; tell each kind of failure once, and how many inputs were read. Returns the failures."""
    rng = random.Random(seed)
    failures: Counter[str] = Counter()
    begun = time.process_time()
    for number in range(1, count + 1):
        text, tools = made(rng)
        try:
            check(text, tools, rng.randrange(1, 24) if number % HEAR == 0 else 0)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
            failures[kind] += 1
            if failures[kind] <= EACH:
                tell(f"{kind}: {error}\n  {text!r}\n  {[tool.name for tool in tools]}")
        if number % 50_000 == 0 or number == count:
            rate = number / (time.process_time() - begun)
            tell(f"{number} inputs read, {rate:.0f} a second, {sum(failures.values())} failures")
    tell(str(dict(failures) or "no failure"))
    return sum(failures.values())


EACH = 3
"""So many examples of one kind of failure are shown."""


if __name__ == "__main__":
    if PLAIN:
        parser = argparse.ArgumentParser()
        parser.add_argument("--plain", type=int, required=True, metavar="COUNT")
        parser.add_argument("--seed", type=int, default=1)
        options = parser.parse_args()
        sys.exit(min(plainly(options.plain, options.seed), 1))
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
