import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.errors import ConfigError
from tao.messages import Call, Observation
from tao.testing import FakeClock, history
from tao.wrappers.rate_limit import SWEEP, Rate, WindowsInMemory, rate, rate_limit


async def done(call, run):
    return Observation("ok")


def run_for(lang="en", **who):
    run = history("q", lang=lang)
    run.asked.settings["who"] = who
    return run


@pytest.mark.parametrize(("text", "count", "seconds"), [
    ("10/minute", 10, 60), ("1/s", 1, 1), (" 100 per 2 hours ", 100, 7200), ("5/30s", 5, 30), ("3/Day", 3, 86400), ("7 / 10 min", 7, 600),
    ("10次/分钟", 10, 60), ("10 每 2 小时", 10, 7200), ("2/天", 2, 86400), ("4/secs", 4, 1), ("1000/hour", 1000, 3600),
])  # fmt: skip
def test_rates_are_read_as_people_write_them(text, count, seconds):
    assert rate(text) == Rate(count, seconds)


@pytest.mark.parametrize("text", ["", "10", "0/minute", "-1/s", "10/fortnight", "x/s", "1/0s", "10/minute/second", "1.5/s", "10//s"])
def test_what_is_no_rate_is_refused(text):
    with pytest.raises(ConfigError, match="is no rate; wanted: a number of calls and a time, such as 10/minute") as raised:
        rate(text)
    assert "不是有效的频率" in str(raised.value)


@given(st.integers(1, 5), st.integers(1, 50), st.lists(st.integers(0, 30), max_size=60))
async def test_never_more_than_allowed_in_any_stretch_of_time(count, seconds, pauses):
    clock = FakeClock(0.0)
    windows, taken = WindowsInMemory(clock), []
    for pause in pauses:
        clock.now += pause
        wait = await windows.take([("k", Rate(count, seconds))])
        if wait == 0:
            taken.append(clock.now)
        else:
            assert len([at for at in taken if at > clock.now - seconds]) == count
            assert wait == taken[-count] + seconds - clock.now
    assert all(later - earlier >= seconds for earlier, later in zip(taken, taken[count:], strict=False))


async def test_all_of_several_windows_or_none():
    clock = FakeClock()
    windows = WindowsInMemory(clock)
    one, other = ("a", Rate(1, 10)), ("b", Rate(5, 10))
    assert await windows.take([one, other]) == 0
    for _ in range(9):
        assert await windows.take([one, other]) == 10
    assert [await windows.take([other]) for _ in range(5)] == [0, 0, 0, 0, 10]


async def test_what_has_passed_is_forgotten():
    clock = FakeClock()
    windows = WindowsInMemory(clock)
    for number in range(SWEEP * 3):
        clock.now += 1
        await windows.take([(f"user {number}", Rate(1, 5))])
    assert len(windows._times) <= SWEEP


async def test_a_call_waits_its_turn():
    clock = FakeClock()
    act = rate_limit(done, {("f", "all"): Rate(2, 6)}, WindowsInMemory(clock), sleep=clock.sleep)
    start = clock.now
    times = []
    for _ in range(5):
        assert (await act(Call("1", "f", {}), run_for())).ok
        times.append(clock.now - start)
    assert times == [0, 0, 6, 6, 12]


async def test_beyond_patience_it_is_told_when_to_come_again():
    clock = FakeClock()
    act = rate_limit(done, {("f", "all"): Rate(1, 60)}, WindowsInMemory(clock), sleep=clock.sleep)
    await act(Call("1", "f", {}), run_for())
    clock.now += 20
    seen = await act(Call("2", "f", {}), run_for())
    assert (seen.ok, seen.kind, seen.data) == (False, "rate_limited", {"retry_after": 40})
    assert seen.text.startswith("f was not run: it has been called too often, and may be called again in 40 s.")
    assert (await act(Call("2", "f", {}), run_for("zh"))).text.startswith("没有执行 f：调用过于频繁，40 秒后可再调用。")
    assert (await act(Call("3", "g", {}), run_for())).ok


@pytest.mark.parametrize(("scope", "same", "other"), [
    ("user", {"user": "ann", "tenant": "b"}, {"user": "bob"}), ("tenant", {"user": "x", "tenant": "a"}, {"user": "ann", "tenant": "b"}),
])  # fmt: skip
async def test_users_and_tenants_are_counted_apart(scope, same, other):
    clock = FakeClock()
    act = rate_limit(done, {("f", scope): Rate(1, 60)}, WindowsInMemory(clock), sleep=clock.sleep)
    kinds = [(await act(Call("1", "f", {}), run_for(**who))).kind for who in ({"user": "ann", "tenant": "a"}, same, other, {}, {})]
    assert kinds == ["", "rate_limited", "", "", "rate_limited"]


async def test_all_tools_together():
    clock = FakeClock()
    act = rate_limit(done, {("", "all"): Rate(2, 60), ("f", "all"): Rate(1, 60)}, WindowsInMemory(clock), sleep=clock.sleep)
    assert [(await act(Call("1", name, {}), run_for())).kind for name in "ffgg"] == ["", "rate_limited", "", "rate_limited"]


async def test_many_at_once_get_no_more_than_there_is():
    clock = FakeClock()
    act = rate_limit(done, {("f", "all"): Rate(3, 600)}, WindowsInMemory(clock), sleep=clock.sleep)
    seen = await asyncio.gather(*(act(Call(f"1.{n}", "f", {}), run_for()) for n in range(20)))
    assert sum(one.ok for one in seen) == 3


def test_without_rates_there_is_nothing_around_the_call():
    assert rate_limit(done, {}) is done
