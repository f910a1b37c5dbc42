"""An API on loopback that keeps what it was sent, and tools that call it as an agent would."""

from contextlib import asynccontextmanager
from itertools import count

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tao.acting import Limits, acting
from tao.messages import Call
from tao.testing import history
from tao.tools.openapi import openapi_tools


class Api:
    """`got` holds every request; `answers` by "METHOD /path" what is answered, else what came is sent back."""

    def __init__(self):
        self.got, self.answers = [], {}

    async def answer(self, request):
        body = await request.read()
        self.got.append({
            "method": request.method, "path": request.raw_path.partition("?")[0], "query": request.raw_path.partition("?")[2],
            "headers": dict(request.headers), "cookie": request.headers.get("Cookie", ""), "body": body,
            "form": dict(await request.post()) if "form" in request.headers.get("Content-Type", "") else None,
        })  # fmt: skip
        answer = self.answers.get(f"{request.method} {request.path}")
        if answer is not None:
            return await answer(request) if callable(answer) else web.json_response(answer)
        return web.json_response({"method": request.method, "path": request.path})

    @property
    def last(self):
        return self.got[-1]


@pytest.fixture
async def api():
    """`api.url` is its address; it lies on this machine, so that a person has to name it."""
    made = Api()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.answer)
    async with TestServer(app, host="127.0.0.1") as server:
        made.url = str(server.make_url("/")).rstrip("/")
        yield made


@pytest.fixture
def calling(api):
    """`call = calling(document, allow=…)`: a function that calls tools by name, as a run does."""

    def made(document, *, lang="en", limits=None, **options):
        tools = openapi_tools(document, **{"base_url": api.url, "allow": ("*",), **options})
        act = acting(tools, limits or Limits(fence="none", attempts=1, strikes=99, tokens=100_000))
        run = history("q", tools=[tool.spec for tool in tools], lang=lang)
        ids = count(1)

        async def call(name, **args):
            return await act(Call(f"{next(ids)}.1", name, args), run)

        call.tools = {tool.name: tool for tool in tools}
        return call

    return made


def described(paths, version="3.0.3", **more):
    """A document of these paths."""
    return {"openapi": version, "info": {"title": "t", "version": "1"}, "paths": paths, **more}


@pytest.fixture
def doc():
    return described


@asynccontextmanager
async def serving(answer):
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app, host="127.0.0.1") as server:
        yield server


@pytest.fixture
def served():
    """`async with served(handler) as server`."""
    return serving
