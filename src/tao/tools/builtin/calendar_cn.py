"""The tools `chinese_calendar` and `lunar_to_solar`: holidays, working days and the lunar calendar of China."""

import importlib.util
from datetime import date, timedelta
from typing import Any

from tao.errors import ConfigError, ToolError, both
from tao.tools.declare import Tool, declare
from tao.tools.words import say

NAMES = ("chinese_calendar", "lunar_to_solar")
MONTHS = ("正", "二", "三", "四", "五", "六", "七", "八", "九", "十", "冬", "腊")
DIGITS = "一二三四五六七八九十"
WEEKDAYS = {"en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"), "zh": tuple(f"星期{day}" for day in "一二三四五六日")}
STEMS, BRANCHES, ANIMALS = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥", "鼠牛虎兔龙蛇马羊猴鸡狗猪"
HOLIDAYS = {
    "New Year's Day": "元旦", "Spring Festival": "春节", "Tomb-sweeping Day": "清明节", "Labour Day": "劳动节", "Dragon Boat Festival": "端午节",
    "Mid-autumn Festival": "中秋节", "National Day": "国庆节",
}  # fmt: skip


def chinese_calendar() -> list[Tool]:
    """The two tools. Raises ConfigError where their packages are not installed."""
    if importlib.util.find_spec("chinese_calendar") is None or importlib.util.find_spec("lunardate") is None:
        raise ConfigError(both(
            "the Chinese calendar needs chinese-calendar and lunardate: pip install 'tao-agent[calendar]'",
            "中国日历需要 chinese-calendar 和 lunardate：pip install 'tao-agent[calendar]'",
        ))  # fmt: skip

    def day(date: date) -> str:
        return described(date)

    def solar(year: int, month: int, day: int, leap: bool = False) -> str:  # noqa: FBT001, FBT002 - a tool's parameter
        return solar_date(year, month, day, leap=leap)

    return [
        declare(
            day, name="chinese_calendar", idempotent=True, example={"date": "2026-10-01"},
            description="Tell whether a date is a working day or a holiday in China, the next working day, and its lunar date.\n\nArgs:\n    date: YYYY-MM-DD",
            descriptions={"zh": "查某一天在中国是工作日还是节假日、下一个工作日，以及农历日期。\n\n参数：\n    date: YYYY-MM-DD"},
        ),
        declare(
            solar, name="lunar_to_solar", idempotent=True, example={"year": 2026, "month": 8, "day": 15},
            description="Turn a date of the Chinese lunar calendar into a Gregorian one.\n\nArgs:\n    year: lunar year\n    month: 1 to 12\n    day: 1 to 30\n    leap: whether it is a leap month",
            descriptions={"zh": "把农历日期换算成公历日期。\n\n参数：\n    year: 农历年\n    month: 1 到 12\n    day: 1 到 30\n    leap: 是否闰月"},
        ),
    ]  # fmt: skip


def described(day: date) -> str:
    """Weekday, holiday or working day, the next working day, and the lunar date; what is not known is said."""
    weekday = say(WEEKDAYS["en"][day.weekday()], WEEKDAYS["zh"][day.weekday()])
    parts = [f"{day.isoformat()} {weekday}", _work(day), _lunar(day)]
    return say("; ".join(parts), "；".join(parts))


def _work(day: date) -> str:
    import chinese_calendar as known  # noqa: PLC0415 - optional: loaded on first use, only here

    try:
        rests, name = known.get_holiday_detail(day)
        in_lieu = known.is_in_lieu(day)
    except NotImplementedError:
        return say(f"no holidays are known for {day.year}", f"尚无 {day.year} 年的放假安排")
    try:
        following = next(other for other in (day + timedelta(days=n) for n in range(1, 30)) if known.is_workday(other)).isoformat()
    except (NotImplementedError, OverflowError):
        following = say(f"not known: no holidays are known for {day.year + 1}", f"未知：尚无 {day.year + 1} 年的放假安排")
    if rests:
        said = say(name or "weekend", HOLIDAYS.get(name, name) if name else "周末") + (say(" (day off in lieu)", "（调休）") if in_lieu else "")
        what = say(f"day off: {said}", f"休息日：{said}")
    else:
        what = say("working day", "工作日") + (say(f" (made up for {name})", f"（为{HOLIDAYS.get(name, name)}补班）") if name else "")
    return what + say(f", next working day {following}", f"，下一个工作日 {following}")


def _lunar(day: date) -> str:
    import lunardate  # noqa: PLC0415 - optional: loaded on first use, only here

    try:
        found: Any = lunardate.LunarDate.from_solar_date(day.year, day.month, day.day)
        known = found.to_solar_date() == day
    except (ValueError, IndexError):
        known = False
    if not known:
        return say("no lunar date is known for it", "没有对应的农历数据")
    leap = bool(found.is_leap_month)
    year = f"{STEMS[(found.year - 4) % 10]}{BRANCHES[(found.year - 4) % 12]}{ANIMALS[(found.year - 4) % 12]}年"
    name = f"{year}{'闰' if leap else ''}{MONTHS[found.month - 1]}月{_day(found.day)}"
    english = f"lunar {found.year}-{found.month:02d}-{found.day:02d}{' (leap month)' if leap else ''}, {name}"
    return say(english, f"农历{name}（{found.year}年{'闰' if leap else ''}{found.month}月{found.day}日）")


def _day(number: int) -> str:
    if number % 10 == 0:
        return {10: "初十", 20: "二十", 30: "三十"}[number]
    return ("初", "十", "廿", "卅")[number // 10] + DIGITS[number % 10 - 1]


def solar_date(year: int, month: int, day: int, *, leap: bool = False) -> str:
    """The Gregorian date of a lunar one. Raises ToolError for a day that the lunar year does not have."""
    import lunardate  # noqa: PLC0415 - optional: loaded on first use, only here

    try:
        found: date = lunardate.LunarDate(year, month, day, leap).to_solar_date()
        back = lunardate.LunarDate.from_solar_date(found.year, found.month, found.day)
        same = (back.year, back.month, back.day, bool(back.is_leap_month)) == (year, month, day, leap)
    except (ValueError, OverflowError, IndexError):
        same = False
    if not same:
        named = f"{year}-{month}-{day}" + say(" (leap month)" if leap else "", "（闰月）" if leap else "")
        raise ToolError(say(f"the lunar calendar has no day {named} (known: 1900 to 2099)", f"农历没有 {named} 这一天（可查 1900 至 2099 年）"))
    return described(found)
