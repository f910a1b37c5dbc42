"""`fetch_page`, through the registry: what a model gets to read of pages, data, and what is no text."""

import json
import sys

import pytest
from aiohttp import web

from tao.errors import ConfigError
from tao.messages import Call
from tao.testing import FakeClock, history
from tao.tools.registry import registry
from tao.tools.web.fetching import Limits
from tao.tools.web.page import fetch_page, pages, width

PARAGRAPH = "汇率由央行于每个工作日上午公布，本站据此更新，供读者参考，如有出入以官方公告为准，特此说明。"
ARTICLE = f"""<!DOCTYPE html><html><head><title>今日汇率 | 某站</title>
<meta property="article:published_time" content="2026-03-04T10:00:00+08:00"></head><body>
<nav><a href="/">首页</a><a href="/a">导航栏目</a></nav>
<article><h1>今日汇率</h1>{"".join(f"<p>第{number}段：{PARAGRAPH}</p>" for number in range(1, 9))}
<h2>说明</h2><ul><li>甲项内容说明文字</li><li>乙项内容说明文字</li></ul>
<table><tr><th>货币</th><th>价格</th></tr><tr><td>美元</td><td>7.12</td></tr></table></article>
<script>alert('脚本')</script><footer>版权所有</footer></body></html>"""


def sends(body, kind="text/html; charset=utf-8", status=200, **headers):
    async def answer(request):
        data = body if isinstance(body, bytes) else body.encode()
        return web.Response(body=data, status=status, headers={"Content-Type": kind, **headers} if kind else headers)

    return answer


async def call(tool, lang="zh", **args):
    run = history("问题" if lang == "zh" else "question", tools=(tool.said(lang),), lang=lang)
    return await registry([tool])(Call("1.1", tool.name, args), run)


@pytest.fixture
def reading(world):
    async def fetch(body, lang="zh", page=1, tool=None, **kinds):
        world.answers["/"] = sends(body, **kinds)
        return await call(tool or fetch_page(world.guard("pages.test"), room=20_000), lang, url=world.url(), page=page)

    return fetch


async def test_the_main_text_of_a_page_as_markdown_with_title_and_date(reading, world):
    seen = await reading(ARTICLE)
    assert seen.ok
    assert seen.text.startswith("今日汇率（2026-03-04）\n第1段：")
    assert "第8段：" in seen.text
    assert "- 甲项内容说明文字" in seen.text
    assert "7.12" in seen.text
    assert not any(word in seen.text for word in ("导航栏目", "版权所有", "alert", "<p>"))
    assert seen.data == {"url": world.url(), "title": "今日汇率", "date": "2026-03-04", "page": 1, "pages": 1}


@pytest.mark.parametrize(("codec", "declared"), [("gbk", "gb2312"), ("big5", "big5"), ("utf-8", "utf-8")])
async def test_a_page_in_an_old_encoding(reading, codec, declared):
    text = "臺灣的天氣預報：明天多雲，請攜帶雨具出門。" if codec == "big5" else PARAGRAPH
    body = f'<html><head><meta charset="{declared}"><title>页</title></head><body><p>{text * 8}</p></body></html>'
    seen = await reading(body.encode(codec, "replace"), kind="text/html")
    assert text in seen.text


async def test_a_page_of_a_few_words_is_read_too(reading):
    seen = await reading("<html><body><p>Closed on Mondays.</p><script>x()</script></body></html>", "en")
    assert seen.text == "Closed on Mondays."


@pytest.mark.parametrize("kind", ["application/json", "application/problem+json; charset=utf-8", "text/json"])
async def test_json_is_passed_on_with_its_characters(reading, kind):
    seen = await reading(json.dumps({"城市": "北京", "度": [1, 2]}), kind=kind)
    assert "\\u" not in seen.text or kind == "text/json"
    assert json.loads(seen.text) == {"城市": "北京", "度": [1, 2]}


@pytest.mark.parametrize(("kind", "body"), [
    ("text/plain", "第一行\r\n第二行"), ("text/csv", "a,b\n1,2"), ("text/markdown; charset=utf-8", "# 题\n文"), ("application/xml", "<a>1</a>"),
    ("", "just text"), ("application/octet-stream", "just text"), ("application/rss+xml", "<rss><title>x</title></rss>"),
])  # fmt: skip
async def test_plain_text_is_passed_on(reading, kind, body):
    seen = await reading(body, kind=kind)
    assert seen.text == body.replace("\r\n", "\n")


async def test_html_without_its_type_is_still_a_page(reading):
    for kind in ("", "text/plain", "application/octet-stream"):
        assert (await reading("<!doctype html><html><body><p>Hello there</p></body></html>", kind=kind)).text == "Hello there"


