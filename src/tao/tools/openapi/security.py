"""Credentials, as the document's security schemes say where they go; and what was sent, taken out of what comes back."""

import base64
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any
from urllib.parse import quote, quote_plus

from tao.errors import ConfigError, both
from tao.tools.openapi.document import Document, Unusable
from tao.tools.openapi.operations import Operation


@dataclass(frozen=True, slots=True)
class Credentials:
    """What is added to one operation's requests, by place: headers, query, cookies. `lacking`: schemes for which nothing was given."""

    header: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookie: Mapping[str, str] = field(default_factory=dict, repr=False)
    lacking: tuple[str, ...] = ()

    def set(self, place: str, name: str) -> bool:
        """Whether a parameter is given by these, and so not by the model."""
        table: Mapping[str, str] = {"header": self.header, "query": self.query, "cookie": self.cookie}.get(place, {})
        return name in table or (place == "header" and name.lower() in {one.lower() for one in table})

    @property
    def some(self) -> bool:
        """Whether there is anything to keep secret."""
        return bool(self.header or self.query or self.cookie)


def schemes(document: Document) -> dict[str, Mapping[str, Any]]:
    """The security schemes of the document, by name."""
    table = (document.data.get("components") or {}).get("securitySchemes") or {}
    found = {}
    for name, raw in table.items():
        try:
            node, _ = document.follow(raw)
        except Unusable:
            continue
        if isinstance(node, Mapping):
            found[name] = node
    return found


def known(document: Document, given: Mapping[str, str]) -> None:
    """Look at the names that credentials were given for. Raises ConfigError for one that is no scheme of the document."""
    names = list(schemes(document))
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, 1, 0.5)
            hint, hint_zh = (f"; did you mean {near[0]!r}?", f"；是否想写 {near[0]!r}？") if near else ("", "")
            raise ConfigError(both(
                f"credentials are given for {name!r}, which is no security scheme of the document{hint} It has: {', '.join(names) or 'none'}",
                f"为 {name!r} 提供了凭据，但文档没有这个安全方案{hint_zh}现有：{'、'.join(names) or '无'}",
            ))  # fmt: skip


def credentials_of(document: Document, operation: Operation, given: Mapping[str, str]) -> Credentials:
    """Those of one operation: of the ways in which it may be asked, the first for which all credentials are given."""
    wanted = operation.raw.get("security", document.data.get("security")) or []
    ways = [list(way) for way in wanted if isinstance(way, Mapping)]
    for way in ways:
        if way and all(name in given for name in way):
            return _placed(document, {name: given[name] for name in way})
    lacking = () if not ways or [] in ways else tuple(name for name in ways[0] if name not in given)
    return Credentials(lacking=lacking)


def _placed(document: Document, given: Mapping[str, str]) -> Credentials:
    table = schemes(document)
    tables: dict[str, dict[str, str]] = {"header": {}, "query": {}, "cookie": {}}
    for name, value in given.items():
        scheme = table.get(name, {})
        kind = str(scheme.get("type")).lower()
        if kind == "apikey" and scheme.get("in") in tables and isinstance(scheme.get("name"), str):
            tables[scheme["in"]][scheme["name"]] = value
        elif kind in {"oauth2", "openidconnect"}:
            tables["header"]["Authorization"] = f"Bearer {value.removeprefix('Bearer ')}"
        elif kind == "http":
            tables["header"]["Authorization"] = _authorization(str(scheme.get("scheme", "")), value)
        else:
            raise ConfigError(both(
                f"the security scheme {name!r} of type {scheme.get('type')!r} is not one that can be used here (apiKey, http, oauth2, openIdConnect)",
                f"无法使用类型为 {scheme.get('type')!r} 的安全方案 {name!r}（支持 apiKey、http、oauth2、openIdConnect）",
            ))  # fmt: skip
    return Credentials(tables["header"], tables["query"], tables["cookie"])


def _authorization(scheme: str, value: str) -> str:
    """RFC 7617 for basic ("user:password"), RFC 6750 for bearer; any other scheme takes the value as it is."""
    if scheme.lower() == "basic":
        plain = value.removeprefix("Basic ")
        return f"Basic {base64.b64encode(value.encode()).decode() if ':' in plain else plain}"
    name = "Bearer" if scheme.lower() == "bearer" else scheme
    return value if value.lower().startswith(f"{name.lower()} ") else f"{name} {value}"


def hiding(values: Collection[str]) -> "re.Pattern[str] | None":
    """A pattern of these secrets in every form in which a server may echo them; None where there are none."""
    parts = {part for value in values for part in (value, *value.split(" ")[1:], *value.split(":")[1:])}
    parts |= {base64.b64encode(value.encode()).decode() for value in values if ":" in value}  # as basic sends it
    forms = {form for part in parts for form in (part, quote(part, safe=""), quote(part), quote_plus(part), json.JSONEncoder().encode(part)[1:-1], json.dumps(part, ensure_ascii=False)[1:-1])}
    found = sorted((form for form in forms if len(form) > 3), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, found))) if found else None


def hidden(value: Any, secrets: "re.Pattern[str] | None") -> Any:
    """The value with every secret in it replaced by "…"."""
    if secrets is None:
        return value
    if isinstance(value, str):
        return secrets.sub("…", value)
    if isinstance(value, dict):
        return {secrets.sub("…", key): hidden(item, secrets) for key, item in value.items()}
    return [hidden(item, secrets) for item in value] if isinstance(value, list) else value
