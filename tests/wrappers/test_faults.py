"""Every wrapper, alone and all together, under every fault, from sync, async and parallel tools: the call always ends, and nothing is left behind."""

import asyncio
import importlib.util
import threading
import time

import pytest

from tao.acting import Limits, acting
from tao.errors import Pause, StoreError, Transient
from tao.messages import Call, Observation, Reply
from tao.permissions import Rule
from tao.testing import MemoryJournal, history
from tao.tools.declare import declare
from tao.tools.registry import registry, specs
from tao.tracing import Tracing
from tao.wrappers.approval import permitted
from tao.wrappers.breaker import breaker
from tao.wrappers.cache import cache
from tao.wrappers.fence import fence
from tao.wrappers.limits import limits
from tao.wrappers.once import once
from tao.wrappers.rate_limit import Rate, rate_limit
from tao.wrappers.retry import retry
from tao.wrappers.same_call import same_call
from tao.wrappers.strikes import strikes
from tao.wrappers.summarize import summarized
from tao.wrappers.timeout import timeout
from tao.wrappers.truncate import read_more, truncate


async def no_sleep(seconds):
    await asyncio.sleep(0)


async def brief(request, hear=None):
    await asyncio.sleep(0)
    return Reply("brief")


WRAPPERS = {
    "none": lambda act: act,
    "timeout": lambda act: timeout(act, 5, grace=0.05),
    "retry": lambda act: retry(act, sleep=no_sleep),
    "same_call": same_call,
    "truncate": truncate,
    "fence": fence,
    "summarize": lambda act: summarized(act, brief),
    "limits": lambda act: limits(act, 2),
    "strikes": strikes,
    "once": lambda act: once(act, MemoryJournal()),
    "breaker": lambda act: breaker(act, 50, states=MemoryJournal()),
    "rate_limit": lambda act: rate_limit(act, {("f", "all"): Rate(1000, 1)}),
    "cache": lambda act: cache(act, {"f": 60}),
    "permitted": lambda act: permitted(act, [Rule("allow", tools=("*",))]),
    "all": lambda act: strikes(same_call(fence(truncate(limits(retry(timeout(act, 5, grace=0.05), sleep=no_sleep), 2))))),
}
if importlib.util.find_spec("opentelemetry"):
    WRAPPERS["traced"] = lambda act: Tracing().act(act)


def fault(kind: str, release: threading.Event):
    """A sync and an async function that fail in this way."""

    def sync(n: int = 0) -> str:
        if kind == "error":
            raise ValueError("wrong")
        if kind == "crash":
            raise SystemExit(1)
        if kind == "transient":
            raise Transient("busy")
        if kind == "cancel":
            raise asyncio.CancelledError
        if kind == "hang":
            release.wait(30)
        if kind == "slow":
            time.sleep(0.01)
        return "x" * 3_000_000 if kind == "flood" else "ok"

    async def later(n: int = 0) -> str:
        if kind == "hang":
            await asyncio.sleep(30)
        if kind == "slow":
            await asyncio.sleep(0.01)
            return "ok"
        return sync()

    return sync, later


KINDS = {"error": "error", "crash": "error", "transient": "transient", "cancel": "error", "hang": "timeout", "slow": "", "flood": ""}


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("name", list(WRAPPERS))
async def test_every_fault_ends_in_an_observation_and_leaves_nothing(name, way, kind):
    release = threading.Event()
    sync, later = fault(kind, release)
    tools = [declare(sync if way == "sync" else later, name="f", timeout=0.02 if kind == "hang" else None)]
    act = WRAPPERS[name](registry(tools))
    run = history("q", tools=[*specs(tools), read_more()])
    before = asyncio.all_tasks()
    calls = [Call(f"1.{n}", "f", {"n": n}) for n in range(3)]
    seen = [await act(calls[0], run), *await asyncio.gather(*(act(call, run) for call in calls[1:]))]
    release.set()
    assert [(one.kind, one.ok) for one in seen] == [(KINDS[kind], not KINDS[kind])] * 3
    if name in {"truncate", "all"}:
        assert max(len(one.text) for one in seen) < 10_000
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize("error", [Pause("ask"), StoreError("disk full")])
@pytest.mark.parametrize("name", list(WRAPPERS))
async def test_pauses_and_operators_errors_reach_the_loop_without_dropping_the_others(name, error):
    def stop(n: int) -> str:
        if n == 1:
            raise error
        return "ok"

    tools = [declare(stop, name="f")]
    act = WRAPPERS[name](registry(tools))
    run = history("q", tools=specs(tools))
    seen = await asyncio.gather(*(act(Call(f"1.{n}", "f", {"n": n}), run) for n in range(3)), return_exceptions=True)
    assert [isinstance(one, Observation) for one in seen] == [True, False, True]
    assert type(seen[1]) is type(error)


