"""Which dialect is in force: read off the run's history, one rung down at a time."""

import pytest

from tao.agent import Agent, recorded_dialect
from tao.dialects import NAMES, choose
from tao.dialects.auto import Auto, named
from tao.dialects.bracket import Bracket
from tao.dialects.json_action import JsonAction, JsonReply
from tao.dialects.native import Native
from tao.dialects.react import React
from tao.errors import ConfigError
from tao.events import Decided, Misread, Observed, Replied
from tao.messages import Call, Observation, Reply
from tao.run import NO_TOOLS
from tao.seams import Abilities
from tao.testing import ScriptedModel, history, spec

ADD = spec("add", a="integer", b="integer")
CALL = Call("1.1", "add", {"a": 1, "b": 2})
BAD = (Replied(Reply("?")), Misread("no_step", "what?"))
GOOD = (Replied(Reply("ok")), Decided(calls=(CALL,)), Observed("1.1", Observation("3")))
LEAKED = (Replied(Reply("ok")), Decided(calls=(CALL,), notes=("leaked_call",)), Observed("1.1", Observation("3")))
REFUSED = (Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS))


@pytest.mark.parametrize(("abilities", "start", "ladder"), [
    (Abilities(), "", ("native", "react", "json")), (Abilities(tools=False), "", ("react", "json")), (Abilities(dialect="react"), "", ("react", "json")),
    (Abilities(dialect="bracket"), "", ("bracket", "react", "json")), (Abilities(dialect="react"), "native", ("native", "react", "json")),
    (Abilities(), "json", ("json", "react")),
])  # fmt: skip
def test_the_order_in_which_dialects_are_tried(abilities, start, ladder):
    assert Auto(abilities, start).ladder() == ladder


@pytest.mark.parametrize(("events", "name"), [
    ((), "native"), (BAD, "native"), (BAD + BAD, "react"), (BAD + GOOD + BAD, "native"), (BAD * 3, "react"), (BAD * 4, "json"), (BAD * 9, "json"),
    (REFUSED, "react"), (REFUSED + BAD, "react"), (REFUSED + BAD + BAD, "json"), (BAD + REFUSED, "react"), (LEAKED, "react"), (LEAKED + LEAKED, "react"),
    (LEAKED + BAD + BAD, "json"), (GOOD, "native"), (REFUSED * 5, "json"),
])  # fmt: skip
def test_the_dialect_in_force_is_a_fact_of_the_history(events, name):
    assert Auto(Abilities()).in_force(history("q", *events)) == name


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_dialect_renders_and_reads_in_its_turn(lang):
    auto, kinds = Auto(Abilities()), []
    for events, said in (((), "3"), (REFUSED, 'Thought: x\nAction: add\nAction Input: {"a": 1, "b": 2}'), (REFUSED + BAD * 2, 'Action: {"tool": "add", "args": {"a": 1, "b": 2}}')):
        run = history("q", *events, tools=[ADD], lang=lang)
        request = auto.render(run)
        kinds.append("native" if request.tools else "json" if '"tool"' in request.messages[0].content else "react")
        run.events.append(Replied(Reply(said)))
        assert isinstance(auto.parse(run), Decided)
        assert auto.listen(run).feed("Thought: ") == []
    assert kinds == ["native", "react", "json"]


def test_a_refusal_of_tools_is_told_to_nobody():
    auto, run = Auto(Abilities()), history("q", REFUSED[0], tools=[ADD])
    reading = auto.parse(run)
    assert reading == Misread(NO_TOOLS)
    run.events.append(reading)
    plain = auto.render(history("q", tools=[ADD]))
    assert auto.render(run).messages == Auto(Abilities(), "react").render(history("q", tools=[ADD])).messages
    assert auto.render(run).messages != plain.messages


def test_a_misread_native_reply_is_corrected_in_text_after_the_change():
    run = history("q", *BAD, *BAD, tools=[ADD])
    last = Auto(Abilities()).render(run).messages[-1]
    assert last.content.startswith("what?\nWrite each step in this form:")


@pytest.mark.parametrize(("name", "kind"), [("native", Native), ("react", React), ("json", JsonAction), ("bracket", Bracket)])
def test_a_dialect_by_its_name(name, kind):
    assert type(choose(name, Abilities())) is kind
    assert type(named(name, Abilities())) is kind
    assert isinstance(choose("auto", Abilities()), Auto)
    assert set(NAMES) == {"auto", "react", "json", "bracket", "native"}


@pytest.mark.parametrize("dialect", [Native(), React(few_shot=False), JsonAction(), JsonReply(), Bracket(), Auto(Abilities())])
async def test_a_run_in_a_dialect_that_is_an_object_is_read_again_by_its_class(dialect):
    run = await Agent(ScriptedModel("Final Answer: 3"), dialect=dialect).run("1 + 2?")
    assert run.asked.dialect == type(dialect).__name__
    assert isinstance(recorded_dialect(run.asked), JsonAction if isinstance(dialect, JsonReply) else type(dialect))


@pytest.mark.parametrize(("abilities", "constrained", "grounded"), [
    (Abilities(), False, False), (Abilities(constraint="gbnf"), True, False), (Abilities(constraint="gbnf", small=True), True, True),
    (Abilities(constraint="json_schema", small=True), False, False), (Abilities(small=True), False, False),
])  # fmt: skip
def test_text_is_held_where_the_server_can_hold_it(abilities, constrained, grounded):
    dialect = choose("react", abilities)
    assert (dialect.constrained, dialect.grounded) == (constrained, grounded)


def test_names_that_are_not_known():
    with pytest.raises(ConfigError, match="unknown dialect 'xml'; there are: auto, react, json, bracket, native\n没有名为 'xml' 的对话格式；可用：auto"):
        choose("xml", Abilities())
    with pytest.raises(ConfigError, match="cannot start in dialect 'xml'; there are: react, json, bracket, native"):
        choose("auto", Abilities(), "xml")
    assert choose("auto", Abilities(), "json").ladder()[0] == "json"
