"""What may be reached is judged before a connection, on the addresses of the name, and on the socket."""

import asyncio
import socket

import aiohttp
import pytest
from aiohttp import web

from tao.errors import ConfigError
from tao.tools.web.fetching import Limits, Sending, Unreached, fetch
from tao.tools.web.guard import Blocked, Guard
from tao.tools.web.urls import parse
from tao.tools.words import speaking


async def greet(request):
    return web.Response(text="hello")


async def test_a_public_name_is_fetched(world):
    world.answers["/"] = greet
    answer = await fetch(world.url(), world.guard("pages.test"))
    assert (answer.status, answer.body, answer.cut, answer.kind) == (200, b"hello", False, "text/plain")
    assert world.requests[0][1] == f"pages.test:{world.port}"


@pytest.mark.parametrize("addresses", [
    ["127.0.0.1"], ["10.0.0.8"], ["169.254.169.254"], ["100.100.100.200"], ["::1"], ["fd00:ec2::254"], ["::ffff:127.0.0.1"], ["64:ff9b::7f00:1"],
    ["fe80::1%2"], ["8.8.8.8", "127.0.0.1"], ["2606:4700::1111", "::1"], ["not an address"],
])  # fmt: skip
async def test_a_name_with_an_inner_address_is_refused(world, addresses):
    world.answers["/"] = greet
    world.names["evil.test"] = addresses
    with pytest.raises(Blocked, match=r"evil.test is not on the public internet, or not only; such hosts are not opened"):
        await fetch("http://evil.test/", world.guard())
    assert world.requests == []
    with speaking("zh"), pytest.raises(Blocked, match=r"不是（或不仅是）公网主机"):
        await fetch("http://evil.test/", world.guard())


async def test_the_refusal_does_not_tell_the_address(world):
    world.names["evil.test"] = ["10.11.12.13"]
    with pytest.raises(Blocked) as caught:
        await fetch("http://evil.test/", world.guard())
    assert "10.11" not in str(caught.value)


async def test_a_name_is_resolved_once_for_a_connection(world):
    """A name that turns to an inner address after it was judged: there is no second look-up that could be told so."""
    world.answers["/"] = greet
    world.names["pages.test"] = lambda time: ["127.0.0.1"] if time == 1 else ["10.0.0.1"]
    await fetch(world.url(), world.guard("pages.test"))
    assert world.asked == {"pages.test": 1}


async def test_a_name_that_turns_inside_between_two_hops_is_refused(world):
    async def on(request):
        return web.Response(status=302, headers={"Location": "/secret"})

    world.answers["/"], world.answers["/secret"] = on, greet
    world.names["turns.test"] = lambda time: ["127.0.0.1"] if time == 1 else ["127.0.0.2"]
    guard = Guard(inside=("127.0.0.1/32",), ports=(world.port,), resolve=world.resolve)
    with pytest.raises(Blocked):
        await fetch(world.url(host="turns.test"), guard)
    assert [one[2] for one in world.requests] == ["/"]


async def test_the_socket_is_judged_too(world):
    """Should an address get past the resolver, the socket is not made."""
    place = parse("http://pages.test/")
    guard = world.guard("pages.test")
    async with guard.connector(place) as connector, aiohttp.ClientSession(connector=connector) as session:
        with pytest.raises(Blocked):
            await session.get(f"http://127.0.0.1:{world.port}/")
        with pytest.raises(Blocked):
            await session.get(f"http://other.test:{world.port}/")
    assert world.requests == []


@pytest.mark.parametrize(("url", "message"), [
    ("http://pages.test:22/", "port 22 is not opened; allowed: 80, 443, 8080, 8443"),
    ("http://pages.test:0/", "port 0 is not opened"),
    ("https://pages.test:65536/", "port 65536 is not opened"),
    ("http://127.0.0.1/", "127.0.0.1 is not on the public internet"),
    ("http://2130706433/", "127.0.0.1 is not on the public internet"),
    ("http://[::ffff:7f00:1]/", "is not on the public internet"),
])  # fmt: skip
async def test_ports_and_addresses_are_judged_before_anything_is_sent(world, url, message):
    with pytest.raises(Blocked, match=message):
        await fetch(url, Guard(resolve=world.resolve))
    assert world.asked == {}


async def test_a_list_of_hosts_is_kept_to(world):
    guard = Guard(("api.example.com", "*.example.org", "例子.中国"), resolve=world.resolve)
    for host in ("api.example.com", "API.example.com.", "a.b.example.org", "例子.中国", "xn--fsqu00a.xn--fiqs8s"):
        guard.judge(parse(f"https://{host}/x"))
    for host in ("example.com", "xapi.example.com", "api.example.com.evil.test", "example.org", "evilexample.org"):
        with pytest.raises(Blocked, match=r"is not one of the hosts allowed here: api.example.com, \*.example.org"):
            guard.judge(parse(f"https://{host}/x"))


