import asyncio
import json

import pytest

from tao.agent import Agent, recorded_abilities, recorded_dialect, recorded_policy
from tao.errors import ConfigError, Pause, RulingError, StoreError
from tao.events import Asked, Decided, Ended, Nudged, Observed, Paused, Replied, Ruled
from tao.messages import Observation, Reply, ToolCall
from tao.permissions import Rule
from tao.policies import default
from tao.replay import replay
from tao.run import Run
from tao.stores.sql import Journal
from tao.testing import MemoryJournal, ScriptedModel
from tao.tools.declare import tool
from tao.wrappers.approval import Ruling


def reply(*calls):
    return Reply("", calls=tuple(ToolCall(name, json.dumps(args), f"c{n}") for n, (name, args) in enumerate(calls)))


BOB, EVE, LOOK = ("pay", {"to": "Bob", "amount": "5"}), ("pay", {"to": "Eve", "amount": 7}), ("look", {"q": "x"})


class House:
    """An agent with two tools, and what they did."""

    def __init__(self, *replies, **options):
        self.done = []

        @tool(effects=("writes",))
        def pay(to: str, amount: int) -> str:
            """Pay."""
            self.done.append((to, amount))
            return f"paid {amount} to {to}"

        @tool
        def look(q: str) -> str:
            """Look."""
            self.done.append(q)
            return "seen"

        options.setdefault("journal", MemoryJournal())
        self.tools = [pay, look]
        self.options = options
        self.agent = Agent(ScriptedModel(*replies, "It is done."), self.tools, **options)

    def restarted(self, *replies):
        """Another agent over the same journal, as after a restart."""
        return Agent(ScriptedModel(*replies), self.tools, **self.options)


async def test_siblings_run_each_ruling_is_separate_and_the_run_goes_on():
    house = House(reply(BOB, LOOK, EVE))
    run = await house.agent.run("pay them")
    why = "pay may do more than look (writes)"
    assert (run.state, house.done, run.events[-2:]) == ("paused", ["x"], [Paused(why, "1.1"), Paused(why, "1.3")])
    one, two = house.agent.waiting(run)
    assert (one.call.id, one.call.args, one.effects, one.notes) == ("1.1", {"to": "Bob", "amount": 5}, ("writes",), ("amount: '5' → 5",))
    assert (two.call.id, two.reason) == ("1.3", "pay may do more than look (writes)")
    await house.agent.rule(run, "1.1", "approve", by="Ann", hash=one.hash)
    assert [it.call.id for it in house.agent.waiting(run)] == ["1.3"]
    run = await house.agent.resume(run)
    assert (run.state, house.done) == ("paused", ["x", ("Bob", 5)])
    await house.agent.rule(run, "1.3", "edit", args={"to": "Eve", "amount": "1"})
    run = await house.agent.resume(run)
    assert (run.answer, house.done) == ("It is done.", ["x", ("Bob", 5), ("Eve", 1)])
    assert [event.call_id for event in run.all(Observed)] == ["1.2", "1.1", "1.3"]
    assert house.agent.waiting(run) == ()
    assert [request.messages[-1].role for request in house.agent.model.requests] == ["user", "tool"]


async def test_several_rulings_may_come_before_the_run_goes_on():
    house = House(reply(BOB, EVE))
    run = await house.agent.run("pay them")
    await house.agent.rule(run, "1.2", "reject", text="not her")
    await house.agent.rule(run, "1.1", "approve")
    run = await house.agent.resume(run)
    assert (run.state, house.done) == ("ended", [("Bob", 5)])
    seen = {call.id: seen for call, seen in run.observed}
    assert (seen["1.2"].kind, "not her" in seen["1.2"].text) == ("rejected", True)


async def test_a_run_that_waited_is_replayed_exactly():
    house = House(reply(BOB, LOOK, EVE))
    run = await house.agent.run("pay them")
    for call_id in ("1.1", "1.3"):
        assert await replay(run, recorded_dialect(run.asked), default(run.asked.settings, recorded_abilities(run.asked))) == []
        await house.agent.rule(run, call_id, "approve")
        run = await house.agent.resume(run)
    assert run.state == "ended"
    assert await replay(run, recorded_dialect(run.asked), default(run.asked.settings, recorded_abilities(run.asked))) == []


