"""`web_search`, through the registry, over every service: the service's own form in, one form out."""

import socket
from dataclasses import replace

import ddgs.engines
import pytest
from aiohttp import web
from ddgs.engines.duckduckgo import Duckduckgo
from hypothesis import given
from hypothesis import strategies as st

from tao.errors import ConfigError
from tao.messages import Call
from tao.testing import history
from tao.tools.registry import registry
from tao.tools.web import web_tools
from tao.tools.web.providers import KEYS, Found, choose
from tao.tools.web.search import clean_url, iso_date, plain, same, tidy, web_search

SECRET = "sk-secret-1234"
ANSWERS = {
    "tavily": ("/search", {"query": "q", "answer": None, "response_time": 1.2, "results": [
        {"title": "Prize <b>2025</b>", "url": "https://a.com/x?utm_source=t#p", "content": "Three &amp; more", "score": 0.9, "raw_content": None,
         "published_date": "Tue, 07 Oct 2025 10:00:00 GMT"},
        {"title": "二", "url": "https://b.cn/二", "content": "内容", "score": 0.5}]}),
    "serpapi": ("/search.json", {"search_metadata": {"status": "Success"}, "organic_results": [
        {"position": 1, "title": "Prize 2025", "link": "https://a.com/x", "snippet": "Three & more", "date": "Oct 7, 2025"},
        {"position": 2, "title": "二", "link": "https://b.cn/二", "snippet": "内容"}]}),
    "bocha": ("/v1/web-search", {"code": 200, "log_id": "1", "msg": None, "data": {"_type": "SearchResponse", "webPages": {"value": [
        {"id": "0", "name": "Prize 2025", "url": "https://a.com/x", "snippet": "short", "summary": "Three & more", "siteName": "A",
         "datePublished": "2025-10-07T10:00:00+08:00"},
        {"id": "1", "name": "二", "url": "https://b.cn/二", "snippet": "内容", "summary": ""}]}}}),
    "brave": ("/res/v1/web/search", {"type": "search", "web": {"type": "search", "results": [
        {"title": "Prize 2025", "url": "https://a.com/x", "description": "Three &amp; <strong>more</strong>", "page_age": "2025-10-07T00:00:00", "age": "x"},
        {"title": "二", "url": "https://b.cn/二", "description": "内容"}]}}),
    "searxng": ("/search", {"query": "q", "number_of_results": 0, "results": [
        {"title": "Prize 2025", "url": "https://a.com/x", "content": "Three & more", "publishedDate": "2025-10-07T00:00:00", "engine": "bing", "score": 1},
        {"title": "二", "url": "https://b.cn/二", "content": "内容", "publishedDate": None}], "unresponsive_engines": []}),
}  # fmt: skip
FIRST = {"title": "Prize 2025", "url": "https://a.com/x", "snippet": "Three & more", "date": "2025-10-07"}
SECOND = {"title": "二", "url": "https://b.cn/二", "snippet": "内容", "date": ""}
HOSTED = ("tavily", "serpapi", "bocha", "brave", "searxng")


def sends(body, status=200, **headers):
    async def answer(request):
        return web.json_response(body, status=status, headers=headers) if not isinstance(body, str) else web.Response(text=body, status=status)

    return answer


def service(world, name):
    base = f"http://127.0.0.1:{world.port}"
    env = {KEYS[name]: base if name == "searxng" else SECRET} if KEYS[name] else {}
    return choose(env, name, bases={} if name == "searxng" else {name: base}, resolve=world.resolve)


async def search(tool, lang="en", **args):
    run = history("question", tools=(tool.said(lang),), lang=lang)
    return await registry([tool])(Call("1.1", "web_search", {"query": "prize 茶", **args}), run)


@pytest.mark.parametrize("name", HOSTED)
async def test_every_service_gives_the_same_form(world, name):
    path, body = ANSWERS[name]
    world.answers[path] = sends(body)
    seen = await search(web_search(service(world, name)))
    assert seen.data == {"service": name, "results": [FIRST, SECOND]}
    assert seen.text == "1. Prize 2025 (2025-10-07) https://a.com/x\n   Three & more\n2. 二 https://b.cn/二\n   内容"
    assert "（2025-10-07）" in (await search(web_search(service(world, name)), "zh")).text


