"""What a tool's schema says about its parameters, and text turned into the type that the schema asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from tao.dialects.clean import SPACE
from tao.dialects.later import later
from tao.dialects.repair import Read, read_json
from tao.messages import Kept, ToolSpec

_INTEGER = later(r"[+-]?\d{1,400}")
_DECIMAL = later(r"[+-]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][+-]?\d{1,3})?")
_GROUPED = later(r"[+-]?[1-9]\d{0,2}\.\d{3}")
"""A fraction of nothing, or thousands as they are written in many countries."""
_MISSING = frozenset(("", "none", "null", "n/a", "na", "nil", "无", "空", "无输入", "no input", "empty"))
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object", type(None): "null"}


@dataclass(frozen=True, slots=True)
class Parameters:
    """A tool's parameters in order, with their schemas, and which of them are required."""

    schemas: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]

    @property
    def sole(self) -> str | None:
        """The one parameter that a bare input can only mean: the only one, or the only required one."""
        if len(self.schemas) == 1:
            return next(iter(self.schemas))
        return self.required[0] if len(self.required) == 1 else None

    def known(self, key: str) -> str | None:
        """The parameter that a written key means, ignoring case where that is unique."""
        if key in self.schemas:
            return key
        same = [name for name in self.schemas if name.lower() == key.lower()]
        return same[0] if len(same) == 1 else None


@Kept
def parameters(tool: ToolSpec) -> Parameters:
    """Read off the tool's JSON schema; a schema that is none has no parameters."""
    properties = tool.parameters.get("properties")
    items = properties.items() if isinstance(properties, Mapping) else ()
    schemas = {str(key): value if isinstance(value, Mapping) else {} for key, value in items}
    required = tool.parameters.get("required")
    names = tuple(name for name in required if name in schemas) if isinstance(required, list | tuple) else ()
    return Parameters(schemas, names)


def kinds(schema: Mapping[str, Any]) -> set[str]:
    """The JSON types that a schema lets through; empty where it does not say."""
    found: set[str] = set()
    kind = schema.get("type")
    if isinstance(kind, str):
        found.add(kind)
    elif isinstance(kind, list | tuple):
        found.update(item for item in kind if isinstance(item, str))
    for word in ("anyOf", "oneOf", "allOf"):
        arms = schema.get(word)
        for arm in arms if isinstance(arms, list | tuple) else ():
            if isinstance(arm, Mapping) and arm is not schema:
                found |= kinds(arm)
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else ())
    if not found and isinstance(values, list | tuple):
        found.update(_TYPES.get(type(value), "string") for value in values)
    return found


def convert(text: str, schema: Mapping[str, Any]) -> Any:
    """Untyped text as the value that the schema asks for; text that does not fit stays text, validation will say so."""
    wanted = kinds(schema)
    if not wanted or "string" in wanted:
        return text
    word = text.strip(SPACE)
    if "boolean" in wanted and word.lower() in {"true", "false"}:
        return word.lower() == "true"
    if wanted & {"integer", "number"} and _INTEGER.fullmatch(word):
        return int(word)
    if wanted & {"integer", "number"} and _DECIMAL.fullmatch(word):
        number = float(word)
        if not isfinite(number):
            return text
        if "number" in wanted or not number.is_integer():
            return number
        return text if _GROUPED.fullmatch(word) else int(number)
    if word.lower() in {"null", "none"} and wanted:
        return None
    if wanted & {"array", "object"} and word[:1] in "[{（(［｛":
        value = read_json(word)
        if isinstance(value, Read) and not word[value.end :].strip(SPACE + "]}.,;"):
            return value.value
    return text


def missing(text: str) -> bool:
    """Whether an input says that there is none."""
    return text.strip(SPACE).strip("\"'`()（）").lower().rstrip(".。") in _MISSING
