"""Which values of a call come from nowhere: they stand neither in what was said nor in what came back, and follow from nothing.

Pure; reads Chinese and English. Looked at are whole values (an id, a date, a number, a sum, an address of mail, the copy of an
example), and dates within texts. Words of a query are the model's own business. What follows from known numbers in one plain
step is known, and so are small counts and the constants of usual conversions.
"""

import calendar
import datetime as dt
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tao.arithmetic import made_of, multiple, same, stands
from tao.measures import CALORIE, FOOT, GALLON, IMPERIAL_GALLON, INCH, MILE, MU, NAUTICAL_MILE, OUNCE, POUND, YARD
from tao.messages import Call, ToolSpec
from tao.permissions.effects import looks
from tao.quantities import codes, dates, numbers
from tao.run import Run
from tao.told import FACTORS, Told, bare, numeric_days, told
from tao.toolset import examples, required, told_examples

SMALL = 12
CONSTANTS = (*FACTORS, 0.5, 0.25, 31.0, 28.0, 29.0, 366.0, 1440.0, 86_400.0, 1024.0, 3.14, 3.1416, 3.14159, 9.8, 9.81, 1.8, 32.0, 273.15, 180.0, 360.0, 1e9)
"""What may stand in a sum without being said."""
CONVERSIONS = (
    *(way for one in (INCH, FOOT, YARD, MILE, NAUTICAL_MILE, OUNCE, POUND, GALLON, IMPERIAL_GALLON) for way in (one, 1 / one)),
    MU, MU / 10_000, CALORIE, 3.6, math.pi, math.e, math.sqrt(2), math.sqrt(3), 6.02214076,
)  # fmt: skip
"""How much of one unit another is, and constants of mathematics; as far as a number shows its digits it may be one of them, rounded."""
PHONE = re.compile(r"\+\d{1,3}[\s-]?(?:\(\d{1,4}\)[\s-]?)?\d[\d\s-]{4,16}\d|\(\d{2,4}\)\s?\d{3,4}[\s-]\d{4}|1\d{2}[\s-]\d{4}[\s-]\d{4}|\d{3,4}-\d{3,4}-\d{4}|0\d{2,3}-\d{7,8}")
"""Numbers to call, as they are written in China and North America, and from abroad."""
TUNING = re.compile(
    r"(?:^|_)(?:limit|max|min|top|k|n|page|pages|size|offset|start|skip|count|results|depth|level|timeout|retries|temperature|precision|digits|decimals|places|seed|width"
    r"|height|radius|zoom|lines|chars|words|tokens|hops|step|steps|index|position|priority|rating|threshold|confidence|score)(?:$|_)",
)
"""Names of parameters that say how something is done rather than what with."""
NAMED = re.compile(
    r"(?:^|_)(?:id|ids|ident|identifier|no|code|sku|number|num|uuid|guid|ref|reference|isbn|imei|phone|tel|mobile|account|acct|zip|plate|serial|order|invoice|ticket|tracking)$",
)
CHOICE = re.compile(
    r"(?:^|_)(?:units?|formats?|lang|languages?|currency|currencies|types?|modes?|sort|order|by|styles?|category|categories|kind|methods?|scales?|models?|genres?|levels?|colou?rs?|status|state"
    r"|filters?|fields?|columns?|aggregation|operator|gender|sex|cuisines?|diet\w*|season|role|class|department|platform|encoding|algorithm|protocol|timezone|tz|locale|country)(?:$|_)",
)
"""Names of parameters whose examples are mostly what there is to choose from."""
NAMED_ZH = re.compile(r"编号|单号|号码|账号|帐号|工号|学号|卡号|车牌|手机号|序列号")
ARITHMETIC = re.compile(r"(?=.*\d)(?=.*[+*/^×÷]|.*\d\s*-\s*[\d(])[\d\s+\-*/().,%^×÷=]+")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_TITLE = re.compile(r"《([^《》]{1,40})》")
_SNAKE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s\-.]+")
NEAR = re.compile(r"\b(?:tomorrow|yesterday|next|last|tonight|weekend|following|previous|week|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|[明昨后前]天|[上下]个?(?:周|星期|月)|周[一二三四五六日天末]|星期", re.IGNORECASE)
"""Words by which a day near a known one is meant."""
YEARLY = re.compile(r"\b(?:last|next|previous|past|coming|following) (?:calendar |fiscal |financial )?year|\byear before|[去明前后]年|[上下]一?年", re.IGNORECASE)
"""Words by which a year near a known one is meant."""
MOST_LEAVES = 200
LONGEST_QUERY = 60
"""Characters; what is longer was written rather than looked for."""
LARGEST = 10**300
"""A whole number above it is not reckoned with: floats end there."""


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
    samples, needs = examples(tool), required(tool)
    found: dict[str, Unfounded] = {}
    for name, schema, value in _leaves(call.args, tool.parameters):
        sample = samples.get(name)
        doubt = _doubt(name, schema, value, sample, have, needed=name in needs) or _told_only(name, schema, value, tool, have) or _title(value, tool, have)
        if doubt:
            value_said, kind = doubt
            found.setdefault(value_said, Unfounded(name, value_said, kind, _stands_in(value_said, sample, schema, tool)))
    return tuple(found.values())


