"""Replies as one JSON object, for servers that hold a reply to a JSON schema and to nothing else."""

import json

import pytest

from tao.agent import Agent
from tao.dialects import choose
from tao.dialects.json_action import JsonReply, reply_schema
from tao.events import Decided, Nudged, Replied
from tao.messages import Reply
from tao.seams import Abilities
from tao.testing import ScriptedModel, did, history, spec

OLLAMA = Abilities(constraint="json_schema")
TOOLS = [spec("shelf", title="string"), spec("clock")]


def arms(schema):
    return {arm["properties"]["tool"]["enum"][0]: arm["properties"]["args"] for arm in schema.get("anyOf", [schema])}


def test_the_schema_offers_each_tool_with_its_arguments_and_the_answer():
    schema = reply_schema(history("Where does Moby Dick stand?", tools=TOOLS))
    assert list(arms(schema)) == ["shelf", "clock", "Final Answer"]
    assert arms(schema)["shelf"]["required"] == ["title"]
    assert list(schema["anyOf"][0]["properties"]) == ["thought", "tool", "args"]


@pytest.mark.parametrize(
    ("nudge", "offered"),
    [
        (Nudged("", "x", without=("shelf",)), ["clock", "Final Answer"]),
        (Nudged("", "x", may_answer=False), ["shelf", "clock"]),
        (Nudged("", "x", may_call=False), ["Final Answer"]),
    ],
)
def test_a_nudge_narrows_the_schema(nudge, offered):
    assert list(arms(reply_schema(history("?", nudge, tools=TOOLS)))) == offered


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_step_reads_back_as_itself(lang):
    run = history("Where?", *did(1, "shelf", "B 12", '先查 "书架"', title="白鲸\n记"), tools=TOOLS, lang=lang)
    dialect = JsonReply()
    decided = next(run.all(Decided))
    run.events.append(Replied(Reply(dialect.say(decided))))
    read = dialect.parse(run)
    assert (read.calls[0].tool, read.calls[0].args, read.thought) == ("shelf", {"title": "白鲸\n记"}, decided.thought)
    run.events[-1] = Replied(Reply(dialect.say(Decided("知道了", answer='在 "B 12" 架'))))
    assert dialect.parse(run).answer == '在 "B 12" 架'
    assert dialect.render(run).schema == reply_schema(run)


def test_such_a_server_goes_from_calls_to_json_to_text():
    assert choose("auto", OLLAMA).ladder() == ("native", "json", "react")
    assert choose("auto", Abilities()).ladder() == ("native", "react", "json")


async def test_a_whole_run_in_it():
    model = ScriptedModel(
        json.dumps({"thought": "look", "tool": "shelf", "args": {"title": "Moby Dick"}}),
        json.dumps({"thought": "known", "tool": "Final Answer", "args": {"answer": "B 12"}}),
        abilities=OLLAMA,
    )

    def shelf(title: str) -> str:
        """The shelf of a book. title: its title."""
        return f"{title}: B 12"

    run = await Agent(model, [shelf], dialect="json").run("Where does Moby Dick stand?")
    assert run.answer == "B 12"
    assert model.requests[0].schema is not None
    assert model.requests[0].grammar is None
