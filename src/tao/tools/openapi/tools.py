"""Operations of an OpenAPI document as tools of ours."""

import json
import logging
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tao.errors import ConfigError, ToolError, both
from tao.messages import Observation, ToolSpec
from tao.tools.declare import Tool, foreign
from tao.tools.naming import provider_name
from tao.tools.openapi.document import Document, Unusable, open_document
from tao.tools.openapi.operations import READING, Body, Operation, Parameter, accepted, body, chosen, operations, parameters
from tao.tools.openapi.reach import Reach, in_the_open, reach
from tao.tools.openapi.results import observation
from tao.tools.openapi.schemas import Schemas, plainer, shallower, whole
from tao.tools.openapi.security import Credentials, credentials_of, hidden, hiding, known
from tao.tools.openapi.writing import in_body, in_cookie, in_header, in_path, in_query
from tao.tools.results import clean
from tao.tools.web.fetching import Limits, Sending, Unreached, fetch
from tao.tools.web.guard import Resolve, system_resolve
from tao.tools.web.requests import OURS
from tao.tools.words import say

LOG = logging.getLogger("tao.tools.openapi")
LARGEST_SCHEMA, LONGEST_TEXT = 30_000, 4000
"""Characters: a tool whose schema is larger even when shortened is left out; a description is cut there."""
SECRET = re.compile("auth|token|key|secret|cookie|session|passw|credential|sign", re.IGNORECASE)
"""Headers whose values are kept secret."""
ONCE = "idempotency-key"
"""The header by which a server knows a request that it has carried out already (IETF draft, httpapi-idempotency-key-header)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How the calls of one operation are written. `params` are its parameters by the names under which the model gives them."""

    name: str
    operation: Operation
    base: str
    params: Mapping[str, Parameter]
    body: tuple[str, Body] | None
    headers: Mapping[str, str] = field(repr=False)
    credentials: Credentials
    once: str | None = None


def openapi_tools(
    document: Mapping[str, Any] | str | Path | Document, *, allow: Collection[str] = ("GET", "HEAD"), deny: Collection[str] = (), name: str = "",
    base_url: str = "", hosts: Collection[str] = (), headers: Mapping[str, str] | None = None,
    credentials: Mapping[str, str] | None = None, variables: Mapping[str, str] | None = None, limits: Limits | None = None,
    resolve: Resolve = system_resolve,
) -> list[Tool]:
    """A tool for every allowed operation of an OpenAPI 3 document: a mapping, a JSON or YAML file, or a fetched one.

    `allow` and `deny` hold methods, operation ids, "METHOD /path", "/path" or "tag:name", with `*` and `?`; deny wins.
    `name` stands before every tool's name (`shop__listOrders`). `base_url` goes before the document's servers, `hosts` are all
    that may be reached; those named here may be private. `headers` go with every request. `credentials` are by the
    name of the document's security scheme: a key or token, for basic "user:password"; no model sees them.
    `variables` fill the servers' addresses. Raises ConfigError.
    """
    doc = open_document(document)
    keys = dict(credentials or {})
    known(doc, keys)
    where = reach(doc, base_url=base_url, hosts=hosts, variables=variables, resolve=resolve)
    bounds = limits or Limits(size=1_000_000)
    hide = hiding([*keys.values(), *(value for header, value in (headers or {}).items() if SECRET.search(header))])
    made: dict[str, Tool] = {}
    exact, why = set(allow), ""
    for operation in chosen(operations(doc), allow, deny):
        try:
            plan, parts = _plan(doc, operation, where, keys, headers or {}, variables or {}, _named(operation, name, made))
            tool = _tool(plan, _schema(doc, parts), where, bounds, hide)
        except Unusable as error:
            why = str(error)
            if operation.id in exact:
                english, chinese = _halves(why)
                raise ConfigError(both(f"no tool can be made of {operation.id}: {english}", f"无法把 {operation.id} 变成工具：{chinese}")) from error
            LOG.warning("%s %s is left out: %s", operation.method, operation.path, why.splitlines()[0])
            continue
        made[tool.name] = tool
    if not made:
        english, chinese = _halves(why)
        raise ConfigError(both(f"no tool can be made of the document: {english}", f"无法从该文档得到工具：{chinese}"))
    return list(made.values())


