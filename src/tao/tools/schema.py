"""JSON schemas as pydantic writes them, made lean: what a model does not need is not paid for in every prompt."""

import sys
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NotRequired, Required, Union, get_args, get_origin

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema
from typing_extensions import TypedDict

from tao.tools import docstring

ARMS = ("anyOf", "oneOf", "allOf")


class Writer(GenerateJsonSchema):
    """pydantic's own writer, without titles and with decimals as numbers."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic's signature
        """Never: a title only repeats the name."""
        return False

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """A number whose digits count; its text form is taken too."""
        limits = {"multiple_of": "multipleOf", "le": "maximum", "ge": "minimum", "lt": "exclusiveMaximum", "gt": "exclusiveMinimum"}
        found = {name: float(schema[key]) for key, name in limits.items() if schema.get(key) is not None}  # type: ignore[literal-required]
        return {"type": "number", "format": "decimal", **found}


def lean(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same schema in fewer words.

    References are written out (except where a type contains itself), titles and empty defaults go, `const` becomes
    `enum`, "or null" goes where null is the default, and `additionalProperties` stays only where it says something:
    an object with `properties` takes nothing else unless it says so.
    """
    defs: Mapping[str, Any] = schema.get("$defs", {})
    looped = {name for name in defs if name in _reached(defs, name)}
    body = _clean({key: value for key, value in schema.items() if key != "$defs"}, defs, looped)
    used = set(_references(body))
    while more := {ref for name in used for ref in _reached(defs, name) & looped} - used:
        used |= more
    kept = {name: _clean(defs[name], defs, looped) for name in defs if name in used}
    return {**body, "$defs": kept} if kept else body


def without_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without its "or null" arm, for a parameter that may be left out instead."""
    out = dict(schema)
    if isinstance(out.get("type"), list):
        types = [kind for kind in out["type"] if kind != "null"]
        out["type"] = types[0] if len(types) == 1 else types
    arms = out.get("anyOf")
    if arms and len(some := [arm for arm in arms if arm != {"type": "null"}]) < len(arms):
        del out["anyOf"]
        out = {**some[0], **out} if len(some) == 1 else {**out, "anyOf": some}
    if None in out.get("enum", ()) and len(out["enum"]) > 1:
        out["enum"] = [choice for choice in out["enum"] if choice is not None]
    return out


def portable(hint: Any) -> Any:
    """The type with every `typing.TypedDict` in it remade by `typing_extensions`, as pydantic demands before Python 3.12."""
    if sys.version_info >= (3, 12):  # pragma: no cover - the other arm runs on 3.11
        return hint
    if typing.is_typeddict(hint) and type(hint).__module__ == "typing":
        hints = typing.get_type_hints(hint, include_extras=True)
        fields = {key: _marked(value, required=key in hint.__required_keys__) for key, value in hints.items()}
        return TypedDict(hint.__name__, fields)  # type: ignore[operator]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return Annotated[(portable(args[0]), *args[1:])]
    if origin in (Union, types.UnionType):
        return Union[tuple(portable(arm) for arm in args)]  # noqa: UP007 - from a tuple
    if isinstance(origin, type) and args and not any(isinstance(arg, list) for arg in args):
        return types.GenericAlias(origin, tuple(portable(arg) for arg in args))
    return hint


def _marked(hint: Any, *, required: bool) -> Any:
    inner = get_args(hint)[0] if get_origin(hint) in (Required, NotRequired) else hint
    return Required[portable(inner)] if required else NotRequired[portable(inner)]


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if isinstance(ref := node.get("$ref"), str):
            yield ref.removeprefix("#/$defs/")
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _reached(defs: Mapping[str, Any], name: str) -> set[str]:
    """The definitions that this one leads to."""
    seen: set[str] = set()
    todo = [name]
    while todo:
        fresh = set(_references(defs.get(todo.pop(), {}))) - seen
        seen |= fresh
        todo += fresh
    return seen


def _clean(node: Mapping[str, Any], defs: Mapping[str, Any], looped: set[str]) -> dict[str, Any]:
    out = dict(node)
    name = str(out.get("$ref", "")).removeprefix("#/$defs/")
    if name in defs and name not in looped:
        del out["$ref"]
        out = {**_clean(defs[name], defs, looped), **out}
    for key in ("title", "discriminator"):
        if isinstance(out.get(key), str | dict):
            del out[key]
    if "const" in out:
        out["enum"] = [out.pop("const")]
    if "oneOf" in out and "anyOf" not in out:
        out["anyOf"] = out.pop("oneOf")
    for key in ARMS:
        if key in out:
            out[key] = [_clean(arm, defs, looped) for arm in out[key]]
    if "properties" in out:
        out["properties"] = {key: _clean(value, defs, looped) for key, value in out["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), Mapping):
            out[key] = _clean(out[key], defs, looped)
    if "prefixItems" in out:
        out["prefixItems"] = [_clean(item, defs, looped) for item in out["prefixItems"]]
    return _tidy(out)


def _tidy(out: dict[str, Any]) -> dict[str, Any]:
    """One cleaned node without what says nothing."""
    if "default" in out and out["default"] is None:
        out = without_null(out)
    if not out.get("default"):  # nothing, 0 and false need no saying
        out.pop("default", None)
    if out.get("items") == {}:
        del out["items"]
    if len(out.get("allOf", ())) == 1:
        out = {**out.pop("allOf")[0], **out}
    arms = out.get("anyOf", ())
    if arms and all(set(arm) == {"type"} and isinstance(arm["type"], str) for arm in arms) and "type" not in out:
        del out["anyOf"]
        out = {"type": [arm["type"] for arm in arms], **out}
    if out.get("additionalProperties") is ("properties" not in out):
        del out["additionalProperties"]
    if len(out.get("examples", ())) > 1:
        out["examples"] = out["examples"][:1]
    if "description" in out:
        doc = docstring.read(out["description"], out.get("properties", ()))
        out["description"] = doc.description
        for name, said in doc.params.items():
            out["properties"][name].setdefault("description", said)
    if out.get("description") == "":
        del out["description"]
    return out