@pytest.mark.parametrize(("kind", "body", "english", "chinese"), [
    ("application/pdf", b"%PDF-1.7 x", "is a PDF and cannot be read here; look for a web page that says the same", "是 PDF 文件，这里无法读取"),
    ("text/html", b"%PDF-1.7 x", "is PDF and cannot be read here", "是 PDF，这里无法读取"),
    ("image/png", b"\x89PNG\r\n", "is an image and", "是图片，"), ("image/webp", b"RIFF", "is an image and", "是图片，"),
    ("video/mp4", b"\0\0", "is a video and", "是视频，"), ("application/zip", b"PK\x03\x04", "is a ZIP archive", "是 ZIP 压缩包"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", b"PK\x03\x04", "is a Word document", "是 Word 文档"),
    ("application/octet-stream", b"\0\1\2", "is binary data and", "是二进制数据，"), ("", b"\0\1\2", "is binary data", "是二进制数据"),
    ("application/x-msdownload", b"MZ", "is application/x-msdownload", "是 application/x-msdownload"),
])  # fmt: skip
async def test_what_is_no_text_is_named(reading, kind, body, english, chinese):
    seen = await reading(body, "en", kind=kind)
    assert not seen.ok
    assert english in seen.text
    assert chinese in (await reading(body, "zh", kind=kind)).text


@pytest.mark.parametrize(("status", "kind", "english", "chinese"), [
    (404, "error", "does not exist (HTTP 404); check the address", "不存在（HTTP 404）"), (410, "error", "does not exist", "不存在"),
    (403, "error", "is not open to everybody (HTTP 403); use another source", "不公开"), (401, "error", "is not open to everybody", "不公开"),
    (429, "transient", "is busy or out of order (HTTP 429); use another source", "繁忙或出现故障"), (503, "transient", "is busy", "繁忙"),
    (418, "error", "answered with HTTP 418", "返回 HTTP 418"), (304, "error", "answered with HTTP 304", "返回 HTTP 304"),
])  # fmt: skip
async def test_a_status_says_what_to_do(reading, status, kind, english, chinese):
    seen = await reading("", "en", status=status)
    assert (seen.ok, seen.kind) == (False, kind)
    assert english in seen.text
    assert chinese in (await reading("", "zh", status=status)).text


async def test_the_servers_wish_to_wait_is_passed_on(reading):
    seen = await reading("", "en", status=429, **{"Retry-After": "7"})
    assert seen.data == {"retry_after": 7.0}


async def test_a_page_without_text_says_so(reading):
    seen = await reading("<html><body><div id='app'></div><script>go()</script></body></html>", "en")
    assert "holds no text (it may be made by scripts in a browser); use another source" in seen.text
    assert "没有正文" in (await reading("   ", "zh")).text


async def test_a_long_text_comes_in_pages_and_is_fetched_once(world):
    world.answers["/"] = sends("\n\n".join(f"第{number}段：{PARAGRAPH}" for number in range(60)), "text/plain")
    tool = fetch_page(world.guard("pages.test"), clock=FakeClock())
    first = await call(tool, url=world.url())
    count = first.data["pages"]
    assert count > 2
    assert first.text.endswith(f"[第 1 部分，共 {count} 部分]")
    seen = [first, *[await call(tool, url=world.url() + "#part", page=page) for page in range(2, count + 1)]]
    assert all(f"第{number}段" in "".join(one.text for one in seen) for number in range(60))
    assert len(world.requests) == 1
    beyond = await call(tool, "en", url=world.url(), page=count + 1)
    assert f"there is no page {count + 1}; the text has {count}" in beyond.text


async def test_a_document_is_fetched_again_after_a_while(world):
    clock = FakeClock()
    world.answers["/"] = sends("text", "text/plain")
    tool = fetch_page(world.guard("pages.test"), clock=clock)
    for _ in range(2):
        await call(tool, url=world.url())
    await clock.sleep(301)
    await call(tool, url=world.url())
    assert len(world.requests) == 2


async def test_what_was_cut_says_so_on_its_last_page(world):
    world.answers["/"] = sends("word " * 5000, "text/plain")
    tool = fetch_page(world.guard("pages.test"), limits=Limits(size=8000))
    first = await call(tool, "en", url=world.url())
    last = await call(tool, "en", url=world.url(), page=first.data["pages"])
    assert "[the document is longer" not in first.text
    assert last.text.endswith("[the document is longer; the rest was not loaded]")


async def test_where_a_redirect_led_is_said(world):
    async def moved(request):
        return web.Response(status=301, headers={"Location": "/new"})

    world.answers |= {"/": moved, "/new": sends("words", "text/plain")}
    seen = await call(fetch_page(world.guard("pages.test")), url=world.url())
    assert seen.text == f"{world.url('/new')}\nwords"


@pytest.mark.parametrize(("url", "message"), [
    ("http://169.254.169.254/latest/meta-data/", "169.254.169.254 不是（或不仅是）公网主机"), ("file:///etc/passwd", "不支持 file: 地址"),
    ("http://2130706433/", "127.0.0.1 不是"), ("http://nowhere.test/", "找不到主机 nowhere.test"), ("例子", "找不到主机 xn--fsqu00a"),
])  # fmt: skip
async def test_what_may_not_be_opened_is_an_observation(world, url, message):
    seen = await call(fetch_page(world.guard()), url=url)
    assert not seen.ok
    assert seen.text.startswith("fetch_page 出错：")
    assert message in seen.text


def test_how_the_tool_is_declared():
    tool = fetch_page()
    assert (tool.spec.effects, tool.volatile, tool.idempotent) == (("reads", "network"), True, True)
    assert set(tool.said("zh").parameters["properties"]) == {"url", "page"}
    assert tool.said("zh").description == "读取网页正文。"


def test_without_trafilatura_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(ConfigError, match=r"pip install 'tao-agent\[web\]'"):
        fetch_page()


@pytest.mark.parametrize("text", ["字" * 5000, "word " * 3000, "a" * 9000, "一句话。" * 2000, "短"])
def test_parts_fit_and_lose_nothing(text):
    parts = pages(text, 1000)
    assert all(width(part) <= 1000 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
