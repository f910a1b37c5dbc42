"""What is known in a run: the numbers, dates, codes and names that the question and the observations hold.

Pure reading of text, Chinese and English. Grounding builds on it: a value in a call or an answer should stand in the
question, in an observation, or follow from known values in one plain step of arithmetic.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tao.arithmetic import follows
from tao.messages import Call, Observation
from tao.quantities import Number, codes, dates, expressions, number_words, numbers, shape
from tao.run import Run, canonical
from tao.toolset import looked_up

__all__ = [
    "Known", "Number", "codes", "dates", "expressions", "findings", "follows", "gather", "known", "mentions", "missing", "names", "number_words",
    "numbers", "paired", "shape", "subjects", "to_show", "to_the_point", "told_of", "year",
]  # fmt: skip


@dataclass(frozen=True)
class Known:
    """All that a run has been told, as values."""

    text: str
    numbers: tuple[Number, ...]
    dates: tuple[str, ...]
    codes: tuple[str, ...]

    @cached_property
    def values(self) -> frozenset[float]:
        """Every known number, plain and with its unit worked in."""
        return frozenset(value for number in self.numbers for value in (number.value, number.scaled))

    @cached_property
    def ordered(self) -> tuple[float, ...]:
        """Every known number, those in words among them, in ascending order."""
        return tuple(sorted({*self.values, *number_words(self.text)}))


def known(run: Run, *, relevant: bool = False) -> Known:
    """What the question, the conversation, the notes and every good observation say.

    With `relevant`, of an observation in several lines only those that say most about what the question names.
    """
    told = [run.asked.question, *(message.content for message in run.asked.history), *run.notes]
    about = names(run.asked.question) if relevant else ()
    told += [to_the_point(seen.text, about) for _, seen in told_of(run) if seen.ok]
    return gather(told)


def told_of(run: Run) -> list[tuple[Call, Observation]]:
    """The calls that came back and say something about the world: not those that only looked tools up."""
    lookups = looked_up(run)
    return [(call, seen) for call, seen in run.observed if call.id not in lookups]


SHORT = 40
"""Characters of a result that may be a value with a unit, and no sentence about something."""
UNIT = 4
"""Letters of a unit in capitals (EUR, PM)."""
_LACKING = re.compile(r"\b(?:no|not|none|nothing|null|unknown|invalid|errors?|fail\w*|0 \w+)\b|[没无未错]|不存在|失败", re.IGNORECASE)
REFUSED = frozenset({"", "error", "bad_arguments", "refused_arguments"})
"""Kinds of failures that a name may be to blame for."""


def findings(run: Run) -> list[tuple[Call, str]]:
    """The calls that brought something, with what it says; a call that mended a failed one also speaks of what that one asked for.

    Where `{"city": "上海"}` is refused and `{"city": "Shanghai"}` is not, the two are names of one thing. Each call mends one name.
    A value alone speaks of what the call asked for: `{"item": "tea"}` gives 12, not "12 packs of tea".
    """
    failed: list[Call] = []
    good: list[tuple[Call, str]] = []
    for call, seen in told_of(run):
        if not seen.ok:
            failed += [call] if seen.kind in REFUSED else []
            continue
        mended = next(((earlier, name) for earlier in failed if (name := _renamed(earlier, call, run.asked.question))), None)
        if mended is not None:
            failed = [earlier for earlier in failed if earlier.tool != call.tool or earlier.args != mended[0].args]
        of = canonical(call.args) if _value(seen.text, run, call) else ""
        good.append((call, "\n".join(part for part in (seen.text, mended[1] if mended else "", of) if part)))
    return good


def _value(text: str, run: Run, call: Call) -> bool:
    """Whether what a call gave is a number, yes or no, a record of such things or a few words around a number: it names nothing else."""
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        parts = list(found.values()) if isinstance(found, dict) else [found]
        if parts and all(isinstance(part, int | float) for part in parts):
            return True
    spec = run.tool(call.tool)
    own = f"{run.asked.question}\n{call.tool}\n{spec.description if spec else ''}".casefold()
    short = "\n" not in text.strip() and len(text.strip()) <= SHORT and re.search(r"\d", text) is not None
    return short and not _LACKING.search(text) and all(name.casefold() in own or (name.isupper() and len(name) <= UNIT) for name in names(text))


def _renamed(failed: Call, call: Call, question: str) -> str:
    """The one text in which the failed call differs from this one of the same tool; empty where more differs, or something else.

    Empty also where the new text is what the question names beside it: after Lyon was not found, Paris is not its other name.
    """
    if failed.tool != call.tool or failed.args.keys() != call.args.keys():
        return ""
    changed = [(value, call.args[name]) for name, value in failed.args.items() if value != call.args[name]]
    if len(changed) != 1 or not isinstance(changed[0][0], str) or re.search(r"\d", changed[0][0]):
        return ""
    before, now = changed[0][0], str(changed[0][1])
    asked = now.casefold() in question.casefold() and now.casefold() not in before.casefold()
    return "" if asked or any(mentions([now], name) and not mentions([before], name) for name in names(question)) else before


def to_the_point(text: str, about: tuple[str, ...]) -> str:
    """The lines of the text that mention most of these names; all of them where none does."""
    lines = text.splitlines()
    hits = [sum(mentions([line], name) for name in about) for line in lines]
    best = max(hits, default=0)
    return text if best == 0 else "\n".join(line for line, count in zip(lines, hits, strict=True) if count == best)


def to_show(text: str, about: tuple[str, ...]) -> str:
    """The text without lines that are beside the point; whole where its lines are not sentences that stand alone."""
    lines = [line.rstrip() for line in text.splitlines()]
    alone = len(lines) > 1 and all(line.endswith((".", "。", "!", "！", "?", "？")) for line in lines)
    return to_the_point(text, about) if alone else text


def year(number: Number) -> bool:
    """Whether it reads as a year of our time."""
    return 1900 <= number.value <= 2100 and number.value == number.scaled == int(number.value)


def gather(texts: Iterable[str]) -> Known:
    """The values that stand in these texts."""
    parts = list(texts)
    return Known(
        "\n".join(parts),
        tuple(dict.fromkeys(number for part in parts for number in numbers(part))),
        tuple(dict.fromkeys(day for part in parts for day in dates(part))),
        tuple(dict.fromkeys(code for part in parts for code in codes(part))),
    )


def missing(run: Run) -> tuple[str, ...]:
    """Names of the question that nothing found speaks of, while something speaks of another name beside them.

    A name that two calls asked about in vain is not missing but lost.
    """
    question = run.asked.question
    texts = [text for _, text in findings(run)]
    tried = [canonical(call.args) for call, _ in told_of(run)]
    asked = names(question)
    covered = [name for name in asked if mentions(texts, name)]
    open_ones = [name for name in asked if name not in covered and sum(mentions([args], name) for args in tried) < 2]
    return tuple(name for name in open_ones if any(_paired(name, other, question) for other in covered))


def mentions(texts: Iterable[str], name: str) -> bool:
    """Whether these texts hold every word of the name, in any case; of a longer Chinese one, three in four of its pairs (三楼的打印机)."""
    whole = "\n".join(texts).lower()
    if all(word in whole for word in name.lower().split()):
        return True
    pairs = [name[place : place + 2] for place in range(len(name) - 1)] if _HAN_RUN.fullmatch(name) else []
    return len(pairs) > 3 and sum(pair in whole for pair in pairs) >= 0.75 * len(pairs)


def paired(name: str, text: str) -> bool:
    """Whether the text puts this name beside another one."""
    return any(_paired(name, other, text) for other in names(text) if other != name)


_JOINT = re.compile(
    r"\s*(?:,\s*)?(?:(?:\w+\s+){0,2}than|and|or|vs\.?|versus|to|from|with|&|、|,|和|与|跟|及|以及|比|或|或者|还是|到|同)(?:\s+(?:the|in|of|for))?",
    re.IGNORECASE,
)


def _paired(a: str, b: str, text: str) -> bool:
    """Names that the text puts side by side ("A than B", "A和B"), or Chinese ones of one kind, which end alike (白石山, 青岚山)."""
    if _HAN_RUN.fullmatch(a) and _HAN_RUN.fullmatch(b) and a[-1] == b[-1] and len(a) > 2 and len(b) > 2:
        return True
    first, second = sorted((text.find(a), text.find(b)))
    head = a if text.find(a) == first else b
    between = text[first + len(head) : second].strip(" 《》“”\"'「」『』")
    return first >= 0 and _JOINT.fullmatch(between) is not None


_QUOTED = re.compile(r"[《“\"「『](\S[^《》“”\"「」『』]{0,40})[》”\"」』]")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]+")
_HAN_SPLIT = re.compile(
    "|".join(
        "多少 什么 哪个 哪座 哪些 哪里 哪年 几个 几天 几号 几年 为什么 怎么 如何 是否 一共 总共 合计 现在 今天 明天 昨天 目前 当前 之后 之前 以后 以前 "
        "等于 乘以 除以 加上 减去 各有 各是 各自 各为 分别 相差 还有 以及 或者 并且 然后 请问 告诉 帮我 查询 计算 一下 比较 距离 到 的 是 和 与 跟 比 在 有 了 吗 呢 请 "
        "把 被 从 对 给 让 用 去 做 想 要 会 能 这 那 它 他 她 们 我 你 就 也 还 再 又 很 更 最 不 没 高 低 长 短 大 小 早 晚 贵 便宜 重 轻 快 慢".split()
    )
)
STARTERS = frozenset(
    "What Which Who Whom Whose When Where Why How Is Are Was Were Do Does Did Can Could Will Would Should Has Have Had In On At By For From Of To The A An "
    "Compare Let Show List Convert Add Subtract Multiply Divide Look Search Check Get Use Using Suppose Assume Between Each Every All Both Any Some No Not "
    "But So Because While After Before Since During Under Over About Also There Here He She We They You Don Doesn Didn Isn Aren Wasn Weren Won "
    "And Or If Then Please Tell Give Find Calculate Compute Answer Translate Order Today Tomorrow Yesterday I My Our Your It Its This That These Those "
    "January February March April May June July August September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
)


@lru_cache(maxsize=512)
def names(text: str) -> tuple[str, ...]:
    """What a text is about, as names: quoted titles, capitalised words (English), and what is left of Chinese runs between function words."""
    found = [(match.start(), match.group(1).strip()) for match in _QUOTED.finditer(text)]
    text = _QUOTED.sub(lambda match: "," * len(match.group()), text)
    start, words = 0, [*re.finditer(r"[A-Z][\w’'&-]*|[^\sA-Z][^\s]*|\s+", text)]
    phrase: list[str] = []
    for match in words:
        word = match.group()
        if word.isspace():
            continue
        bare = word.strip(".,:;!?()'’\"“”").removesuffix("'s").removesuffix("’s")
        if bare[:1].isupper() and not any(char.isdigit() for char in bare) and (phrase or re.split("['’]", bare)[0] not in STARTERS):
            start = start if phrase else match.start()
            phrase.append(bare)
        if phrase and (not bare[:1].isupper() or word[-1:] in ".,:;!?)" or word.endswith(("'s", "’s", "s'"))):
            found.append((start, " ".join(phrase)))
            phrase = []
    if phrase:
        found.append((start, " ".join(phrase)))
    found += [(run.start(), part) for run in _HAN_RUN.finditer(text) for part in _HAN_SPLIT.split(run.group()) if len(part) > 1]
    return tuple(dict.fromkeys(name for _, name in sorted(found, key=lambda item: item[0]) if name))


def subjects(text: str) -> tuple[str, ...]:
    """The names without those that only say what of another is asked (挪威的人口): they need not come back word for word."""
    found = names(text)
    return tuple(name for name in found if f"的{name}" not in text) or found
