r"""Ways to write an amount or a day that `tao.quantities` does not read, put into one that it does: for grading alone.

Fractions (3/4, 1 1/2, 2½, \frac{3}{4}), powers (1.5×10^-3, 6.02e23, 2¹⁰), signs in words or before a currency (minus 5, 负五, -$5),
currencies at the digits (USD5), units with a power (100 m^2), and groups as other countries write them (1 000 000, 1.234,56, 12,34,567).
Days: 20260305, 2026. 3. 5., 5-Mar-2026, 2026 March 5, March 5,2026, 12/25/2026.
"""

import math
import re
import unicodedata
from collections.abc import Callable
from functools import partial
from re import Match

from tao.quantities import MONTHS, numbers

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_HAN = "[零〇一二两三四五六七八九十百千万亿]"
_CURRENCY = r"(?:(?:US|HK|NT|[AC])?[$€£¥￥])"
_NUMERAL = r"\d{1,18}(?:\.\d{1,18})?"
_GROUPS = re.compile(r"(?<![\d.,_])(?:\d{1,3}(?: \d{3})+|\d{1,3}(?:_\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})(?![,_]?\d)")
_COMMA = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:\.\d{3})+,\d+|(?<=€)\d+,\d{2}|(?<=€ )\d+,\d{2}|\d+,\d{2}(?=\s?€))(?![\d,])")
_CODE = re.compile(r"\b(?:USD|RMB|CNY|EUR|GBP|JPY|HKD|KRW|INR|AUD|CAD|CHF|SGD|TWD|US|HK|NT)(?=\d)", re.IGNORECASE)
_UNIT = re.compile(r"(?<![A-Za-z])([a-z]{1,3})(?:\^\{?[23]\}?|(?<=m)[23])(?![\w^])")
_LATEX = re.compile(r"\\[dt]?frac\s*\{(\d{1,9})\}\s*\{(\d{1,9})\}")
_VULGAR = re.compile(r"(\d{0,9})\s?([¼-¾⅐-⅞])")
_FRACTION = re.compile(r"(?<![\d/.,])(?:(\d{1,9})[ -])?(\d{1,9}) ?[/⁄] ?(\d{1,9})(?![\d/]|[.,]\d)")
_POWER = re.compile(rf"(?<![A-Za-z0-9_.])(?:({_NUMERAL})\s*(?:[×*·]|x(?=\s*10)|\\times)\s*)?({_NUMERAL})(?:(?:\^|\*\*)[{{(]?([-−+]?\d{{1,3}})[}})]?|([⁻⁺]?[⁰¹²³⁴-⁹]{{1,3}}))(?!\d)")
_EXPONENT = re.compile(rf"(?<![A-Za-z0-9_.])({_NUMERAL})[eE]([+-]?\d{{1,3}})(?![A-Za-z0-9_])")
_SIGN = re.compile(
    rf"(?<![\w)%])[-−–－]\s?{_CURRENCY}\s?(?=\d)|(?<![\w)%.])[–－](?=\d)|(?<!\d)(?<!\d )\b(?:minus|negative)\s+{_CURRENCY}?(?=\d)|(?:负|零下)\s?(?=\d)", re.IGNORECASE,
)
_HAN_SIGN = re.compile(rf"(?:负|零下)({_HAN}{{1,20}}(?:分之{_HAN}{{1,20}})?(?:点{_HAN}{{1,18}})?)")
_FOOTNOTE = re.compile(r"(?<=\S)\s?\[\d{1,3}\](?=[\s.,;。，；\[]|$)")


