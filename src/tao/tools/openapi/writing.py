"""Values written as parameters, forms and bodies: OpenAPI's styles, which are those of RFC 6570, and RFC 7578 for multipart."""

import json
import re
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from tao.errors import ToolError
from tao.tools.openapi.operations import Body, Parameter
from tao.tools.words import say

RESERVED = ":/?@!$'()*,;"
"""What `allowReserved` leaves as it is: the reserved characters of RFC 3986, without those that would end the value."""
_DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C", "simple": ","}


def in_path(path: str, values: Mapping[str, tuple[Parameter, Any]]) -> str:
    """The path with its parameters. Raises ToolError for a value by which another path would be reached."""

    def written(found: re.Match[str]) -> str:
        one, value = values[found[1]]
        pieces = _texts(value)
        if "" in pieces or not pieces or any(part in {".", ".."} for piece in pieces for part in re.split(r"[/\\]", piece)):
            shown = json.dumps(value, ensure_ascii=False)
            raise ToolError(say(
                f"{one.name} is {shown[:80]}; in a path a value must not be empty, nor hold the steps '.' or '..'",
                f"{one.name} 为 {shown[:80]}；路径中的值不能为空，也不能含有“.”或“..”这样的路径段",
            ))  # fmt: skip
        return _templated(one, value)

    return re.sub(r"\{([^{}]+)\}", written, path)


def _templated(one: Parameter, value: Any) -> str:
    """RFC 6570: simple "a,b", label ".a.b", matrix ";name=a;name=b"."""
    if one.media:
        return _escaped(_json(value))
    name = _escaped(one.name)
    if one.style == "matrix":
        if isinstance(value, list) and one.explode:
            return "".join(f";{name}={_escaped(_text(item))}" for item in value)
        if isinstance(value, Mapping) and one.explode:
            return "".join(f";{_escaped(key)}={_escaped(_text(item))}" for key, item in value.items())
        return f";{name}={_joined(value, ',', explode=False)}"
    delimiter = "." if one.style == "label" and one.explode else ","
    return ("." if one.style == "label" else "") + _joined(value, delimiter, explode=one.explode)


def _joined(value: Any, delimiter: str, *, explode: bool, safe: str = "") -> str:
    if isinstance(value, list):
        return delimiter.join(_escaped(_text(item), safe) for item in value)
    if isinstance(value, Mapping):
        between = "=" if explode else delimiter
        return delimiter.join(f"{_escaped(key, safe)}{between}{_escaped(_text(item), safe)}" for key, item in value.items())
    return _escaped(_text(value), safe)


def in_query(one: Parameter, value: Any) -> list[str]:
    """The parts of a query ("a=1") that say this value; an empty list or object says nothing."""
    safe = RESERVED if one.reserved else ""
    name = _escaped(one.name, "[]")
    if one.media:
        return [f"{name}={_escaped(_json(value), safe)}"]
    if one.style == "deepObject" and isinstance(value, Mapping):
        return [f"{key}={_escaped(_text(item), safe)}" for key, item in _deep(name, value)]
    if value in ([], {}):
        return []
    if one.explode and isinstance(value, list):
        return [f"{name}={_escaped(_text(item), safe)}" for item in value]
    if one.explode and isinstance(value, Mapping):
        return [
            f"{_escaped(key)}={_escaped(_text(item), safe)}" for key, items in value.items()
            for item in (items if isinstance(items, list) else [items])
        ]  # fmt: skip
    return [f"{name}={_joined(value, _DELIMITERS.get(one.style, ','), explode=False, safe=safe)}"]


def _deep(name: str, value: Any) -> list[tuple[str, Any]]:
    """`filter[price][from]`, as servers that read such queries do; several values of one name follow each other."""
    if isinstance(value, Mapping):
        return [pair for key, item in value.items() for pair in _deep(f"{name}[{_escaped(str(key))}]", item)]
    if isinstance(value, list):
        return [pair for item in value for pair in _deep(name, item)]
    return [(name, value)]


def in_header(one: Parameter, value: Any) -> str:
    """The value of a header. Raises ToolError where it cannot be one."""
    if one.media:
        text = json.JSONEncoder().encode(value)  # with escapes: headers are ASCII
    elif isinstance(value, list):
        text = ",".join(map(_text, value))
    elif isinstance(value, Mapping):
        text = ",".join(f"{key}{'=' if one.explode else ','}{_text(item)}" for key, item in value.items())
    else:
        text = _text(value)
    if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", text):
        raise ToolError(say(f"{one.name} goes into a header, which cannot hold line breaks", f"{one.name} 会写入请求头，不能含有换行"))
    return text


