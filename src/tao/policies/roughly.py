"""Other ways to say a known value: rounded, in another unit of its kind, as a day without its year, or a constant that everybody knows."""

import math
import re
from collections.abc import Iterable

from tao.arithmetic import same
from tao.measures import ACRE, FOOT, GALLON, IMPERIAL_GALLON, INCH, MILE, OUNCE, POUND, YARD
from tao.quantities import MONTHS, Number, without_dates

ABOUT = re.compile(r"约|左右|上下|将近|接近|[\d零一二三四五六七八九十百千万亿](?:多|余)|\b(?:about|around|approximately|approx|roughly|nearly|almost|over|under|more than|less than)\b|[~≈]", re.IGNORECASE)
ROUND = 100
"""From so many (549万) a whole number of millions or the like may be a rounded one."""
CONSTANTS = frozenset({3.14, 3.1416, 3.14159, 3.141593, 3.14159265, 2.718, 2.71828, 9.8, 9.81, 24.0, 60.0, 360.0, 365.0, 366.0, 1024.0})
SCALED = (
    (r"km|kilo|公里|千米|公斤|千克|吨|\bkg\b|\btons?\b|tonnes?|litres?|liters?|升|kW", 1000.0), (r"\b(?:m|g|mm|mg|ml|w|metres?|meters?|grams?|watts?)\b|(?<!平方)(?<![千厘毫分])米|(?<![千毫])克|毫升|瓦", 0.001),
    (r"\bcm\b|centi|厘米|公分|%|％|percent|per cent", 0.01), (r"\bhours?\b|\bh\b|\bmin(?:utes?)?\b|小时|钟头|分钟", 60.0), (r"\bseconds?\b|\bmin(?:utes?)?\b|秒|分钟", 1 / 60), (r"\bhours?\b|\bh\b|小时|钟头", 3600.0),
    (r"\bdays?\b|天", 24.0), (r"\bweeks?\b|周|星期", 7.0),
)  # fmt: skip
"""Units by their words in an answer, each with how much of a smaller one (or of a larger one, below 1) it is."""
_HAN_DAY = re.compile(r"(?<!\d)(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]")
_NAMED_DAY = re.compile(rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?({'|'.join(f'{month}|{month[:3]}' for month in MONTHS)})\b\.?(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b)?", re.IGNORECASE)
CONVERTED = tuple((re.compile(words, re.IGNORECASE), factors) for words, factors in (
    (r"\bft\b|\bfeet\b|\bfoot\b|英尺|′", (1 / FOOT, 0.01 / FOOT)), (r"\bmiles?\b|\bmi\b|\bmph\b|英里", (1 / MILE, 0.001 / MILE)), (r"\binch(?:es)?\b|\bin\b|英寸|″", (1 / INCH, 100 / INCH)),
    (r"\blbs?\b|\bpounds?\b|磅", (1 / POUND,)), (r"\boz\b|\bounces?\b|盎司", (1 / OUNCE,)), (r"\bgal(?:lons?)?\b|加仑", (1 / GALLON, 1 / IMPERIAL_GALLON)), (r"\bacres?\b|英亩", (10_000 / ACRE, 1 / ACRE)),
    (r"\bkb\b|\bkib\b", (1e-3, 2.0**-10)), (r"\bmb\b|\bmib\b|兆", (1e-6, 2.0**-20, 1e-3, 2.0**-10)), (r"\bgb\b|\bgib\b", (1e-9, 2.0**-30, 1e-6, 2.0**-20, 1e-3, 2.0**-10)),
))  # fmt: skip
"""Units of another system by their words in an answer, each with how many of it make one of the known ones; the number is rounded as shown."""
IMPERIAL = re.compile(r"\b(?:ft|feet|foot|miles?|mi|mph|inch(?:es)?|yards?|lbs?|pounds?|gallons?)\b|英[尺里寸码]|磅|加仑", re.IGNORECASE)
METRIC = MILE, FOOT, YARD, INCH, FOOT * 100, POUND, GALLON, IMPERIAL_GALLON
"""How much of a metric unit an imperial one is; where an answer names both."""
DEGREES = re.compile(r"°\s*[CF]\b|℃|℉|celsius|fahrenheit|摄氏|华氏|\bdegrees\b", re.IGNORECASE)
_SPAN = re.compile(r"(?<![\d.])(\d{1,4})\s*(?:h|hrs?|hours?|个?小时|个?钟头)[\s,，]*(?:and\s+|零)?(\d{1,2})\s*(?:m|mins?|minutes?|分钟?)(?![a-z])(?:[\s,，]*(?:and\s+)?(\d{1,2})\s*(?:s|secs?|seconds?|秒))?", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2}):(\d\d)(?::\d\d)?(?!\d|\s*[ap]\.?m)|(?<![\d:])(\d{1,2})(?::(\d\d))?\s*(?:[ap]\.?m\b\.?)|(?:上午|下午|早上|晚上|中午|凌晨)\s*(\d{1,2})\s*(?:[点:：时]\s*(\d{1,2})?)?", re.IGNORECASE)


