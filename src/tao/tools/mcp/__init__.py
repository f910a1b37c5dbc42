"""Tools of MCP servers: `async with mcp_tools("mcp.json") as tools: Agent(model, [*tools])`."""

from tao.tools.mcp.connection import Connection, Progress, Unreached
from tao.tools.mcp.servers import Server, servers
from tao.tools.mcp.tools import Toolset, mcp_tools

__all__ = ["Connection", "Progress", "Server", "Toolset", "Unreached", "mcp_tools", "servers"]