@pytest.mark.parametrize(("name", "method", "sent"), [
    ("tavily", "POST", ('"query": "prize 茶"', '"max_results": 3', f"Bearer {SECRET}")),
    ("serpapi", "GET", ("q=prize+%E8%8C%B6", "num=3", "engine=google", f"api_key={SECRET}")),
    ("bocha", "POST", ('"query": "prize 茶"', '"count": 3', '"summary": true', f"Bearer {SECRET}")),
    ("brave", "GET", ("q=prize+%E8%8C%B6", "count=3", SECRET)), ("searxng", "GET", ("q=prize+%E8%8C%B6", "format=json")),
])  # fmt: skip
async def test_every_service_is_asked_in_its_own_form(world, name, method, sent):
    world.answers[ANSWERS[name][0]] = sends(ANSWERS[name][1])
    await search(web_search(service(world, name)), count=3)
    (made,) = world.requests
    everything = f"{made[2]} {made[3]} {made[4].decode()}"
    assert made[0] == method
    assert [one for one in sent if one not in everything] == []


async def test_wikipedia_is_asked_in_the_language_of_the_run(world):
    world.names |= {"en.wiki.test": ["127.0.0.1"], "zh.wiki.test": ["127.0.0.1"]}
    world.answers["/w/api.php"] = sends({"batchcomplete": True, "query": {"searchinfo": {"totalhits": 1}, "search": [
        {"ns": 0, "title": "Green tea", "pageid": 1, "snippet": '<span class="searchmatch">Tea</span> is &quot;green&quot;', "timestamp": "2026-01-02T03:04:05Z"},
    ]}})  # fmt: skip
    tool = web_search(choose({}, "wikipedia", bases={"wikipedia": f"http://{{lang}}.wiki.test:{world.port}"}, resolve=world.resolve))
    for lang in ("en", "zh"):
        seen = await search(tool, lang)
        assert world.requests[-1][1].startswith(f"{lang}.wiki.test")
        assert seen.data["results"] == [{
            "title": "Green tea", "url": f"http://{lang}.wiki.test:{world.port}/wiki/Green_tea", "snippet": 'Tea is "green"', "date": "2026-01-02",
        }]  # fmt: skip


async def test_duckduckgo_through_the_real_package(world, monkeypatch):
    class Local(Duckduckgo):
        name, search_url = "local", f"http://127.0.0.1:{world.port}/html/"

    monkeypatch.setitem(ddgs.engines.ENGINES["text"], "local", Local)
    page = "".join(f'<div class="links_main body"><h2>{title}</h2><a href="{url}">{body}</a></div>' for title, url, body in (
        ("Prize 2025", "https://a.com/x", "Three &amp; more"), ("二", "https://b.cn/二", "内容")))  # fmt: skip

    async def answer(request):
        return web.Response(text=f"<html><body>{page}</body></html>", content_type="text/html")

    world.answers["/html/"] = answer
    seen = await search(web_search(replace(choose({}, "ddgs"), backend="local")), count=5)
    assert seen.ok
    assert {one["title"] for one in seen.data["results"]} == {"Prize 2025", "二"}
    page = ""
    assert "No results" in (await search(web_search(replace(choose({}, "ddgs"), backend="local")))).text


# ── which service ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", HOSTED)
def test_the_key_that_is_set_chooses(name):
    assert choose({KEYS[name]: "https://search.example" if name == "searxng" else " k "}).name == name


def test_the_order_of_preference_and_a_choice_by_name():
    keys = {"BRAVE_API_KEY": "b", "BOCHA_API_KEY": "c", "TAVILY_API_KEY": ""}
    assert choose(keys).name == "bocha"
    assert choose(keys, "brave").key == "b"
    assert choose({}).name == "ddgs"


def test_what_is_missing_for_a_choice_is_named():
    with pytest.raises(ConfigError, match=r"no search service 'google'; there are: tavily, serpapi, bocha, brave, searxng, ddgs, wikipedia"):
        choose({}, "google")
    with pytest.raises(ConfigError, match=r"the search service 'brave' needs the environment variable BRAVE_API_KEY\n搜索服务 'brave' 需要环境变量"):
        choose({}, "brave")


# ── how it goes wrong ─────────────────────────────────────────────────────────

WRONG = [
    (401, {"detail": {"error": "Unauthorized: missing or invalid API key."}}, "does not accept the key", "不接受"),
    (403, {"message": "Invalid API KEY", "log_id": "1"}, "does not accept the key", "不接受"),
    (402, {}, "the quota or balance at", "额度或余额已用完"), (432, {"detail": {"error": "usage limit"}}, "the quota or balance at", "额度或余额已用完"),
    (429, {"error": {"code": "RATE_LIMITED"}}, "is asked too often (HTTP 429)", "请求过于频繁"), (500, "oops", "is out of order (HTTP 500)", "出现故障"),
    (422, {"error": {"detail": "bad q"}}, "refused the query (HTTP 422) (bad q); word it otherwise", "拒绝了查询"),
    (200, "<html>a login page</html>", "did not answer with JSON", "返回的不是 JSON"), (302, {}, "refused the query (HTTP 302)", "拒绝了查询"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "english", "chinese"), WRONG)
