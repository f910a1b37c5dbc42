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


async def test_long_functions_hold_up_nobody():
    stock, release = Threads(), threading.Event()
    stuck = [asyncio.ensure_future(stock.run(release.wait, 30)) for _ in range(5)]
    quick = [asyncio.ensure_future(stock.run(int, number)) for number in range(200)]
    mixed = [asyncio.ensure_future(stock.run(release.wait, 30)) if number % 50 == 0 else asyncio.ensure_future(stock.run(int, number)) for number in range(200)]
    assert await asyncio.gather(*quick) == list(range(200))
    await asyncio.wait([task for number, task in enumerate(mixed) if number % 50])
    assert not any(task.done() for task in [*stuck, *mixed[::50]])
    release.set()
    assert await asyncio.gather(*stuck, *mixed[::50]) == [True] * 9


async def test_many_quick_functions_need_few_threads_once_some_are_there():
    stock, seen = Threads(), set()
    await asyncio.gather(*(stock.run(threading.Event().wait, 0.01) for _ in range(4)))
    for _ in range(20):
        seen |= set(await asyncio.gather(*(stock.run(threading.get_ident) for _ in range(200))))
    assert len(seen) < 20


async def test_where_the_system_has_no_thread_left_a_function_is_called_or_its_caller_told_and_never_both():
    left, called = [], []

    def thread(**how):
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        return threading.Thread(**how)

    stock = Threads(thread=thread)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        await stock.run(called.append, 0)
    left.append(1)
    outcomes = await asyncio.gather(*(stock.run(called.append, number) for number in range(1, 300)), return_exceptions=True)
    assert called == [number for number, outcome in enumerate(outcomes, 1) if outcome is None]
    assert {type(outcome) for outcome in outcomes} <= {type(None), RuntimeError}
    assert called
    assert await stock.run(max, 1, 2) == 2


def test_many_loops_in_many_threads_each_get_their_own():
    stock, seen = Threads(), {}

    async def ask(name):
        return await asyncio.gather(*(stock.run(divmod, name * 1000 + number, 7) for number in range(300)))

    loops = [threading.Thread(target=lambda name=name: seen.update({name: asyncio.run(ask(name))})) for name in range(6)]
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join()
    assert seen == {name: [divmod(name * 1000 + number, 7) for number in range(300)] for name in range(6)}
    assert not stock._done


def test_a_loop_that_went_away_leaves_nothing_behind():
    stock, release = Threads(), threading.Event()

    async def give_up():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*(stock.run(release.wait, 30) for _ in range(3))), 0.02)

    asyncio.run(give_up())
    release.set()
    while len(stock._free) < 3:
        threading.Event().wait(0.01)
    assert not stock._done
    assert not stock._waiting
