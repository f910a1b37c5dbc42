"""So many seconds: what `asyncio.timeout` does, checked against it."""

import asyncio

import pytest

from tao.within import Within


async def stuck():
    await asyncio.sleep(3600)


async def test_what_is_done_in_time_is_left_alone():
    with Within(60) as scope:
        await asyncio.sleep(0)
    assert not scope.expired
    assert asyncio.current_task().cancelling() == 0


async def test_what_takes_longer_is_cancelled_and_that_is_a_timeout():
    seen = []

    async def tidy():
        try:
            await stuck()
        except asyncio.CancelledError:
            seen.append("tidied up")
            raise

    with pytest.raises(TimeoutError) as caught, Within(0.01) as scope:
        await tidy()
    assert (scope.expired, seen, type(caught.value.__cause__)) == (True, ["tidied up"], asyncio.CancelledError)
    assert asyncio.current_task().cancelling() == 0
    await asyncio.sleep(0)  # nothing is left that would be cancelled


async def test_each_has_its_own_time_whoever_waits_beside_it():
    async def wait(seconds, work):
        with Within(seconds):
            await asyncio.sleep(work)
        return "done"

    waits = [wait(0.02, 0), wait(0.02, 3600), wait(0.01, 3600), wait(60, 0.05), wait(0.02, 3600), wait(0.5, 0.03)]
    seen = await asyncio.gather(*waits, return_exceptions=True)
    assert [one if isinstance(one, str) else type(one) for one in seen] == ["done", TimeoutError, TimeoutError, "done", TimeoutError, "done"]
    assert isinstance((await asyncio.gather(wait(0.02, 3600), return_exceptions=True))[0], TimeoutError)  # the timer is set again


async def test_who_begins_later_is_due_later_though_one_timer_rings_for_both():
    over = []

    async def wait(name, before):
        await asyncio.sleep(before)
        with pytest.raises(TimeoutError), Within(0.05):
            await stuck()
        over.append(name)

    late = asyncio.create_task(wait("second", 0.03))
    await wait("first", 0)
    assert over == ["first"]
    await late
    assert over == ["first", "second"]


async def test_without_a_time_nothing_is_cancelled():
    with Within(None) as scope:
        await asyncio.sleep(0)
    assert not scope.expired
    with pytest.raises(TimeoutError), Within(None):
        raise TimeoutError


async def test_another_ones_cancelling_is_no_timeout():
    async def wait():
        with Within(60):
            await stuck()

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_cancelled_from_outside_in_the_moment_of_the_timeout_it_stays_cancelled():
    async def wait():
        with Within(0.01):
            try:
                await stuck()
            except asyncio.CancelledError:
                asyncio.current_task().cancel()
                raise

    task = asyncio.create_task(wait())
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_errors_of_its_own_come_through_and_a_timeout_within_a_timeout_is_the_inner_ones():
    with pytest.raises(KeyError), Within(60):
        raise KeyError("x")
    with Within(60) as outer, pytest.raises(TimeoutError), Within(0.01):
        await stuck()
    assert not outer.expired
    with pytest.raises(TimeoutError), Within(0.01) as outer, Within(60) as inner:
        await stuck()
    assert (outer.expired, inner.expired) == (True, False)


def test_every_event_loop_has_timers_of_its_own():
    async def wait():
        with pytest.raises(TimeoutError), Within(0.01):
            await stuck()
        with Within(0.01):
            await asyncio.sleep(0)

    for _ in range(3):
        asyncio.run(wait())


def test_it_is_for_tasks():
    with pytest.raises(RuntimeError), Within(1):
        pass
