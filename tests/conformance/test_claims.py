"""One suite over everything that keeps claims and states: one claimant wins, whoever else tries at the same time."""

import asyncio

import pytest

from tao.run import Run
from tao.stores.sql import Journal
from tao.testing import MemoryJournal, history
from tao.wrappers.breaker import States
from tao.wrappers.once import Claims, ClaimsInMemory


@pytest.fixture(params=["sqlite", "postgres", "memory"])
async def stores(request, tmp_path):
    """Two processes' views of one place."""
    if request.param == "memory":
        one = MemoryJournal()
        yield one, one
        return
    where = request.getfixturevalue("postgres") if request.param == "postgres" else tmp_path / "runs.db"
    async with Journal(where) as one, Journal(where) as other:
        yield one, other


async def test_they_are_recognised(stores):
    assert all(isinstance(store, Claims) and isinstance(store, States) for store in stores)
    assert isinstance(ClaimsInMemory(), Claims)


async def test_a_claim_is_given_once_for_each_call_and_number(stores):
    one, other = stores
    run, twin = Run("r"), Run("r")
    assert await one.claim(run, "1.1", 0)
    assert not await other.claim(twin, "1.1", 0)
    assert not await one.claim(run, "1.1", 0)
    assert await other.claim(twin, "1.1", 1)
    assert await one.claim(run, "1.2", 0)
    assert await one.claim(Run("other"), "1.1", 0)


async def test_of_many_at_once_one_gets_it(stores):
    won = await asyncio.gather(*(store.claim(Run("r"), "1.1", 0) for store in stores * 8))
    assert won.count(True) == 1


async def test_states_are_swapped_one_for_another(stores):
    one, other = stores
    assert await one.state("k") is None
    assert not await one.swap("k", "old", "new")
    assert await one.swap("k", None, None)
    assert await one.swap("k", None, "状态 1")
    assert await other.state("k") == "状态 1"
    assert not await other.swap("k", None, "2")
    assert not await other.swap("k", "1", "2")
    assert await other.swap("k", "状态 1", "2")
    assert not await one.swap("k", "状态 1", "3")
    assert await one.swap("k", "2", None)
    assert await other.state("k") is None


async def test_of_many_swaps_at_once_one_succeeds(stores):
    for old in (None, "0"):
        won = await asyncio.gather(*(store.swap("k", old, f"{number}") for number, store in enumerate(stores * 8, 1)))
        assert won.count(True) == 1
        await stores[0].swap("k", await stores[0].state("k"), "0")


async def test_in_memory_claims_live_as_long_as_the_run():
    claims = ClaimsInMemory()
    run = history("q")
    assert await claims.claim(run, "1.1", 0)
    assert not await claims.claim(run, "1.1", 0)
    assert await claims.claim(history("q"), "1.1", 0)
