import pytest

from tao.errors import ConfigError, Pause
from tao.events import Paused, Ruled
from tao.messages import Call, Observation
from tao.run import args_hash
from tao.testing import FakeClock, did, history, spec
from tao.wrappers.strikes import strikes

FAILED = Observation("no", ok=False, kind="error")
TOOLS = [spec("f"), spec("g")]


async def fine(call, run):
    return Observation("fine")


def run_with(*steps, lang="en", tools=TOOLS):
    return history("q", *(event for step in steps for event in step), tools=tools, lang=lang)


CALL = Call("9.1", "f", {})


@pytest.mark.parametrize(
    "run",
    [
        run_with(),
        run_with(did(1, "f", FAILED)),
        run_with(did(1, "f", FAILED), did(2, "g", FAILED)),
        run_with(did(1, "f", FAILED), did(2, "f", "ok")),
        run_with(did(1, "f", FAILED), did(2, "f", Observation("no", ok=False, kind="bad_arguments"))),
        run_with(*(did(step, "f", Observation("no", ok=False, kind="refused_arguments")) for step in range(1, 6))),
    ],
    ids=["nothing", "once", "another tool", "once well", "arguments", "arguments that the tool itself refuses"],
)
async def test_it_stays_until_it_has_failed_often_enough(run):
    assert (await strikes(fine)(CALL, run)).text == "fine"


async def test_then_it_is_taken_away():
    steps = did(1, "f", FAILED), did(2, "f", "ok"), did(3, "f", Observation("late", ok=False, kind="timeout"))
    seen = await strikes(fine)(CALL, run_with(*steps))
    assert (seen.ok, seen.kind) == (False, "taken_away")
    assert seen.text == (
        "f has failed 2 times in this run and is no longer available. Use another tool (g), or answer with what you know and say what is missing."
    )
    zh = await strikes(fine)(CALL, run_with(*steps, lang="zh", tools=TOOLS[:1]))
    assert zh.text == "f 在本次运行中已失败 2 次，不再可用。请用其他工具（无），或根据已知信息回答并说明缺少什么。"
    assert (await strikes(fine, 3)(CALL, run_with(*steps))).ok
    assert (await strikes(fine)(Call("9.2", "g", {}), run_with(*steps))).ok
    assert (await strikes(fine, kinds=["error"])(CALL, run_with(*steps))).ok


async def test_or_a_person_is_asked():
    run = run_with(did(1, "f", FAILED), did(2, "f", FAILED))
    act = strikes(fine, hand_over=True)
    with pytest.raises(Pause) as caught:
        await act(CALL, run)
    assert (caught.value.reason, caught.value.call_id) == ("f has failed 2 times", "9.1")
    bound = args_hash("f", {})
    for verdict, text in (("approve", "fine"), ("answer", "by hand")):
        ruled = history("q", *run.events[1:], Paused("f has failed 2 times", "9.1"), Ruled("9.1", bound, verdict, text="by hand"), tools=TOOLS)
        assert (await act(CALL, ruled)).text == text
    rejected = history("q", *run.events[1:], Ruled("9.1", bound, "reject", reason="f has failed 2 times"), tools=TOOLS)
    assert (await act(CALL, rejected)).kind == "taken_away"


def handed(*rulings, lang="en"):
    return run_with(did(1, "f", FAILED), did(2, "f", FAILED), rulings, lang=lang)


@pytest.mark.parametrize("verdict", ["approve", "edit", "answer", "reject"])
async def test_a_ruling_counts_until_it_expires(verdict):
    clock = FakeClock()
    act = strikes(fine, hand_over=True, clock=clock)
    ruling = Ruled("9.1", args_hash("f", {}), verdict, text="by hand", expires=clock.now + 60, reason="f has failed 2 times")
    assert (await act(CALL, handed(ruling))).kind == ("taken_away" if verdict == "reject" else "")
    clock.now += 60
    with pytest.raises(Pause, match="f has failed 2 times"):
        await act(CALL, handed(ruling))


@pytest.mark.parametrize(
    "ruling",
    [
        Ruled("9.1", args_hash("f", {}), "approve", reason="f may do more than look (writes)"),
        Ruled("9.1", args_hash("f", {"x": 1}), "approve", reason="f has failed 2 times"),
        Ruled("9.0", args_hash("f", {}), "approve", reason="f has failed 2 times"),
        Ruled("9.1", args_hash("f", {}), "approve", reason="f has failed 2 times", run="another"),
        Ruled("9.1", args_hash("f", {}), "approve"),
    ],
    ids=["permission given before", "other arguments", "another call", "another run", "no question"],
)
async def test_what_was_said_to_something_else_does_not_count(ruling):
    with pytest.raises(Pause, match="f has failed 2 times"):
        await strikes(fine, hand_over=True)(CALL, handed(ruling))


async def test_in_chinese_and_where_it_failed_once_more_in_between():
    act = strikes(fine, hand_over=True)
    run = run_with(did(1, "f", FAILED), did(2, "f", FAILED), did(3, "f", FAILED), [Ruled("9.1", args_hash("f", {}), "approve", reason="f 已失败 2 次")], lang="zh")
    assert (await act(CALL, run)).text == "fine"
    with pytest.raises(Pause, match="f 已失败 2 次"):
        await act(CALL, handed(lang="zh"))


def test_a_limit_below_one_is_refused():
    with pytest.raises(ConfigError, match="must be 1 or more, not 0"):
        strikes(fine, 0)
