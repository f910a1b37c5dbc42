"""What comes over HTTP is bounded like what comes over pipes."""

import asyncio
import gzip
import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tao.tools.mcp.lines import LONGEST_LINE

PIECE = b"x" * 1_000_000
TOO_MUCH = f"more than {LONGEST_LINE} bytes"


async def whole(request, message, sent):
    """One body of known length."""
    text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": "x" * (LONGEST_LINE + 1)}]}})
    return web.Response(text=text, content_type="application/json")


async def endless(request, message, sent):
    """A body without end, piece by piece, until nobody takes it any more."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    try:
        while sum(sent) < 20 * LONGEST_LINE:
            await response.write(PIECE)
            sent.append(len(PIECE))
    except ConnectionError:
        pass
    return response


async def packed(request, message, sent):
    """A small body that unfolds into a large one."""
    data = gzip.compress(b'"' + b"x" * (2 * LONGEST_LINE) + b'"', 1)
    return web.Response(body=data, headers={"Content-Type": "application/json", "Content-Encoding": "gzip"})


async def wrong(request, message, sent):
    """The same as an error's body."""
    return web.Response(status=500, body=b"x" * (LONGEST_LINE + 1), content_type="application/json")


async def events(request, message, sent):
    """One event of a stream that is too long."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    try:
        await response.write(b"data: ")
        while sum(sent) < 20 * LONGEST_LINE:
            await response.write(PIECE)
            sent.append(len(PIECE))
    except ConnectionError:
        pass
    return response


async def nonsense(request, message, sent):
    """A body that is no JSON."""
    return web.Response(text="<html>", content_type="application/json")


async def large(request, message, sent):
    """An event as large as a picture."""
    result = {"content": [{"type": "text", "text": "x" * 2_000_000}]}
    text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
    return web.Response(text=f"event: message\ndata: {text}\n\n", content_type="text/event-stream")


@asynccontextmanager
async def answering(how, sent):
    """A server that answers every call in this way, but for the tool "echo"."""

    async def answer(request):
        if request.method != "POST":
            return web.Response(status=405)
        message = await request.json()
        if "id" not in message:
            return web.Response(status=202)
        method = message["method"]
        if method == "tools/call" and message["params"]["name"] != "echo":
            return await how(request, message, sent)
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("echo", "fetch")]}
        if method == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
        elif method == "tools/call":
            result = {"content": [{"type": "text", "text": "heard"}]}
        elif method != "tools/list":
            return web.json_response({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}})
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": result})

    app = web.Application()
    app.router.add_route("*", "/mcp", answer)
    async with TestServer(app) as server:
        yield {"url": str(server.make_url("/mcp"))}


@pytest.mark.parametrize(("how", "said"), [
    (whole, TOO_MUCH), (endless, TOO_MUCH), (packed, TOO_MUCH), (nonsense, "Failed to parse JSON response"), (wrong, "HTTP 500"), (events, "SSE stream failed"),
])  # fmt: skip
async def test_an_answer_that_is_too_large_or_none_is_given_up_and_said(talking, how, said):
    sent = []
    async with asyncio.timeout(120), answering(how, sent) as entry, talking(entry=entry) as (call, _):
        seen = await call("fetch")
        assert not seen.ok
        assert said in seen.text
        assert len(seen.text) < 1000
        assert "done it" in seen.text or "is not known" in seen.text
        assert (await call("echo")).text == "heard"
    assert sum(sent) < 4 * LONGEST_LINE


async def test_what_is_large_comes_through_either_way(talking):
    async with answering(large, []) as entry, talking(entry=entry) as (call, _):
        seen = await call("fetch")
        assert seen.ok
        assert len(seen.full) > 900_000
