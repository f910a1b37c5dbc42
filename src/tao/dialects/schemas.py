"""A JSON schema as plain alternatives: references followed, `allOf` merged, unions and lists of types spread out."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

Schema = Mapping[str, Any] | bool

MOST_ARMS = 64
"""More alternatives than this are not told apart: anything goes, and the check of the arguments decides."""
UNIONS = ("anyOf", "oneOf")
LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None), "array": list, "object": Mapping,
}  # fmt: skip
ABOUT = {
    "object": ("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems"),
    "string": ("pattern", "format", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""Keywords that are about one type: a schema that names none is meant for the type that its keywords are about."""


def arms(schema: Any, root: Any, seen: frozenset[str] = frozenset()) -> list[dict[str, Any]]:
    """The schema as alternatives without `$ref`, `allOf`, `anyOf`, `oneOf` or several types; `{}` is anything, no arm is nothing.

    A reference back to what is being spread out gives nothing new and is left out.
    """
    if not isinstance(schema, Mapping):
        return [] if schema is False else [{}]
    rest = {key: value for key, value in schema.items() if key not in {"$ref", "allOf", *UNIONS}}
    found = _typed(rest)
    if isinstance(schema.get("$ref"), str):
        ref = schema["$ref"]
        found = _both(found, [] if ref in seen else arms(resolved(ref, root), root, seen | {ref}))
    for part in _listed(schema, "allOf"):
        found = _both(found, arms(part, root, seen))
    for key in UNIONS:
        if _listed(schema, key):
            found = _both(found, [arm for part in schema[key] for arm in arms(part, root, seen)])
    return found if len(found) <= MOST_ARMS else [{}]


def resolved(ref: str, root: Any) -> Any:
    """What a reference (`#/$defs/Item`, `#`) points at; anything (True) where it points at nothing here."""
    if not ref.startswith("#"):
        return True
    node = root
    for part in ref.removeprefix("#").split("/")[1:]:
        step = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping):
            node = node.get(step, True)
        else:
            node = node[int(step)] if isinstance(node, list) and step.isdecimal() and int(step) < len(node) else True
    return node


def values(schema: Mapping[str, Any]) -> list[Any] | None:
    """The values that `enum` or `const` leave, those of the schema's type; None where neither is there."""
    if "const" in schema:
        listed = [schema["const"]]
    elif isinstance(schema.get("enum"), list | tuple):
        listed = list(schema["enum"])
    else:
        return None
    return [value for value in listed if is_a(value, schema.get("type"))]


def is_a(value: Any, kind: Any) -> bool:
    """Whether the value is of this JSON type; of any, where the type is not known here."""
    if isinstance(value, bool) and kind in ("integer", "number"):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, TYPES.get(str(kind), object))


def type_of(schema: Mapping[str, Any]) -> str | None:
    """The type that the schema names, or that its keywords are about; None for anything."""
    kind = schema.get("type")
    return kind if isinstance(kind, str) else next((name for name, keys in ABOUT.items() if set(keys) & set(schema)), None)


def _typed(schema: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = schema.get("type")
    spread = [{**schema, "type": kind} for kind in kinds] if isinstance(kinds, list) and kinds else [schema]
    if schema.get("nullable") is True:
        spread.append({"type": "null"})
    return [arm for arm in spread if values(arm) != []]


def _both(some: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(some) * len(others) > MOST_ARMS**2:
        return [{}]
    return [both for one, other in product(some, others) if (both := _merged(one, other)) is not None]


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any] | None:
    """What fits both; None where nothing can."""
    merged = {**one, **other}
    for key in one.keys() & other.keys():
        a, b = one[key], other[key]
        if key == "type" and a != b:
            if sorted(map(str, (a, b))) != ["integer", "number"]:
                return None
            merged["type"] = "integer"
        elif key == "properties" and isinstance(a, Mapping) and isinstance(b, Mapping):
            merged[key] = {**a, **{name: {"allOf": [a[name], part]} if name in a else part for name, part in b.items()}}
        elif key == "required" and isinstance(a, Iterable) and isinstance(b, Iterable):
            merged[key] = list(dict.fromkeys([*a, *b]))
        elif (key in LOWER or key in UPPER) and isinstance(a, int | float) and isinstance(b, int | float):
            merged[key] = max(a, b) if key in LOWER else min(a, b)
        elif key in {"items", "additionalProperties"} and a != b:
            merged[key] = False if a is False or b is False else {"allOf": [a, b]}
    common = [value for value in values(one) or () if value in (values(other) or ())]
    if values(one) is not None and values(other) is not None:
        merged = {**{key: value for key, value in merged.items() if key != "const"}, "enum": common}
    return None if values(merged) == [] else merged


def _listed(schema: Mapping[str, Any], key: str) -> list[Any]:
    found = schema.get(key)
    return found if isinstance(found, list) else []
