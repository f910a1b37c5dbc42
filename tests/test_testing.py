"""The doubles do as they say."""

import asyncio

import pytest

from tao.errors import ModelError, StoreError
from tao.events import Asked, Ended, Observed
from tao.messages import Call, Observation, Reply, Request
from tao.run import Run
from tao.seams import Abilities
from tao.testing import FakeClock, FunctionAct, MemoryJournal, ReplayAct, ScriptedModel, did, history, no_policy, silence, spec

ASK = Request(())


async def test_a_scripted_model_answers_in_turn_and_keeps_the_requests():
    model = ScriptedModel("one two", Reply("three", finish="length"), ModelError("four"))
    assert (await model(ASK)).text == "one two"
    assert (await model(ASK)).finish == "length"
    with pytest.raises(ModelError, match="four"):
        await model(ASK)
    with pytest.raises(ModelError, match="the script has 3 replies and was asked for one more"):
        await model(ASK)
    assert model.requests == [ASK] * 4
    assert (model.name, model.abilities) == ("scripted", Abilities())


async def test_it_streams_in_pieces_and_stops_when_told():
    heard = []
    model = ScriptedModel("abcdefgh", "abcdefgh", chunk=3)
    assert (await model(ASK, lambda text: bool(heard.append(text)))).text == "abcdefgh"
    assert heard == ["abc", "def", "gh"]
    heard.clear()
    await model(ASK, lambda text: heard.append(text) or len(heard) == 2)
    assert heard == ["abc", "def"]


async def test_a_replaying_act_gives_what_was_recorded():
    act = ReplayAct({"1.1": Observation("3")})
    assert (await act(Call("1.1", "add", {}), Run("x"))).text == "3"
    with pytest.raises(StoreError, match=r"the record has no observation for call 1.2 \(add\)"):
        await act(Call("1.2", "add", {}), Run("x"))
    assert [call.id for call in act.calls] == ["1.1", "1.2"]


async def test_an_act_of_functions():
    act = FunctionAct(add=lambda a, b: a + b)
    assert await act(Call("1.1", "add", {"a": 1, "b": 2}), Run("x")) == Observation("3")
    failed = await act(Call("1.2", "add", {"a": 1}), Run("x"))
    assert (failed.ok, failed.kind) == (False, "error")
    assert "TypeError" in failed.text
    assert (await act(Call("1.3", "none", {}), Run("x"))).text == "KeyError: 'none'"


async def test_a_journal_in_memory_finds_runs_by_their_beginning():
    journal = MemoryJournal()
    for name in ("abc", "abd", "b"):
        await journal(Run(name), Asked(name))
    assert (await journal.load("abc")).events == [Asked("abc")]
    assert (await journal.load("abd")).id == (await journal.load("abd")).id
    assert (await journal.load("b")).id == "b"
    with pytest.raises(StoreError, match="run 'ab' could be abc, abd"):
        await journal.load("ab")
    for missing in ("x", ""):
        with pytest.raises(StoreError, match=f"no run '{missing}'"):
            await journal.load(missing)


async def test_time_moves_only_when_told():
    clock = FakeClock(100.0)
    await asyncio.wait_for(clock.sleep(3600), 1)
    assert clock() == 3700.0


async def test_what_says_nothing():
    assert no_policy(Run("x")) is None
    assert await silence(Run("x"), Ended("answered")) is None


def test_builders():
    tool = spec("add", "adds", a="integer", b="string?")
    assert tool.parameters == {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]}
    run = history("q", *did(1, "add", "3", "I add", a=1), *did(2, "add", Observation("no", ok=False)), tools=[tool], lang="zh", id="x")
    assert (run.id, run.asked.lang, run.asked.tools) == ("x", "zh", (tool,))
    assert [(call.id, seen.ok) for call, seen in run.observed] == [("1.1", True), ("2.1", False)]
    assert run.events[1].thought == "I add"
    assert isinstance(run.events[-1], Observed)
