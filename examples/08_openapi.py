"""A web API becomes tools: its OpenAPI document says what a call takes, and which operations there are.

    python examples/08_openapi.py openai:gpt-5.5

The API here is a small one of our own. For a real one: openapi_tools("shop.yaml", base_url="https://…",
allow=["GET", "createOrder"], credentials={"apiKey": os.environ["SHOP_KEY"]}).
"""

import asyncio
import sys
from typing import Any

from aiohttp import web

from tao import Agent
from tao.tools.openapi import openapi_tools

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Warehouse", "version": "1"},
    "paths": {
        "/stock/{item}": {"get": {
            "operationId": "stock",
            "summary": "How many boxes of an item there are.",
            "parameters": [{"name": "item", "in": "path", "required": True, "schema": {"type": "string"}, "description": "such as tea"}],
        }},
        "/stock": {"delete": {"operationId": "clearStock"}},
    },
}  # fmt: skip


async def stock(request: web.Request) -> web.Response:
    """The API's only answer."""
    return web.json_response({"item": request.match_info["item"], "boxes": 12})


async def main(model: str) -> None:
    """Serve the API on this machine, and ask about it."""
    app = web.Application()
    app.router.add_get("/stock/{item}", stock)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    tools = openapi_tools(DOCUMENT, base_url=f"http://127.0.0.1:{runner.addresses[0][1]}")
    print("tools:", [tool.name for tool in tools])  # only what reads, unless allow= says more
    async with Agent(model, tools) as agent:
        run = await agent.run("How many boxes of tea are there?")
    for call, seen in run.observed:
        print(f"{call.tool}({dict(call.args)}) → {seen.data}")
    print(run.answer)
    await runner.cleanup()


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "local"))
