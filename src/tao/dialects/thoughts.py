"""Blocks of thinking: `<think>…</think>` and its relatives."""

import re

from tao.dialects.later import later

_NAMES = r"think(?:ing)?|thought|reasoning|reflection|seed:think|scratch_?pad|inner_monologue"
OPEN = later(
    rf"<(?P<name>{_NAMES})>|◁(?P<kimi>think)▷|\[(?P<upper>THINK)\]|<\|(?P<piped>begin_of_thought|inner_prefix|START_THINKING)\|>"
    r"|<\|channel>(?P<gemma>thought)\b|```(?P<fence>vis-thinking|thinking|thought)[ \t]*\n",
    re.IGNORECASE,
)
"""What opens a block of thinking; the group that matched says which family's."""
THINKING = rf"(?:(?:{_NAMES})>|\|(?:begin_of_thought|inner_prefix|START_THINKING)\|>|\|channel>thought\b)"
"""What follows the angle bracket of such a tag."""
_CLOSES = {
    "kimi": later(r"◁/think▷"),
    "upper": later(r"\[/THINK\]"),
    "piped": later(r"<\|(?:end_of_thought|inner_suffix|END_THINKING)\|>"),
    "gemma": later(r"<channel\|>"),
    "fence": later(r"\n[ \t]*```(?!\w)"),
    "name": later(rf"</(?:{_NAMES})>", re.IGNORECASE),
}
STRAY = later(rf"</(?=[irst])(?:{_NAMES})>|◁/think▷|\[/THINK\]", re.IGNORECASE)


def block_at(text: str, start: int) -> tuple[str, int, bool] | None:
    """The block that opens at `start`: what is thought in it, where it ends, and whether it was closed.

    A block opened within a block counts as the same; the thought ends at the closing tag that leaves none open.
    """
    found = OPEN.match(text, start)
    if found is None:
        return None
    close = _CLOSES[found.lastgroup or "name"]
    begin = at = found.end()
    depth = 1
    while closing := close.search(text, at):
        inner = OPEN.search(text, at, closing.start())
        at = closing.end()
        depth += (inner is not None) - 1
        if depth == 0:
            return text[begin : closing.start()], at, True
    if at > begin:
        return text[begin : at], at, True
    return text[begin:], len(text), False