async def test_a_record_that_names_only_the_first_of_several_waiting_calls_replays():
    house = House(reply(BOB, EVE))
    run = await house.agent.run("pay them")
    del run.events[-1]  # as an older tao wrote it
    assert [(it.call.id, it.reason) for it in house.agent.waiting(run)] == [(it, "pay may do more than look (writes)") for it in ("1.1", "1.2")]
    for call_id in ("1.1", "1.2"):
        await house.agent.rule(run, call_id, "approve")
    run = await house.agent.resume(run)
    assert run.state == "ended"
    assert await replay(run, recorded_dialect(run.asked), default(run.asked.settings, recorded_abilities(run.asked))) == []


@pytest.mark.parametrize("rules", [(), (Rule("allow", ("pay",)),)])
async def test_of_several_interrupted_calls_each_says_that_its_own_outcome_is_unknown(tmp_path, rules):
    async with Journal(tmp_path / "runs.db") as kept:
        house = House(reply(BOB, EVE), journal=kept, permissions=rules)
        run = await house.agent.run("pay them", approve=lambda *_: True)
        events = [event for event in run.events if not isinstance(event, Observed)]
        upto = next(at for at, event in enumerate(run.events) if isinstance(event, Observed))
        crashed = Run(run.id, events[:upto])  # killed before either result was written down; both are claimed
        house.done.clear()
        house.options["journal"] = MemoryJournal()
        house.options["journal"].claims |= {(run.id, "1.1", 0), (run.id, "1.2", 0)}
        agent = house.restarted("It is done.")
        waits = agent.waiting(await agent.resume(crashed))
        assert [it.reason.partition(" was ")[0] for it in waits] == [f"unknown outcome: pay (call {it})" for it in ("1.1", "1.2")]
        await agent.rule(crashed, "1.1", "answer", text="it was paid", hash=waits[0].hash)
        await agent.rule(crashed, "1.2", "approve", hash=waits[1].hash)
        assert ((await agent.resume(crashed)).state, house.done) == ("ended", [("Eve", 7)])


async def test_a_run_with_a_call_nobody_has_ruled_on_is_listed_as_waiting(tmp_path):
    async with Journal(tmp_path / "runs.db") as kept:
        house = House(reply(BOB, EVE), journal=kept)
        run = await house.agent.run("pay them")
        for call_id, state in (("1.2", "paused"), ("1.1", "running")):
            await house.agent.rule(run, call_id, "reject")
            assert [row.state for row in await kept.list()] == [state]


async def test_a_run_is_not_gone_on_with_where_the_tool_of_a_pending_call_is_not():
    house = House(reply(BOB, LOOK))
    run = await house.agent.run("pay")
    await house.agent.rule(run, "1.1", "approve")
    bare = Agent(ScriptedModel("It is done."), house.tools[1:], journal=house.options["journal"])
    before = list(run.events)
    with pytest.raises(ConfigError, match=r"has calls to do of tools that are not here: pay\. Give them as when it was asked"):
        await bare.resume(run)
    assert (run.events, house.done) == (before, ["x"])
    assert ((await house.agent.resume(run)).state, house.done) == ("ended", ["x", ("Bob", 5)])


async def test_it_survives_a_restart_and_another_process(tmp_path):
    async with Journal(tmp_path / "runs.db") as kept:
        house = House(reply(BOB), journal=kept)
        run = await house.agent.run("pay", who={"role": "clerk"})
    async with Journal(tmp_path / "runs.db") as kept:
        house.options["journal"] = kept
        ruled = await house.restarted().rule(run.id[:6], "1.1", "approve")
        assert isinstance(ruled.events[-1], Ruled)
        assert [row.state for row in await kept.list()] == ["running"]
    async with Journal(tmp_path / "runs.db") as kept:
        house.options["journal"] = kept
        ended = await house.restarted("It is done.").resume(run.id)
        assert (ended.answer, house.done, ended.asked.settings["who"]) == ("It is done.", [("Bob", 5)], {"role": "clerk"})


async def test_of_two_people_who_rule_at_once_one_is_told(tmp_path):
    async with Journal(tmp_path / "runs.db") as first, Journal(tmp_path / "runs.db") as second:
        house = House(reply(BOB), journal=first)
        run = await house.agent.run("pay")
        house.options["journal"] = second
        other = house.restarted()
        late = await second.load(run.id)
        await house.agent.rule(run, "1.1", "reject")
        with pytest.raises(StoreError):
            await other.rule(late, "1.1", "approve")
        assert not list(late.all(Ruled))
        assert [event.verdict for event in (await second.load(run.id)).all(Ruled)] == ["reject"]


