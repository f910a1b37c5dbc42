"""Schemas that others wrote: what our own check does not read is held to by `jsonschema`, where it is installed.

Our own check reads arguments (and mends them harmlessly); this one only says whether the result is valid. Schemas of functions
declared here never need it. It comes with the extras `mcp` and `eval`; without it such keywords are not checked here, the
server that wrote the schema checks them itself.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any
from urllib.parse import unquote

from tao.tools.complaint import Problem, wanted_text
from tao.tools.words import say, speaking

LOG = logging.getLogger("tao.tools")
KEYWORDS = frozenset({
    "allOf", "oneOf", "not", "if", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "contains",
    "unevaluatedProperties", "unevaluatedItems", "additionalItems", "$anchor", "$dynamicRef", "$id",
})  # fmt: skip
"""Keywords that only `jsonschema` reads fully."""
PARTS = ("allOf", "anyOf", "oneOf")
BRANCHES = ("if", "then", "else", "not", "items", "additionalProperties", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems")
TABLES = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
TEXTS = ("description", "title", "format", "pattern", "$ref")
VALUES = ("const", "default", "enum", "example", "examples")
"""Keywords that hold values of the parameter itself."""
MOST_KNOWN = 512

_KNOWN: dict[int, tuple[Mapping[str, Any], Any]] = {}


def problems(schema: Mapping[str, Any], value: Any, lang: str) -> list[Problem]:
    """What `jsonschema` finds against a value whose schema has keywords that our own check does not read; else nothing."""
    validator = _validator(schema)
    if validator is None:
        return []
    with speaking(lang):
        try:
            found = sorted(validator.iter_errors(value), key=lambda error: [str(step) for step in error.absolute_path])
        except Exception as error:  # noqa: BLE001 - a reference that leads outside the schema, in any of several libraries' classes
            LOG.warning("a tool's schema cannot be followed: %s", error)
            return []
        return [problem for error in found for problem in _said(error)]


def _validator(schema: Mapping[str, Any]) -> Any:
    """The validator of a schema that needs one, made once; None for all others."""
    kept = _KNOWN.get(id(schema))
    if kept is None or kept[0] is not schema:
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        kept = _KNOWN[id(schema)] = (schema, _made(schema) if any(map(_foreign, walk(schema))) else None)
    return kept[1]


def _foreign(schema: Mapping[str, Any]) -> bool:
    ref = schema.get("$ref", "#")
    return bool(KEYWORDS & schema.keys()) or isinstance(schema.get("items"), list) or not str(ref).startswith("#")


def _made(schema: Mapping[str, Any]) -> Any:
    library = _library()
    if library is None:
        return None
    jsonschema, registry = library
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as error:
        LOG.warning("a tool's schema is itself not valid: %s", error.message)
        return None
    return kind(schema, registry=registry)


@cache
def _library() -> Any:
    """`jsonschema` and an empty registry, so that no reference is fetched; None where it is not installed."""
    try:
        import jsonschema  # noqa: PLC0415 - an extra
        import referencing  # noqa: PLC0415 - comes with it
    except ImportError:
        LOG.warning("a tool's schema has keywords that only jsonschema reads; it is not installed: pip install 'tao-agent[mcp]'")
        return None
    return jsonschema, referencing.Registry()


def walk(schema: Any) -> Iterator[Mapping[str, Any]]:
    """The schema and every schema in it; a parameter that is named like a keyword is none."""
    if not isinstance(schema, Mapping):
        return
    yield schema
    for table in TABLES:
        if isinstance(schema.get(table), Mapping):
            for part in schema[table].values():
                yield from walk(part)
    for key in (*PARTS, "prefixItems", "items"):
        if isinstance(schema.get(key), list):
            for part in schema[key]:
                yield from walk(part)
    for key in BRANCHES:
        yield from walk(schema.get(key))


def misshapen(schema: Any, path: str = "") -> str:
    """What in a schema no reader of schemas could follow, as "properties.city: got 5, wanted a schema"; "" where all is well.

    Only forms are looked at, and only of the keywords that are read here; a keyword of null counts as left out (see `present`).
    """
    if isinstance(schema, bool):
        return ""
    if not isinstance(schema, Mapping):
        return _odd(path, schema, "a schema")
    parts: Iterable[tuple[Any, Any]]
    for key, value in schema.items():
        place = f"{path}.{key}".removeprefix(".")
        if key in TABLES:
            parts = value.items() if isinstance(value, Mapping) else ()
            wrong = "" if isinstance(value, Mapping) else _odd(place, value, "an object of schemas")
        elif key in (*PARTS, "prefixItems") or (key == "items" and isinstance(value, list)):
            parts = enumerate(value) if isinstance(value, list) else ()
            wrong = "" if isinstance(value, list) else _odd(place, value, "a list of schemas")
        else:
            parts, wrong = (), misshapen(value, place) if key in BRANCHES else _unformed(key, value, place, schema)
        if wrong := wrong or next((found for name, part in parts if (found := misshapen(part, f"{place}.{name}"))), ""):
            return wrong
    return ""


def _unformed(key: str, value: Any, place: str, schema: Mapping[str, Any]) -> str:
    """What is wrong with the value of a keyword that holds no schema."""
    if key == "required" and isinstance(value, bool) and isinstance(schema.get("type"), str) and schema["type"] != "object":
        return ""  # draft 3 says it of the parameter itself
    if key in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
        return ""  # draft 4
    if key in NUMBERS:
        return "" if isinstance(value, int | float) and not isinstance(value, bool) else _odd(place, value, "a number")
    if key in COUNTS:
        return "" if isinstance(value, int) and not isinstance(value, bool) else _odd(place, value, "a whole number")
    if key in TEXTS:
        return "" if isinstance(value, str) else _odd(place, value, "a text")
    if key == "type" and isinstance(value, str):
        return ""
    if key in ("type", "required"):
        return "" if isinstance(value, list) and all(isinstance(one, str) for one in value) else _odd(place, value, "a list of texts")
    return _odd(place, value, "a list") if key == "enum" and not isinstance(value, list) else ""


def _odd(place: str, value: Any, wanted: str) -> str:
    return f"{place or 'the schema'}: got {value!r:.80}, wanted {wanted}"


def present(schema: Any) -> Any:
    """The schema without keywords of null, as programs write them that leave nothing out; values that may well be null stay."""
    if isinstance(schema, list):
        return [present(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = {key: value for key, value in schema.items() if value is not None or key in ("const", "default")}
    tables = {key: {name: present(part) for name, part in kept[key].items()} for key in TABLES if isinstance(kept.get(key), Mapping)}
    return {key: tables[key] if key in tables else value if key in VALUES else present(value) for key, value in kept.items()}


def resolved(ref: Any, root: Mapping[str, Any]) -> Any:
    """What a reference within the schema (`#/$defs/Item`, `#`) points at; anything (True) where it leads elsewhere."""
    if not isinstance(ref, str) or not (ref == "#" or ref.startswith("#/")):
        return True
    node: Any = root
    for part in ref.split("/")[1:]:
        step = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(node, list) and step.isdecimal() and int(step) < len(node):
            node = node[int(step)]
        else:
            node = node.get(step, True) if isinstance(node, Mapping) else True
    return node


def names(schema: Any, root: Mapping[str, Any], depth: int = 0) -> set[str]:
    """The properties that a schema or any of its parts lists."""
    if not isinstance(schema, Mapping) or depth > 8:
        return set()
    parts = [part for key in PARTS for part in schema.get(key) or ()]
    parts += [schema.get(key) for key in ("if", "then", "else")]
    parts += (schema.get("dependentSchemas") or {}).values()
    parts += [resolved(schema["$ref"], root)] if "$ref" in schema else []
    return set(schema.get("properties") or ()).union(*(names(part, root, depth + 1) for part in parts))


# ── what it found, in our words ───────────────────────────────────────────────


def _said(error: Any) -> list[Problem]:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path).removeprefix(".")
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    table = schema.get("properties") or {}
    if error.validator == "required":
        name = next((name for name in error.validator_value if f"{name!r}" in error.message), "")
        return [Problem(_inner(path, name), "missing", None, table.get(name, {}))]
    if error.validator in ("dependentRequired", "dependencies"):
        return [
            Problem(_inner(path, need), "missing", None, table.get(need, {}))
            for name, needs in error.validator_value.items() if name in error.instance and isinstance(needs, list)
            for need in needs if need not in error.instance
        ]  # fmt: skip
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        known = names(schema, schema)
        return [Problem(_inner(path, key), "unknown", error.instance[key], {"properties": table}) for key in error.instance if key not in known]
    why = "unclear" if error.validator == "oneOf" and not error.context else str(error.validator)
    return [Problem(path, why, error.instance, schema, _detail(error))]


def _inner(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _detail(error: Any) -> str:
    """What is wrong where the schema alone does not say it; "" where it does."""
    if error.validator == "not":
        barred = wanted_text(error.validator_value)
        return say(f"not allowed is {barred}", f"不允许：{barred}")
    if error.validator == "contains":
        item = wanted_text(error.validator_value)
        return say(f"an item must be {item}", f"其中须有一项为 {item}")
    if "propertyNames" in error.schema_path:
        name = wanted_text(error.schema)
        return say(f"as a name, wanted {name}", f"作为键名，需要{name}")
    return ""
