import dataclasses

import pytest

from tao.errors import BadArguments, Pause
from tao.events import Decided, Observed, Paused, Ruled
from tao.messages import Call, Observation
from tao.permissions import Rule
from tao.run import Run, args_hash
from tao.testing import FakeClock, FunctionAct, history, spec
from tao.wrappers.approval import Ruling, asking, in_force, permitted, ruled
from tao.wrappers.once import unknown

WRITE = dataclasses.replace(spec("write", path="string", n="integer?"), effects=("writes",))
TOOLS = [WRITE, spec("look", q="string?"), dataclasses.replace(spec("other"), effects=("writes",))]
CALL = Call("1.1", "write", {"path": "a"})


def acts():
    return FunctionAct(write=lambda path, n=0: f"wrote {path} {n}", look=lambda q="": f"saw {q}", other=lambda: "did")


def run_with(*events, call=CALL, lang="en"):
    return history("q", Decided("", (call,)), *events, tools=TOOLS, lang=lang)


def rule(verdict, call=CALL, **more):
    more.setdefault("args_hash", args_hash(call.tool, call.args))
    return Ruled(call.id, verdict=verdict, **more)


async def paused(act, call, run):
    with pytest.raises(Pause) as caught:
        await act(call, run)
    return caught.value.reason, caught.value.call_id


# ── what is permitted ─────────────────────────────────────────────────────────


async def test_looking_runs_and_a_change_waits():
    act = acts()
    assert (await permitted(act)(Call("1.1", "look", {"q": "x"}), run_with())).text == "saw x"
    assert await paused(permitted(act), CALL, run_with()) == ("write may do more than look (writes)", "1.1")
    assert [call.tool for call in act.calls] == ["look"]


async def test_what_is_denied_says_so_and_runs_in_no_case():
    act, rules = acts(), [Rule("deny", ("write",), where={"path": {"one_of": ["a"]}}, reason="a is ours")]
    for events in ((), (rule("approve"),), (rule("answer", text="x"),), (rule("edit", args={"path": "a", "n": 3}),)):
        seen = await permitted(act, rules)(CALL, run_with(*events))
        assert (seen.ok, seen.kind) == (False, "denied")
    assert act.calls == []
    assert seen.text == (
        "write was not run: it is not permitted with these arguments (a is ours). "
        "Do not try it again; use another way, or answer with what you know and say what could not be done."
    )
    zh = await permitted(act, [Rule("deny", ("write",))])(CALL, run_with(lang="zh"))
    assert zh.text == "没有执行 write：这里不允许使用（规则禁止）。不要再次尝试；请换一种方法，或根据已知信息回答并说明哪些没有做到。"


async def test_a_tool_that_the_run_does_not_know_is_left_to_the_registry():
    async def refuses(call, run):
        return Observation("no such tool", ok=False, kind="unknown_tool")

    assert (await permitted(refuses)(Call("1.1", "nothing", {}), run_with())).kind == "unknown_tool"


# ── rulings ───────────────────────────────────────────────────────────────────


async def test_approve_runs_it():
    act = acts()
    assert (await permitted(act)(CALL, run_with(rule("approve")))).text == "wrote a 0"
    assert act.calls == [CALL]


async def test_edit_runs_other_arguments_and_tells_the_model():
    act = acts()
    seen = await permitted(act)(CALL, run_with(rule("edit", args={"path": "b", "n": 2})))
    assert seen.text == '(A person changed the arguments to {"path": "b", "n": 2}; this is what that gave:)\nwrote b 2'
    assert seen.notes == ('arguments changed to {"path": "b", "n": 2}',)
    assert [call.args for call in act.calls] == [{"path": "b", "n": 2}]
    zh = await permitted(act)(CALL, run_with(rule("edit", args={"path": "乙"}), lang="zh"))
    assert zh.text.startswith('（有人把参数改成了 {"path": "乙"}；结果如下：）')


async def test_reject_and_answer_run_nothing():
    act = acts()
    seen = await permitted(act)(CALL, run_with(rule("reject", text="not today")))
    assert (seen.ok, seen.kind) == (False, "rejected")
    assert seen.text.startswith("write was not run: a person rejected this call and said: not today\n")
    zh = await permitted(act)(CALL, run_with(rule("reject"), lang="zh"))
    assert zh.text.startswith("没有执行 write：这次调用被人拒绝。\n")
    assert await permitted(act)(CALL, run_with(rule("answer", text="done by hand"))) == Observation("done by hand")
    assert act.calls == []


