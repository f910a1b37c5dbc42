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
from typing import Any

from tao.arithmetic import made_of, multiple, near, same, slack, stands
from tao.measures import CALORIE, FOOT, GALLON, IMPERIAL_GALLON, INCH, MILE, MU, NAUTICAL_MILE, OUNCE, POUND, YARD
from tao.messages import Call, Kept, ToolSpec
from tao.permissions.effects import looks
from tao.quantities import codes, dates, numbers
from tao.run import Run
from tao.told import FACTORS, Told, bare, numeric_days, told
from tao.toolset import examples, required, told_examples

SMALL = 12
CONSTANTS = frozenset((*FACTORS, 0.5, 0.25, 31.0, 28.0, 29.0, 366.0, 1440.0, 86_400.0, 1024.0, 3.14, 3.1416, 3.14159, 9.8, 9.81, 1.8, 32.0, 273.15, 180.0, 360.0, 1e9))
"""What may stand in a sum without being said."""
CONVERSIONS = sorted((
    *(way for one in (INCH, FOOT, YARD, MILE, NAUTICAL_MILE, OUNCE, POUND, GALLON, IMPERIAL_GALLON) for way in (one, 1 / one)),
    MU, MU / 10_000, CALORIE, 3.6, math.pi, math.e, math.sqrt(2), math.sqrt(3), 6.02214076,
))  # fmt: skip
"""In ascending order: how much of one unit another is, and constants of mathematics; as far as a number shows its digits it may be one of them, rounded."""
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
ARITHMETIC = re.compile(r"(?=[\d\s+\-*/().,%^×÷=]++\Z)(?=.*\d)(?=.*[+*/^×÷]|.*\d\s*-\s*[\d(])(?s:.+)")
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
    have, known = told(run), _parameters(tool)
    found: dict[str, Unfounded] = {}
    for name, schema, value in _leaves(call.args, tool.parameters):
        one = known.get((name, id(schema))) or _parameter(name, schema, tool)
        doubt = (None if one.fixed or (value == one.default and one.defaults) else _doubt(one, value, have)) or _title(value, tool, have)
        if doubt:
            value_said, kind = doubt
            found.setdefault(value_said, Unfounded(name, value_said, kind, _stands_in(value_said, one, tool)))
    return tuple(found.values())


_UNSAID: Mapping[str, Any] = {}


