"""Schemas of an OpenAPI document as JSON schemas (2020-12) of tools: 3.0's own words translated, references gathered in `$defs`.

Only what holds for requests is kept: properties that are `readOnly` go. A schema that is used once stands where it is used.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tao.errors import both
from tao.tools.foreign import BRANCHES, PARTS, walk
from tao.tools.openapi.document import Document, Unusable

MOST_NODES = 4000
"""Schemas within one operation's; more are nobody's arguments."""
SMALL = 160
"""Characters of a schema that is written out wherever it is used."""
DROPPED = frozenset({
    "title", "xml", "externalDocs", "discriminator", "deprecated", "example", "examples", "nullable", "readOnly", "writeOnly",
    "$schema", "$id", "$comment", "$anchor", "$defs", "definitions",
})  # fmt: skip
"""Keywords that say nothing to who fills arguments, or are said otherwise here."""
STRICT = frozenset({"not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems", "dependentSchemas", "contains"})
"""Keywords under which a shortened schema would take less, not more."""
SAID = frozenset({"description", "default", "examples"})
TABLES = ("properties", "patternProperties", "dependentSchemas")
WITHIN = tuple(dict.fromkeys((*PARTS, "prefixItems", "items", *BRANCHES)))
"""Keywords whose value is a schema, or a list of them."""


@dataclass(frozen=True, slots=True)
class Schemas:
    """Converts the schemas of one operation; `defs` holds those that were referred to, each once."""

    document: Document
    defs: dict[str, Any] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    nodes: list[None] = field(default_factory=list)

    def of(self, schema: Any, base: str = "") -> Any:
        """The JSON schema of a schema that stands in the file `base`. Raises Unusable."""
        self.nodes.append(None)
        if len(self.nodes) > MOST_NODES:
            raise Unusable(both(f"its schema has more than {MOST_NODES} parts", f"其 Schema 超过 {MOST_NODES} 个部分"))
        if not isinstance(schema, Mapping):
            return schema if isinstance(schema, bool) else {}
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema, base)
        return _nullable(self._body(schema, base), schema)

    def _reference(self, schema: Mapping[str, Any], base: str) -> dict[str, Any]:
        place = self.document.place(schema["$ref"], base)
        if place not in self.names:
            name = _free(re.sub(r"[^\w.-]", "_", place[1].rpartition("/")[2]) or "schema", self.defs)
            self.names[place], self.defs[name] = name, {}
            self.defs[name] = self.of(*self.document.at(*place))
        found = {"$ref": f"#/$defs/{self.names[place]}"}
        if self.document.version >= (3, 1):
            return {**found, **self._body({key: value for key, value in schema.items() if key != "$ref"}, base)}
        return {**found, **({"description": schema["description"]} if isinstance(schema.get("description"), str) else {})}

    def _body(self, schema: Mapping[str, Any], base: str) -> dict[str, Any]:
        out = {key: value for key, value in schema.items() if key not in DROPPED and not key.startswith("x-")}
        for key in TABLES:
            if isinstance(out.get(key), Mapping):
                out[key] = {name: self.of(part, base) for name, part in out[key].items() if not self._read_only(part, base)}
        for key in WITHIN:
            if isinstance(out.get(key), list):
                out[key] = [self.of(part, base) for part in out[key]]
            elif isinstance(out.get(key), Mapping):
                out[key] = self.of(out[key], base)
        if isinstance(out.get("required"), list):
            gone = {name for name, part in (schema.get("properties") or {}).items() if self._read_only(part, base)}
            out["required"] = [name for name in out["required"] if name not in gone]
        if not out.get("required", True) or isinstance(out.get("required"), bool):
            del out["required"]
        return _exampled(_bounded(out), schema)

    def _read_only(self, schema: Any, base: str) -> bool:
        found, _ = self.document.follow(schema, base)
        return any(isinstance(one, Mapping) and one.get("readOnly") is True for one in (schema, found))


def whole(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with its definitions: those that are used once or are small written out where they are used."""
    links = {name: _names(part) for name, part in defs.items()}
    looped = {name for name in defs if name in _reached(name, links)}
    counts = Counter([*_names(schema), *(name for names in links.values() for name in names)])
    inline = {name for name in defs if name not in looped and (counts[name] == 1 or _size(defs[name]) <= SMALL)}

    def written(node: Any) -> Any:
        node = mapped(node, written)
        name = _name(node)
        if name not in inline:
            return node
        target, more = written(defs[name]), {key: value for key, value in node.items() if key != "$ref"}
        if not more or not isinstance(target, Mapping):
            return target
        return {**target, **more} if set(more) <= SAID else {**more, "allOf": [target, *more.get("allOf", ())]}

    body = written(schema)
    kept: dict[str, Any] = {}
    todo = [body]
    while todo:
        for name in set(_names(todo.pop())) - kept.keys():
            kept[name] = mapped(defs[name], written)
            todo.append(kept[name])
    return {**body, "$defs": kept} if kept else dict(body)


