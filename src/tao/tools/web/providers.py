"""Search services. Each is asked in its own way and gives back the same thing: title, URL, snippet, date.

The forms of requests and answers follow the services' public API references: Tavily `POST /search`, SerpAPI
`GET /search.json` (engine google), Bocha `POST /v1/web-search`, Brave `GET /res/v1/web/search`, SearXNG
`GET /search?format=json`, MediaWiki `list=search`; DuckDuckGo is asked through the package `ddgs`.
"""

import importlib.util
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from tao.errors import ConfigError, ToolError, both
from tao.tools.threads import in_thread
from tao.tools.web.fetching import Limits, Sending, Unreached, fetch
from tao.tools.web.guard import Guard, Resolve, system_resolve
from tao.tools.web.urls import parse
from tao.tools.words import LANG, say
from tao.waits import retry_after

KEYS = {
    "tavily": "TAVILY_API_KEY", "serpapi": "SERPAPI_API_KEY", "bocha": "BOCHA_API_KEY", "brave": "BRAVE_API_KEY",
    "searxng": "SEARXNG_URL", "ddgs": "", "wikipedia": "",
}  # fmt: skip
"""Every service in the order of preference, and the variable that switches it on."""
BASES = {
    "tavily": "https://api.tavily.com", "serpapi": "https://serpapi.com", "bocha": "https://api.bochaai.com",
    "brave": "https://api.search.brave.com", "wikipedia": "https://{lang}.wikipedia.org",
}  # fmt: skip
SHOWN = {
    "tavily": "Tavily", "serpapi": "SerpAPI", "bocha": "Bocha 博查", "brave": "Brave", "searxng": "SearXNG", "ddgs": "DuckDuckGo",
    "wikipedia": "Wikipedia",
}  # fmt: skip
SPENT = re.compile(r"money|run out|balance|quota|exceed\w* (your|the) .{0,20}(plan|usage|searches|month)|余额|额度|欠费", re.IGNORECASE)
"""What services say with a status that may mean other things too, where what was paid for is used up: trying again cannot help."""
LIMITS = Limits(size=3_000_000, seconds=15.0, redirects=2)


@dataclass(frozen=True, slots=True)
class Found:
    """One result as the service gave it; `date` as it was written there."""

    title: str
    url: str
    snippet: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Service:
    """One search service: its key (for SearXNG its address), where it is, and how names are resolved and requests sent."""

    name: str
    key: str = ""
    base: str = ""
    proxy: str | None = None
    resolve: Resolve = field(default=system_resolve)
    backend: str = "auto"


Ask = Callable[[Service, str, int], Awaitable[list[Found]]]


def choose(
    env: Mapping[str, str], name: str | None = None, *, bases: Mapping[str, str] | None = None, proxy: str | None = None,
    resolve: Resolve = system_resolve,
) -> Service:
    """The service of that name, else the first whose key `env` holds, else ddgs where it is installed, else Wikipedia.

    `bases` puts other addresses in the place of the services' own. Raises ConfigError for an unknown service, or one
    without its key.
    """
    if name is not None and name not in KEYS:
        listed = ", ".join(KEYS)
        raise ConfigError(both(f"no search service {name!r}; there are: {listed}", f"没有搜索服务 {name!r}；现有：{listed}"))
    if name is None:
        keyed = (one for one, variable in KEYS.items() if variable and env.get(variable, "").strip())
        name = next(keyed, "ddgs" if importlib.util.find_spec("ddgs") else "wikipedia")
    key = env.get(KEYS[name], "").strip() if KEYS[name] else ""
    if KEYS[name] and not key:
        raise ConfigError(both(
            f"the search service {name!r} needs the environment variable {KEYS[name]}", f"搜索服务 {name!r} 需要环境变量 {KEYS[name]}",
        ))  # fmt: skip
    if name == "ddgs" and importlib.util.find_spec("ddgs") is None:
        raise ConfigError(both(
            "the search service 'ddgs' needs the extra `web`: pip install 'tao-agent[web]'",
            "搜索服务 'ddgs' 需要安装附加组件 `web`：pip install 'tao-agent[web]'",
        ))  # fmt: skip
    base = (bases or {}).get(name) or (key if name == "searxng" else BASES.get(name, ""))
    return Service(name, key, base.rstrip("/"), proxy, resolve)


async def ask(service: Service, query: str, count: int) -> list[Found]:
    """What the service finds. Raises ToolError, whose message says what to do."""
    return [found for found in await ASK[service.name](service, query, count) if found.url]


# ── the services ──────────────────────────────────────────────────────────────


async def _tavily(service: Service, query: str, count: int) -> list[Found]:
    wanted = {"query": query, "max_results": count, "search_depth": "basic"}
    answer = await _exchange(service, "/search", headers=_bearer(service), post=wanted)
    return [_found(one, "title", "url", ("content",), ("published_date",)) for one in _list(answer, "results")]


