"""Numbers, dates and codes as they stand in a text, Chinese and English. Pure reading; standard library only."""

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import itemgetter
from re import Match

HAN_DIGITS = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
HAN_SCALES = {"万": 10**4, "亿": 10**8}
FORMAL = str.maketrans("壹贰叁肆伍陆柒捌玖拾佰仟萬億兩", "一二三四五六七八九十百千万亿两")
SCALES = {
    "万": 1e4, "亿": 1e8, "千": 1e3, "百万": 1e6, "千万": 1e7, "百": 1e2, "万亿": 1e12, "百亿": 1e10, "千亿": 1e11,
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "bn": 1e9, "dozen": 12.0,
}  # fmt: skip
SHARES = {"%": 100, "percent": 100, "per cent": 100, "‰": 1000, "个百分点": 100, "成": 10, "折": 10}
"""Words behind a number that make it a share: so many of them are the whole."""
FULL_WIDTH = {code + 0xFEE0: chr(code) for code in range(0x21, 0x7F)}
MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")

_UNIT = (
    r"%|‰|(?:percent|per cent|thousand|million|billion|trillion|dozen|bn|k)\b|m\b(?=\s*(?:euro|dollar|usd|\$))|个百分点"
    r"|百万|千万|万亿|百亿|千亿|[万亿]|[千百](?![米克瓦卡赫帕字分])|成(?![为功立员本长果交人年就绩千都语])|折(?![线叠断磨旧])"
)
_NUMBER = re.compile(  # a digit first, and only then what stands before it: so it is found faster
    r"(\d(?<![A-Za-z0-9_.]\d)(?<![A-Za-z]-\d)"
    r"(?:\d{0,2}(?:[,\u00a0\u202f\u2009]\d{3})+(?:\.\d+)?(?![\d,]\d)|\d*(?:\.\d+)?(?:[eE][+-]\d{1,3}(?!\d))?))"
    rf"(?:\s?({_UNIT}))?(?![A-Za-z_]*\d)",
    re.IGNORECASE,
)
LONGEST = 40
"""A numeral of more characters than this is none."""
NEARBY = 60
"""So many characters around a numeral may say what it is, blanks among them."""
_HAN = "零〇一二两三四五六七八九十百千万亿"
_HAN_NUMBER = re.compile(
    rf"(?P<whole>[{_HAN}]+)分之(?P<part>[{_HAN}]+(?:点[零〇一二三四五六七八九]+)?)"
    rf"|(?<!周)(?<!星期)(?<!礼拜)(?P<body>[{_HAN}]+)(?P<decimals>点[零〇一二三四五六七八九]++(?![十百分刻钟]))?(?P<scale>[万亿]?)"
    r"(?P<share>[成折](?![为功立员本长果交人年就绩千都语线叠断磨旧]))?"
)
_MIXED = re.compile(r"(?<!\d)(\d++(?:\.\d++)?)([万亿])(\d{1,4})(?:([千百])|(万))?(?![\d.%])")
_WORDS_WITH_NUMERALS = re.compile(r"(?<![零一二两三四五六七八九十百])(?:十分(?!之|钟|制|满)|千万(?=[不别要记注小])|万一(?![百千十零]))|十全十美|一带一路|一五一十|三心二意|七上八下|乱七八糟|五颜六色")
_FORMAL = re.compile(f"[{''.join(map(chr, FORMAL))}零万亿]{{2,}}")
_AFTER_SOME = re.compile(r"[几数好哪每某多]$")
_SOME_AFTER = re.compile(r"[几来]")
_ONE = re.compile(r"一(?![零〇一二两三四五六七八九十百千万亿点])")
_SUMS = re.compile(r"[加减乘除以等于是为得+\-*/×÷=]\s*$"), re.compile(r"\s*[加减乘除等+\-*/×÷=]")

_ISO = re.compile(r"(?<!\d)(?<![A-Za-z]-)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d|-\w)")
_HAN_DATE = re.compile(r"(\d{4}|[零〇一二三四五六七八九]{4})\s*年\s*(\d{1,2}|[一二三四五六七八九十]{1,2})\s*月\s*(\d{1,2}|[一二三四五六七八九十]{1,3})\s*[日号]")
_DMY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?([A-Za-z]{3,9})\.?,?\s+(\d{4})\b")
_MDY = re.compile(r"\b([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.]\d|\d)")
_CODE = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z0-9-]{0,30}\d)(?=[A-Za-z0-9-]{0,30}[A-Za-z])[A-Za-z0-9]{1,30}(?:-[A-Za-z0-9]{1,30}){0,4}(?![A-Za-z0-9])")
_DIGIT = re.compile(r"\d")
_NO_CODE = re.compile(r"\d+(?:st|nd|rd|th|[a-zA-Z]{1,3})|\d+[eE]-\d+")