def _halves(text: str) -> tuple[str, str]:
    """What was said in both languages (`tao.errors.both`), apart; what was said in one is said in each."""
    english, _, chinese = text.partition("\n")
    return english, chinese or english


def _named(operation: Operation, name: str, taken: Mapping[str, Tool]) -> str:
    """The operation's id where it is ASCII, else its method and path; behind the document's name, where it has one."""
    own = operation.id
    if not own.isascii() or " " in own:
        own = operation.method.lower() + re.sub(r"[{}]", "", operation.path).replace("/", "_").rstrip("_")
    return provider_name(f"{name}__{own}" if name else own, f"{name}\n{operation.id}\n{operation.method} {operation.path}", taken)


# ── what the model is shown ───────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Part:
    """One argument as the model gives it."""

    key: str
    schema: Any
    base: str
    required: bool
    description: str
    example: Any = None


def _plan(
    doc: Document, operation: Operation, where: Reach, keys: Mapping[str, str], headers: Mapping[str, str], variables: Mapping[str, str], name: str,
) -> tuple[Plan, list[Part]]:
    """How an operation is called, and what the model gives for it. Raises Unusable and ConfigError."""
    creds = credentials_of(doc, operation, keys)
    base, named = where.of(doc, operation, variables)
    if creds.some and in_the_open(base) and not named:
        raise ConfigError(both(
            f"credentials would go to {base} in plain http; give base_url with https, or with http if that is meant",
            f"凭据会以明文 http 发送到 {base}；请用 base_url 给出 https 地址，如果确实要用 http 也请写明",
        ))  # fmt: skip
    if creds.lacking and not headers:
        LOG.warning("%s needs credentials for %s, and none are given", operation.id, ", ".join(creds.lacking))
    ours = {header.lower() for header in headers}
    params: dict[str, Parameter] = {}
    parts: list[Part] = []
    once = None
    for one in parameters(doc, operation):
        if creds.set(one.place, one.name) or (one.place == "header" and one.name.lower() in ours | OURS):
            continue
        key = _key(one.name, one.place, params)
        params[key] = one
        if one.place == "header" and one.name.lower() == ONCE and operation.method not in READING:
            once = key
            continue
        parts.append(Part(key, one.schema, one.base, one.required, one.description, one.example))
    sent = body(doc, operation)
    if sent is not None:
        key = _key("body", "request", params)
        parts.append(Part(key, sent.schema, sent.base, sent.required, sent.description))
    return Plan(name, operation, base, params, (key, _followed(doc, sent)) if sent else None, {"Accept": accepted(doc, operation), **headers}, creds, once), parts


def _key(name: str, place: str, taken: Collection[str]) -> str:
    """The name of an argument: letters (of any script), digits, `_`, `-` and `.`; in two places it says which."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip("_")[:60] or "value"
    names = (plain, f"{plain}_{place}", *(f"{plain}_{number}" for number in range(2, 1000)))
    return next(one for one in names if one not in taken)


def _followed(doc: Document, sent: Body) -> Body:
    """The body with the references of its own properties followed, as forms are written by them."""
    schema, base = doc.follow(sent.schema, sent.base)
    if not isinstance(schema, Mapping) or not isinstance(schema.get("properties"), Mapping):
        return replace(sent, schema=schema)
    return replace(sent, schema={**schema, "properties": {key: doc.follow(part, base)[0] for key, part in schema["properties"].items()}})


def _schema(doc: Document, parts: list[Part]) -> dict[str, Any]:
    """The arguments' schema, of type object. Raises Unusable where it is too large for a prompt."""
    schemas = Schemas(doc)
    properties = {part.key: _described(schemas.of(part.schema, part.base), part) for part in parts}
    required = [part.key for part in parts if part.required]
    found = whole({"type": "object", "properties": properties, **({"required": required} if required else {})}, schemas.defs)
    if _size(found) > LARGEST_SCHEMA:
        found = plainer(found)
    for depth in (8, 6, 5, 4, 3):
        if _size(found) > LARGEST_SCHEMA:
            found = shallower(found, depth)
    if (size := _size(found)) > LARGEST_SCHEMA:
        raise Unusable(both(f"its schema has {size} characters (at most {LARGEST_SCHEMA})", f"其 Schema 有 {size} 个字符（最多 {LARGEST_SCHEMA}）"))
    return found


