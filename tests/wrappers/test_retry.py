import pytest

from tao.messages import Call, Observation, ToolSpec
from tao.testing import FakeClock, history
from tao.wrappers.retry import retry

BUSY = Observation("busy", ok=False, kind="transient")
TOOLS = [ToolSpec("look", "", {}), ToolSpec("fetch", "", {}, ("reads", "network")), ToolSpec("save", "", {}, ("writes",)), ToolSpec("odd", "", {}, ("network",))]


def scripted(*observations):
    left = list(observations)

    async def act(call, run):
        return left.pop(0)

    return act, left


async def tried(tool, *observations, **options):
    act, left = scripted(*observations)
    clock = FakeClock(0.0)
    seen = await retry(act, sleep=clock.sleep, chance=lambda: 1.0, **options)(Call("1.1", tool, {}), history("q", tools=TOOLS))
    return seen, len(observations) - len(left), clock.now


@pytest.mark.parametrize("tool", ["look", "fetch"])
async def test_transient_failures_of_tools_that_only_look_are_tried_again(tool):
    assert await tried(tool, BUSY, BUSY, Observation("ok")) == (Observation("ok", notes=(f"{tool} ×3",)), 3, 1.5)


@pytest.mark.parametrize("tool", ["save", "odd", "unknown"])
async def test_tools_that_change_something_are_not(tool):
    assert await tried(tool, BUSY, BUSY) == (BUSY, 1, 0)


async def test_unless_they_are_named_idempotent():
    seen, times, _ = await tried("save", BUSY, Observation("ok"), idempotent=["save"])
    assert (seen.text, times) == ("ok", 2)


@pytest.mark.parametrize("first", [Observation("ok"), Observation("no", ok=False, kind="error"), Observation("late", ok=False, kind="timeout")])
async def test_anything_else_is_not_tried_again(first):
    assert await tried("look", first) == (first, 1, 0)


async def test_it_gives_up_after_so_many_attempts():
    seen, times, waited = await tried("look", *[BUSY] * 6, attempts=6)
    assert (seen.ok, times) == (False, 6)
    assert waited == 0.5 + 1 + 2 + 4 + 8


async def test_the_servers_own_wish_goes_first_within_reason():
    wish = Observation("busy", ok=False, kind="transient", data={"retry_after": 3})
    assert (await tried("look", wish, Observation("ok")))[1:] == (2, 3.0)
    long = Observation("busy", ok=False, kind="transient", data={"retry_after": 300})
    assert (await tried("look", long))[1:] == (1, 0)
    strange = Observation("busy", ok=False, kind="transient", data={"retry_after": "soon"})
    assert (await tried("look", strange, Observation("ok")))[1:] == (2, 0.5)
