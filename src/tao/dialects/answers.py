"""Where a labelled answer ends, and what a reply without any label means."""

import re

from tao.dialects.clean import SPACE, TURN, undangled, untoken
from tao.dialects.labels import STRONG, Label, fences, label_at, outside_fences
from tao.dialects.later import later
from tao.dialects.leaks import leak_at, seek
from tao.dialects.names import Tools, is_finish
from tao.dialects.thoughts import OPEN

_ANNOUNCE = later(
    r"(?:\bI(?:'ll| will| can| should| need to| am going to|'m going to| must| would| want to| have to)\b|\blet me\b"
    r"|\blet's\b|\bI plan to\b|^\W{0,4}(?:now\s)?(?:calling|invoking)\b|正在(?:使用|调用)"
    r"|我(?:将|会|要|需要|应该|可以|打算|得|先|来)|让我|接下来|现在(?:我)?(?:将|要|来)?|需要(?:先)?(?:使用|调用)|首先)",
    re.IGNORECASE,
)
_USING = later(
    r"\b(?:use|using|call|calling|invoke|run|search|query|look|check|fetch|get|try|consult)\w{0,3}\b|使用|调用|查询|搜索|用|运行|查",
    re.IGNORECASE,
)
_SENTENCE = later(r"(?<=[.!?。！？\n])\s*")
NO_TOOL = later(
    r"(?:do(?:es)? (?:I|we) need (?:to use )?(?:a|any|the)? ?tools?\??|need(?:ed)? (?:to use )?a? ?tools?\?|是?否?(?:需要"
    r"|要)(?:使用|调用|用)?(?:任何)?工具(?:吗|么)?[?？]?)"
    r"[ \t*]*[:：]?[ \t*]*(?:no\b|否|不(?:需要|用|必)?|无需|没有必要)[ \t]*[.。!！,，*]*(?P<same>[^\n]*)",
    re.IGNORECASE,
)
ASKS = later(r"\s*(?:do(?:es)? (?:I|we) need\b|我?们?(?:是否)?(?:需要|要)[^\n]{0,6}工具)", re.IGNORECASE)
"""The beginning of a reply that asks itself whether it needs a tool."""
_SPEAKER = later(r"\s*\**(?:AI|Assistant|助手|回复|回答|Response)\**[ \t]*[:：][ \t]*", re.IGNORECASE)


_THINK = later(rf"\n[ \t]*(?:{OPEN.pattern})", re.IGNORECASE)


def answer_end(text: str, start: int, tools: Tools, first: Label) -> int:
    """Where the answer that begins at `start` ends: at a new cycle (P3), at a turn token, or with the text.

    A new cycle is a line-start action of a known tool with its input, or a Thought, Question or Observation from which a
    complete step or another final answer follows. Nothing in a code fence begins one.
    """
    end = min(turn_end(text, start), _markup(text, start, tools), _thinking(text, start))
    opening: int | None = None
    for label in outside_fences(text, start):
        if label.start >= end:
            break
        if (label.kind == "final" and same_strength(label, first)) or (label.kind == "action" and _step(text, label, tools)):
            return label.start if opening is None else opening
        if label.kind in {"thought", "question", "observation"} and opening is None:
            opening = label.start
    return end


def _thinking(text: str, start: int) -> int:
    """Where a block of thinking begins on a line of its own, outside fences; the end where none does."""
    found = _THINK.search(text, start) if "hink" in text or "HINK" in text or "thought" in text else None
    if found is None:
        return len(text)
    code = fences(text, start)
    while found is not None:
        place = found.start()
        end = next((b for a, b in code if a <= place < b), None)
        if end is None:
            return place
        found = _THINK.search(text, end)
    return len(text)


def turn_end(text: str, start: int) -> int:
    """Where the next turn begins, made up by the model, outside fences; the end where none does."""
    turn = TURN.search(text, start) if "<" in text else None
    if turn is None or any(a <= turn.start() < b for a, b in fences(text, start)):
        return len(text)
    return turn.start()


def _markup(text: str, start: int, tools: Tools) -> int:
    """Where native call markup begins behind an answer, on its own line or as its end; within running text it is an example."""
    at = start
    if "<" not in text and "[" not in text and "✿" not in text:
        return len(text)
    for _ in range(16):
        place = seek(text, at)
        if place is None:
            break
        at = place + 1
        if text[place] not in "<[✿" or text[place - 1] == "`" or any(a <= place < b for a, b in fences(text, start)):
            continue
        leak = leak_at(text, place, tools)
        line = text[text.rfind("\n", start, place) + 1 : place]
        if leak and (not line.strip(SPACE) or not text[leak.end :].strip(SPACE)):
            return place
    return len(text)


def same_strength(label: Label, first: Label) -> bool:
    """`Answer:` is a word of answers too: it counts only where the answer itself was labelled so."""
    return bool(STRONG.match(label.word)) or not STRONG.match(first.word)


def step_begins(text: str, action: Label, tools: Tools) -> bool:
    """Whether an action label names a known tool on its line; `_step` also wants the input."""
    name = _name(_first_line(text, action))
    return bool(name) and (tools.resolve(name) is not None or is_finish(name, tools))


def _first_line(text: str, action: Label) -> str:
    end = text.find("\n", action.value)
    return text[action.value : len(text) if end < 0 else end].strip(SPACE)


def _name(line: str) -> str:
    return re.split(r"[\[(（［{]|(?i:\baction[ _]?input)", line, maxsplit=1)[0]


def _step(text: str, action: Label, tools: Tools) -> bool:
    """Whether an action label begins a complete step: a known tool's name, with its input."""
    if not step_begins(text, action, tools):
        return False
    line = _first_line(text, action)
    if len(_name(line)) < len(line):
        return True
    end = text.find("\n", action.value)
    while end >= 0:
        begin = end + 1
        if label := label_at(text, begin):
            return label.kind == "input"
        end = text.find("\n", begin)
        if line := text[begin : len(text) if end < 0 else end].strip(SPACE):
            return line[0] == "{"
    return False


def tidy(answer: str, *, bold: bool = False) -> str:
    """An answer without leaked turn tokens, a dangling closing fence, or the bold mark of its label."""
    answer = undangled(untoken(answer))
    for mark in ("**", "__"):
        if bold and answer.endswith(mark) and answer.count(mark) % 2:
            answer = answer[:-2].rstrip(SPACE)
    return untoken(answer)


def announces(text: str, tools: Tools) -> bool:
    """Whether prose does nothing but announce the use of a tool; a question to the user is none."""
    text = text.strip(SPACE)
    if len(text) > 600 or text.endswith(("?", "？")):
        return False
    sentences = [part for part in _SENTENCE.split(text) if part.strip()]
    last = sentences[-1] if sentences else text
    if not (found := _ANNOUNCE.search(last)):
        return False
    lower = last.lower()
    named = any(spec.name.lower() in lower for spec in tools.specs) or re.search(r"\btools?\b|工具", lower)
    return bool(named and _USING.search(last, found.start()))


def no_tool_answer(thought: str, *, alone: bool = False) -> str | None:
    """The text behind `Do I need to use a tool? No`, without `AI:`; None where the thought does not say so.

    `alone`: the label of the thought is missing, so it must begin with the question, and the line end with the No.
    """
    found = NO_TOOL.search(thought) if "tool" in thought.lower() or "工具" in thought else None
    if found is None or (alone and (not ASKS.match(thought) or thought.find("\n", 0, found.start()) >= 0 or found["same"].strip(SPACE))):
        return None
    return _SPEAKER.sub("", thought[found.end() :], count=1).strip(SPACE)
