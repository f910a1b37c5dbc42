"""Label words of both languages, and where labels stand in a text.

A label counts at the start of a line, after spaces, list marks, numbering and bold marks, in any case, with or without a
number, with `:` or `：`. A heading that is only the label needs no colon.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tao.dialects.clean import SPACE, ZERO_WIDTH, fence_at

WORDS = {
    "final": r"final[ _\-]{0,2}(?:answer|response)|answer|最终(?:答案|回答|答复|回复|回应)|最后的?(?:回应|回答|答案|回复)|答案|回答",
    "input": r"action[ _\-]{0,2}(?:inputs?|arg(?:ument)?s|param(?:eter)?s)|(?:行动|动作)(?:的)?(?:输入|参数)",
    "action": r"action|行动|动作",
    "thought": r"thoughts?|thinking|思考(?:过程)?|想法",
    "observation": r"observations?|观察(?:结果)?",
    "question": r"question|(?:用户)?问题",
}
KINDS = tuple(WORDS)
STRONG = re.compile(r"final|最", re.IGNORECASE)
RESIDUE = "observation"

_PREFIX = rf"[ \t\xa0\u3000>#*_`\-+•.)\d、（(\[【☀-➿🌀-🫿\ufe0f{ZERO_WIDTH}]{{0,48}}+"
_NAMES = "|".join(f"(?P<{kind}>{words})" for kind, words in WORDS.items())
_GAP = rf"[ \t\xa0{ZERO_WIDTH}]"
_NUMBER = rf"(?:{_GAP}{{0,3}}(?:[#(（\[]?\d{{1,3}}[)）\]]?|[一二三四五六七八九十]))?"
LABEL = re.compile(
    rf"(?P<prefix>{_PREFIX})(?:{_NAMES}){_NUMBER}{_GAP}{{0,3}}(?P<mid>[*_`\]】）)]{{0,4}}){_GAP}{{0,3}}"
    rf"(?:[:：](?P<after>[*_`]{{0,3}})|(?P<bare>$))",
    re.IGNORECASE | re.MULTILINE,
)
"""Matched at the start of a line. Possessive and bounded: linear."""
LINE = re.compile(rf"\n(?={_PREFIX}(?:{'|'.join(WORDS.values())})|[ \t]*(?:```|~~~))", re.IGNORECASE)
"""A line that may begin with a label or a fence; finds the few lines worth a closer look."""
_FENCE_LINE = re.compile(r"\n[ \t]*(?=```|~~~)")
MID_INPUT = re.compile(rf"(?:{WORDS['input']})[ \t]*\d{{0,3}}[ \t]*[*_`]{{0,3}}[:：][*_`]{{0,3}}", re.IGNORECASE)
MID_ACTION = re.compile(rf"(?:{WORDS['action']})[ \t]*\d{{0,3}}[ \t]*[*_`]{{0,3}}[:：][*_`]{{0,3}}", re.IGNORECASE)
MID_OBSERVATION = re.compile(r"(?:(?<=\s)|(?<=[\])}.。\"']))(?:(?:Observation|OBSERVATION)[ \t]*\d{0,3}[ \t]*:|观察\d{0,3}[:：]|<observation>)")
TAG_OBSERVATION = re.compile(r"(?m)^[ \t]*<observation>", re.IGNORECASE)
JUNK = re.compile(r"(?m)^[ \t]*(?:Action (?!Input)[A-Z]\w+|(?:Tool|Output|Function) (?:Name|Arguments|Description|Files|Output|Result|Call))[ \t]*[:：]")
"""Labels that no form has and that models put between: `Action Reason:`, `Tool Name:`, `Output Files:`."""


MAX_AGAIN = 3
"""So often a label may stand doubled."""


@dataclass(frozen=True, slots=True)
class Label:
    """One label: `start` is where its line begins, `value` where what it labels begins, `word` as written."""

    kind: str
    start: int
    value: int
    word: str
    bold: bool = False


def label_at(text: str, start: int) -> Label | None:
    """The label at the start of a line, if one stands there; a label doubled (`Thought: Thought:`) is one."""
    label = _one(text, start)
    for _ in range(MAX_AGAIN):
        again = _again(text, label) if label else None
        if again is None:
            break
        label = again
    return label


def _one(text: str, start: int) -> Label | None:
    found = LABEL.match(text, start)
    if found is None:
        return None
    kind = next(kind for kind in KINDS if found[kind] is not None)
    prefix, mid, after = found["prefix"], found["mid"], found["after"] or ""
    marked = "**" in prefix or "__" in prefix
    if found["bare"] is not None and not (prefix.strip(" \t").startswith("#") or (marked and ("**" in mid or "__" in mid))):
        return None
    end = found.end()
    if after and not (set(after) <= set(prefix) and not set(after) & set(mid)):
        end, after = end - len(after), ""
    return Label(kind, start, end, found[kind], marked and "**" not in mid + after and "__" not in mid + after)


def _again(text: str, label: Label) -> Label | None:
    """The same label once more right behind the first, on its line or the next."""
    if (label.value and text[label.value - 1] not in ":：*_`") or text[label.value : label.value + 1] == "":
        return None
    start = label.value
    while start < len(text) and text[start] in SPACE:
        start += 1
    second = _one(text, start)
    if second is None:
        return None
    if second.kind == label.kind or (label.kind, second.kind) in {("thought", "action"), ("thought", "final"), ("action", "final")}:
        return Label(second.kind, label.start, second.value, second.word, second.bold)
    return None


def next_label(text: str, start: int, end: int | None = None) -> Label | None:
    """The first label that begins a line at or after `start`; a `start` inside a line looks from the next line on."""
    limit = len(text) if end is None else end
    if (start == 0 or text[start - 1] == "\n") and (label := label_at(text, start)):
        return label
    at = start
    while mark := LINE.search(text, at, limit):
        at = mark.end()
        if label := label_at(text, at):
            return label
    return None


def outside_fences(text: str, start: int) -> Iterator[Label]:
    """The labels of the lines after `start`, without those in code fences; a fence never closed hides all that follows."""
    at = start
    while mark := LINE.search(text, at):
        line = bare = at = mark.end()
        while text[bare : bare + 1] in {" ", "\t"}:
            bare += 1
        if fence := fence_at(text, bare):
            at = fence[2]
        elif label := label_at(text, line):
            yield label
            at = max(label.value - 1, line)


def fences(text: str, start: int) -> list[tuple[int, int]]:
    """The code fences that begin a line after `start`."""
    found: list[tuple[int, int]] = []
    at = start
    while mark := _FENCE_LINE.search(text, at):
        fence = fence_at(text, mark.end())
        at = fence[2] if fence else mark.end()
        if fence:
            found.append((mark.end(), fence[2]))
    return found


def residue(text: str) -> str:
    """Without a last line that is the beginning (three letters or more) of a stop word: `Observ`, `观`… ."""
    head, _, tail = text.rpartition("\n")
    word = tail.strip(SPACE).strip("#*").strip().lower()
    if len(word) >= 3 and RESIDUE.startswith(word):
        return head.rstrip(SPACE)
    return text