_TEENS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
          "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
WORDS = {word: float(n) for n, word in enumerate(_TEENS)} | {word: n * 10.0 for n, word in enumerate(_TENS, 2)}
MULTIPLES = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12.0}
SINGLE = {"half": 0.5, "twice": 2.0, "double": 2.0, "triple": 3.0, "thrice": 3.0, "quarter": 0.25}
_NUMERALS, _LETTERS = frozenset([*WORDS, *MULTIPLES, *SINGLE]), re.compile(r"[a-z]+")
_WORD = rf"(?:{'|'.join([*WORDS, *MULTIPLES])})"
_SPELLED = re.compile(rf"\b(?:{_WORD}(?:(?:[\s-]+|\s+and\s+){_WORD})*|{'|'.join(SINGLE)})\b", re.IGNORECASE)
_HAN_WORD = re.compile(r"半(?![径岛球导])|(?<!第)一(?=[个只本张条位次天年月周倍层件块元种家人台页名座公米])|双(?=[倍份])")


@dataclass(frozen=True)
class Number:
    """A number as it stands in a text: its plain value, and the value with its unit word (万, million, %) worked in."""

    value: float
    scaled: float
    unit: str = ""


@lru_cache(maxsize=512)
def numbers(text: str) -> tuple[Number, ...]:
    """Every number in the text in order of appearance: digits in any width, thousands separators, percent, unit words, Chinese numerals.

    Dates and codes (`A10023`) are not numbers, nor are words that only hold a numeral (十分, 万一, 第一, 五六个).
    """
    plain = _without_codes(without_dates(text))
    if not plain.isascii():
        plain = _FORMAL.sub(lambda match: match.group().translate(FORMAL), plain)
    found: list[tuple[int, Number]] = []

    def take(match: Match[str], read: Callable[[Match[str]], Number | None]) -> str:
        if (number := read(match)) is not None:
            found.append((match.start(), number))
        return _blank(match)

    for pattern, read in _NUMBERS if not plain.isascii() else _LATIN_NUMBERS:
        plain = pattern.sub(partial(take, read=read), plain)
    return tuple(number for _, number in sorted(found, key=itemgetter(0)))


@lru_cache(maxsize=512)
def number_words(text: str) -> tuple[float, ...]:
    """Values of numbers said in words that count as such only in a calculation: "twice", "a dozen", "twenty-five", 一个, 半年."""
    found: list[tuple[int, float]] = []
    if not _NUMERALS.isdisjoint(_LETTERS.findall(text.casefold())):
        found += [(match.start(), value) for match in _SPELLED.finditer(text) for value in _spelled(match.group().lower())]
    if not text.isascii():
        found += [(match.start(), {"半": 0.5, "一": 1.0, "双": 2.0}[match.group()]) for match in _HAN_WORD.finditer(text)]
    return tuple(value for _, value in sorted(found, key=itemgetter(0)))


@lru_cache(maxsize=512)
def dates(text: str) -> tuple[str, ...]:
    """Every full date in the text as YYYY-MM-DD, in order of appearance, each once."""
    plain = _narrow(text)
    found: list[tuple[int, str]] = []
    for pattern, (year, month, day) in _DATES if _YEAR.search(plain) else ():
        found += [(match.start(), _day(match.group(year), match.group(month), match.group(day))) for match in pattern.finditer(plain)]
    return tuple(dict.fromkeys(day for _, day in sorted(found) if day))


_DATES = ((_ISO, (1, 2, 3)), (_HAN_DATE, (1, 2, 3)), (_DMY, (3, 2, 1)), (_MDY, (3, 1, 2)), (_DOTTED, (3, 2, 1)))
"""Patterns of dates, with their groups for year, month and day."""
_YEAR = re.compile(r"[\d年](?:(?<=年)|\d{3}(?:[-/.]|(?<=[.\s]\d{4})))")
"""What each of them holds, 年 or four digits beside a mark or a blank; searched for much faster than they are."""


