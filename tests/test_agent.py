import asyncio
import subprocess
import sys

import pytest

from tao.agent import Agent, blocking, language, recorded_abilities, recorded_dialect
from tao.errors import ConfigError, ModelError, StoreError, ToolsUnsupported
from tao.events import Asked, Decided, Ended, Paused, Replied
from tao.messages import Message, Reply, ToolCall
from tao.permissions import Rule
from tao.policies import default
from tao.replay import replay
from tao.run import Run
from tao.seams import Abilities, Delta
from tao.stores.sql import Journal
from tao.testing import MemoryJournal, ScriptedModel, history
from tao.tools.declare import declare

CALLS = 'Thought: I add them.\nAction: add\nAction Input: {"a": 2, "b": 3}'
ANSWERS = "Thought: I have it.\nFinal Answer: It is 5."


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def agent(*replies, **options):
    return Agent(ScriptedModel(*(replies or (CALLS, ANSWERS))), [add], dialect="react", **options)


def kinds(run):
    return [type(event).__name__ for event in run.events]


# ── running ───────────────────────────────────────────────────────────────────


async def test_a_run_ends_with_an_answer_and_everything_is_in_the_journal():
    journal = MemoryJournal()
    run = await agent(journal=journal).run("What is 2+3?")
    assert run.answer == "It is 5."
    assert kinds(run) == ["Asked", "Replied", "Decided", "Observed", "Replied", "Decided", "Ended"]
    assert journal.runs == {run.id: run.events}
    assert run.observed[0][1].text == "5"


async def test_the_question_carries_all_that_a_prompt_depends_on():
    model = ScriptedModel(ANSWERS, abilities=Abilities(tools=False, constraint="gbnf", small=True))
    run = await Agent(model, [add], dialect="react", instructions="Be kind.", max_steps=3, settings={"max_tokens": 999}).run("q?")
    asked = run.asked
    assert (asked.model, asked.dialect, asked.instructions, asked.lang) == ("scripted", "react", "Be kind.", "en")
    assert [spec.name for spec in asked.tools] == ["add"]
    assert (asked.settings["max_steps"], asked.settings["max_tokens"]) == (3, 999)
    assert asked.settings["abilities"]["constraint"] == "gbnf"
    assert asked.at > 0


@pytest.mark.parametrize(
    ("question", "lang"), [("今天几号?", "zh"), ("What is 年?", "zh"), ("What day?", "en"), ("", "en"), ("𠀀", "zh")]
)
def test_the_language_is_the_questions(question, lang):
    assert language(question) == lang


async def test_tools_are_described_in_the_runs_language():
    tool = declare(add, descriptions={"zh": "两数相加"})
    run = await Agent(ScriptedModel(ANSWERS), [tool], dialect="react").run("二加三?")
    assert (run.asked.lang, run.asked.tools[0].description) == ("zh", "两数相加")
    assert (await Agent(ScriptedModel(ANSWERS), [tool], dialect="react", lang="en").run("二加三?")).asked.tools[
        0
    ].description == "Add two numbers."


async def test_what_was_said_before_is_in_the_prompt():
    model = ScriptedModel(ANSWERS)
    await Agent(model, [add], dialect="react").run(
        "And 3?", history=[Message("user", "first question"), Message("assistant", "first answer")]
    )
    said = [message.content for message in model.requests[0].messages]
    assert any("first question" in text for text in said)
    assert any("first answer" in text for text in said)


async def test_max_steps_ends_a_run_that_goes_round_in_circles():
    run = await agent(*[CALLS] * 20, max_steps=3).run("q?")
    assert run.ended.reason != "answered"
    assert run.steps <= 3


async def test_a_policy_of_ones_own_replaces_the_limits():
    run = await agent(policy=lambda run: Ended("enough", "so far") if run.observed else None).run("q?")
    assert (run.ended.reason, run.answer) == ("enough", "so far")


async def test_a_model_that_fails_is_in_the_record():
    run = await agent(ModelError("no power")).run("q?")
    assert (run.ended.reason, run.ended.detail) == ("failed", "ModelError: no power")


@pytest.mark.parametrize(
    ("options", "said"), [({"max_steps": 0}, "max_steps is 0; it must be 1 or more"), ({"lang": "fr"}, "lang is 'fr'")]
)
def test_settings_that_make_no_sense_are_refused(options, said):
    with pytest.raises(ConfigError, match=said):
        agent(**options)


