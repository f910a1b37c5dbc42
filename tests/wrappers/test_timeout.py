import asyncio

import pytest

from tao.errors import Pause, StoreError
from tao.messages import Call, Observation
from tao.testing import history
from tao.wrappers.timeout import timeout

CALL = Call("1.1", "slow", {})
RUN = history("q")


def acting(coroutine_function):
    async def act(call, run):
        return await coroutine_function()

    return act


async def hang():
    await asyncio.sleep(60)


async def test_what_is_quick_goes_through():
    async def quick():
        return Observation("ok")

    assert await timeout(acting(quick))(CALL, RUN) == Observation("ok")
    assert await timeout(acting(quick), None)(CALL, RUN) == Observation("ok")
    assert await timeout(acting(quick), 0.01, per_tool={"slow": None})(CALL, RUN) == Observation("ok")
    assert timeout(quick, None, per_tool={"slow": None}) is quick  # where nothing is limited nothing is added


@pytest.mark.parametrize(
    ("lang", "text"),
    [("en", "slow took longer than 0.01 s and was stopped. Change the arguments or try another way."),
     ("zh", "slow 超过 0.01 秒没有完成，已停止。请修改参数或换一种方法。")],
)  # fmt: skip
async def test_what_hangs_is_stopped(lang, text):
    assert await timeout(acting(hang), 0.01)(CALL, history("q", lang=lang)) == Observation(text, ok=False, kind="timeout")
    assert (await timeout(acting(hang), 60, per_tool={"slow": 0.01})(CALL, RUN)).kind == "timeout"


async def test_what_comes_while_stopping_has_happened_and_is_taken():
    async def tidy():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return Observation("saved anyway")

    assert await timeout(acting(tidy), 0.01)(CALL, RUN) == Observation("saved anyway")


@pytest.mark.parametrize("ends", ["error", "value", "cancelled"])
async def test_what_cannot_be_stopped_is_left_and_said(ends):
    release = asyncio.Event()

    async def stubborn():
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        if ends == "error":
            raise ValueError("late")
        if ends == "cancelled":
            raise asyncio.CancelledError
        return Observation("late")

    seen = await timeout(acting(stubborn), 0.01, grace=0.01)(CALL, RUN)
    assert seen.text == "slow took longer than 0.01 s and cannot be stopped; it may still have an effect. Try another way."
    zh = await timeout(acting(stubborn), 0.01, grace=0.01)(CALL, history("q", lang="zh"))
    assert zh.text == "slow 超过 0.01 秒没有完成且无法停止，可能仍会产生影响。请换一种方法。"
    release.set()
    await asyncio.sleep(0.01)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_cancelling_from_outside_stops_what_runs():
    stopped = asyncio.Event()

    async def tidy():
        try:
            await asyncio.sleep(60)
        finally:
            stopped.set()

    task = asyncio.create_task(timeout(acting(tidy))(CALL, RUN))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stopped.is_set()


async def test_cancelling_itself_is_a_failure_of_the_call():
    async def gives_up():
        raise asyncio.CancelledError

    assert await timeout(acting(gives_up))(CALL, RUN) == Observation("slow was cancelled from within. Try another way.", ok=False, kind="error")


@pytest.mark.parametrize("error", [Pause("ask"), StoreError("disk"), KeyError("bug")])
async def test_errors_go_through(error):
    async def fail():
        raise error

    with pytest.raises(type(error)):
        await timeout(acting(fail))(CALL, RUN)