async def test_a_tool_that_pauses_by_itself_is_answered_in_the_same_way():
    async def asks(call, run):
        raise Pause("What colour?", call.id)

    call = Call("1.1", "look", {"q": "colour"})
    assert await paused(permitted(asks), call, run_with(call=call)) == ("What colour?", "1.1")
    assert (await permitted(asks)(call, run_with(rule("answer", call, text="red"), call=call))).text == "red"
    assert await paused(permitted(asks), call, run_with(rule("approve", call), call=call)) == ("What colour?", "1.1")


# ── what a ruling is bound to ─────────────────────────────────────────────────

FORGED = {
    "other arguments": rule("approve", args_hash=args_hash("write", {"path": "b"})),
    "another type": rule("approve", args_hash=args_hash("write", {"path": ["a"]})),
    "another tool": rule("approve", args_hash=args_hash("other", {"path": "a"})),
    "another call": dataclasses.replace(rule("approve"), call_id="1.2"),
    "another run": rule("approve", run="somebody-elses"),
    "no hash": rule("approve", args_hash=""),
    "an unknown verdict": rule("approved"),
}


@pytest.mark.parametrize("ruling", FORGED.values(), ids=FORGED)
async def test_a_ruling_on_something_else_is_none(ruling):
    act = acts()
    assert await paused(permitted(act), CALL, run_with(Paused("x", "1.1"), ruling)) == ("write may do more than look (writes)", "1.1")
    assert act.calls == []


async def test_a_ruling_is_used_once():
    act, spent = acts(), (rule("approve"), Observed("1.1", Observation("wrote a 0")))
    run = run_with(*spent)
    assert in_force(CALL, run) is None
    await paused(permitted(act), CALL, run)
    again = run_with(*spent, Decided("", (CALL,)))
    await paused(permitted(act), CALL, again)
    assert act.calls == []


async def test_a_ruling_expires():
    act, clock = acts(), FakeClock(1000.0)
    ruling = rule("approve", expires=1001.0)
    assert (await permitted(act, clock=clock)(CALL, run_with(ruling))).ok
    clock.now = 1001.0
    expired = await paused(permitted(act, clock=clock), CALL, run_with(ruling))
    assert expired[0] == "the ruling on this call has expired; write may do more than look (writes)"
    assert len(act.calls) == 1
    allowed = await permitted(act, [Rule("allow", ("write",))], clock=clock)(CALL, run_with(ruling))
    assert allowed.ok


async def test_the_latest_ruling_holds():
    act = acts()
    assert (await permitted(act)(CALL, run_with(rule("approve"), rule("reject")))).kind == "rejected"
    assert (await permitted(act)(CALL, run_with(rule("reject"), rule("approve")))).ok


async def test_it_is_bound_to_the_call_as_decided_or_as_it_runs():
    act, raw, read = acts(), Call("1.1", "write", {"path": "a", "n": "5"}), Call("1.1", "write", {"path": "a", "n": 5})
    for one in (raw, read):
        assert (await permitted(act)(read, run_with(rule("approve", one), call=raw))).text == "wrote a 5"


async def test_edited_arguments_are_checked_again():
    def fit(call, run):
        if not isinstance(call.args.get("n", 0), int):
            raise BadArguments("n: wanted a whole number")
        return dataclasses.replace(call, args={"n": 0, **call.args})

    act, rules = acts(), [Rule("deny", ("write",), where={"path": {"under": "/etc"}}, reason="not there")]
    checked = permitted(act, rules, fit=fit)
    assert await paused(checked, CALL, run_with(rule("edit", args={"path": "b", "n": "x"}))) == (
        "the edited arguments do not fit: n: wanted a whole number", "1.1",
    )  # fmt: skip
    seen = await checked(CALL, run_with(rule("edit", args={"path": "/tmp/../etc/passwd"})))
    assert (seen.kind, act.calls) == ("denied", [])
    assert (await checked(CALL, run_with(rule("edit", args={"path": "b"})))).ok
    assert act.calls[0].args == {"n": 0, "path": "b"}
    await permitted(act)(CALL, run_with(rule("edit")))
    assert act.calls[1].args == {}


async def test_what_was_said_about_an_unknown_outcome_is_no_permission():
    run = run_with()
    run.events += [Paused(unknown(CALL, run), "1.1"), rule("approve")]
    await paused(permitted(acts()), CALL, run)
    run = run_with(rule("approve", reason="may it?"))
    run.events += [Paused(unknown(CALL, run), "1.1"), rule("reject", reason=unknown(CALL, run))]
    assert (await permitted(acts())(CALL, run)).ok