async def test_two_hundred_runs_at_once_share_one_agent():
    async def model(request, hear=None):
        await asyncio.sleep(0)
        question = next(message.content for message in reversed(request.messages) if "number" in message.content)
        number = question.rsplit("number ", 1)[1].split()[0]
        if hear:
            hear(f"Final Answer: {number}")
        return Reply(f"Thought: t\nFinal Answer: {number}")

    one = Agent(model, [add], dialect="react", journal=MemoryJournal())
    heard = {number: [] for number in range(200)}
    runs = await asyncio.gather(*(one.run(f"number {number} please", on_delta=heard[number].append) for number in range(200)))
    assert [run.answer for run in runs] == [str(number) for number in range(200)]
    assert len({run.id for run in runs}) == 200
    assert all("".join(delta.text for delta in heard[number]).strip() == str(number) for number in range(200))


# ── who is told ───────────────────────────────────────────────────────────────


async def test_the_journal_comes_first_then_observers_then_the_caller():
    order = []

    def told(who):
        async def emit(run, event):
            order.append(who)

        return emit

    await agent(journal=told("journal"), observers=[told("one"), told("two")]).run(
        "q?", on_event=lambda _: order.append("caller")
    )
    assert order == ["journal", "one", "two", "caller"] * 7


async def test_an_observer_that_fails_does_not_touch_the_run(caplog):
    async def broken(run, event):
        raise RuntimeError("a bug of an observer")

    assert (await agent(observers=[broken]).run("q?")).answer == "It is 5."
    assert "a bug of an observer" in caplog.text


async def test_a_journal_that_fails_stops_the_run():
    async def full(run, event):
        raise StoreError("disk full")

    with pytest.raises(StoreError, match="disk full"):
        await agent(journal=full).run("q?")


async def test_on_event_may_be_a_coroutine_function():
    heard = []

    async def on_event(event):
        await asyncio.sleep(0)
        heard.append(event)

    run = await agent().run("q?", on_event=on_event)
    assert heard == run.events


async def test_on_delta_hears_the_reply_as_it_comes_in():
    heard = []
    await agent().run("q?", on_delta=heard.append)
    said = {kind: "".join(delta.text for delta in heard if delta.kind == kind) for kind in ("thought", "call", "answer")}
    assert "I add them." in said["thought"]
    assert (said["call"], said["answer"].strip()) == ("add", "It is 5.")


async def test_what_stands_before_structured_calls_is_heard_as_a_thought():
    heard = []
    model = ScriptedModel(Reply("Now I add them.", (ToolCall("add", '{"a": 2, "b": 3}', "c1"),)), Reply("It is 5."))
    run = await Agent(model, [add], dialect="native").run("What is 2+3?", on_delta=heard.append)
    assert heard == [Delta("thought", "Now I add them."), Delta("answer", "It is 5.")]
    assert [it.thought or it.answer for it in run.events if isinstance(it, Decided)] == [it.text for it in heard]


async def test_a_reply_with_structured_calls_comes_whole_unless_somebody_wants_to_hear_it():
    streamed = []

    async def model(request, hear=None):
        streamed.append(hear is not None)
        return Reply("It is 5.")

    one = Agent(model, [add], dialect="native")
    await one.run("What is 2+3?")
    await one.run("What is 2+3?", on_delta=lambda _: None)
    assert streamed == [False, True]


async def test_a_text_reply_is_listened_to_because_it_may_run_on():
    cut = []

    async def model(request, hear=None):
        assert hear is not None
        cut.append(hear(f"{CALLS}\nObservation: 5\nThought: I have it.\n") if len(cut) == 0 else False)
        return Reply(CALLS if len(cut) == 1 else ANSWERS)

    assert (await Agent(model, [add], dialect="react").run("What is 2+3?")).answer == "It is 5."
    assert cut == [True, False]


# ── streaming ─────────────────────────────────────────────────────────────────


async def test_stream_gives_events_and_pieces_in_the_order_in_which_they_happen():
    items = [item async for item in agent().stream("q?")]
    events = [item for item in items if not isinstance(item, Delta)]
    assert [type(event).__name__ for event in events] == [
        "Asked",
        "Replied",
        "Decided",
        "Observed",
        "Replied",
        "Decided",
        "Ended",
    ]
    first = next(at for at, item in enumerate(items) if isinstance(item, Delta))
    assert first < next(at for at, item in enumerate(items) if isinstance(item, Replied))


class Endless:
    """A model that never comes to an end, and knows whether it was stopped."""

    def __init__(self):
        self.stopped = asyncio.Event()

    async def __call__(self, request, hear=None):
        try:
            hear("Thought: ")
            while True:
                hear("word ")
                await asyncio.sleep(0.001)
        finally:
            self.stopped.set()


async def test_leaving_a_stream_early_stops_the_model():
    model = Endless()
    stream = Agent(model, [add], dialect="react").stream("q?")
    async with asyncio.timeout(20):
        async for item in stream:
            if isinstance(item, Delta):
                break
    await stream.aclose()
    assert model.stopped.is_set()
    assert len(asyncio.all_tasks()) == 1


