"""The loop: what comes next after every way a run can end, and what leaves it."""

import asyncio

import pytest

from tao.errors import ModelError, Pause, StoreError
from tao.events import Asked, Decided, Ended, Misread, Nudged, Observed, Paused, Replied, Ruled
from tao.loop import react
from tao.messages import Call, Observation, Reply, Request
from tao.run import Run, args_hash
from tao.testing import FunctionAct, MemoryJournal, ScriptedModel, history, no_policy, silence

ADD = Call("1.1", "add", {"a": 1, "b": 2})


class Script:
    """A dialect that reads replies by a table, and shows the number of events as its prompt."""

    def __init__(self, **meanings):
        self.meanings = meanings

    def render(self, run):
        return Request((), stop=(str(len(run.events)),))

    def parse(self, run):
        return self.meanings[run.events[-1].reply.text]

    def listen(self, run):
        raise NotImplementedError


def numbers(a, b):
    return a + b


async def drive(*replies, run=None, act=None, policy=no_policy, emit=silence, **meanings):
    meanings = {"call": Decided("I add", (ADD,)), "answer": Decided(answer="3"), "bad": Misread("empty", "say more"), **meanings}
    run = run or history("1+2?")
    return await react(run, ScriptedModel(*replies), Script(**meanings), act or FunctionAct(add=numbers), policy, emit)


def kinds(run):
    return " ".join(type(event).__name__ for event in run.events)


async def test_thought_action_observation_answer():
    journal = MemoryJournal()
    run = await drive("bad", "call", "answer", emit=journal)
    assert kinds(run) == "Asked Replied Misread Replied Decided Observed Replied Decided Ended"
    assert (run.answer, run.ended.reason, run.observed[0][1].text) == ("3", "answered", "3")
    assert journal.runs["test"] == run.events[1:]


async def test_every_event_has_its_time_and_a_given_one_is_kept():
    run = await drive("answer", answer=Decided(answer="3", at=5.0))
    assert [event.at > 0 for event in run.events[1:]] == [True, True, True]
    assert run.events[2].at == 5.0


async def test_the_reply_is_recorded_with_its_prompt_before_it_is_read():
    seen = []

    async def emit(run, event):
        seen.append((type(event).__name__, run.state))

    run = await drive("answer", emit=emit)
    assert seen == [("Replied", "unread"), ("Decided", "answering"), ("Ended", "ended")]
    assert run.events[1].prompt == Request((), stop=("1",)).digest()


@pytest.mark.parametrize("length", range(1, 8))
async def test_it_goes_on_from_every_prefix(length):
    whole = await drive("call", "answer")
    left = [event.reply for event in whole.events[length:] if isinstance(event, Replied)]
    run = await drive(*left, run=Run("again", whole.events[:length]))
    assert run.events == whole.events


async def test_calls_of_one_reply_are_made_together_and_recorded_as_they_come_back():
    order, ready = [], asyncio.Event()

    async def act(call, run):
        if call.tool == "slow":
            await ready.wait()
        order.append(call.tool)
        ready.set()
        return Observation(call.tool)

    both = Decided(calls=(Call("1.1", "slow", {}), Call("1.2", "quick", {})))
    run = await drive("call", "answer", call=both, act=act)
    assert order == ["quick", "slow"]
    assert [event.call_id for event in run.all(Observed)] == ["1.2", "1.1"]


async def test_only_calls_without_an_observation_are_made():
    both = Decided(calls=(ADD, Call("1.2", "add", {"a": 5, "b": 5})))
    act = FunctionAct(add=numbers)
    await drive("answer", run=history("q", Replied(Reply("call")), both, Observed("1.1", Observation("3"))), act=act)
    assert [call.id for call in act.calls] == ["1.2"]


# ── policies ──────────────────────────────────────────────────────────────────


async def test_a_policy_ends_the_run():
    run = await drive(policy=lambda run: Ended("max_steps", "so far", "no time"))
    assert (kinds(run), run.answer) == ("Asked Ended", "so far")


async def test_a_nudge_is_recorded_and_the_policy_is_not_asked_twice():
    asked = []

    def policy(run):
        asked.append(kinds(run))
        return Nudged("look again", "verify") if run.proposed and len(asked) < 5 else None

    run = await drive("answer", "answer", policy=lambda run: policy(run) if run.steps < 2 else None)
    assert kinds(run) == "Asked Replied Decided Nudged Replied Decided Ended"
    assert asked == ["Asked", "Asked Replied Decided"]


async def test_the_policy_is_not_asked_while_calls_are_pending():
    seen = []
    await drive("call", "answer", policy=lambda run: seen.append(run.state))
    assert seen == ["thinking", "thinking", "answering"]


# ── what stops it ─────────────────────────────────────────────────────────────


async def test_an_ended_run_stays_as_it_is():
    run = history("q", Ended("answered", "x"))
    assert (await drive(run=run)).events == [Asked("q"), Ended("answered", "x")]


async def test_an_error_of_the_model_ends_the_run_as_failed():
    run = await drive(ModelError("no power"))
    assert run.ended == Ended("failed", detail="ModelError: no power")


async def test_an_error_of_an_act_ends_the_run_after_the_other_calls_are_done():
    async def act(call, run):
        if call.id == "1.1":
            raise StoreError("disk full")
        await asyncio.sleep(0)
        return Observation("done")

    run = await drive("call", call=Decided(calls=(ADD, Call("1.2", "add", {}))), act=act)
    assert kinds(run) == "Asked Replied Decided Observed Ended"
    assert run.ended.detail == "StoreError: disk full"


async def test_a_pause_waits_for_a_person_and_a_ruling_lets_it_go_on():
    async def act(call, run):
        if run.ruling(call) is None:
            raise Pause("approve?", call.id)
        return Observation("3")

    run = await drive("call", act=act)
    assert (run.events[-1], run.state) == (Paused("approve?", "1.1"), "paused")
    run.events.append(Ruled("1.1", args_hash("add", ADD.args), "approve"))
    await drive("answer", run=run, act=act)
    assert kinds(run) == "Asked Replied Decided Paused Ruled Observed Replied Decided Ended"


async def test_a_bug_leaves_the_loop_even_beside_a_pause_or_an_error():
    async def act(call, run):
        raise {"1.1": Pause("wait"), "1.2": StoreError("full"), "1.3": ZeroDivisionError("a bug")}[call.id]

    run = history("q")
    three = Decided(calls=tuple(Call(f"1.{n}", "x", {}) for n in (1, 2, 3)))
    with pytest.raises(ZeroDivisionError, match="a bug"):
        await drive("call", run=run, call=three, act=act)
    assert kinds(run) == "Asked Replied Decided"
    with pytest.raises(KeyError):
        await drive("something else")


async def test_a_journal_that_cannot_write_is_not_passed_over():
    async def emit(run, event):
        raise StoreError("disk full")

    with pytest.raises(StoreError, match="disk full"):
        await drive("answer", emit=emit)


async def test_cancelling_stops_the_calls():
    begun, stopped = asyncio.Event(), []

    async def act(call, run):
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            stopped.append(call.id)

    run = history("q")
    task = asyncio.ensure_future(drive("call", run=run, act=act))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stopped == ["1.1"]
    assert run.state == "acting"