# ── asking at once ────────────────────────────────────────────────────────────


class Recorder:
    """Puts rulings into the run and keeps count of what had been done by then."""

    def __init__(self, act):
        self.act, self.done = act, []

    async def __call__(self, run, event):
        self.done.append(len(self.act.calls))
        run.events.append(event)


async def test_a_callback_is_asked_and_its_ruling_recorded_before_anything_runs():
    act = acts()
    record, seen = Recorder(act), []

    async def approve(call, run):
        seen.append(call)
        return Ruling("approve", by="Ann")

    run = run_with()
    assert (await asking(permitted(act), approve, record)(CALL, run)).text == "wrote a 0"
    assert (seen, record.done) == ([CALL], [0])
    assert run.events[-1] == Ruled("1.1", args_hash("write", {"path": "a"}), "approve", "Ann", run="test", reason="write may do more than look (writes)")
    assert (await asking(permitted(act), approve, record)(Call("1.2", "look", {}), run)).ok
    assert len(seen) == 1


async def test_without_an_answer_it_waits():
    act = acts()
    await paused(asking(permitted(act), lambda call, run: None, Recorder(act)), CALL, run_with())
    assert act.calls == []


@pytest.mark.parametrize("ruling", [Ruling("approve", expires=1.0), Ruling("edit", args={"path": 3})], ids=["expired", "misfit"])
async def test_an_answer_that_settles_nothing_does_not_ask_for_ever(ruling):
    def fit(call, run):
        if call.args["path"] == 3:
            raise BadArguments("path: wanted text")
        return call

    act, asked = acts(), []

    def approve(call, run):
        asked.append(call)
        return ruling

    await paused(asking(permitted(act, fit=fit), approve, Recorder(act)), CALL, run_with())
    assert act.calls == []
    assert len(asked) <= 2


@pytest.mark.parametrize(("said", "text", "verdict"), [(True, "wrote a 0", "approve"), (False, "rejected this call", "reject")])
async def test_yes_and_no_will_do(said, text, verdict):
    act, run = acts(), run_with()
    recorder = Recorder(act)
    assert text in (await asking(permitted(act), lambda call, run: said, recorder)(CALL, run)).text
    assert [event.verdict for event in run.events if isinstance(event, Ruled)] == [verdict]


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        ("yes", TypeError, "approve gave 'yes'; wanted: a Ruling, True, False or None\napprove 返回 'yes'；应为 Ruling、True、False 或 None"),
        (1, TypeError, "approve gave 1; wanted"), ({"verdict": "approve"}, TypeError, "wanted: a Ruling"),
        (Ruling("maybe"), ValueError, "approve gave the verdict 'maybe'; wanted: approve, edit, reject, answer\napprove 给出的裁定为 'maybe'"),
    ],
)  # fmt: skip
async def test_a_callback_that_says_nonsense_is_a_bug_and_nothing_runs(said, kind, text):
    act, run = acts(), run_with()
    with pytest.raises(kind, match=text):
        await asking(permitted(act), lambda call, run: said, Recorder(act))(CALL, run)
    assert act.calls == []
    assert not any(isinstance(event, Ruled) for event in run.events)


async def test_a_pause_of_another_call_goes_through():
    async def other(call, run):
        raise Pause("wait", "7.7")

    assert await paused(asking(other, lambda call, run: Ruling("approve"), Recorder(acts())), CALL, run_with()) == ("wait", "7.7")


async def test_the_callback_is_shown_the_call_as_it_will_run():
    act, seen = acts(), []

    def approve(call, run):
        seen.append(call.args)
        return Ruling("reject")

    shown = asking(permitted(act), approve, Recorder(act), shown=lambda call, run: dataclasses.replace(call, args={"path": "A"}))
    assert (await shown(CALL, run_with())).kind == "rejected"
    assert seen == [{"path": "A"}]


def test_a_ruling_as_it_is_recorded_names_run_call_and_arguments():
    event = ruled(Ruling("edit", args={"path": "b"}, by="Ann", expires=5.0), CALL, Run("r9"), "why")
    assert event == Ruled("1.1", args_hash("write", {"path": "a"}), "edit", "Ann", {"path": "b"}, "", 5.0, "r9", "why")
