"""The tools that reach the web: `web_search`, `fetch_page`, `http_get`, `http_send`."""

from collections.abc import Collection, Mapping

from tao.errors import ConfigError, both
from tao.tools.declare import Tool
from tao.tools.web.fetching import Limits
from tao.tools.web.guard import Guard, Resolve, system_resolve
from tao.tools.web.page import fetch_page
from tao.tools.web.providers import choose
from tao.tools.web.requests import http_tools
from tao.tools.web.search import web_search

NAMES = ("web_search", "fetch_page", "http_get", "http_send")


def web_tools(
    env: Mapping[str, str], names: Collection[str] | None = None, *, service: str | None = None, hosts: Collection[str] = (),
    credentials: Mapping[str, Mapping[str, str]] | None = None, inside: Collection[str] = (), ports: Collection[int] = (80, 443, 8080, 8443),
    proxy: str | None = None, bases: Mapping[str, str] | None = None, limits: Limits | None = None, resolve: Resolve = system_resolve,
) -> list[Tool]:
    """The web tools of these names, in their own order; by default search and pages, and HTTP where `hosts` allows some.

    `env` holds the search services' keys (TAVILY_API_KEY …), `service` names one of them. `hosts` are those that `http_get`
    and `http_send` may reach ("api.example.com", "*.example.com"), `credentials` headers per host that no model sees.
    `inside` are hosts and networks that may be reached although they are not public, `proxy` an HTTP proxy for everything.
    `bases` and `resolve` stand in for the services' addresses and the machine's resolver. Raises ConfigError for a name
    that there is not, and for what is missing.
    """
    if unknown := sorted(set(names or ()) - set(NAMES)):
        listed = ", ".join(map(repr, unknown))
        raise ConfigError(both(f"no web tool {listed}; there are: {', '.join(NAMES)}", f"没有网络工具 {listed}；现有：{'、'.join(NAMES)}"))
    wanted = set(NAMES[:2] + (NAMES[2:] if hosts else ())) if names is None else set(names)
    tools: list[Tool] = []
    if "web_search" in wanted:
        tools.append(web_search(choose(env, service, bases=bases, proxy=proxy, resolve=resolve)))
    if "fetch_page" in wanted:
        tools.append(fetch_page(Guard(None, tuple(inside), tuple(ports), proxy, resolve), limits=limits))
    if wanted & {"http_get", "http_send"}:
        guard = Guard(tuple(hosts), tuple(inside), tuple(ports), proxy, resolve)
        tools += [tool for tool in http_tools(guard, limits=limits, credentials=credentials) if tool.name in wanted]
    return tools
