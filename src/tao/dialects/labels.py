"""Label words of both languages, and where labels stand in a text.

A label counts at the start of a line, after spaces, list marks, numbering and bold marks, in any case, with or without a
number, with `:` or `：`. A heading that is only the label needs no colon.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tao.dialects.clean import SPACE, ZERO_WIDTH, fence_at, visible
from tao.dialects.later import later

WORDS = {
    "final": r"final[ _\-]{0,2}(?:answer|response)|answer|最[终終](?:答案|回答|答复|答覆|回复|回覆|回应|回應)"
    r"|最[后後]的?(?:回应|回應|回答|答案|回复|回覆)|答案|回答",
    "input": r"action[ _\-]{0,2}(?:inputs?|arg(?:ument)?s|param(?:eter)?s)|(?:行[动動]|[动動]作)的?(?:输入|輸入|参数|參數|入力)",
    "action": r"action|行[动動]|[动動]作",
    "thought": r"thoughts?|thinking|思考(?:[过過]程)?|想法",
    "observation": r"observations?|[观觀観]察(?:[结結]果)?",
    "question": r"question|(?:用户|用戶)?(?:问题|問題)",
}
"""Label words in English and Chinese (simplified and traditional), as patterns."""
_ACTIONS = frozenset(("action", "行动", "行動", "动作", "動作"))
STRONG = later(r"final|最", re.IGNORECASE)
RESIDUE = "observation"

MARKS = rf" \t\xa0\u3000>#*_`\-+•.)\d、（(\[【☀-➿🌀-🫿\ufe0f{ZERO_WIDTH}"
"""What may stand in front of a label on its line, as the inside of a character class."""
_PREFIX = rf"[{MARKS}]{{0,48}}+"
_STARTS = {
    "fi": "final", "an": "final", "最终": "final", "最后": "final", "答案": "final", "回答": "final", "th": "thought", "思考": "thought",
    "想法": "thought", "ob": "observation", "观察": "observation", "觀察": "observation", "観察": "observation", "qu": "question",
    "问题": "question", "問題": "question", "用户": "question", "用戶": "question", "最終": "final", "最後": "final",
}  # fmt: skip
_GAP = rf"[ \t\xa0{ZERO_WIDTH}]"
_NUMBER = rf"(?:{_GAP}{{0,3}}(?:[#(（\[]?\d{{1,3}}[)）\]]?|[一二三四五六七八九十]))?"
LABEL = later(
    rf"(?P<prefix>{_PREFIX})(?P<word>{'|'.join(WORDS.values())}){_NUMBER}{_GAP}{{0,3}}(?P<mid>[*_`\]】）)]{{0,4}}){_GAP}{{0,3}}"
    rf"(?:[:：](?P<after>[*_`]{{0,3}})|(?P<bare>$)|(?P<square>(?<=[】\]])))",
    re.IGNORECASE | re.MULTILINE,
)
"""Matched at the start of a line. Possessive and bounded: linear."""
LABEL_LINE = (
    rf"{_PREFIX}(?:[Aa][Cc][Tt][Ii]|[Aa][Nn][Ss][Ww]|[Ff][Ii][Nn][Aa]|[Tt][Hh][OoIi][UuNn]|[Oo][Bb][Ss][Ee]|[Qq][Uu][Ee][Ss]"
    r"|最[终后終後]|答案|回答|行[动動]|[动動]作|思考|想法|[观觀観]察|用[户戶]|[问問][题題])"
)
_MERGED = {("thought", "action"), ("thought", "final"), ("action", "final")}
_AGAIN = later(LABEL_LINE)
LINE = later(rf"\n(?={LABEL_LINE}|[ \t]*+(?:```|~~~))")
"""A line that may begin with a label or a fence; finds the few lines worth a closer look."""
_LABEL_ONLY = later(rf"\n(?={LABEL_LINE})")
_FENCE_LINE = later(r"\n[ \t]*(?=```|~~~)")
_ACTION = r"[Cc](?<=[Aa][Cc])[Tt][Ii][Oo][Nn]"
_GIVEN = r"(?:[Ii]nputs?|INPUTS?|[Aa]rg(?:ument)?s|[Pp]aram(?:eter)?s)"
_MARKED = r"[ \t]{0,9}\d{0,3}[ \t]{0,9}[*_`]{0,3}[:：][*_`]{0,3}"
_ZH_GIVEN = r"(?:(?<=行)[动動]|(?<=[动動])作)的?(?:输入|輸入|参数|參數|入力)"
MID_INPUT = later(rf"[Aa行动動](?:{_ACTION}[ _\-]{{0,2}}{_GIVEN}|{_ZH_GIVEN}){_MARKED}")
MID_ACTION = later(rf"[Aa行动動](?:{_ACTION}|(?<=行)[动動]|(?<=[动動])作){_MARKED}")
"""The same labels within a line."""
MID_OBSERVATION = later(
    r"(?:(?<=\s)|(?<=[\])}.。\"']))(?:(?:Observation|OBSERVATION)[ \t]*\d{0,3}[ \t]*:|[观觀観]察\d{0,3}[:：]|<observation>)"
)
TAG_OBSERVATION = later(r"(?m)^[ \t]*<observation>", re.IGNORECASE)
JUNK = later(
    r"(?m)^[ \t]*(?:Action (?!Input)[A-Z]\w+|(?:Tool|Output|Function) (?:Name|Arguments|Description|Files|Output|Result"
    r"|Call))[ \t]*[:：]"
)
"""Labels that no form has and that models put between: `Action Reason:`, `Tool Name:`, `Output Files:`."""


MAX_LABELS = 400
"""So many labels and fences are looked at within one value."""
MAX_AGAIN = 3
"""So often a label may stand doubled."""
FAR = 200
"""So much white space may stand before it: a reply that runs on in blanks is looked at again with each of them."""


_VEILED = later(f"[{ZERO_WIDTH}]")


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
    found = _one(text, start)
    if found is None:
        return None
    for _ in range(MAX_AGAIN):
        again = _again(text, found[0], found[1])
        if again is None:
            break
        found = again
    return Label(found[0], start, *found[1:])


def _one(text: str, start: int) -> tuple[str, int, str, bool] | None:
    """One label: its kind, where its value begins, the word, and whether a bold mark was opened and not closed."""
    found = LABEL.match(text, start)
    if found is None:
        return None
    prefix, word, mid, after, bare, square = found.groups()
    after = after or ""
    if square is not None and not ("【" in prefix or prefix.rstrip().endswith("[")):
        return None
    marked = "**" in prefix or "__" in prefix
    if bare is not None and not (prefix.strip(" \t").startswith("#") or (marked and ("**" in mid or "__" in mid))):
        return None
    end = found.end()
    if after and not (set(after) <= set(prefix) and not set(after) & set(mid)):
        end, after = end - len(after), ""
    kind = _STARTS.get(word[:2].lower()) or ("action" if word.lower() in _ACTIONS else "input")
    return kind, end, word, marked and "**" not in mid + after and "__" not in mid + after


def _again(text: str, kind: str, start: int) -> tuple[str, int, str, bool] | None:
    """The same label once more right behind the first, on its line or the next."""
    end = min(len(text), start + FAR)
    while start < end and text[start] in SPACE:
        start += 1
    second = _one(text, start) if _AGAIN.match(text, start) else None
    return second if second and (second[0] == kind or (kind, second[0]) in _MERGED) else None


def unveiled(text: str) -> str:
    """The text with its labels freed of zero-width characters within them; everything else stays."""
    if text.isascii() or not any(char in text for char in ZERO_WIDTH):
        return text
    pieces: list[str] = []
    done = 0
    for found in islice(_VEILED.finditer(text), MAX_LABELS):
        start = text.rfind("\n", max(done, found.start() - 80), found.start()) + 1
        if start >= done and (start or found.start() <= 80):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            pieces += [text[done:start], _unveiled(text[start:end])]
            done = end
    return "".join(pieces) + text[done:]


def _unveiled(line: str) -> str:
    bare = visible(line[:120])
    found = LABEL.match(bare)
    if found is None or LABEL.match(line):
        return line
    end = count = 0
    while count < found.end():
        count += line[end] not in ZERO_WIDTH
        end += 1
    return bare[: found.end()] + line[end:]


def next_label(text: str, start: int, end: int | None = None) -> Label | None:
    """The first label that begins a line at or after `start`; a `start` inside a line looks from the next line on."""
    limit = len(text) if end is None else end
    if (start == 0 or text[start - 1] == "\n") and (label := label_at(text, start)):
        return label
    at = start
    while mark := _LABEL_ONLY.search(text, at, limit):
        at = mark.end()
        if label := label_at(text, at):
            return label
    return None


def outside_fences(text: str, start: int) -> Iterator[Label]:
    """The labels of the lines after `start`, without those in code fences; a fence never closed hides all that follows."""
    at = _past_fence(text, start)
    for _ in range(MAX_LABELS):
        mark = LINE.search(text, at)
        if mark is None:
            return
        line = bare = at = mark.end()
        while text[bare : bare + 1] in {" ", "\t"}:
            bare += 1
        if fence := fence_at(text, bare):
            at = fence[2]
        elif label := label_at(text, line):
            yield label
            at = max(label.value - 1, line)


def _past_fence(text: str, start: int) -> int:
    """Behind a fence that opens where a value begins, on the label's own line."""
    at = start
    while text[at : at + 1] in {" ", "\t"}:
        at += 1
    fence = fence_at(text, at)
    return fence[2] if fence else start


def fences(text: str, start: int) -> list[tuple[int, int]]:
    """The code fences that begin a line after `start`."""
    found: list[tuple[int, int]] = []
    at = _past_fence(text, start)
    if at > start:
        found.append((start, at))
    for _ in range(MAX_LABELS):
        mark = _FENCE_LINE.search(text, at)
        if mark is None:
            return found
        fence = fence_at(text, mark.end())
        at = fence[2] if fence else mark.end()
        if fence:
            found.append((mark.end(), fence[2]))
    return [*found, (at, len(text))]


def first_line_label(text: str, start: int) -> Label | None:
    """The label that the first line with anything on it begins with, where a value begins on a line of its own."""
    at = start
    while at < len(text) and text[at] in SPACE:
        at += 1
    line = text.rfind("\n", start, at) + 1
    return label_at(text, line) if line else None


def residue(text: str) -> str:
    """Without a last line that is the beginning (three letters or more) of a stop word: `Observ`, `观`… ."""
    head, _, tail = text.rpartition("\n")
    word = tail.strip(SPACE).strip("#*").strip().lower()
    if (len(word) >= 3 and RESIDUE.startswith(word)) or word in {"观察", "观察结果"}:
        return head.rstrip(SPACE)
    return text
