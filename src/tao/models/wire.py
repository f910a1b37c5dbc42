"""One thin HTTP client: post JSON, read a JSON answer or a stream of server-sent events; every "no" becomes one of our errors.

No retries here: one wrapper owns them. Each event loop gets its own session, which closes with `close`, or by itself when
the loop ends. A call that is cancelled or left early closes its connection, which is how the server learns to stop.
"""

import asyncio
import codecs
import json
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Self

import aiohttp

from tao.errors import ConfigError, Refused, Transient, both
from tao.models.failures import allowance, failure, failure_inside
from tao.models.sending import Sending

Piece = dict[str, Any]
FIRST = "no answer"


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: to connect; until the first word of the answer; between two pieces of a stream; for the whole call."""

    connect: float = 10.0
    first: float = 180.0
    quiet: float = 120.0
    whole: float = 900.0


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes. `where` names the server in messages; `tools`: the request carries structured tools."""

    url: str
    headers: Mapping[str, str]
    where: str
    tools: bool = False


class Wire:
    """An HTTP client that may be used from several event loops at once; each has its own connections."""

    def __init__(self, timeouts: Timeouts | None = None, proxy: str | None = None) -> None:
        self.timeouts = timeouts or Timeouts()
        self.proxy = proxy
        self.allowance: tuple[int, float] | None = None
        """What the server's rate-limit headers said last: how much is left, and in how many seconds there is more."""
        self._opened: dict[asyncio.AbstractEventLoop, tuple[aiohttp.ClientSession, AsyncGenerator[Any]]] = {}

    async def post(self, target: Target, data: bytes) -> Any:
        """The decoded JSON answer. Raises ModelError."""
        async with _Exchange(self, target, data) as exchange, exchange.within(None):
            await exchange.open()
            answer = await exchange.whole()
        if error := failure_inside(answer, where=target.where, tools=target.tools):
            raise error
        return answer

    async def stream(self, target: Target, data: bytes) -> AsyncGenerator[Piece]:
        """The pieces of a streamed answer, until `[DONE]`, which is given as an empty piece, or the end.

        A server that answers with plain JSON although a stream was asked for gives that one piece. Raises ModelError,
        also in the middle.
        """
        async with _Exchange(self, target, data) as exchange, aclosing(exchange.pieces(self.timeouts.first)) as pieces:
            async for piece in pieces:
                if not piece:
                    yield {}
                    return
                if error := failure_inside(piece, where=target.where, tools=target.tools):
                    raise error
                yield piece

    async def session(self) -> aiohttp.ClientSession:
        """The session of the running event loop. It hangs on an async generator, so that a loop that shuts down closes it."""
        loop = asyncio.get_running_loop()
        held = self._opened.get(loop)
        if held is None or held[0].closed:
            for gone in [other for other in list(self._opened) if other.is_closed()]:
                self._opened.pop(gone, None)
            keeper = self._keep()
            session = await anext(keeper)
            held = self._opened[loop] = session, keeper
        return held[0]

    async def _keep(self) -> AsyncGenerator[aiohttp.ClientSession]:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self.timeouts.connect)
        jar = aiohttp.DummyCookieJar()
        async with aiohttp.ClientSession(timeout=timeout, cookie_jar=jar, proxy=self.proxy, request_class=Sending) as session:
            yield session

    async def close(self) -> None:
        """Close this event loop's connections; the next call opens new ones."""
        held = self._opened.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held[1].aclose()


