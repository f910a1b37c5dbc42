from dataclasses import replace

import pytest

from tao.agent import Agent, recorded_abilities
from tao.dialects import choose
from tao.errors import ModelError, Pause, Refused, StoreError
from tao.events import Asked, Decided, Ended, Nudged, Observed, Paused, Replied, Ruled
from tao.loop import react
from tao.messages import Call, Observation
from tao.policies import default
from tao.replay import Difference, replay
from tao.run import Run, args_hash
from tao.testing import ScriptedModel, no_policy, silence

CALLS = 'Thought: I add them.\nAction: add\nAction Input: {"a": 2, "b": 3}'
ANSWERS = "Thought: I have it.\nFinal Answer: It is 5."


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def fails() -> int:
    """Fail."""
    raise ValueError("no luck")


async def recorded(*replies, **options):
    return await Agent(ScriptedModel(*replies), [add, fails], dialect="react", **options).run("What is 2+3?")


async def again(run, policy=None):
    abilities = recorded_abilities(run.asked)
    return await replay(run, choose(run.asked.dialect, abilities), policy or default(run.asked.settings, abilities))


@pytest.mark.parametrize("replies", [
    (CALLS, ANSWERS),
    (ANSWERS,),
    ("Thought: I do not know.", "Thought: then\nAction: fails\nAction Input: {}", ANSWERS),
    ("Action: nothing\nAction Input: {}", CALLS, ANSWERS),
    (CALLS, CALLS, CALLS, CALLS, CALLS, CALLS, CALLS, CALLS, CALLS),
    (CALLS, ModelError("no power: at all")),
    (Refused("bad key"),),
    ('[{"name": "add", "arguments": {"a": 1, "b": 1}}, {"name": "fails", "arguments": {}}]', ANSWERS),
], ids=["answered", "at once", "misread", "unknown tool", "round in circles", "failed late", "failed at once", "two calls"])  # fmt: skip
async def test_what_was_recorded_replays_exactly(replies):
    run = await recorded(*replies)
    assert await again(run) == []


@pytest.mark.parametrize("stop", range(1, 7))
async def test_an_interrupted_run_is_compared_as_far_as_it_got(stop):
    run = await recorded(CALLS, ANSWERS)
    assert await again(Run(run.id, run.events[:stop])) == []


async def test_the_replay_leaves_the_record_as_it_is():
    run = await recorded(CALLS, ANSWERS)
    before = list(run.events)
    await again(run)
    assert run.events == before
    assert all(old is new for old, new in zip(before, run.events, strict=True))


async def test_another_prompt_is_noted_and_the_replay_goes_on():
    run = await recorded(CALLS, ANSWERS)
    run.events[0] = replace(run.asked, instructions="Say please.")
    differences = await again(run)
    assert [difference.number for difference in differences] == [1, 4]
    assert all(difference.recorded.prompt != difference.now.prompt for difference in differences)
    assert all(difference.recorded.reply == difference.now.reply for difference in differences)


async def test_a_reply_that_was_recorded_without_its_prompt_does_not_differ():
    run = await recorded(CALLS, ANSWERS)
    run.events[:] = [replace(event, prompt="") if isinstance(event, Replied) else event for event in run.events]
    assert await again(run) == []


async def test_the_first_other_decision_ends_the_replay():
    run = await recorded(CALLS, ANSWERS)
    run.events[2] = Decided("something else", (Call("1.1", "add", {"a": 9, "b": 9}),))
    (difference,) = await again(run)
    assert (difference.number, difference.recorded) == (2, run.events[2])
    assert difference.now.calls[0].args == {"a": 2, "b": 3}


async def test_a_policy_that_says_more_than_the_record_is_seen():
    run = await recorded(CALLS, ANSWERS)
    assert await again(run, lambda run: Nudged("wait", "mine") if run.steps == 1 else None) == [
        Difference(4, run.events[4], Nudged("wait", "mine"))
    ]


async def test_a_policy_that_says_less_than_the_record_is_seen():
    run = await recorded(CALLS, ANSWERS)
    run.events.insert(4, Nudged("careful", "old"))
    assert await again(run) == [Difference(4, run.events[4], None)]


async def test_an_observation_out_of_nowhere_is_seen():
    run = await recorded(CALLS, ANSWERS)
    run.events[3] = Observed("7.7", Observation("5"))
    assert await again(run) == [Difference(3, run.events[3], None)]


async def test_parallel_calls_come_back_in_the_order_in_which_they_did():
    run = await recorded(
        '[{"name": "add", "arguments": {"a": 1, "b": 1}}, {"name": "add", "arguments": {"a": 2, "b": 2}}]', ANSWERS
    )
    first, second = (at for at, event in enumerate(run.events) if isinstance(event, Observed))
    run.events[first], run.events[second] = run.events[second], run.events[first]
    assert all(isinstance(difference.now, Replied) for difference in await again(run))  # the prompt may show them in this order


async def test_policies_see_the_recorded_times():
    run = await recorded(CALLS, ANSWERS, settings={"deadline": 1000})
    slow = Run(run.id, [replace(event, at=event.at + 5000 * number) for number, event in enumerate(run.events)])
    (difference,) = await again(slow)
    assert isinstance(difference.now, Ended)
    assert difference.now.reason == "deadline"


# ── what came from outside ────────────────────────────────────────────────────


async def test_a_pause_and_a_ruling_replay():
    async def act(call, run):
        if run.ruling(call) is None:
            raise Pause("approval", call.id)
        return Observation("5")

    dialect, model = choose("react", recorded_abilities(Asked("q"))), ScriptedModel(CALLS, ANSWERS)
    run = Run("r", [Asked("What is 2+3?", (await recorded(ANSWERS)).asked.tools, "en", "react", at=1.0)])
    await react(run, model, dialect, act, no_policy, silence)
    assert run.state == "paused"
    assert await replay(run, dialect, no_policy) == []
    run.events.append(Ruled("1.1", args_hash("add", {"a": 2, "b": 3}), "approve", "me", at=9.0))
    await react(run, model, dialect, act, no_policy, silence)
    assert run.answer == "It is 5."
    assert await replay(run, dialect, no_policy) == []


async def test_a_run_that_the_journal_stopped_replays():
    written = []

    async def journal(run, event):
        written.append(event)
        if isinstance(event, Replied):
            raise StoreError("locked")

    run = Run("r", [Asked("q?", (), "en", "react")])
    dialect = choose("react", recorded_abilities(run.asked))
    await react(run, ScriptedModel(ANSWERS), dialect, None, no_policy, journal)
    assert [type(event) for event in run.events] == [Asked, Replied, Ended]
    assert await replay(run, dialect, no_policy) == []


async def test_a_record_that_does_not_begin_with_a_question_is_no_run():
    assert await replay(Run("r"), None, no_policy) == [Difference(0, None, None)]
    assert await replay(Run("r", [Paused("x")]), None, no_policy) == [Difference(0, Paused("x"), None)]