def _size(schema: Any) -> int:
    return len(json.dumps(schema, ensure_ascii=False, default=str))


def _described(schema: Any, part: Part) -> Any:
    schema = schema if isinstance(schema, dict) else {}
    if part.description:
        schema = {**schema, "description": clean(part.description)}
    plain = part.example is not None and not isinstance(part.example, dict | list) and len(str(part.example)) <= 80
    return {**schema, "examples": [part.example]} if plain and "examples" not in schema else schema


# ── a call ────────────────────────────────────────────────────────────────────


def _tool(plan: Plan, schema: Mapping[str, Any], where: Reach, bounds: Limits, hide: "re.Pattern[str] | None") -> Tool:
    reads = plan.operation.method in READING
    text = clean(plan.operation.description)
    text = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
    spec = ToolSpec(plan.name, text, schema, ("reads" if reads else "writes", "network"))

    async def call(**args: Any) -> Observation:
        url, sending = request(plan, args)
        try:
            answer = await fetch(url, where.guard, bounds, sending)
        except Unreached as error:
            again = Unreached(hidden(_unknown(str(error), reads=reads), hide))
            again.retry_after = error.retry_after
            raise again from None
        except ToolError as error:
            raise type(error)(hidden(str(error), hide)) from None
        return observation(plan.name, answer, hide, plan.credentials.lacking)

    return foreign(spec, call, timeout=bounds.seconds + 5, idempotent=reads, volatile=True, key=plan.once)


def _unknown(text: str, *, reads: bool) -> str:
    return text if reads else say(f"{text}; whether it was done is not known", f"{text}；无法确定是否已执行")


def request(plan: Plan, args: Mapping[str, Any]) -> tuple[str, Sending]:
    """The address and what is sent, for checked arguments. Raises ToolError for what cannot be written."""
    given = {key: value for key, value in args.items() if key in plan.params and not (value is None and not plan.params[key].required)}
    values: dict[str, list[tuple[Parameter, Any]]] = {place: [] for place in ("path", "query", "header", "cookie")}
    for key, value in given.items():
        values[plan.params[key].place].append((plan.params[key], value))
    path = in_path(plan.operation.path, {one.name: (one, value) for one, value in values["path"]})
    query = [part for one, value in values["query"] for part in in_query(one, value)]
    query += [f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in plan.credentials.query.items()]
    cookies = [pair for one, value in values["cookie"] for pair in in_cookie(one, value)]
    cookies += [f"{name}={value}" for name, value in plan.credentials.cookie.items()]
    headers = {one.name: in_header(one, value) for one, value in values["header"]}
    headers |= {**plan.headers, **plan.credentials.header}
    if cookies:
        headers["Cookie"] = "; ".join(cookies)
    data = None
    if plan.body is not None and plan.body[0] in args:
        data, headers["Content-Type"] = in_body(plan.body[1], args[plan.body[0]])
    mark = "&" if "?" in path else "?"
    return f"{plan.base}{path}{mark + '&'.join(query) if query else ''}", Sending(plan.operation.method, headers, data)
