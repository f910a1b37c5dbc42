"""A connection that outlives its server: opened when it is needed, left when it breaks, opened again by the next call.

One task of its own enters and leaves each connection, as the library's cancel scopes have to be left where they were
entered. Calls run in the task of whoever makes them, so a cancelled call is cancelled at the server as well.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tao.errors import ConfigError, ToolError, both
from tao.tools.mcp import statuses, wire
from tao.tools.mcp.servers import Server
from tao.tools.words import say

LOG = logging.getLogger("tao.tools.mcp")
FIRST, LONGEST, PATIENCE = 0.5, 30.0, 1.0
"""Seconds: how long a server that could not be reached is left alone at first, at most, and how much of it a call waits for."""
LEAVING = 10.0
"""Seconds after which a connection that does not close is cut."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call has come: `done` of `total` (None: not said), in the server's own unit."""

    server: str
    tool: str
    done: float
    total: float | None = None
    message: str = ""


class Unreached(ToolError, ConnectionError):
    """The server could not be reached, or broke off. Trying again may help; `retry_after` seconds from now."""

    retry_after: float | None = None


class Link:
    """One opened connection, from its opening to its end; `ready` gives the client."""

    def __init__(self, server: Server, before: "Link | None", relisted: Callable[[list[Any]], None]) -> None:
        self.server, self.relisted = server, relisted
        self.ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.ready.add_done_callback(lambda done: done.cancelled() or done.exception())  # looked at, so that nobody complains
        self.gone = self.counted = False
        self.why = ""
        self._stir = asyncio.Event()
        self._changed = False
        self.owner = asyncio.create_task(self._own(before), name=f"mcp {server.name}")

    def leave(self, why: str = "") -> None:
        """Nothing more is asked of it: the owner leaves; `why` says so to those whose calls are under way."""
        self.gone, self.why = True, self.why or why
        self._stir.set()

    def changed(self) -> None:
        """The owner asks for the tools again."""
        self._changed = True
        self._stir.set()

    async def _own(self, before: "Link | None") -> None:
        """Open, keep and leave the connection."""
        tail = wire.Tail(self.server.name)
        limit = asyncio.timeout(None)
        heard = statuses.listening()
        try:
            if before is not None:
                await before.closed()
            async with asyncio.timeout(self.server.connect) as limit, tail, wire.opened(self.server, tail, self.leave, self.changed) as client:
                self.relisted(await wire.listed(client))
                limit.reschedule(None)
                self.ready.set_result(client)
                watching = asyncio.create_task(wire.watch(client, self.changed))
                try:
                    await self._keep(client)
                finally:
                    watching.cancel()
                    await asyncio.wait({watching})
        except ConfigError as error:
            self._failed(error)
        except Exception as error:  # noqa: BLE001 - a stranger's program may fail in any way
            LOG.info("MCP server %s: %s", self.server.name, wire.reason(error))
            seconds = f"{self.server.connect:g}"
            late = say(f"no answer within {seconds} s", f"{seconds} 秒内没有应答")
            why = late if limit.expired() else statuses.mending(heard[-1]) if heard else self.why or wire.reason(error)
            self._failed(Unreached(why + _lines(tail.text)))
        finally:
            self.gone = True
            self._failed(Unreached(say("it was closed", "连接已关闭")))

    async def _keep(self, client: Any) -> None:
        while not self.gone:
            await self._stir.wait()
            self._stir.clear()
            if self._changed and not self.gone:
                self._changed = False
                try:
                    async with asyncio.timeout(self.server.connect):
                        self.relisted(await wire.listed(client))
                except Exception as error:  # noqa: BLE001 - the tools known so far can still be called
                    LOG.warning("MCP server %s did not say its changed tools: %s", self.server.name, wire.reason(error))

    def _failed(self, error: Exception) -> None:
        if not self.ready.done():
            self.ready.set_exception(error)

    async def closed(self) -> None:
        """Leave, and wait until everything is let go of."""
        self.leave()
        done, _ = await asyncio.wait({self.owner}, timeout=LEAVING if self.ready.done() else 0)
        if not done:
            self.owner.cancel()
            await asyncio.wait({self.owner})


