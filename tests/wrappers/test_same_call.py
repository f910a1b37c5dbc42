import pytest

from tao.messages import Call, Observation, ToolSpec
from tao.testing import did, history
from tao.wrappers.same_call import same_call

TOOLS = [ToolSpec("look", "", {}), ToolSpec("clock", "", {}), ToolSpec("save", "", {}, ("writes",))]


async def fresh(call, run):
    return Observation("fresh")


def told(*steps, lang="en"):
    return history("q", *(event for step in steps for event in step), tools=TOOLS, lang=lang)


async def asked(run, tool="look", **args):
    return await same_call(fresh, volatile=["clock"])(Call("9.1", tool, args), run)


async def test_the_same_call_gives_what_it_gave():
    run = told(did(1, "look", "first", a=1, b="二"))
    seen = await asked(run, b="二", a=1)
    assert seen.text == "(You made this very call before; it gave:)\nfirst"
    assert seen.notes == ("= 1.1",)
    zh = told(did(1, "look", "first"), lang="zh")
    assert (await asked(zh)).text == "（之前已经做过完全相同的调用，结果是：）\nfirst"


async def test_the_note_is_not_piled_up():
    run = told(did(1, "look", "first"))
    again = await asked(run)
    assert (await asked(told(did(1, "look", "first"), did(2, "look", again)))).text == again.text


@pytest.mark.parametrize(
    "run",
    [
        told(),
        told(did(1, "look", "first", a=2)),
        told(did(1, "look", "first", a=True)),
        told(did(1, "save", "first", a=1)),
        told(did(1, "look", Observation("no", ok=False, kind="error"), a=1)),
        told(did(1, "look", "first", a=1), did(2, "save", "written")),
        told(did(1, "look", "first", a=1), did(2, "save", Observation("broke off", ok=False, kind="timeout"))),
        told(did(1, "look", "first", a=1), did(2, "stranger", "what?")),
    ],
    ids=["nothing", "other arguments", "only equal to Python", "other tool", "failed", "written since", "perhaps written since", "unknown since"],
)
async def test_otherwise_it_is_asked_again(run):
    assert (await asked(run, a=1)).text == "fresh"


async def test_a_write_that_was_never_carried_out_changes_nothing():
    run = told(did(1, "look", "first"), did(2, "save", Observation("no", ok=False, kind="bad_arguments")))
    assert "first" in (await asked(run)).text


async def test_tools_that_write_or_change_are_always_asked():
    run = told(did(1, "save", "first"), did(2, "clock", "10:00"))
    assert (await asked(run, "save")).text == "fresh"
    assert (await asked(run, "clock")).text == "fresh"
    assert (await asked(run, "stranger")).text == "fresh"
