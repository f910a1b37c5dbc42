"""Right answers of the recorded public runs: how often grounding by code objects to one."""

import pytest
from episodes import FIREACT, fever, fireact

from tao.dialects.bracket import Bracket
from tao.events import Asked, Decided
from tao.loop import react
from tao.messages import Observation
from tao.policies.verify import ungrounded
from tao.run import Run
from tao.testing import ReplayAct, ScriptedModel, no_policy, silence, spec

FEVER_TOOLS = (spec("Search", entity="string"), spec("Lookup", string="string"))
FIREACT_TOOLS = (spec("search", query="string"),)


@pytest.mark.parametrize("name", ["fever", *FIREACT])
async def test_no_value_of_a_right_answer_is_taken_to_come_from_nowhere(name):
    """The three that are were given from the head, before anything was looked up."""
    answers, alarms, unseen = 0, 0, 0
    for episode in fever() if name == "fever" else fireact(name):
        if not episode.right:
            continue
        shown = {f"{step}.1": Observation(text) for step, text in enumerate(episode.observations, 1)}
        run = Run(episode.id, [Asked(episode.question, FEVER_TOOLS if name == "fever" else FIREACT_TOOLS, dialect="bracket")])
        run = await react(run, ScriptedModel(*episode.outputs), Bracket(), ReplayAct(shown), no_policy, silence)
        last = max(place for place, event in enumerate(run.events) if isinstance(event, Decided) and event.answer is not None)
        before = Run(run.id, run.events[: last + 1])
        answers += 1
        if ungrounded(before, before.proposed or "") is not None:
            alarms += bool(run.observed)
            unseen += not run.observed
    assert answers > 100
    assert (alarms, unseen) == (0, 3 if name == "gpt-3.5-turbo" else 0)
