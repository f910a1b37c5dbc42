"""One cap on how much of an observation a model is shown; nothing of it is lost."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from tao.events import Observed
from tao.messages import Call, Observation, ToolSpec
from tao.run import Run
from tao.seams import Act
from tao.wrappers.words import say

READ_MORE = "read_more"
NARROW = re.compile("[\0-\u2e7f]+")
"""Characters of which four are a token; each of the others is one."""
MOST_KEPT = 1_000_000
"""Characters of a text that are kept at all; a flood loses its middle."""


def read_more(lang: str = "en") -> ToolSpec:
    """The tool by which the model reads a long observation in pages. Offer it, and `truncate` answers its calls."""
    zh = lang.startswith("zh")
    return ToolSpec(
        READ_MORE,
        "分页阅读被截断的结果。" if zh else "Read a page of a result that was cut.",
        {
            "type": "object",
            "properties": {
                "handle": {"type": "string", "description": "截断提示中给出的句柄" if zh else "as given where the result was cut"},
                "page": {"type": "integer", "minimum": 1},
            },
            "required": ["handle", "page"],
        },
    )


def truncate(act: Act, tokens: int = 1000) -> Act:
    """Show at most about `tokens` of an observation: its head and its tail, and between them how much is left out.

    The whole text stays in the observation (`full`). Where the run offers `read_more`, or will once something is cut
    (`Asked.later`), its calls are answered here.
    """

    async def capped(call: Call, run: Run) -> Observation:
        if call.tool == READ_MORE and run.tool(READ_MORE) is not None and _offers(run):
            return _page(call, run, tokens)
        observation = await act(call, run)
        if len(observation.text) <= tokens or cost(observation.text) <= tokens:
            return observation
        return _cut(observation, call, run, tokens)

    return capped


def _offers(run: Run) -> bool:
    """Whether the run offers `read_more`, now or later; not a tool of that name of the user's own."""
    named = [spec for spec in (*run.asked.tools, *run.asked.later) if spec.name == READ_MORE]
    return any(spec in (read_more("en"), read_more("zh")) for spec in named)


def cost(text: str) -> float:
    """About how many tokens a text is: a Chinese character is one, four Latin letters are one."""
    return _quarters(text) / 4


def _quarters(text: str) -> int:
    """Its cost in quarters of a token: 4 for a wide character, 1 for another. Counted without a turn of Python for each."""
    return len(text) if text.isascii() else len(text) + 3 * len(NARROW.sub("", text))


def pages(text: str, tokens: int) -> list[str]:
    """The text in pieces of at most so many tokens, cut at ends of lines or words where there are any."""
    return [text[start:end] for start, end in pairwise((0, *_ends(text, tokens)))]


@lru_cache(maxsize=4)
def _ends(text: str, tokens: int) -> tuple[int, ...]:
    """Where each page ends. Kept, because whoever reads one page reads another."""
    out: list[int] = []
    while (start := out[-1] if out else 0) < len(text):
        out.append(_reach(text, start, tokens))
    return tuple(out)


def _reach(text: str, start: int, tokens: int) -> int:
    """How far the text from `start` may go."""
    end, left = start, tokens * 4
    while end < len(text) and left > 0:
        piece = text[end : end + max(left // 4, 1)]  # as much as is sure to fit, so that no character is counted twice
        if (used := _quarters(piece)) > left and end > start:
            break
        end, left = end + len(piece), left - used
    for mark in ("\n", "。", ". ", " ", "，"):
        if end < len(text) and (found := text.rfind(mark, start + (end - start) * 2 // 3, end)) >= 0:
            return found + len(mark)
    return end


def _cut(observation: Observation, call: Call, run: Run, tokens: int) -> Observation:
    whole = keep(observation.text)
    head = whole[: _reach(whole, 0, tokens * 2 // 3)]
    tail = _tail(whole[len(head) :], tokens // 3)
    left_out = len(observation.text) - len(head) - len(tail)
    more = reading(call, run, len(_ends(observation.full or whole, tokens)))
    note = say(run, f"[… {left_out} characters left out{more} …]", f"[… 省略 {left_out} 个字符{more} …]")
    return replace(
        observation, text=f"{head.rstrip()}\n{note}\n{tail.lstrip()}", full=observation.full or whole, data=observation.data if whole is observation.text else None,
        notes=(*observation.notes, f"✂ {left_out}"),
    )


def keep(text: str) -> str:
    """As much of a text as is kept."""
    half = MOST_KEPT // 2
    return text if len(text) <= MOST_KEPT else f"{text[:half]}\n[…]\n{text[-half:]}"


def shortened(text: str, tokens: int) -> str:
    """The text, of a longer one its head and tail, at most about so many tokens."""
    if cost(text) <= tokens:
        return text
    head = text[: _reach(text, 0, max(tokens * 2 // 3, 1))]
    return f"{head.rstrip()}\n[…]\n{_tail(text[len(head) :], tokens // 3).lstrip()}"


def reading(call: Call, run: Run, count: int) -> str:
    """How the model reads on in this many pages; nothing where it cannot."""
    if not _offers(run):
        return ""
    return say(
        run, f'; read it with {READ_MORE}: handle "{call.id}", page 1 to {count}', f"；用 {READ_MORE} 阅读：handle “{call.id}”，page 1 至 {count}",
    )


def _tail(text: str, tokens: int) -> str:
    """The end of the text, at most so many tokens, from the beginning of a line or word where there is one."""
    tokens = max(tokens, 1)
    mirrored = _reach(text[: -4 * tokens - 2 : -1], 0, tokens)
    return text[len(text) - mirrored :]


def _page(call: Call, run: Run, tokens: int) -> Observation:
    """One page of an earlier observation; pure reading of the run, so that it is the same in a replay."""
    handle, page, came = _asked(call.args)
    known = {event.call_id: event.observation for event in run.all(Observed) if event.observation.full}
    if handle not in known:
        listed = ", ".join(known)
        text = say(
            run, f"There is no cut result {handle!r}. Handles: {listed or 'none'}.", f"没有被截断的结果“{handle}”。可用句柄：{listed or '无'}。",
        )
        return Observation(text, ok=False, kind="bad_arguments")
    whole = known[handle].full
    ends = (0, *_ends(whole, tokens))
    count = len(ends) - 1
    if not 1 <= page <= count:
        text = say(run, f"There is no page {came}: {handle} has pages 1 to {count}.", f"没有第 {came} 页：{handle} 有第 1 至 {count} 页。")
        return Observation(text, ok=False, kind="bad_arguments")
    return Observation(say(run, f"[page {page} of {count}]\n", f"[第 {page} 页，共 {count} 页]\n") + whole[ends[page - 1] : ends[page]])


def _asked(args: Mapping[str, Any]) -> tuple[str, int, str]:
    """Handle and page, however they are written, and the page as it came; page 1 where none is given, 0 where it is not a number."""
    page = str(args.get("page", 1)).strip()
    number = page.removesuffix(".0")
    return str(args.get("handle", "")).strip(" \"'"), int(number) if number.isdecimal() and len(number) < 9 else 0, page[:40]