async def test_a_listed_host_with_a_port_is_that_port(world):
    guard = Guard(("api.example.com:9000", "example.org"), resolve=world.resolve)
    for url in ("https://api.example.com:9000/", "https://example.org/", "http://example.org:8080/"):
        guard.judge(parse(url))
    for url in ("https://api.example.com/", "https://example.org:9000/"):
        with pytest.raises(Blocked):
            guard.judge(parse(url))


async def test_what_is_named_inside_may_be_reached_and_nothing_beside_it(world):
    guard = Guard(inside=("wiki.corp", "10.1.2.3:8090", "10.9.0.0/16", "[fd12::5]:8443"), resolve=world.resolve)
    for url in ("https://wiki.corp/", "http://10.1.2.3:8090/", "http://10.9.4.4/", "https://[fd12::5]:8443/"):
        guard.judge(parse(url))
    for url in ("https://git.corp/", "http://10.1.2.3/", "http://10.1.2.3:8091/", "http://10.8.4.4/", "https://[fd12::5]/", "http://wiki.corp:9000/"):
        with pytest.raises(Blocked):
            guard.judge(parse(url))
    world.names |= {"wiki.corp": ["10.7.7.7"], "in.test": ["10.9.1.1"], "out.test": ["10.10.1.1"]}
    assert await guard.addresses("wiki.corp", 443) == ["10.7.7.7"]
    assert await guard.addresses("in.test", 443) == ["10.9.1.1"]
    with pytest.raises(Blocked):
        await guard.addresses("out.test", 443)


async def test_a_host_with_a_port_is_trusted_on_that_port_only(world):
    world.names["box.test"] = ["127.0.0.1"]
    guard = Guard(inside=("box.test:9000",), resolve=world.resolve)
    assert await guard.addresses("box.test", 9000) == ["127.0.0.1"]
    with pytest.raises(Blocked):
        await guard.addresses("box.test", 443)


@pytest.mark.parametrize("wrong", ["https://api.example.com", "a b", "", "api.example.com/path", "*.*.com"])
def test_a_host_that_is_none_is_a_configuration_error(wrong):
    with pytest.raises(ConfigError, match=r"is not a (host|network); write it like"):
        Guard(hosts=(wrong,)) if "/" not in wrong or "://" in wrong else Guard(inside=(wrong,))


def test_a_network_that_is_none_is_a_configuration_error():
    with pytest.raises(ConfigError, match=r"'10.1.0.0/99' is not a network; write it like 10.1.0.0/16"):
        Guard(inside=("10.1.0.0/99",))


# ── redirects ─────────────────────────────────────────────────────────────────


def to(location, status=302):
    async def redirect(request):
        return web.Response(status=status, headers={"Location": location})

    return redirect


@pytest.mark.parametrize("location", [
    "http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "//127.0.0.1/", "http://[::1]/", "http://0x7f.1/", "http://localhost/",
    "http://metadata.google.internal/", "http://inner.test/", "http://100.100.100.200/", "http://pages.test:6379/",
])  # fmt: skip
async def test_a_redirect_inside_is_refused(world, location):
    world.answers["/"] = to(location)
    world.names["inner.test"] = ["192.168.0.1"]
    with pytest.raises(Blocked):
        await fetch(world.url(), world.guard("pages.test"))
    assert len(world.requests) == 1


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://a.test/", "gopher://a.test/", "data:text/html,x", "javascript:alert(1)", "http://u:p@a.test/", "http:\\\\a.test"])
async def test_a_redirect_to_another_scheme_or_with_a_password_is_refused(world, location):
    world.answers["/"] = to(location)
    with pytest.raises(Exception, match=r"only http and https|user name or password|two slashes|backslash"):
        await fetch(world.url(), world.guard("pages.test"))


@pytest.mark.parametrize(("location", "path"), [("/b?x=1", "/b?x=1"), ("b", "/a/b"), ("?q=2", "/a/start?q=2"), ("b#part", "/a/b"), ("中文 页", "/a/%E4%B8%AD%E6%96%87%20%E9%A1%B5")])
async def test_a_relative_redirect_is_followed(world, location, path):
    world.answers["/a/start"] = to(location)
    guard = world.guard("pages.test")
    if "?q" in location:
        async def once(request):
            return web.Response(text="done") if request.query_string else web.Response(status=302, headers={"Location": location})

        world.answers["/a/start"] = once
    answer = await fetch(world.url("/a/start"), guard)
    assert world.requests[-1][2] == path
    assert answer.place.rest == path


async def test_redirects_end(world):
    world.answers["/"] = to("/")
    with pytest.raises(Unreached, match=r"pages.test redirected more than 5 times"):
        await fetch(world.url(), world.guard("pages.test"))
    assert len(world.requests) == 6


