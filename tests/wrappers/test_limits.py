import asyncio

import pytest

from tao.errors import ConfigError
from tao.messages import Call, Observation
from tao.testing import history
from tao.wrappers.limits import limits

RUN = history("q")


class Busy:
    """An act that counts how many calls are in it."""

    def __init__(self):
        self.now = self.most = 0

    async def __call__(self, call, run):
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        if call.args.get("fail"):
            raise ValueError("bug")
        return Observation(call.id)


async def test_at_most_so_many_at_once_and_all_come_back_in_order():
    busy = Busy()
    act = limits(busy, 3)
    seen = await asyncio.gather(*(act(Call(str(n), "f", {}), RUN) for n in range(20)))
    assert [one.text for one in seen] == [str(n) for n in range(20)]
    assert busy.most == 3


async def test_per_tool():
    busy = Busy()
    act = limits(busy, 8, per_tool={"f": 1})
    await asyncio.gather(*(act(Call(str(n), "f", {}), RUN) for n in range(5)))
    assert busy.most == 1
    await asyncio.gather(*(act(Call(str(n), "g", {}), RUN) for n in range(5)))
    assert busy.most == 5


async def test_failing_and_cancelled_calls_give_their_place_back():
    busy = Busy()
    act = limits(busy, 1)
    with pytest.raises(ValueError, match="bug"):
        await act(Call("1", "f", {"fail": True}), RUN)
    waiting = [asyncio.create_task(act(Call("2", "f", {}), RUN)) for _ in range(2)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    busy.now = 0
    assert (await act(Call("3", "f", {}), RUN)).text == "3"


def test_one_act_serves_several_event_loops():
    act = limits(Busy(), 1)

    async def both():
        await asyncio.gather(act(Call("1", "f", {}), RUN), act(Call("2", "f", {}), RUN))

    asyncio.run(both())
    asyncio.run(both())


@pytest.mark.parametrize(("options", "said"), [({"at_once": 0}, "at_once=0"), ({"per_tool": {"f": 0}}, "f=0")])
def test_limits_below_one_are_refused(options, said):
    with pytest.raises(ConfigError, match=f"must be 1 or more, not {said}"):
        limits(Busy(), **options)
