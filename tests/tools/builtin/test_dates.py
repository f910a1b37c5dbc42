import datetime as dt

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tao.messages import Call
from tao.testing import FakeClock, history
from tao.tools.builtin.dates import add, dates
from tao.tools.registry import registry, specs

TOOLS = dates(FakeClock(1_741_046_400.0))  # 2025-03-04 00:00 UTC


async def told(name, lang="en", **args):
    return (await registry(TOOLS)(Call("1", name, args), history("q", tools=specs(TOOLS, lang), lang=lang))).text


@pytest.mark.parametrize(
    ("zone", "text"),
    [("Asia/Shanghai", "2025-03-04 (Tuesday)"), ("America/New York", "2025-03-03 (Monday)"), ("UTC", "2025-03-04 (Tuesday)"), ("UTC-1", "2025-03-03 (Monday)"),
     ("GMT+05:30", "2025-03-04 (Tuesday)")],
)  # fmt: skip
async def test_today_by_zone(zone, text):
    assert await told("current_date", zone=zone) == text


async def test_today_here():
    local = dt.datetime.fromtimestamp(1_741_046_400.0).astimezone().date()
    assert (await told("current_date")).startswith(local.isoformat())


async def test_chinese():
    assert await told("current_date", "zh", zone="Asia/Shanghai") == "2025-03-04（星期二）"
    assert [spec.description for spec in specs(TOOLS, "zh")] == ["今天的日期和星期。", "某日期之后的日期；数字为负则是之前。", "从 start 到 end 的天数；end 更早时为负。"]
    assert "未知时区 'Mars'" in await told("current_date", "zh", zone="Mars")


@pytest.mark.parametrize("zone", ["Mars", "../../etc/passwd", "UTC+99", "/etc/localtime", ""])
async def test_zones_that_there_are_not(zone):
    if zone:
        assert "give an IANA name such as Asia/Shanghai" in await told("current_date", zone=zone)
    else:
        assert "2025" in await told("current_date", zone=zone)


@pytest.mark.parametrize(
    ("args", "text"),
    [({"days": 50}, "2024-03-21 (Thursday)"), ({"days": -31}, "2023-12-31 (Sunday)"), ({"weeks": 1}, "2024-02-07 (Wednesday)"), ({"months": 1}, "2024-02-29 (Thursday)"),
     ({"months": -11}, "2023-02-28 (Tuesday)"), ({"years": 1}, "2025-01-31 (Friday)"), ({"years": 1, "months": 1, "days": 1}, "2025-03-01 (Saturday)")],
)  # fmt: skip
async def test_date_add(args, text):
    assert await told("date_add", date="2024-01-31", **args) == text


@pytest.mark.parametrize("args", [{"years": 9999}, {"days": 10**30}, {"months": -(10**9)}, {"days": -10_000_000}])
async def test_beyond_the_calendar(args):
    assert "outside the years 1 to 9999" in await told("date_add", date="2024-01-31", **args)


async def test_nothing_to_add():
    assert "nothing to add: give days" in await told("date_add", date="2024-01-31")


async def test_date_diff():
    assert await told("date_diff", start="2025-01-01", end="2025/1/31") == "30"
    assert await told("date_diff", start="2025-01-31", end="2025-01-01") == "-30"


@given(st.dates(dt.date(100, 1, 1), dt.date(9000, 1, 1)), st.integers(-9000, 9000).filter(bool))
def test_adding_days_agrees_with_python(day, days):
    assert add(day, days).startswith((day + dt.timedelta(days)).isoformat())


@given(st.dates(dt.date(100, 1, 1), dt.date(9000, 1, 1)), st.integers(-900, 900).filter(bool))
def test_adding_months_keeps_the_day_or_takes_the_last(day, months):
    reached = dt.date.fromisoformat(add(day, months=months)[:10])
    assert (reached.year - day.year) * 12 + reached.month - day.month == months
    assert reached.day == day.day or (reached.day < day.day and (reached + dt.timedelta(1)).day == 1)