@lru_cache(maxsize=64)
def without_dates(text: str) -> str:
    """The text with every full date blanked out, and full-width characters made ordinary."""
    text = _narrow(text)
    for pattern, _ in _DATES if _YEAR.search(text) else ():
        text = pattern.sub(_blank, text)
    return text


def _narrow(text: str) -> str:
    return text if text.isascii() else text.translate(FULL_WIDTH)


def _without_codes(text: str) -> str:
    if not _DIGIT.search(text):
        return text
    return _CODE.sub(lambda match: match.group() if _NO_CODE.fullmatch(match.group()) else _blank(match), text)


def _blank(match: Match[str]) -> str:
    return " " * len(match.group())


@lru_cache(maxsize=512)
def codes(text: str) -> tuple[str, ...]:
    """Identifiers that mix letters and digits (`A10023`, `INV-2024-7`, `T9`), in order, each once; ordinals and units are not."""
    found = (match.group() for match in _CODE.finditer(without_dates(text)))
    return tuple(dict.fromkeys(code for code in found if not _NO_CODE.fullmatch(code)))


def shape(code: str) -> str:
    """The form of a code: letters as A (or a), digits as 9: `A10023` and `B20001` share `A99999`."""
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "9", code)))


_EXPRESSION = re.compile(r"(?:(?<![A-Za-z0-9_.(])|(?<=[A-Za-z0-9_.]\())[(]*+\d+(?:\.\d+)?(?:\s*+[-+*/^]\s*+[(]*+\s*+\d+(?:\.\d+)?\s*[)]*){1,20}(?![A-Za-z0-9_]|\.\d)")


def expressions(text: str) -> tuple[str, ...]:
    """Sums written out in the text (`(614-55)*9`), balanced, with more than a minus or slash between two numbers."""
    plain = _without_codes(without_dates(text)).replace("×", "*").replace("÷", "/")
    found = (match.group().strip() for match in _EXPRESSION.finditer(plain))
    return tuple(part for part in found if part.count("(") == part.count(")") and re.search(r"[*+^(]|/.*/|-.*-|\s[-/]\s", part))


# ── reading single matches ────────────────────────────────────────────────────


def _around(match: Match[str]) -> tuple[str, str]:
    """What stands close before and behind it: texts may be long, and hold many numbers."""
    return match.string[max(0, match.start() - NEARBY) : match.start()], match.string[match.end() : match.end() + NEARBY]


def _digits(match: Match[str]) -> Number:
    value = float(re.sub(r"[,\u00a0\u202f\u2009]", "", match.group(1)))
    before = _around(match)[0]
    if before[-1:] in {"-", "−"} and (len(before) < 2 or before[-2] in " (=:,、\n\t"):
        value = -value
    unit = (match.group(2) or "").lower()
    if unit in SHARES:
        return _share(value, SHARES[unit])
    return Number(value, value * SCALES.get(unit, 1.0), unit)


def _share(value: float, whole: int) -> Number:
    """A share as a percentage, or as so many in a thousand."""
    if whole == 1000:
        return Number(value, value / 1000, "‰")
    hundredths = round(value * 100 / whole, 10)
    return Number(hundredths, hundredths / 100, "%")


def _mixed(match: Match[str]) -> Number:
    """Digits with a scale between them: 1万2千, 3亿5000万; what follows without a unit is of the next one (2万5)."""
    head, scale, rest, small, large = match.groups()
    step = HAN_SCALES[scale] // 10 if len(rest) == 1 else 1
    unit = HAN_UNITS[small] if small else HAN_SCALES[large] if large else step
    value = float(head) * HAN_SCALES[scale] + int(rest) * unit
    return Number(value, value)


