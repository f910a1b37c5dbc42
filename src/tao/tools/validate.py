"""Arguments against a JSON schema: what fits passes unchanged, what is only written differently is read, all else is refused.

The common subset of JSON schema: types, enum, const, properties, required, additionalProperties, patternProperties, items,
prefixItems, anyOf/oneOf/allOf, $ref, formats, and the limits on numbers, texts, lists and objects. Keywords beyond it are
checked by `foreign`. An object that lists its `properties` takes no others, unless it says so in `additionalProperties`.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from tao.errors import BadArguments
from tao.tools import foreign, reading
from tao.tools.complaint import Problem, complain, note, said

EXACT, READ, WRAP = 0, 1, 2
"""How far a value may be mended: not at all, read differently, or also put into a list of one."""

DEEPEST = 40
COMPOSED = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"})
"""Keywords by which an object takes properties that it does not list itself."""


@dataclass(frozen=True, slots=True)
class At:
    """Where in the arguments we are; `notes` gathers what was mended. `part`: the schema is only a part of what an object may be."""

    root: Mapping[str, Any]
    path: str = ""
    mend: int = WRAP
    depth: int = 0
    notes: list[str] = field(default_factory=list)
    part: bool = False

    def inner(self, step: str) -> "At":
        """One level deeper. `step` is ".name", "[2]" or "" (the same value); in a list nothing is wrapped, [1, 2] may be [[1], [2]] or [[1, 2]]."""
        if self.depth > DEEPEST:
            raise Misfit([Problem(self.path, "deep", None, {})])
        mend = min(self.mend, READ) if step[:1] == "[" else self.mend
        return At(self.root, (self.path + step).removeprefix("."), mend, self.depth + 1, self.notes, self.part and not step)

    def softened(self, mend: int) -> "At":
        """The same place, mended only so far, with notes of its own."""
        return At(self.root, self.path, mend, self.depth + 1, part=self.part)

    def opened(self, *, part: bool = True) -> "At":
        """The same place, for a part of its schema: properties that the part does not list are left to the other parts."""
        return replace(self, part=True) if part else self


class Misfit(Exception):
    """Values that do not fit, with their places; `good` is what of an object does fit."""

    def __init__(self, problems: list[Problem], good: Mapping[str, Any] | None = None) -> None:
        super().__init__(problems)
        self.problems = problems
        self.good = good or {}


def check(
    schema: Mapping[str, Any], args: Mapping[str, Any], lang: str = "en", example: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments in the schema's types, and a note for everything that was read differently ('days: "42" → 42').

    Raises BadArguments with a text for the model in `lang`, which names each parameter, what came, what is wanted and
    an example. Arguments that fit come back unchanged and equal.
    """
    at = At(schema)
    if not isinstance(args, Mapping):
        raise complain([Problem("", "type", args, {"type": "object"})], schema, {}, lang, example)
    try:
        closed = {} if COMPOSED & schema.keys() else {"additionalProperties": False}
        read = dict(_fit({"type": "object", **closed, **schema}, args, at))
    except Misfit as misfit:
        raise complain(misfit.problems, schema, misfit.good, lang, example) from None
    if found := foreign.problems(schema, read, lang):
        raise complain(found, schema, read, lang, example)
    return read, tuple(at.notes)