async def test_cancelling_who_reads_a_stream_stops_the_model():
    model, began = Endless(), asyncio.Event()

    async def read():
        async for _ in Agent(model, [add], dialect="react").stream("q?"):
            began.set()

    reader = asyncio.create_task(read())
    await began.wait()
    reader.cancel()
    await asyncio.wait([reader])
    await asyncio.wait_for(model.stopped.wait(), 5)
    assert len(asyncio.all_tasks()) == 1


async def test_a_bug_in_a_run_comes_out_of_the_stream():
    async def buggy(request, hear=None):
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError, match="a bug"):
        _ = [item async for item in Agent(buggy, [add], dialect="react").stream("q?")]


# ── without an event loop ─────────────────────────────────────────────────────


def test_run_sync_needs_no_event_loop():
    one = agent(CALLS, ANSWERS, CALLS, ANSWERS)
    assert [one.run_sync("q?").answer for _ in range(2)] == ["It is 5."] * 2


async def test_run_sync_works_where_a_loop_runs_already():
    assert agent().run_sync("q?").answer == "It is 5."


async def test_run_sync_works_in_a_thread():
    assert (await asyncio.to_thread(agent().run_sync, "q?")).answer == "It is 5."


def test_run_sync_passes_errors_on():
    async def buggy(request, hear=None):
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError, match="a bug"):
        Agent(buggy, [add], dialect="react").run_sync("q?")


def test_run_sync_and_run_share_a_journal(tmp_path):
    one = agent(CALLS, ANSWERS, CALLS, ANSWERS, journal=Journal(tmp_path / "runs.db"))
    first = one.run_sync("q?")

    async def more():
        second = await one.run("q?")
        return [(await one.journal.load(run.id)).events == run.events for run in (first, second)]

    assert asyncio.run(more()) == [True, True]
    blocking(one.aclose())


@pytest.mark.parametrize("inline", [True, False])
def test_a_tool_may_ask_another_agent_and_wait_for_it(inline):
    inner = agent()

    def ask_again() -> str:
        """Ask again."""
        return inner.run_sync("q?").answer

    model = ScriptedModel("Thought: t\nAction: ask_again\nAction Input: {}", ANSWERS)
    outer = Agent(model, [declare(ask_again, inline=inline)], dialect="react")
    assert outer.run_sync("q?").observed[0][1].text == "It is 5."


async def test_run_sync_lets_go_of_the_loops_connections_and_can_be_called_again():
    class Counting(ScriptedModel):
        closed = 0

        async def close(self):
            self.closed += 1

    one = Agent(Counting(ANSWERS, ANSWERS), [add], dialect="react")
    assert [one.run_sync("q?").answer for _ in range(2)] == ["It is 5."] * 2
    assert one.model.closed == 2


