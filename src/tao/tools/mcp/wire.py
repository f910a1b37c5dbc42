"""One open connection to a server, through the library `mcp` (extra `mcp`): the one module here that imports it."""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, Literal, Self

from pydantic import ValidationError

from tao.errors import ConfigError, both
from tao.tools.mcp import statuses
from tao.tools.mcp.lines import ENCODING, GIVEN_UP, LONGEST_LINE
from tao.tools.mcp.servers import Server
from tao.tools.words import say

LOG = logging.getLogger("tao.tools.mcp")
CHANGED = "notifications/tools/list_changed"
TAIL = 4000
"""Characters of a server's standard error that are kept, to say why it did not start."""
_QUIETLY = logging.NullHandler()
QUIET = 300.0
"""Seconds without a byte after which a response that is still coming in is given up; calls have their own time."""

Fault = Literal["lost", "session", "said", "status", "broken"]
MISFIT = "tao/misfit"
"""Under this name, in the `meta` of a result, what of it does not fit the tool's own output schema."""


@asynccontextmanager
async def opened(server: Server, tail: "Tail", ended: Callable[[str], None], changed: Callable[[], None]) -> AsyncGenerator[Any]:
    """A connected `mcp.Client`; what the server writes to its standard error goes to `tail`.

    `ended` is called once nothing more can come from the server, with the reason where it is ours; `changed` where it says that its tools have changed.
    Enter and leave it in the same task. Raises ConfigError where `mcp` is not installed; else whatever goes wrong.
    """
    mcp = library()

    async def heard(message: Any) -> None:
        if getattr(message, "method", "") == CHANGED:
            changed()

    async def logged(params: Any) -> None:
        LOG.debug("%s says (%s): %s", server.name, params.level, params.data)

    info = mcp.types.Implementation(name="tao", version="0.1")
    GIVEN_UP.set(lambda: ended(say(f"it sent a message of more than {LONGEST_LINE} characters", f"它发送了超过 {LONGEST_LINE} 个字符的消息")))
    connected: list[Any] = []
    transport = _watched(_transport(server, tail), partial(ended, ""), lambda message: sifted(message, server.name, connected[0].protocol_version) if connected else None)
    async with mcp.Client(transport, message_handler=heard, logging_callback=logged, client_info=info, cache=None) as client:
        connected.append(client)
        client.session.validate_tool_result = partial(_noted, client.session.validate_tool_result)
        yield client


def library() -> Any:
    """The package `mcp`. Raises ConfigError where it is not installed."""
    try:
        import mcp  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(both(
            "MCP servers need the extra `mcp`: pip install 'tao-agent[mcp]'", "使用 MCP 服务器需要安装附加依赖：pip install 'tao-agent[mcp]'",
        )) from error  # fmt: skip
    for name in ("mcp", "client"):  # else its complaints about a server's stray lines would go to the screen, tracebacks and all
        logging.getLogger(name).addHandler(_QUIETLY)
    return mcp


def _transport(server: Server, tail: "Tail") -> AbstractAsyncContextManager[Any]:
    mcp = library()
    if server.command:
        wanted = mcp.StdioServerParameters(
            command=server.command, args=list(server.args), env=dict(server.env), cwd=server.cwd, encoding=ENCODING, encoding_error_handler="replace",
        )
        return mcp.stdio_client(wanted, errlog=tail.file)  # type: ignore[no-any-return]
    return _over_http(server)


@asynccontextmanager
async def _over_http(server: Server) -> AsyncIterator[Any]:
    import httpx2  # noqa: PLC0415
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    patience = httpx2.Timeout(server.connect, read=QUIET)
    async with (
        httpx2.AsyncClient(headers=dict(server.headers), timeout=patience, event_hooks={"response": [_heard, partial(_bounded, httpx2.StreamError)]}) as http,
        streamable_http_client(server.url, http_client=http, max_sse_event_size=LONGEST_LINE) as streams,
    ):
        yield streams


