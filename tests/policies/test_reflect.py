"""Looking back: when, in what words, and that it takes no call of its own."""

from dataclasses import replace

import pytest

from tao import Agent
from tao.errors import ConfigError
from tao.events import Decided, Misread, Nudged, Observed, Replied
from tao.messages import Call, Observation, Reply
from tao.policies import default, reflect
from tao.policies.reflect import usual
from tao.run import NO_TOOLS
from tao.seams import Abilities
from tao.testing import ScriptedModel, history

LOOK_BACK = Nudged("look back", "reflect")
PLAIN = Abilities(tools=False)
HELD = Abilities(constraint="gbnf", small=True)


def step(number, *, ok=True, calls=1):
    """One reply, its calls, and what they gave; the first one fails where `ok` is false."""
    made = tuple(Call(f"{number}.{n}", "search", {"query": f"{number}{n}"}) for n in range(1, calls + 1))
    seen = [Observed(call.id, Observation(f"found {call.id}", ok=ok or n > 0)) for n, call in enumerate(made)]
    return [Replied(Reply("r")), Decided("t", made), *seen]


def run(*steps, question="Where is it?", lang="en"):
    return history(question, *(event for one in steps for event in one), lang=lang)


def spoke(policy, *steps):
    return policy(run(*steps)) is not None


def test_every_so_many_replies():
    assert [spoke(reflect(), *map(step, range(count))) for count in range(1, 5)] == [False, False, True, True]
    three = [step(1), step(2), step(3)]
    assert [spoke(reflect(), *three, [LOOK_BACK], *map(step, range(count))) for count in range(1, 4)] == [False, False, True]
    assert [spoke(reflect(2), *map(step, range(count))) for count in range(1, 3)] == [False, True]


def test_after_a_failure_but_not_after_each_of_a_row():
    assert spoke(reflect(), step(1), step(2, ok=False))
    assert spoke(reflect(), step(1), step(2, ok=False, calls=2))
    assert not spoke(reflect(), step(1), step(2, ok=False), [LOOK_BACK], step(3, ok=False))
    assert spoke(reflect(), step(1), step(2, ok=False), [LOOK_BACK], step(3, ok=False), step(4, ok=False))
    assert not spoke(reflect(), step(1, ok=False), step(2))


def test_only_between_an_observation_and_the_next_reply():
    three = [step(1), step(2), step(3)]
    assert not spoke(reflect(), *three, [Replied(Reply("x")), Decided(answer="x")])
    assert not spoke(reflect(), *three, [Replied(Reply("x")), Misread("no_step")])
    assert not spoke(reflect(), *three, [Nudged("other", "loop_guard")])
    waiting = [Replied(Reply("x")), Decided("t", (Call("4.1", "a", {}), Call("4.2", "b", {}))), Observed("4.1", Observation("x"))]
    assert not spoke(reflect(), *three, waiting)


def test_a_servers_refusal_of_tools_is_no_reply():
    assert not spoke(reflect(), [Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS)], step(1), step(2))


@pytest.mark.parametrize(("lang", "words", "failed"), [
    ("en", ["Was that useful", "still what was asked", "shorter way"], "That failed."),
    ("zh", ["这一步有用吗", "还是所问的事吗", "更短的路"], "失败了。"),
])  # fmt: skip
def test_it_asks_three_things_in_a_few_words(lang, words, failed):
    nudge = reflect()(run(step(1), step(2), step(3), lang=lang))
    assert [word for word in words if word not in nudge.text] == []
    assert len(nudge.text) < 80, "it stands in every later prompt of the run"
    assert (nudge.by, nudge.may_call, nudge.may_answer, nudge.without, nudge.hide) == ("reflect", True, True, (), False)
    assert reflect()(run(step(1), step(2, ok=False), lang=lang)).text.startswith(failed)


@pytest.mark.parametrize(("steps", "abilities", "often"), [
    (8, PLAIN, 3), (6, PLAIN, 3), (5, PLAIN, 0), (8, HELD, 0), (8, replace(PLAIN, small=True), 3), (8, replace(PLAIN, constraint="gbnf"), 3),
    (8, Abilities(), "failures"), (5, Abilities(), 0),
])  # fmt: skip
async def test_what_is_usual_is_recorded(steps, abilities, often):
    assert usual(steps, abilities) == often
    run = await Agent(ScriptedModel("Final Answer: x", abilities=abilities), dialect="react", max_steps=steps).run("q")
    assert run.asked.settings["reflect"] == often


@pytest.mark.parametrize("given", [0, 1, "failures", None])
async def test_the_setting_goes_before_what_is_usual(given):
    run = await Agent(ScriptedModel("Final Answer: x"), dialect="react", settings={"reflect": given}).run("q")
    assert run.asked.settings["reflect"] == given


@pytest.mark.parametrize("given", [-1, "often", 1.5, True])
def test_a_setting_that_makes_no_sense(given):
    with pytest.raises(ConfigError, match=r"reflect is .*; it must be a whole number, 0 for never") as caught:
        Agent(ScriptedModel(), settings={"reflect": given})
    assert "应为不小于 0 的整数" in str(caught.value)


def test_with_failures_it_looks_back_after_those_alone():
    policy = default({"reflect": "failures"}, Abilities())
    assert policy(run(step(1), step(2), step(3))) is None
    assert policy(run(step(1), step(2), step(3), step(4, ok=False))).text.startswith("That failed.")


def test_runs_that_recorded_nothing_of_it_do_not_look_back():
    assert default({}, Abilities())(run(step(1), step(2), step(3))) is None
    assert default({"reflect": 3}, Abilities())(run(step(1), step(2), step(3))).by == "reflect"


async def test_it_rides_on_the_next_call():
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    calls = [f'Thought: t\nAction: add\nAction Input: {{"a": {n}, "b": 1}}' for n in range(3)]
    model = ScriptedModel(*calls, "Final Answer: 3", abilities=PLAIN)
    run = await Agent(model, [add], dialect="react", lang="en").run("What is it?")
    assert [nudge.by for nudge in run.all(Nudged)] == ["reflect"]
    assert len(model.requests) == 4
    assert "Was that useful?" in model.requests[3].messages[-1].content
