"""A whole run that searches, reads a page and answers."""

from aiohttp import web

from tao import Agent
from tao.testing import ScriptedModel
from tao.tools.web import web_tools


async def test_a_run_searches_reads_and_answers(world):
    async def found(request):
        return web.json_response({"results": [{"title": "开放时间", "url": world.url("/hours"), "content": "本馆开放时间"}]})

    async def page(request):
        text = "<html><head><meta charset='gb2312'></head><body><p>本馆周一闭馆，周二至周日九点开放。</p></body></html>"
        return web.Response(body=text.encode("gbk"), content_type="text/html")

    world.answers |= {"/search": found, "/hours": page}
    world.names["pages.test"] = ["127.0.0.1"]
    tools = web_tools(
        {"TAVILY_API_KEY": "k"}, inside=[f"pages.test:{world.port}"], bases={"tavily": f"http://127.0.0.1:{world.port}"}, resolve=world.resolve,
    )  # fmt: skip
    model = ScriptedModel(
        'Thought: 先搜索\nAction: web_search\nAction Input: {"query": "博物馆 开放时间"}',
        f'Thought: 读这一页\nAction: fetch_page\nAction Input: {{"url": "{world.url("/hours")}"}}',
        "Thought: 知道了\nFinal Answer: 周一闭馆",
    )
    run = await Agent(model, tools, dialect="react").run("博物馆哪天闭馆？")
    assert run.answer == "周一闭馆"
    (_, results), (_, read) = run.observed
    assert "1. 开放时间 " in results.text
    assert "本馆周一闭馆，周二至周日九点开放。" in read.text