async def test_credentials_stay_with_their_origin(world):
    world.answers |= {"/": to(f"http://other.test:{world.port}/b"), "/b": greet, "/c": to("/b")}
    secret = {"Authorization": "Bearer s", "Cookie": "a=b", "X-Key": "k", "Accept-Language": "zh"}
    await fetch(world.url(), world.guard("pages.test", "other.test"), None, Sending("GET", secret))
    there = {name.lower() for name in world.requests[-1][3]}
    assert "accept-language" in there
    assert there.isdisjoint({"authorization", "cookie", "x-key"})
    await fetch(world.url("/c"), world.guard("pages.test"), None, Sending("GET", secret))
    assert world.requests[-1][3]["Authorization"] == "Bearer s"


async def test_our_own_headers_go_to_their_host_only(world):
    world.answers |= {"/": to(f"http://other.test:{world.port}/b"), "/b": greet}
    keys = {"pages.test": {"authorization": "Bearer ours"}}
    await fetch(world.url(), world.guard("pages.test", "other.test"), None, Sending("GET", {"Authorization": "model's"}), keys)
    first, second = ({name.lower(): value for name, value in one[3].items()} for one in world.requests)
    assert first["authorization"] == "Bearer ours"
    assert "authorization" not in second


@pytest.mark.parametrize(("status", "method", "after"), [
    (303, "POST", "GET"), (302, "POST", "GET"), (301, "POST", "GET"), (307, "POST", "POST"), (308, "PUT", "PUT"), (303, "HEAD", "HEAD"), (302, "DELETE", "DELETE"),
])  # fmt: skip
async def test_the_method_after_a_redirect_is_that_of_the_standard(world, status, method, after):
    world.answers |= {"/": to("/b", status), "/b": greet}
    await fetch(world.url(), world.guard("pages.test"), None, Sending(method, {"Content-Type": "text/plain"}, b"body" if method[0] == "P" else None))
    assert world.requests[-1][0] == after
    assert world.requests[-1][4] == (b"body" if after[0] == "P" else b"")


async def test_a_write_is_not_repeated_at_another_host(world):
    world.answers["/"] = to(f"http://other.test:{world.port}/b", 307)
    with pytest.raises(Unreached, match=r"redirects the POST to http://other.test.*; it was not repeated there"):
        await fetch(world.url(), world.guard("pages.test", "other.test"), None, Sending("POST", {}, b"x"))
    assert len(world.requests) == 1


async def test_the_environment_names_no_proxy(world, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    world.answers["/"] = greet
    assert (await fetch(world.url(), world.guard("pages.test"))).body == b"hello"


async def test_a_proxy_that_was_configured_is_used_and_inner_addresses_are_still_refused(world):
    world.answers["/x"] = greet
    guard = Guard(proxy=f"http://127.0.0.1:{world.port}", resolve=world.resolve)
    assert (await fetch("http://far.example/x", guard)).body == b"hello"
    assert world.requests[-1][1] == "far.example"
    for url in ("http://169.254.169.254/", "http://localhost/", "http://10.0.0.1/"):
        with pytest.raises(Blocked):
            await fetch(url, guard)


# ── how it goes wrong ─────────────────────────────────────────────────────────


@pytest.mark.parametrize(("failure", "message"), [
    (socket.gaierror(socket.EAI_NONAME, "no"), "no host a.test was found: its name is wrong, or there is no network"),
    (socket.gaierror(socket.EAI_AGAIN, "try again"), "no network: a.test cannot be reached from here; answer from the other tools, or say so"),
    (OSError(101, "Network is unreachable"), "no network: a.test"),
])  # fmt: skip
async def test_a_name_that_cannot_be_resolved_says_what_to_do(world, failure, message):
    world.names["a.test"] = failure
    with pytest.raises(Unreached, match=message):
        await fetch("http://a.test/", world.guard())


async def test_a_closed_port_and_a_broken_connection_are_named(world):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    world.names["pages.test"] = ["127.0.0.1"]
    guard = Guard(inside=(f"pages.test:{port}",), resolve=world.resolve)
    with pytest.raises(Unreached, match=f"pages.test does not accept connections on port {port}"):
        await fetch(f"http://pages.test:{port}/", guard)

    async def cut(reader, writer):
        writer.close()

    server = await asyncio.start_server(cut, "127.0.0.1", port)
    async with server:
        with pytest.raises(Unreached, match=r"the connection to pages.test broke off"):
            await fetch(f"http://pages.test:{port}/", guard)


async def test_a_server_that_hangs_is_left(world):
    async def hang(request):
        await asyncio.sleep(30)

    async def drip(request):
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b".")
            await asyncio.sleep(0.02)

    world.answers |= {"/": hang, "/drip": drip}
    for path in ("/", "/drip"):
        with pytest.raises(Unreached, match=r"pages.test did not finish within 0.2 s"):
            await fetch(world.url(path), world.guard("pages.test"), Limits(seconds=0.2))
