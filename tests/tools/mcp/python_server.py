"""An MCP server written with the library's own server: `python_server.py` over stdio, `python_server.py PORT` over HTTP."""

import sys
from typing import Annotated, Literal

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, Field

app = MCPServer("weather")


class Weather(BaseModel):
    city: str
    degrees: float
    words: list[str]


@app.tool()
def weather(
    city: Annotated[str, Field(description="城市名")], days: Annotated[int, Field(ge=1, le=7)] = 1, unit: Literal["C", "F"] = "C",
) -> Weather:
    """The weather of a city. 查询城市天气。"""
    return Weather(city=city, degrees=21.5 + days, words=["晴", unit])


@app.tool()
async def count(to: int, ctx: Context) -> str:
    """Count, and say how far it has come."""
    for done in range(to):
        await ctx.report_progress(done + 1, to, f"{done + 1}/{to}")
    return "done"


@app.tool()
def broken() -> str:
    """Always fails."""
    raise ValueError("没有数据")


if len(sys.argv) > 1:
    app.run("streamable-http", port=int(sys.argv[1]))
else:
    app.run("stdio")