async def _serpapi(service: Service, query: str, count: int) -> list[Found]:
    zh = LANG.get().startswith("zh")
    wanted = {"engine": "google", "q": query, "num": count, "hl": "zh-cn" if zh else "en", "api_key": service.key}
    answer = await _exchange(service, "/search.json", wanted)
    if isinstance(answer, dict) and answer.get("error") and not answer.get("organic_results"):
        said = str(answer["error"])
        if "any results" in said:  # "Google hasn't returned any results for this query."
            return []
        raise _said_no(service, said)
    return [_found(one, "title", "link", ("snippet",), ("date",)) for one in _list(answer, "organic_results")]


async def _bocha(service: Service, query: str, count: int) -> list[Found]:
    wanted = {"query": query, "count": count, "summary": True, "freshness": "noLimit"}
    answer = await _exchange(service, "/v1/web-search", headers=_bearer(service), post=wanted)
    code = str(answer.get("code", "200")) if isinstance(answer, dict) else "200"
    if code != "200":
        raise _refusal(service, int(code) if code.isdecimal() else 500, str(answer.get("msg") or answer.get("message") or ""))
    return [_found(one, "name", "url", ("summary", "snippet"), ("datePublished", "dateLastCrawled")) for one in _list(answer, "data", "webPages", "value")]


async def _brave(service: Service, query: str, count: int) -> list[Found]:
    headers = {"X-Subscription-Token": service.key, "Accept": "application/json"}
    wanted = {"q": " ".join(query.split()[:50]), "count": min(count, 20), "search_lang": say("en", "zh-hans")}  # more than 50 words it refuses
    answer = await _exchange(service, "/res/v1/web/search", wanted, headers)
    return [_found(one, "title", "url", ("description",), ("page_age", "age")) for one in _list(answer, "web", "results")]


async def _searxng(service: Service, query: str, count: int) -> list[Found]:
    lang = say("en", "zh-CN")
    answer = await _exchange(service, "/search", {"q": query, "format": "json", "language": lang})
    found = [_found(one, "title", "url", ("content",), ("publishedDate",)) for one in _list(answer, "results")][: count * 2]
    silent = answer.get("unresponsive_engines") if isinstance(answer, dict) else None
    if not found and isinstance(silent, list) and silent:
        named = ", ".join(str(one[0] if isinstance(one, list) and one else one) for one in silent[:5])
        raise Unreached(say(
            f"none of the engines behind {SHOWN['searxng']} answered ({named}); try again, or answer from the other tools",
            f"{SHOWN['searxng']} 背后的搜索引擎都没有响应（{named}）；请再试一次，或用其他工具回答",
        ))  # fmt: skip
    return found


async def _wikipedia(service: Service, query: str, count: int) -> list[Found]:
    base = service.base.replace("{lang}", say("en", "zh"))
    wanted = {
        "action": "query", "list": "search", "srsearch": query, "srlimit": count, "srprop": "snippet|timestamp", "format": "json",
        "formatversion": 2,
    }  # fmt: skip
    answer = await _exchange(service, "/w/api.php", wanted, base=base)
    if isinstance(answer, dict) and isinstance(error := answer.get("error"), dict):
        raise _said_no(service, str(error.get("info", "")))
    pages = [(str(one.get("title", "")), one) for one in _list(answer, "query", "search")]
    return [
        Found(title, f"{base}/wiki/{quote(title.replace(' ', '_'))}", _text(one, "snippet"), _text(one, "timestamp"))
        for title, one in pages if title
    ]  # fmt: skip


async def _ddgs(service: Service, query: str, count: int) -> list[Found]:
    return await in_thread(_ddgs_now, service, query, count, say("us-en", "cn-zh"))


def _ddgs_now(service: Service, query: str, count: int, region: str) -> list[Found]:
    import ddgs  # noqa: PLC0415 - optional, and only here
    from ddgs.exceptions import DDGSException, RatelimitException  # noqa: PLC0415

    try:
        rows = ddgs.DDGS(proxy=service.proxy, timeout=10).text(query, region=region, max_results=count, backend=service.backend)
    except RatelimitException:
        raise _refusal(service, 429, "") from None
    except DDGSException as error:
        said = str(error)
        if "No results" in said:
            return []
        what = said.partition(":")[0][:60] or type(error).__name__
        raise Unreached(say(
            f"{SHOWN['ddgs']} could not be asked ({what}); there may be no network: answer from the other tools, or say so",
            f"无法使用 {SHOWN['ddgs']} 搜索（{what}）；可能没有网络：请用其他工具回答，或如实说明",
        )) from None  # fmt: skip
    return [_found(row, "title", "href", ("body",), ("date",)) for row in rows]


ASK: dict[str, Ask] = {
    "tavily": _tavily, "serpapi": _serpapi, "bocha": _bocha, "brave": _brave, "searxng": _searxng, "ddgs": _ddgs, "wikipedia": _wikipedia,
}  # fmt: skip


