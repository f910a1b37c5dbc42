"""What surrounds a reply and is not part of it: line ends, turn tokens, a fence around the whole, think tags.

Structure only: what stands inside a value is never touched. Every pattern here is anchored or bounded, so the time is
linear in the length of the text.
"""

import re
from functools import cache

from tao.dialects.later import later

ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"
SPACE = " \t\n\r\x0b\x0c\xa0\u3000" + ZERO_WIDTH
"""Stripped from the ends of values and answers."""

HEAD = later(
    r"<\|im_start\|>(?:assistant)?|<\|start_header_id\|>(?:assistant)?(?:<\|end_header_id\|>)?|<\|begin_of_text\|>"
    r"|<\|assistant\|>"
    r"|<\|start\|>assistant(?=<\|channel\|>)|<start_of_turn>(?:model)?|<\|turn>(?:model)?|<s>|<bos>|\[BOS\]|\[/INST\]"
    r"|<｜begin▁of▁sentence｜>|<｜Assistant｜>|<\|START_OF_TURN_TOKEN\|>|<\|CHATBOT_TOKEN\|>|<\|START_RESPONSE\|>"
    r"|<\|im_middle\|>|<\|im_assistant\|>(?:assistant)?|<\|start_of_role\|>(?:assistant)?(?:<\|end_of_role\|>)?|<response>|<\|startofthink\|>"
    r"|<\|(?:im_end|eot_id|eom_id|end|endoftext|end_of_text|end_of_turn|return)\|>|</s>|<eos>|<end_of_turn>"
)
TAIL = later(
    r"<\|/?[A-Za-z][\w .:\-]{0,40}\|>$|<｜/?[A-Za-z][^｜<>\n]{0,40}｜>$|<｜end▁of▁sentence｜>$|</s>$|<eos>$|<bos>$|<end_of_turn>$"
    r"|<turn\|>$"
    r"|<start_of_turn>$|\[EOS\]$|\[/?INST\]$|<\|END_OF_TURN_TOKEN\|>$|<\|END_RESPONSE\|>$|</response>$|\[e~\[$"
)
TURN = later(
    r"<\|im_end\|>[\s]{0,9}<\|im_start\|>|<\|eot_id\|>[\s]{0,9}<\|start_header_id\|>|</s>[\s]{0,9}(?:<s>|\[INST\]|(?:Human"
    r"|User|Assistant|用户|助手)[:：])"
    r"|<end_of_turn>[\s]{0,9}<start_of_turn>|<\|end\|>[\s]{0,9}<\|user\|>|<｜end▁of▁sentence｜>[\s]{0,9}<｜User｜>"
)
SPEAKER = later(r"\s*(?:#{1,4}[ \t])?\**(?:assistant|助手)\**[ \t]{0,3}[:：]\**\s*", re.IGNORECASE)
_SPOKEN = later(r"\n[ \t]*(?:#{1,4}[ \t])?\**(?:human|user|assistant|用户|助手)\**[ \t]{0,3}[:：]", re.IGNORECASE)
MAX_TOKENS = 40
"""So many tokens are stripped at each end."""
FENCE = later(r"(?P<mark>`{3,9}|~{3,9}|` ` `)[ \t]*(?:[\w+#.\-]{0,20}[ \t]*(?P<line>\n)|(?:json|python|py)?[ \t]*(?=[{\[]))")
"""What opens a code fence: on its own line, or directly before JSON."""
STRUCTURE = str.maketrans("：“”，｛｝［］（）＝", ':"",{}[]()=')
"""Full-width punctuation as structure; for labels, action syntax and JSON outside its strings."""


def lines(text: str) -> str:
    """CRLF and CR as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def visible(text: str) -> str:
    """Without zero-width characters; for names and labels only."""
    return text.translate(_GONE) if not text.isascii() else text


_GONE = dict.fromkeys(map(ord, ZERO_WIDTH))


def past_space(text: str, at: int) -> int:
    """Where the next character stands that is no white space, from `at` on."""
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at


def untoken(text: str) -> str:
    """Without the turn tokens that leaked at its head or tail, and without outer white space."""
    text = text.strip(SPACE)
    if not text or (text[0] not in "<[" and text[-1] not in ">]["):
        return text
    for _ in range(MAX_TOKENS):
        found = HEAD.match(text)
        if not found:
            break
        text = text[found.end() :].lstrip(SPACE)
    struck = "<s>" in text
    for _ in range(MAX_TOKENS):
        found = TAIL.search(text, max(0, len(text) - 60))
        if not found or (struck and found[0] == "</s>"):
            break
        text = text[: found.start()].rstrip(SPACE)
    return text


def unspoken(text: str) -> str:
    """Without the speaker's name before it all (`Assistant: …`), unless it is a dialogue."""
    found = SPEAKER.match(text)
    return text if found is None or _SPOKEN.search(text, found.end()) else text[found.end() :]


@cache
def closing_marks(mark: str) -> re.Pattern[str]:
    """What closes a fence that these marks opened: the same on a line of their own."""
    return re.compile(rf"(?:^|\n)[ \t]*{re.escape(mark)}(?![\w{mark[0]}])")


def fence_at(text: str, start: int) -> tuple[int, int, int] | None:
    """The code fence that opens at `start`: where its content begins and ends, and where it ends itself.

    A fence that is never closed reaches to the end of the text; None where no fence opens here.
    """
    opened = FENCE.match(text, start)
    if opened is None:
        return None
    begin, mark = opened.end(), opened["mark"]
    closed = closing_marks(mark).search(text, begin - 1 if opened["line"] else begin)
    if closed is None and not opened["line"]:
        inline = text.find(mark, begin)
        return (begin, inline, inline + len(mark)) if inline >= 0 else (begin, len(text), len(text))
    return (begin, max(begin, closed.start()), closed.end()) if closed else (begin, len(text), len(text))


def unfence(text: str) -> str:
    """The content of the one code fence that the whole text sits in, or the text as it is.

    The text behind the closing marks may be a stray full stop. A fence that is not closed is left alone.
    """
    if text[:1] not in "`~":
        return text
    found = fence_at(text, 0)
    if found is None or text[found[2] :].strip(SPACE) not in {"", ".", "。", "`"} or found[1] == len(text):
        return text
    return text[found[0] : found[1]]


def undangled(text: str) -> str:
    """Without a last line that closes a fence which nothing opened."""
    head, newline, last = text.rpartition("\n")
    if not newline or last.strip(SPACE) not in {"```", "~~~"}:
        return text
    marks = sum(line.lstrip(SPACE)[:3] in {"```", "~~~"} for line in text.split("\n"))
    return head.rstrip(SPACE) if marks % 2 else text


def one_line_code(text: str) -> str:
    """Without one layer of backticks around the whole (one to three on each side, nothing of the kind inside)."""
    for mark in ("```", "``", "`"):
        inner = text[len(mark) : -len(mark)]
        around = len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark)
        if around and "`" not in inner and not (mark == "```" and "\n" in inner):
            return inner.strip(SPACE)
    return text
