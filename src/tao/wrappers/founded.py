"""Which values of a call come from nowhere: they stand neither in what was said nor in what came back, and follow from nothing.

Pure; reads Chinese and English. Looked at are whole values (an id, a date, a number, a sum, an address of mail, the copy of an
example), and dates within texts. Words of a query are the model's own business. What follows from known numbers in one plain
step is known, and so are small counts and the constants of usual conversions.
"""

import calendar
import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tao.events import Asked, Decided, Event, Nudged, Observed, Recalled
from tao.facts import Known, gather
from tao.messages import Call, ToolSpec
from tao.quantities import FORMAL, MONTHS, Number, codes, dates, follows, multiple, number_words, numbers, stands, without_dates
from tao.run import Grown, Run
from tao.toolset import FIND_TOOL, SHOWN, examples, required

KIND = "unfounded"
"""The kind of the observation of a call that was refused for it."""
SMALL = 12
FACTORS = (2.0, 3.0, 4.0, 7.0, 10.0, 12.0, 24.0, 30.0, 52.0, 60.0, 100.0, 365.0, 1000.0, 3600.0, 10_000.0, 1_000_000.0)
"""By which a known number may be multiplied or divided to be one still: parts, weeks, hours, percent, kilo, 万."""
CONSTANTS = (*FACTORS, 0.5, 0.25, 31.0, 28.0, 29.0, 366.0, 1440.0, 86_400.0, 1024.0, 3.14, 3.1416, 3.14159, 9.8, 9.81, 1.8, 32.0, 273.15, 180.0, 360.0, 1e9)
"""What may stand in a sum without being said."""
UNITS = (
    (r"\bhour|小时|钟头", (60.0, 3600.0)), (r"\bday|\bdaily|天|日", (24.0, 1440.0, 86_400.0)), (r"\bweek|周|星期|礼拜", (7.0, 168.0, 604_800.0)), (r"\bmonth|月", (30.0, 31.0)),
    (r"\byear|\bannual|年", (12.0, 52.0, 365.0, 366.0)), (r"\bminute|分钟", (60.0,)), (r"\bpi\b|π|圆周率", (3.14, 3.1416, 3.14159, 6.28, 6.2832, 6.28319)),
)  # fmt: skip
"""Units by their words, in smaller ones."""
TUNING = re.compile(
    r"(?:^|_)(?:limit|max|min|top|k|n|page|pages|size|offset|start|skip|count|results|depth|level|timeout|retries|temperature|precision|digits|decimals|places|seed|width"
    r"|height|radius|zoom|lines|chars|words|tokens|hops|step|steps|index|position|priority|rating|threshold|confidence|score)(?:$|_)",
)
"""Names of parameters that say how something is done rather than what with."""
NAMED = re.compile(
    r"(?:^|_)(?:id|ids|ident|identifier|no|code|sku|number|num|uuid|guid|ref|reference|isbn|imei|phone|tel|mobile|account|acct|zip|plate|serial|order|invoice|ticket|tracking)$",
)
NAMED_ZH = re.compile(r"编号|单号|号码|账号|帐号|工号|学号|卡号|车牌|手机号|序列号")
ARITHMETIC = re.compile(r"(?=.*\d)(?=.*[+*/^×÷]|.*\d\s*-\s*[\d(])[\d\s+\-*/().,%^×÷=]+")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_SNAKE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s\-.]+")
_YEAR = re.compile(r"(?<!\d)(?:19|20|21)\d\d(?!\d)")
_HAN_DAY = re.compile(r"(?<!\d)(\d{1,2}|[一二三四五六七八九十]{1,2})\s*月(?:份)?\s*(?:(\d{1,2}|[一二三四五六七八九十]{1,3})\s*[日号])?")
_SLASHED = re.compile(r"(?<![\d./-])(\d{1,2})[/.-](\d{1,2})(?![\d/.-]*\d)")
_FIGURES = re.compile(r"(?<![\d./-])(?:(\d{1,2})[/.-](\d{1,2})[/.-]((?:19|20|21)\d\d)|((?:19|20|21)\d\d)(\d\d)(\d\d))(?![\d/-])")
_MONTH = "|".join(f"{month}|{month[:3]}" for month in MONTHS) + "|sept"
_LATIN_DAY = re.compile(rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b({_MONTH})\b\.?(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b)?", re.IGNORECASE)
_HAN = {char: value for value, char in enumerate("零一二三四五六七八九十")}
NEAR = re.compile(r"\b(?:tomorrow|yesterday|next|last|tonight|weekend|following|previous|week|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|[明昨后前]天|[上下]个?(?:周|星期|月)|周[一二三四五六日天末]|星期", re.IGNORECASE)
"""Words by which a day near a known one is meant."""
MOST_LEAVES = 200


@dataclass(frozen=True, slots=True)
class Unfounded:
    """A value from nowhere: the parameter, the value as a text, what it is ("date", "id", "number", "name"), whether it is the tool's own example."""

    parameter: str
    value: str
    kind: str
    example: bool = False


def unfounded(call: Call, run: Run) -> tuple[Unfounded, ...]:
    """The values of the call that come from nowhere, each once. Nothing is said where pictures were shown: what stands in them is not known here."""
    tool = run.tool(call.tool)
    if tool is None or run.asked.images or not call.args:
        return ()
    have = told(run)
    samples = examples(tool)
    found: dict[str, Unfounded] = {}
    for name, schema, value in _leaves(call.args, tool.parameters):
        sample = samples.get(name)
        doubt = _doubt(name, schema, value, sample, have, needed=name in required(tool))
        if doubt:
            value_said, kind = doubt
            found.setdefault(value_said, Unfounded(name, value_said, kind, _stands_in(value_said, sample, tool)))
    return tuple(found.values())


def told(run: Run) -> Known:
    """All that the run was told: question, instructions, conversation, notes, checks, and whatever came back; not what was only refused."""
    return _told(run).known


@dataclass(slots=True)
class _Told:
    """The texts, and the numbers, dates and codes in them; `calls` says by their ids which tools were called, `large` whether tools are looked up."""

    large: bool = False
    calls: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    numbers: dict[Number, None] = field(default_factory=dict)
    dates: dict[str, None] = field(default_factory=dict)
    codes: dict[str, None] = field(default_factory=dict)
    known: Known = field(default_factory=lambda: gather(()))


def _tell(told: _Told, event: Event) -> _Told:
    new: tuple[str, ...] = ()
    match event:
        case Asked():
            told.large = SHOWN in event.settings
            new = (event.question, event.instructions, *(message.content for message in event.history))
        case Recalled():
            new = event.notes
        case Nudged() if event.outside:
            new = (event.text,)
        case Decided():
            told.calls |= {call.id: call.tool for call in event.calls}
        case Observed(call_id=call_id, observation=seen) if call_id in told.calls and seen.kind != KIND:
            new = () if told.large and told.calls[call_id] == FIND_TOOL else (seen.full or seen.text,)
    for text in filter(None, new):
        told.texts.append(text)
        told.numbers |= dict.fromkeys(numbers(text))
        told.dates |= dict.fromkeys(dates(text))
        told.codes |= dict.fromkeys(codes(text))
    if new:
        told.known = Known("\n".join(told.texts), tuple(told.numbers), tuple(told.dates), tuple(told.codes))
    return told


_told = Grown(_Told, _tell)


def _leaves(args: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Every plain value with the name of its parameter and its schema, {} where that is not said plainly."""
    waiting: list[tuple[str, Any, Any]] = [("", schema, args)]
    for _ in range(MOST_LEAVES):
        if not waiting:
            return
        name, part, value = waiting.pop()
        part = part if isinstance(part, Mapping) else {}
        if isinstance(value, Mapping):
            inner = part.get("properties")
            inner = inner if isinstance(inner, Mapping) else {}
            waiting += [(str(key), inner.get(key), item) for key, item in reversed(list(value.items()))]
        elif isinstance(value, list | tuple):
            waiting += [(name, part.get("items"), item) for item in reversed(list(value))]
        elif not isinstance(value, bool) and value is not None:
            yield name, part, value


def _doubt(name: str, schema: Mapping[str, Any], value: Any, sample: Any, have: Known, *, needed: bool) -> tuple[str, str] | None:
    """The value (or the part of it) that comes from nowhere, and what it is."""
    if any(key in schema for key in ("enum", "const")) or ("default" in schema and schema["default"] == value) or _listed(value, schema):
        return None
    snake = _SNAKE.sub("_", name).lower()
    if isinstance(value, int | float):
        copied = isinstance(sample, int | float) and value == sample
        asked = (needed and not TUNING.search(snake)) or copied
        return (f"{value:.15g}", "number") if asked and not _reckoned(float(value), have, strict=bool(NAMED.search(snake))) else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    days = [{day} for day in dates(text)] + [set(both) for both in _numeric_days(text)]
    for either in days:  # 03/04/2025 may be one of two
        if not any(_day_known(day, have) for day in either):
            return (day if (day := min(either)) in text else text, "date")
    if ARITHMETIC.fullmatch(text) and not days:
        lost = (number for number in numbers(text) if not (number.value in CONSTANTS or _reckoned(number.value, have) or _reckoned(number.scaled, have)))
        return next(((f"{number.value:.15g}", "number") for number in lost), None)
    for mail in _EMAIL.findall(text) if len(text) < 200 else ():
        if mail.casefold() not in have.text.casefold():
            return mail, "id"
    named = NAMED.search(snake) is not None or NAMED_ZH.search(f"{name}{schema.get('description', '')}") is not None
    if _is_id(text, named=named, sample=sample, pattern="pattern" in schema):
        return None if _written(text, have.text) else (text, "id")
    return (text, "name") if _copied(text, sample, have) else None


def _listed(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether the parameter's own description lists it among others ("1: cleaning, 2: ironing"); a single example is no list."""
    said = str(schema.get("description", ""))
    if isinstance(value, int | float):
        listed = {number.value for number in numbers(said)}
        return len(listed) > 1 and value in listed and not dates(said)
    listed_codes = codes(said)
    return isinstance(value, str) and len(listed_codes) > 2 and value in listed_codes


def _is_id(text: str, *, named: bool, sample: Any, pattern: bool) -> bool:
    """Whether the text as a whole is an identifier, by its form and by what is asked for."""
    if codes(text) == (text,):
        return named or pattern or (isinstance(sample, str) and codes(sample) == (sample.strip(),))
    return named and re.fullmatch(r"\d[\d\s-]{3,24}", text) is not None and not dates(text)


def _written(text: str, known: str) -> bool:
    """Whether it stands in the known text, in any case, and with other marks between its parts (A-10023, A 10023)."""
    if text.casefold() in known.casefold():
        return True
    bare = _bare(text)
    return len(bare) > 3 and bare in _bare(known)


@lru_cache(maxsize=64)
def _bare(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


def _copied(text: str, sample: Any, have: Known) -> bool:
    """Whether the text is a name out of the tool's example, of which nothing was said. Words in small letters, units and abbreviations are choices."""
    if not isinstance(sample, str) or text.casefold() != sample.strip().casefold() or len(text) > 60:
        return False
    known = have.text.casefold()
    if re.search("[\u4e00-\u9fff]", text):
        return len(text) > 1 and not any(char in known for char in text if "\u4e00" <= char <= "\u9fff")
    words = re.findall(r"[^\W\d_]+", text)
    name = bool(words) and all(word[0].isupper() for word in words) and not all(len(word) <= 4 and word.isupper() for word in words)
    return name and not any(word[:4].casefold() in known for word in words)


def _stands_in(value: str, sample: Any, tool: ToolSpec) -> bool:
    said = f"{tool.description}\n{sample if isinstance(sample, str | int | float) else ''}"
    return value in said or any(value == day for day in dates(said))


# ── numbers ───────────────────────────────────────────────────────────────────


def _reckoned(value: float, have: Known, *, strict: bool = False) -> bool:
    """Whether a number is known, or follows from known ones in one plain step; with `strict` it has to stand there."""
    if not strict and abs(value) <= SMALL and value.is_integer():
        return True
    values = have.ordered
    if units := {unit for line in have.text.splitlines() for unit in _in_units(line)}:
        values = tuple(sorted({*values, *units}))
    if stands(value, values) or _digits_stand(value, have.text):
        return True
    if strict:
        return False
    return multiple(value, values, FACTORS) or follows(value, values)


@lru_cache(maxsize=1024)
def _in_units(text: str) -> tuple[float, ...]:
    """What one of the units that the text names is in smaller ones (the past hour: 60 minutes, 3600 seconds)."""
    return tuple(value for words, values in UNITS if re.search(words, text, re.IGNORECASE) for value in values)


def _digits_stand(value: float, text: str) -> bool:
    """Whether the number's digits stand in the text, also where they are part of a code or a date."""
    digits, at = f"{abs(value):.0f}" if value.is_integer() else "", -1
    while digits and (at := text.find(digits, at + 1)) >= 0:
        if not (text[at - 1 : at].isdecimal() or text[at + len(digits) : at + len(digits) + 1].isdecimal()):
            return True
    return False


# ── days ──────────────────────────────────────────────────────────────────────


def _day_known(day: str, have: Known) -> bool:
    written = {*have.dates, *(one for both in _numeric_days(have.text) for one in both)}
    if day in written:
        return True
    when = dt.date.fromisoformat(day)
    rest = without_dates(have.text)
    named = _month_days(rest)
    spoken = (when.month, 0) in named and re.search(rf"(?<!\d)0?{when.day}(?:st|nd|rd|th|日|号)?(?![\d:])", rest)
    if (when.month, when.day) in named or spoken or (when.day, when.month) in _slashed(rest):
        return True
    edge = when.day in {1, calendar.monthrange(when.year, when.month)[1]}
    if edge and ((when.month, 0) in named or str(when.year) in _YEAR.findall(have.text)):
        return True
    return any(_apart(when, dt.date.fromisoformat(other), have) for other in written)


def _apart(when: dt.date, other: dt.date, have: Known) -> bool:
    """Whether the days are a known number of days (the first counted or not), weeks, months or years apart, or near each other where the words say so."""
    amounts = {abs(value) for value in (*have.values, *number_words(have.text))}
    days = abs((when - other).days)
    months = abs((when.year - other.year) * 12 + when.month - other.month)
    if days in amounts or days + 1 in amounts or (days % 7 == 0 and days // 7 in amounts):
        return True
    if when.day == other.day and (months in amounts or (months % 12 == 0 and months // 12 in amounts)):
        return True
    return NEAR.search(have.text) is not None and (days <= 14 or (months <= 1 and when.day in {1, calendar.monthrange(when.year, when.month)[1], other.day}))


@lru_cache(maxsize=64)
def _numeric_days(text: str) -> tuple[tuple[str, ...], ...]:
    """Days written in figures that do not begin with the year (19/03/2024: each that it may be), and those without any mark (20240319)."""
    found = []
    for match in _FIGURES.finditer(text):
        day, month, year = map(int, match.group(1, 2, 3) if match[1] else match.group(6, 5, 4))
        pairs = {(month, day), (day, month)} if match[1] else {(month, day)}
        both = tuple(f"{year:04}-{m:02}-{d:02}" for m, d in sorted(pairs) if 1 <= m <= 12 and 1 <= d <= calendar.monthrange(year, m)[1])
        found += [both] if both else []
    return tuple(found)


@lru_cache(maxsize=64)
def _month_days(text: str) -> frozenset[tuple[int, int]]:
    """Months and days that the text names without a year: (3, 14); (3, 0) where only the month is named."""
    plain = text.translate(FORMAL)
    found = [(_ordinal(match[1]), _ordinal(match[2])) for match in _HAN_DAY.finditer(plain)]
    for match in _LATIN_DAY.finditer(plain):
        month = next(number for number, name in enumerate(MONTHS, 1) if name.startswith(match[2][:3].lower()))
        found += [(month, int(day)) for day in (match[1], match[3]) if day] + [(month, 0)]
    found += [(int(match[1]), 0) for match in re.finditer(r"(?<!\d)\d{4}[-/.](\d{1,2})(?!\d)", plain)]
    return frozenset(found) | {(month, 0) for month, _ in found}


@lru_cache(maxsize=64)
def _slashed(text: str) -> frozenset[tuple[int, int]]:
    """Pairs like 3/14 or 14.3, in both orders."""
    pairs = [(int(match[1]), int(match[2])) for match in _SLASHED.finditer(text)]
    return frozenset(pair for a, b in pairs for pair in ((a, b), (b, a)))


def _ordinal(text: str | None) -> int:
    """3, 三, 十二, 三十一; 0 for nothing."""
    if not text:
        return 0
    if text.isascii():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_HAN.get(tens, 1) * 10 if ten else 0) + _HAN.get(ones, 0)
