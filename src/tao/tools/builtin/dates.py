"""The tools `current_date`, `date_add` and `date_diff`."""

import calendar
import datetime as dt
import re
import time
from collections.abc import Callable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tao.tools.declare import Tool, declare
from tao.tools.words import say

Clock = Callable[[], float]
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_OFFSET = re.compile(r"(?:UTC|GMT)\s*(?:([+-])\s*(\d{1,2})(?::?(\d{2}))?)?", re.IGNORECASE)


def dates(clock: Clock = time.time) -> list[Tool]:
    """The date tools; `clock` gives Unix time in seconds."""

    def today(zone: str | None = None) -> str:
        now = dt.datetime.fromtimestamp(clock(), dt.UTC)
        return _said(now.astimezone(_zone(zone) if zone else None).date())

    return [
        declare(
            today, name="current_date", inline=True, idempotent=True, volatile=True,
            description='Today\'s date and weekday.\n\nArgs:\n    zone: time zone such as "Asia/Shanghai"; local time if left out',
            descriptions={"zh": '今天的日期和星期。\n\n参数：\n    zone: 时区，例如 "Asia/Shanghai"；省略则为本地时间'},
        ),
        declare(
            add, name="date_add", inline=True, idempotent=True, example={"date": "2024-02-28", "days": 30},
            description="The date some time after a date, or before it with negative numbers.\n\n"
            "Args:\n    days: whole number, may be negative\n    months: counted by the calendar",
            descriptions={"zh": "某日期之后的日期；数字为负则是之前。\n\n参数：\n    days: 整数，可为负\n    months: 按日历计算"},
        ),
        declare(
            difference, name="date_diff", inline=True, idempotent=True, example={"start": "2024-02-28", "end": "2024-03-15"},
            description="Number of days from start to end; negative where end comes first.",
            descriptions={"zh": "从 start 到 end 的天数；end 更早时为负。"},
        ),
    ]  # fmt: skip


def add(date: dt.date, days: int = 0, weeks: int = 0, months: int = 0, years: int = 0) -> str:
    """Years and months first, by the calendar (31 January and a month is the last of February), then weeks and days."""
    if not (days or weeks or months or years):
        raise ValueError(say("nothing to add: give days, weeks, months or years", "没有要加的量：请给出 days、weeks、months 或 years"))
    try:
        count = date.year * 12 + date.month - 1 + months + years * 12
        year, month = divmod(count, 12)
        last = calendar.monthrange(year, month + 1)[1] if 1 <= year <= 9999 else 31
        return _said(dt.date(year, month + 1, min(date.day, last)) + dt.timedelta(days=days, weeks=weeks))
    except (OverflowError, ValueError):
        raise ValueError(say("the result lies outside the years 1 to 9999", "结果超出公元 1 至 9999 年")) from None


def difference(start: dt.date, end: dt.date) -> int:
    """Days from start to end."""
    return (end - start).days


def _said(day: dt.date) -> str:
    return say(f"{day} ({WEEKDAYS[day.weekday()]})", f"{day}（星期{'一二三四五六日'[day.weekday()]}）")


def _zone(name: str) -> dt.tzinfo:
    """A zone by its IANA name, or an offset such as UTC+8."""
    if match := _OFFSET.fullmatch(name.strip()):
        sign, hours, minutes = match.groups()
        shift = dt.timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
        if abs(shift) < dt.timedelta(hours=24):
            return dt.timezone(shift)
    try:
        return ZoneInfo(name.strip().replace(" ", "_"))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(say(
            f"unknown time zone {name[:40]!r}; give an IANA name such as Asia/Shanghai or Europe/Paris, or an offset such as UTC+8",
            f"未知时区 {name[:40]!r}；请给出 IANA 名称，例如 Asia/Shanghai、Europe/Paris，或偏移量，例如 UTC+8",
        )) from None  # fmt: skip