async def _heard(response: Any) -> None:
    """Keep an error's status for who asked."""
    gathered = statuses.HEARD.get()
    if response.status_code >= 400 and gathered is not None:
        gathered.append(statuses.read(response.status_code, response.headers.get("retry-after", "")))


async def _bounded(error: Callable[[str], Exception], response: Any) -> None:
    """A body that is one message is read no further than a line of the other transport; of a stream of events each one is bounded.

    Counted as it is after unpacking, so that a small body cannot unfold into a large one.
    """
    if response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        return
    whole = response.aiter_bytes

    async def counted(chunk_size: int | None = None) -> AsyncGenerator[bytes]:
        size = 0
        async with contextlib.aclosing(whole(chunk_size)) as parts:
            async for part in parts:
                size += len(part)
                if size > LONGEST_LINE:
                    raise error(say(f"it sent a message of more than {LONGEST_LINE} bytes", f"它发送了超过 {LONGEST_LINE} 字节的消息"))
                yield part

    response.aiter_bytes = counted


async def _noted(check: Callable[[str, Any], Awaitable[None]], tool: str, result: Any) -> None:
    """The library's look at a result, which raises where it does not fit; a note in its place, as what came may still be of use."""
    try:
        await check(tool, result)
    except RuntimeError as error:
        why = getattr(error.__cause__, "message", None) or str(error)
        result.meta = {**(result.meta or {}), MISFIT: why.partition("\n")[0][:300]}


@asynccontextmanager
async def _watched(transport: AbstractAsyncContextManager[Any], ended: Callable[[], None], look: Callable[[Any], None]) -> AsyncIterator[Any]:
    async with transport as (read, write):
        yield Watched(read, ended, look), write


class Watched:
    """A stream of messages from a server that says when it ends; `look` sees each message first."""

    def __init__(self, stream: Any, ended: Callable[[], None], look: Callable[[Any], None]) -> None:
        self.stream, self.ended, self.look = stream, ended, look

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def __aiter__(self) -> "Watched":
        return self

    async def __anext__(self) -> Any:
        try:
            message = await self.stream.__anext__()
        except BaseException:
            self.ended()
            raise
        self.look(message)
        return message

    async def __aenter__(self) -> Self:
        await self.stream.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> Any:
        self.ended()
        return await self.stream.__aexit__(*error)


class Tail:
    """Where a server's standard error goes: into our log, not onto our screen; its end is kept in `text`."""

    def __init__(self, name: str) -> None:
        self.name, self.text = name, ""

    async def __aenter__(self) -> Self:
        reading, writing = os.pipe()
        self.file = os.fdopen(writing, "w", encoding="utf-8")
        stream = asyncio.StreamReader(limit=1 << 16)
        protocol = asyncio.StreamReaderProtocol(stream)
        self._pipe, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(reading, "rb", buffering=0))
        self._task = asyncio.create_task(self._read(stream))
        return self

    async def _read(self, stream: asyncio.StreamReader) -> None:
        while piece := await stream.read(1 << 14):
            text = piece.decode("utf-8", "replace")
            self.text = (self.text + text)[-TAIL:]
            LOG.debug("%s: %s", self.name, text.rstrip())

    async def __aexit__(self, *_: object) -> None:
        self.file.close()
        await asyncio.wait({self._task}, timeout=0.2)  # what it said last is worth having; a grandchild may hold the pipe
        self._task.cancel()
        self._pipe.close()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        await asyncio.sleep(0)  # the transport closes its file in the next turn


# ── asking ────────────────────────────────────────────────────────────────────

MOST_PAGES, MOST_TOOLS = 100, 1000


async def listed(client: Any) -> list[Any]:
    """The server's tools, page after page; more than a thousand are nobody's intention and are left."""
    found: list[Any] = []
    cursor = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor or len(found) >= MOST_TOOLS:
            break
    return found[:MOST_TOOLS]


