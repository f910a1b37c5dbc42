"""The tool `fetch_page`: a web page's main text, page by page."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from tao.errors import ToolError
from tao.messages import Observation
from tao.tools.declare import Tool, declare
from tao.tools.threads import in_thread
from tao.tools.web.fetching import Fetched, Limits, Sending, Unreached, fetch
from tao.tools.web.guard import Guard
from tao.tools.web.reading import Document, needs_trafilatura, read
from tao.tools.web.urls import parse
from tao.tools.words import say
from tao.waits import retry_after

ACCEPT = "text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8,*/*;q=0.5"
KEPT, FRESH = 8, 300.0
"""Documents kept between two pages of them, and for how many seconds."""


def fetch_page(guard: Guard | None = None, *, limits: Limits | None = None, room: int = 3000, clock: Callable[[], float] = time.time) -> Tool:
    """The tool. A page of its text is at most `room` wide, a Chinese character being 4 wide and a Latin letter 1.

    A document is kept for five minutes, so that its pages fit each other. `clock` gives Unix time in seconds.
    Raises ConfigError where the package that reads HTML is not installed (extra `web`).
    """
    needs_trafilatura()
    rules, bounds = guard or Guard(), limits or Limits()
    kept: OrderedDict[str, tuple[float, Fetched, Document]] = OrderedDict()

    async def run(url: str, page: int = 1) -> Observation:
        key = parse(url).url
        if key in kept and clock() - kept[key][0] > FRESH:
            del kept[key]
        if key not in kept:
            wanted = {"Accept": ACCEPT, "Accept-Language": say("en, zh;q=0.8, *;q=0.5", "zh-CN, zh;q=0.9, en;q=0.7, *;q=0.5")}
            fetched = await fetch(url, rules, bounds, Sending("GET", wanted))
            complain(fetched)
            kept[key] = clock(), replace(fetched, body=b""), await in_thread(read, fetched)
            while len(kept) > KEPT:
                kept.popitem(last=False)
        _, fetched, document = kept[key]
        return _said(key, fetched, document, page, room)

    return declare(
        run, name="fetch_page", effects=("reads", "network"), timeout=bounds.seconds + 20, idempotent=True, volatile=True,
        example={"url": "https://example.com/news/1.html"},
        description="Read a web page: its main text.\n\nArgs:\n    url: full address, as a search or a person gave it\n"
        "    page: number of the part, for long texts",
        descriptions={"zh": "读取网页正文。\n\n参数：\n    url: 完整网址，来自搜索结果或用户\n    page: 第几部分，用于长文"},
    )  # fmt: skip


def complain(fetched: Fetched) -> None:
    """Raise ToolError for a status that is no answer; Unreached where trying again later can help."""
    status, where = fetched.status, fetched.place.url
    if status < 300:
        return
    if status in {404, 410}:
        raise ToolError(say(f"{where} does not exist (HTTP {status}); check the address", f"{where} 不存在（HTTP {status}）；请检查网址"))
    if status in {401, 402, 403, 407, 451}:
        raise ToolError(say(
            f"{where} is not open to everybody (HTTP {status}); use another source", f"{where} 不公开（HTTP {status}）；请换一个来源",
        ))  # fmt: skip
    if status == 429 or status >= 500:
        error = Unreached(say(
            f"{fetched.place.host} is busy or out of order (HTTP {status}); use another source",
            f"{fetched.place.host} 繁忙或出现故障（HTTP {status}）；请换一个来源",
        ))  # fmt: skip
        error.retry_after = retry_after(fetched.headers)
        raise error
    raise ToolError(say(f"{where} answered with HTTP {status}", f"{where} 返回 HTTP {status}"))


def _said(asked: str, fetched: Fetched, document: Document, page: int, room: int) -> Observation:
    parts = pages(document.text, room)
    if not document.text:
        raise ToolError(say(
            f"{fetched.place.url} holds no text (it may be made by scripts in a browser); use another source",
            f"{fetched.place.url} 没有正文（可能由浏览器脚本生成）；请换一个来源",
        ))  # fmt: skip
    if not 1 <= page <= len(parts):
        raise ToolError(say(f"there is no page {page}; the text has {len(parts)}", f"没有第 {page} 部分；全文共 {len(parts)} 部分"))
    head = document.title + (say(f" ({document.date})", f"（{document.date}）") if document.date else "")
    where = "" if fetched.place.url == asked else fetched.place.url
    foot = say(f"[page {page} of {len(parts)}]", f"[第 {page} 部分，共 {len(parts)} 部分]") if len(parts) > 1 else ""
    cut = say("[the document is longer; the rest was not loaded]", "[文档更长，其余部分没有加载]") if fetched.cut and page == len(parts) else ""
    lines = (head.strip() if page == 1 else "", where, parts[page - 1], foot, cut)
    data = {"url": fetched.place.url, "title": document.title, "date": document.date, "page": page, "pages": len(parts)}
    return Observation("\n".join(filter(None, lines)), data=data)


def width(text: str) -> int:
    """How much room a text takes in a prompt: about a quarter token for each."""
    return len(text) + 3 * sum(char > "\u2e7f" for char in text)


def pages(text: str, room: int) -> list[str]:
    """The text in parts no wider than `room`, cut between paragraphs, else lines, else sentences, else anywhere."""
    parts: list[str] = []
    rest = text.strip()
    while rest:
        if width(rest) <= room:
            return [*parts, rest]
        end, used = 0, 0
        while used + (step := width(rest[end])) <= room:
            used, end = used + step, end + 1
        end = max(end, 1)
        marks = ("\n\n", "\n", "。", ". ", "；", "，", " ")
        cut = next((at + len(mark) for mark in marks if (at := rest.rfind(mark, end // 2, end)) > 0), end)
        parts.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip("\n ")
    return parts or [""]
