"""The assembled chain, through the real loop: what is said and done by default, and in which order."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.acting import Limits, ToolLimits, acting
from tao.agent import Agent
from tao.errors import BadArguments, ConfigError, Pause, StoreError, ToolError
from tao.events import Decided, Ended, Misread, Observed, Paused, Replied
from tao.messages import Call, Reply, ToolCall
from tao.permissions import Rule
from tao.run import args_hash
from tao.testing import MemoryJournal, ScriptedModel, history
from tao.tools.declare import declare
from tao.tools.registry import registry, specs
from tao.wrappers.approval import Ruling, permitted
from tao.wrappers.fence import EXPLAINED, marker
from tao.wrappers.truncate import READ_MORE

ALL = (Rule("allow", tools=("*",)),)


def react(tool, **args):
    return f"Thought: go.\nAction: {tool}\nAction Input: {json.dumps(args)}"


def native(*calls):
    return Reply("", tuple(ToolCall(name, json.dumps(args), f"c{number}") for number, (name, args) in enumerate(calls)))


def seen(run):
    return [event.observation for event in run.all(Observed)]


# ── what is said by default ───────────────────────────────────────────────────


def weather(city: str) -> str:
    """Weather of a city."""
    return f"{city}: sunny, 21 °C"


@pytest.mark.parametrize("dialect", ["react", "json", "bracket", "native"])
@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_where_nothing_is_cut_prompts_are_as_without_wrappers(dialect, lang):
    call = {
        "react": react("weather", city="Rome"), "json": '{"thought": "go", "tool": "weather", "args": {"city": "Rome"}}',
        "bracket": "Thought: go.\nAction: weather[Rome]", "native": native(("weather", {"city": "Rome"})),
    }[dialect]  # fmt: skip
    models = [ScriptedModel(call, "Final Answer: sunny"), ScriptedModel(call, "Final Answer: sunny")]
    for model, act in zip(models, (None, registry([declare(weather)])), strict=True):
        run = await Agent(model, [weather], dialect=dialect, lang=lang, act=act).run("Weather in Rome?")
        assert [one.text for one in seen(run)] == ["Rome: sunny, 21 °C"]
    assert models[0].requests == models[1].requests


def book() -> str:
    """A whole book."""
    return "\n".join(f"line {number} of a long book" for number in range(2000))


@pytest.mark.parametrize("dialect", ["react", "json", "native"])
async def test_what_was_cut_can_be_read_on_and_only_then(dialect):
    say = {
        "react": react, "native": lambda tool, **args: native((tool, args)),
        "json": lambda tool, **args: json.dumps({"thought": "go", "tool": tool, "args": args}),
    }[dialect]  # fmt: skip
    model = ScriptedModel(say(READ_MORE, handle="1.1", page=1), say("book"), say(READ_MORE, handle="2.1", page=2), "Final Answer: read")
    run = await Agent(model, [book], dialect=dialect, max_steps=9).run("Read it.")
    cut, page = seen(run)
    assert run.last(Misread).reason == "unknown_tool"
    assert 'read it with read_more: handle "2.1", page 1 to' in cut.text
    assert cut.full == book()
    assert (page.ok, page.text[:11]) == (True, "[page 2 of ")
    if dialect == "native":
        assert [[tool.name for tool in request.tools] for request in model.requests] == [["book"], ["book"], ["book", READ_MORE], ["book", READ_MORE]]
    systems = {request.messages[0].content for request in model.requests}
    assert len(systems) == 1  # the prompt has only grown at its end
    assert run.answer == "read"


async def test_a_tool_of_that_name_of_ones_own_is_left_alone():
    def read_more(handle: str) -> str:
        """Mine."""
        return f"mine {handle}"

    model = ScriptedModel(react("book"), react("read_more", handle="x"), "Final Answer: ok")
    run = await Agent(model, [book, read_more], dialect="react").run("?")
    assert run.asked.later == ()
    assert seen(run)[1].text == "mine x"


async def test_the_text_of_strangers_is_marked_and_the_model_is_told():
    def local() -> str:
        """Mine."""
        return "mine"

    tools = [declare(lambda: "theirs", name="page", effects=("reads", "network")), declare(local)]
    model = ScriptedModel(react("page"), react("local"), "Final Answer: ok")
    run = await Agent(model, tools, dialect="react", instructions="Be brief.").run("?")
    mark = marker(run)
    assert [one.text for one in seen(run)] == [f"<tool_output {mark}>\ntheirs\n</tool_output {mark}>", "mine"]
    assert run.asked.instructions == f"Be brief.\n\n{EXPLAINED['en']}"


@pytest.mark.parametrize(("fence", "marked"), [("all", [True, True]), ("strange", [False, True]), ("none", [False, False])])
async def test_whose_text_is_marked_can_be_set(fence, marked):
    tools = [declare(lambda: "a", name="a"), declare(lambda: "b", name="b", effects=("reads", "untrusted"))]
    model = ScriptedModel(react("a"), react("b"), "Final Answer: ok")
    run = await Agent(model, tools, dialect="react", lang="zh", limits=Limits(fence=fence)).run("?")
    assert ["<tool_output" in one.text for one in seen(run)] == marked
    assert (EXPLAINED["zh"] in run.asked.instructions) == any(marked)


async def test_an_act_of_ones_own_replaces_everything():
    model = ScriptedModel(react("book"), "Final Answer: ok")
    run = await Agent(model, [book], act=registry([declare(book)]), dialect="react").run("?")
    assert seen(run)[0].text == book()
    assert run.asked.later == ()


# ── what is done, in which order ──────────────────────────────────────────────


async def test_the_same_call_again_is_answered_from_the_run():
    calls = []
    tool = declare(lambda n: calls.append(n) or "once", name="look")
    model = ScriptedModel(react("look", n=1), react("look", n=1), "Final Answer: ok")
    run = await Agent(model, [tool], dialect="react").run("?")
    assert len(calls) == 1
    assert seen(run)[1].text == "(You made this very call before; it gave:)\nonce"


async def test_a_tool_that_fails_twice_is_taken_away():
    def broken(n: int) -> str:
        raise ValueError("no")

    model = ScriptedModel(*(react("broken", n=n) for n in range(3)), "Final Answer: ok")
    run = await Agent(model, [broken], dialect="react").run("?")
    assert [one.kind for one in seen(run)] == ["error", "error", "taken_away"]


async def test_a_permission_is_asked_for_what_will_really_run():
    done = []

    def pay(amount: int) -> str:
        done.append(amount)
        return "paid"

    agent = Agent(ScriptedModel(react("pay", amount="４2"), "Final Answer: ok"), [declare(pay, effects="money")], dialect="react")
    run = await agent.run("pay 42")
    assert (run.state, done) == ("paused", [])
    (waiting,) = agent.waiting(run)
    assert waiting.call.args == {"amount": 42}
    run = await agent.resume(await agent.rule(run, "1.1", "approve", hash=args_hash("pay", {"amount": 42})))
    assert (run.answer, done) == ("ok", [42])


async def test_nobody_is_asked_about_a_call_that_cannot_run():
    tool = declare(lambda amount: "paid", name="pay", effects="money")
    run = await Agent(ScriptedModel(react("pay"), "Final Answer: ok"), [tool], dialect="react").run("?")
    assert run.answer == "ok"
    assert [one.kind for one in seen(run)] == ["bad_arguments"]


async def test_nothing_below_the_permission_changes_a_call():
    handed, ran = [], []

    def spying(act):
        async def spied(call, run):
            handed.append(call)
            return await act(call, run)

        return spied

    def change(a: int) -> None:
        ran.append(a)

    tool = declare(change, name="f", effects="writes")
    act = acting([tool], permitted=spying, store=MemoryJournal())
    await act(Call("1.1", "f", {"a": 1}), history("q", tools=specs([tool])))
    assert ([dict(call.args) for call in handed], ran) == ([{"a": 1}], [1])


async def test_a_kept_observation_is_not_given_to_whom_the_tool_is_denied():
    tool = declare(lambda: "secret", name="f")
    rules = [Rule("deny", tools=("f",), roles=("guest",))]
    act = acting(
        [tool], Limits(tools={"f": ToolLimits(cache=60, cache_for="everybody")}), permitted=lambda inner: permitted(inner, rules),
    )
    kinds = []
    for role in ("boss", "guest"):
        run = history("q", tools=specs([tool]))
        run.asked.settings["who"] = {"role": role}
        kinds.append((await act(Call("1.1", "f", {}), run)).kind)
    assert kinds == ["", "denied"]


async def test_limits_by_tool_hold_for_that_tool():
    ran = []

    async def slow() -> str:
        await asyncio.sleep(30)
        return "never"

    def flaky() -> str:
        ran.append(1)
        raise ConnectionError("down")

    held = Limits(tools={
        "slow": ToolLimits(timeout=0.01), "flaky": ToolLimits(attempts=1, strikes=1), "often": ToolLimits(rate="1/hour"),
        "kept": ToolLimits(cache=3600),
    })  # fmt: skip
    tools = [declare(slow), declare(flaky), declare(lambda n: "ok", name="often"), declare(lambda: "kept", name="kept")]
    act = acting(tools, held)
    run = history("q", tools=specs(tools))

    async def kind(tool, **args):
        call = Call(f"{len(run.events)}.1", tool, args)
        observation = await act(call, run)
        run.events += [Decided(calls=(call,)), Observed(call.id, observation)]
        return observation.kind

    assert [await kind("slow"), await kind("flaky"), await kind("flaky")] == ["timeout", "transient", "taken_away"]
    assert len(ran) == 1
    assert [await kind("often", n=1), await kind("often", n=2)] == ["", "rate_limited"]
    other = history("q", tools=specs(tools))
    await kind("kept")
    assert (await act(Call("1.1", "kept", {}), other)).notes[0].startswith("↺")


@pytest.mark.parametrize("own", [None, 0.01])
async def test_a_tools_own_time_goes_before_that_of_all(own):
    async def slow() -> str:
        await asyncio.sleep(0.05)
        return "done"

    tool = declare(slow, timeout=own or 30)
    run = history("q", tools=specs([tool]))
    assert (await acting([tool], Limits(timeout=0.01 if own is None else 30))(Call("1", "slow", {}), run)).kind == ("timeout" if own else "")


@pytest.mark.parametrize(("held", "english", "chinese"), [
    (Limits(tools={"look": ToolLimits()}), "limits for a tool 'look', but no such tool; did you mean 'looks'? Tools: looks", "是否想写 'looks'"),
    (Limits(tools={"xyz": ToolLimits()}), "limits for a tool 'xyz', but no such tool. Tools: looks", "为工具 'xyz' 设了限制"),
    (Limits(timeout=0), "the limit timeout is 0; it must be more than 0", "限制 timeout 为 0"),
    (Limits(at_once=-1), "the limit at_once is -1", "限制 at_once 为 -1"),
    (Limits(window=float("nan")), "the limit window is nan", "限制 window 为 nan"),
    (Limits(tools={"looks": ToolLimits(cache=-1)}), "the limit looks.cache is -1", "限制 looks.cache 为 -1"),
    (Limits(rate="often"), "'often' is no rate", "'often' 不是有效的频率"),
    (Limits(tools={"looks": ToolLimits(user_rate="0/s")}), "'0/s' is no rate", "'0/s' 不是有效的频率"),
    (Limits(tools={"writes": ToolLimits(cache=5)}), "what 'writes' says cannot be kept (cache = 5)", "不能缓存 'writes' 的结果"),
    (Limits(tools={"now": ToolLimits(cache=5)}), "what 'now' says cannot be kept (cache = 5)", "不能缓存 'now' 的结果"),
])  # fmt: skip
def test_limits_that_make_no_sense_are_refused(held, english, chinese):
    tools = [declare(lambda: 1, name="looks")]
    tools += [declare(lambda: 1, name="writes", effects="writes")] if "writes" in held.tools else []
    tools += [declare(lambda: 1, name="now", volatile=True)] if "now" in held.tools else []
    with pytest.raises(ConfigError) as raised:
        acting(tools, held)
    assert english in str(raised.value)
    assert chinese in str(raised.value)


# ── calls that are made together ──────────────────────────────────────────────

OUTCOMES = {
    "ok": "", "error": "error", "slow": "", "cancel": "error", "crash": "error", "wrong": "bad_arguments",
    "denied": "denied", "ask": None, "pause": None, "hang": "timeout", "flood": "",
}  # fmt: skip


def together():
    """A tool for every outcome."""

    async def ok(n: int) -> str:
        return f"ok {n}"

    def error(n: int) -> str:
        raise ValueError(f"no {n}")

    async def slow(n: int) -> str:
        for _ in range(n % 7):
            await asyncio.sleep(0)
        return f"slow {n}"

    async def cancel(n: int) -> str:
        raise asyncio.CancelledError

    def crash(n: int) -> str:
        raise SystemExit(n)

    def pause(n: int) -> str:
        raise Pause("the tool itself asks")

    async def hang(n: int) -> str:
        await asyncio.sleep(60)
        return "never"

    def flood(n: int) -> str:
        return f"{n} " * 100_000

    made = [ok, error, slow, cancel, crash, pause, flood]
    return [*map(declare, made), declare(hang, timeout=0.01), *(declare(ok, name=name) for name in ("denied", "wrong")), declare(ok, name="ask", effects="money")]


@given(st.lists(st.sampled_from(sorted(OUTCOMES)), min_size=1, max_size=8))
async def test_of_calls_made_together_none_is_lost_whatever_becomes_of_the_others(outcomes):
    calls = [(name, {"n": "x"} if name == "wrong" else {"n": number}) for number, name in enumerate(outcomes)]
    rules = [Rule("deny", tools=("denied",))]
    held = Limits(strikes=100)
    model = ScriptedModel(native(*calls), "done")
    journal = MemoryJournal()
    agent = Agent(model, together(), dialect="native", journal=journal, permissions=rules, limits=held)
    run = await agent.run("all at once", id="run")
    waits = {f"1.{number}" for number, name in enumerate(outcomes, 1) if OUTCOMES[name] is None}
    kinds = {event.call_id: event.observation.kind for event in run.all(Observed)}
    assert kinds == {f"1.{number}": OUTCOMES[name] for number, name in enumerate(outcomes, 1) if OUTCOMES[name] is not None}
    assert run.state == ("paused" if waits else "ended")
    for call_id in sorted(waits):  # each is ruled on for itself
        assert {one.id for one in run.pending} >= {call_id}
        run = await agent.rule(run, call_id, "answer", text=f"said {call_id}")
        run = await agent.resume(run)
    assert run.answer == "done"
    told = [message for message in model.requests[-1].messages if message.role == "tool"]
    assert [message.call_id for message in told] == [f"c{number}" for number in range(len(calls))]  # N results for N calls, in their order
    for (name, args), message in zip(calls, told, strict=True):
        if name in {"ok", "slow"}:
            assert message.content.endswith(f"{name} {args['n']}")
    assert sum(isinstance(event, Replied) for event in run.events) == 2


@given(st.lists(st.sampled_from(["ok", "error", "ask"]), min_size=2, max_size=6), st.integers(0, 5))
async def test_an_error_that_ends_the_run_does_not_undo_what_the_others_gave(outcomes, place):
    place %= len(outcomes)

    def full(n: int) -> str:
        raise StoreError("the disk is full")

    calls = [("full" if number == place else name, {"n": number}) for number, name in enumerate(outcomes)]
    agent = Agent(ScriptedModel(native(*calls)), [*together(), declare(full)], dialect="native")
    run = await agent.run("?")
    assert isinstance(run.events[-1], Ended | Paused)
    assert {event.call_id for event in run.all(Observed)} == {
        f"1.{number}" for number, (name, _) in enumerate(calls, 1) if name not in {"ask", "full"}
    }


@pytest.mark.parametrize("at_once", [1, 3])
async def test_no_more_than_so_many_at_once(at_once):
    running, most = 0, 0

    async def one(n: int) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        return str(n)

    model = ScriptedModel(native(*(("one", {"n": n}) for n in range(9))), "done")
    run = await Agent(model, [one], dialect="native", limits=Limits(at_once=at_once)).run("?")
    assert sorted(one.text for one in seen(run)) == [str(n) for n in range(9)]
    assert run.answer == "done"
    assert most == at_once


async def test_a_failing_tool_is_handed_to_a_person_where_that_is_set():
    tries = []

    def broken(n: int) -> str:
        tries.append(n)
        raise ValueError("no")

    def scripted():
        return Agent(model, [broken], dialect="react", limits=Limits(hand_over=True))

    model = ScriptedModel(*(react("broken", n=str(n)) for n in range(3)), "Final Answer: ok")
    run = await scripted().run("?")
    assert (run.state, run.events[-1].reason, tries) == ("paused", "broken has failed 2 times", [0, 1])
    run = await scripted().rule(run, "3.1", "answer", text="it is 7")
    run = await scripted().resume(run)
    assert (run.answer, seen(run)[-1].text, tries) == ("ok", "it is 7", [0, 1])


@pytest.mark.parametrize("kind", ["approve", "answer", None])
async def test_an_unknown_outcome_is_asked_at_once_where_somebody_is_there(kind):
    done = []
    tool = declare(lambda: done.append(1) or "paid", name="pay", effects="money")
    journal = MemoryJournal()
    questions = []

    def approve(call, run):
        questions.append(call.id)
        return Ruling(kind, text="it was paid") if kind else None

    agent = Agent(ScriptedModel(react("pay"), "Final Answer: ok"), [tool], dialect="react", journal=journal, permissions=ALL, approve=approve)
    journal.claims.add(("run", "1.1", 0))  # an earlier process got so far
    run = await agent.run("pay", id="run")
    assert questions == ["1.1"]
    assert len(done) == (kind == "approve")
    assert [one.text for one in seen(run)] == {"approve": ["paid"], "answer": ["it was paid"], None: []}[kind]
    assert run.state == ("ended" if kind else "paused")


@pytest.mark.parametrize(("error", "kinds"), [
    (BadArguments, ["refused_arguments"] * 5), (ToolError, ["error", "error", "taken_away", "taken_away", "taken_away"]),
])  # fmt: skip
async def test_a_tool_that_refuses_arguments_is_not_taken_away_for_that(error, kinds):
    def look(user: str) -> str:
        raise error(f"no such user {user}; give an id")

    turns = [react("look", user=f"u{number}") for number in range(5)]
    run = await Agent(ScriptedModel(*turns, "Final Answer: none"), [declare(look, effects=("reads", "untrusted"))], dialect="react", max_steps=9).run("Who are u0, u1, u2, u3 and u4?")
    found = [event.observation for event in run.events if isinstance(event, Observed)]
    assert [one.kind for one in found] == kinds
    assert marker(run) in found[0].text  # it is the tool's own text, and marked as such
    assert run.ended.reason == ("answered" if error is BadArguments else "tool_failures")
