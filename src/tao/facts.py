"""What is known in a run: the numbers, dates, codes and names that the question and the observations hold.

Pure reading of text, Chinese and English. Grounding builds on it: a value in a call or an answer should stand in the
question, in an observation, or follow from known values in one plain step of arithmetic.
"""

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from tao.run import Run, canonical

HAN_DIGITS = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
SCALES = {
    "万": 1e4, "亿": 1e8, "千": 1e3, "百万": 1e6, "千万": 1e7, "百": 1e2,
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "bn": 1e9, "dozen": 12.0,
}  # fmt: skip
NUMBER_WORDS = {
    word: float(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split()
    )
} | {"thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0, "seventy": 70.0, "eighty": 80.0, "ninety": 90.0,
     "hundred": 100.0, "half": 0.5, "twice": 2.0, "double": 2.0, "triple": 3.0, "quarter": 0.25, "dozen": 12.0}  # fmt: skip
FULL_WIDTH = {ord("０") + n: str(n) for n in range(10)} | {ord("．"): ".", ord("，"): ",", ord("－"): "-", ord("％"): "%", ord("＋"): "+"}
MONTHS = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}

_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s?(%|‰|百万|千万|万亿|[万亿千百](?!分)|thousand\b|million\b|billion\b|trillion\b|bn\b|k\b|m\b(?=\s*(?:euro|dollar|usd|\$))))?"
    r"(?![A-Za-z_]*\d)",
    re.IGNORECASE,
)
_HAN_NUMBER = re.compile(r"(百分之)?(?!一[共下些起样定般直切旦律并方边面旁])([零〇一二两三四五六七八九十百千]+)(点[零〇一二三四五六七八九]+)?([万亿]?)")
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_HAN_DATE = re.compile(r"(?:(\d{4})\s*年\s*)(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]")
_DMY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?([A-Za-z]{3,9})\.?,?\s+(\d{4})\b")
_MDY = re.compile(r"\b([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
_CODE = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z0-9-]{0,30}\d)(?=[A-Za-z0-9-]{0,30}[A-Za-z])[A-Za-z0-9]{1,30}(?:-[A-Za-z0-9]{1,30}){0,4}(?![A-Za-z0-9])")
_WORD = re.compile(r"\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
                   r"eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|half|twice|double|triple|quarter|dozen)\b",
                   re.IGNORECASE)  # fmt: skip


@dataclass(frozen=True)
class Number:
    """A number as it stands in a text: its plain value, and the value with its unit word (万, million, %) worked in."""

    value: float
    scaled: float
    unit: str = ""


@lru_cache(maxsize=512)
def numbers(text: str) -> tuple[Number, ...]:
    """Every number in the text in order of appearance: digits in any width, thousands separators, percent, unit words, Chinese numerals.

    Dates and codes (`A10023`) are not numbers.
    """
    plain = without_dates(text).translate(FULL_WIDTH)
    found = [(match.start(), _digits(match, plain)) for match in _NUMBER.finditer(plain)]
    found += [(match.start(), number) for match in _HAN_NUMBER.finditer(plain) if (number := _han(match)) is not None]
    return tuple(number for _, number in sorted(found, key=lambda item: item[0]))


def number_words(text: str) -> tuple[float, ...]:
    """Values of spelled-out English numbers: "twice", "a dozen", "seven"."""
    return tuple(NUMBER_WORDS[match.group(1).lower()] for match in _WORD.finditer(text))


@lru_cache(maxsize=512)
def dates(text: str) -> tuple[str, ...]:
    """Every full date in the text as YYYY-MM-DD, in order of appearance, each once."""
    plain = text.translate(FULL_WIDTH)
    found = [(m.start(), _day(m[1], m[2], m[3])) for pattern in (_ISO, _HAN_DATE) for m in pattern.finditer(plain)]
    found += [(m.start(), _day(m[3], _month(m[2]), m[1])) for m in _DMY.finditer(plain)]
    found += [(m.start(), _day(m[3], _month(m[1]), m[2])) for m in _MDY.finditer(plain)]
    return tuple(dict.fromkeys(day for _, day in sorted(found) if day))


def without_dates(text: str) -> str:
    """The text with every full date blanked out."""
    for pattern in (_ISO, _HAN_DATE, _DMY, _MDY):
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return text


@lru_cache(maxsize=512)
def codes(text: str) -> tuple[str, ...]:
    """Identifiers that mix letters and digits (`A10023`, `INV-2024-7`, `T9`), in order, each once; ordinals and units are not."""
    found = (match.group() for match in _CODE.finditer(without_dates(text)))
    return tuple(dict.fromkeys(code for code in found if not re.fullmatch(r"\d+(?:st|nd|rd|th|[a-zA-Z]{1,3})", code)))


