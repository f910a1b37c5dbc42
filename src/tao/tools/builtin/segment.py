"""Texts in words, for the index and for questions: Latin words and numbers, Chinese words, and pairs of Chinese characters.

Chinese is cut into words by `rjieba` (extra `search`) where it is installed, with shorter words inside longer ones. Pairs of
characters are kept beside them, so that a name which is cut differently in question and text is found all the same; without
rjieba they do the work alone.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af\u3005\u3007"
_PIECE = re.compile(rf"[{_HAN}]+|[^\W_]+")
_IS_HAN = re.compile(rf"[{_HAN}]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_MIXED = re.compile(rf"(?<=[{_HAN}])(?=[^{_HAN}\W])|(?<=[^{_HAN}\W])(?=[{_HAN}])")

_STOP = (
    "a an the of in on at to for from by with and or is are was were be been do does did has have had it its this that these those "
    "what which who whom whose when where why how much many there as about into than then i you he she we they me my your his her "
    "的 了 是 在 有 和 与 及 或 吗 呢 吧 啊 把 被 就 都 也 很 什么 哪 哪些 哪个 哪里 谁 怎么 怎样 如何 多少 几 为什么 何时 请问 请 一个 这 那 "
    "这个 那个 以及 对于 关于 我 你 他 她 它 我们 你们 他们 其 之 于 由 从 到 为 着 地 得 中 上 下 是否 可以 会 能"
)
STOP = frozenset(_STOP.split())
"""Words that say nothing about what is looked for; left out of questions unless nothing else remains."""

Cut = Callable[[str], list[str]]


@cache
def cutter() -> Cut | None:
    """The word segmenter for Chinese; None where `rjieba` is not installed."""
    try:
        import rjieba  # noqa: PLC0415 - optional and heavy: loaded on first use, only here
    except ImportError:
        return None
    return lambda text: list(rjieba.cut_for_search(text))


def normal(text: str) -> str:
    """Text as it is compared: ordinary width, lower case, numbers without thousands separators."""
    return _THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold())


def is_han(text: str) -> bool:
    """Whether there is a Chinese character in it."""
    return bool(_IS_HAN.search(text))


def words(text: str, cut: Cut | None) -> list[str]:
    """The words in order: Latin ones and numbers as written, Chinese as the segmenter cuts it (none without one)."""
    out: list[str] = []
    for piece in _PIECE.findall(_MIXED.sub(" ", normal(text))):
        if not _IS_HAN.match(piece):
            out.append(piece)
        elif cut is not None:
            out += cut(piece)
    return out


def pairs(text: str) -> list[str]:
    """Neighbouring Chinese characters, two by two; the last character of each run also alone, so that one can be looked for."""
    out: list[str] = []
    for piece in _PIECE.findall(_MIXED.sub(" ", normal(text))):
        if _IS_HAN.match(piece):
            out += [piece[at : at + 2] for at in range(len(piece))]
    return out


def terms(question: str, cut: Cut | None) -> list[str]:
    """What to look for: the words of a question, each once, without those that say nothing."""
    found = list(dict.fromkeys(words(question, cut)))
    if cut is None:
        found += [pair for pair in dict.fromkeys(pairs(question)) if len(pair) > 1] or pairs(question)
    return [term for term in found if term not in STOP] or found