INTERRUPTED = """
import asyncio, os, signal, sys, threading
from tao.agent import blocking

async def work():
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        await asyncio.sleep(60)
    finally:
        print("let go", flush=True)

async def inside():
    blocking(work())

try:
    match sys.argv[1]:
        case "plain":
            blocking(work())
        case "in asyncio.run":
            asyncio.run(inside())
        case "in a notebook":
            asyncio.new_event_loop().run_until_complete(inside())
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("where", ["plain", "in asyncio.run", "in a notebook"])
def test_an_interrupt_of_a_blocking_call_cancels_the_work(where):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, where], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout.split() == ["let", "go", "interrupted"], done.stderr


# ── going on ──────────────────────────────────────────────────────────────────


async def test_resume_looks_a_run_up_by_the_beginning_of_its_id():
    journal = MemoryJournal()
    run = await agent(journal=journal).run("q?")
    journal.runs[run.id] = journal.runs[run.id][:4]
    assert (await agent(ANSWERS, journal=journal).resume(run.id[:6])).answer == "It is 5."


async def test_resume_keeps_to_the_runs_own_language_dialect_and_limits():
    model = ScriptedModel(*[CALLS] * 9)
    run = history("q?", tools=[tool.spec for tool in [declare(add)]], lang="zh")
    run.events[0] = Asked("q?", run.asked.tools, "zh", "react", settings={"max_steps": 2})
    ended = await Agent(model, [add], lang="en", dialect="native", max_steps=8).resume(run)
    assert ended.steps <= 2
    assert ended.asked.lang == "zh"
    assert model.requests[0].tools == ()


@pytest.mark.parametrize("last", [Ended("answered", "1"), Paused("approval", "1.1")])
async def test_a_run_that_has_ended_or_waits_comes_back_as_it_is(last):
    run = history("q?", last)
    assert (await agent().resume(run)) is run
    assert run.events[-1] is last


async def test_an_id_without_a_journal_is_refused():
    with pytest.raises(StoreError, match="has no journal that can load; pass the Run itself"):
        await agent().resume("abc")


@pytest.mark.parametrize("stop", range(1, 8))
async def test_from_every_event_a_run_reaches_the_same_end(stop):
    whole = await agent().run("q?")
    left = [CALLS, ANSWERS][sum(isinstance(event, Replied) for event in whole.events[:stop]) :]
    model = ScriptedModel(*left)
    ended = await Agent(model, [add], dialect="react").resume(Run(whole.id, whole.events[:stop]))
    assert ended.events == whole.events
    assert len(model.requests) == len(left)


async def test_closing_an_agent_closes_its_model_and_journal():
    closed = []

    class Part:
        def __init__(self, name):
            self.name = name

        async def __call__(self, *_):
            return Reply(ANSWERS)

        async def close(self):
            closed.append(self.name)

    async with Agent(Part("model"), [add], dialect="react", journal=Part("journal")) as one:
        pass
    assert (one.model.name, closed) == ("model", ["model", "journal"])




# ── falling back, and remembering what worked ─────────────────────────────────


JSON_CALL = 'Thought: adding\nAction: {"tool": "add", "args": {"a": 2, "b": 3}}'


async def replays(run):
    return await replay(run, recorded_dialect(run.asked), default(run.asked.settings, recorded_abilities(run.asked)))


async def test_a_server_without_tools_is_gone_on_with_in_text():
    model = ScriptedModel(ToolsUnsupported("400"), CALLS, ANSWERS)
    served = Agent(model, [add])
    run = await served.run("What is 2+3?")
    assert run.answer == "It is 5."
    assert kinds(run)[:5] == ["Asked", "Replied", "Misread", "Replied", "Decided"]
    assert [bool(request.tools) for request in model.requests] == [True, False, False]
    assert run.steps == 2
    assert await replays(run) == []
    model.replies += [CALLS, ANSWERS]
    again = await served.run("What is 2+3?")
    assert again.asked.settings["start"] == "react"
    assert [bool(request.tools) for request in model.requests[3:]] == [False, False]
    assert (again.answer, await replays(again)) == ("It is 5.", [])


async def test_from_native_to_react_to_json_in_one_run():
    model = ScriptedModel(*["Thought: I wonder."] * 4, JSON_CALL, ANSWERS)
    served = Agent(model, [add], settings={"max_misreads": 3})
    run = await served.run("What is 2+3?")
    assert run.answer == "It is 5."
    forms = [("native" if request.tools else "json" if '{"tool"' in request.messages[0].content else "react") for request in model.requests]
    assert forms == ["native", "native", "react", "react", "json", "json"]
    assert await replays(run) == []
    assert served.worked == {"scripted": "json"}


async def test_a_leaked_call_is_done_and_the_run_goes_on_in_text():
    model = ScriptedModel('<tool_call>{"name": "add", "arguments": {"a": 2, "b": 3}}</tool_call>', ANSWERS)
    served = Agent(model, [add])
    run = await served.run("What is 2+3?")
    assert run.observed[0][1].text == "5"
    assert [bool(request.tools) for request in model.requests] == [True, False]
    assert served.worked == {"scripted": "react"}
    assert await replays(run) == []


async def test_what_never_worked_is_not_remembered():
    served = Agent(ScriptedModel(ToolsUnsupported("400"), ModelError("gone")), [add])
    assert (await served.run("q")).ended.reason == "failed"
    assert served.worked == {"scripted": "react"}  # that it takes no tools is certain
    served = Agent(ScriptedModel("…", "…", ModelError("gone")), [add])
    await served.run("q")
    assert served.worked == {}


async def test_a_dialect_that_was_asked_for_is_kept():
    served = Agent(ScriptedModel(ToolsUnsupported("no tools here")), [add], dialect="native")
    run = await served.run("q")
    assert run.ended.detail == "ToolsUnsupported: no tools here"
    assert "start" not in run.asked.settings
    with pytest.raises(ConfigError, match="无法从对话格式 'auto' 开始"):
        await Agent(ScriptedModel(), [add], settings={"start": "auto"}).run("q")


async def test_other_tools_are_held_by_the_same_rules():
    def add(a: int, b: int) -> int:
        """Add two numbers, wrongly."""
        return a * b

    free, bound = [await agent(permissions=rules).with_tools([add]).run("What is 2+3?") for rules in ((), (Rule("deny", ("add",)),))]
    assert [seen.text for _, seen in free.observed] == ["6"]
    assert [seen.kind for _, seen in bound.observed] == ["denied"]
    assert free.asked.tools[0].description == "Add two numbers, wrongly."
