"""Counting calls through the package `limits`, with its own storage in memory; and what is said where that cannot be."""

import asyncio

import pytest

from tao.errors import ConfigError
from tao.messages import Call
from tao.stores.rates import SharedWindows
from tao.testing import FakeClock, history
from tao.wrappers.rate_limit import Rate, rate_limit

pytest.importorskip("limits", reason="needs the extra `rates`")


async def test_so_many_and_no_more_each_key_for_itself():
    windows = SharedWindows("memory://")
    assert [await windows.take([("a", Rate(2, 3600))]) > 0 for _ in range(4)] == [False, False, True, True]
    assert await windows.take([("b", Rate(2, 3600))]) == 0
    assert 3500 < await windows.take([("a", Rate(2, 3600))]) <= 3600


async def test_all_of_several_windows_or_none():
    windows = SharedWindows("async+memory://")
    one, other = ("a", Rate(1, 3600)), ("b", Rate(2, 3600))
    assert await windows.take([one, other]) == 0
    for _ in range(5):
        assert await windows.take([one, other]) > 0
    assert await windows.take([other]) == 0


async def test_many_at_once_get_no_more_than_there_is():
    windows = SharedWindows("memory://")
    waits = await asyncio.gather(*(windows.take([("k", Rate(3, 3600))]) for _ in range(20)))
    assert waits.count(0.0) == 3


async def test_behind_the_wrapper():
    clock = FakeClock()

    async def done(call, run):
        return "ok"

    act = rate_limit(done, {("f", "all"): Rate(1, 3600)}, SharedWindows("memory://"), sleep=clock.sleep)
    assert await act(Call("1", "f", {}), history("q")) == "ok"
    assert (await act(Call("2", "f", {}), history("q"))).kind == "rate_limited"


@pytest.mark.parametrize("address", ["nowhere://x", "", "sqlite:///x.db"])
async def test_an_address_that_limits_does_not_know_is_named(address):
    with pytest.raises(ConfigError, match="calls cannot be counted at async") as raised:
        await SharedWindows(address).take([("a", Rate(1, 1))])
    assert "redis://host:6379" in str(raised.value)
    assert "无法在" in str(raised.value)
