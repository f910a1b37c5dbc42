"""Where a string of damaged JSON ends, though quotes may stand in it that nobody escaped.

A quote ends its string where what follows reads on as JSON. Where two readings are left, there is none.
"""

import re
from dataclasses import dataclass
from itertools import islice

from tao.dialects.clean import ZERO_WIDTH
from tao.dialects.later import later

MAX_INNER = 64
"""So many quotes that nobody escaped may stand in one string."""
MAX_QUOTES = 2000
"""So many quotes and escapes of one string are looked at."""
QUOTES = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’", "`": "`"}
"""What closes a string that is opened by it."""
FOLD = {";": ",", "；": ",", "｛": "{", "｝": "}", "［": "[", "］": "]", "（": "(", "）": ")", "，": ",", "：": ":", "＝": "=", "、": ","}
"""Structure in full width, and what stands for a comma."""
SPACES = later(rf"[\s{ZERO_WIDTH}]*+")
_NEXT_KEY = later(
    r"(?:\\?[\"'“`‘][^\"'“”`\n\\{}\[\],:]{1,80}\\?[\"'”`’]|[A-Za-z_\u4e00-\u9fff][\w.\-]{0,60}+)[\s]{0,40}+(?:[:：=])"
)
_CUT_KEY = later(r"(?:\\?[\"'“`‘])?[^\"'“”\n:,{}\[\]]{0,80}(?:\\?[\"'”])?\s{0,20}$")
_KEYLESS = later(r"\s{0,20}\"[^\"\n\\]{0,80}\"\s{0,20}(?:\}|,\s{0,20}\"[^\"\n\\]{1,80}\"\s{0,9}:)")
"""A value that stands where a key should: what the writer meant cannot be told."""
_JOINED = later(r"\s{1,9}[+%]\s{0,9}[\"'(\w]|\+\s{0,9}[\"']|\.\w{1,20}\(")
_MARKS = {
    "escaped": later(r'\\+"'),
    '"': later(r'[“”"]|(?:\\.)++', re.DOTALL),
    **{quote: later(rf"{quote}|(?:\\.)++", re.DOTALL) for quote in ("'", "’", "`")},
}
_MARKS["”"] = _MARKS['"']
_LATER = later(r"\"\s*+[,}\]]")


@dataclass(frozen=True, slots=True)
class Around:
    """What a string stands in: the bracket that encloses it ("" for none), and whether a call's parenthesis is open."""

    bracket: str
    calling: bool = False


def closing_quote(text: str, begin: int, quote: str, around: Around, *, escaped: bool) -> tuple[int | None, int]:
    """Where the string that began at `begin` ends, or None; and how many quotes inside it nobody escaped."""
    close = QUOTES[quote]
    inner, odd, curled = 0, 0, 0
    marks = _MARKS["escaped" if escaped else close]
    for found in islice(marks.finditer(text, begin), MAX_QUOTES):
        at, char = found.start(), found[0]
        if char[0] == "\\" and not (escaped and char == '\\"'):
            continue
        if char == "“" or (char == "”" and quote == '"' and curled):
            curled += 1 if char == "“" else -1
            continue
        ends = _ends(text, found.end(), around)
        if ends == "yes":
            unsure = odd % 2 and close == '"' and _LATER.search(text, found.end())
            return (None if unsure else at), inner
        inner += 1
        odd += not _is_mark(text, at)
        if ends == "" or inner > MAX_INNER:
            break
    return None, inner


def _ends(text: str, at: int, around: Around) -> str:
    """Whether a quote with this behind it ends its string: "yes", "no", or "" where the text means nothing either way."""
    space = SPACES.match(text, at)
    after = space.end() if space else at
    char = FOLD.get(text[after : after + 1], text[after : after + 1])
    if char == "" or around.bracket == "":
        return "yes"
    if char in "}])":
        quoted = text[after + 1 : after + 2] in {'"', "'", "”"}
        return "no" if quoted or (char == ")" and not around.calling) else "yes"
    if char == ",":
        if around.bracket == "{" and _KEYLESS.match(text, after + 1):
            return ""
        return "yes" if _goes_on(text, after + 1, around) else "no"
    if _JOINED.match(text, at):
        return ""
    if text.startswith(("/*", "//", "# "), after):
        return "yes"
    if after == at and char not in "\"'“":
        return "no"
    if around.bracket == "[":
        return "yes" if char in "\"'“" and after > at else "no"
    return "yes" if _NEXT_KEY.match(text, after) else "no"


def _goes_on(text: str, at: int, around: Around) -> bool:
    """Whether another member begins behind a comma."""
    space = SPACES.match(text, at)
    after = space.end() if space else at
    if after >= len(text) or text.startswith(("/*", "//", "# ", "}", "]", ")", ","), after) or _CUT_KEY.match(text, after):
        return True
    if around.bracket == "{":
        return bool(_NEXT_KEY.match(text, after))
    return text[after] in "\"'“{[(-0123456789TFNtfn｛［" or bool(_NEXT_KEY.match(text, after))


def _is_mark(text: str, at: int) -> bool:
    """An inch mark behind a number, or an apostrophe between letters: not one half of a pair."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return (before.isdigit() and text[at] == '"' and not after.isdigit()) or (text[at] == "'" and before.isalnum())
