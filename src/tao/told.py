"""All that a run was told, and the values in it. Each text is looked through once for each kind of value, when one is first asked for."""

import calendar
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from tao.arithmetic import usual
from tao.events import Asked, Decided, Event, Nudged, Observed, Recalled
from tao.quantities import FORMAL, MONTHS, WORDS, dates, number_words, numbers, without_dates
from tao.run import Grown, Run
from tao.toolset import FIND_TOOL, SHOWN

KIND = "unfounded"
"""The kind of the observation of a call that was refused for values from nowhere."""
FACTORS = (2.0, 3.0, 4.0, 7.0, 10.0, 12.0, 24.0, 30.0, 52.0, 60.0, 100.0, 365.0, 1000.0, 3600.0, 10_000.0, 1_000_000.0)
"""By which a known number may be multiplied or divided to be one still: parts, weeks, hours, percent, kilo, 万."""
UNITS = tuple((words.replace(r"\b", "").split("|"), re.compile(words, re.IGNORECASE), values) for words, values in (
    (r"\bhour|小时|钟头", (60.0, 3600.0)), (r"\bday|\bdaily|天|日", (24.0, 1440.0, 86_400.0)), (r"\bweek|周|星期|礼拜", (7.0, 168.0, 604_800.0)), (r"\bmonth|月", (30.0, 31.0)),
    (r"\byear|\bannual|年", (12.0, 52.0, 365.0, 366.0)), (r"\bminute|分钟", (60.0,)), (r"\bpi\b|π|圆周率", (3.14, 3.1416, 3.14159, 6.28, 6.2832, 6.28319)),
))  # fmt: skip
"""Units in smaller ones, by pieces of their words and by the words: pieces are found faster."""
_YEAR = re.compile(r"(?:19|20|21)(?<!\d..)\d\d(?!\d)")
_HAN_DAY = re.compile(r"(?<!\d)(\d{1,2}|[一二三四五六七八九十]{1,2})\s*月(?:份)?\s*(?:(\d{1,2}|[一二三四五六七八九十]{1,3})\s*[日号])?")
_SLASHED = re.compile(r"(\d(?<![\d./-]\d)\d?)[/.-](\d{1,2})(?![\d/.-]*\d)")  # a digit first, and only then what stands before it: so it is found faster
_FIGURES = re.compile(r"(?<![\d./-])(?:(\d{1,2})[/.-](\d{1,2})[/.-]((?:19|20|21)\d\d)|((?:19|20|21)\d\d)(\d\d)(\d\d))(?![\d/-])")
_MONTH = "|".join(f"{month}|{month[:3]}" for month in MONTHS) + "|sept"
_LATIN_DAY = re.compile(rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b({_MONTH})\b\.?(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b)?", re.IGNORECASE)
FEASTS = {
    "christmas": (12, 25), "xmas": (12, 25), "christmas eve": (12, 24), "boxing day": (12, 26), "new year": (1, 1), "new year's eve": (12, 31), "valentine": (2, 14),
    "halloween": (10, 31), "independence day": (7, 4), "fourth of july": (7, 4), "women's day": (3, 8), "labour day": (5, 1), "children's day": (6, 1), "april fool": (4, 1),
    "圣诞": (12, 25), "平安夜": (12, 24), "元旦": (1, 1), "新年": (1, 1), "跨年": (12, 31), "情人节": (2, 14), "万圣": (10, 31), "妇女节": (3, 8), "劳动节": (5, 1), "五一": (5, 1),
    "儿童节": (6, 1), "六一": (6, 1), "教师节": (9, 10), "国庆": (10, 1), "双十一": (11, 11), "双11": (11, 11), "双十二": (12, 12), "双12": (12, 12), "愚人节": (4, 1),
}  # fmt: skip
"""Days that are called by a name and are the same in every year."""
_LATIN_FEASTS = {name: day for name, day in FEASTS.items() if name.isascii()}
_BETWEEN = "\0"
_STEMS = tuple(month[:3] for month in MONTHS)
_YEARED, _PARTED = re.compile(r"(?:19|20|21)\d\d"), re.compile(r"[/.-](?<=\d.)\d")
"""What has to stand in a text with such dates; searched for much faster than they are."""
_OF_A_YEAR = re.compile(r"[-/.](?<=\d{4}.)(?<!\d{5}.)(\d{1,2})(?!\d)")
_HOURS = re.compile(r"(?<![\d.])(\d{1,3})\s*(?:h|hrs?|hours?|个?小时|个?钟头)\s*(?:and\s+)?(\d{1,2})\s*(?:m|mins?|minutes?|分钟?)(?![a-z])", re.IGNORECASE)
_FEET = re.compile(r"(?<![\d.])(\d)\s*(?:'|′|ft\.?|feet|foot|英尺)\s*(?:and\s+)?(\d{1,2})(?=\s*(?:\"|″|in\b|inch|英寸|$))", re.IGNORECASE)
_PARTS = re.compile(r"\d\s*(?:[h'′f个小钟英])", re.IGNORECASE)
_HALF = re.compile(r"\b(\w+)(?: (?:hours?|days?|weeks?|months?|years?|miles?|dozen))? and a half\b", re.IGNORECASE)
_HAN_HALF = re.compile(r"(?<!\d)(\d{1,2}|[一二三四五六七八九十]{1,3})[个天年周]半")
_HAN = {char: value for value, char in enumerate("零一二三四五六七八九十")}
T = TypeVar("T")


class Over(Generic[T]):
    """What `look` finds in the texts of a list that only grows: each text is looked through once. `found` is for reading only."""

    def __init__(self, texts: list[str], look: Callable[[str], Iterable[T]]) -> None:
        self._texts, self._look, self._done = texts, look, 0
        self._found: dict[T, None] = {}

    @property
    def found(self) -> dict[T, None]:
        """Everything, each once, in order."""
        end = len(self._texts)
        for text in self._texts[self._done : end]:
            self._found.update(dict.fromkeys(self._look(text)))
        self._done = end  # what came meanwhile is looked through next time
        return self._found


@dataclass(slots=True)
class Days:
    """The days that texts name."""

    full: set[str] = field(default_factory=set)
    """Full dates, also those in figures: as many of them as each may be."""
    named: set[tuple[int, int]] = field(default_factory=set)
    """Months and days without a year: (3, 14); (3, 0) where only the month is named."""
    slashed: set[tuple[int, int]] = field(default_factory=set)
    """Pairs like 3/14 or 14.3, in both orders."""
    years: set[int] = field(default_factory=set)
    """Years of our time."""


class Told:
    """The texts of a run, and what stands in them."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._days, self._dated = Days(), 0
        self._ordered: list[float] = []
        self._usual: list[float] = []
        self._counted = 0

    def holds(self, part: str) -> bool:
        """Whether one of the texts holds this, in any case."""
        folded = part.casefold()
        return any(folded in text for text in self.folded.found)

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Whether the pattern is found in one of the texts."""
        return any(pattern.search(text) for text in self.texts)

    @cached_property
    def folded(self) -> Over[str]:
        """The texts without case."""
        return Over(self.texts, lambda text: (text.casefold(),))

    @cached_property
    def bare(self) -> Over[str]:
        """Letters and digits of the texts alone, without case."""
        return Over(self.texts, lambda text: (bare(text),))

    @cached_property
    def undated(self) -> Over[str]:
        """The texts with their dates blanked out."""
        return Over(self.texts, lambda text: (without_dates(text),))

    @cached_property
    def amounts(self) -> Over[float]:
        """Every number, plain and with its unit worked in, and those in words."""
        return Over(self.texts, lambda text: (*(value for number in numbers(text) for value in (number.value, number.scaled)), *number_words(text), *joined(text)))

    @cached_property
    def units(self) -> Over[float]:
        """What one of the units that the texts name is in smaller ones (the past hour: 60 minutes, 3600 seconds)."""
        return Over(self.texts, units)

    @property
    def days(self) -> Days:
        """The days that the texts name; for reading only."""
        end = len(self.texts)
        if self._dated < end:
            note_days(self._days, self.texts[self._dated : end])
            self._dated = end
        return self._days

    @property
    def values(self) -> list[float]:
        """Amounts and units, in ascending order; for reading only."""
        amounts, units = self.amounts.found, self.units.found
        if len(amounts) + len(units) > self._counted:
            self._ordered, self._counted = sorted({*amounts, *units}), len(amounts) + len(units)
            self._usual = usual(self._ordered)
        return self._ordered

    @property
    def usual(self) -> list[float]:
        """Those of the values that are reckoned with, in ascending order; for reading only."""
        return self._usual if self.values else []


# ── read off a run ────────────────────────────────────────────────────────────


def told(run: Run) -> Told:
    """All that the run was told: question, instructions, conversation, notes, checks, and whatever came back; not what was only refused."""
    return _told(run).told


@dataclass(slots=True)
class _Telling:
    """What was told by now; `calls` says by their ids which tools were called, `large` whether tools are looked up."""

    told: Told = field(default_factory=Told)
    large: bool = False
    calls: dict[str, str] = field(default_factory=dict)


def _tell(telling: _Telling, event: Event) -> _Telling:
    new: tuple[str, ...] = ()
    match event:
        case Asked():
            telling.large = SHOWN in event.settings
            new = (event.question, event.instructions, *(message.content for message in event.history))
        case Recalled():
            new = event.notes
        case Nudged() if event.outside:
            new = (event.text,)
        case Decided():
            telling.calls |= {call.id: call.tool for call in event.calls}
        case Observed(call_id=call_id, observation=seen) if call_id in telling.calls and seen.kind != KIND:
            new = () if telling.large and telling.calls[call_id] == FIND_TOOL else (seen.full or seen.text,)
    telling.told.texts += filter(None, new)
    return telling


_told = Grown(_Telling, _tell)


# ── read off a text ───────────────────────────────────────────────────────────


def bare(text: str) -> str:
    """Letters and digits alone, without case."""
    return re.sub(r"[\W_]", "", text).casefold()


def numeric_days(text: str) -> list[tuple[str, ...]]:
    """Days written in figures that do not begin with the year (19/03/2024: each that it may be), and those without any mark (20240319)."""
    found = []
    for match in _FIGURES.finditer(text) if _YEARED.search(text) else ():
        day, month, year = map(int, match.group(1, 2, 3) if match[1] else match.group(6, 5, 4))
        pairs = {(month, day), (day, month)} if match[1] else {(month, day)}
        both = tuple(f"{year:04}-{m:02}-{d:02}" for m, d in sorted(pairs) if 1 <= m <= 12 and 1 <= d <= calendar.monthrange(year, m)[1])
        found += [both] if both else []
    return found


def note_days(days: Days, texts: list[str]) -> None:
    """Put the days that these texts name among those known.

    Most texts name none, so all are looked through as one; between them stands what is part of no day.
    """
    plain = [without_dates(text) for text in texts]
    whole, undated = _BETWEEN.join(texts), _BETWEEN.join(plain)
    if whole != undated:
        days.full.update(day for text in texts for day in dates(text))
    if _YEARED.search(whole):
        days.full.update(day for either in numeric_days(whole) for day in either)
        days.years.update(map(int, _YEAR.findall(whole)))
    if _PARTED.search(undated):
        pairs = [(int(match[1]), int(match[2])) for match in _SLASHED.finditer(undated)]
        days.slashed.update(pair for a, b in pairs for pair in ((a, b), (b, a)))
        days.named.update((int(match[1]), 0) for match in _OF_A_YEAR.finditer(undated))
    days.named.update(month_days(undated))


def month_days(text: str) -> list[tuple[int, int]]:
    """Months and days that the text names in words: (3, 14), and (3, 0) for the month itself."""
    plain = text if text.isascii() else text.translate(FORMAL)
    found = [(_ordinal(match[1]), _ordinal(match[2])) for match in _HAN_DAY.finditer(plain)] if "月" in plain else []
    folded = plain.casefold()
    for match in _LATIN_DAY.finditer(plain) if any(stem in folded for stem in _STEMS) else ():
        month = _STEMS.index(match[2][:3].casefold()) + 1
        found += [(month, int(day)) for day in (match[1], match[3]) if day] + [(month, 0)]
    feasts = _LATIN_FEASTS if folded.isascii() else FEASTS
    return [*found, *((month, 0) for month, _ in found), *(day for name, day in feasts.items() if name in folded)]


def joined(text: str) -> list[float]:
    """Amounts in two units or with a half (1h30m, 5 feet 11, 一个半小时, two and a half), in the larger unit; of feet in inches."""
    found: list[float] = []
    if _PARTS.search(text):
        found += [float(match[1]) + float(match[2]) / 60 for match in _HOURS.finditer(text)]
        found += [float(match[1]) * 12 + float(match[2]) for match in _FEET.finditer(text)]
    found += [_ordinal(match[1]) + 0.5 for match in _HAN_HALF.finditer(text.replace("两", "二"))] if "半" in text else []
    halves = [match[1].casefold() for match in _HALF.finditer(text)] if "half" in text else []
    return found + [(float(word) if word.isdecimal() else WORDS.get(word, 1.0)) + 0.5 for word in halves]


def units(text: str) -> list[float]:
    """What one of the units that the text names is in smaller ones."""
    folded = text.casefold()
    return [value for pieces, words, values in UNITS if any(piece in folded for piece in pieces) and words.search(text) for value in values]


def _ordinal(text: str | None) -> int:
    """3, 三, 十二, 三十一; 0 for nothing."""
    if not text:
        return 0
    if text.isascii():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_HAN.get(tens, 1) * 10 if ten else 0) + _HAN.get(ones, 0)