class _Exchange:
    """One request and its answer. Left before the answer was read to its end, it closes the connection."""

    def __init__(self, wire: Wire, target: Target, data: bytes) -> None:
        self.wire = wire
        self.target = target
        self.data = data
        self.late = "", ""
        self.response: aiohttp.ClientResponse | None = None

    async def __aenter__(self) -> Self:
        self.end = asyncio.get_running_loop().time() + self.wire.timeouts.whole
        return self

    async def open(self) -> None:
        """Send the request, and take the answer's head."""
        session = await self.wire.session()
        self.response = await session.post(self.target.url, data=self.data, headers=self.target.headers, allow_redirects=False)
        await self._accept(self.response)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self.response is not None:
            self.response.close()
        if isinstance(error, TimeoutError | aiohttp.ClientError | OSError):
            raise self._broken(error) from error

    def within(self, seconds: float | None, what: str = "") -> asyncio.Timeout:
        """Wait so long at most, and never past the end of the whole call; `what` is said where the time runs out."""
        now = asyncio.get_running_loop().time()
        if seconds is None or now + seconds >= self.end:
            whole = self.wire.timeouts.whole
            self.late = f"not finished within {whole:g} s", f"{whole:g} 秒内没有完成"
            return asyncio.timeout_at(self.end)
        self.late = f"{what} within {seconds:g} s", f"{seconds:g} 秒内没有{'回应' if what == FIRST else '新的内容'}"
        return asyncio.timeout_at(now + seconds)

    async def _accept(self, response: aiohttp.ClientResponse) -> None:
        """Raise what any other status than 200 stands for."""
        self.wire.allowance = allowance(response.headers)
        if response.status == 200:
            return
        if 300 <= response.status < 400:
            head, to = f"{self.target.where}: HTTP {response.status}: ", response.headers.get("Location", "?")
            raise Refused(both(f"{head}redirected to {to}; set the base URL to that address", f"{head}已重定向到 {to}；请把接口地址改为该地址"))
        text = (await response.read()).decode("utf-8", "replace")
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            body = text
        raise failure(response.status, body, response.headers, where=self.target.where, tools=self.target.tools)

    async def whole(self) -> Any:
        """The whole answer as JSON."""
        assert self.response is not None
        return self._decode(await self.response.read())

    async def pieces(self, first: float) -> AsyncGenerator[Any]:
        """The answer's events as JSON, one by one, the first within so many seconds. Multi-line events and comments as the SSE standard has them."""
        async with self.within(first, FIRST):
            await self.open()
        assert self.response is not None
        if "json" in self.response.content_type:
            async with self.within(None):
                whole = await self.whole()
            yield whole
            return
        rest, lines, wait, what, mark = b"", list[bytes](), first, FIRST, codecs.BOM_UTF8
        while True:
            async with self.within(wait, what):
                data = await self.response.content.readany()
            *complete, rest = (rest + data).removeprefix(mark).split(b"\n") if data else [rest, b"", b""]
            mark = b"" if complete else mark
            for line in complete:
                if line.startswith(b"data:"):
                    lines += [said] if (said := line[5:].strip()) else []
                elif not line.strip() and lines:
                    event, lines = b"\n".join(lines), []
                    if event == b"[DONE]":
                        await self._drain(self.response.content)
                        yield {}
                        return
                    if piece := self._decode(event):  # an empty one says nothing, and is not the end
                        yield piece
                    wait, what = self.wire.timeouts.quiet, "nothing more came"
            if not data:
                return

    async def _drain(self, content: aiohttp.StreamReader) -> None:
        """Read to the end, which is near, so that the connection can be used again; one that breaks off now has said everything."""
        with suppress(TimeoutError, aiohttp.ClientError, OSError):
            async with asyncio.timeout(0.2):
                while await content.readany():
                    pass

    def _decode(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            shown = data[:200].decode("utf-8", "replace")
            raise Transient(
                both(
                    f"{self.target.where}: the answer is not JSON ({error}): {shown!r}",
                    f"{self.target.where}：回答不是 JSON：{shown!r}",
                )
            ) from error

    def _broken(self, error: Exception) -> Exception:
        where, url = self.target.where, self.target.url
        if isinstance(error, aiohttp.InvalidURL | aiohttp.NonHttpUrlClientError):
            return ConfigError(
                both(
                    f"{where}: {url!r} is not an http(s) address; set the base URL, such as https://api.example.com/v1",
                    f"{where}：{url!r} 不是 http(s) 地址；请设置接口地址，例如 https://api.example.com/v1",
                )
            )
        if isinstance(error, aiohttp.ClientConnectorCertificateError | ssl.SSLCertVerificationError):
            return Refused(both(f"{where}: the certificate of {url} cannot be verified: {error}", f"{where}：无法验证 {url} 的证书"))
        if isinstance(error, aiohttp.ServerTimeoutError):
            seconds = self.wire.timeouts.connect
            return Transient(both(f"{where}: no connection to {url} within {seconds:g} s", f"{where}：{seconds:g} 秒内未能连接 {url}"))
        if isinstance(error, aiohttp.ClientConnectorError):
            why = error.strerror or error
            return Transient(
                both(
                    f"{where}: cannot connect to {url}: {why}; is the server running, the address right?",
                    f"{where}：无法连接 {url}：{why}；服务是否已启动，地址是否正确？",
                )
            )
        if isinstance(error, TimeoutError):
            return Transient(both(f"{where}: {self.late[0]}", f"{where}：{self.late[1]}"))
        why = str(error) or type(error).__name__
        return Transient(both(f"{where}: the connection broke off: {why}", f"{where}：连接中断：{why}"))