def roughly(number: Number, answer: str, values: Iterable[float]) -> bool:
    """Whether a number of the answer is a known one said in another way."""
    known = list(values)
    if number.value in CONSTANTS or rounded(number, known):
        return True
    if ABOUT.search(answer) and any(_shortened(number.scaled, value) for value in known):
        return True
    if any(_rounds_to(number.value, value * factor) for words, factors in CONVERTED if words.search(answer) for factor in factors for value in known):
        return True
    if IMPERIAL.search(answer) and any(_rounds_to(number.value, value * factor) for factor in METRIC for value in known):
        return True
    if DEGREES.search(answer) and any(_rounds_to(number.value, other) for value in known for other in (value * 1.8 + 32, (value - 32) / 1.8)):
        return True
    factors = [factor for words, factor in SCALED if re.search(words, answer, re.IGNORECASE)]
    return any(same(number.value, value / factor) for value in known for factor in factors)


def rounded(number: Number, values: Iterable[float]) -> bool:
    """Whether it is a known number said in round millions (or thousands, 万 …): 5.5 million for 5,488,984."""
    unit = number.scaled / number.value if number.value else 1.0
    whole = 0.5 if number.value >= ROUND else 0.0
    return unit > 1 and any(same(number.value, value / unit) or abs(number.value - value / unit) <= whole for value in values)


def _rounds_to(said: float, value: float) -> bool:
    """Whether it is the value as far as it shows decimals; a whole number may be off by half."""
    return same(said, value) or (said.is_integer() and abs(said) >= 1 and abs(said - value) <= 0.5)


def without_known_spans(answer: str, values: Iterable[float]) -> str:
    """The answer without times in two units (2 hours 15 minutes) that are a known number of minutes, seconds or hours."""
    known = set(values)

    def blank(found: re.Match[str]) -> str:
        seconds = int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3] or 0)
        return " " if not known.isdisjoint({float(seconds), seconds / 60, seconds / 3600}) else found[0]

    return _SPAN.sub(blank, answer)


def _shortened(said: float, value: float) -> bool:
    """Whether it is the value with its last digits rounded or cut off, as far as it shows digits: 548万 and 549万 for 5,488,984, not 560万."""
    if said <= 0 or value <= 0 or not math.isfinite(said):
        return False
    digits = f"{said:.12g}"
    if "e" in digits:
        return False
    step = 10.0 ** (len(digits) - len(digits.rstrip("0"))) if "." not in digits else 10.0 ** -len(digits.partition(".")[2])
    return abs(value / step - said / step) < 1 if said <= value else abs(value / step - said / step) <= 0.5


def without_known_moments(answer: str, days: Iterable[str], text: str) -> str:
    """The answer without full dates, and without those days (March 14, 3月14日) and times of day (2:35 pm, 下午2点35) that are among the known ones."""
    known_days = {(int(day[5:7]), int(day[8:10])) for day in days}
    return _CLOCK.sub(lambda found: " " if _is_time(found, text) else found[0], _NAMED_DAY.sub(
        lambda found: " " if any((_month(found[2]), int(day)) in known_days for day in (found[1], found[3]) if day) else found[0],
        _HAN_DAY.sub(lambda found: " " if (int(found[1]), int(found[2])) in known_days else found[0], without_dates(answer)),
    ))  # fmt: skip


def _month(name: str) -> int:
    return next(number for number, month in enumerate(MONTHS, 1) if month.startswith(name[:3].lower()))


def _is_time(found: re.Match[str], text: str) -> bool:
    """Whether the known text has this time of day, on a clock of 12 or 24 hours."""
    hour, minute = int(found[1] or found[3] or found[5]), found[2] or found[4] or found[6] or "00"
    return any(re.search(rf"(?<!\d)0?{one}(?:[:：点时]\s*{minute.zfill(2)}|[:：点时]\s*(?!\d))", text) for one in (hour, hour % 12, hour % 12 + 12))
