"""Arithmetic as people write it, put into the signs that the calculator reads. What could mean two things is refused."""

import re
import unicodedata

from tao.quantities import HAN_DIGITS, HAN_UNITS, numbers
from tao.tools.builtin.functions import CalculationError
from tao.tools.words import say

_SIGNS = str.maketrans({
    "×": "*", "✕": "*", "✖": "*", "·": "*", "⋅": "*", "∙": "*", "•": "*", "÷": "/", "∕": "/", "−": "-", "–": "-", "—": "-", "＝": "=",
    "【": "(", "】": ")", "、": ",", "π": " pi ", "％": "%", "［": "(", "］": ")", "｛": "(", "｝": ")", "￥": "¥", "的": "*",
})  # fmt: skip
_BRACKETS = str.maketrans("[]{}", "()()")
_WORDS = (("\\times", "*"), ("\\cdot", "*"), ("\\div", "/"), ("乘以", "*"), ("除以", "/"), ("加上", "+"), ("减去", "-"), ("加", "+"), ("减", "-"), ("乘", "*"), ("等于", "="))
_ENGLISH = {"plus": "+", "minus": "-", "times": "*", "multiplied by": "*", "divided by": "/"}
_SAID = re.compile(rf"\b(?:{'|'.join(_ENGLISH)})\b", re.IGNORECASE)
_PERCENT = re.compile(r"(?<=\d)\s*per\s?cent\b", re.IGNORECASE)
_OF = re.compile(r"(%|\d\s*/\s*\d+)\s*of\s*(?=[\d(√.])", re.IGNORECASE)
_SPACED = re.compile(r"(?<=\d)(?:_|[\u00a0\u2009\u202f](?=\d{3}(?!\d)))(?=\d)")
_MONEY = re.compile(r"([$€£¥])\s*(?=[\d.(])|(?<=\d)\s*([$€£¥])")
_PART = re.compile("(?:(?<![\\d.])(\\d+)\\s?|(?<!\\d))([\u00bc-\u00be\u2150-\u215e\u2189])")
_MIXED = re.compile(r"(?<![\d.,])(?<!\d\s)([1-9]\d*)\s+([1-9]\d*)\s*/\s*([1-9]\d*)(?![\d.,])")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺"
_POWER = re.compile(f"[{_RAISED}]+")
_LOWERED = str.maketrans(_RAISED, "0123456789-+")
_LISTED = re.compile(r"(?<=[A-Za-z0-9])\(\s*\[([^\[\]]*)\]\s*\)")
_HAN = "〇零一二两三四五六七八九十百千壹贰叁肆伍陆柒捌玖拾佰仟萬億兩"
_NUMERAL = re.compile(f"[\\d.{_HAN}点折成万亿]*[{_HAN}折成][\\d.{_HAN}点折成万亿]*")


def plain(expression: str) -> str:
    """The expression with the reader's own signs: 2½ as (2+1/2), 5² as 5^(2), $5 as 5, 三乘以四 as 3*4. Raises CalculationError."""
    text = re.sub(r"^\s*<<(.*)>>\s*$", r"\1", expression)
    text = _SPACED.sub("", text.translate(_SIGNS))
    text = _POWER.sub(lambda raised: f"^({raised[0].translate(_LOWERED)})", _PART.sub(_part, text))
    if any(unicodedata.decomposition(char).startswith(("<fraction>", "<super>", "<sub>")) for char in text):
        raise CalculationError(say("write fractions and powers with / and ^", "分数和乘方请用 / 和 ^ 书写"))
    text = _without_money(unicodedata.normalize("NFKC", text))
    for word, sign in _WORDS:
        text = text.replace(word, sign)
    text = _SAID.sub(lambda word: f" {_ENGLISH[word[0].lower()]} ", text)
    text = _OF.sub(r"\1*", _PERCENT.sub("%", text))
    text = _MIXED.sub(_mixed, _LISTED.sub(r"(\1)", text)).translate(_BRACKETS)
    text = text if text.isascii() else _without_numerals(text)
    return re.sub(r"^\s*=|\s*=\s*[?？]?\s*$|[?？]\s*$", "", text).strip()


def _part(found: re.Match[str]) -> str:
    above, _, below = unicodedata.normalize("NFKC", found[2]).partition("\u2044")
    return f"({found[1] or 0}+{above}/{below})"


def _mixed(found: re.Match[str]) -> str:
    """One and a half, written 1 1/2; two numbers side by side that are no such thing stay."""
    return f"({found[1]}+{found[2]}/{found[3]})" if int(found[2]) < int(found[3]) else found[0]


def _without_money(text: str) -> str:
    signs = {sign for found in _MONEY.finditer(text) for sign in found.groups() if sign}
    if len(signs) > 1:
        listed = " ".join(sorted(signs))
        raise CalculationError(say(f"different currencies ({listed}); convert them first", f"货币不同（{listed}）；请先换算"))
    return _MONEY.sub("", text)


def _without_numerals(text: str) -> str:
    """Chinese numerals as digits, fractions (三分之一) as (1/3)."""
    text = re.sub(f"([\\d{_HAN}万亿]+)分之([\\d{_HAN}万亿]+)", lambda found: f"({_digits(found[2])}/{_digits(found[1])})", text)
    return _NUMERAL.sub(lambda found: found[0] if found[0] in {"百", "千"} else _digits(found[0]), text)


def _digits(numeral: str) -> str:
    """A numeral as digits; what is none stays."""
    single = {**HAN_DIGITS, **HAN_UNITS}.get(numeral)
    found = numbers(numeral)
    value = single if single is not None else found[0].scaled if len(found) == 1 else None
    return numeral if value is None else f"{value:.15g}"
