"""An OpenAPI document (3.0, 3.1, 3.2), read from a mapping, a JSON or YAML file or an address, and its references followed."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tao.errors import ConfigError, ToolError, both, unread
from tao.tools.web.charset import decode
from tao.tools.web.fetching import Limits, Sending, fetch
from tao.tools.web.guard import Guard, Resolve, system_resolve
from tao.tools.web.urls import parse

LARGEST = 20_000_000
"""Bytes of a document that are read."""
DEEPEST = 30
"""References that may follow each other."""


class Unusable(Exception):
    """A part of the document of which no tool can be made; the message says why, in English and Chinese."""


@dataclass(frozen=True, slots=True)
class Document:
    """`data` is the whole document, `source` the file or address that it came from ("" for a mapping), `version` like (3, 1).

    `known` are other files that it refers to, by path, as far as they have been read.
    """

    data: Mapping[str, Any]
    source: str = ""
    version: tuple[int, int] = (3, 1)
    known: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def address(self) -> str:
        """The URL that it came from; "" for a file or a mapping."""
        return self.source if is_address(self.source) else ""

    def follow(self, node: Any, base: str = "") -> tuple[Any, str]:
        """The node that a chain of references ends at, and the file it stands in ("": the document). Raises Unusable."""
        for _ in range(DEEPEST):
            if not isinstance(node, Mapping) or not isinstance(node.get("$ref"), str):
                return node, base
            node, base = self.at(*self.place(node["$ref"], base))
        raise Unusable(both("references lead round in a circle", "引用循环，没有终点"))

    def place(self, ref: str, base: str) -> tuple[str, str]:
        """Which file a reference leads to, and the JSON pointer (RFC 6901) in it. Raises Unusable."""
        file, _, pointer = ref.partition("#")
        if not file:
            return base, unquote(pointer)
        if not self.source or is_address(file) or self.address:
            raise Unusable(both(f"the reference {ref!r} leads out of the document; bundle it into one file", f"引用 {ref!r} 指向文档之外；请先合并为一个文件"))
        home = Path(self.source).resolve()
        target = (Path(base or home).parent / unquote(file)).resolve()
        if not target.is_relative_to(home.parent):
            raise Unusable(both(
                f"the reference {ref!r} leads out of the folder {home.parent}", f"引用 {ref!r} 指向文件夹 {home.parent} 之外",
            ))  # fmt: skip
        return ("" if target == home else str(target)), unquote(pointer)

    def at(self, base: str, pointer: str) -> tuple[Any, str]:
        """What stands at a pointer of a file, and that file again. Raises Unusable."""
        node = self.data if not base else self._file(base)
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and key.isdecimal() and int(key) < len(node):
                node = node[int(key)]
            elif isinstance(node, Mapping) and key in node:
                node = node[key]
            else:
                raise Unusable(both(f"the reference '#{pointer}' leads to nothing", f"引用“#{pointer}”没有指向任何内容"))
        return node, base

    def _file(self, path: str) -> Any:
        if path not in self.known:
            try:
                self.known[path] = read_text(_content(Path(path)), path)
            except ConfigError as error:
                raise Unusable(str(error)) from error
        return self.known[path]


def is_address(source: str | Path) -> bool:
    """Whether this is an address on the web."""
    return isinstance(source, str) and source.lower().startswith(("http://", "https://"))


def open_document(source: "Mapping[str, Any] | str | Path | Document") -> Document:
    """The document of a mapping or a file. One from an address has to be fetched: `await fetch_document(url)`.

    Raises ConfigError where it cannot be read or is no OpenAPI 3 document.
    """
    if isinstance(source, Document):
        return source
    if isinstance(source, Mapping):
        return _judged(source, "")
    if is_address(source):
        raise ConfigError(both(
            f"{source} has to be fetched first: openapi_tools(await fetch_document(url))", f"需要先下载 {source}：openapi_tools(await fetch_document(url))",
        ))  # fmt: skip
    path = Path(source).expanduser()
    return _judged(read_text(_content(path), str(path)), str(path))


async def fetch_document(url: str, *, headers: Mapping[str, str] | None = None, resolve: Resolve = system_resolve) -> Document:
    """The document at an address. Its host may be a private one, as a person named it; redirects lead to public ones only.

    Raises ConfigError where it cannot be had or is none.
    """
    try:
        host = parse(url)
        guard = Guard(None, (f"[{host.host}]:{host.port}" if ":" in host.host else f"{host.host}:{host.port}",), resolve=resolve)
        answer = await fetch(url, guard, Limits(size=LARGEST, seconds=30.0), Sending(headers=headers or {}))
    except ToolError as error:
        raise ConfigError(both(f"cannot fetch the OpenAPI document {url}: {error}", f"无法下载 OpenAPI 文档 {url}：{error}")) from None
    if answer.status != 200 or answer.cut:
        why = f"HTTP {answer.status}" if answer.status != 200 else f"> {LARGEST} bytes"
        raise ConfigError(both(f"cannot fetch the OpenAPI document {url}: {why}", f"无法下载 OpenAPI 文档 {url}：{why}"))
    return _judged(read_text(decode(answer.body, answer.headers.get("content-type", ""))[0], url), url)


def _content(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise ConfigError(both(f"{path} is larger than {LARGEST} bytes", f"{path} 超过 {LARGEST} 字节"))
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(both(f"cannot read the OpenAPI document {path}: {unread(error)[0]}", f"无法读取 OpenAPI 文档 {path}：{unread(error)[1]}")) from error
    except UnicodeDecodeError as error:
        raise ConfigError(both(f"{path} is not UTF-8 text: {error}", f"{path} 不是 UTF-8 文本：{error}")) from error


def _judged(data: Any, source: str) -> Document:
    """The document, once it says that it is one that we read."""
    name = source or "the document"
    said = data.get("openapi") if isinstance(data, Mapping) else None
    if said is None and isinstance(data, Mapping) and "swagger" in data:
        raise ConfigError(both(
            f"{name} is Swagger {data['swagger']}; convert it to OpenAPI 3 first", f"{name} 是 Swagger {data['swagger']}；请先转换为 OpenAPI 3",
        ))  # fmt: skip
    parts = str(said).split(".")
    if said is None or parts[0] != "3" or len(parts) < 2 or not parts[1].isdecimal():
        raise ConfigError(both(
            f'{name} is no OpenAPI document: "openapi" is {said!r}, wanted "3.0.…", "3.1.…" or "3.2.…"',
            f'{name} 不是 OpenAPI 文档："openapi" 为 {said!r}，应为 "3.0.…"、"3.1.…" 或 "3.2.…"',
        ))  # fmt: skip
    return Document(data, source, (3, int(parts[1])))


# ── JSON and YAML ─────────────────────────────────────────────────────────────


def read_text(text: str, name: str) -> Any:
    """The values of a JSON text, else of a YAML one. Raises ConfigError."""
    if text.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(text)
        except ValueError as error:
            wrong = error
        except RecursionError:
            raise ConfigError(both(f"{name} is nested too deeply", f"{name} 嵌套过深")) from None
        if name.lower().endswith(".json"):
            raise ConfigError(both(f"{name} is not valid JSON: {wrong}", f"{name} 不是有效的 JSON：{wrong}"))
    yaml, loader = _yaml()
    try:
        return _plain(yaml.load(text, Loader=loader))
    except yaml.YAMLError as error:
        raise ConfigError(both(f"{name} is not valid YAML: {error}", f"{name} 不是有效的 YAML：{error}")) from error
    except RecursionError:
        raise ConfigError(both(f"{name} is nested too deeply", f"{name} 嵌套过深")) from None


_WORDS = (
    ("null", "~|null|Null|NULL", "~nN"), ("null", "", ""), ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"), ("merge", "<<", "<"),
    ("int", r"-?(?:0|[1-9]\d*)", "-0123456789"), ("float", r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", "-0123456789"),
)  # fmt: skip
"""Plain words that are no texts: the kind, how it is written, and how it begins."""


@cache
def _yaml() -> Any:
    """PyYAML, and a loader that reads plain words as JSON does: `no` is a text and `2026-01-01` too (YAML 1.2, JSON schema)."""
    try:
        import yaml  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ConfigError(both(
            "OpenAPI documents in YAML need the extra `openapi`: pip install 'tao-agent[openapi]'",
            "读取 YAML 格式的 OpenAPI 文档需要安装附加依赖：pip install 'tao-agent[openapi]'",
        )) from error  # fmt: skip
    loader: Any = type("JsonWords", (getattr(yaml, "CSafeLoader", yaml.SafeLoader),), {})
    loader.yaml_implicit_resolvers = {}
    for kind, pattern, first in _WORDS:
        loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(f"(?:{pattern})$"), list(first) if first else [""])
    return yaml, loader


def _plain(value: Any, seen: dict[int, Any] | None = None) -> Any:
    """YAML values as JSON has them: keys are texts (`200:`). What stands in several places by an alias is made once."""
    seen = {} if seen is None else seen
    if not isinstance(value, dict | list):
        return value
    if id(value) in seen:
        return seen[id(value)]
    if isinstance(value, dict):
        table: dict[str, Any] = {}
        seen[id(value)] = table
        for key, item in value.items():
            table[_key(key)] = _plain(item, seen)
        return table
    items: list[Any] = []
    seen[id(value)] = items
    items += [_plain(item, seen) for item in value]
    return items


def _key(key: Any) -> str:
    return {True: "true", False: "false", None: "null"}[key] if key is None or isinstance(key, bool) else str(key)