def value(schema: Mapping[str, Any], given: Any, lang: str = "en") -> Any:
    """Any JSON value in the schema's types. Raises BadArguments with what is wrong with it, in `lang`."""
    try:
        read = _fit(schema, given, At(schema))
    except Misfit as misfit:
        raise BadArguments(said(misfit.problems, lang)) from None
    if found := foreign.problems(schema, read, lang):
        raise BadArguments(said(found, lang))
    return read


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a value is valid as it stands."""
    return _fits(schema, value, At(schema, mend=EXACT))


def _fits(schema: Any, value: Any, at: At) -> bool:
    try:
        _fit(schema, value, at.softened(EXACT))
    except Misfit:
        return False
    return True


def _fit(schema: Any, value: Any, at: At) -> Any:
    """The value as the schema has it, or Misfit."""
    if schema is True or not schema:
        if schema is False:
            raise Misfit([Problem(at.path, "type", value, {})])
        return value
    if "$ref" in schema:
        if at.depth > DEEPEST:
            raise Misfit([Problem(at.path, "deep", value, {})])
        rest = {key: item for key, item in schema.items() if key not in {"$ref", "description", "default", "examples"}}
        value = _fit(foreign.resolved(schema["$ref"], at.root), value, at.inner("").opened(part="properties" in rest))
        return _fit(rest, value, at) if rest else value
    if schema.get("nullable") and value is None:
        return None
    for part in schema.get("allOf", ()):
        value = _fit(part, value, at.opened())
    arms = schema.get("anyOf") or schema.get("oneOf")
    if arms:
        value = _any(arms, value, at.opened(part="properties" in schema), schema)
    if "enum" in schema or "const" in schema:
        return _enum(schema, schema.get("enum") or [schema.get("const")], value, at)
    kind = schema.get("type") or _implied(schema, value)
    if isinstance(kind, list):
        if len(kind) > 1:
            return _any([{**schema, "type": one} for one in kind], value, at, schema)
        kind = kind[0] if kind else None
    handler = HANDLERS.get(kind) if kind else None
    return handler(schema, value, at) if handler else value


def _implied(schema: Mapping[str, Any], value: Any) -> str | None:
    """The type that a schema without one is about, where the value is of it: keywords of other types do not apply."""
    if isinstance(value, Mapping) and {"properties", "required", "additionalProperties"} & set(schema):
        return "object"
    if isinstance(value, list) and {"items", "prefixItems", "minItems", "maxItems"} & set(schema):
        return "array"
    if isinstance(value, str) and {"pattern", "minLength", "maxLength", "format"} & set(schema):
        return "string"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else None


def _any(arms: list[Any], value: Any, at: At, schema: Mapping[str, Any]) -> Any:
    """The one reading on which the arms agree, with as little mending as possible."""
    problems: list[Problem] = []
    for mend in range(at.mend + 1):
        found: list[tuple[Any, list[str]]] = []
        for arm in arms:
            inner = at.softened(mend)
            try:
                read = _fit(arm, value, inner)
            except Misfit as misfit:
                problems = misfit.problems if any(p.path != at.path for p in misfit.problems) else problems
            else:
                if mend == EXACT:
                    return read
                if not any(_same(read, other) for other, _ in found):
                    found.append((read, inner.notes))
        if len(found) == 1:
            at.notes.extend(found[0][1])
            return found[0][0]
        if found:
            raise Misfit([Problem(at.path, "unclear", value, schema)])
    raise Misfit(problems or [Problem(at.path, "type", value, schema)])


def _same(a: Any, b: Any) -> bool:
    """Whether two JSON values are one: 1 and 1.0 are, 1 and true are not."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def _enum(schema: Mapping[str, Any], choices: list[Any], value: Any, at: At) -> Any:
    for choice in choices:
        if _same(choice, value):
            return choice
    if at.mend:
        key = _loose(value)
        found = [choice for choice in choices if _loose(choice) == key] if key else []
        if len(found) == 1:
            return _noted(at, value, found[0])
    raise Misfit([Problem(at.path, "enum", value, schema)])


