"""Holidays, working days and lunar dates of China."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.errors import ToolError
from tao.tools.words import speaking

pytest.importorskip("chinese_calendar")

from tao.tools.builtin.calendar_cn import chinese_calendar, described, solar_date


@pytest.mark.parametrize(("day", "english", "chinese"), [
    ("2025-10-01", ("Wednesday", "day off: National Day", "next working day 2025-10-09", "lunar 2025-08-10"), ("星期三", "休息日：国庆节", "下一个工作日 2025-10-09", "八月初十")),
    ("2025-09-28", ("Sunday", "working day (made up for National Day)"), ("星期日", "工作日（为国庆节补班）")),
    ("2026-11-28", ("Saturday", "day off: weekend", "next working day 2026-11-30"), ("星期六", "休息日：周末")),
    ("2025-08-01", ("(leap month)", "working day"), ("闰六月初八",)), ("2025-01-29", ("Spring Festival",), ("乙巳蛇年正月初一", "春节")),
    ("2026-12-31", ("Thursday; working day, next working day not known: no holidays are known for 2027",), ("工作日，下一个工作日 未知：尚无 2027 年",)), ("9999-12-31", ("no holidays",), ("尚无 9999 年",)),
    ("2026-02-14", ("working day (made up for Spring Festival)",), ("（为春节补班）",)), ("2024-02-09", ("working day",), ("工作日",)), ("2050-01-01", ("no holidays are known for 2050",), ("尚无 2050 年",)), ("1850-01-01", ("no lunar date",), ("没有对应的农历",)),
])  # fmt: skip
def test_a_day(day, english, chinese):
    said = described(date.fromisoformat(day))
    assert all(part in said for part in english)
    with speaking("zh"):
        assert all(part in described(date.fromisoformat(day)) for part in chinese)


@given(st.integers(0, 72_000))
def test_every_day_can_be_told(days):
    day = date(1900, 1, 31) + timedelta(days=days)
    assert described(day).startswith(day.isoformat())


def test_lunar_dates_become_gregorian_ones():
    assert solar_date(2026, 8, 15).startswith("2026-09-25")
    assert solar_date(2025, 6, 1, leap=True).startswith("2025-07-25")
    for wrong in ((2026, 13, 1), (2026, 8, 31), (1800, 1, 1), (2500, 1, 1), (2026, 6, 1, True)):
        with pytest.raises(ToolError, match="has no day"):
            solar_date(*wrong[:3], leap=len(wrong) > 3)


def test_the_tools():
    day, lunar = chinese_calendar()
    assert day.fn(date(2025, 10, 1)).startswith("2025-10-01")
    assert lunar.fn(2026, 8, 15).startswith("2026-09-25")
