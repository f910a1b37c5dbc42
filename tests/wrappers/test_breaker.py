import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.errors import ConfigError, Pause, StoreError
from tao.messages import Call, Observation, ToolSpec
from tao.stores.sql import Journal
from tao.testing import FakeClock, MemoryJournal, history
from tao.wrappers.breaker import FRESH, Circuit, _parsed, _written, breaker

FORM = {"type": "object"}
TOOLS = (ToolSpec("fetch", "", FORM, ("reads", "network")), ToolSpec("local", "", FORM))
CALL = Call("1.1", "fetch", {})
GOOD, DOWN, WRONG = Observation("ok"), Observation("down", ok=False, kind="transient"), Observation("no", ok=False, kind="error")


class Service:
    """Gives what it is set to; counts how often it was really asked."""

    def __init__(self, seen=DOWN):
        self.seen, self.done = seen, 0

    async def __call__(self, call, run):
        self.done += 1
        if isinstance(self.seen, BaseException):
            raise self.seen
        return self.seen


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def run():
    return history("q", tools=TOOLS)


async def kinds(act, run, times, call=CALL):
    return [(await act(call, run)).kind for _ in range(times)]


async def test_after_so_many_failures_it_is_left_alone_until_a_probe_works(run, clock):
    service = Service()
    act = breaker(service, 3, cool_down=30, clock=clock)
    assert await kinds(act, run, 5) == ["transient"] * 3 + ["unavailable"] * 2
    assert service.done == 3
    clock.now += 29.9
    assert await kinds(act, run, 1) == ["unavailable"]
    clock.now += 0.1
    assert await kinds(act, run, 2) == ["transient", "unavailable"]  # the probe failed: the wait begins anew
    clock.now += 30
    service.seen = GOOD
    assert await kinds(act, run, 3) == ["", "", ""]
    service.seen = DOWN
    assert await kinds(act, run, 4) == ["transient"] * 3 + ["unavailable"]


async def test_it_says_when_it_may_be_tried_again(clock):
    run = history("q", tools=TOOLS)
    act = breaker(Service(), 1, cool_down=30, clock=clock)
    await act(CALL, run)
    clock.now += 10
    seen = await act(CALL, run)
    assert seen.text.startswith("fetch has failed several times in a row, was not run now, and may be tried again in 20 s. Use another tool (local)")
    assert (seen.ok, seen.data) == (False, {"retry_after": 20})
    assert (await act(CALL, history("q", tools=TOOLS, lang="zh"))).text.startswith("fetch 连续多次失败，这次没有执行，20 秒后可再试。请用其他工具（local）")


async def test_what_works_between_and_what_is_long_ago_does_not_count(run, clock):
    service = Service()
    act = breaker(service, 2, window=60, clock=clock)
    for seen, pause in ((DOWN, 0), (GOOD, 0), (DOWN, 60), (DOWN, 0)):
        service.seen = seen
        assert await kinds(act, run, 1) == [seen.kind]
        clock.now += pause
    assert await kinds(act, run, 2) == ["transient", "unavailable"]


async def test_an_error_may_be_the_arguments_fault(run, clock):
    act = breaker(Service(WRONG), 1, clock=clock)
    assert await kinds(act, run, 3) == ["error"] * 3
    act = breaker(Service(WRONG), 1, kinds=["error"], clock=clock)
    assert await kinds(act, run, 2) == ["error", "unavailable"]


async def test_tools_are_told_apart(run, clock):
    act = breaker(Service(), 1, clock=clock)
    await kinds(act, run, 1)
    assert await kinds(act, run, 2, Call("1", "local", {})) == ["transient", "unavailable"]


async def test_one_probe_at_a_time(run, clock):
    service, release, started = Service(), asyncio.Event(), []

    async def slow(call, run):
        started.append(call)
        await release.wait()
        return GOOD

    shared = MemoryJournal()
    await breaker(service, 1, states=shared, clock=clock)(CALL, run)
    clock.now += 30
    acts = [breaker(slow, 1, states=shared, clock=clock) for _ in range(2)]
    calls = [asyncio.create_task(act(CALL, run)) for act in acts * 3]
    for _ in range(20):
        await asyncio.sleep(0)
    assert sum(call.done() for call in calls) == 5
    release.set()
    assert sorted([(await call).kind for call in calls]) == [""] + ["unavailable"] * 5
    assert len(started) == 1