@pytest.mark.parametrize("name", HOSTED[:4])
async def test_a_refusal_says_what_to_do(world, name, status, body, english, chinese):
    world.answers[ANSWERS[name][0]] = sends(body, status)
    seen = await search(web_search(service(world, name)))
    assert not seen.ok
    assert english in seen.text
    assert seen.kind == ("transient" if status in {429, 500} else "error")
    assert chinese in (await search(web_search(service(world, name)), "zh")).text


async def test_the_variable_of_a_wrong_key_is_named_and_the_key_is_not(world):
    world.answers["/search"] = sends({"detail": f"bad key {SECRET}"}, 401)
    seen = await search(web_search(service(world, "tavily")))
    assert "TAVILY_API_KEY" in seen.text
    assert SECRET not in seen.text


@pytest.mark.parametrize(("name", "body", "text"), [
    ("serpapi", {"error": "Invalid API key. Your API key should be here: ..."}, "does not accept the key in SERPAPI_API_KEY"),
    ("serpapi", {"error": "Your account has run out of searches."}, "the quota or balance at SerpAPI is used up"),
    ("serpapi", {"error": "Google hasn't returned any results for this query."}, "No results for 'prize 茶' (SerpAPI). Try fewer or other words"),
    ("bocha", {"code": "403", "message": "You do not have enough money", "log_id": "1"}, "the quota or balance at Bocha"),
    ("bocha", {"code": 401, "msg": "Invalid API KEY"}, "does not accept the key in BOCHA_API_KEY"),
    ("bocha", {"code": "429", "message": "limit"}, "is asked too often"),
])  # fmt: skip
async def test_an_error_inside_an_answer_is_found(world, name, body, text):
    world.answers[ANSWERS[name][0]] = sends(body)
    assert text in (await search(web_search(service(world, name)))).text


@pytest.mark.parametrize(("name", "status", "body", "spent"), [
    ("serpapi", 429, {"error": "Your account has run out of searches."}, True),
    ("serpapi", 429, {"error": "Your account's hourly throughput limit was reached."}, False),
    ("tavily", 432, {"detail": {"error": "This request exceeds your plan's set usage limit."}}, True),
    ("tavily", 429, {"detail": {"error": "Your request has been blocked due to excessive requests."}}, False),
    ("bocha", 403, {"code": "403", "message": "You do not have enough money", "log_id": "1"}, True),
    ("bocha", 429, {"code": "429", "message": "You have reached the request limit", "log_id": "1"}, False),
    ("brave", 429, {"error": {"code": "RATE_LIMITED", "detail": "Request rate limit exceeded for plan.", "status": 429}}, False),
    ("brave", 402, {"error": {"code": "USAGE_LIMIT_EXCEEDED", "detail": "Usage limit exceeded."}}, True),
])  # fmt: skip
async def test_what_is_used_up_is_told_from_what_is_asked_too_often(world, name, status, body, spent):
    world.answers[ANSWERS[name][0]] = sends(body, status)
    seen = await search(web_search(service(world, name)))
    assert ("used up" in seen.text, seen.kind) == (spent, "error" if spent else "transient")


async def test_searxng_whose_engines_do_not_answer_has_not_found_nothing(world):
    world.answers["/search"] = sends({"query": "q", "results": [], "unresponsive_engines": [["bing", "timeout"], ["google", "access denied"]]})
    seen = await search(web_search(service(world, "searxng")))
    assert (seen.kind, "none of the engines behind SearXNG answered (bing, google)" in seen.text) == ("transient", True)
    assert "都没有响应（bing, google）" in (await search(web_search(service(world, "searxng")), "zh")).text
    world.answers["/search"] = sends({**ANSWERS["searxng"][1], "unresponsive_engines": [["bing", "timeout"]]})
    assert (await search(web_search(service(world, "searxng")))).data["results"] == [FIRST, SECOND]


async def test_brave_is_asked_in_the_language_of_the_run_and_takes_fifty_words(world):
    world.answers[ANSWERS["brave"][0]] = sends(ANSWERS["brave"][1])
    await search(web_search(service(world, "brave")), "zh")
    assert "search_lang=zh-hans" in world.requests[-1][2] + str(world.requests[-1][3])
    await search(web_search(service(world, "brave")), query="w " * 80)
    assert str(world.requests[-1]).count("w") < 80


async def test_a_service_says_how_long_to_wait(world):
    for said, wanted in (("7", {"retry_after": 7.0}), ("soon", None)):
        world.answers["/search"] = sends({}, 429, **{"Retry-After": said})
        assert (await search(web_search(service(world, "tavily")))).data == wanted