def sifted(message: Any, server: str, version: str) -> None:
    """Where the message is a list of tools, leave out of it what the protocol of this version does not take for a tool.

    The library refuses the whole list for one. A schema that only lacks its type, which can be but "object", is given it.
    """
    result: Any = getattr(getattr(message, "message", None), "result", None)
    listed = result.get("tools") if isinstance(result, dict) else None
    if not isinstance(listed, list) or not _wrong(result, listed, version) or _wrong(result, [], version):
        return
    kept = []
    for number, told in enumerate(listed, 1):
        schema = told.get("inputSchema") if isinstance(told, dict) else None
        typed = {**told, "inputSchema": {"type": "object", **schema}} if isinstance(schema, dict) and "type" not in schema else told
        if why := _wrong(result, [typed], version):
            name = told.get("name") if isinstance(told, dict) else None
            LOG.warning("tool %r of MCP server %s is left out: %s", name if isinstance(name, str) else number, server, why)
        else:
            kept.append(typed)
    result["tools"] = kept


def _wrong(result: Mapping[str, Any], listed: list[Any], version: str) -> str:
    """Why the library would not take these as a server's tools; "" where it does."""
    try:
        library().types.methods.validate_server_result("tools/list", version, {**result, "tools": listed})
    except ValidationError as error:
        return reason(error).rpartition("tools.0")[2].lstrip(".: ")
    except (KeyError, ValueError):  # a version that the library has no form for
        return ""
    return ""


async def watch(client: Any, changed: Callable[[], None]) -> None:
    """Listen for changed tools, where a server of the newer protocol announces them on a stream of its own."""
    tools = client.server_capabilities.tools
    if client.protocol_version < "2026" or not (tools and tools.list_changed):
        return
    try:
        async with client.listen(tools_list_changed=True) as changes:
            async for _ in changes:
                changed()
    except Exception as error:  # noqa: BLE001 - whatever goes wrong here, the tools known so far can still be called
        LOG.debug("no news of changed tools: %s", error)


ANSWERED_BADLY = ("Server returned an error response", "Not Found")
"""How the library says that an answer had an error's status."""
UNREAD = ("Failed to parse", "SSE stream failed")
"""How it begins to say that an answer over HTTP could not be read, or was too large."""
CLOSED = ("Connection closed", "SSE stream ended")
"""How the library says that a connection is gone."""


def fault(error: BaseException) -> Fault:
    """What an error of a call means.

    "lost": the connection is gone, and whether the call was carried out is not known; "session": the server has forgotten
    us and did not carry it out; "said": the server refused it; "status": it answered with an error's HTTP status; "broken": what it sent is not according to the protocol.
    """
    mcp = library()
    if isinstance(error, mcp.MCPError):
        if error.code == mcp.types.CONNECTION_CLOSED and error.message.startswith(CLOSED):  # servers use this number for errors of their own
            return "lost"
        if error.message in ANSWERED_BADLY:
            return "status"
        if error.code in {mcp.types.PARSE_ERROR, mcp.types.CONNECTION_CLOSED} and error.message.startswith(UNREAD):
            return "broken"
        forgotten = error.code in {mcp.types.INVALID_REQUEST, -32001} and "session" in error.message.lower()
        return "session" if forgotten else "said"
    return "broken" if isinstance(error, ValidationError | RuntimeError) else "lost"


def reason(error: BaseException) -> str:
    """The innermost sentence of an error, whatever groups it is wrapped in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ValidationError):
        first, *more = error.errors(include_url=False, include_context=False)
        place = ".".join(map(str, first["loc"]))
        return f"{error.title}, {place}: {first['msg']}, got {first['input']!r:.120}" + (f" (+{len(more)})" if more else "")
    return f"{type(error).__name__}: {error}".rstrip(": ") if str(error) else type(error).__name__
