import pytest

from tao.errors import Pause
from tao.events import Asked, Decided, Paused, Ruled
from tao.messages import Call, Observation, ToolSpec
from tao.run import Run, args_hash
from tao.testing import FakeClock, MemoryJournal
from tao.wrappers.once import ClaimsInMemory, once, unknown

CALL = Call("1.1", "send", {"to": "Ann"})


def run_of(*events, lang="en", effects=("writes",)):
    return Run("r", [Asked("q", (ToolSpec("send", "", {"type": "object"}, effects),), lang), Decided(calls=(CALL,)), *events])


def waited(run, verdict="approve", text="", **more):
    """A person was asked about the unknown outcome, and said this."""
    return Paused(unknown(CALL, run), CALL.id), Ruled(CALL.id, args_hash(CALL.tool, CALL.args), verdict, "me", text=text, **more)


class Tool:
    def __init__(self):
        self.done = 0

    async def __call__(self, call, run):
        self.done += 1
        return Observation("sent")


@pytest.fixture
def tool():
    return Tool()


@pytest.mark.parametrize("claims", [MemoryJournal, ClaimsInMemory])
async def test_a_second_carrying_out_waits_for_a_person(claims, tool):
    act, run = once(tool, claims()), run_of()
    assert (await act(CALL, run)).text == "sent"
    with pytest.raises(Pause, match=r"unknown outcome: send \(call 1.1\) was interrupted") as raised:
        await act(CALL, run)
    assert (raised.value.call_id, tool.done) == ("1.1", 1)


@pytest.mark.parametrize(("effects", "options", "times"), [
    (("reads",), {}, 2), (("reads", "network"), {}, 2), (("writes",), {"repeatable": ["send"]}, 2), (("reads", "money"), {}, 1), ((), {}, 1),
])  # fmt: skip
async def test_what_looks_or_may_be_repeated_runs_again(effects, options, times, tool):
    claims = MemoryJournal()
    act, run = once(tool, claims, **options), run_of(effects=effects)
    await act(CALL, run)
    if times == 1:
        with pytest.raises(Pause):
            await act(CALL, run)
    else:
        await act(CALL, run)
        assert not claims.claims
    assert tool.done == times


async def test_a_tool_that_the_run_does_not_know_is_left_to_the_registry(tool):
    claims = MemoryJournal()
    await once(tool, claims)(Call("1.2", "other", {}), run_of())
    assert not claims.claims


async def test_approve_carries_it_out_once_more_and_only_once(tool):
    act, run = once(tool, MemoryJournal()), run_of()
    await act(CALL, run)
    run.events += waited(run)
    assert (await act(CALL, run)).text == "sent"
    with pytest.raises(Pause):
        await act(CALL, run)
    run.events += waited(run)
    await act(CALL, run)
    assert tool.done == 3


@pytest.mark.parametrize(("verdict", "text", "seen"), [
    ("answer", "it was sent", Observation("it was sent")),
    ("reject", "", Observation("send was interrupted and is not carried out again. It may have had an effect; say so in your answer.", ok=False, kind="rejected")),
])  # fmt: skip
async def test_answer_and_reject_carry_out_nothing(verdict, text, seen, tool):
    act, run = once(tool, MemoryJournal()), run_of()
    await act(CALL, run)
    run.events += waited(run, verdict, text)
    assert await act(CALL, run) == seen
    assert tool.done == 1


async def test_a_reason_of_a_rejection_is_told_in_the_language_of_the_run(tool):
    act, run = once(tool, MemoryJournal()), run_of(lang="zh")
    await act(CALL, run)
    with pytest.raises(Pause, match=r"结果未知：send（调用 1.1）被中断"):
        await act(CALL, run)
    run.events += waited(run, "reject", "已经发过")
    assert (await act(CALL, run)).text == "send 被中断，不再执行（已经发过）。它可能已产生影响，请在回答中说明。"


async def test_a_permission_is_not_taken_for_a_ruling_on_the_outcome(tool):
    """Neither one given before the crash, nor one asked for again after it because the first has expired."""
    act, run = once(tool, MemoryJournal()), run_of(Paused("may it?", "1.1"), Ruled("1.1", "x", "approve"))
    await act(CALL, run)
    with pytest.raises(Pause):
        await act(CALL, run)
    run.events += [Paused("expired; may it?", "1.1"), Ruled("1.1", "x", "approve")]
    with pytest.raises(Pause):
        await act(CALL, run)
    assert tool.done == 1


async def test_a_ruling_on_another_call_is_not_taken_for_one_on_this(tool):
    act, run = once(tool, MemoryJournal()), run_of()
    await act(CALL, run)
    run.events += [Paused(unknown(CALL, run), "1.1"), Ruled("1.2", "x", "approve")]
    with pytest.raises(Pause):
        await act(CALL, run)


async def test_what_was_asked_may_stand_in_the_ruling_itself(tool):
    act, run = once(tool, MemoryJournal()), run_of()
    await act(CALL, run)
    run.events.append(Ruled("1.1", "x", "approve", reason=unknown(CALL, run)))
    await act(CALL, run)
    assert tool.done == 2


async def test_an_expired_approval_and_other_arguments_ask_again(tool):
    clock = FakeClock()
    act, run = once(tool, MemoryJournal(), clock=clock), run_of()
    await act(CALL, run)
    for ruling in ({"expires": clock.now}, {"verdict": "edit", "args": {"to": "Bob"}}):
        run.events += waited(run, **ruling)
        with pytest.raises(Pause):
            await act(CALL, run)
    assert tool.done == 1
    run.events += waited(run, expires=clock.now + 1)
    await act(CALL, run)
    assert tool.done == 2


async def test_two_processes_that_go_on_with_one_run_carry_it_out_once(tool):
    journal = MemoryJournal()
    acts = [once(tool, journal), once(tool, journal)]
    await acts[0](CALL, run_of())
    with pytest.raises(Pause):
        await acts[1](CALL, run_of())
    assert tool.done == 1


async def test_calls_of_one_run_and_runs_are_told_apart(tool):
    act = once(tool, MemoryJournal())
    runs = [run_of(), run_of()]
    runs[1].id = "other"
    for run in runs:
        for number in ("1.1", "1.2", "2.1"):
            await act(Call(number, "send", {}), run)
    assert tool.done == 6
