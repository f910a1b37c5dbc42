"""What reading a reply costs: the median of usual replies, and the slowest of hostile ones.

    .venv/bin/python benchmarks/reading.py [--rounds 300] [--corpus corpus/cases.jsonl]

Times are of this process's own work (CPU time), so that other work on the machine hardly counts; a hostile reply is read three
times and the best counts. What a plain loop costs is told too, to compare machines.
"""

import argparse
import statistics
import time
from pathlib import Path

from tao.dialects.listen import Listening
from tao.dialects.read import read
from tao.evaluation.corpus import load_cases
from tao.testing import spec

TOOLS = (spec("search", "", query="string"), spec("weather", "", city="string", days="integer"), spec("now"))
USUAL = {
    "a call, ReAct": 'Thought: I should look it up.\nAction: search\nAction Input: {"query": "tallest tree"}',
    "an answer, ReAct": "Thought: I know it now.\nFinal Answer: The tallest tree is a coast redwood of about 116 m.",
    "a call, JSON": 'Thought: the weather\nAction: {"tool": "weather", "args": {"city": "Rome", "days": 3}}',
    "a call, brackets": "思考：先查一下\n行动：search[最高的树]",
    "a call, leaked": '<tool_call>\n{"name": "search", "arguments": {"query": "tallest tree"}}\n</tool_call>',
    "plain prose": "The tallest tree is a coast redwood. It stands in California and is about 116 m tall.",
    "a long thought": "Thought: " + "I have to think about this. " * 20 + "\nAction: search\nAction Input: trees",
}
UNITS = (
    "a", "\n", " ", "a\n", "{", "[", "<", "(", '"', "'", "`", "```\n", '{"', '{"a":', "[{", "Action: ", "\nAction:", "\nThought:", "\nObservation:",
    "\nFinal Answer:", "<tool_call>", "<think>", "</think>", "<|", "<function=", "<parameter=a>", "\\", '\\"', "**", "{{", "，", "“", "\u200b", "search",
    "search(", "a=", "[TOOL_CALLS]", ">>>", "✿FUNCTION✿", "call:", '<invoke name="', "<arg_key>", "<|channel|>", "to=functions.", "//", "/*", "x,", "'s ",
    "{'a': 'it's ", "</s>", "</", "<search>", "tool_call(", "```json\n{", "~~~", "1,", "T", "- ", '{"name": "search"', "Finish[", "Question: a\n", "行动：",
    "你好\n", "<tool_call>{", '"query": "', '"""', "Thought: Do I need to use a tool? ", "Action: search Action Input: ",
    "<think>a</think>", "<|start|>assistant x", "```\nThought: a\n```\n", "\ntool_call(a=1)", "[search(a=1), ", "print(search(",
)  # fmt: skip
LEADS = (
    "", "Action: search\nAction Input: ", "Action: weather\nAction Input: ", "Final Answer: ", "Thought: ", "Action: search[", "Action: search(",
    'Action: {"tool": "search", "args": ', "<tool_call>", "<function=search>\n<parameter=query>", '{"name": "search", "arguments": {"query": "',
    "```\n", "<think>", "Action: finish\nAction Input: ",
)  # fmt: skip
LONG = 100_000


def seconds(text: str) -> float:
    """CPU time of one reading."""
    begun = time.process_time()
    read(text, TOOLS)
    return time.process_time() - begun


def calibration() -> None:
    """What this machine takes for something known."""
    best = 1.0
    for _ in range(5):
        begun, total = time.process_time(), 0
        for number in range(200_000):
            total += number * number
        best = min(best, time.process_time() - begun)
    print(f"{best * 1e3:8.1f} ms  a plain loop of 200 000 rounds, to compare machines")


def usual(rounds: int) -> None:
    every: list[float] = []
    for name, text in USUAL.items():
        times = [seconds(text) for _ in range(rounds)]
        every += times
        print(f"{statistics.median(times) * 1e6:8.0f} µs  {name}")
    print(f"{statistics.median(every) * 1e6:8.0f} µs  median of usual replies")


def hostile() -> None:
    times = sorted(((_least(lead + (unit * (LONG // len(unit) + 1))[:LONG]), lead, unit) for lead in LEADS for unit in UNITS), reverse=True)
    for spent, lead, unit in times[:5]:
        print(f"{spent * 1e3:8.1f} ms  {lead!r} and then {unit!r} again and again")
    print(f"{times[0][0] * 1e3:8.1f} ms  slowest of {len(times)} hostile replies of {LONG // 1000} kB")


def _least(text: str) -> float:
    """The least time of three, where the first was long."""
    first = seconds(text)
    return first if first < 0.01 else min(first, seconds(text), seconds(text))


def corpus(path: Path) -> None:
    cases = load_cases(path)
    times = [seconds(case.text) for case in cases]
    print(f"{statistics.median(times) * 1e6:8.0f} µs  median of {len(cases)} cases of {path}")


def streamed() -> None:
    text = "Thought: I know it.\nFinal Answer: " + "The tree is a coast redwood.\n" * 400
    begun = time.process_time()
    listening = Listening(TOOLS)
    pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
    for piece in pieces:
        listening.feed(piece)
    listening.close()
    print(f"{(time.process_time() - begun) / len(pieces) * 1e6:8.1f} µs  a piece of four characters heard, of {len(pieces)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--corpus", type=Path, default=Path(__file__).parents[1] / "corpus" / "cases.jsonl")
    options = parser.parse_args()
    calibration()
    usual(options.rounds)
    corpus(options.corpus)
    streamed()
    hostile()


if __name__ == "__main__":
    main()
