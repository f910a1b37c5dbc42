import pytest

from tao.events import Asked, Decided, Observed
from tao.messages import Call, Observation, ToolSpec
from tao.run import Run
from tao.testing import FakeClock
from tao.wrappers.cache import LONGEST, Shelf, cache

FORM = {"type": "object"}
TOOLS = (ToolSpec("read", "", FORM), ToolSpec("look", "", FORM, ("reads", "network")), ToolSpec("write", "", FORM, ("writes",)))


def run_for(lang="en", **who):
    return Run("r", [Asked("q", TOOLS, lang, settings={"who": who})])


class Counting:
    def __init__(self, observation=None):
        self.done, self.observation = 0, observation

    async def __call__(self, call, run):
        self.done += 1
        return self.observation or Observation(f"{call.tool} {self.done}")


@pytest.fixture
def tool():
    return Counting()


@pytest.fixture
def clock():
    return FakeClock()


async def test_within_its_lifetime_an_observation_is_given_again_by_other_runs_too(tool, clock):
    act = cache(tool, {"read": 60}, clock=clock)
    assert (await act(Call("1.1", "read", {"a": 1}), run_for())).text == "read 1"
    clock.now += 59
    seen = await act(Call("2.1", "read", {"a": 1}), run_for())
    assert (seen.text, seen.notes) == ("read 1", ("↺ 59 s",))
    clock.now += 1
    assert (await act(Call("3.1", "read", {"a": 1}), run_for())).text == "read 2"


@pytest.mark.parametrize("other", [{"a": 2}, {"a": "1"}, {"a": True}, {"a": 1.0}, {"a": 1, "b": 2}, {}])
async def test_other_arguments_are_another_call(other, tool, clock):
    act = cache(tool, {"read": 60}, clock=clock)
    await act(Call("1", "read", {"a": 1}), run_for())
    assert (await act(Call("2", "read", other), run_for())).text == "read 2"


async def test_the_order_of_arguments_does_not_matter(tool, clock):
    act = cache(tool, {"read": 60}, clock=clock)
    await act(Call("1", "read", {"a": 1, "b": {"x": 1, "y": 2}}), run_for())
    assert (await act(Call("2", "read", {"b": {"y": 2, "x": 1}, "a": 1}), run_for())).text == "read 1"


@pytest.mark.parametrize("who", [{"user": "bob"}, {"user": "ann", "session": "2"}, {"user": "ann", "tenant": "t"}, {}])
async def test_nobody_is_given_what_another_was_told(who, tool, clock):
    act = cache(tool, {"read": 60, "look": 60}, everybody=["look"], clock=clock)
    for name in ("read", "look"):
        await act(Call("1", name, {}), run_for(user="ann", session="1"))
    assert (await act(Call("2", "read", {}), run_for(**who))).text == "read 3"
    assert (await act(Call("3", "look", {}), run_for(**who))).text == "look 2"


async def test_runs_of_nobody_we_know_are_kept_apart_and_so_are_all_where_it_is_wanted(tool, clock):
    act = cache(tool, {"read": 60, "look": 60}, everybody=["look"], each_run=["read"], clock=clock)

    def run(name, **who):
        return Run(name, [Asked("q", TOOLS, settings={"who": who} if who else {})])

    assert [(await act(Call("1", "read", {}), run(name, user="ann"))).text for name in "aab"] == ["read 1", "read 1", "read 2"]
    unknown = cache(tool, {"read": 60, "look": 60}, everybody=["look"], clock=clock)
    assert [(await unknown(Call("1", "read", {}), run(name))).text for name in "aab"] == ["read 3", "read 3", "read 4"]
    assert [(await unknown(Call("1", "look", {}), run(name))).text for name in "aab"] == ["look 5"] * 3


async def test_languages_are_kept_apart(tool, clock):
    act = cache(tool, {"read": 60}, clock=clock)
    await act(Call("1", "read", {}), run_for())
    assert (await act(Call("2", "read", {}), run_for("zh"))).text == "read 2"


@pytest.mark.parametrize("name", ["write", "unknown", "look"])
async def test_what_changes_something_or_has_no_lifetime_is_done_each_time(name, tool, clock):
    act = cache(tool, {"read": 60, "write": 60, "unknown": 60}, clock=clock)
    for number in (1, 2):
        assert (await act(Call("1", name, {}), run_for())).text == f"{name} {number}"


@pytest.mark.parametrize("observation", [Observation("no", ok=False, kind="error"), Observation("x" * (LONGEST + 1))])
async def test_failures_and_floods_are_not_kept(observation, clock):
    tool = Counting(observation)
    act = cache(tool, {"read": 60}, clock=clock)
    for _ in range(2):
        await act(Call("1", "read", {}), run_for())
    assert tool.done == 2


async def test_a_run_is_not_told_what_was_so_before_its_own_change(tool, clock):
    act = cache(tool, {"read": 60}, clock=clock)
    await act(Call("1", "read", {}), run_for())
    clock.now += 1
    run = run_for()
    run.events += [Decided(calls=(Call("1.1", "write", {}),)), Observed("1.1", Observation("done"), at=clock.now)]
    assert (await act(Call("2.1", "read", {}), run)).text == "read 2"
    clock.now += 1
    await act(Call("9", "look", {}), run_for())
    refused = run_for()
    refused.events += [Decided(calls=(Call("1.1", "write", {}),)), Observed("1.1", Observation("no", ok=False, kind="denied"), at=clock.now + 5)]
    assert (await act(Call("2.1", "read", {}), refused)).text == "read 2"


async def test_the_shelf_holds_so_many(tool, clock):
    shelf = Shelf(3)
    act = cache(tool, {"read": 60}, shelf=shelf, clock=clock)
    for number in range(10):
        await act(Call("1", "read", {"n": number}), run_for())
    assert len(shelf) == 3
    assert (await act(Call("1", "read", {"n": 9}), run_for())).text == "read 10"


def test_without_lifetimes_there_is_nothing_around_the_call(tool):
    assert cache(tool, {}) is tool