def mapped(node: Any, change: Callable[[Any], Any]) -> Any:
    """The schema with each schema directly within it changed."""
    if not isinstance(node, Mapping):
        return node
    out = dict(node)
    for key in TABLES:
        if isinstance(out.get(key), Mapping):
            out[key] = {name: change(part) for name, part in out[key].items()}
    for key in WITHIN:
        if isinstance(out.get(key), list):
            out[key] = [change(part) for part in out[key]]
        elif isinstance(out.get(key), Mapping):
            out[key] = change(out[key])
    return out


def plainer(schema: Any) -> Any:
    """The schema without what is said in it, for one that is too long with it."""
    out = mapped(schema, plainer)
    if not isinstance(out, Mapping):
        return out
    out = {key: value for key, value in out.items() if key not in SAID or (key == "default" and len(str(value)) < 40)}
    return {**out, "$defs": {name: plainer(part) for name, part in out["$defs"].items()}} if "$defs" in out else out


def shallower(schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """The schema with anything (`{}`) in the place of what is nested deeper than so many levels, in itself and in each definition.

    It takes all that the whole schema takes, and more: what is wrong deep down, the server finds.
    """

    def cut(node: Any, left: int) -> Any:
        if not isinstance(node, Mapping) or "$ref" in node:
            return node
        if left == 0:
            return {key: node[key] for key in ("type", "enum") if key in node}
        loose = {key: value for key, value in node.items() if key not in STRICT}
        if "oneOf" in loose:  # shortened arms may both fit
            arms = loose.pop("oneOf")
            loose.setdefault("anyOf", arms)
        return mapped(loose, lambda part: cut(part, left - 1))

    bodies = {name: cut(part, depth) for name, part in schema.get("$defs", {}).items()}
    found = cut({key: value for key, value in schema.items() if key != "$defs"}, depth + 2)
    reached: set[str] = set()
    todo = [found]
    while todo:
        fresh = set(_names(todo.pop())) - reached
        reached |= fresh
        todo += [bodies[name] for name in fresh]
    return {**found, "$defs": {name: bodies[name] for name in bodies if name in reached}} if reached else dict(found)


def _size(schema: Any) -> int:
    return len(json.dumps(schema, ensure_ascii=False, default=str))


def _name(node: Any) -> str:
    """The definition that a node refers to."""
    ref = node.get("$ref") if isinstance(node, Mapping) else None
    return ref.removeprefix("#/$defs/") if isinstance(ref, str) else ""


def _names(schema: Any) -> list[str]:
    """The definitions that a schema refers to, each time that it does."""
    return [name for node in walk(schema) if "$ref" in node and (name := _name(node))]


def _reached(name: str, links: Mapping[str, list[str]]) -> set[str]:
    """The definitions that one leads to."""
    seen: set[str] = set()
    todo = [name]
    while todo:
        fresh = set(links[todo.pop()]) - seen
        seen |= fresh
        todo += fresh
    return seen


def _free(name: str, taken: Mapping[str, Any]) -> str:
    return next(one for number in range(1, len(taken) + 2) if (one := name if number == 1 else f"{name}_{number}") not in taken)


# ── what 3.0 says otherwise ───────────────────────────────────────────────────


def _bounded(out: dict[str, Any]) -> dict[str, Any]:
    """`exclusiveMinimum: true` beside `minimum: 3` is `exclusiveMinimum: 3`; so for the maximum."""
    for plain, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(out.get(strict), bool) and out.pop(strict) and plain in out:
            out[strict] = out.pop(plain)
    return out


def _exampled(out: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    listed = schema.get("examples")
    shown = listed[:1] if isinstance(listed, list) else [schema["example"]] if schema.get("example") is not None else []
    return {**out, "examples": shown} if shown and not isinstance(shown[0], dict | list) and len(str(shown[0])) <= 80 else out


def _nullable(out: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """`nullable: true` says that null is taken too."""
    if schema.get("nullable") is not True:
        return out
    if isinstance(out.get("enum"), list) and None not in out["enum"]:
        out = {**out, "enum": [*out["enum"], None]}
    if isinstance(out.get("type"), str):
        return {**out, "type": [out["type"], "null"]}
    if any(key in out for key in PARTS):
        said = {key: out.pop(key) for key in SAID if key in out}
        return {**said, "anyOf": [out, {"type": "null"}]}
    return out
