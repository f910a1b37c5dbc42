"""What must be held back of a growing reply, because what comes next may change what it is."""


from tao.dialects.clean import SPACE
from tao.dialects.labels import LABEL_LINE, MARKS, Label, label_at
from tao.dialects.later import later

_STARTS = (
    "acti", "answ", "fina", "thou", "thin", "obse", "ques", "最终", "最后", "答案", "回答", "行动", "动作", "思考", "想法", "观察", "用户", "问题",
    "最終", "最後", "行動", "動作", "觀察", "観察", "用戶", "問題",
)  # fmt: skip
_LABEL_LINE = later(LABEL_LINE)
_REST = later(rf"[{MARKS}]*+")
LONGEST_LABEL = 40
_MARKUP = (
    "tool", "function", "invoke", "action", "use_", "call_", "execute", "xai:", "seed:", "minimax:", "antml:", "steptml:",
    "longcat", "start_", "end_of_turn", "turn|", "s>", "/s>", "eos>", "bos>", "response", "/response", "think", "/think",
    "thought", "/thought", "reason", "/reason", "reflect", "scratch", "inner_mono", "/seed", "final_answer", "answer",
    "/answer", "observation", "parallel", "search_",
)  # fmt: skip
_SQUARES = ("TOOL", "/INST", "INST", "EOS", "BOS", "THINK", "/THINK", "END_TOOL", "/TOOL", "e~")
_TAG = later(r"<([^\s<>]{0,24})")
_SQUARE = later(r"\[(/?[A-Z_~]{0,16})")


def maybe_label(line: str) -> bool:
    """Whether a line that is not over yet may still turn out to begin with a label."""
    found = _REST.match(line)
    rest = line[found.end() :] if found else line
    if len(line) - len(rest) > 48:
        return False
    if any(start.startswith(rest.lower()) for start in _STARTS):
        return True
    return bool(_LABEL_LINE.match(line)) and len(rest) <= LONGEST_LABEL and not any(mark in rest for mark in ":：")


def settled(text: str, label: Label) -> bool:
    """Whether no further text can make another label of this one: something that is no label stands behind it."""
    rest = text[label.value :].lstrip(SPACE)
    if not rest or not rest.lstrip("*_`#"):
        return False
    first, newline, _ = rest.partition("\n")
    return bool(newline) or not maybe_label(first)


def markup_hold(text: str, start: int, end: int) -> tuple[int, bool]:
    """Where in a piece of text native markup or a leaked token may begin, and whether that is so already.

    `(end, False)` where there is nothing of the kind. "May" is decided once enough of the tag is there.
    """
    at = start
    while at < end:
        angle, square, flower = text.find("<", at, end), text.find("[", at, end), text.find("✿", at, end)
        found = min((place for place in (angle, square, flower) if place >= 0), default=-1)
        if found < 0:
            return end, False
        sure = _is_markup(text, found)
        if sure is not False:
            return found, bool(sure)
        at = found + 1
    return end, False


def _is_markup(text: str, at: int) -> bool | None:
    """True, False, or None where it is too early to say."""
    if text[at] == "✿":
        return True
    if text[at] == "[":
        tag = _SQUARE.match(text, at)
        word = tag[1] if tag else ""
        over = at + 1 + len(word) < len(text)
        if word.startswith(_SQUARES):
            return True
        return None if not over and any(mark.startswith(word) for mark in _SQUARES) else False
    found = _TAG.match(text, at)
    word = found[1].lower() if found else ""
    if word.startswith(("|", "｜")) or any(_begins(text, at, word, mark) for mark in _MARKUP):
        return True
    over = at + 1 + len(word) < len(text)
    return None if not over and any(mark.startswith(word) for mark in _MARKUP) else False


def _begins(text: str, at: int, word: str, mark: str) -> bool:
    """Whether a tag begins with this mark; one that ends with `>` is the whole tag."""
    if not mark.endswith(">"):
        return word.startswith(mark)
    return word == mark[:-1] and text[at + len(mark) : at + len(mark) + 1] in {"", ">"}


def line_label(text: str, at: int) -> Label | bool | None:
    """The label that begins at `at`; None where there is none; False where it is too early to say."""
    end = text.find("\n", at)
    label = label_at(text, at)
    if label is not None:
        return label if settled(text, label) else False
    if end < 0 and maybe_label(text[at:]):
        return False
    return None