@pytest.mark.parametrize(("how", "english", "chinese"), [
    ({"call_id": "9.9"}, r"call '9.9' does not wait for a person; waiting: 1.1 \(the run is paused\)", "没有在等待人工处理；等待中：1.1"),
    ({"verdict": "yes"}, "the verdict is 'yes'; wanted: approve, edit, reject, answer", "裁定为 'yes'；应为：approve、edit、reject、answer"),
    ({"verdict": "edit"}, r"'edit' needs the arguments to run with \(args\)", "需要给出执行用的参数"),
    ({"args": {"to": "Eve"}}, "'approve' takes no arguments; to change them, edit", "要修改参数请用 edit"),
    ({"verdict": "answer", "text": " "}, "an answer needs its text", "代答需要给出内容"),
    ({"expires": 5.0}, r"would have expired already \(5; now it is ", "该裁定已经过期"),
    ({"hash": "0" * 16}, r"call 1.1 is not what was shown any more \(0000000000000000 was, ", "已不是当时显示的内容"),
    ({"verdict": "edit", "args": {"to": "Bob", "amount": "many"}}, "the edited arguments do not fit: .*amount", "修改后的参数不合要求"),
    ({"verdict": "edit", "args": {"to": "Bob", "amount": 500}}, "the edited arguments are not permitted: at most 100", "修改后的参数不被允许"),
])  # fmt: skip
async def test_a_ruling_that_makes_no_sense_is_refused_and_not_recorded(how, english, chinese):
    house = House(reply(BOB), permissions=[Rule("deny", ("pay",), where={"amount": {"at_least": 101}}, reason="at most 100")])
    run = await house.agent.run("pay")
    before = list(run.events)
    with pytest.raises(RulingError, match=english) as caught:
        await house.agent.rule(run, **{"call_id": "1.1", "verdict": "approve", **how})
    assert chinese in str(caught.value)
    assert run.events == before == house.options["journal"].runs[run.id]


async def test_nothing_is_ruled_on_where_nothing_waits():
    house = House(reply(BOB))
    run = await house.agent.run("pay")
    await house.agent.rule(run, "1.1", "approve")
    with pytest.raises(RulingError, match=r"waiting: none \(the run is acting\)"):
        await house.agent.rule(run, "1.1", "reject")
    run = await house.agent.resume(run)
    with pytest.raises(RulingError, match=r"the run is ended"):
        await house.agent.rule(run, "1.1", "approve")
    running = Run("r", run.events[:3])
    with pytest.raises(RulingError, match=r"the run is acting"):
        await house.agent.rule(running, "1.1", "approve")


async def test_an_approval_copied_into_another_run_is_none():
    house = House(reply(BOB), reply(BOB))
    run = await house.agent.run("pay")
    await house.agent.rule(run, "1.1", "approve")
    other = Run("other", [*run.events])
    resumed = await house.agent.resume(other)
    assert (resumed.state, house.done) == ("paused", [])


async def test_a_callback_is_asked_at_once_and_what_it_says_is_in_the_journal_first():
    order = []

    async def approve(call, run):
        order.append(call.args)
        return Ruling("approve", by="Ann") if call.args["to"] == "Bob" else Ruling("reject", "not her")

    house = House(reply(BOB, EVE), approve=approve)
    heard = []
    run = await house.agent.run("pay them", on_event=lambda event: heard.append((event, list(house.done))))
    assert (run.answer, house.done) == ("It is done.", [("Bob", 5)])
    assert order == [{"to": "Bob", "amount": 5}, {"to": "Eve", "amount": 7}]
    assert [done for event, done in heard if isinstance(event, Ruled)] == [[], []]
    assert house.options["journal"].runs[run.id] == run.events
    assert await replay(run, recorded_dialect(run.asked), default(run.asked.settings, recorded_abilities(run.asked))) == []


async def test_a_callback_for_one_run_and_for_the_rest_of_one():
    house = House(reply(BOB), reply(EVE))
    run = await house.agent.run("pay them", approve=lambda call, run: Ruling("approve") if call.args["to"] == "Bob" else None)
    assert (run.state, house.done) == ("paused", [("Bob", 5)])
    await house.agent.rule(run, "2.1", "approve")
    assert (await house.agent.resume(run, approve=lambda call, run: None)).state == "ended"