# ── asking ────────────────────────────────────────────────────────────────────


async def _exchange(
    service: Service, path: str, query: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, *,
    post: Mapping[str, Any] | None = None, base: str = "",
) -> Any:
    """The service's answer as JSON. Raises ToolError."""
    url = (base or service.base) + path + (f"?{urlencode(query)}" if query else "")
    place = parse(url)
    here = f"[{place.host}]:{place.port}" if ":" in place.host else f"{place.host}:{place.port}"
    guard = Guard(hosts=(place.host,), inside=(here,), proxy=service.proxy, resolve=service.resolve)  # an operator chose the place
    body = json.dumps(post, ensure_ascii=False).encode() if post is not None else None
    typed = {"Content-Type": "application/json"} if post is not None else {}
    sending = Sending("GET" if post is None else "POST", {"Accept": "application/json", **(headers or {}), **typed}, body)
    fetched = await fetch(url, guard, LIMITS, sending)
    try:
        answer = json.loads(fetched.body)
    except (ValueError, RecursionError):
        answer = None
    if fetched.status != 200:
        raise _refusal(service, fetched.status, _reason(answer), retry_after(fetched.headers))
    if not isinstance(answer, dict | list):
        raise ToolError(say(
            f"{SHOWN[service.name]} did not answer with JSON; its address may be wrong. Answer from the other tools, or say so",
            f"{SHOWN[service.name]} 返回的不是 JSON，地址可能有误。请用其他工具回答，或如实说明",
        ))  # fmt: skip
    return answer


def _bearer(service: Service) -> dict[str, str]:
    return {"Authorization": f"Bearer {service.key}"}


def _refusal(service: Service, status: int, reason: str, wait: float | None = None) -> ToolError:
    """What a status other than 200 means, and what to do about it; the key itself is never part of it."""
    name, variable = SHOWN[service.name], KEYS[service.name]
    reason = f" ({reason[:160].replace(service.key, '…') if service.key else reason[:160]})" if reason else ""
    if status == 403 and service.name == "searxng":
        return ToolError(say(
            f"{name} refused; its operator has to allow the format json (search.formats in settings.yml)",
            f"{name} 拒绝了请求；需要管理员在 settings.yml 的 search.formats 中启用 json",
        ))  # fmt: skip
    if status in {402, 432, 433} or (status in {403, 429} and SPENT.search(reason)):
        return ToolError(say(
            f"the quota or balance at {name} is used up{reason}; answer without searching, and say so",
            f"{name} 的额度或余额已用完{reason}；请不依赖搜索回答，并如实说明",
        ))  # fmt: skip
    if status in {401, 403}:
        return ToolError(say(
            f"{name} does not accept the key{f' in {variable}' if variable else ''}{reason}; searching will not work until a person mends it",
            f"{name} 不接受{f' {variable} 中的' if variable else ''}密钥{reason}；在有人修正之前无法搜索",
        ))  # fmt: skip
    if status == 429 or status >= 500:
        error = Unreached(say(
            f"{name} is {'asked too often' if status == 429 else 'out of order'} (HTTP {status}){reason}; wait, or answer from the other tools",
            f"{name} {'请求过于频繁' if status == 429 else '出现故障'}（HTTP {status}）{reason}；请稍后再试，或用其他工具回答",
        ))  # fmt: skip
        error.retry_after = wait
        return error
    return ToolError(say(f"{name} refused the query (HTTP {status}){reason}; word it otherwise", f"{name} 拒绝了查询（HTTP {status}）{reason}；请换个说法"))


def _said_no(service: Service, said: str) -> ToolError:
    """An error that came in an answer of status 200."""
    low = said.lower()
    status = 401 if "api key" in low or "api_key" in low else 402 if SPENT.search(said) or "exceeded" in low else 400
    return _refusal(service, status, said)


def _reason(answer: Any) -> str:
    """What an error answer says, wherever it says it."""
    while isinstance(answer, dict):
        answer = next((answer[key] for key in ("error", "detail", "message", "msg", "info") if answer.get(key)), "")
    return answer if isinstance(answer, str) else ""


def _list(answer: Any, *path: str) -> list[dict[str, Any]]:
    """The objects of the list at the end of the path; none where it is not there."""
    for key in path:
        answer = answer.get(key) if isinstance(answer, dict) else None
    return [one for one in answer if isinstance(one, dict)] if isinstance(answer, list) else []


def _found(one: Mapping[str, Any], title: str, url: str, snippets: tuple[str, ...], dates: tuple[str, ...]) -> Found:
    return Found(
        _text(one, title), _text(one, url), next(filter(None, (_text(one, key) for key in snippets)), ""),
        next(filter(None, (_text(one, key) for key in dates)), ""),
    )  # fmt: skip


def _text(one: Mapping[str, Any], key: str) -> str:
    value = one.get(key)
    return value if isinstance(value, str) else ""
