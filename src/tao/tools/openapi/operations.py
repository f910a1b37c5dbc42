"""The operations of a document: what each is called, takes and needs; and which of them are allowed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from tao.errors import ConfigError, both
from tao.tools.openapi.document import Document, Unusable

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "QUERY")
"""TRACE is left out: it sends credentials back."""
READING = frozenset({"GET", "HEAD", "OPTIONS", "QUERY"})
"""Methods that ask for nothing to be changed (RFC 9110, 9.2.1)."""
PLACES = ("path", "query", "header", "cookie")
STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
KNOWN_STYLES = {
    "path": {"simple", "label", "matrix"}, "query": {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
    "header": {"simple"}, "cookie": {"form", "cookie"},
}  # fmt: skip
SET_ELSEWHERE = frozenset({"accept", "content-type", "authorization"})
"""Header parameters that the specification says are to be ignored."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; `place` is where it goes, `media` set where its value is written as that media type (JSON)."""

    name: str
    place: str
    required: bool
    style: str
    explode: bool
    reserved: bool
    schema: Any
    base: str
    description: str = ""
    media: str = ""
    example: Any = None


@dataclass(frozen=True, slots=True)
class Body:
    """A request body of one media type. `encoding` says how the properties of a form are written."""

    media: str
    schema: Any
    base: str
    required: bool
    description: str
    encoding: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation as the document has it. `raw` is its object, `shared` that of its path.

    `shared_base` and `base` are the files in which they stand.
    """

    method: str
    path: str
    raw: Mapping[str, Any]
    shared: Mapping[str, Any]
    shared_base: str
    base: str

    @property
    def id(self) -> str:
        """Its operationId, or "GET /path"."""
        given = self.raw.get("operationId")
        return given if isinstance(given, str) and given.strip() else f"{self.method} {self.path}"

    @property
    def deprecated(self) -> bool:
        """Whether it should no longer be used."""
        return self.raw.get("deprecated") is True

    @property
    def description(self) -> str:
        """What the document says of it: summary, description, and what is called."""
        said = [self.raw.get("summary") or self.shared.get("summary"), self.raw.get("description") or self.shared.get("description")]
        texts = list(dict.fromkeys(text.strip() for text in said if isinstance(text, str) and text.strip()))
        if not self.id.isascii() and not texts:
            texts = [self.id]
        return "\n".join([*texts, f"[{self.method} {self.path}]"])

    def matches(self, pattern: str) -> bool:
        """Whether a pattern means it: "GET", "listPets", "list*", "/pets/*", "DELETE /pets/*", "tag:pets"."""
        if pattern.startswith("tag:"):
            return any(fnmatchcase(str(tag), pattern[4:]) for tag in self.raw.get("tags") or ())
        method, _, path = pattern.partition(" ")
        if method in METHODS or method == "*":
            return method in {self.method, "*"} and (not path or fnmatchcase(self.path, path.strip()))
        return fnmatchcase(self.path, pattern) if pattern.startswith("/") else fnmatchcase(self.id, pattern)


def operations(document: Document) -> list[Operation]:
    """Every operation of the document, in its order. Raises ConfigError where there is none."""
    found = list(_operations(document))
    if not found:
        raise ConfigError(both(f'{document.source or "the document"} has no operations under "paths"', f'{document.source or "文档"} 的 "paths" 中没有操作'))
    return found


def _operations(document: Document) -> Iterator[Operation]:
    paths = document.data.get("paths")
    for path, listed in paths.items() if isinstance(paths, Mapping) else ():
        if not path.startswith("/"):
            continue
        item, base = _followed(document, listed, "", path)
        if isinstance(item, Mapping):
            more = item.get("additionalOperations")
            methods = {**item, **({} if not isinstance(more, Mapping) else more)}
            for method, given in methods.items():
                if method.upper() in METHODS and isinstance(given, Mapping):
                    raw, inner = _followed(document, given, base, f"{method.upper()} {path}")  # references here are no part of OpenAPI, but usual
                    if isinstance(raw, Mapping):
                        yield Operation(method.upper(), path, raw, item, base, inner)


def _followed(document: Document, node: Any, base: str, where: str) -> tuple[Any, str]:
    try:
        return document.follow(node, base)
    except Unusable as error:
        raise ConfigError(both(f"path {where}: {error}", f"路径 {where}：{error}")) from error


def chosen(found: Sequence[Operation], allow: Iterable[str], deny: Iterable[str]) -> list[Operation]:
    """The operations that may be called: allowed and not denied; a deprecated one only by its own id.

    Raises ConfigError for a pattern that means nothing in the document (a slip of the pen), and where nothing is left.
    """
    allow, deny = tuple(allow), tuple(deny)
    for pattern in (*allow, *deny):
        if pattern not in METHODS and not any(one.matches(pattern) for one in found):
            near = get_close_matches(pattern, [one.id for one in found], 3, 0.5) or [one.id for one in found][:8]
            raise ConfigError(both(
                f"no operation matches {pattern!r}; such as: {', '.join(near)} (an id, METHOD, METHOD /path, /path or tag:name; with * and ?)",
                f"没有操作与 {pattern!r} 匹配；例如：{'、'.join(near)}（可写操作 id、METHOD、METHOD /path、/path 或 tag:名称，可用 * 和 ?）",
            ))  # fmt: skip
    left = [one for one in found if _wanted(one, allow) and not any(one.matches(pattern) for pattern in deny)]
    if not left:
        shown = ", ".join(one.id for one in found[:8])
        raise ConfigError(both(
            f"none of the {len(found)} operations is allowed by allow = {list(allow)!r}; there are: {shown}",
            f"共 {len(found)} 个操作，allow = {list(allow)!r} 没有允许任何一个；现有：{shown}",
        ))  # fmt: skip
    return left


def _wanted(one: Operation, allow: tuple[str, ...]) -> bool:
    return one.id in allow or (not one.deprecated and any(one.matches(pattern) for pattern in allow))


# ── what an operation takes ───────────────────────────────────────────────────


def parameters(document: Document, operation: Operation) -> list[Parameter]:
    """Its parameters; those of the operation go before those of the path. Raises Unusable."""
    table: dict[tuple[str, str], Parameter] = {}
    shared, own = _list(operation.shared.get("parameters")), _list(operation.raw.get("parameters"))
    for raw, file in [*((one, operation.shared_base) for one in shared), *((one, operation.base) for one in own)]:
        node, base = document.follow(raw, file)
        if not isinstance(node, Mapping) or not isinstance(node.get("name"), str):
            raise Unusable(both("a parameter has no name", "有参数没有名称"))
        place = node.get("in")
        if place not in PLACES:
            raise Unusable(both(f"parameter {node['name']!r} is in {place!r}", f"参数 {node['name']!r} 的位置为 {place!r}"))
        if place == "header" and node["name"].lower() in SET_ELSEWHERE:
            continue
        table[place, node["name"]] = _parameter(document, node, str(place), base)
    in_path = set(re.findall(r"\{([^{}]+)\}", operation.path))
    if missing := sorted(in_path - {name for place, name in table if place == "path"}):
        raise Unusable(both(f"the path's {missing[0]!r} is no parameter", f"路径中的 {missing[0]!r} 没有对应的参数"))
    return [one for one in table.values() if (one.place != "path" or one.name in in_path) and (one.required or not _old(one, operation))]


def _parameter(document: Document, node: Mapping[str, Any], place: str, base: str) -> Parameter:
    style = str(node.get("style") or STYLES[place])
    if style not in KNOWN_STYLES[place]:
        raise Unusable(both(f"parameter {node['name']!r} has the style {style!r} in {place}", f"参数 {node['name']!r} 在 {place} 中的 style 为 {style!r}"))
    content = node.get("content")
    media, schema = "", node.get("schema", {})
    if isinstance(content, Mapping) and content:
        media, inner = next(iter(content.items()))
        inner, base = document.follow(inner, base)
        schema = inner.get("schema", {}) if isinstance(inner, Mapping) else {}
    explode = node.get("explode", style in {"form", "cookie"})
    return Parameter(
        node["name"], place, place == "path" or node.get("required") is True, style, explode is True, node.get("allowReserved") is True,
        schema, base, str(node.get("description") or "").strip(), str(media), node.get("example"),
    )


def _old(one: Parameter, operation: Operation) -> bool:
    """Whether an optional parameter should no longer be given."""
    raws = [*_list(operation.raw.get("parameters")), *_list(operation.shared.get("parameters"))]
    return any(isinstance(raw, Mapping) and raw.get("deprecated") is True and (raw.get("in"), raw.get("name")) == (one.place, one.name) for raw in raws)


def body(document: Document, operation: Operation) -> Body | None:
    """Its request body in the media type that we write best; None where it takes none. Raises Unusable."""
    if operation.raw.get("requestBody") is None:
        return None
    node, base = document.follow(operation.raw["requestBody"], operation.base)
    content = node.get("content") if isinstance(node, Mapping) else None
    if not isinstance(content, Mapping) or not content:
        return None
    media = min(content, key=rank)
    inner, inner_base = document.follow(content[media], base)
    inner = inner if isinstance(inner, Mapping) else {}
    kind = "application/json" if media in {"*/*", "application/*"} else media
    encoding = inner.get("encoding")
    return Body(
        kind, inner.get("schema", {}), inner_base, node.get("required") is True, str(node.get("description") or "").strip(),
        encoding if isinstance(encoding, Mapping) else {},
    )


def rank(media: str) -> int:
    """How well we write a media type; less is better."""
    plain = media.partition(";")[0].strip().lower()
    if plain == "application/json":
        return 0
    if plain.endswith("+json") or plain in {"*/*", "application/*"}:
        return 1
    order = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
    return 2 + order.index(plain) if plain in order else 5 + (not plain.startswith("text/"))


def accepted(document: Document, operation: Operation) -> str:
    """The header Accept: what its answers come as, JSON first."""
    kinds: list[str] = []
    responses = operation.raw.get("responses")
    for status, raw in responses.items() if isinstance(responses, Mapping) else ():
        if str(status)[:1] in {"2", "d"}:
            try:
                node, _ = document.follow(raw, operation.base)
            except Unusable:
                continue
            if isinstance(node, Mapping) and isinstance(node.get("content"), Mapping):
                kinds += [kind for kind in node["content"] if re.fullmatch(r"[\w.+*-]+/[\w.+*-]+(?:\s*;[\x20-\x7e]*)?", kind)]
    return ", ".join([*sorted(dict.fromkeys(kinds), key=rank)[:6], "*/*;q=0.1"]) if kinds else "application/json, */*;q=0.5"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
