"""`http_get` and `http_send`, through the registry: only to the hosts that were allowed."""

import json

import pytest
from aiohttp import web

from tao.errors import ConfigError
from tao.messages import Call
from tao.testing import history
from tao.tools.registry import registry
from tao.tools.web import NAMES, web_tools
from tao.tools.web.guard import Guard
from tao.tools.web.requests import http_tools


async def echo(request):
    body = {"茶": request.query.get("q", ""), "key": request.headers.get("Authorization")}
    return web.json_response(body, status=int(request.query.get("status", 200)))


@pytest.fixture
def call(world):
    world.answers["/"] = echo

    async def made(name, lang="en", hosts=("api.test",), credentials=None, **args):
        tools = http_tools(world.guard("api.test", "other.test", hosts=hosts), credentials=credentials)
        run = history("question", tools=[tool.said(lang) for tool in tools], lang=lang)
        return await registry(tools)(Call("1.1", name, args), run)

    return made


async def test_a_get_reads(call, world):
    seen = await call("http_get", url=world.url("/?q=1", "api.test"), headers={"X-Trace": "t"})
    assert seen.ok
    assert seen.text.splitlines()[0] == "HTTP 200 application/json"
    assert world.requests[0][0] == "GET"
    assert world.requests[0][3]["X-Trace"] == "t"


async def test_a_head_has_no_text(call, world):
    assert (await call("http_get", url=world.url("/", "api.test"), method="HEAD")).text == "HTTP 200 application/json"


@pytest.mark.parametrize(("method", "body", "sent", "kind"), [
    ("POST", {"名": "茶"}, '{"名": "茶"}', "application/json"), ("PUT", "plain words", "plain words", "text/plain; charset=utf-8"),
    ("PATCH", '{"a": 1}', '{"a": 1}', "application/json"), ("DELETE", None, "", None), ("POST", [1, 2], "[1, 2]", "application/json"),
])  # fmt: skip
async def test_a_request_that_writes_sends_its_body(call, world, method, body, sent, kind):
    args = {} if body is None else {"body": body}
    seen = await call("http_send", method=method, url=world.url("/", "api.test"), **args)
    assert seen.ok
    made = world.requests[0]
    assert made[0] == method
    assert (json.loads(made[4]) == json.loads(sent)) if kind == "application/json" else made[4].decode() == sent
    if kind:
        assert made[3]["Content-Type"] == kind


@pytest.mark.parametrize(("status", "ok"), [(201, True), (400, False), (404, False), (500, False)])
async def test_a_status_of_400_and_above_is_a_failure_that_can_be_read(call, world, status, ok):
    seen = await call("http_send", method="POST", url=world.url(f"/?status={status}&q=x", "api.test"))
    assert (seen.ok, seen.kind, seen.data["status"]) == (ok, "" if ok else "http", status)
    assert '"茶"' in seen.text or "\\u8336" in seen.text


@pytest.mark.parametrize("name", ["http_get", "http_send"])
async def test_other_hosts_are_refused_also_after_a_redirect(call, world, name):
    async def away(request):
        return web.Response(status=307 if name == "http_send" else 302, headers={"Location": world.url("/", "other.test")})

    world.answers["/away"] = away
    args = {"method": "POST"} if name == "http_send" else {}
    seen = await call(name, url=world.url("/", "other.test"), **args)
    assert "other.test is not one of the hosts allowed here: api.test" in seen.text
    assert world.requests == []
    seen = await call(name, "zh", url=world.url("/away", "api.test"), **args)
    assert not seen.ok
    assert len(world.requests) == 1


@pytest.mark.parametrize("header", ["Host", "content-length", "Transfer-Encoding", "X-Forwarded-For", "Proxy-Authorization"])
async def test_headers_that_are_ours_are_refused(call, world, header):
    seen = await call("http_get", url=world.url("/", "api.test"), headers={header: "x"})
    assert f"the header {header} cannot be set here; leave it out" in seen.text


@pytest.mark.parametrize("headers", [{"X": "a\r\nHost: evil"}, {"X\r\nY": "a"}, {"": "a"}, {"X:": "a"}, {"名": "a"}])
async def test_headers_that_would_end_early_are_refused(call, world, headers):
    seen = await call("http_get", url=world.url("/", "api.test"), headers=headers)
    assert "is not a header that can be sent" in seen.text
    assert world.requests == []


async def test_sizes_are_bounded(call, world):
    many = {f"X-{number}": "v" for number in range(31)}
    assert "too many headers" in (await call("http_get", url=world.url("/", "api.test"), headers=many)).text
    seen = await call("http_send", method="POST", url=world.url("/", "api.test"), body="x" * 1_000_001)
    assert "the body has 1000001 bytes; at most 1000000 are sent" in seen.text
    assert world.requests == []


async def test_credentials_are_added_and_stay_unseen(call, world):
    seen = await call("http_get", url=world.url("/", "api.test"), credentials={"API.test": {"Authorization": "Bearer ours"}})
    assert world.requests[0][3]["Authorization"] == "Bearer ours"
    assert "ours" not in seen.text  # although this server sends it back


async def test_long_and_binary_answers(call, world):
    async def long(request):
        return web.Response(text="字" * 9000)

    async def image(request):
        return web.Response(body=b"\x89PNG\0\0", content_type="image/png")

    world.answers |= {"/long": long, "/image": image}
    seen = await call("http_get", url=world.url("/long", "api.test"))
    assert seen.text.endswith("字\n[more was left out]")
    seen = await call("http_get", url=world.url("/image", "api.test"))
    assert seen.text == "HTTP 200 image/png\n[image/png, 6 bytes]"
    assert seen.data["content"] == [{"type": "image", "data": "iVBORwAA", "mimeType": "image/png"}]


def test_what_the_tools_do_is_declared():
    get, send = http_tools(Guard(("api.example.com",)))
    assert (get.spec.effects, get.idempotent) == (("reads", "network"), True)
    assert (send.spec.effects, send.idempotent) == (("writes", "network"), False)
    assert "api.example.com" in get.spec.description
    assert "api.example.com" in send.said("zh").description


def test_hosts_are_needed():
    with pytest.raises(ConfigError, match=r"http_get and http_send need a list of allowed hosts, such as hosts = "):
        web_tools({}, ["http_get"])


def test_which_tools_there_are():
    assert [tool.name for tool in web_tools({})] == ["web_search", "fetch_page"]
    assert [tool.name for tool in web_tools({}, hosts=["api.example.com"])] == list(NAMES)
    assert [tool.name for tool in web_tools({}, ["http_send"], hosts=["api.example.com"])] == ["http_send"]
    with pytest.raises(ConfigError, match=r"no web tool 'browse'; there are: web_search, fetch_page, http_get, http_send"):
        web_tools({}, ["browse"])
