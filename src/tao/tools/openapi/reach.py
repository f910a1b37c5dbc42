"""Where the requests of a document go: its servers, or the address that a person named; and the hosts that may be reached at all."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from tao.errors import ConfigError, ToolError, both
from tao.tools.openapi.document import Document, Unusable
from tao.tools.openapi.operations import Operation
from tao.tools.web.addresses import literal, local_name, public
from tao.tools.web.guard import Guard, Resolve, system_resolve
from tao.tools.web.urls import Place, parse


@dataclass(frozen=True, slots=True)
class Reach:
    """`base`: where paths begin, without a slash at the end; `named`: whether a person chose it. `guard` holds the hosts."""

    base: str
    guard: Guard
    named: bool

    def of(self, document: Document, operation: Operation, variables: Mapping[str, str]) -> tuple[str, bool]:
        """Where this operation's path begins, and whether a person chose that: servers of its own go before those of the document.

        Raises Unusable where its own server is none, or on a host that is not allowed, or where no call could reach it.
        """
        own = operation.raw.get("servers") or operation.shared.get("servers")
        if not isinstance(own, list) or not own:
            if self._closed(parse(self.base)):
                raise Unusable(both(
                    f'its server {self.base} is not on the public internet, and only the document names it; if it is meant, say so: base_url = "{self.base}"',
                    f'它的服务器 {self.base} 不在公网上，而且只由文档写明；如果确实要用，请写明：base_url = "{self.base}"',
                ))  # fmt: skip
            return self.base, self.named
        try:
            places = [_place(url, document, self.base) for url in _urls(own, variables)]
        except ConfigError as error:
            raise Unusable(str(error)) from error
        for place in places:
            if _allowed(self.guard, place):
                return _trimmed(place), self.named and place.origin == parse(self.base).origin
        hosts = ", ".join(sorted({place.host for place in places}))
        raise Unusable(both(f"its own server {hosts} is not among the allowed hosts; name it in hosts", f"它自己的服务器 {hosts} 不在允许的主机之列；请写入 hosts"))

    def _closed(self, place: Place) -> bool:
        """Whether every call would be refused: the address is within a network, and nobody named it. What a name leads to is seen at the call."""
        address = literal(place.host)
        inside = local_name(place.host) if address is None else not public(address)
        return inside and not self.guard.trusted(place.host, place.port)


def reach(
    document: Document, *, base_url: str = "", hosts: Collection[str] = (), variables: Mapping[str, str] | None = None,
    resolve: Resolve = system_resolve,
) -> Reach:
    """What a person named, else the document's first server on an allowed host, else where the document was fetched from.

    Hosts that a person named may be private ones. Of those that only the document names, public ones alone are reached.
    Raises ConfigError where there is no address, or none on an allowed host.
    """
    if base_url:
        place = _named(base_url)
        both_of = (_host(place), *hosts)
        return Reach(_trimmed(place), Guard(both_of, _plain(both_of), resolve=resolve), named=True)
    source = document.address
    servers = document.data.get("servers")
    urls = _urls(servers, variables or {}) if isinstance(servers, list) and servers else ["/"] if source else []
    places = [_place(url, document, "") for url in urls]
    if hosts:
        guard = Guard(tuple(hosts), _plain(hosts), resolve=resolve)
        if fitting := next((place for place in places if _allowed(guard, place)), None):
            return Reach(_trimmed(fitting), guard, named=False)
        listed, wanted = ", ".join(map(_host, places)) or "-", ", ".join(hosts)
        raise ConfigError(both(
            f"the document's servers ({listed}) are on none of the allowed hosts ({wanted}); give base_url", f"文档的服务器（{listed}）都不在允许的主机（{wanted}）上；请给出 base_url",
        ))  # fmt: skip
    if not places:
        raise ConfigError(both(
            'the document names no server; say where it is: base_url = "https://api.example.com/v1"', '文档没有写明服务器；请给出地址：base_url = "https://api.example.com/v1"',
        ))  # fmt: skip
    trusted = (_host(parse(source)),) if source else ()
    return Reach(_trimmed(places[0]), Guard(tuple(map(_host, places)), trusted, resolve=resolve), named=bool(source) and parse(source).origin == places[0].origin)


def in_the_open(base: str) -> bool:
    """Whether what is sent there can be read on the way: plain http to a host beyond this machine and network."""
    place = parse(base)
    address = literal(place.host)
    return place.scheme == "http" and not (local_name(place.host) if address is None else not public(address))


def _named(url: str) -> Place:
    try:
        if not re.match(r"https?://", url, re.IGNORECASE) or "?" in url or "#" in url:
            raise ConfigError(both(
                f"base_url is {url!r}; wanted an address such as https://api.example.com/v1, without ? and #",
                f"base_url 为 {url!r}；应为类似 https://api.example.com/v1 的地址，不含 ? 和 #",
            ))  # fmt: skip
        return parse(url)
    except ToolError as error:
        raise ConfigError(both(f"base_url is {url!r}: {error}", f"base_url 为 {url!r}：{error}")) from error


def _place(url: str, document: Document, base: str) -> Place:
    """A server's address; a relative one is seen from `base`, else from where the document was fetched. Raises ConfigError."""
    try:
        if re.match(r"https?://", url, re.IGNORECASE):
            return parse(url)
        seen_from = base or document.address
        if not seen_from:
            raise ConfigError(both(
                f'the document\'s server is {url!r}, which does not say the host; give base_url = "https://api.example.com{url if url[:1] == "/" else ""}"',
                f'文档的服务器为 {url!r}，没有写明主机；请给出 base_url = "https://api.example.com{url if url[:1] == "/" else ""}"',
            ))  # fmt: skip
        return parse(urljoin(seen_from, url))
    except ToolError as error:
        raise ConfigError(both(f"the document's server {url!r} cannot be used: {error}", f"无法使用文档的服务器 {url!r}：{error}")) from error


def _urls(servers: list[Any], variables: Mapping[str, str]) -> list[str]:
    """The addresses of servers, their variables filled in with what was given, else with their defaults. Raises ConfigError."""
    return [_filled(server, variables) for server in servers if isinstance(server, Mapping) and isinstance(server.get("url"), str)]


def _filled(server: Mapping[str, Any], variables: Mapping[str, str]) -> str:
    known = server.get("variables") or {}

    def value(found: re.Match[str]) -> str:
        name, about = found[1], known.get(found[1]) or {}
        said = variables.get(name, about.get("default"))
        choices = [str(one) for one in about.get("enum") or ()]
        if said is None or (choices and str(said) not in choices):
            listed = f" ({', '.join(choices)})" if choices else ""
            raise ConfigError(both(
                f"the server {server['url']!r} needs a value for {name!r}{listed}, and has {said!r}; give variables = {{ {name} = … }}",
                f"服务器 {server['url']!r} 需要 {name!r} 的值{listed}，现为 {said!r}；请给出 variables = {{ {name} = … }}",
            ))  # fmt: skip
        return str(said)

    return re.sub(r"\{([^{}]+)\}", value, server["url"])


def _allowed(guard: Guard, place: Place) -> bool:
    try:
        guard.judge(place)
    except ToolError:
        return False
    return True


def _host(place: Place) -> str:
    return f"[{place.host}]:{place.port}" if ":" in place.host else f"{place.host}:{place.port}"


def _plain(hosts: Collection[str]) -> tuple[str, ...]:
    """Those hosts that are named whole."""
    return tuple(host for host in hosts if not host.startswith("*."))


def _trimmed(place: Place) -> str:
    return place.url.partition("?")[0].rstrip("/")