@pytest.mark.parametrize("stop", [asyncio.CancelledError(), Pause("ask"), StoreError("full"), KeyError("bug")])
async def test_a_probe_that_says_nothing_lets_another_one_try(stop, run, clock):
    service = Service()
    act = breaker(service, 1, clock=clock)
    await act(CALL, run)
    clock.now += 30
    service.seen = stop
    with pytest.raises(type(stop)):
        await act(CALL, run)
    service.seen = GOOD
    assert await kinds(act, run, 2) == ["", ""]


async def test_a_probe_that_was_not_carried_out_says_nothing_either(run, clock):
    service = Service()
    act = breaker(service, 1, clock=clock)
    await act(CALL, run)
    clock.now += 30
    service.seen = Observation("not permitted", ok=False, kind="denied")
    assert await kinds(act, run, 2) == ["denied", "denied"]


async def test_a_probe_of_a_process_that_died_is_not_waited_for(run, clock):
    shared = MemoryJournal()
    shared.states["breaker:fetch"] = _written(Circuit((clock.now,), clock.now, clock.now + 60))
    clock.now += 59
    act = breaker(Service(GOOD), 1, states=shared, clock=clock)
    assert await kinds(act, run, 1) == ["unavailable"]
    clock.now += 1
    assert await kinds(act, run, 1) == [""]


@pytest.mark.parametrize("place", ["sqlite", "postgres"])
async def test_processes_know_of_each_other_through_the_journal(place, request, tmp_path, run, clock):
    where = request.getfixturevalue("postgres") if place == "postgres" else tmp_path / "runs.db"
    async with Journal(where) as one, Journal(where) as two:
        service = Service()
        first, second = (breaker(service, 4, states=journal, clock=clock) for journal in (one, two))
        for act in (first, second, first, second):
            clock.now += FRESH * 2
            assert await kinds(act, run, 1) == ["transient"]
        clock.now += FRESH * 2
        assert await kinds(first, run, 1) + await kinds(second, run, 1) == ["unavailable"] * 2
        clock.now += 30
        service.seen = GOOD
        assert await kinds(second, run, 1) + await kinds(first, run, 1) == ["", ""]
        assert await one.state("breaker:fetch") is None


async def test_a_tool_that_does_not_reach_out_asks_no_store(run, clock):
    class Broken(MemoryJournal):
        async def state(self, key):
            raise AssertionError

        swap = state

    act = breaker(Service(), 1, states=Broken(), clock=clock)
    assert await kinds(act, run, 2, Call("1", "local", {})) == ["transient", "unavailable"]


async def test_a_store_that_fails_leaves_each_process_its_own_count(run, clock, caplog):
    class Full(MemoryJournal):
        async def state(self, key):
            raise StoreError("the disk is full")

        async def swap(self, key, old, new):
            raise StoreError("the disk is full")

    act = breaker(Service(), 2, states=Full(), clock=clock)
    assert await kinds(act, run, 3) == ["transient", "transient", "unavailable"]
    assert "cannot be written: the disk is full" in caplog.text


@pytest.mark.parametrize("text", ["", "x", "[]", "[1, 2, 3]", '[["a"], null, null]', "{}", "null", "[[1.0], {}, null]"])
def test_a_stored_text_that_cannot_be_read_is_a_closed_circuit(text):
    assert _parsed(text) == Circuit()


@given(st.builds(Circuit, st.lists(st.floats(0, 1e10)).map(tuple), st.none() | st.floats(1, 1e10), st.none() | st.floats(1, 1e10)))
def test_what_is_written_is_read_again(circuit):
    assert _parsed(_written(circuit)) == circuit


@given(st.lists(st.tuples(st.sampled_from([GOOD, DOWN, WRONG]), st.integers(0, 40)), max_size=60))
async def test_the_service_is_never_asked_while_it_is_left_alone(steps):
    clock, run, service = FakeClock(), history("q", tools=TOOLS), Service()
    act = breaker(service, 3, window=100, cool_down=30, clock=clock)
    row, opened = [], None
    for seen, pause in steps:
        service.seen = seen
        before, came = service.done, (await act(CALL, run)).kind
        alone = opened is not None and clock.now < opened + 30
        assert (service.done == before) == alone == (came == "unavailable")
        if not alone:
            row = [at for at in row if clock.now - at < 100] + [clock.now] if seen is DOWN else []
            opened = clock.now if seen is DOWN and (opened is not None or len(row) >= 3) else None
        clock.now += pause


def test_a_number_below_one_is_refused():
    with pytest.raises(ConfigError, match="the number of failures must be 1 or more, not 0"):
        breaker(Service(), 0)
