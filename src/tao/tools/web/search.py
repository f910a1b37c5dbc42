"""The tool `web_search`: one form of results, whichever service gave them."""

import datetime as dt
import html
import re
from dataclasses import asdict, replace
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qsl, urlencode, urlsplit

from tao.errors import ToolError
from tao.messages import Observation
from tao.tools.declare import Tool, declare
from tao.tools.web.page import width
from tao.tools.web.providers import SHOWN, Found, Service, ask
from tao.tools.words import say

MOST = 10
LONGEST_QUERY = 400
_TAG = re.compile(r"<[^<>]{0,300}>")
_TRACKING = re.compile(r"utm_\w+|gclid|fbclid|msclkid|spm|mc_[ce]id|igshid", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_CHINESE = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日")
_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_WORDED = re.compile(r"([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2}),?\s+(\d{4})|(\d{1,2})\s+([A-Za-z]{3})[a-z]*\.?,?\s+(\d{4})")


def web_search(service: Service, *, room: int = 320) -> Tool:
    """The tool over this service. A snippet is at most `room` wide, a Chinese character being 4 wide and a Latin letter 1."""

    async def run(query: str, count: int = 5) -> Observation:
        query, count = query.strip(), max(1, min(count, MOST))
        if not query or len(query) > LONGEST_QUERY:
            raise ToolError(say(
                f"the query {'is empty' if not query else f'has {len(query)} characters'}; give a few keywords, at most {LONGEST_QUERY} characters",
                f"查询{'为空' if not query else f'有 {len(query)} 个字符'}；请给出几个关键词，最多 {LONGEST_QUERY} 个字符",
            ))  # fmt: skip
        found = tidy(await ask(service, query, count), room)[:count]
        data = {"service": service.name, "results": [asdict(one) for one in found]}
        return Observation("\n".join(map(_said, range(1, len(found) + 1), found)) or _nothing(service, query), data=data)

    return declare(
        run, name="web_search", effects=("reads", "network"), timeout=40, idempotent=True, volatile=True,
        example={"query": "Nobel Prize in Physics 2025 winners"},
        description="Search the web.\n\nArgs:\n    query: a few keywords\n    count: number of results, 1 to 10",
        descriptions={"zh": "搜索互联网。\n\n参数：\n    query: 几个关键词\n    count: 结果条数，1 到 10"},
    )  # fmt: skip


def tidy(found: list[Found], room: int) -> list[Found]:
    """Plain texts, ISO dates, and every page once; the first of two wins, and takes a snippet or date that it lacks."""
    kept: dict[str, Found] = {}
    for one in found:
        if not one.url.lower().startswith(("http://", "https://")):
            continue
        title = plain(one.title) or one.url
        now = Found(title, clean_url(one.url), _short(plain(one.snippet), room), iso_date(one.date))
        key = same(now.url)
        if (before := kept.get(key)) is not None:
            now = replace(before, snippet=before.snippet or now.snippet, date=before.date or now.date)
        kept[key] = now
    return list(kept.values())


def plain(text: str) -> str:
    """Text without tags, entities, and runs of white space."""
    return " ".join(html.unescape(_TAG.sub("", text)).split())


def clean_url(url: str) -> str:
    """The URL without fragment and tracking parameters."""
    head, mark, query = url.partition("#")[0].partition("?")
    kept = [pair for pair in query.split("&") if not _TRACKING.fullmatch(pair.partition("=")[0])]
    return head + (mark + "&".join(kept) if mark and any(kept) else "")


def same(url: str) -> str:
    """A text that is the same for two addresses of one page: no scheme, no www., no final slash, parameters sorted."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return url
    return f"{host}{parts.path.rstrip('/')}?{urlencode(sorted(parse_qsl(parts.query)))}"


def iso_date(said: str) -> str:
    """YYYY-MM-DD where the text names a day; what is relative ("3 days ago") or unknown stays as it is, shortened."""
    text = said.strip()
    if match := _ISO.match(text):
        return match[0]
    if match := _CHINESE.search(text):
        return _day(match[1], match[2], match[3]) or text[:30]
    if match := _WORDED.search(text):
        month = _MONTHS.get((match[1] or match[5]).lower(), 0)
        return _day(match[3] or match[6], str(month), match[2] or match[4]) or text[:30]
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (ValueError, TypeError, IndexError):
        return text[:30]


def _day(year: str, month: str, day: str) -> str:
    try:
        return dt.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _short(text: str, room: int) -> str:
    if width(text) <= room:
        return text
    end, used = 0, 0
    while used + (step := width(text[end])) < room:
        used, end = used + step, end + 1
    return text[:end].rstrip() + "…"


def _said(number: int, one: Found) -> str:
    date = say(f" ({one.date})", f"（{one.date}）") if one.date else ""
    return f"{number}. {one.title}{date} {one.url}" + (f"\n   {one.snippet}" if one.snippet else "")


def _nothing(service: Service, query: str) -> str:
    name = SHOWN[service.name]
    return say(
        f"No results for {query[:80]!r} ({name}). Try fewer or other words, or the other language.",
        f"没有找到“{query[:80]}”（{name}）。请减少或更换关键词，或改用另一种语言。",
    )