def in_cookie(one: Parameter, value: Any) -> list[str]:
    """The cookies ("name=value") that say this value."""
    name = _escaped(one.name)
    if one.media:
        return [f"{name}={_escaped(_json(value))}"]
    if one.explode and isinstance(value, list):
        return [f"{name}={_escaped(_text(item))}" for item in value]
    if one.explode and isinstance(value, Mapping):
        return [f"{_escaped(key)}={_escaped(_text(item))}" for key, item in value.items()]
    return [f"{name}={_joined(value, ',', explode=False)}"]


# ── bodies ────────────────────────────────────────────────────────────────────


def in_body(body: Body, value: Any) -> tuple[bytes, str]:
    """The bytes of a request body, and the header Content-Type."""
    kind = body.media.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded" and isinstance(value, Mapping):
        return _form(body, value).encode(), kind
    if kind == "multipart/form-data" and isinstance(value, Mapping):
        return _multipart(body, value)
    if kind == "application/json" or kind.endswith("+json"):
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), body.media
    if isinstance(value, str):
        named = "charset" in body.media.lower() or not kind.startswith("text/")
        return value.encode("utf-8", "replace"), body.media if named else f"{body.media}; charset=utf-8"
    return _json(value).encode("utf-8", "replace"), body.media


def _form(body: Body, value: Mapping[str, Any]) -> str:
    """Lists of plain values as repeated fields and objects as JSON, unless the document has a style for them."""
    parts: list[str] = []
    for key, item in value.items():
        how = body.encoding.get(key)
        if isinstance(how, Mapping) and {"style", "explode", "allowReserved"} & how.keys() and isinstance(item, list | dict):
            style = str(how.get("style") or "form")
            parts += in_query(Parameter(key, "query", False, style, how.get("explode", style == "form") is True, False, {}, ""), item)  # noqa: FBT003
        else:
            items = item if isinstance(item, list) and not any(isinstance(one, list | dict) for one in item) else [item]
            parts.append(urlencode([(key, _field(one)) for one in items]))
    return "&".join(part for part in parts if part)


def _multipart(body: Body, value: Mapping[str, Any]) -> tuple[bytes, str]:
    """RFC 7578: a part for each value; a list is several parts, an object is JSON, a file is text with a file's name."""
    mark = f"tao-{secrets.token_hex(12)}"
    properties = body.schema.get("properties", {}) if isinstance(body.schema, Mapping) else {}
    out = bytearray()
    for key, item in value.items():
        how = body.encoding.get(key)
        kind = str(how.get("contentType") or "") if isinstance(how, Mapping) else ""
        kind = "" if set("*,\r\n") & set(kind) else kind
        name = key.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        for one in item if isinstance(item, list) else [item]:
            file = _is_file(properties.get(key, {}))
            head = f'Content-Disposition: form-data; name="{name}"' + (f'; filename="{name}"' if file else "")
            media = kind or ("application/octet-stream" if file else "application/json" if isinstance(one, list | dict) else "")
            lines = [f"--{mark}", head, *([f"Content-Type: {media}"] if media else []), "", ""]
            out += "\r\n".join(lines).encode() + _field(one).encode("utf-8", "replace") + b"\r\n"
    return bytes(out) + f"--{mark}--\r\n".encode(), f"multipart/form-data; boundary={mark}"


def _is_file(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    return schema.get("format") == "binary" or "contentMediaType" in schema or _is_file(schema.get("items"))


# ── values ────────────────────────────────────────────────────────────────────


def _text(value: Any) -> str:
    """A value as it stands in a parameter; what is nested deeper than a style can say is JSON."""
    return value if isinstance(value, str) else _json(value)


def _field(value: Any) -> str:
    return "" if value is None else _text(value)


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [_text(item) for item in value]
    if isinstance(value, Mapping):
        return [text for key, item in value.items() for text in (key, _text(item))]
    return [_text(value)]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _escaped(text: str, safe: str = "") -> str:
    return quote(text, safe=safe, errors="replace")
