"""Servers over HTTP that answer with an error's status, and what is told to the operator and to the model."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tao.errors import ConfigError
from tao.tools.mcp import mcp_tools

SAID = {
    401: ("wants credentials", "需要凭据", "error", "a person has to mend that", "由人来处理"),
    403: ("may not use it", "无权使用", "error", "a person has to mend that", "由人来处理"),
    404: ("there is no MCP server at this address", "没有 MCP 服务器", "error", "no longer at its address", "已不在原来的地址"),
    429: ("too many requests; try again in 7 s", "请求过多", "transient", "asked too often (HTTP 429)", "请求过多"),
    503: ("not available at the moment; try again in 7 s", "暂时不可用", "transient", "not available at the moment (HTTP 503)", "暂时不可用"),
    504: ("not available at the moment", "暂时不可用", "transient", "whether it was done is not known", "无法确定是否已执行"),
    418: ("does not speak streamable HTTP", "不支持 streamable HTTP", "error", "answered with HTTP 418", "HTTP 418"),
    500: ("has a problem of its own", "自身出现问题", "error", "answered with HTTP 500; whether it was done is not known", "无法确定是否已执行"),
}


@asynccontextmanager
async def failing(status, at):
    """A server that answers with this status to one method, or to everything (at = "")."""

    async def answer(request):
        if request.method != "POST":
            return web.Response(status=405)
        message = await request.json()
        if at in {"", message.get("method")}:
            return web.Response(status=status, text="<html>no</html>", content_type="text/html", headers={"Retry-After": "7"})
        if "id" not in message:
            return web.Response(status=202)
        result = {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}
        if message["method"] == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
        elif message["method"] != "tools/list":
            return web.json_response({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}})
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": result})

    app = web.Application()
    app.router.add_route("*", "/mcp", answer)
    async with TestServer(app) as server:
        yield {"url": str(server.make_url("/mcp"))}


@pytest.mark.parametrize("status", SAID)
async def test_who_sets_it_up_is_told_what_to_do(status):
    async with failing(status, "") as entry:
        with pytest.raises(ConfigError) as raised:
            async with mcp_tools({"far": entry}, env={}):
                pass
    assert f"'far' could not be reached: HTTP {status}: " in str(raised.value)
    assert SAID[status][0] in str(raised.value)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("status", SAID)
async def test_the_model_is_told_what_to_do(talking, status, lang):
    async with failing(status, "tools/call") as entry, talking(entry=entry, lang=lang) as (call, tools):
        tools.connections[0]._link.ready.result().session  # noqa: B018 - it is open
        seen = await call("look")
        _, _, kind, said, gesagt = SAID[status]
        assert (seen.ok, seen.kind) == (False, kind), seen.text
        assert (said if lang == "en" else gesagt) in seen.text
        assert (seen.data or {}).get("retry_after") == (7.0 if kind == "transient" else None)


async def test_statuses_of_calls_made_together_are_kept_apart(talking):
    async def answer(request):
        if request.method != "POST":
            return web.Response(status=405)
        message = await request.json()
        if "id" not in message:
            return web.Response(status=202)
        if message["method"] == "tools/call":
            await asyncio.sleep(0.05)
            return web.Response(status=int(message["params"]["arguments"]["status"]))
        result = {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}
        if message["method"] == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
        elif message["method"] != "tools/list":
            return web.json_response({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}})
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": result})

    app = web.Application()
    app.router.add_route("*", "/mcp", answer)
    async with TestServer(app) as server, talking(entry={"url": str(server.make_url("/mcp"))}) as (call, _):
        seen = await asyncio.gather(*(call("look", status=status) for status in (401, 429, 500, 503)))
    assert [json.dumps(status) in one.text for status, one in zip((401, 429, 500, 503), seen, strict=True)] == [True] * 4
