"""Why runs end, from end to end, in every dialect and language: each with a name, replayed exactly."""

import json

import pytest

from tao import Agent
from tao.agent import recorded_dialect, recorded_policy
from tao.cli.exits import FAILED, LIMIT, code_of
from tao.errors import Declined, ModelError
from tao.events import Nudged, Observed
from tao.messages import Reply, ToolCall, Usage
from tao.replay import replay
from tao.testing import MemoryJournal, ScriptedModel
from tao.tools.declare import tool

SENT = []
QUERIES = ("Mount Orvik height", "height Mount Orvik", "the height of Mount Orvik", "Orvik Mount height", "Mount Orvik height?", "Mount Orvik: height", "height: Mount Orvik")


@tool
def search(query: str) -> str:
    """Search."""
    return "Mount Orvik is 5838 metres high, as everybody in the valley below it knows."


@tool
def broken(query: str) -> str:
    """Search elsewhere."""
    raise RuntimeError(f"no line {len(query)}")


@tool(effects=("writes",))
def send(to: str) -> str:
    """Send."""
    SENT.append(to)
    return "sent"


def call(dialect, name, **args):
    text = json.dumps(args, ensure_ascii=False)
    if dialect == "native":
        return Reply("", calls=(ToolCall(name, text, "c"),), usage=Usage(100, 20))
    if dialect == "json":
        return f'Thought: t\nAction: {{"tool": "{name}", "args": {text}}}'
    return f"Thought: t\nAction: {name}\nAction Input: {text}" if dialect == "react" else f"Thought: t\nAction: {name}[{text}]"


async def ended(dialect, lang, replies, *, tools=(search, broken), **more):
    model = ScriptedModel(*replies)
    agent = Agent(model, tools, dialect=dialect, journal=MemoryJournal(), lang=lang, **{"max_steps": 20, **more})
    run = await agent.run("q")
    assert await replay(run, recorded_dialect(run.asked), recorded_policy(run.asked)) == []
    return run, model


dialects = pytest.mark.parametrize("dialect", ["native", "react", "json", "bracket"])
languages = pytest.mark.parametrize("lang", ["en", "zh"])


@dialects
@languages
@pytest.mark.parametrize("queries", [["a"] * 20, ["a", "b"] * 10, [*QUERIES] * 2], ids=["the same", "in turn", "nearly the same"])
async def test_going_in_circles_ends_as_loop(dialect, lang, queries):
    run, model = await ended(dialect, lang, [call(dialect, "search", query=query) for query in queries])
    assert run.ended.reason == "loop"
    assert len(model.requests) <= 6
    assert [nudge.by for nudge in run.all(Nudged) if nudge.by != "reflect"] == ["loop_guard", "loop_guard", "wrap_up:loop"]
    assert ("went in circles" if lang == "en" else "原地打转") in run.ended.detail
    assert code_of(run) == LIMIT


@dialects
@languages
async def test_the_answer_that_comes_then_is_kept(dialect, lang):
    answer = "5838" if dialect == "native" else "Final Answer: 5838"
    run, _ = await ended(dialect, lang, [*[call(dialect, "search", query="a")] * 4, answer])
    assert (run.ended.reason, run.answer) == ("loop", "5838")


@dialects
@languages
async def test_tools_that_keep_failing(dialect, lang):
    run, model = await ended(dialect, lang, [call(dialect, "broken", query="x" * number) for number in range(1, 20)])
    assert run.ended.reason == "tool_failures"
    assert len(model.requests) <= 6
    assert ("tools kept failing" if lang == "en" else "工具一再失败") in run.ended.detail


@languages
@pytest.mark.parametrize("reply", [Reply("I am sor", finish="content_filter"), Reply("No.", finish="refusal"), Declined("x: no")], ids=["filtered", "refusal", "error"])
async def test_a_model_that_will_not_answer(lang, reply):
    run, model = await ended("native", lang, [reply, "5838"])
    assert (run.ended.reason, run.answer, len(model.requests), code_of(run)) == ("refused", None, 1, LIMIT)
    failed, _ = await ended("native", lang, [ModelError("x: no")])
    assert (failed.ended.reason, code_of(failed)) == ("failed", FAILED)


@dialects
@languages
async def test_after_the_wrap_up_nothing_is_done_any_more(dialect, lang):
    SENT.clear()
    replies = [call(dialect, "search", query="a"), call(dialect, "send", to="li")]
    run, _ = await ended(dialect, lang, replies, tools=[search, send], max_steps=2, approve=lambda *_: True)
    assert (run.ended.reason, SENT) == ("max_steps", [])
    assert [event.observation.kind for event in run.all(Observed)] == ["", "taken_away"]


@dialects
async def test_waiting_for_something_is_no_circle(dialect):
    told = iter(["10 %", "60 %", "done"])

    @tool(volatile=True)
    def status(job: str) -> str:
        """How far a job is."""
        return next(told)

    answer = "done" if dialect == "native" else "Final Answer: done"
    run, _ = await ended(dialect, "en", [*[call(dialect, "status", job="x")] * 3, answer], tools=[status])
    assert run.ended.reason == "answered"
    assert not [nudge for nudge in run.all(Nudged) if nudge.by == "loop_guard"]