class Connection:
    """One server, for as long as its tools are in use. `tools` are those it offered last, as the library has them."""

    def __init__(
        self, server: Server, *, progress: Callable[[Progress], object] | None = None, changed: Callable[[], object] | None = None,
    ) -> None:
        self.server, self.tools = server, list[Any]()
        self._progress, self._changed = progress, changed
        self._link: Link | None = None
        self._failures, self._not_before = 0, 0.0
        self._loop = asyncio.get_running_loop()

    async def open(self) -> Any:
        """The client, connected; joins an opening that is under way. Raises Unreached or ConfigError."""
        if asyncio.get_running_loop() is not self._loop:
            raise ConfigError(both(
                f"the MCP server {self.server.name} was connected in another event loop; use `await agent.run(…)` there, not run_sync",
                f"MCP 服务器 {self.server.name} 是在另一个事件循环中连接的；请在那里使用 `await agent.run(…)`，而不是 run_sync",
            ))  # fmt: skip
        if self._link is None or self._link.gone:
            wait = self._not_before - asyncio.get_running_loop().time()
            if wait > PATIENCE:
                error = Unreached(say(f"the MCP server {self.server.name} is not there", f"MCP 服务器 {self.server.name} 不可用"))
                error.retry_after = wait
                raise error
            await asyncio.sleep(max(wait, 0))
        if self._link is None or self._link.gone:
            self._link = Link(self.server, self._link, self._relisted)
        link = self._link
        try:
            client = await asyncio.shield(link.ready)
        except Unreached as error:
            self._hold_off(link)
            text = say(f"the MCP server {self.server.name} could not be reached: {error}", f"无法连接 MCP 服务器 {self.server.name}：{error}")
            raise Unreached(text) from error
        self._failures = 0
        return client

    async def call(self, tool: str, args: Mapping[str, Any]) -> Any:
        """What the server gives for this call (a CallToolResult). Raises ToolError; Unreached where trying again may help."""
        for attempt in (1, 2):
            client = await self.open()
            link, heard = self._link, statuses.listening()
            try:
                return await client.call_tool(tool, dict(args), progress_callback=self._told(tool))
            except Exception as error:
                fault = wire.fault(error)
                if fault in {"lost", "session"} and link is not None:
                    link.leave()
                if fault != "session" or attempt == 2:
                    raise self._complaint(fault, error, (link and link.why) or wire.reason(error), heard) from error
        raise AssertionError("the second attempt returns or raises")

    async def close(self) -> None:
        """Leave the server; a call that is under way fails."""
        if self._link is not None:
            await self._link.closed()

    def _relisted(self, tools: list[Any]) -> None:
        before, self.tools = self.tools, tools
        if self._changed is not None and before and before != tools:
            self._changed()

    def _hold_off(self, link: Link) -> None:
        """Leave the server alone for a while, twice as long after every failure; all who waited for one opening count once."""
        if link is self._link and not link.counted:
            link.counted = True
            self._not_before = asyncio.get_running_loop().time() + min(LONGEST, FIRST * 2**self._failures)
            self._failures += 1

    def _told(self, tool: str) -> Any:
        async def tell(done: float, total: float | None, message: str | None) -> None:
            LOG.debug("%s %s: %g of %s %s", self.server.name, tool, done, total, message or "")
            if self._progress is not None:
                self._progress(Progress(self.server.name, tool, done, total, message or ""))

        return tell

    def _complaint(self, fault: wire.Fault, error: Exception, why: str, heard: Sequence[statuses.Status]) -> ToolError:
        name = self.server.name
        if fault == "status" and heard:
            again = heard[-1].code in statuses.AGAIN
            complaint = Unreached(statuses.advice(name, heard[-1])) if again else ToolError(statuses.advice(name, heard[-1]))
            if isinstance(complaint, Unreached):
                complaint.retry_after = heard[-1].wait
            return complaint
        if fault in {"said", "status"}:
            return ToolError(str(error) or why)
        if fault == "broken":
            return ToolError(say(
                f"the MCP server {name} may have done it, but what it sent back cannot be used: {why}",
                f"MCP 服务器 {name} 可能已执行，但返回的内容无法使用：{why}",
            ))  # fmt: skip
        return Unreached(say(
            f"the connection to the MCP server {name} broke off; whether it was done is not known ({why})",
            f"与 MCP 服务器 {name} 的连接中断，无法确定是否已执行（{why}）",
        ))  # fmt: skip


def _lines(text: str) -> str:
    """The last of what a server wrote to its standard error, to go behind a sentence."""
    last = [line.strip() for line in text.strip().splitlines() if line.strip()][-5:]
    return say("; it wrote: ", "；其输出：") + " | ".join(last) if last else ""
