"""The tools `http_get` and `http_send`: requests to the hosts that a person allowed, and to no others.

Two tools, since what a call does has to be known from the tool: the one reads, the other writes.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from tao.errors import ConfigError, ToolError, both
from tao.messages import Observation
from tao.tools.declare import Tool, declare
from tao.tools.media import MAGIC, block
from tao.tools.web.charset import decode
from tao.tools.web.fetching import Fetched, Limits, Sending, fetch
from tao.tools.web.guard import Guard
from tao.tools.words import say

OURS = frozenset({
    "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "keep-alive", "expect", "accept-encoding",
    "proxy-authorization", "proxy-connection", "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip",
})  # fmt: skip
"""Headers that a model may not set: they change where a request goes or where it ends, or say whom it comes from."""
MOST_HEADERS, LARGEST_BODY = 30, 1_000_000


def http_tools(
    guard: Guard, *, limits: Limits | None = None, credentials: Mapping[str, Mapping[str, str]] | None = None, room: int = 4000,
) -> list[Tool]:
    """Both tools. `guard` must name its hosts. `credentials`: per host, headers that are added and that no model sees.

    Of an answer, `room` characters are shown. Raises ConfigError without hosts.
    """
    if not guard.hosts:
        raise ConfigError(both(
            'the tools http_get and http_send need a list of allowed hosts, such as hosts = ["api.example.com"]',
            '工具 http_get 和 http_send 需要允许的主机列表，例如 hosts = ["api.example.com"]',
        ))  # fmt: skip
    bounds = limits or Limits(size=1_000_000)
    keys = {host.lower(): dict(headers) for host, headers in (credentials or {}).items()}

    secrets = {part for headers in keys.values() for value in headers.values() for part in (value, value.rpartition(" ")[2]) if len(part) > 3}
    hidden = re.compile("|".join(map(re.escape, sorted(secrets, key=len, reverse=True))))  # a server may echo what it was sent

    async def exchange(method: str, url: str, headers: Mapping[str, str] | None, body: Any) -> Observation:
        sending = Sending(method, *_said_by_model(headers or {}, body))
        seen = observation(await fetch(url, guard, bounds, sending, keys), room)
        return replace(seen, text=hidden.sub("…", seen.text)) if hidden.pattern else seen

    async def get(url: str, headers: dict[str, str] | None = None, method: Literal["GET", "HEAD"] = "GET") -> Observation:
        return await exchange(method, url, headers, None)

    async def send(
        method: Literal["POST", "PUT", "PATCH", "DELETE"], url: str, body: str | dict[str, Any] | list[Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Observation:  # fmt: skip
        return await exchange(method, url, headers, body)

    hosts = ", ".join(guard.hosts)
    return [
        declare(
            get, name="http_get", effects=("reads", "network"), timeout=bounds.seconds + 5, idempotent=True, volatile=True,
            example={"url": "https://api.example.com/items?limit=5"},
            description=f"Send an HTTP GET. Hosts: {hosts}\n\nArgs:\n    url: full address with its query\n    headers: additional headers",
            descriptions={"zh": f"发送 HTTP GET 请求。可用主机：{hosts}\n\n参数：\n    url: 完整网址，含查询参数\n    headers: 附加的请求头"},
        ),
        declare(
            send, name="http_send", effects=("writes", "network"), timeout=bounds.seconds + 5, volatile=True,
            example={"method": "POST", "url": "https://api.example.com/items", "body": {"name": "tea"}},
            description=f"Send an HTTP request that changes something. Hosts: {hosts}\n\n"
            "Args:\n    url: full address\n    body: text, or an object that is sent as JSON\n    headers: additional headers",
            descriptions={"zh": f"发送会产生修改的 HTTP 请求。可用主机：{hosts}\n\n"
                          "参数：\n    url: 完整网址\n    body: 文本，或以 JSON 发送的对象\n    headers: 附加的请求头"},
        ),
    ]  # fmt: skip


def observation(fetched: Fetched, room: int) -> Observation:
    """Status, type and text of an answer, an image or file for people; one of 400 and above is a failure that the model reads."""
    kind, body = fetched.kind, fetched.body
    content: dict[str, Any] = {}
    if body and (b"\0" in body[:4096] or any(body.startswith(head) for head in MAGIC)):
        text = say(f"[{kind or 'binary data'}, {len(body)} bytes]", f"[{kind or '二进制数据'}，{len(body)} 字节]")
        content = {} if fetched.cut else {"content": [block(body, kind or "application/octet-stream", fetched.place.url)]}
    else:
        text = decode(body, fetched.headers.get("content-type", ""))[0].strip()
    longer = len(text) > room
    note = say("[more was left out]", "[其余部分已省略]") if longer or fetched.cut else ""
    head = f"HTTP {fetched.status}{f' {kind}' if kind else ''}"
    lines = filter(None, (head, text[:room], note))
    ok = fetched.status < 400
    return Observation("\n".join(lines), ok=ok, kind="" if ok else "http", data={"status": fetched.status, "url": fetched.place.url, **content})


def _said_by_model(headers: Mapping[str, str], body: Any) -> tuple[dict[str, str], bytes | None]:
    """Headers and body as they are sent. Raises ToolError for what must not be."""
    for name, value in headers.items():
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum() or any(char in value for char in "\r\n\0"):
            raise ToolError(say(f"{name[:40]!r} is not a header that can be sent", f"{name[:40]!r} 不是可以发送的请求头"))
        if name.lower() in OURS:
            raise ToolError(say(f"the header {name} cannot be set here; leave it out", f"不能设置请求头 {name}；请去掉"))
    if len(headers) > MOST_HEADERS or sum(len(name) + len(value) for name, value in headers.items()) > 16_000:
        raise ToolError(say("too many headers; give only those needed", "请求头过多；只给必要的"))
    if body is None:
        return dict(headers), None
    typed = any(name.lower() == "content-type" for name in headers)
    data, kind = _encoded(body)
    if len(data) > LARGEST_BODY:
        raise ToolError(say(f"the body has {len(data)} bytes; at most {LARGEST_BODY} are sent", f"请求体有 {len(data)} 字节；最多 {LARGEST_BODY}"))
    return {**headers, **({} if typed else {"Content-Type": kind})}, data


def _encoded(body: Any) -> tuple[bytes, str]:
    if isinstance(body, str):
        looks_like_json = body.lstrip()[:1] in {"{", "["}
        return body.encode(), "application/json" if looks_like_json else "text/plain; charset=utf-8"
    return json.dumps(body, ensure_ascii=False).encode(), "application/json"
