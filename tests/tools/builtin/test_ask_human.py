"""A question to a person: the run waits, and goes on with the answer, at once or days later."""

import pytest

from tao.agent import Agent
from tao.testing import MemoryJournal, ScriptedModel
from tao.tools.builtin.ask_human import ask_human
from tao.wrappers.approval import Ruling

ASKS = 'Thought: only they know\nAction: ask_human\nAction Input: {"question": "Which Lee?"}'


def agent(*replies, **options):
    return Agent(ScriptedModel(*replies), [ask_human()], dialect="react", journal=MemoryJournal(), **options)


async def test_the_run_waits_and_goes_on_with_the_answer():
    asking = agent(ASKS, "Thought: good\nFinal Answer: Ann Lee it is.")
    run = await asking.run("Call Lee")
    assert run.state == "paused"
    (one,) = asking.waiting(run)
    assert (one.reason, one.call.args) == ("Which Lee?", {"question": "Which Lee?"})
    await asking.rule(run, one.call.id, "answer", text="Ann Lee", by="boss")
    run = await asking.resume(run.id)
    assert [seen.text for _, seen in run.observed] == ["Ann Lee"]
    assert run.answer == "Ann Lee it is."


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_somebody_who_is_there_answers_at_once(lang):
    heard = []

    def answer(call, run):
        heard.append(call.args["question"])
        return Ruling("answer", "the tall one")

    run = await agent(ASKS, "Final Answer: done", approve=answer, lang=lang).run("Call Lee")
    assert (heard, run.observed[0][1].text) == (["Which Lee?"], "the tall one")


@pytest.mark.parametrize(("verdict", "text"), [("reject", "rejected"), ("approve", "no answer")])
async def test_no_answer_is_an_observation_too(verdict, text):
    run = await agent(ASKS, "Final Answer: done", approve=lambda call, run: Ruling(verdict)).run("Call Lee")
    assert text in run.observed[0][1].text
    assert run.ended


async def test_two_questions_at_once_are_answered_each():
    both = ASKS + '\nAction: ask_human\nAction Input: {"question": "When?"}'
    said = {"Which Lee?": "Ann", "When?": "Monday"}
    run = await agent(both, ASKS.replace("Which Lee?", "When?"), "Final Answer: done", approve=lambda call, run: Ruling("answer", said[call.args["question"]])).run("q")
    assert {seen.text for _, seen in run.observed} <= set(said.values())
    assert run.ended
