"""Schemas that others wrote, in JSON schema's own words: `dict`, `float`, `ArrayList`, `List[int]` … and other habits around them.

Descriptions of functions come from Python, Java, JavaScript and from models that wrote them; servers and our own check read
JSON schema only. What means the same is written the usual way; a type that nobody knows is left open, its word kept for the model.
"""

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

PLAIN = frozenset(("string", "integer", "number", "boolean", "array", "object", "null"))
_WORDS = {
    "string": "str text char character varchar unicode url uri email date datetime time timestamp uuid path 字符串 文本 日期",
    "integer": "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 long short byte bigint biginteger 整数",
    "number": "num float float32 float64 double decimal bigdecimal real numeric complex 数字 浮点数 小数",
    "boolean": "bool 布尔 布尔值",
    "array": "list tuple set frozenset sequence iterable collection arraylist linkedlist queue deque stack vector ndarray 列表 数组",
    "object": "dict dictionary map mapping hashmap hashtable treemap linkedhashmap record struct json 对象 字典",
    "null": "none nonetype nil undefined void",
}
KNOWN = {word: kind for kind, words in _WORDS.items() for word in (kind, *words.split())}
ANYTHING = frozenset(("", "any", "unknown", "mixed", "variant", "*", "任意"))
_OF = re.compile(r"(?:[\w.]+\.)?(\w+)\s*(?:\[(.+)\]|<(.+)>|\s+of\s+(.+))")
_MANY = re.compile(r"(.+?)\s*\[\s*\d*\s*\]")
_EITHER = re.compile(r"\s*\|\s*|\s+or\s+|\s*/\s*")
_CHOICE = frozenset(("optional", "union", "nullable", "maybe"))
_SAME = frozenset(("annotated", "final", "readonly", "required", "notrequired", "promise"))
_DEEPEST = 40
TABLES = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
BRANCHES = ("items", "additionalProperties", "additionalItems", "contains", "not", "if", "then", "else", "propertyNames")


