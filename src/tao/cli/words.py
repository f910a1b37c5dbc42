"""The language of the command line, and every text that more than one command says."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise

from wcwidth import width as cells_of

CJK = re.compile("[\u3400-\u9fff]")
WORD = re.compile(r"[A-Za-z]{2,}")
FLAGS = ("--json", "--quiet")
"""Options after which no value of theirs stands."""


def language(argv: Sequence[str], env: Mapping[str, str]) -> str:
    """"zh" or "en": what --lang says, else TAO_LANG, else the locale; a Chinese question is answered in Chinese whatever the locale."""
    asked = [after for option, after in pairwise(argv) if option == "--lang"]
    asked += [option.removeprefix("--lang=") for option in argv if option.startswith("--lang=")]
    said = next(
        (value for value in (*asked, *(env.get(name) for name in ("TAO_LANG", "LC_ALL", "LC_MESSAGES", "LANG"))) if value), ""
    )
    chosen = bool(asked or env.get("TAO_LANG"))
    return "zh" if said.lower().startswith("zh") or (not chosen and _asks_in_chinese(argv)) else "en"


def _asks_in_chinese(argv: Sequence[str]) -> bool:
    """Whether this is `tao ask` with a question in Chinese."""
    said = [word for before, word in pairwise(argv) if not word.startswith("-") and not (before.startswith("--") and before not in FLAGS)]
    return said[:1] == ["ask"] and any(len(CJK.findall(word)) > len(WORD.findall(word)) for word in said[1:])


LANG = language(sys.argv, os.environ)
"""Chosen once, before the first help text is made."""


def say(english: str, chinese: str) -> str:
    """The text in the language of the command line."""
    return chinese if LANG == "zh" else english


def many(count: int, noun: str) -> str:
    """So many of a thing, in English: "1 run", "3 runs"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def mine(text: str) -> str:
    """Of a text that was said in both languages (`tao.errors.both`, line for line), the lines that are read here."""
    lines, kept = text.split("\n"), []
    while lines:
        pair = len(lines) > 1 and len(WORD.findall(lines[0])) >= 2 and len(CJK.findall(lines[1])) > len(CJK.findall(lines[0]))
        kept.append(lines[1 if pair and LANG == "zh" else 0])
        del lines[: 2 if pair else 1]
    return "\n".join(kept)


def packed(parts: Sequence[str], width: int, between: str) -> str:
    """The parts one after the other, in lines of at most so many cells that end between two of them; a part that is longer has a line of its own."""
    lines = list(parts[:1])
    for part in parts[1:]:
        longer = f"{lines[-1]}{between}{part}"
        lines[-1:] = [longer] if cells_of(longer) <= width else [lines[-1], part]
    return "\n".join(lines)


def clock(seconds: float) -> str:
    """A time as 0:05, 12:34 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"


EXITS = say(
    "Exit codes: 0 answered · 1 failed, or the answer does not fit --output · 2 wrong usage or setting · 3 stopped by a limit · 4 waits for a person · "
    "130 interrupted",
    "退出码：0 已回答 · 1 失败，或答案不符合 --output · 2 用法或设置错误 · 3 达到限制而停止 · 4 等待人工处理 · 130 被中断",
)
LABELS = {
    "en": {
        "question": "Question", "thought": "Thought", "action": "Action", "input": "Action Input", "seen": "Observation",
        "answer": "Final Answer", "note": "Note",
    },
    "zh": {
        "question": "问题", "thought": "思考", "action": "行动", "input": "行动输入", "seen": "观察", "answer": "最终答案", "note": "提示",
    },
}  # fmt: skip
"""What the parts of a run are called, in the run's language."""
