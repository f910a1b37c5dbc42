"""One HTTP exchange, guarded: every redirect is judged anew, size and time are bounded, nothing is carried across origins."""

import asyncio
import errno
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace

import aiohttp
from yarl import URL

from tao.errors import ToolError
from tao.tools.web.guard import Guard
from tao.tools.web.urls import Place, join, parse
from tao.tools.words import say

REDIRECTS = frozenset({301, 302, 303, 307, 308})
EVERYWHERE = frozenset({"accept", "accept-language", "user-agent"})
"""Headers that may go to another origin than the one they were given for."""
NO_NETWORK = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})
AGENT = "tao-agent/0.1"


class Unreached(ToolError, ConnectionError):
    """No answer came: no network, no such host, a broken connection, too slow. Trying again may help.

    `retry_after` is the server's own wish in seconds, where it gave one.
    """

    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """`size` in bytes after decompression: reading stops there. `seconds` for all together, redirects included."""

    size: int = 4_000_000
    seconds: float = 20.0
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class Sending:
    """What is sent: the method in capitals, headers, and a body (bytes) or none."""

    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came back. `place` is where it came from in the end; `cut`: there was more than the limit."""

    place: Place
    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool = False

    @property
    def kind(self) -> str:
        """The media type without its parameters, lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


async def fetch(
    url: str, guard: Guard, limits: Limits | None = None, sending: Sending | None = None,
    credentials: Mapping[str, Mapping[str, str]] | None = None,
) -> Fetched:
    """Send it and read the answer, whatever its status. Raises Malformed, Blocked or Unreached.

    `credentials`: per host, headers that are added to what is sent to it over https (or to a host within one's network).
    """
    limits, sending, place = limits or Limits(), sending or Sending(), parse(url)
    try:
        async with asyncio.timeout(limits.seconds):
            for _ in range(limits.redirects + 1):
                guard.judge(place)
                answer = await _exchange(place, guard, limits, _with(sending, place, guard, credentials or {}))
                location = answer.headers.get("location", "")
                if answer.status not in REDIRECTS or not location:
                    return answer
                place, sending = _follow(answer, location, sending)
    except TimeoutError:
        raise Unreached(say(
            f"{place.host} did not finish within {limits.seconds:g} s", f"{place.host} 在 {limits.seconds:g} 秒内没有完成响应",
        )) from None  # fmt: skip
    raise Unreached(say(
        f"{parse(url).host} redirected more than {limits.redirects} times", f"{parse(url).host} 重定向超过 {limits.redirects} 次",
    ))  # fmt: skip


def _follow(answer: Fetched, location: str, sending: Sending) -> tuple[Place, Sending]:
    """The next request (Fetch standard, "HTTP-redirect fetch"), less whatever belongs to the first origin."""
    place = join(answer.place, location)
    if (answer.status == 303 and sending.method != "HEAD") or (answer.status in {301, 302} and sending.method == "POST"):
        kept = {name: value for name, value in sending.headers.items() if not name.lower().startswith("content-")}
        sending = Sending("GET", kept)
    if place.origin != answer.place.origin:
        if sending.method not in {"GET", "HEAD"}:
            raise Unreached(say(
                f"{answer.place.host} redirects the {sending.method} to {place.url}; it was not repeated there",
                f"{answer.place.host} 将 {sending.method} 请求重定向到 {place.url}；没有在那里重复发送",
            ))  # fmt: skip
        sending = replace(sending, headers={name: value for name, value in sending.headers.items() if name.lower() in EVERYWHERE})
    return place, sending


def _with(sending: Sending, place: Place, guard: Guard, credentials: Mapping[str, Mapping[str, str]]) -> Sending:
    """The request with the host's own headers, which replace what the model gave under the same names."""
    ours = credentials.get(place.host, {}) if place.scheme == "https" or guard.trusted(place.host, place.port) else {}
    names = {name.lower() for name in ours}
    return replace(sending, headers={**{name: value for name, value in sending.headers.items() if name.lower() not in names}, **ours})


