"""Every wrapper, alone and all together, under every fault, from sync, async and parallel tools: the call always ends, and nothing is left behind."""

import asyncio
import threading
import time

import pytest

from tao.errors import Pause, StoreError, Transient
from tao.messages import Call, Observation
from tao.testing import history
from tao.tools.declare import declare
from tao.tools.registry import registry, specs
from tao.wrappers.fence import fence
from tao.wrappers.limits import limits
from tao.wrappers.retry import retry
from tao.wrappers.same_call import same_call
from tao.wrappers.strikes import strikes
from tao.wrappers.timeout import timeout
from tao.wrappers.truncate import read_more, truncate


async def no_sleep(seconds):
    await asyncio.sleep(0)


WRAPPERS = {
    "none": lambda act: act,
    "timeout": lambda act: timeout(act, 5, grace=0.05),
    "retry": lambda act: retry(act, sleep=no_sleep),
    "same_call": same_call,
    "truncate": truncate,
    "fence": fence,
    "limits": lambda act: limits(act, 2),
    "strikes": strikes,
    "all": lambda act: strikes(same_call(fence(truncate(limits(retry(timeout(act, 5, grace=0.05), sleep=no_sleep), 2))))),
}


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