def _leaves(args: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Every plain value with the name of its parameter and its schema, {} where that is not said plainly."""
    waiting: list[tuple[str, Any, Any]] = [("", schema, args)]
    for _ in range(MOST_LEAVES):
        if not waiting:
            return
        name, part, value = waiting.pop()
        part = part if isinstance(part, dict | Mapping) else {}
        if isinstance(value, dict | Mapping):
            inner = part.get("properties")
            inner = inner if isinstance(inner, dict | Mapping) else {}
            waiting += [(str(key), inner.get(key), item) for key, item in reversed(list(value.items()))]
        elif isinstance(value, list | tuple):
            waiting += [(name, part.get("items"), item) for item in reversed(list(value))]
        elif not isinstance(value, bool) and value is not None:
            yield name, part, value


def _doubt(name: str, schema: Mapping[str, Any], value: Any, sample: Any, have: Told, *, needed: bool) -> tuple[str, str] | None:
    """The value (or the part of it) that comes from nowhere, and what it is."""
    if any(key in schema for key in ("enum", "const")) or ("default" in schema and schema["default"] == value) or _listed(value, schema):
        return None
    how = _named(name)
    if isinstance(value, int | float):
        copied = isinstance(sample, int | float) and value == sample
        asked = (needed and not how.tuning) or copied
        if isinstance(value, int) and abs(value) > LARGEST:
            return (f"{str(value)[:20]}…", "number") if asked and not have.holds(str(value)) else None
        return (f"{value:.15g}", "number") if asked and not _reckoned(float(value), have, strict=how.named) else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    days = [{day} for day in dates(text)] + [set(both) for both in numeric_days(text)]
    for either in days:  # 03/04/2025 may be one of two
        if not any(_day_known(day, have) for day in either):
            return (day if (day := min(either)) in text else text, "date")
    named = how.named or NAMED_ZH.search(f"{name}{schema.get('description', '')}") is not None
    if ARITHMETIC.fullmatch(text) and not days and not named and not PHONE.fullmatch(text):
        lost = next((number for number in numbers(text) if not (_constant(number.value) or _reckoned(number.value, have) or _reckoned(number.scaled, have))), None)
        return None if lost is None or have.holds(text) else (f"{lost.value:.15g}", "number")
    for mail in _EMAIL.findall(text) if len(text) < 200 else ():
        if not have.holds(mail):
            return mail, "id"
    if _is_id(text, named=named, sample=sample, pattern="pattern" in schema):
        return None if _written(text, have) else (text, "id")
    return (text, "name") if _copied(text, sample, have) else None


def _told_only(name: str, schema: Mapping[str, Any], value: Any, tool: ToolSpec, have: Told) -> tuple[str, str] | None:
    """The value and what it is, where it is an example out of the descriptions ("e.g. Lisbon"), of which nothing was said; of choices it may be one."""
    if not isinstance(value, str) or _named(name).choice or "enum" in schema or "const" in schema:
        return None
    text, listed = value.strip(), schema.get("examples")
    folded, shown = text.casefold(), listed if isinstance(listed, list | tuple) else ()
    told = folded in told_examples(tool.description) or folded in told_examples(str(schema.get("description", "")))
    if not (told or any(str(one).strip().casefold() == folded for one in shown)) or schema.get("default") == value or dates(text) or numeric_days(text):
        return None
    copied = not _written(text, have) if re.search(r"[\d/@_\\]", text) else _copied(text, text, have)
    return (text, "name") if copied else None


@dataclass(frozen=True, slots=True)
class _Named:
    """What a parameter's name says: that it is about how something is done, an identifier, or one of a few choices."""

    tuning: bool
    named: bool
    choice: bool


@lru_cache(maxsize=1024)
def _named(name: str) -> _Named:
    snake = _SNAKE.sub("_", name).lower()
    return _Named(*(pattern.search(snake) is not None for pattern in (TUNING, NAMED, CHOICE)))


def _listed(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether the parameter's own description lists it among others ("1: cleaning, 2: ironing"); a single example is no list."""
    said = str(schema.get("description", ""))
    if not said:
        return False
    if isinstance(value, int | float):
        listed = {number.value for number in numbers(said)}
        return len(listed) > 1 and value in listed and not dates(said)
    listed_codes = codes(said)
    return isinstance(value, str) and len(listed_codes) > 2 and value in listed_codes


def _is_id(text: str, *, named: bool, sample: Any, pattern: bool) -> bool:
    """Whether the text as a whole is an identifier, by its form and by what is asked for."""
    if codes(text) == (text,):
        return named or pattern or (isinstance(sample, str) and codes(sample) == (sample.strip(),))
    return named and re.fullmatch(r"[+(]{0,2}\d[\d\s()-]{3,24}", text) is not None and not dates(text)


def _title(value: Any, tool: ToolSpec, have: Told) -> tuple[str, str] | None:
    """A title in its marks (《…》) that is looked for and that nobody named. What is written for somebody may name others."""
    if not isinstance(value, str) or "《" not in value or len(value) > LONGEST_QUERY or not looks(tool.effects):
        return None
    return next(((f"《{title}》", "name") for title in _TITLE.findall(value) if not have.holds(title.strip())), None)


def _written(text: str, have: Told) -> bool:
    """Whether it stands in what is known, in any case, and with other marks between its parts (A-10023, A 10023)."""
    if have.holds(text):
        return True
    plain = bare(text)
    if plain.isdecimal() and len(plain) < 16 and stands(float(plain), have.values):  # 一零零二三
        return True
    local = plain[-10:] if PHONE.fullmatch(text) and text.startswith("+") and len(plain) > 10 else plain  # what is dialled from abroad
    return len(plain) > 3 and any(local in known for known in have.bare.found)


def _copied(text: str, sample: Any, have: Told) -> bool:
    """Whether the text is a name out of the tool's example, of which nothing was said. Words in small letters, units and abbreviations are choices."""
    if not isinstance(sample, str) or text.casefold() != sample.strip().casefold() or len(text) > 60:
        return False
    if re.search("[\u4e00-\u9fff]", text):
        return len(text) > 1 and not any(have.holds(char) for char in text if "\u4e00" <= char <= "\u9fff")
    words = re.findall(r"[^\W\d_]+", text)
    name = bool(words) and all(word[0].isupper() for word in words) and not all(len(word) <= 4 and word.isupper() for word in words)
    return name and not any(have.holds(word[:4]) for word in words)


def _stands_in(value: str, sample: Any, schema: Mapping[str, Any], tool: ToolSpec) -> bool:
    said = f"{tool.description}\n{schema.get('description', '')}\n{schema.get('examples', '')}\n{sample if isinstance(sample, str | int | float) else ''}"
    return value in said or any(value == day for day in dates(said))


# ── numbers ───────────────────────────────────────────────────────────────────


def _constant(value: float) -> bool:
    """Whether a number may stand in a sum without being said."""
    return value in CONSTANTS or any(same(value, one) for one in CONVERSIONS)


def _reckoned(value: float, have: Told, *, strict: bool = False) -> bool:
    """Whether a number is known, or follows from known ones in one plain step; with `strict` it has to stand there."""
    if not strict and abs(value) <= SMALL and value.is_integer():
        return True
    values = have.values
    if stands(value, values) or _digits_stand(value, have):
        return True
    if strict:
        return False
    return multiple(value, values, FACTORS) or made_of(value, have.usual)


def _digits_stand(value: float, have: Told) -> bool:
    """Whether the number's digits stand in a text, also where they are part of a code or a date."""
    digits = f"{abs(value):.0f}" if value.is_integer() else ""
    return bool(digits) and any(digits in text and _apart_from_others(digits, text) for text in have.texts)


def _apart_from_others(digits: str, text: str) -> bool:
    at = -1
    while (at := text.find(digits, at + 1)) >= 0:
        if not (text[at - 1 : at].isdecimal() or text[at + len(digits) : at + len(digits) + 1].isdecimal()):
            return True
    return False


# ── days ──────────────────────────────────────────────────────────────────────


def _day_known(day: str, have: Told) -> bool:
    written = have.dates.found
    if day in written:
        return True
    when = dt.date.fromisoformat(day)
    named = have.month_days.found
    spoken = (when.month, 0) in named and any(re.search(rf"(?<!\d)0?{when.day}(?:st|nd|rd|th|日|号)?(?![\d:])", text) for text in have.undated.found)
    if (when.month, when.day) in named or spoken or (when.day, when.month) in have.slashed.found:
        return True
    edge = when.day in {1, calendar.monthrange(when.year, when.month)[1]}
    if edge and ((when.month, 0) in named or when.year in have.years.found):
        return True
    if edge and any(abs(when.year - int(other[:4])) <= 2 for other in written) and have.says(YEARLY):
        return True
    return any(_apart(when, dt.date.fromisoformat(other), have) for other in written)


def _apart(when: dt.date, other: dt.date, have: Told) -> bool:
    """Whether the days are a known number of days (the first counted or not), weeks, months or years apart, or near each other where the words say so."""
    amounts = have.amounts.found
    days = abs((when - other).days)
    months = abs((when.year - other.year) * 12 + when.month - other.month)

    def known(count: float) -> bool:
        return count in amounts or -count in amounts

    if known(days) or known(days + 1) or (days % 7 == 0 and known(days // 7)):
        return True
    if when.day == other.day and (known(months) or known(months / 12)):
        return True
    near = days <= 14 or (months <= 1 and when.day in {1, calendar.monthrange(when.year, when.month)[1], other.day})
    return near and have.says(NEAR)