async def _exchange(place: Place, guard: Guard, limits: Limits, sending: Sending) -> Fetched:
    headers = {"User-Agent": AGENT, "Accept": "*/*", **sending.headers, "Accept-Encoding": "gzip, deflate"}
    session = aiohttp.ClientSession(
        connector=guard.connector(place), cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False, trust_env=False,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=10), proxy=guard.proxy, middlewares=(_sent_once,),
    )  # fmt: skip
    try:
        async with session, session.request(
            sending.method, URL(place.url, encoded=True), headers=headers, data=sending.body, allow_redirects=False,
        ) as response:  # fmt: skip
            received = {name.lower(): value for name, value in reversed(list(response.headers.items()))}
            body, cut = b"", False
            if response.status not in REDIRECTS and sending.method != "HEAD":
                body, cut = await _read(response.content.iter_chunked(65_536), received.get("content-encoding", ""), limits.size)
            return Fetched(place, response.status, received, body, cut)
    except _BrokeOff as broke:
        raise _unreached(broke.error, place, guard) from broke.error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        if isinstance(error, ToolError | TimeoutError) and not isinstance(error, aiohttp.ClientError):
            raise
        raise _unreached(error, place, guard) from error


class _BrokeOff(Exception):
    """The connection broke off."""

    def __init__(self, error: Exception) -> None:
        self.error = error


async def _sent_once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Keep aiohttp from sending a PUT or DELETE again by itself when a connection breaks off: it may have been done."""
    try:
        return await handler(request)
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise _BrokeOff(error) from error


async def _read(pieces: AsyncIterator[bytes], encoding: str, size: int) -> tuple[bytes, bool]:
    """The decoded body up to so many bytes, and whether there was more."""
    decoder, whole, first = _decoder(encoding), bytearray(), True
    async for piece in pieces:
        room = size + 1 - len(whole)
        try:
            if first and decoder and encoding.strip().lower() == "deflate" and piece[0] & 0x0F != 8:
                decoder = zlib.decompressobj(-zlib.MAX_WBITS)  # without the zlib header, as some servers understand "deflate"
            first = False
            whole += decoder.decompress(piece, room) if decoder else piece[:room]
        except zlib.error:
            raise Unreached(say("the answer is compressed and damaged", "响应的压缩数据已损坏")) from None
        if len(whole) > size:
            return bytes(whole[:size]), True
    return bytes(whole), False


def _decoder(encoding: str) -> "zlib._Decompress | None":
    encoding = encoding.strip().lower()
    if encoding in {"", "identity"}:
        return None
    if encoding in {"gzip", "x-gzip", "deflate"}:
        return zlib.decompressobj(zlib.MAX_WBITS | (16 if "gzip" in encoding else 0))
    raise Unreached(say(f"the answer is encoded as {encoding[:40]!r}, which cannot be read here", f"响应的编码 {encoding[:40]!r} 无法读取"))


def _unreached(error: Exception, place: Place, guard: Guard) -> Unreached:
    """What went wrong on the way, and what to do."""
    cause = getattr(error, "os_error", None) or error
    if guard.proxy and isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
        return Unreached(say(f"the proxy cannot be used: {cause}", f"代理不可用：{cause}"))
    if isinstance(error, aiohttp.ClientConnectorCertificateError) or isinstance(cause, ssl.SSLError):
        return Unreached(say(f"the certificate of {place.host} cannot be verified", f"无法验证 {place.host} 的证书"))
    number = getattr(cause, "errno", None)
    if isinstance(cause, socket.gaierror) and number != socket.EAI_AGAIN:
        return Unreached(say(
            f"no host {place.host} was found: its name is wrong, or there is no network; if others fail too, answer from the other tools, or say so",
            f"找不到主机 {place.host}：名称有误，或者没有网络；如果其他网址也失败，请用其他工具回答，或如实说明",
        ))  # fmt: skip
    if number in NO_NETWORK or isinstance(cause, socket.gaierror):
        return Unreached(say(
            f"no network: {place.host} cannot be reached from here; answer from the other tools, or say so",
            f"没有网络：此处无法访问 {place.host}；请用其他工具回答，或如实说明",
        ))  # fmt: skip
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ServerTimeoutError):
        return Unreached(say(
            f"{place.host} does not accept connections on port {place.port}", f"{place.host} 不接受端口 {place.port} 上的连接",
        ))  # fmt: skip
    return Unreached(say(f"the connection to {place.host} broke off", f"与 {place.host} 的连接中断"))