def shape(code: str) -> str:
    """The form of a code: letters as A (or a), digits as 9: `A10023` and `B20001` share `A99999`."""
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "9", code)))


@dataclass(frozen=True)
class Known:
    """All that a run has been told, as values."""

    text: str
    numbers: tuple[Number, ...]
    dates: tuple[str, ...]
    codes: tuple[str, ...]

    @property
    def values(self) -> frozenset[float]:
        """Every known number, plain and with its unit worked in."""
        return frozenset(value for number in self.numbers for value in (number.value, number.scaled))


def known(run: Run, *, relevant: bool = False) -> Known:
    """What the question, the conversation, the notes and every good observation say.

    With `relevant`, of an observation in several lines only those that say most about what the question names.
    """
    told = [run.asked.question, *(message.content for message in run.asked.history), *run.notes]
    about = names(run.asked.question) if relevant else ()
    told += [to_the_point(observation.text, about) for _, observation in run.observed if observation.ok]
    return gather(told)


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
    return number.value == number.scaled == int(number.value) and 1900 <= number.value <= 2100


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
    found = [seen.text for _, seen in run.observed if seen.ok]
    tried = [canonical(call.args) for call, _ in run.observed]
    asked = names(question)
    covered = [name for name in asked if mentions(found, name)]
    open_ones = [name for name in asked if name not in covered and sum(mentions([args], name) for args in tried) < 2]
    return tuple(name for name in open_ones if any(_paired(name, other, question) for other in covered))


def mentions(texts: Iterable[str], name: str) -> bool:
    """Whether these texts hold every word of the name, in any case."""
    whole = "\n".join(texts).lower()
    return all(word in whole for word in (name.lower().split() if name.isascii() else [name.lower()]))


def paired(name: str, text: str) -> bool:
    """Whether the text puts this name beside another one."""
    return any(_paired(name, other, text) for other in names(text) if other != name)


_JOINT = re.compile(
    r"\s*(?:,\s*)?(?:(?:\w+\s+){0,2}than|and|or|vs\.?|versus|to|from|with|&|、|,|和|与|跟|及|以及|比|或|或者|还是|到|同)\s*(?:the\s+|in\s+|of\s+|for\s+)?",
    re.IGNORECASE,
)


def _paired(a: str, b: str, text: str) -> bool:
    """Names that the text puts side by side ("A than B", "A和B"), or Chinese ones of one kind, which end alike (白石山, 青岚山)."""
    if not a.isascii() and not b.isascii() and a[-1] == b[-1] and len(a) > 2 and len(b) > 2:
        return True
    first, second = sorted((text.find(a), text.find(b)))
    head = a if text.find(a) == first else b
    between = text[first + len(head) : second].strip(" 《》“”\"'「」『』")
    return first >= 0 and _JOINT.fullmatch(between) is not None


_EXPRESSION = re.compile(r"(?<![A-Za-z0-9_.])[(（]*\d[\d.]*(?:\s*[-+*/×÷^]\s*[(（]*\s*\d[\d.]*\s*[)）]*){1,20}(?![A-Za-z0-9_])")


def expressions(text: str) -> tuple[str, ...]:
    """Sums written out in the text (`(614-55)*9`), balanced, with more than a minus or slash between two numbers."""
    found = (match.group().strip() for match in _EXPRESSION.finditer(without_dates(text).translate(FULL_WIDTH)))
    plain = (part.replace("×", "*").replace("÷", "/").replace("（", "(").replace("）", ")") for part in found)
    return tuple(part for part in plain if part.count("(") == part.count(")") and re.search(r"[*+^(]|/.*/|-.*-|\s[-/]\s", part))


def follows(value: float, values: Iterable[float]) -> bool:
    """Whether the number is known, or follows from two known ones by + - × ÷ or a percentage, up to rounding."""
    have = sorted({v for v in values if abs(v) < 1e15})[:80]
    if any(same(value, v) or same(value, -v) for v in have):
        return True
    if any(same(value, v / 100) or same(value, 1 - v / 100) or same(value, 1 + v / 100) or same(value, v * 100) for v in have):
        return True
    return any(
        same(value, a + b) or same(value, a - b) or same(value, a * b) or (b != 0 and same(value, a / b)) for a, b in product(have, have)
    )


def same(a: float, b: float) -> bool:
    """Equal up to the rounding of a shown number: half of the last of its decimals, or one part in 10,000."""
    if a == b:
        return True
    decimals = len(text.split(".")[1]) if "." in (text := f"{a:.10g}") and "e" not in text else 0
    return decimals > 0 and abs(a - b) <= 0.5 * 10**-decimals + 1e-9