async def test_searxng_without_json_says_what_its_operator_has_to_do(world):
    world.answers["/search"] = sends("forbidden", 403)
    assert "its operator has to allow the format json" in (await search(web_search(service(world, "searxng")))).text


@pytest.mark.parametrize("body", [{}, [], {"results": None}, {"results": "x"}, {"results": [1, None, {}]}, {"results": [{"url": "javascript:x", "title": 1}]}])
async def test_an_answer_of_another_form_has_no_results(world, body):
    world.answers["/search"] = sends(body)
    seen = await search(web_search(service(world, "tavily")), "zh")
    assert (seen.ok, seen.data["results"]) == (True, [])
    assert seen.text == "没有找到“prize 茶”（Tavily）。请减少或更换关键词，或改用另一种语言。"


async def test_without_a_network_the_model_is_told_to_go_on(world):
    seen = await search(web_search(choose({"TAVILY_API_KEY": "k"}, resolve=world.resolve)))
    assert "no host api.tavily.com was found" in seen.text
    world.names["api.tavily.com"] = socket.gaierror(socket.EAI_AGAIN, "x")
    seen = await search(web_search(choose({"TAVILY_API_KEY": "k"}, resolve=world.resolve)))
    assert "no network: api.tavily.com cannot be reached from here; answer from the other tools, or say so" in seen.text
    assert seen.kind == "transient"


@pytest.mark.parametrize(("query", "text"), [("", "the query is empty"), ("  ", "the query is empty"), ("x" * 401, "the query has 401 characters")])
async def test_a_query_has_bounds(world, query, text):
    assert text in (await search(web_search(service(world, "tavily")), query=query)).text


async def test_the_count_is_kept_to(world):
    world.answers["/search"] = sends({"results": [{"title": str(n), "url": f"https://a.com/{n}", "content": ""} for n in range(30)]})
    for asked, given_ in ((3, 3), (100, 10), (-1, 1)):
        assert len((await search(web_search(service(world, "tavily")), count=asked)).data["results"]) == given_


# ── tidying ───────────────────────────────────────────────────────────────────


def test_the_same_page_comes_once():
    found = [Found("A", "https://www.a.com/x/?b=2&a=1"), Found("B", "http://a.com/x?a=1&b=2&utm_medium=m", "text", "2025-01-02"), Found("C", "https://a.com/y")]
    assert tidy(found, 100) == [Found("A", "https://www.a.com/x/?b=2&a=1", "text", "2025-01-02"), Found("C", "https://a.com/y")]


@pytest.mark.parametrize(("said", "date"), [
    ("2025-10-07", "2025-10-07"), ("2025-10-07T10:00:00+08:00", "2025-10-07"), ("Oct 7, 2025", "2025-10-07"), ("7 October 2025", "2025-10-07"),
    ("October 7, 2025", "2025-10-07"), ("2025年10月7日", "2025-10-07"), ("Tue, 07 Oct 2025 10:00:00 GMT", "2025-10-07"), ("3 days ago", "3 days ago"),
    ("3 天前", "3 天前"), ("", ""), ("Feb 31, 2025", "Feb 31, 2025"), ("2025年13月7日", "2025年13月7日"),
])  # fmt: skip
def test_dates_have_one_form(said, date):
    assert iso_date(said) == date


@given(st.text(max_size=80))
def test_any_text_is_tidied(text):
    assert "\n" not in plain(text)
    assert len(iso_date(text)) <= 30
    assert clean_url(clean_url(text)) == clean_url(text)
    assert same(text) == same(text)


async def test_long_snippets_are_shortened(world):
    world.answers["/search"] = sends({"results": [{"title": "t", "url": "https://a.com", "content": "很长的文字" * 100}]})
    seen = await search(web_search(service(world, "tavily")))
    assert 60 < len(seen.data["results"][0]["snippet"]) <= 81
    assert seen.data["results"][0]["snippet"].endswith("…")


def test_how_the_tool_is_declared():
    (tool,) = web_tools({}, ["web_search"])
    assert (tool.spec.effects, tool.volatile, tool.idempotent, tool.timeout) == (("reads", "network"), True, True, 40)
    assert tool.said("zh").description == "搜索互联网。"


async def test_duckduckgo_that_cannot_be_reached_says_what_to_do(world, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    class Local(Duckduckgo):
        name, search_url = "local", f"http://127.0.0.1:{port}/html/"

    monkeypatch.setitem(ddgs.engines.ENGINES["text"], "local", Local)
    seen = await search(web_search(replace(choose({}, "ddgs"), backend="local")))
    assert seen.kind == "transient"
    assert "DuckDuckGo could not be asked (" in seen.text
    assert "there may be no network: answer from the other tools, or say so" in seen.text