def _loose(value: Any) -> str:
    """A name or number without what writers vary: width, case, and the marks between words."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = reading.narrow(str(value)).casefold() if isinstance(value, str | int | float) else ""
    return re.sub(r"(?<=\w)[\s_-]+(?=\w)", " ", text)


def _noted(at: At, came: Any, read: Any) -> Any:
    at.notes.append(note(at.path, came, read))
    return read


# ── one function per type ─────────────────────────────────────────────────────


def _integer(schema: Mapping[str, Any], value: Any, at: At) -> int:
    if type(value) is not int:
        read = reading.integer(value) if at.mend else None
        if read is None:
            raise Misfit([Problem(at.path, "type", value, schema)])
        value = _noted(at, value, _limited(schema, read, at, value))
    return int(_limited(schema, value, at, value))


def _number(schema: Mapping[str, Any], value: Any, at: At) -> Any:
    if type(value) is not int and not (isinstance(value, float) and math.isfinite(value)):
        if schema.get("format") == "decimal" and reading.is_decimal(value):
            _limited(schema, float(value), at, value)
            return value
        read = reading.number(value) if at.mend else None
        if read is None:
            raise Misfit([Problem(at.path, "type", value, schema)])
        return _noted(at, value, _limited(schema, read, at, value))
    return _limited(schema, value, at, value)


def _limited(schema: Mapping[str, Any], number: Any, at: At, came: Any) -> Any:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below, step = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum"), schema.get("multipleOf")
    if (
        (low is not None and number < low) or (high is not None and number > high)
        or (above is not None and not isinstance(above, bool) and number <= above)
        or (below is not None and not isinstance(below, bool) and number >= below)
        or (step and not reading.multiple(number, step))
    ):  # fmt: skip
        raise Misfit([Problem(at.path, "limits", came, schema)])
    return number


def _boolean(schema: Mapping[str, Any], value: Any, at: At) -> bool:
    if isinstance(value, bool):
        return value
    read = reading.boolean(value) if at.mend else None
    if read is None:
        raise Misfit([Problem(at.path, "type", value, schema)])
    return bool(_noted(at, value, read))


def _null(schema: Mapping[str, Any], value: Any, at: At) -> None:
    if value is not None:
        if not (at.mend and isinstance(value, str) and value.strip().lower() in reading.NOTHING):
            raise Misfit([Problem(at.path, "type", value, schema)])
        _noted(at, value, None)


def _string(schema: Mapping[str, Any], value: Any, at: At) -> str:
    if isinstance(value, str) and not (why := _unlike(schema, value)):
        return value
    if at.mend:
        reader = reading.FORMATS.get(schema.get("format", ""))
        for read in (reader(value) if reader else None, reading.narrow(value) if isinstance(value, str) else reading.string(value)):
            if read is not None and not _unlike(schema, read):
                return str(_noted(at, value, read))
    raise Misfit([Problem(at.path, why if isinstance(value, str) else "type", value, schema)])


def _unlike(schema: Mapping[str, Any], text: str) -> str:
    """Why a text does not fit; "" where it does."""
    if "format" in schema and not reading.fits_format(schema["format"], text):
        return "format"
    if len(text) < schema.get("minLength", 0) or len(text) > schema.get("maxLength", len(text)):
        return "length"
    pattern = _pattern(schema["pattern"]) if "pattern" in schema else None
    return "pattern" if pattern and not pattern.search(text) else ""


@lru_cache(maxsize=256)
def _pattern(text: str) -> re.Pattern[str] | None:
    """A compiled pattern; None for one that Python cannot read (JSON schema uses JavaScript's dialect)."""
    try:
        return re.compile(text)
    except re.error:
        return None


def _array(schema: Mapping[str, Any], value: Any, at: At) -> list[Any]:
    came = value
    if isinstance(value, tuple):
        value = list(value)
    if not isinstance(value, list):
        read = reading.structure(value, list) if at.mend else None
        if read is None and at.mend >= WRAP and _is_one(value) and "prefixItems" not in schema:
            read = [value]
        if read is None:
            raise Misfit([Problem(at.path, "type", value, schema)])
        value = _noted(at, came, read)
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        raise Misfit([Problem(at.path, "length", came, schema)])
    first, rest = schema.get("prefixItems", ()), schema.get("items", True)
    if isinstance(rest, list):  # as it was written before 2020
        first, rest = rest, schema.get("additionalItems", True)
    out: list[Any] = []
    problems: list[Problem] = []
    for place, item in enumerate(value):
        try:
            out.append(_fit(first[place] if place < len(first) else rest, item, at.inner(f"[{place}]")))
        except Misfit as misfit:
            problems += misfit.problems
    if problems:
        raise Misfit(problems)
    if schema.get("uniqueItems"):
        once = [item for place, item in enumerate(out) if not any(_same(item, other) for other in out[:place])]
        if len(once) < len(out):
            if not at.mend:
                raise Misfit([Problem(at.path, "length", came, schema)])
            if len(once) < schema.get("minItems", 0):
                raise Misfit([Problem(at.path, "length", came, schema)])
            return list(_noted(at, came, once))
    return out


def _is_one(value: Any) -> bool:
    """Whether a bare value is certainly a single item: a text with separators in it may be several."""
    return value is not None and not (isinstance(value, str) and (not value.strip() or re.search(r"[,，、;；\n|\[\]]", value)))


def _object(schema: Mapping[str, Any], value: Any, at: At) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        read = reading.structure(value, dict) if at.mend else None
        if read is None:
            raise Misfit([Problem(at.path, "type", value, schema)])
        value = _noted(at, value, read)
    properties: Mapping[str, Any] = schema.get("properties") or {}
    needed = schema.get("required") or ()
    out: dict[str, Any] = {}
    problems: list[Problem] = []
    failed: set[str] = set()
    named = _renamed(schema, value, properties, at) if properties else value
    if not schema.get("minProperties", 0) <= len(named) <= schema.get("maxProperties", len(named)):
        raise Misfit([Problem(at.path, "length", value, schema)])
    for key, item in named.items():
        place = at.inner(f".{key}")
        form = properties[key] if key in properties else _further(schema, key, at)
        if form is False:
            problems.append(Problem(place.path, "unknown", item, {"properties": properties}))
            continue
        if item is None and key in properties and key not in needed and at.mend and not _fits(form, None, place):
            at.notes.append(note(place.path, None, ...))
            continue
        try:
            out[key] = _fit(form, item, place)
        except Misfit as misfit:
            failed.add(key)
            problems += misfit.problems
    missing = [key for key in needed if key not in out and key not in failed]
    problems += [Problem(at.inner(f".{key}").path, "missing", None, properties.get(key, {})) for key in missing]
    if problems:
        raise Misfit(problems, out)
    return out


def _further(schema: Mapping[str, Any], key: str, at: At) -> Any:
    """The schema of a property that is not listed; False where there may be none."""
    for pattern, form in (schema.get("patternProperties") or {}).items():
        if (compiled := _pattern(pattern)) and compiled.search(key):
            return form
    if "additionalProperties" in schema:
        return schema["additionalProperties"]
    return at.part or not schema.get("properties") or (bool(COMPOSED & schema.keys()) and key in foreign.names(schema, at.root))


def _renamed(schema: Mapping[str, Any], value: Mapping[str, Any], properties: Mapping[str, Any], at: At) -> Mapping[str, Any]:
    """The object with keys that differ from a parameter's name only in case, width or `_` put right, where they cannot stand for themselves."""
    strange = [key for key in value if key not in properties and _further(schema, key, at) is False]
    if not strange or not at.mend:
        return value
    out = dict(value)
    for key in strange:
        near = [name for name in properties if _squeezed(name) == _squeezed(key)]
        if len(near) == 1 and near[0] not in out:
            out[near[0]] = out.pop(key)
            at.notes.append(f"{key} → {near[0]}")
    return out


def _squeezed(name: str) -> str:
    return re.sub(r"[\s_-]", "", reading.narrow(name).casefold())


HANDLERS = {
    "integer": _integer, "number": _number, "boolean": _boolean, "null": _null,
    "string": _string, "array": _array, "object": _object,
}  # fmt: skip
