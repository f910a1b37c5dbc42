"""One suite over every journal: what was awaited can be loaded, by id or by the beginning of one."""

import asyncio

import pytest

from tao.errors import StoreError
from tao.events import Asked, Decided, Ended, Event, Observed, Paused, Recalled, Replied, Ruled
from tao.messages import Call, Message, Observation, Reply, ToolCall, ToolSpec, Usage
from tao.run import Run
from tao.stores.sql import Journal
from tao.testing import MemoryJournal

CALL = Call("1.1", "find", {"q": "纸", "n": 3}, "abc")
EVENTS: list[Event] = [
    Asked(
        "问题?",
        (ToolSpec("find", "d", {"type": "object"}),),
        "zh",
        history=(Message("user", "before"),),
        settings={"max_steps": 8},
    ),
    Recalled(("a note",)),
    Replied(Reply("Thought: \ud800 half a pair\0", (ToolCall("find", "{}", "x"),), usage=Usage(5, 7)), "digest"),
    Decided("t", (CALL,), notes=("mended",)),
    Paused("approval", "1.1"),
    Ruled("1.1", "hash", "approve", "me"),
    Observed("1.1", Observation("文本", ok=False, data={"rows": [1, 2.5, None, True]}, kind="timeout")),
    Ended("answered", "42 \ud800", "detail"),
]


@pytest.fixture(params=["sql", "postgres", "memory"])
async def journal(request, tmp_path):
    where = request.getfixturevalue("postgres") if request.param == "postgres" else tmp_path / "deep" / "runs.db"
    made = MemoryJournal() if request.param == "memory" else Journal(where)
    yield made
    if request.param != "memory":
        await made.close()


async def keep(journal, run, *events):
    for event in events:
        run.events.append(event)
        await journal(run, event)
    return run


async def test_every_event_comes_back_as_it_was(journal):
    run = await keep(journal, Run("abc123"), *EVENTS)
    assert (await journal.load("abc123")).events == run.events
    assert [event.at for event in (await journal.load("abc123")).events] == [event.at for event in run.events]


async def test_a_run_can_be_loaded_while_it_goes_on(journal):
    run = Run("r")
    for number, event in enumerate(EVENTS, 1):
        await keep(journal, run, event)
        assert len((await journal.load("r")).events) == number


async def test_a_loaded_run_goes_on_in_the_journal(journal):
    await keep(journal, Run("r"), *EVENTS[:4])
    loaded = await journal.load("r")
    await keep(journal, loaded, *EVENTS[4:])
    assert (await journal.load("r")).events == EVENTS


async def test_the_beginning_of_an_id_is_enough_where_it_is_the_only_one(journal):
    for name in ("aa11", "aa22", "b", "bb", "a%"):
        await keep(journal, Run(name), EVENTS[0])
    assert (await journal.load("aa1")).id == "aa11"
    assert (await journal.load("b")).id == "b"
    assert (await journal.load("a%")).id == "a%"
    with pytest.raises(StoreError, match="could be aa11, aa22"):
        await journal.load("aa")


@pytest.mark.parametrize("name", ["", "nothing", "%", "_"])
async def test_an_unknown_run_is_named(journal, name):
    await keep(journal, Run("abc"), EVENTS[0])
    with pytest.raises(StoreError, match=f"no run '{name}'"):
        await journal.load(name)


async def test_many_runs_at_once_stay_apart(journal):
    runs = await asyncio.gather(*(keep(journal, Run(f"run-{n}"), *EVENTS[: n % 8 + 1]) for n in range(40)))
    for run in runs:
        assert (await journal.load(run.id)).events == run.events


async def test_events_that_come_together_keep_their_order(journal):
    run = await keep(journal, Run("r"), EVENTS[0])
    late = [Observed(f"1.{n}", Observation(str(n))) for n in range(20)]

    async def record(event):
        run.events.append(event)
        await journal(run, event)

    await asyncio.gather(*map(record, late))
    assert (await journal.load("r")).events == run.events
