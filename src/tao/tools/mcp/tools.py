"""Tools of MCP servers as tools of ours."""

import asyncio
import json
import logging
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, overload

from tao.errors import ConfigError, both
from tao.messages import ToolSpec
from tao.tools.declare import Tool, foreign
from tao.tools.foreign import misshapen, present
from tao.tools.mcp.connection import Connection, Progress, Unreached
from tao.tools.mcp.names import namespaced
from tao.tools.mcp.results import observation
from tao.tools.mcp.servers import Server, servers
from tao.tools.mcp.wire import library
from tao.tools.notations import standard
from tao.tools.results import clean

LOG = logging.getLogger("tao.tools.mcp")
LONGEST_TEXT, LARGEST_SCHEMA = 4000, 30_000
"""Characters: a description is cut there, a tool whose schema is larger is left out; every prompt would carry them."""


class Toolset(Sequence[Tool]):
    """The tools of some servers, as they are now: a server may change them while it runs."""

    def __init__(self, connections: Sequence[Connection]) -> None:
        self.connections = tuple(connections)
        self._made: tuple[list[list[Any]], list[Tool]] = ([], [])

    def _tools(self) -> list[Tool]:
        known = [connection.tools for connection in self.connections]
        if len(known) != len(self._made[0]) or any(now is not then for now, then in zip(known, self._made[0], strict=True)):
            self._made = (known, _tools_of(self.connections))
        return self._made[1]

    @overload
    def __getitem__(self, index: int) -> Tool: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Tool]: ...
    def __getitem__(self, index: int | slice) -> Tool | Sequence[Tool]:
        return self._tools()[index]

    def __len__(self) -> int:
        return len(self._tools())


@asynccontextmanager
async def mcp_tools(
    where: str | Path | Mapping[str, Any], *, env: Mapping[str, str] | None = None,
    progress: Callable[[Progress], object] | None = None, changed: Callable[[], object] | None = None,
) -> AsyncGenerator[Toolset]:
    """The tools of the MCP servers of a JSON file (or of what such a file holds), connected until the block is left.

    `env` are the values of `${NAME}` in it, by default the environment. `progress` hears how far calls have come;
    `changed` is called when a server's tools are others than before: the Toolset has the new ones then, for the next
    Agent. May be entered and left in different tasks of one event loop.
    Raises ConfigError where the file makes no sense, or a server that is not `optional` cannot be reached.
    """
    library()
    wanted = servers(where, os.environ if env is None else env)
    connections = [Connection(server, progress=progress, changed=changed) for server in wanted]
    try:
        results = await asyncio.gather(*(connection.open() for connection in connections), return_exceptions=True)
        for server, result in zip(wanted, results, strict=True):
            _judge(server, result)
        yield Toolset(connections)
    finally:
        await asyncio.gather(*(connection.close() for connection in connections))


def _judge(server: Server, result: Any) -> None:
    if isinstance(result, Unreached) and server.optional:
        LOG.warning("%s", result)
    elif isinstance(result, Unreached):
        why = result.__cause__ or result
        raise ConfigError(both(
            f'the MCP server {server.name!r} could not be reached: {why}. Mend it, or give it "optional": true (go on without it) or "disabled": true',
            f'无法连接 MCP 服务器 {server.name!r}：{why}。请修正，或为它写上 "optional": true（没有它也继续）或 "disabled": true',
        )) from result  # fmt: skip
    elif isinstance(result, BaseException):
        raise result


def _tools_of(connections: Sequence[Connection]) -> list[Tool]:
    made: dict[str, Tool] = {}
    for connection in connections:
        seen: set[str] = set()
        for told in connection.tools:
            if not connection.server.offers(told.name):
                continue
            if told.name in seen:
                LOG.warning("MCP server %s lists two tools %r; the first is used", connection.server.name, told.name)
                continue
            seen.add(told.name)
            if tool := _tool(connection, told, namespaced(connection.server.name, told.name, made)):
                made[tool.name] = tool
    return list(made.values())


def _tool(connection: Connection, told: Any, name: str) -> Tool | None:
    server, said = connection.server, told.name
    schema = standard(_schema(present(told.input_schema)))
    if why := misshapen(schema):
        LOG.warning("tool %r of MCP server %s is left out, its schema makes no sense: %s", said, server.name, why)
        return None
    if (size := len(json.dumps(schema, ensure_ascii=False))) > LARGEST_SCHEMA:
        LOG.warning("tool %r of MCP server %s is left out: its schema has %d characters (at most %d)", said, server.name, size, LARGEST_SCHEMA)
        return None
    hints = told.annotations
    readonly = bool(hints and hints.read_only_hint)
    closed = bool(hints and hints.open_world_hint is False)

    async def call(**args: Any) -> Any:
        return observation(name, await connection.call(said, args))

    description = clean(told.description or told.title or (hints.title if hints else "") or said).strip()
    description = description if len(description) <= LONGEST_TEXT else description[: LONGEST_TEXT - 1] + "…"
    spec = ToolSpec(name, description, schema, effects(readonly=readonly, closed=closed, trusted=server.trusted))
    steady = readonly and closed and server.trusted
    again = server.trusted and bool(hints and hints.idempotent_hint)
    return foreign(spec, call, timeout=server.timeout, idempotent=again, volatile=not steady)


def effects(*, readonly: bool, closed: bool, trusted: bool) -> tuple[str, ...]:
    """What a tool does, as far as its server may be believed.

    What does not say that it only reads counts as writing. That it touches nothing outside (`closed`) is believed of a
    trusted server only; what anybody else sends may have been written by strangers.
    """
    first = "reads" if readonly else "writes"
    if trusted:
        return (first,) if closed else (first, "network")
    return (first, "network", "untrusted")


def _schema(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema as ours are: of type object. One that names no properties at all takes any."""
    schema: dict[str, Any] = untitled({key: value for key, value in given.items() if key != "$schema"})
    if "properties" not in schema:
        schema.setdefault("additionalProperties", True)
    return {**schema, "type": "object", "properties": schema.get("properties") or {}}


def untitled(schema: Any) -> Any:
    """The schema without the titles that only repeat names; a property may well be called "title"."""
    if isinstance(schema, list):
        return [untitled(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = {}
    for key, value in schema.items():
        if key in {"properties", "patternProperties", "$defs", "definitions"} and isinstance(value, Mapping):
            kept[key] = {name: untitled(part) for name, part in value.items()}
        elif key in {"enum", "const", "default", "examples"}:
            kept[key] = value
        elif key != "title" or not isinstance(value, str):
            kept[key] = untitled(value)
    return kept