def _leaves(args: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Every plain value with the name of its parameter and its schema, an empty one where that is not said plainly."""
    waiting: list[tuple[str, Any, Any]] = [("", schema, args)]
    for _ in range(MOST_LEAVES):
        if not waiting:
            return
        name, part, value = waiting.pop()
        part = part if isinstance(part, (dict, Mapping)) else _UNSAID
        if isinstance(value, str):
            yield name, part, value
        elif isinstance(value, (dict, Mapping)):
            inner = _properties(part)
            waiting += [(str(key), inner.get(key), item) for key, item in reversed(list(value.items()))]
        elif isinstance(value, (list, tuple)):
            waiting += [(name, part.get("items"), item) for item in reversed(list(value))]
        elif not isinstance(value, bool) and value is not None:
            yield name, part, value


def _properties(schema: Mapping[str, Any]) -> Mapping[Any, Any]:
    found = schema.get("properties")
    return found if isinstance(found, (dict, Mapping)) else _UNSAID


# ── what is known of a parameter before any call ──────────────────────────────


@dataclass(frozen=True, slots=True)
class _Parameter:
    """What a parameter's name, its schema and its tool say of the values that it may have."""

    schema: Mapping[str, Any]
    fixed: bool
    """Whether the schema itself says what there is to choose from."""
    defaults: bool
    """Whether it has a default."""
    default: Any
    sample: Any
    asked: bool
    """Whether it has to be given, and says with what something is done rather than how."""
    named: bool
    """Whether its name is that of an identifier."""
    identifies: bool
    """Whether its name or its description is."""
    coded: bool
    """Whether what it wants is an identifier by any of these, its pattern or its example."""
    examples: frozenset[str]
    """Examples out of sentences or the schema, without case; none where they are mostly what there is to choose from."""
    numbers: frozenset[float]
    """Numbers that its description lists; a single one is no list."""
    codes: frozenset[str]
    """Codes that its description lists."""


@Kept
def _parameters(tool: ToolSpec) -> Mapping[tuple[str, int], _Parameter]:
    """The tool's parameters, also those within others, by their names and the identity of their schemas."""
    found: dict[tuple[str, int], _Parameter] = {}
    waiting: list[tuple[str, Any]] = [(str(key), schema) for key, schema in _properties(tool.parameters).items()]
    while waiting:
        name, schema = waiting.pop()
        if isinstance(schema, (dict, Mapping)) and (name, id(schema)) not in found:
            found[name, id(schema)] = _parameter(name, schema, tool)
            waiting += [(str(key), inner) for key, inner in _properties(schema).items()] + [(name, schema.get("items"))]
    return found


def _parameter(name: str, schema: Mapping[str, Any], tool: ToolSpec) -> _Parameter:
    snake = _SNAKE.sub("_", name).lower()
    tuning, named, choice = (pattern.search(snake) is not None for pattern in (TUNING, NAMED, CHOICE))
    said, sample, shown = str(schema.get("description", "")), examples(tool).get(name), schema.get("examples")
    identifies = named or NAMED_ZH.search(f"{name}{schema.get('description', '')}") is not None
    listed = frozenset(number.value for number in numbers(said))
    listed_codes = codes(said)
    return _Parameter(
        schema, "enum" in schema or "const" in schema, "default" in schema, schema.get("default"), sample,
        asked=name in required(tool) and not tuning, named=named, identifies=identifies,
        coded=identifies or "pattern" in schema or (isinstance(sample, str) and codes(sample) == (sample.strip(),)),
        examples=frozenset() if choice else told_examples(tool.description) | told_examples(said) | _folded(shown),
        numbers=listed if len(listed) > 1 and not dates(said) else frozenset(), codes=frozenset(listed_codes if len(listed_codes) > 2 else ()),
    )  # fmt: skip


def _folded(shown: Any) -> frozenset[str]:
    return frozenset(str(one).strip().casefold() for one in shown) if isinstance(shown, (list, tuple)) else frozenset()


# ── whether a value comes from nowhere ────────────────────────────────────────


def _doubt(one: _Parameter, value: Any, have: Told) -> tuple[str, str] | None:
    """The value (or the part of it) that comes from nowhere, and what it is."""
    if isinstance(value, (int, float)):
        return None if value in one.numbers else _number(one, value, have)
    if not isinstance(value, str):
        return None
    text = value.strip()
    return (None if value in one.codes else _text(one, text, have)) or (_example(text, have) if text.casefold() in one.examples else None)


def _number(one: _Parameter, value: float, have: Told) -> tuple[str, str] | None:
    copied = isinstance(one.sample, (int, float)) and value == one.sample
    if not (one.asked or copied):
        return None
    if isinstance(value, int) and abs(value) > LARGEST:
        return None if have.holds(str(value)) else (f"{str(value)[:20]}…", "number")
    return None if _reckoned(float(value), have, strict=one.named) else (f"{value:.15g}", "number")


def _text(one: _Parameter, text: str, have: Told) -> tuple[str, str] | None:
    days = [(day,) for day in dates(text)] + numeric_days(text)
    for either in days:  # 03/04/2025 may be one of two
        if not any(_day_known(day, have) for day in either):
            return (day if (day := min(either)) in text else text, "date")
    if not (days or one.identifies) and ARITHMETIC.fullmatch(text) and not PHONE.fullmatch(text):
        lost = next((number for number in numbers(text) if not (_constant(number.value) or _reckoned(number.value, have) or _reckoned(number.scaled, have))), None)
        return None if lost is None or have.holds(text) else (f"{lost.value:.15g}", "number")
    for mail in _EMAIL.findall(text) if "@" in text and len(text) < 200 else ():
        if not have.holds(mail):
            return mail, "id"
    if one.coded and _is_id(text, named=one.identifies):
        return None if _written(text, have) else (text, "id")
    return (text, "name") if _copied(text, one.sample, have) else None


def _example(text: str, have: Told) -> tuple[str, str] | None:
    """The value and what it is, where it is an example out of the descriptions ("e.g. Lisbon"), of which nothing was said."""
    if dates(text) or numeric_days(text):
        return None
    copied = not _written(text, have) if re.search(r"[\d/@_\\]", text) else _copied(text, text, have)
    return (text, "name") if copied else None


def _is_id(text: str, *, named: bool) -> bool:
    """Whether the text as a whole has the form of an identifier; where a name asks for one, also that of a number to call."""
    return codes(text) == (text,) or (named and re.fullmatch(r"[+(]{0,2}\d[\d\s()-]{3,24}", text) is not None and not dates(text))


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


def _stands_in(value: str, one: _Parameter, tool: ToolSpec) -> bool:
    sample = one.sample if isinstance(one.sample, (str, int, float)) else ""
    said = f"{tool.description}\n{one.schema.get('description', '')}\n{one.schema.get('examples', '')}\n{sample}"
    return value in said or value in dates(said)


# ── numbers ───────────────────────────────────────────────────────────────────


def _constant(value: float) -> bool:
    """Whether a number may stand in a sum without being said."""
    return _small(value) or value in CONSTANTS or any(same(value, one) for one in near(value, CONVERSIONS, slack(value)))


def _small(value: float) -> bool:
    return abs(value) <= SMALL and value.is_integer()


def _reckoned(value: float, have: Told, *, strict: bool = False) -> bool:
    """Whether a number is known, or follows from known ones in one plain step; with `strict` it has to stand there."""
    if not strict and _small(value):
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
    days = have.days
    if day in days.full:
        return True
    when = dt.date.fromisoformat(day)
    month = (when.month, 0) in days.named
    if (when.month, when.day) in days.named or (when.day, when.month) in days.slashed:
        return True
    if month and any(re.search(rf"(?<!\d)0?{when.day}(?:st|nd|rd|th|日|号)?(?![\d:])", text) for text in have.undated.found):
        return True
    if _edge(when):
        if month or when.year in days.years:
            return True
        if any(abs(when.year - int(other[:4])) <= 2 for other in days.full) and have.says(YEARLY):
            return True
    return any(_apart(when, dt.date.fromisoformat(other), have) for other in days.full)


def _edge(when: dt.date) -> bool:
    """Whether a month begins or ends with the day."""
    return when.day == 1 or (when.day >= 28 and when.day == calendar.monthrange(when.year, when.month)[1])


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
    close = days <= 14 or (months <= 1 and (when.day == other.day or _edge(when)))
    return close and have.says(NEAR)