def _han(match: Match[str]) -> Number | None:
    """A Chinese numeral; None where it says about how many (五六个) or is a word (第一, 一致) rather than a number."""
    if match["whole"] and max(len(match["whole"]), len(match["part"])) > LONGEST:
        return None
    if match["whole"]:
        whole, part = _han_value(match["whole"]), _decimal(match["part"])
        if whole in {100, 1000}:
            return _share(part, int(whole))
        return Number(part / whole, part / whole) if whole else None
    body, decimals, scale = match["body"], match["decimals"], match["scale"]
    if len(body) > LONGEST:
        return None
    before, after = _around(match)
    if body == "一" and not decimals and not scale and not match["share"] and not (_SUMS[0].search(before) or _SUMS[1].match(after)):
        return None
    if set(body) <= {"百", "千", "万", "亿"} and not match["share"]:
        return None
    if _AFTER_SOME.search(before) or (_SOME_AFTER.match(after) and body[-1] in HAN_UNITS) or _about(body, after):
        return None
    if match["share"]:
        digits = [HAN_DIGITS[char] for char in body if char in HAN_DIGITS]
        return _share(digits[0] + digits[1] / 10 if len(digits) == 2 and len(body) == 2 else _decimal(body + (decimals or "")), 10)
    value = _decimal(body + (decimals or ""))
    scaled = value * HAN_SCALES.get(scale, 1)
    return Number(scaled, scaled)


def _about(body: str, after: str) -> bool:
    """Whether two neighbouring digits say "five or six" (五六个, 两三千), not a year or a number read digit by digit."""
    digits = re.match(r"[十百]?([一二两三四五六七八])([二两三四五六七八九])(?:[十百千万亿]*)$", body)
    return digits is not None and HAN_DIGITS[digits[2]] == HAN_DIGITS[digits[1]] + 1 and after[:1] not in set("年号楼室班届期")


def _decimal(text: str) -> float:
    body, _, decimals = text.partition("点")
    return float(f"{_han_value(body)}.{''.join(str(HAN_DIGITS[char]) for char in decimals) or '0'}")


def _han_value(text: str) -> int:
    """十二, 两万三千, 一亿零五, 二〇二四; a last digit without a unit is of the next one (一千二, 三万五)."""
    if not set(text) & (HAN_UNITS.keys() | HAN_SCALES.keys()):
        return int("".join(str(HAN_DIGITS[char]) for char in text))
    total, section, digit, unit = 0, 0, 0, 1
    for char in text:
        if char in HAN_DIGITS:
            digit = HAN_DIGITS[char]
            unit = 1 if digit == 0 else unit
        elif char in HAN_UNITS:
            unit = HAN_UNITS[char]
            section, digit = section + (digit or 1) * unit, 0
        else:
            scale = HAN_SCALES[char]
            whole = total + section + digit if scale > 10**4 and total else section + digit
            total = (whole or 1) * scale + (0 if scale > 10**4 and total else total)
            section, digit, unit = 0, 0, scale
    return total + section + digit * (unit // 10 if digit and unit > 10 else 1)


def _word(match: Match[str]) -> None:
    """No number, but a word that holds a numeral."""


_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[Match[str]], Number | None]], ...] = (
    (_MIXED, _mixed), (_NUMBER, _digits), (_WORDS_WITH_NUMERALS, _word), (_HAN_NUMBER, _han),
)  # fmt: skip
"""What is looked for, in this order; what one has taken the next do not see."""
_LATIN_NUMBERS = ((_NUMBER, _digits),)
"""Those that may stand in a text of ASCII characters alone."""


def _spelled(phrase: str) -> list[float]:
    """Values of a run of number words: "two hundred and five" is one, "three or four" and "one two" are several."""
    if phrase in SINGLE:
        return [SINGLE[phrase]]
    out: list[float] = []
    total, group, last = 0.0, 0.0, float("inf")
    open_ = False
    for word in re.findall("[a-z]+", phrase):
        if word in MULTIPLES:
            size = MULTIPLES[word]
            if size in {100.0, 12.0}:
                group = (group or 1) * size
            else:
                total, group = total + (group or 1) * size, 0.0
            last, open_ = size, True
        elif word in WORDS:
            value = WORDS[word]
            if open_ and not (value < last and (last >= 100 or (last >= 20 and 0 < value < 10))):
                out.append(total + group)
                total, group = 0.0, 0.0
            group, last, open_ = group + value, value, True
    return [*out, total + group]


def _month(name: str) -> int:
    plain = name.lower()
    return next((n for n, month in enumerate(MONTHS, 1) if plain == month or plain == month[:3] or plain == "sept" == month[:4]), 0)


def _day(year: str, month: str, day: str) -> str:
    """The date as YYYY-MM-DD; "" where there is no such day."""
    parts = [_month(part) if part.isascii() and part.isalpha() else int(part) if part.isdigit() else _han_value(part) for part in (year, month, day)]
    try:
        return dt.date(*parts).isoformat()
    except ValueError:
        return ""
