"""A thousand runs against a provider that fails in every way: none is lost, none goes on for ever, each says how it ended."""

import asyncio
import json
import random
from collections import Counter
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from tao.agent import Agent
from tao.models.openai import ChatModel
from tao.models.profiles import GENERIC
from tao.models.wire import Timeouts
from tao.testing import MemoryJournal
from tao.wrappers.models import Circuits, breaker, fallback, retry, surviving

RUNS, AT_ONCE, ATTEMPTS, STEPS = 1000, 50, 3, 4
QUICK = Timeouts(connect=10.0, first=4.0, quiet=4.0, whole=6.0)
FAULTS = ("fine", "429", "429 soon", "429 late", "500", "529", "hang", "drop", "half", "empty", "html", "slow", "no choices", "quota", "inside")
PASSING = frozenset(FAULTS) - {"fine", "429 late", "quota"}
"""Faults after which the same request may be sent again."""


class Failing:
    """Answers chat completions; each request fails in the way that the seed of its question and its number choose."""

    def __init__(self, odds):
        self.odds = odds
        self.requests = {}
        self.faults = {}

    async def serve(self, request):
        body = await request.json()
        question = next(m["content"] for m in reversed(body["messages"]) if "#" in m["content"]).split("#")[1].split("#")[0]
        number = self.requests[question] = self.requests.get(question, 0) + 1
        fault = random.Random(f"{question} {number}").choices(FAULTS, self.odds)[0]
        self.faults.setdefault(question, []).append(fault)
        return await getattr(self, "_" + fault.replace(" ", "_").replace("4", "four").replace("5", "five"))(request, body, question)

    async def _fine(self, request, body, question):
        looked = f"seen {question}" in body["messages"][-1]["content"]
        text = f"Final Answer: done {question}" if looked else f'Thought: look\nAction: look\nAction Input: {{"key": "{question}"}}'
        if not body["stream"]:
            return web.json_response({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 5, "completion_tokens": 5}})
        response = await self._begun(request, text)
        await response.write(b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')
        return response

    async def _begun(self, request, text):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for at in range(0, len(text), 9):
            piece = json.dumps({"choices": [{"delta": {"content": text[at : at + 9]}}]})
            await response.write(f"data: {piece}\n\n".encode())
        return response

    async def _four29(self, *_):
        return web.json_response({"error": {"message": "slow down"}}, status=429)

    async def _four29_soon(self, *_):
        return web.json_response({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "1"})

    async def _four29_late(self, *_):
        return web.json_response({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "3600"})

    async def _five00(self, *_):
        return web.Response(status=500, text="oops")

    async def _five29(self, *_):
        return web.json_response({"error": {"type": "overloaded_error", "message": "Overloaded"}}, status=529)

    async def _hang(self, request, *_):
        await asyncio.sleep(30)

    async def _slow(self, request, body, question):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        while True:  # a word now and then, for ever: never quiet, never done
            await response.write(b'data: {"choices": [{"delta": {"content": "."}}]}\n\n')
            await asyncio.sleep(0.1)

    async def _drop(self, request, body, question):
        response = await self._begun(request, 'Thought: look\nAction: look\nAction Input: {"key": "wr')
        request.transport.abort()
        return response

    async def _half(self, *_):
        return web.Response(text='{"choices": [{"message": {"content": "Final Ans', content_type="application/json")

    async def _empty(self, *_):
        return web.Response(text="", content_type="application/json")

    async def _html(self, *_):
        return web.Response(text="<html><body>Bad gateway</body></html>", content_type="text/html", status=502)

    async def _no_choices(self, *_):
        return web.json_response({"choices": []})

    async def _quota(self, *_):
        return web.json_response({"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}, status=429)

    async def _inside(self, *_):
        return web.json_response({"error": {"code": 503, "message": "upstream"}})


@asynccontextmanager
async def served(provider):
    app = web.Application()
    app.router.add_post("/chat/completions", provider.serve)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def look(key: str) -> str:
    """Look it up."""
    return f"seen {key}"


async def at_once(_seconds):
    await asyncio.sleep(0)


async def ask_all(agent, runs, *, streamed):
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number):
        async with gate:
            return await agent.run(f"What is in #{number}#?", id=f"run{number}", on_delta=(lambda delta: None) if streamed(number) else None)

    return await asyncio.gather(*(one(number) for number in range(runs)))


async def test_a_thousand_runs():
    provider, journal = Failing([60, *[2] * (len(FAULTS) - 1)]), MemoryJournal()
    async with served(provider) as url:
        model = retry(ChatModel(GENERIC, "m", base_url=url, timeouts=QUICK), ATTEMPTS, sleep=at_once)
        agent = Agent(model, [look], dialect="react", max_steps=STEPS, journal=journal)
        runs = await ask_all(agent, RUNS, streamed=lambda number: number % 2 == 0)
        await agent.aclose()
    assert len({run.id for run in runs}) == RUNS
    assert all(run.ended and journal.runs[run.id] == run.events for run in runs)
    reasons = Counter(run.ended.reason for run in runs)
    assert set(reasons) <= {"answered", "failed", "max_steps", "misreads"}
    assert reasons["answered"] > RUNS / 2
    assert all("done" in run.answer for run in runs if run.ended.reason == "answered")
    for run in runs:
        faults = provider.faults[run.id.removeprefix("run")]
        assert within_the_rules(faults), (run.id, faults)
        if run.ended.reason == "failed":
            assert run.ended.detail.split(":")[0] in ("Transient", "Refused"), run.ended.detail
            assert faults[-1] in PASSING | {"429 late", "quota"}


def within_the_rules(faults):
    """Whether these requests of one run were allowed: at most so many in a row for one reply, none after a final no."""
    row = 0
    for at, fault in enumerate(faults):
        row = row + 1 if fault in PASSING else 0
        if row > ATTEMPTS or (fault in ("429 late", "quota") and at != len(faults) - 1):
            return False
    return True


async def test_a_dead_provider_is_left_alone_and_the_next_one_answers():
    dead, alive = Failing([0, 0, 0, 0, 1, *[0] * (len(FAULTS) - 5)]), Failing([1, *[0] * (len(FAULTS) - 1)])
    circuits = Circuits()
    async with served(dead) as down, served(alive) as up:
        first = breaker(ChatModel(GENERIC, "m", base_url=down, name="down:m"), circuits, failures=5)
        agent = Agent(fallback([first, ChatModel(GENERIC, "m", base_url=up, name="up:m")]), [look], dialect="react")
        runs = await ask_all(agent, 200, streamed=lambda number: number % 2 == 0)
        await agent.aclose()
    assert all(run.ended.reason == "answered" for run in runs)
    assert 5 <= sum(dead.requests.values()) <= 5 + AT_ONCE
    assert sum(alive.requests.values()) == 400


async def test_surviving_is_what_production_wants():
    provider = Failing([1, 0, 0, 0, 1, *[0] * (len(FAULTS) - 5)])
    async with served(provider) as url:
        model = surviving(ChatModel(GENERIC, "m", base_url=url), attempts=2, whole=5.0)
        agent = Agent(model, [look], dialect="react")
        runs = await ask_all(agent, 5, streamed=lambda _: True)
        await agent.aclose()
    assert {run.ended.reason for run in runs} <= {"answered", "failed"}


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"fine"}))
async def test_every_fault_alone_ends_in_a_named_error(fault):
    provider = Failing([float(name == fault) for name in FAULTS])
    async with served(provider) as url:
        short = Timeouts(connect=10.0, first=0.5, quiet=0.5, whole=1.0)
        agent = Agent(ChatModel(GENERIC, "m", base_url=url, timeouts=short), [look], dialect="react")
        for heard in (None, lambda delta: None):
            run = await agent.run("What is in #1#?", on_delta=heard)
            assert run.ended.reason == "failed"
            assert run.ended.detail
        await agent.aclose()
