"""JSON schemas made at random, each with arguments that fit it; and ways to damage arguments as models do."""

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

WORDS = ("red", "deep blue", "Lima", "上海", "第三组", "north-east", "Ålesund", "x_1", "Ω", "low cost")
DATES = ("2024-02-29", "2025-12-31", "1999-01-05")
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
PLAIN = ("text", "whole", "number", "flag", "day", "moment", "choice", "coded", "constant")
NESTED = ("listed", "pair", "inner", "table", "either", "one_of", "typed", "maybe", "pointed", "tree", "both", "patterned")
WIDER = ("dependent", "conditional", "barred", "counted", "containing")
"""Keywords that only `jsonschema` reads."""


def made(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A tool's parameters of up to six kinds, nested up to three levels, with arguments that fit them."""
    make = Maker(Random(seed))
    schema, value = make.inner(0, wider=seed % 4 == 0)
    return ({**schema, "$defs": make.defs} if make.defs else schema), value


class Maker:
    """Makes pairs of a schema and a value that fits it. One method a kind."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.defs: dict[str, Any] = {}

    def any(self, depth: int) -> tuple[dict[str, Any], Any]:
        kinds = PLAIN if depth > 2 else PLAIN + NESTED
        return getattr(self, self.chance.choice(kinds))(depth)

    def text(self, depth: int) -> tuple[dict[str, Any], Any]:
        word = self.chance.choice(WORDS)
        limits = self.chance.choice(({}, {"minLength": 1}, {"maxLength": 40}, {"minLength": 1, "maxLength": 12}))
        return {"type": "string", **limits}, word

    def coded(self, depth: int) -> tuple[dict[str, Any], Any]:
        return {"type": "string", "pattern": r"^[A-Z]{2}\d{3}$"}, f"AB{self.chance.randrange(100, 999)}"

    def day(self, depth: int) -> tuple[dict[str, Any], Any]:
        return {"type": "string", "format": "date"}, self.chance.choice(DATES)

    def moment(self, depth: int) -> tuple[dict[str, Any], Any]:
        return {"type": "string", "format": "date-time"}, f"{self.chance.choice(DATES)}T09:30:00Z"

    def whole(self, depth: int) -> tuple[dict[str, Any], Any]:
        value = self.chance.randrange(-50, 5000)
        limits = ({}, {"minimum": value - 3}, {"minimum": -100, "maximum": 6000}, {"exclusiveMaximum": value + 1}, {"exclusiveMinimum": value - 1})
        return {"type": "integer", **self.chance.choice(limits)}, value

    def number(self, depth: int) -> tuple[dict[str, Any], Any]:
        value = self.chance.choice((0.5, 12.25, -3.75, 40, 1e6))
        return {"type": "number", **self.chance.choice(({}, {"minimum": -10}, {"multipleOf": 0.25}))}, value

    def flag(self, depth: int) -> tuple[dict[str, Any], Any]:
        return {"type": "boolean"}, self.chance.random() < 0.5

    def choice(self, depth: int) -> tuple[dict[str, Any], Any]:
        choices = self.chance.choice((["asc", "desc"], ["New York", "Lima", "上海"], [1, 5, 10], ["a", 2, True, None]))
        kind = self.chance.choice(({}, {"type": "string"})) if all(isinstance(c, str) for c in choices) else {}
        return {**kind, "enum": choices}, self.chance.choice(choices)

    def constant(self, depth: int) -> tuple[dict[str, Any], Any]:
        value = self.chance.choice(("v2", 7, {"kind": "point"}))
        return {"const": value}, copy.deepcopy(value)

    def listed(self, depth: int) -> tuple[dict[str, Any], Any]:
        schema, first = self.any(depth + 1)
        items = [first, *(copy.deepcopy(first) for _ in range(self.chance.randrange(3)))]
        if schema.get("type") == "integer" and "maximum" not in schema and self.chance.random() < 0.5:
            return {"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "maxItems": 9}, list(range(len(items)))
        return {"type": "array", "items": schema, "minItems": 1, "maxItems": 5}, items

    def pair(self, depth: int) -> tuple[dict[str, Any], Any]:
        (one, first), (other, second) = self.any(depth + 1), self.any(depth + 1)
        return {"type": "array", "prefixItems": [one, other], "items": False, "minItems": 2}, [first, second]

    def inner(self, depth: int, *, wider: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
        fields = [f"{self.chance.choice(('city', 'max_rows', 'day_of', 'unit', 'filter', '编号'))}{n}" for n in range(self.chance.randrange(1, 7 - depth))]
        schemas, values = {}, {}
        for name in fields:
            schemas[name], values[name] = self.any(depth + 1)
            if self.chance.random() < 0.3:
                schemas[name]["description"] = "What it is about."
        needed = [name for name in fields if self.chance.random() < 0.6]
        given = {name: values[name] for name in fields if name in needed or self.chance.random() < 0.5}
        closed = self.chance.choice(({}, {"additionalProperties": False}))
        schema = {"type": "object", "properties": schemas, "required": needed, **closed}
        return getattr(self, self.chance.choice(WIDER))(schema, given) if wider else (schema, given)

    def table(self, depth: int) -> tuple[dict[str, Any], Any]:
        schema, value = self.any(depth + 1)
        return {"type": "object", "additionalProperties": schema}, {"first key": value, "第二": copy.deepcopy(value)}

    def patterned(self, depth: int) -> tuple[dict[str, Any], Any]:
        schema, value = self.any(depth + 1)
        return {"type": "object", "patternProperties": {"^x-": schema}, "additionalProperties": False}, {"x-one": value}

    def either(self, depth: int) -> tuple[dict[str, Any], Any]:
        (one, first), (other, second) = self.any(depth + 1), self.any(depth + 1)
        return {"anyOf": [one, other]}, self.chance.choice((first, second))

    def one_of(self, depth: int) -> tuple[dict[str, Any], Any]:
        schema, value = self.listed(depth)
        return {"oneOf": [{"type": "boolean"}, schema, {"type": "string", "format": "date"}]}, value

    def typed(self, depth: int) -> tuple[dict[str, Any], Any]:
        return {"type": ["string", "integer", "null"]}, self.chance.choice(("text", 12, None))

    def maybe(self, depth: int) -> tuple[dict[str, Any], Any]:
        schema, value = self.any(depth + 1)
        return {"anyOf": [schema, {"type": "null"}], "default": None}, self.chance.choice((value, None))

    def pointed(self, depth: int) -> tuple[dict[str, Any], Any]:
        schema, value = self.inner(2)
        name = f"Part{len(self.defs)}"
        self.defs[name] = schema
        return {"$ref": f"#/$defs/{name}"}, value

    def tree(self, depth: int) -> tuple[dict[str, Any], Any]:
        self.defs["Node"] = {
            "type": "object", "required": ["name"], "additionalProperties": False,
            "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        }  # fmt: skip
        return {"$ref": "#/$defs/Node"}, {"name": "root", "children": [{"name": "left"}, {"name": "right", "children": []}]}

    def both(self, depth: int) -> tuple[dict[str, Any], Any]:
        low = {"type": "object", "properties": {"low": {"type": "integer"}}, "required": ["low"]}
        high = {"properties": {"high": {"type": "integer", "minimum": 1}}, "required": ["high"]}
        return {"allOf": [low, high]}, {"low": self.chance.randrange(9), "high": self.chance.randrange(1, 9)}

    def dependent(self, schema: dict[str, Any], given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        more = {"card": {"type": "string"}, "address": {"type": "string"}}
        return {**schema, "properties": {**schema["properties"], **more}, "dependentRequired": {"card": ["address"]}}, {**given, "card": "VISA", "address": "Rua 1"}

    def conditional(self, schema: dict[str, Any], given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        more = {"country": {"enum": ["BR", "CN"]}, "code": {"type": "string"}}
        rule = {
            "if": {"properties": {"country": {"const": "CN"}}, "required": ["country"]}, "then": {"properties": {"code": {"pattern": r"^\d{6}$"}}},
            "else": {"properties": {"code": {"pattern": r"^\d{8}$"}}},
        }  # fmt: skip
        return {**schema, "properties": {**schema["properties"], **more}, **rule}, {**given, "country": "CN", "code": "200041"}

    def barred(self, schema: dict[str, Any], given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        return {**schema, "properties": {**schema["properties"], "host": {"type": "string", "not": {"enum": ["localhost"]}}}}, {**given, "host": "example.org"}

    def counted(self, schema: dict[str, Any], given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        labels = {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1, "maxProperties": 2, "propertyNames": {"pattern": "^[a-z]+$"}}
        return {**schema, "properties": {**schema["properties"], "labels": labels}}, {**given, "labels": {"team": "a"}}

    def containing(self, schema: dict[str, Any], given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        roles = {"type": "array", "items": {"type": "string"}, "contains": {"const": "owner"}}
        return {**schema, "properties": {**schema["properties"], "roles": roles}}, {**given, "roles": ["guest", "owner"]}


# ── damage ────────────────────────────────────────────────────────────────────

Path = tuple[Any, ...]


def damaged(args: dict[str, Any], chance: Random) -> tuple[str, Path, dict[str, Any]] | None:
    """The arguments with one place changed: what was done, where, and what came of it; None where that changed nothing."""
    out = copy.deepcopy(args)
    path = chance.choice(list(places(out)))
    if not path and chance.random() < 0.8:
        return None
    if not path:
        return ("extra", ("surplus",), {**out, "surplus": chance.choice((1, "x", None))})
    holder = out
    for step in path[:-1]:
        holder = holder[step]
    kind = chance.choice(list(DAMAGE))
    if kind == "missing":
        del holder[path[-1]]
    elif kind == "renamed" and isinstance(holder, dict):
        holder[path[-1].upper()] = holder.pop(path[-1])
    else:
        holder[path[-1]] = DAMAGE[kind](holder[path[-1]], chance)
    return None if json.dumps(out) == json.dumps(args) else (kind, path, out)


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every value in this one, itself first."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in inside:
        yield from places(inner, (*path, step))


def other_type(value: Any, chance: Random) -> Any:
    return chance.choice([one for one in (17, 2.5, "word", True, None, [3], {"k": 1}) if type(one) is not type(value)])


def written(value: Any, chance: Random) -> Any:
    return json.dumps(value, ensure_ascii=chance.random() < 0.5) if not isinstance(value, str) else f" {value} "


def wide(value: Any, chance: Random) -> Any:
    return json.dumps(value, ensure_ascii=False).strip('"').translate(FULL_WIDTH)


def beyond(value: Any, chance: Random) -> Any:
    if isinstance(value, bool) or value is None:
        return 10**12
    return value * -(10**9) - 1 if isinstance(value, int | float) else value * 60 if isinstance(value, str | list) else {**value, "surplus": 1}


def dated(value: Any, chance: Random) -> Any:
    if isinstance(value, str) and value[:10] in DATES:
        year, month, day = (int(part) for part in value[:10].split("-"))
        return chance.choice((f"{year}/{month}/{day}", f"{year}年{month}月{day}日", f"{month:02}/{day:02}/{year}", f"{year}-13-{day}"))
    return chance.choice(("2025/3/4", "soon"))


def spoken(value: Any, chance: Random) -> Any:
    if isinstance(value, bool):
        return chance.choice(("yes", "True", "是", "0", 1, "on"))
    return {"null": "None"}.get(json.dumps(value), str(value).upper() if isinstance(value, str) else f"{value}.0")


DAMAGE = {
    "other type": other_type, "written": written, "wide": wide, "beyond": beyond, "dated": dated, "spoken": spoken,
    "wrapped": lambda value, chance: [value], "unwrapped": lambda value, chance: value[0] if isinstance(value, list) and value else "none",
    "null": lambda value, chance: None, "strange": lambda value, chance: f"{value}?", "emptied": lambda value, chance: type(value)() if value else "",
    "broken": lambda value, chance: json.dumps(value)[:-1] + "…", "thousands": lambda value, chance: "1,234" if isinstance(value, int | float) else "1 or 2",
    "missing": None, "renamed": lambda value, chance: value,
}  # fmt: skip