def standard(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters of a function as a JSON schema of type object; one that already is comes back unchanged.

    Types get JSON schema's names, generic ones their items; `optional` and `required` beside a single parameter go into
    the list of required ones; names that are required and not described go, since nobody could give them. Choices that
    stand at a list are those of its items, a default is one of the choices, and choices are of the type they stand at.
    """
    told = _node({**schema, "type": "object"} if schema.get("type") in (None, "") or "properties" in schema else schema, 0)
    told = told if told.get("type") == "object" else {**told, "type": "object"}
    return schema if told == schema else told


def _node(schema: Any, depth: int) -> Any:
    """One schema and all in it."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return schema
    out = _chosen(_typed(dict(schema)))
    for key in TABLES:
        if isinstance(out.get(key), Mapping):
            out[key] = {name: _node(part, depth + 1) for name, part in out[key].items()}
    for key in LISTS:
        if isinstance(out.get(key), list):
            out[key] = [_node(part, depth + 1) for part in out[key]]
    for key in BRANCHES:
        if isinstance(out.get(key), list):
            out[key] = [_node(part, depth + 1) for part in out[key]]
        elif key in out:
            out[key] = _node({"type": out[key]} if isinstance(out[key], str) else out[key], depth + 1)
    return _required(out, schema)


def _required(out: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with its list of required properties put right."""
    listed = out.get("required")
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        if "required" in out and not isinstance(listed, list):
            del out["required"]
        return out
    marks = {name: _needed(part) for name, part in properties.items()}
    open_ended = "additionalProperties" in out or "patternProperties" in out or any(key in out for key in ("$ref", *LISTS[:3]))
    names = [name for name in listed if isinstance(name, str) and (name in properties or open_ended)] if isinstance(listed, list) else []
    names = [name for name in names if marks.get(name) is not False]
    names += [name for name, mark in marks.items() if mark and name not in names]
    if names or isinstance(listed, list):
        out["required"] = names
    else:
        out.pop("required", None)
    if any(mark is not None for mark in marks.values()):
        out["properties"] = {name: _unmarked(part, marks[name]) for name, part in out["properties"].items()}
    return out


def _needed(part: Any) -> bool | None:
    """What a property says of itself: it must be there, need not, or nothing."""
    if not isinstance(part, Mapping):
        return None
    if isinstance(part.get("required"), bool):
        return bool(part["required"])
    return not part["optional"] if isinstance(part.get("optional"), bool) else None


def _unmarked(part: Any, mark: bool | None) -> Any:  # noqa: FBT001 - three answers
    if mark is None:
        return part
    return {key: value for key, value in part.items() if not (key in {"optional", "required"} and isinstance(value, bool))}


def _chosen(out: dict[str, Any]) -> dict[str, Any]:
    """The schema with choices that somebody can choose."""
    choices, kind = out.get("enum"), out.get("type")
    if "enum" in out and not (isinstance(choices, list) and choices):
        return {key: value for key, value in out.items() if key != "enum"}
    if not choices or not isinstance(kind, str):
        return out
    items = out.get("items", {})
    if kind == "array" and isinstance(items, Mapping) and "enum" not in items and not any(isinstance(one, list) for one in choices):
        return {**{key: value for key, value in out.items() if key != "enum"}, "items": {**items, "enum": choices}}
    default = out.get("default")
    choices = choices if default is None or default in choices or isinstance(default, list | dict) else [*choices, default]
    if kind in _READ and not any(_is(kind, one) for one in choices):
        read = [_READ[kind].get(str(one).strip().lower()) if kind == "boolean" else _number(str(one)) for one in choices]
        if all(value is not None and _is(kind, value) for value in read):
            told = {"enum": read, **({"default": read[choices.index(default)]} if default in choices else {})}
            return {**out, **told}
        del out["type"]
    return {**out, "enum": choices} if choices != out["enum"] else out


_READ: dict[str, dict[str, Any]] = {"boolean": {"true": True, "false": False}, "integer": {}, "number": {}}


def _is(kind: str, value: Any) -> bool:
    if kind == "boolean" or isinstance(value, bool):
        return kind == "boolean" and isinstance(value, bool)
    return isinstance(value, int if kind == "integer" else int | float)


def _number(text: str) -> int | float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text) if isfinite(float(text)) else None
    except ValueError:
        return None


def _typed(out: dict[str, Any]) -> dict[str, Any]:
    """The schema with its type in JSON schema's words."""
    kind = out.get("type")
    if "type" not in out or (isinstance(kind, str) and kind in PLAIN):
        return out
    if isinstance(kind, list) and kind and all(isinstance(one, str) and one in PLAIN for one in kind):
        return out
    del out["type"]
    if isinstance(kind, Mapping):
        return _typed({**kind, **out})
    words = kind if isinstance(kind, list) else [kind] if isinstance(kind, str) else []
    found = [_meaning(str(word), 0) for word in words]
    meant = _either([one for one in found if one is not None]) if None not in found else None
    if meant is None:
        shape = "object" if "properties" in out else "array" if "items" in out else ""
        odd = " / ".join(str(word).strip() for word, one in zip(words, found, strict=True) if one is None)
        told = str(out.get("description") or "")
        out |= {"description": f"{told} ({odd})".strip()} if odd and odd not in told else {}
        return {"type": shape, **out} if shape else out
    return {**meant, **out}


def _meaning(word: str, depth: int) -> dict[str, Any] | None:
    """The schema that a type's name stands for, `{}` for anything; None where nobody knows."""
    word = word.strip().strip("?").strip("()").strip()
    if word.lower() in ANYTHING:
        return {}
    if kind := KNOWN.get(word.lower()) or KNOWN.get(word.lower().removesuffix("s")):  # "list of strings"
        return {"type": kind}
    if depth > 8 or len(word) > 400:
        return None
    several = _split(word, _EITHER.match)
    if len(several) > 1:
        return _all_known([_meaning(part, depth + 1) for part in several])
    if many := _MANY.fullmatch(word):
        inner = _meaning(many[1], depth + 1)
        return {"type": "array", **({"items": inner} if inner else {})}
    if of := _OF.fullmatch(word):
        return _generic(of[1].lower(), of[2] or of[3] or of[4], depth + 1)
    return _meaning(word.rpartition(".")[2], depth + 1) if "." in word else None


def _generic(outer: str, inner: str, depth: int) -> dict[str, Any] | None:
    parts = [_meaning(part, depth) for part in _split(inner, re.compile(r"\s*,\s*").match)]
    if outer in _CHOICE:
        return _all_known([*parts, *([{"type": "null"}] if outer != "union" else [])])
    if outer in _SAME:
        return parts[0]
    kind = KNOWN.get(outer)
    if kind == "array" and parts[0]:
        alike = all(part == parts[0] for part in parts)
        return {"type": "array", **({"items": parts[0]} if alike else {})}
    if kind == "object" and len(parts) == 2 and parts[1]:
        return {"type": "object", "additionalProperties": parts[1]}
    return {"type": kind} if kind else None


def _all_known(arms: list[dict[str, Any] | None]) -> dict[str, Any] | None:
    known = [arm for arm in arms if arm is not None]
    return _either(known) if len(known) == len(arms) else None


def _either(arms: list[dict[str, Any]]) -> dict[str, Any]:
    """One schema for several; anything, where one of them is anything."""
    arms = [arm for at, arm in enumerate(arms) if arm not in arms[:at]]
    if not all(arms):
        return {}
    if len(arms) < 2:
        return arms[0] if arms else {}
    if all(set(arm) == {"type"} for arm in arms):
        return {"type": [arm["type"] for arm in arms]}
    return {"anyOf": arms}


def _split(text: str, mark: Callable[[str, int], re.Match[str] | None]) -> list[str]:
    """The parts between marks that stand outside all brackets."""
    parts, begin, at, depth = [], 0, 0, 0
    while at < len(text):
        depth += (text[at] in "[<(") - (text[at] in "]>)")
        found = mark(text, at) if depth == 0 else None
        if found and found.end() > at:
            parts.append(text[begin:at])
            begin = at = found.end()
        else:
            at += 1
    return [*parts, text[begin:]]
