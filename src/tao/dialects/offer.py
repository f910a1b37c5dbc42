"""What the next reply may be: which tools, with which values, and whether an answer is allowed. A pure function of the run.

A small model copies example values out of tool descriptions and repeats calls. Where a parameter's form says what it is
(a date, an id), only values that the question or an observation gave are offered; a tool that cannot be filled from
what is known is not offered yet, so that the model fetches first.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, product
from typing import Any

from tao.dialects.prompts import texts
from tao.facts import Known, codes, dates, expressions, known, missing, number_words, shape
from tao.messages import ToolSpec
from tao.run import Run

MAX_COMBINATIONS = 120
CONSTANTS = (2, 3, 4, 7, 10, 12, 24, 60, 100, 365, 1000, 10000, 1000000)
PERCENT = ("%", "‰")
MAX_FETCHES = 5
"""After so many observations nothing is held back for the sake of a name that was not looked up."""
ARITHMETIC = re.compile(r"(?=.*\d)[\d\s+\-*/().,%^]+")


@dataclass(frozen=True)
class Slot:
    """What may fill one parameter: `values` where it is one of a known set, `terms` where it is arithmetic over known numbers."""

    values: tuple[Any, ...] | None = None
    terms: tuple[str, ...] | None = None
    used: tuple[str, ...] = ()


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
    """What may come next in this run; with `grounded`, values are held to what is known."""
    nudge = run.nudge
    if nudge and not nudge.may_call:
        return Offer(())
    without = nudge.without if nudge else ()
    tools = [tool for tool in run.asked.tools if tool.name not in without]
    if not grounded:
        return Offer(tuple(Offered(tool) for tool in tools), not nudge or nudge.may_answer)
    have = known(run, relevant=True)
    lacking = missing(run) if len(run.observed) <= MAX_FETCHES else ()
    made = tuple((call.tool, dict(call.args)) for call, observation in run.observed)
    offered = tuple(found for tool in tools if (found := _offered(tool, have, run.asked.question, [args for name, args in made if name == tool.name])))
    if lacking and not nudge and (fetching := tuple(one for one in offered if not one.computes)):
        return Offer(fetching, answer=False, lead=texts(run.asked.lang)["lacking"].format(name=lacking[0]))
    return Offer(offered, not nudge or nudge.may_answer or not offered)


def _offered(tool: ToolSpec, have: Known, question: str, made: list[dict[str, Any]]) -> Offered | None:
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    reads = set(tool.effects) <= {"reads", "network"}
    if not properties:
        return None if made and reads else Offered(tool)
    slots = {name: _slot(name, tool, have, question) for name in properties}
    required = set(tool.parameters.get("required", ()))
    if any(slot.values == () for name, slot in slots.items() if name in required):
        return None
    if all(slot.values is not None for slot in slots.values()) and required == set(properties):
        fresh = tuple(args for args in _combinations(slots) if not (reads and args in made))
        return Offered(tool, slots, fresh) if fresh else None
    if len(properties) == 1:
        (name,) = properties
        sums = expressions(question) if slots[name].terms is not None else ()
        if sums and not made:
            return Offered(tool, slots, tuple({name: text} for text in sums))
    if reads and len(properties) == 1 and made:
        slots[name] = Slot(slots[name].values, slots[name].terms, tuple(str(args[name]) for args in made if name in args))
    return Offered(tool, slots)


def _combinations(slots: Mapping[str, Slot]) -> Iterator[dict[str, Any]]:
    """Every way to fill all slots from their values; slots with the same values take different ones."""
    pools = [slot.values or () for slot in slots.values()]
    twins = [(a, b) for a in range(len(pools)) for b in range(a) if pools[a] == pools[b] and isinstance(pools[a][:1] and pools[a][0], str)]
    whole = (combo for combo in product(*pools) if all(combo[a] != combo[b] for a, b in twins))
    return (dict(zip(slots, combo, strict=True)) for combo in islice(whole, MAX_COMBINATIONS))


def _slot(name: str, tool: ToolSpec, have: Known, question: str) -> Slot:
    schema = tool.parameters["properties"][name]
    if not isinstance(schema, Mapping):
        return Slot()
    if "enum" in schema or schema.get("type") not in ("string", None):
        return Slot(tuple(schema["enum"])) if "enum" in schema else Slot()
    example = examples(tool).get(name)
    form = kind(schema, example, tool.description, name)
    if form == "date":
        return Slot(have.dates)
    if form == "code":
        return Slot(tuple(code for code in have.codes if _fits(code, schema, example)))
    if form == "arithmetic":
        return Slot(terms=tuple(terms(have, question)))
    return Slot()


def kind(schema: Mapping[str, Any], example: Any, description: str = "", name: str = "") -> str:
    """What form a string parameter has: "date", "code", "arithmetic" or "" (free text); from its format, pattern or example."""
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
        if ARITHMETIC.fullmatch(text) and re.search(r"\d\s*[-+*/^%]", text):
            return "arithmetic"
    if re.search(r"YYYY-MM-DD", f"{schema.get('description', '')}"):
        return "date"
    return ""


def _fits(code: str, schema: Mapping[str, Any], example: Any) -> bool:
    if "pattern" in schema:
        return re.search(str(schema["pattern"]), code) is not None
    return isinstance(example, str) and shape(code) == shape(example)


@lru_cache(maxsize=256)
def _examples(description: str, keys: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    decoder = json.JSONDecoder()
    for match in re.finditer(r"\{", description):
        try:
            value, _ = decoder.raw_decode(description, match.start())
        except ValueError:
            continue
        if isinstance(value, dict) and value and set(value) <= set(keys):
            found = {**value, **found}
    return found


def examples(tool: ToolSpec) -> dict[str, Any]:
    """Example values by parameter, from the schema (`examples`, `example`) or from a JSON object in the description."""
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    found = dict(_examples(tool.description, tuple(properties)))
    for name, schema in properties.items():
        if isinstance(schema, Mapping):
            listed = schema.get("examples") or ([schema["example"]] if "example" in schema else [])
            if listed:
                found[name] = listed[0]
    return found


def terms(have: Known, question: str) -> Iterable[str]:
    """The numbers that may stand in a calculation: known ones with their unit worked in (526 million → 526000000) unless the
    question asks in that unit, percentages as factors, usual constants."""
    listed: dict[str, None] = {}
    for number in have.numbers:
        if number.unit in PERCENT:
            values = [number.value, number.scaled, 1 - number.scaled, 1 + number.scaled]
        else:
            values = [number.value if not number.unit or number.unit in question.lower() else number.scaled]
        listed |= dict.fromkeys(plain(abs(value)) for value in values)
    listed |= dict.fromkeys(plain(word) for word in number_words(have.text))
    return listed | dict.fromkeys(plain(constant) for constant in CONSTANTS)


def plain(value: float) -> str:
    """The number in digits, without exponent and without noise at the end."""
    return f"{value:.10f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))
