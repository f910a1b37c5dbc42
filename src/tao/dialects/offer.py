"""What the next reply may be: which tools, with which values, and whether an answer is allowed. A pure function of the run.

A small model copies example values out of tool descriptions and repeats calls. Where a parameter's form says what it is
(a date, an id), only values that the question or an observation gave are offered; a tool that cannot be filled from
what is known is not offered yet, so that the model fetches first.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any

from tao.dialects.prompts import texts
from tao.facts import Known, findings, known, mentions, missing, names, told_of, year
from tao.messages import ToolSpec
from tao.quantities import codes, dates, expressions, number_words, numbers, shape
from tao.run import Run, canonical
from tao.toolset import described, examples, parameters, required, tells_time

MAX_COMBINATIONS = 120
CONSTANTS = (
    (2, r"averag|mean|half|both|double|twice|平均|半|双|倍"), (100, r"percent|per cent|%|％|百分|厘米|\bcm\b"), (3, r"averag|mean|平均"), (4, r"averag|mean|quarter|平均|季"), (7, r"week|周|星期|礼拜"), (12, r"month|year|dozen|月|年"),
    (24, r"hour|day|小时|钟头|天"), (60, r"hour|minute|second|小时|分钟|秒"), (365, r"year|年"), (1000, r"kilo|gram|metre|meter|\bkm|\bkg|thousand|千|公里|公斤|克|米|吨"),
    (10000, r"hectare|公顷"), (1000000, r"million|百万|mega"),
)  # fmt: skip
"""Numbers that conversions need, each with the words of a question that call for it."""
PERCENT = ("%", "‰")
LESS = r"discount|\boff\b|reduc|\bless\b|cheaper|decrease|decreasing|drop|\bfell\b|\bfall|折|减|降|优惠|跌|便宜"
MORE = r"increase|increasing|\bmore\b|\brais|\btax|\btip\b|surcharge|mark-?up|\bgr[eo]w|\bris|\brose\b|涨|增|加|税|提高|上调"
"""Words of a question by which a percentage takes something away, or adds to it."""
LARGEST = 1e21
"""Nothing larger is written out in digits."""
MAX_FAILURES = 2
MAX_FETCHES = 5
"""After so many observations nothing is held back for the sake of a name that was not looked up."""
ARITHMETIC = re.compile(r"(?=.*\d)[\d\s+\-*/().,%^]+")
WORKED = re.compile(r"\d\s*\)*\s*(?:[+^%]\s*|\*{1,2}\s*|\s[-/]\s+)\(*\s*\d|[-/]\s*\(|^\d[\d.]*/\d[\d.]*$")
"""What makes a text of digits a sum rather than a phone number (555-0123), a month (2024-05) or a share (15%)."""


@dataclass(frozen=True)
class Slot:
    """What may fill one parameter.

    `values` where it is one of a known set, `terms` where it is arithmetic over known numbers; else any text that is none of
    the `used` ones and does not begin with a `barred` one (an example out of the tool's description).
    """

    values: tuple[Any, ...] | None = None
    terms: tuple[str, ...] | None = None
    used: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()


@dataclass(frozen=True)
class Offered:
    """One tool on offer; `calls` lists the only argument sets left, where there are few enough to list."""

    tool: ToolSpec
    slots: Mapping[str, Slot] = field(default_factory=dict)
    calls: tuple[Mapping[str, Any], ...] | None = None

    @property
    def computes(self) -> bool:
        """Whether it works on numbers that are known already, rather than fetching something."""
        return any(slot.terms is not None for slot in self.slots.values())


@dataclass(frozen=True)
class Offer:
    """All that the next reply may be; `lead` is how the thought begins where something has to be looked up first."""

    tools: tuple[Offered, ...]
    answer: bool = True
    lead: str = ""


def offer(run: Run, *, grounded: bool = True) -> Offer:
    """What may come next in this run; with `grounded`, values are held to what is known.

    A sum written out in the question is worked out first. Nothing is computed before two numbers are known, or before the
    day is known where the question counts from it. No answer is given while one of two things is not looked up, and a call
    that failed once is mended before anything is answered.
    """
    nudge = run.nudge
    if nudge and not nudge.may_call:
        return Offer(())
    tools = [tool for tool in described(run) if not nudge or tool.name not in nudge.without]
    may_answer = nudge is None or nudge.may_answer
    if not grounded:
        return Offer(tuple(Offered(tool) for tool in tools), may_answer)
    have = known(run, relevant=True)
    offered = [found for tool in tools if not _failing(tool, run) and (found := _offered(tool, have, run))]
    fetching = tuple(one for one in offered if not one.computes)
    asked = {call.tool for call, seen in run.observed if seen.ok}
    timing = RELATIVE.search(run.asked.question) is not None and any(tells_time(one.tool) for one in offered if one.tool.name not in asked)
    if fetching and (timing or (names(run.asked.question) and len(have.numbers) < 2 and _numeric(run) < 2)):
        offered = list(fetching)
    if timing and nudge is None and DURATION.search(run.asked.question):
        may_answer = False
    lacking = missing(run) if len(run.observed) <= MAX_FETCHES else ()
    if lacking and nudge is None and fetching:
        return Offer(_finders(fetching, run) or fetching, answer=False, lead=texts(run.asked.lang)["lacking"].format(name=lacking[0]))
    if nudge is None and not run.observed and any(one.computes and one.calls for one in offered):
        may_answer = False
    mending = nudge is None and run.observed[-1:] and not run.observed[-1][1].ok and any(o.tool.name == run.observed[-1][0].tool for o in offered)
    return Offer(tuple(offered), not offered or (may_answer and not mending))


def _numeric(run: Run) -> int:
    """How many observations gave numbers; two may give the same one, and their difference is 0."""
    return len({canonical(call.args) for call, seen in told_of(run) if seen.ok and numbers(seen.text)})


RELATIVE = re.compile(r"\b(ago|today|tomorrow|yesterday|from now|until|till)\b|今天|明天|昨天|距今|之前|以前|还有", re.IGNORECASE)
DURATION = re.compile(r"how (many (days|weeks|months|years|hours)|long|old)\b|多少天|几天|几周|几个月|几年|多久", re.IGNORECASE)


def _finders(fetching: tuple[Offered, ...], run: Run) -> tuple[Offered, ...]:
    """Of these tools the ones that found something about a name of the question."""
    asked = names(run.asked.question)
    finders = {call.tool for call, text in findings(run) if any(mentions([text], name) for name in asked)}
    return tuple(one for one in fetching if one.tool.name in finders)


def _failing(tool: ToolSpec, run: Run) -> bool:
    """Whether the tool failed each of its last two times."""
    last = [observation.ok for call, observation in run.observed if call.tool == tool.name][-MAX_FAILURES:]
    return len(last) == MAX_FAILURES and not any(last)


def _offered(tool: ToolSpec, have: Known, run: Run) -> Offered | None:
    properties = parameters(tool)
    made = [dict(call.args) for call, _ in run.observed if call.tool == tool.name]
    reads = set(tool.effects) <= {"reads", "network"}
    if not properties:
        return None if made and reads else Offered(tool)
    slots = {name: _slot(name, tool, have, run) for name in properties}
    needed = required(tool)
    if any(slot.values == () for name, slot in slots.items() if name in needed):
        return None
    if all(slot.values is not None for slot in slots.values()) and needed == set(properties):
        fresh = tuple(islice((args for args in _combinations(slots) if not (reads and args in made)), MAX_COMBINATIONS + 1))
        return Offered(tool, slots, fresh if len(fresh) <= MAX_COMBINATIONS else None) if fresh else None
    if len(properties) == 1:
        (name,) = properties
        sums = expressions(run.asked.question) if slots[name].terms is not None else ()
        if sums and not made:
            return Offered(tool, slots, tuple({name: text} for text in sums))
        if reads and slots[name].terms is None and _plain(properties[name]):
            slots[name] = replace(slots[name], used=tuple(str(args[name]) for args in made if name in args))
    return Offered(tool, slots)


def _combinations(slots: Mapping[str, Slot]) -> Iterator[dict[str, Any]]:
    """Every way to fill all slots from their values; slots with the same values take different ones."""
    pools = [slot.values or () for slot in slots.values()]
    twins = [(a, b) for a in range(len(pools)) for b in range(a) if pools[a] == pools[b] and isinstance(pools[a][:1] and pools[a][0], str)]
    return (dict(zip(slots, combo, strict=True)) for combo in product(*pools) if all(combo[a] != combo[b] for a, b in twins))


def _slot(name: str, tool: ToolSpec, have: Known, run: Run) -> Slot:
    properties = parameters(tool)
    schema = properties[name]
    if not isinstance(schema, Mapping):
        return Slot()
    if isinstance(schema.get("enum"), list | tuple):
        return Slot(tuple(schema["enum"]))
    samples = examples(tool)
    form = kind(schema, samples.get(name))
    if schema.get("type") == "integer" and any(kind(s, samples.get(n)) == "date" for n, s in properties.items() if n != name):
        return Slot(tuple(shift for shift in _offsets(run, name) if _allowed(shift, schema)))
    if schema.get("type") not in ("string", None):
        return Slot()
    if form == "date":
        return Slot(have.dates)
    if form == "code":
        return Slot(tuple(code for code in have.codes if _fits(code, schema, samples.get(name))))
    if form == "arithmetic":
        return Slot(terms=tuple(terms(have, run.asked.question)))
    if len(properties) == 1 and (listed := _listed(tool, run)) is not None:
        return Slot(() if _mended(tool, run) else listed)
    sample = samples.get(name)
    return Slot(barred=(sample,) if isinstance(sample, str) and _plain(schema) and sample.lower() not in have.text.lower() else ())


def _plain(schema: Any) -> bool:
    """Whether it asks for text and says nothing about its form, so that "any text but these" keeps to it."""
    if not isinstance(schema, Mapping) or {"pattern", "format", "const", "$ref", "anyOf", "oneOf", "allOf"} & set(schema):
        return False
    return schema.get("type") in ("string", None) and schema.get("minLength", 0) in (0, 1) and "maxLength" not in schema


def _allowed(value: int, schema: Mapping[str, Any]) -> bool:
    low, high = (limit if isinstance(limit := schema.get(key), int | float) else value for key in ("minimum", "maximum"))
    return low <= value <= high


LISTING = re.compile(
    r"(?:\bone of(?:[^,.;:\n]{0,40}:)?|\bchoose from|\b(?:known|available|valid|allowed|supported)\b[^,.;:\n]{0,20}:|(?:可选|可用|支持|只能是|包括)[^，。；：:\n]{0,8}[：:])\s*([^\n]+)",
    re.IGNORECASE,
)


def _listed(tool: ToolSpec, run: Run) -> tuple[str, ...] | None:
    """The values that the tool itself named when it last refused one ("one of Beijing, Cairo, Lima"); None where it did not."""
    refused = [seen for call, seen in run.observed if call.tool == tool.name and not seen.ok][-1:]
    if not refused or not (match := LISTING.search(refused[0].text)):
        return None
    parts = re.split(r"[,，、]|\bor\b|或", re.split(r"[.。;；\n]", match.group(1))[0])
    parts += re.split(r"\band\b|[和与及]", parts[-1])  # "Rome, Paris and Lima", though it may be one name
    items = tuple(dict.fromkeys(item for part in parts if (item := part.strip(" '\"`“”‘’[]()（）"))))
    return items if len(items) > 1 and all(len(item) <= 40 for item in items) else None


def _mended(tool: ToolSpec, run: Run) -> bool:
    """Whether all that the question names was got from the tool under other names (北京, refused, as Beijing): then it has nothing more to give."""
    calls = [(call, seen) for call, seen in run.observed if call.tool == tool.name]
    refused = [value for call, seen in calls if not seen.ok for value in call.args.values()]
    named = names(run.asked.question)  # not those in small letters: what else such a question asks for is not known
    asked = all(isinstance(value, str) and value in run.asked.question and any(mentions([value], name) for name in named) for value in refused)
    return asked and calls[-1][1].ok and not missing(run)


NEAR = ((1.0, r"\b(?:tomorrow|yesterday)\b|\b(?:an?|next|last)\s+week\b|[明昨][天日]|[上下]个?(?:周|星期)"), (2.0, r"[后前]天"))
"""Words of a question that say how many days (or weeks) away a day is."""
IN_WEEKS = re.compile(r"(\d+|[a-z]+|[零一二两三四五六七八九十百]+)[\s-]*个?\s*(?:weeks?\b|周|星期|礼拜)", re.IGNORECASE)
"""A number of weeks, in digits or words."""


def _offsets(run: Run, name: str) -> Iterator[int]:
    """Whole numbers that may shift a date: those of the question, weeks as days, and those that an observation gives in this unit."""
    question = run.asked.question
    unit = {"days": "days?|天|日", "weeks": "weeks?|周|星期", "months": "months?|个?月", "years": "years?|年"}.get(name, re.escape(name))
    seen = " ".join(observation.text for _, observation in run.observed if observation.ok)
    told = [n.value for n in numbers(question)] + [*number_words(question)]
    told += [days for days, words in NEAR if name == "days" and re.search(words, question, re.IGNORECASE)]
    told += [1.0] * bool(re.search(rf"\b(?:an?|next|last)\s+(?:{unit})\b|[上下]个?(?:{unit})", question, re.IGNORECASE))
    told += [float(found) for found in re.findall(rf"(\d+)[\s\"']*(?:{unit})", seen)]
    told += [float(found) for found in re.findall(rf"(?:{unit})[\"']?\s*[:：=]\s*(\d+)(?![\d.])", seen)]
    weeks = name == "days" and re.search(r"weeks?\b|周|星期|礼拜", question, re.IGNORECASE)
    in_weeks = {value for match in IN_WEEKS.finditer(question) for value in (*(n.value for n in numbers(match[1])), *number_words(match[1]))}
    for value in dict.fromkeys(told):
        if 0 < value < 1e5 and value == int(value):
            times = (7,) if weeks and value in in_weeks else (7, 1) if weeks else (1,)
            yield from (sign * int(value) * days for days in times for sign in (1, -1))


def kind(schema: Any, example: Any) -> str:
    """What form a string parameter has: "date", "code", "arithmetic" or "" (free text); from its format, pattern or example."""
    if not isinstance(schema, Mapping):
        return ""
    if schema.get("format") == "date":
        return "date"
    if schema.get("format") or schema.get("enum"):
        return ""
    if isinstance(example, str):
        text = example.strip()
        if dates(text) and len(text) <= 11:
            return "date"
        if codes(text) == (text,):
            return "code"
        if ARITHMETIC.fullmatch(text) and WORKED.search(text):
            return "arithmetic"
    if re.search(r"YYYY-MM-DD", f"{schema.get('description', '')}"):
        return "date"
    return ""


def _fits(code: str, schema: Mapping[str, Any], example: Any) -> bool:
    if "pattern" in schema:
        with suppress(re.error):  # a pattern of another dialect says nothing here
            return re.search(str(schema["pattern"]), code) is not None
    return isinstance(example, str) and shape(code) == shape(example)


def terms(have: Known, question: str) -> Iterable[str]:
    """The numbers that may stand in a calculation: known ones, percentages as factors, usual constants.

    A year that the question names is left out where the question is not about time.

    Where a number has a unit word it is worked in (526 million → 526000000), unless the question asks in that unit.
    """
    listed: dict[str, None] = {}
    asked = numbers(question)
    applied = any(number.unit in PERCENT for number in asked)
    less, more = (re.search(words, question, re.IGNORECASE) is not None for words in (LESS, MORE))
    shrinks, grows = less and not more, more and not less
    timeless = not re.search(r"years?\b|\bold\b|\bage\b|since|年|岁|多久", re.sub(r"\d{4}\s*年", "", question), re.IGNORECASE)
    for number in have.numbers:
        if timeless and year(number) and number in asked:
            continue
        if number.unit in PERCENT:  # one that the question gives is to be applied, not counted in hundredths
            values = [number.scaled, *([] if grows else [1 - number.scaled]), *([] if shrinks else [1 + number.scaled])]
            values = values if number in asked else [number.value, *values]
        else:
            values = [number.value if not number.unit or _says(question, number.unit) else number.scaled]
        listed |= dict.fromkeys(plain(value) if value >= 0 else f"({plain(value)})" for value in values if abs(value) < LARGEST)
    listed |= dict.fromkeys(plain(word) for word in number_words(have.text))
    constants = (constant for constant, words in CONSTANTS if not (constant == 100 and applied) and re.search(words, question, re.IGNORECASE))
    return listed | dict.fromkeys(map(plain, constants))


def _says(question: str, unit: str) -> bool:
    """Whether the unit stands in the question as a word of its own (the k of 20k, not that of "take")."""
    return re.search(rf"(?<![a-z]){re.escape(unit)}(?![a-z])", question.lower()) is not None


def plain(value: float) -> str:
    """The number in digits, without exponent and without noise at the end."""
    return f"{value:.10f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))
