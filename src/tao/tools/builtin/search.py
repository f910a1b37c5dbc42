"""The tool `search`: passages from a folder of the user's own text files."""

import re
from pathlib import Path

from tao.tools.builtin import segment
from tao.tools.builtin.index import Hit, Index
from tao.tools.builtin.passages import sentences, width
from tao.tools.declare import Tool, declare
from tao.tools.words import say

WEAK = 0.3
"""Of the best passage's score, what a passage is shown for among three; among more, so much less: who asks for many wants breadth."""


def search(docs: Path | str, *, store: Path | None = None, most: int = 3, room: int = 320) -> Tool:
    """A tool that searches the text files below a folder: `most` passages, each at most about `room` wide.

    The index is made at the first question, in memory or in the file `store`, and follows the files as they change.
    Raises ConfigError where the folder is not there.
    """
    index = Index(Path(docs), store)
    least = min(WEAK, 3 * WEAK / most)

    def run(query: str) -> str:
        index.refresh()
        hits = [hit for hit in index.find(query, most) if hit.covers > 0]
        best = hits[0].score if hits else 0.0
        terms = segment.terms(query, index.cut)
        shown = [_shown(hit, terms, room) for hit in hits if hit.score >= least * best]
        return "\n".join([*dict.fromkeys(shown), *_missing(query, index)]) if shown else _nothing(query, index)

    return declare(
        run, name="search", idempotent=True,
        description="Search the user's files.\n\nArgs:\n    query: a few keywords naming the thing asked about",
        descriptions={"zh": "在用户的文件中搜索。\n\n参数：\n    query: 几个关键词，说明要找什么"},
    )  # fmt: skip


def _shown(hit: Hit, terms: list[str], room: int) -> str:
    line, text = snippet(hit, terms, room)
    heading = f" § {hit.passage.heading}" if hit.passage.heading and hit.passage.heading not in text else ""
    return f"[{hit.path}:{line}{heading[:60]}] {text}"


def snippet(hit: Hit, terms: list[str], room: int) -> tuple[int, str]:
    """The part of a passage that has most of the terms, in whole sentences, and its line."""
    parts = [(number, sentence.strip()) for number, line in hit.passage.lines for sentence in sentences(line)]
    if sum(width(text) for _, text in parts) <= room:
        return parts[0][0], " ".join(text for _, text in parts)
    wanted = [_stem(term) for term in terms]
    scores = [sum(stem in segment.normal(text) for stem in wanted) for _, text in parts]
    first = last = max(range(len(parts)), key=lambda at: (scores[at], -at))
    used = width(parts[first][1])
    while True:
        before = first > 0 and used + width(parts[first - 1][1]) <= room
        after = last + 1 < len(parts) and used + width(parts[last + 1][1]) <= room
        if after and (not before or scores[last + 1] >= scores[first - 1]):
            last += 1
            used += width(parts[last][1])
        elif before:
            first -= 1
            used += width(parts[first][1])
        else:
            break
    text = " ".join(text for _, text in parts[first : last + 1])
    return parts[first][0], text if width(text) <= room * 2 else _around(text, wanted, room)


def _stem(term: str) -> str:
    return term if segment.is_han(term) or len(term) < 5 else term[: max(4, len(term) - 2)]


def _around(text: str, wanted: list[str], room: int) -> str:
    """The middle of one very long sentence, where the first wanted word stands."""
    plain = segment.normal(text)
    at = min((plain.find(stem) for stem in wanted if stem in plain), default=0)
    start = max(0, min(at - room // 4, len(text) - room))
    return f"{'…' if start else ''}{text[start : start + room]}{'…' if start + room < len(text) else ''}"


def _missing(query: str, index: Index) -> list[str]:
    """Names and numbers of the query that stand in no file: the passages are then about something else."""
    named = [word for word in re.findall(r"[A-Z][\w-]{2,}|\w*\d\w*", query) if word.lower() not in segment.STOP]
    absent = [word for word in dict.fromkeys(named) if not index.knows(word)]
    return [say(f"(In no file: {', '.join(absent)})", f"（所有文件中都没有：{'、'.join(absent)}）")] if absent else []


def _nothing(query: str, index: Index) -> str:
    files = index.files()
    if not files:
        return say(f"No results: there are no text files in {index.root.name}.", f"没有结果：{index.root.name} 中没有文本文件。")
    listed = ", ".join(files[:5]) + (" …" if len(files) > 5 else "")
    return say(
        f"No results for {query[:80]!r}. Try fewer or other words, or the other language. Files: {listed}",
        f"没有找到“{query[:80]}”。请减少或更换关键词，或改用另一种语言。文件：{listed}",
    )
