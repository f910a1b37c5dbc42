"""Arguments of a plain schema that fit as they are: most calls, told at a glance."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from tao.messages import Kept, ToolSpec

SAYING = frozenset({"type", "title", "description", "default", "example", "examples", "deprecated"})
"""Keywords of a parameter beside which every value of its type is right."""
AROUND = frozenset({"type", "properties", "required", "additionalProperties", "title", "description", "$schema"})
TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}


@dataclass(frozen=True, slots=True)
class Plain:
    """The types of parameters by name, and those that have to be there."""

    types: Mapping[str, tuple[type, ...]]
    needed: frozenset[str]

    def fits(self, args: Mapping[str, Any]) -> bool:
        """Whether these arguments pass `check` unchanged; false where that has to be looked at more closely."""
        if type(args) is not dict or not self.needed <= args.keys():
            return False
        for name, value in args.items():
            kind = type(value)
            if kind not in self.types.get(name, ()) or (kind is float and not isfinite(value)):
                return False
        return True


@Kept
def plain(tool: ToolSpec) -> Plain | None:
    """The tool's parameters, where their schema asks for nothing but their types; else None."""
    schema = tool.parameters
    properties, needed = schema.get("properties"), schema.get("required", ())
    if schema.get("type") != "object" or not schema.keys() <= AROUND or not isinstance(properties, Mapping) or not properties:
        return None
    if not isinstance(needed, list | tuple) or not {*needed} <= properties.keys():
        return None
    types: dict[str, tuple[type, ...]] = {}
    for name, one in properties.items():
        kind = one.get("type") if isinstance(one, Mapping) else None
        if not isinstance(kind, str) or kind not in TYPES or not one.keys() <= SAYING:
            return None
        types[name] = TYPES[kind]
    return Plain(types, frozenset(needed))
