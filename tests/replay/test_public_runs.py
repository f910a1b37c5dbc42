"""Recorded public runs through our reader and loop: the same actions, the same answers, the published scores.

Every difference has a rule of the policy (corpus/POLICY.md) as its reason, and each is counted.
"""

from collections import Counter

import pytest
from episodes import FIREACT, Episode, action, fever, fireact

from tao.dialects.bracket import Bracket
from tao.evaluation.graders import normal
from tao.events import Asked, Decided, Misread
from tao.loop import react
from tao.messages import Observation
from tao.run import Run
from tao.testing import ReplayAct, ScriptedModel, no_policy, silence, spec

FEVER_TOOLS = (spec("Search", entity="string"), spec("Lookup", string="string"))
FIREACT_TOOLS = (spec("search", query="string"),)
SCORES = {"gpt-3.5-turbo": (200, 465), "llama-2-13b": (172, 499), "llama-2-7b": (131, 500)}
DIFFERENCES = {
    "gpt-3.5-turbo": {"B1 quotes around the whole input": 3, "A3 unknown tool": 1, "C3 text behind the brackets": 3, "A4 nothing in the brackets": 1},
    "llama-2-13b": {"A4 nothing in the brackets": 4},
    "llama-2-7b": {"G2 the brackets are not closed": 1, "A3 unknown tool": 26},
}
LONGER = {"gpt-3.5-turbo": 4, "llama-2-13b": 1, "llama-2-7b": 0}
"""Episodes whose recorded answer also holds the Thought that came after the answer's line."""


async def lived(episode: Episode, tools):
    """The episode under our loop, with what the recorded world showed after each step."""
    shown = {f"{step}.1": Observation(text) for step, text in enumerate(episode.observations, 1)}
    run = Run(episode.id, [Asked(episode.question, tools, dialect="bracket")])
    return await react(run, ScriptedModel(*episode.outputs), Bracket(), ReplayAct(shown), no_policy, silence)


def readings(run):
    return [event for event in run.events if isinstance(event, Decided | Misread)]


def done(reading):
    """What a reading does, as `action` tells it of the text."""
    if isinstance(reading, Misread):
        return None
    return (reading.calls[0].tool.lower(), *reading.calls[0].args.values()) if reading.calls else ("finish", reading.answer)


def reason(output, reading):
    """The rule by which a reading is not what the plainest rule finds; "" where it is, "?" where no rule says so."""
    there, ours = action(output), done(reading)
    if there and ours == (there[0].lower(), there[1].strip()):
        return ""
    why = reading.reason if isinstance(reading, Misread) else ""
    if why == "unknown_tool":
        return "A3 unknown tool"
    if why == "truncated" and not output.rstrip().endswith("]"):
        return "G2 the brackets are not closed"
    if why == "no_answer" and there and not there[1].strip():
        return "A4 nothing in the brackets"
    if ours and there and there[1] == f'"{ours[1]}"':
        return "B1 quotes around the whole input"
    if ours and there and there[1].startswith(f"{ours[1]}] "):
        return "C3 text behind the brackets"
    return "?"


async def test_fever_episodes_give_the_same_actions_and_answers():
    right, odd = 0, Counter()
    for episode in fever():
        run = await lived(episode, FEVER_TOOLS)
        assert len(readings(run)) == len(episode.outputs), episode.id
        odd.update(filter(None, map(reason, episode.outputs, readings(run))))
        assert run.answer == episode.predicted, episode.id
        assert (run.answer == episode.gold) == episode.right, episode.id
        right += run.answer == episode.gold
    assert (right, dict(odd)) == (145, {"A3 unknown tool": 1})


async def test_an_action_whose_input_stands_below_its_label():
    """One recorded output breaks the form: a blank line, the label alone, a blank line, the call."""
    output = " I give up.\n\nAction 7:\n\nFinish[NOT ENOUGH INFO]"
    run = await lived(Episode("2817", "", (output,), (), None, "", right=False), FEVER_TOOLS)
    assert run.answer == "NOT ENOUGH INFO"


@pytest.mark.parametrize("model", FIREACT)
async def test_fireact_episodes_give_the_same_actions_and_the_published_score(model):
    right, longer, odd, episodes = 0, 0, Counter(), fireact(model)
    for episode in episodes:
        run = await lived(episode, FIREACT_TOOLS)
        assert len(readings(run)) == len(episode.outputs), episode.id
        odd.update(filter(None, map(reason, episode.outputs, readings(run))))
        answer, predicted = normal(run.answer or ""), episode.predicted or ""
        assert answer == predicted or predicted.startswith(f"{answer} thought "), episode.id
        longer += answer != predicted
        assert (answer == normal(episode.gold)) == episode.right, episode.id
        right += answer == normal(episode.gold)
    assert (right, len(episodes)) == SCORES[model]
    assert dict(odd) == DIFFERENCES[model]
    assert longer == LONGER[model]


@pytest.mark.parametrize("model", FIREACT)
async def test_the_thought_label_may_be_missing(model):
    """A completion model was given the label; what it wrote begins behind it."""
    for episode in fireact(model)[:100]:
        bare = tuple(output.removeprefix("Thought: ") for output in episode.outputs)
        run = await lived(Episode(episode.id, episode.question, bare, episode.observations, None, "", right=False), FIREACT_TOOLS)
        assert run.answer == (await lived(episode, FIREACT_TOOLS)).answer, episode.id
