"""A server of the library's own, over both transports, and a run of an agent with its tools."""

import asyncio
import contextlib
import socket
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tao import Agent
from tao.acting import Limits
from tao.errors import ConfigError
from tao.permissions import Rule
from tao.testing import ScriptedModel
from tao.tools.mcp import mcp_tools

SERVER = Path(__file__).with_name("python_server.py")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@asynccontextmanager
async def serving(port):
    """The server over HTTP, once it listens; `stop()` ends it before its time."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SERVER), str(port), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )

    async def stop():
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    try:
        async with asyncio.timeout(60):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.05)
                else:
                    writer.close()
                    await writer.wait_closed()
                    break
        yield stop
    finally:
        await stop()


async def talk(call, tools, heard):
    assert {tool.name for tool in tools} == {"s__weather", "s__count", "s__broken"}
    schema = tools[0].spec.parameters
    assert schema["properties"]["city"] == {"description": "城市名", "type": "string"}
    assert (await call("weather", city="北京", days="2")).text.startswith('{\n  "city": "北京",\n  "degrees": 23.5')
    seen = await call("weather", city="北京", days=9)
    assert (seen.kind, "days" in seen.text) == ("bad_arguments", True)
    assert (await call("count", to=2)).text == "done"
    assert [one.message for one in heard] == ["1/2", "2/2"]
    assert (await call("broken")).text == "s__broken failed: Error executing tool broken"


async def test_over_standard_input_and_output(talking):
    heard = []
    async with talking(entry={"command": sys.executable, "args": [str(SERVER)]}, options={"progress": heard.append}) as (call, tools):
        await talk(call, tools, heard)


async def test_over_http_and_again_after_the_server_was_started_anew(talking):
    heard, port = [], free_port()
    limits = Limits(fence="none", attempts=1, strikes=99)
    where = {"url": f"http://127.0.0.1:{port}/mcp"}
    async with serving(port) as stop, talking(entry=where, options={"progress": heard.append}, limits=limits) as (call, tools):
        await talk(call, tools, heard)
        await stop()
        seen = await call("weather", city="上海")
        assert (seen.ok, seen.kind) == (False, "transient")
        assert "MCP server s" in seen.text
        async with serving(port):
            assert "上海" in (await call("weather", city="上海")).text


async def test_an_agent_uses_the_tools_and_asks_where_they_may_change_something(talking):
    model = ScriptedModel(
        'Thought: look\nAction: s__weather\nAction Input: {"city": "北京"}', "Thought: I know\nFinal Answer: sunny",
        'Thought: look\nAction: s__weather\nAction Input: {"city": "北京"}',
    )  # fmt: skip
    async with talking(entry={"command": sys.executable, "args": [str(SERVER)]}) as (_, tools):
        allowed = Agent(model, [*tools], dialect="react", permissions=[Rule("allow", tools=("s__weather",))])
        run = await allowed.run("What is the weather?")
        assert run.answer == "sunny"
        assert "北京" in run.observed[0][1].text
        assert "tool_output" in run.observed[0][1].text
        waits = await Agent(model, [*tools], dialect="react").run("What is the weather?")
        assert waits.state == "paused"


@pytest.mark.parametrize("status", [401, 500])
async def test_an_address_that_answers_otherwise_is_said(status):
    async def answer(request):
        return web.Response(status=status, text="<html>no</html>", content_type="text/html")

    app = web.Application()
    app.router.add_route("*", "/mcp", answer)
    async with TestServer(app) as server:
        with pytest.raises(ConfigError, match="'far' could not be reached"):
            async with mcp_tools({"far": {"url": str(server.make_url("/mcp"))}}, env={}):
                pass
