"""A web on loopback: names that a test makes up lead to a real server, and nothing else is reached."""

import socket
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tao.tools.web.guard import Guard


class Web:
    """A server, and a resolver that knows only the names it is given; `asked` counts how often each was resolved."""

    def __init__(self, port):
        self.port = port
        self.names = {}
        self.asked = {}
        self.requests = []

    async def resolve(self, host):
        self.asked[host] = self.asked.get(host, 0) + 1
        found = self.names.get(host)
        if found is None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        if isinstance(found, BaseException):
            raise found
        return found(self.asked[host]) if callable(found) else list(found)

    def guard(self, *public, hosts=None, inside=(), **options):
        """A guard under which these names count as public although they lead to this machine."""
        for name in public:
            self.names.setdefault(name, ["127.0.0.1"])
        here = tuple(f"{name}:{self.port}" for name in public)
        return Guard(hosts, here + tuple(inside), resolve=self.resolve, **options)

    def url(self, path="/", host="pages.test"):
        return f"http://{host}:{self.port}{path}"


@asynccontextmanager
async def serving(answer):
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app, host="127.0.0.1") as server:
        yield server


@pytest.fixture
async def world():
    """`world.answers[path]` is an async function of the request; every request is kept in `world.requests`."""
    answers = {}

    async def answer(request):
        body = await request.read()
        made.requests.append((request.method, request.headers.get("Host"), request.path_qs, dict(request.headers), body))
        handler = answers.get(request.path)
        return web.Response(status=404) if handler is None else await handler(request)

    async with serving(answer) as server:
        made = Web(server.port)
        made.answers = answers
        yield made