async def test_a_journal_that_fails_to_record_the_ruling_keeps_the_call_from_running():
    class Full(MemoryJournal):
        async def __call__(self, run, event):
            if isinstance(event, Ruled):
                raise StoreError("the disk is full")
            await super().__call__(run, event)

    house = House(reply(BOB), journal=Full(), approve=lambda call, run: Ruling("approve"))
    run = await house.agent.run("pay")
    assert (house.done, run.events[-1]) == ([], Ended("failed", detail="StoreError: the disk is full"))
    house = House(reply(BOB), journal=Full())
    run = await house.agent.run("pay")
    with pytest.raises(StoreError):
        await house.agent.rule(run, "1.1", "approve")
    assert (run.state, list(run.all(Ruled))) == ("paused", [])


async def test_rules_and_whom_the_run_is_for():
    rules = [Rule("allow", ("pay",), roles=("boss",)), Rule("deny", ("pay",), roles=("guest",))]
    for who, state, done in (({"role": "boss"}, "ended", [("Bob", 5)]), ({"role": "guest"}, "ended", []), ({}, "paused", [])):
        house = House(reply(BOB), permissions=rules)
        run = await house.agent.run("pay", who=who)
        assert (run.state, house.done) == (state, done)


async def test_rules_hold_around_an_act_of_ones_own_too():
    async def act(call, run):
        return Observation("did it")

    house = House(reply(BOB), act=act, permissions=[Rule("deny", ("pay",))])
    run = await house.agent.run("pay")
    assert [seen.kind for _, seen in run.observed] == ["denied"]


async def test_a_tool_that_asks_a_person_is_answered():
    @tool
    def ask_human(question: str) -> str:
        """Ask a person."""
        raise Pause(question)

    agent = Agent(ScriptedModel(reply(("ask_human", {"question": "What colour?"})), "Red."), [ask_human], journal=MemoryJournal())
    run = await agent.run("q")
    (one,) = agent.waiting(run)
    assert (run.state, one.reason) == ("paused", "What colour?")
    await agent.rule(run, "1.1", "answer", text="red")
    run = await agent.resume(run)
    assert (run.answer, [seen.text for _, seen in run.observed]) == ("Red.", ["red"])


async def test_run_sync_and_stream_take_who_and_approve():
    house = House(reply(BOB), permissions=[Rule("ask", ("pay",), users=("ann",))])
    kinds = [type(item).__name__ async for item in house.agent.stream("q", who={"user": "ann"}, approve=lambda call, run: Ruling("approve"))]
    assert (kinds.count("Ruled"), house.done) == (1, [("Bob", 5)])
    house = House(reply(BOB))
    assert house.agent.run_sync("q", who={"user": "ann"}, approve=lambda call, run: Ruling("approve")).asked.settings["who"] == {"user": "ann"}
    assert house.done == [("Bob", 5)]


# ── ending for good ───────────────────────────────────────────────────────────


@pytest.mark.parametrize(("lang", "said"), [("en", "Cancelled; this is the best answer so far. It was not checked any further. By li."), ("zh", "已取消，这是目前最好的答案。没有再做核对。取消人：li。")])
async def test_a_run_that_waits_can_be_cancelled_with_the_best_answer_that_it_had(lang, said):
    run = Run("x", [Asked("q", lang=lang), Replied(Reply("x")), Decided(answer="4"), Nudged("no", "verify"), Paused("?")])
    journal = MemoryJournal()
    agent = Agent(ScriptedModel(), journal=journal)
    ended = (await agent.cancel(run, by="li")).ended
    assert (ended.reason, ended.answer, ended.detail) == ("cancelled", "4", said)
    assert journal.runs["x"] == [ended]
    assert (await agent.cancel(run)).events[-1] is ended
    assert await agent.resume(run) is run


async def test_cancelling_the_task_only_interrupts_the_run():
    begun, journal = asyncio.Event(), MemoryJournal()

    async def slow() -> str:
        """Slow."""
        begun.set()
        await asyncio.Event().wait()
        return "never"

    agent = Agent(ScriptedModel("Action: slow\nAction Input: {}", "Final Answer: 4"), [slow], journal=journal, dialect="react")
    task = asyncio.create_task(agent.run("q", id="x"))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    run = await journal.load("x")
    assert (run.ended, len(run.pending)) == (None, 1)
    assert (await agent.cancel("x")).ended.reason == "cancelled"
    again = await journal.load("x")
    assert await replay(again, recorded_dialect(again.asked), recorded_policy(again.asked)) == []