def amounts(text: str) -> str:
    """The text with these amounts as plain decimals; what cannot be worked out stays as it is."""
    text = _FOOTNOTE.sub("", text)
    text = _GROUPS.sub(lambda match: re.sub(r"[ _,]", "", match.group()), text)
    text = _COMMA.sub(lambda match: match.group().replace(".", "").replace(",", "."), text)
    for pattern, value in _VALUES:
        text = pattern.sub(partial(_written, value=value), text)
    text = _UNIT.sub(r"\1", _CODE.sub(lambda match: match.group() + " ", text))
    text = _HAN_SIGN.sub(lambda match: "".join(f" -{it.value!r}{it.unit}" for it in numbers(match[1])) or match.group(), text)
    return _SIGN.sub(" -", text)


def _written(match: Match[str], value: Callable[[Match[str]], float]) -> str:
    try:
        worked = value(match)
    except (ZeroDivisionError, OverflowError):
        return match.group()
    apart = " " if match.string[match.start() - 1 : match.start()].isalnum() else ""
    return f"{apart}{worked!r} " if math.isfinite(worked) else match.group()


def _fraction(match: Match[str]) -> float:
    whole, above, below = (int(part or 0) for part in match.groups())
    return whole + above / below


def _power(match: Match[str]) -> float:
    exponent = int((match[3] or match[4]).translate(_RAISED).replace("−", "-"))
    if float(match[2]) == 10:
        return float(f"{match[1] or 1}e{exponent}")  # exact, unlike a product
    return float(match[1] or 1) * float(match[2]) ** exponent


_VALUES: tuple[tuple[re.Pattern[str], Callable[[Match[str]], float]], ...] = (
    (_LATEX, lambda match: int(match[1]) / int(match[2])), (_VULGAR, lambda match: int(match[1] or 0) + unicodedata.numeric(match[2])),
    (_FRACTION, _fraction), (_POWER, _power), (_EXPONENT, lambda match: float(f"{match[1]}e{match[2]}")),
)  # fmt: skip


# ── days ──────────────────────────────────────────────────────────────────────

_MONTH = rf"(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in MONTHS)}|sept)"
_PARTS = re.compile(r"(?<![\d.])(\d{4})(?:[‐‑–−](\d{1,2})[‐‑–−]|\.\s(\d{1,2})\.\s)(\d{1,2})(?!\d)")
_BARE = re.compile(r"(?<![\w.])((?:19|20)\d\d)(\d\d)(\d\d)(?!\d|\.\d)")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})[-/]({_MONTH})[-/](?=\d{{4}}\b)", re.IGNORECASE)
_YEAR_FIRST = re.compile(rf"\b(\d{{4}})[-/,]?\s?({_MONTH})\.?[-/ ](\d{{1,2}})(?:st|nd|rd|th)?\b", re.IGNORECASE)
_TIGHT = re.compile(rf"({_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?)(?:,\s?|,?\s+of\s+)(?=\d{{4}}\b)", re.IGNORECASE)
_SLASHES = re.compile(r"(?<![\d/-])(\d{1,2})([-/])(\d{1,2})\2(\d{4})(?![\d/-])")


def days(text: str) -> str:
    """The text with these days in a form that is read. Of 5/3/2026 nobody knows which day it is; 25/3/2026 can be but one."""
    text = unicodedata.normalize("NFKC", text)
    text = _PARTS.sub(lambda match: f"{match[1]}-{match[2] or match[3]}-{match[4]}", text)
    text = _BARE.sub(r"\1-\2-\3", text)
    text = _TIGHT.sub(r"\1, ", _YEAR_FIRST.sub(r"\3 \2 \1", _DAY_FIRST.sub(r"\1 \2 ", text)))
    return _SLASHES.sub(_slashed, text)


def two_ways(text: str) -> tuple[str, ...]:
    """Days in the text that have two readings."""
    return tuple(match.group() for match in _SLASHES.finditer(unicodedata.normalize("NFKC", text)) if _slashed(match) == match.group())


def _slashed(match: Match[str]) -> str:
    first, second = int(match[1]), int(match[3])
    if first == second or first > 12:
        return f"{match[4]}-{second}-{first}"
    return f"{match[4]}-{first}-{second}" if second > 12 else match.group()
