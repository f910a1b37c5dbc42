"""What may be reached: hosts, ports and addresses, judged before a connection and again on the socket itself.

A name is resolved once per connection, here; every address it has must be public, and the connection goes to exactly one
of them. A name that changes its address in between (DNS rebinding) therefore gains nothing.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from tao.errors import ConfigError, ToolError, both
from tao.tools.web.addresses import Malformed, Network, canonical_host, literal, local_name, public
from tao.tools.web.urls import Place
from tao.tools.words import say

Resolve = Callable[[str], Awaitable[list[str]]]
"""Name → its addresses as text. Raises OSError (socket.gaierror) where there are none."""


class Blocked(ToolError):
    """The guard does not open this; its message says what may be opened."""


@dataclass(frozen=True)
class Guard:
    """The rules. `hosts`: only these may be opened ("api.example.com", "*.example.com", "example.com:8081"); None: every public one.

    `inside` names what may be opened although it is not public: "wiki.corp", "10.1.2.3:8090" or a network "10.1.0.0/16"; a
    host with a port opens that port too. `proxy`: an HTTP proxy through which all goes; it then resolves names, and has to
    refuse what must not be reached; addresses and local names in URLs are still judged here. Raises ConfigError for a host
    that is none.
    """

    hosts: tuple[str, ...] | None = None
    inside: tuple[str, ...] = ()
    ports: tuple[int, ...] = (80, 443, 8080, 8443)
    proxy: str | None = None
    resolve: Resolve = field(default_factory=lambda: system_resolve)

    def __post_init__(self) -> None:
        assert self._inside is not None
        assert self._hosts is None or self._hosts is not None

    @cached_property
    def _hosts(self) -> tuple[tuple[str, int | None, bool], ...] | None:
        """Canonical host, its port (None: the usual ones), and whether everything below it is meant."""
        if self.hosts is None:
            return None
        return tuple((*_host(one.removeprefix("*.")), one.startswith("*.")) for one in self.hosts)

    @cached_property
    def _inside(self) -> tuple[frozenset[tuple[str, int | None]], tuple[Network, ...]]:
        """Named hosts with their port (None: the usual ones), and networks."""
        networks = tuple(_network(one) for one in self.inside if "/" in one)
        return frozenset(_host(one) for one in self.inside if "/" not in one), networks

    def judge(self, place: Place) -> None:
        """Refuse what can be told from the URL alone. Raises Blocked."""
        named, _ = self._inside
        allowed = [port for host, port, below in self._hosts or () if _matches(place.host, host, below=below) and port in {None, place.port}]
        if self._hosts is not None and not allowed:
            listed = ", ".join(self.hosts or ()) or "-"
            raise Blocked(say(f"{place.host} is not one of the hosts allowed here: {listed}", f"{place.host} 不在允许的主机之列：{listed}"))
        if (place.host, place.port) in named:
            return
        if place.port not in self.ports and place.port not in allowed:
            listed = ", ".join(map(str, self.ports))
            raise Blocked(say(
                f"port {place.port} is not opened; allowed: {listed}", f"不能访问端口 {place.port}；允许的端口：{listed}",
            ))  # fmt: skip
        if (place.host, None) in named:
            return
        address = literal(place.host)
        if (address is not None and not self.reachable(place.host)) or (address is None and local_name(place.host)):
            raise private(place.host)

    def trusted(self, host: str, port: int) -> bool:
        """Whether this host may have an address that is not public."""
        return not self._inside[0].isdisjoint({(host, port), (host, None)})

    def reachable(self, address: str) -> bool:
        """Whether a connection may go to this address, whoever has it."""
        try:
            ip = ipaddress.ip_address(address)
        except ValueError:
            return False
        return public(ip) or any(ip in network for network in self._inside[1])

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to. Raises Blocked where one of them must not be reached, OSError where there are none."""
        found = list(dict.fromkeys(await self.resolve(host)))
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "no address")
        if not self.trusted(host, port) and not all(map(self.reachable, found)):
            raise private(host)
        return found

    def connector(self, place: Place) -> aiohttp.TCPConnector:
        """A connector that reaches this place and nothing else."""
        if self.proxy:
            return aiohttp.TCPConnector(force_close=True)
        judged: set[str] = {place.host} if literal(place.host) else set()
        resolver = _Judged(self, place.host, judged)
        return aiohttp.TCPConnector(
            resolver=resolver, use_dns_cache=False, force_close=True, socket_factory=lambda info: _socket(info, judged),
        )  # fmt: skip


async def system_resolve(host: str) -> list[str]:
    """The addresses that this machine's resolver gives."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(info[4][0]) for info in found]


def private(host: str) -> Blocked:
    """The refusal of a host within a network; it says nothing of its addresses."""
    return Blocked(say(
        f"{host} is not on the public internet, or not only; such hosts are not opened",
        f"{host} 不是（或不仅是）公网主机；这类主机不能访问",
    ))  # fmt: skip


class _Judged(AbstractResolver):
    """Resolves one name for aiohttp; remembers the addresses in `judged`."""

    def __init__(self, guard: Guard, host: str, judged: set[str]) -> None:
        self.guard, self.host, self.judged = guard, host, judged

    async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET) -> list[ResolveResult]:
        if host != self.host:
            raise private(host)
        found = await self.guard.addresses(host, port)
        self.judged.update(found)
        numeric = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
        return [
            ResolveResult(
                hostname=host, host=one, port=port, proto=0, flags=numeric,
                family=socket.AF_INET6 if ":" in one else socket.AF_INET,
            )
            for one in found if family in (socket.AF_UNSPEC, socket.AF_INET6 if ":" in one else socket.AF_INET)
        ]  # fmt: skip

    async def close(self) -> None:
        """Nothing is held."""


def _socket(info: tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[str, int] | tuple[str, int, int, int]],
            judged: set[str]) -> socket.socket:  # fmt: skip
    """The socket for one connection: the last look at where it goes."""
    family, kind, proto, _, target = info
    if target[0] not in judged:
        raise private(target[0])
    return socket.socket(family, kind, proto)


def _matches(host: str, allowed: str, *, below: bool) -> bool:
    return host.endswith(f".{allowed}") if below else host == allowed


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise ConfigError(both(
            f"{text!r} is not a network; write it like 10.1.0.0/16", f"{text!r} 不是有效的网段；写法如 10.1.0.0/16",
        )) from None  # fmt: skip


def _host(text: str) -> tuple[str, int | None]:
    """A canonical host and its port, from "host", "host:port" or "[v6]:port"."""
    name, mark, port = text.strip().rpartition(":")
    if not mark or not port.isdecimal() or (":" in name and not name.endswith("]")):
        name, port = text.strip(), ""
    name = f"[{name}]" if ":" in name and not name.startswith("[") else name
    try:
        return canonical_host(name), int(port) if port else None
    except Malformed:
        raise ConfigError(both(
            f"{text!r} is not a host; write it like example.com, *.example.com or example.com:8443, without https:// and path",
            f"{text!r} 不是有效的主机；写法如 example.com、*.example.com 或 example.com:8443，不带 https:// 和路径",
        )) from None  # fmt: skip