def _digits(match: re.Match[str], text: str) -> Number:
    value = float(match.group(1).replace(",", ""))
    before = text[: match.start()]
    if before[-1:] in "-−" and (len(before) < 2 or before[-2] in " (=:：,，、\n\t（") and before[-1:]:
        value = -value
    unit = (match.group(2) or "").lower()
    if unit in {"%", "‰"}:
        return Number(value, value / (100 if unit == "%" else 1000), unit)
    return Number(value, value * SCALES.get(unit, 1e12 if unit == "万亿" else 1.0), unit)


def _han(match: re.Match[str]) -> Number | None:
    """A Chinese numeral; None where the characters are a word (一下, 十分) rather than a number."""
    percent, body, decimals, scale = match.groups()
    if body in {"百", "千"} and not percent:
        return None
    total, digit, plain = 0, 0, 0
    for char in body:
        if char in HAN_DIGITS:
            digit, plain = HAN_DIGITS[char], plain * 10 + HAN_DIGITS[char]
        else:
            total, digit = total + (digit or 1) * HAN_UNITS[char], 0
    value = float(total + digit if any(char in HAN_UNITS for char in body) else plain)
    if decimals:
        value += sum(HAN_DIGITS[char] / 10**place for place, char in enumerate(decimals[1:], 1))
    scaled = value * SCALES.get(scale, 1.0) / (100 if percent else 1)
    return Number(scaled if scale else value, scaled, "%" if percent else "")


def _month(name: str) -> str:
    return str(MONTHS.get(name[:3].lower(), 0))


def _day(year: str, month: str, day: str) -> str:
    try:
        return dt.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


_CAPITALISED = re.compile(r"[A-Z][\w'’&-]*(?:\s+(?:of|de|la|the|and)\s+(?=[A-Z])|\s+(?=[A-Z]))?")
_QUOTED = re.compile(r"[《“\"「『](\S[^《》“”\"「」『』]{0,40})[》”\"」』]")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]+")
_HAN_SPLIT = re.compile(
    "|".join(
        "多少 什么 哪个 哪座 哪些 哪里 哪年 几个 几天 几号 几年 为什么 怎么 如何 是否 一共 总共 合计 现在 今天 明天 昨天 目前 当前 之后 之前 以后 以前 "
        "等于 乘以 除以 加上 减去 分别 相差 还有 以及 或者 并且 然后 请问 告诉 帮我 查询 计算 一下 比较 距离 到 的 是 和 与 跟 比 在 有 了 吗 呢 请 "
        "把 被 从 对 给 让 用 去 做 想 要 会 能 这 那 它 他 她 们 我 你 就 也 还 再 又 很 更 最 不 没 高 低 长 短 大 小 早 晚 贵 便宜 重 轻 快 慢".split()
    )
)
STARTERS = frozenset(
    "What Which Who Whom Whose When Where Why How Is Are Was Were Do Does Did Can Could Will Would Should Has Have Had In On At By For From Of To The A An "
    "And Or If Then Please Tell Give Find Calculate Compute Answer Translate Order Today Tomorrow Yesterday I My Our Your It Its This That These Those "
    "January February March April May June July August September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
)


@lru_cache(maxsize=512)
def names(text: str) -> tuple[str, ...]:
    """What a text is about, as names: quoted titles, capitalised words (English), and what is left of Chinese runs between function words."""
    found = [(match.start(), match.group(1).strip()) for match in _QUOTED.finditer(text)]
    start, words = 0, [*re.finditer(r"[A-Z][\w’'&-]*|[^\sA-Z][^\s]*|\s+", text)]
    phrase: list[str] = []
    for match in words:
        word = match.group()
        if word.isspace():
            continue
        bare = word.strip(".,:;!?()'’\"“”").removesuffix("'s").removesuffix("’s")
        if bare[:1].isupper() and bare.isascii() and not any(char.isdigit() for char in bare) and (phrase or bare not in STARTERS):
            start = start if phrase else match.start()
            phrase.append(bare)
        if phrase and (not bare[:1].isupper() or word[-1:] in ".,:;!?)" or word.endswith(("'s", "’s", "s'"))):
            found.append((start, " ".join(phrase)))
            phrase = []
    if phrase:
        found.append((start, " ".join(phrase)))
    found += [(run.start(), part) for run in _HAN_RUN.finditer(text) for part in _HAN_SPLIT.split(run.group()) if len(part) > 1]
    return tuple(dict.fromkeys(name for _, name in sorted(found, key=lambda item: item[0]) if name))
