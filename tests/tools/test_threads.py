import asyncio
import contextvars
import threading

import pytest

from tao.tools.threads import Threads, in_thread

NAME: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="none")


async def test_values_errors_and_context_come_across():
    NAME.set("mine")
    assert await in_thread(NAME.get) == "mine"
    assert await in_thread(max, 1, 2) == 2
    with pytest.raises(KeyError):
        await in_thread({}.__getitem__, "x")


async def test_threads_are_used_again_and_end_when_idle():
    stock = Threads(idle=0.05)
    before = threading.active_count()
    assert len({await stock.run(threading.get_ident) for _ in range(20)}) == 1
    assert await asyncio.gather(*(stock.run(threading.Event().wait, 0.01) for _ in range(3))) == [False] * 3
    while threading.active_count() > before:  # noqa: ASYNC110 - a thread's end sets no event
        await asyncio.sleep(0.01)
    assert await stock.run(max, 1, 2) == 2


async def test_giving_up_leaves_the_thread_to_itself():
    release, ended = threading.Event(), threading.Event()

    def stuck():
        release.wait(30)
        ended.set()

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(in_thread(stuck), 0.02)
    assert await in_thread(max, 1, 2) == 2
    release.set()
    assert ended.wait(5)


def test_a_loop_that_has_gone_is_no_trouble():
    release, ended = threading.Event(), threading.Event()

    def stuck():
        release.wait(30)
        ended.set()

    async def give_up():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(in_thread(stuck), 0.02)

    asyncio.run(give_up())
    release.set()
    assert ended.wait(5)
    assert asyncio.run(in_thread(max, 3, 4)) == 4