@pytest.mark.parametrize("name", list(WRAPPERS))
async def test_cancelling_the_run_stops_the_call(name):
    stopped = asyncio.Event()
    started = asyncio.Event()

    async def hang() -> None:
        started.set()
        try:
            await asyncio.sleep(30)
        finally:
            stopped.set()

    tools = [declare(hang, name="f")]
    before = asyncio.all_tasks()
    task = asyncio.create_task(WRAPPERS[name](registry(tools))(Call("1", "f", {}), history("q", tools=specs(tools))))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stopped.is_set()
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize("name", list(WRAPPERS))
async def test_a_bug_in_an_act_stays_loud(name):
    async def broken(call, run):
        raise KeyError("bug")

    with pytest.raises(KeyError):
        await WRAPPERS[name](broken)(Call("1", "f", {}), history("q"))


# ── the chain as agents have it ───────────────────────────────────────────────


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("effects", ["reads", "writes", "network"])
async def test_the_assembled_chain_ends_every_fault_and_leaves_nothing(effects, way, kind):
    release = threading.Event()
    sync, later = fault(kind, release)
    tool = declare(sync if way == "sync" else later, name="f", effects=("reads", "network") if effects == "network" else effects)
    held = Limits(timeout=0.02 if kind == "hang" else 5, attempts=1, strikes=100, failures=100)
    act = acting([tool], held, permitted=lambda inner: permitted(inner, [Rule("allow", tools=("*",))]), store=MemoryJournal())
    run = history("q", tools=specs([tool]))
    await act(Call("0.1", "f", {"n": 99}), run)
    release.set()
    release.clear()
    before, running = asyncio.all_tasks(), threading.active_count()
    calls = [Call(f"1.{n}", "f", {"n": n}) for n in range(3)]
    seen = [await act(calls[0], run), *await asyncio.gather(*(act(call, run) for call in calls[1:]))]
    release.set()
    assert [(one.kind, one.ok) for one in seen] == [(KINDS[kind], not KINDS[kind])] * 3
    assert max(len(one.text) for one in seen) < 10_000
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    assert threading.active_count() <= running + 3  # threads are kept for the next call, one for each that ran at once


async def test_a_tool_that_does_not_let_itself_be_stopped_holds_up_nothing():
    release = asyncio.Event()

    async def stubborn() -> str:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return "late"

    tool = declare(stubborn, timeout=0.01)
    run = history("q", tools=specs([tool]))
    before = asyncio.all_tasks()
    seen = await acting([tool])(Call("1.1", "stubborn", {}), run)
    assert (seen.kind, "cannot be stopped" in seen.text) == ("timeout", True)
    release.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize("error", [Pause("ask"), StoreError("disk full")])
async def test_a_thousand_calls_leave_no_more_behind_than_ten(error):
    def sometimes(n: int) -> str:
        if n % 3 == 0:
            raise error
        return "ok"

    tool = declare(sometimes)
    run = history("q", tools=specs([tool]))
    act = acting([tool], Limits(at_once=4))

    async def many(first, count):
        return await asyncio.gather(*(act(Call(f"1.{n}", "sometimes", {"n": n}), run) for n in range(first, first + count)), return_exceptions=True)

    await many(0, 10)
    before, running = asyncio.all_tasks(), threading.active_count()
    seen = await many(0, 1000)
    assert sum(isinstance(one, Observation) for one in seen) == 666
    assert (asyncio.all_tasks(), threading.active_count() <= max(running, 5) + 4) == (before, True)
