"""The tool `convert_units`: one quantity in another unit, with English and Chinese names (pint).

A unit is taken apart here, name by name, and pint is asked for single names only: as an expression of its own, a text such as
m**9**9**9 would keep it busy for ever.
"""

import importlib.util
import math
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

from tao.errors import ConfigError, ToolError, both
from tao.tools.declare import Tool, declare
from tao.tools.words import say

NAMES = {
    "米": "meter", "公尺": "meter", "分米": "decimeter", "厘米": "centimeter", "公分": "centimeter", "公里": "kilometer", "英里": "mile", "哩": "mile", "英尺": "foot", "呎": "foot",
    "英寸": "inch", "吋": "inch", "寸": "market_cun inch", "尺": "market_chi foot", "丈": "market_zhang", "里": "market_li", "市里": "market_li", "华里": "market_li", "市尺": "market_chi",
    "码": "yard", "海里": "nautical_mile", "浬": "nautical_mile", "nm": "nanometer nautical_mile", "光年": "light_year", "秒差距": "parsec", "天文单位": "astronomical_unit", "埃": "angstrom",
    "吨": "metric_ton", "公吨": "metric_ton", "英吨": "long_ton", "美吨": "short_ton", "公斤": "kilogram", "克": "gram", "斤": "market_jin", "市斤": "market_jin", "两": "market_liang",
    "钱": "market_qian", "担": "market_dan", "磅": "pound", "英磅": "pound", "lbs": "pound", "盎司": "ounce fluid_ounce", "oz": "ounce fluid_ounce", "英石": "stone", "克拉": "carat", "ct": "carat",
    "公顷": "hectare", "公亩": "are", "亩": "market_mu", "顷": "market_qing", "英亩": "acre", "坪": "ping", "升": "liter", "公升": "liter", "毫升": "milliliter", "加仑": "gallon", "品脱": "pint",
    "夸脱": "quart", "杯": "cup", "汤匙": "tablespoon", "茶匙": "teaspoon", "桶": "oil_bbl", "液盎司": "fluid_ounce", "fl oz": "fluid_ounce", "sqft": "foot**2", "sqm": "meter**2", "sqkm": "kilometer**2", "sqmi": "mile**2", "cuft": "foot**3", "cc": "centimeter**3", "方": "meter**3",
    "摄氏度": "degree_Celsius", "摄氏": "degree_Celsius", "华氏度": "degree_Fahrenheit", "华氏": "degree_Fahrenheit", "开尔文": "kelvin", "开": "kelvin", "℃": "degree_Celsius", "℉": "degree_Fahrenheit",
    "°C": "degree_Celsius", "°F": "degree_Fahrenheit", "°K": "kelvin", "°": "degree", "celsius": "degree_Celsius", "fahrenheit": "degree_Fahrenheit", "centigrade": "degree_Celsius",
    "C": "degree_Celsius coulomb", "F": "degree_Fahrenheit farad", "度": "degree kilowatt_hour degree_Celsius", "度电": "kilowatt_hour", "角度": "degree", "弧度": "radian", "角分": "arcminute",
    "角秒": "arcsecond", "秒": "second", "秒钟": "second", "分": "minute", "分钟": "minute", "小时": "hour", "钟头": "hour", "时": "hour", "刻": "quarter_hour", "刻钟": "quarter_hour", "天": "day", "日": "day",
    "周": "week", "星期": "week", "礼拜": "week", "月": "month", "个月": "month", "年": "year", "世纪": "century", "mph": "mile/hour", "kph": "kilometer/hour", "kmh": "kilometer/hour",
    "迈": "mile/hour kilometer/hour", "节": "knot", "马赫": "speed_of_sound_in_air", "焦": "joule", "焦耳": "joule", "卡": "calorie", "卡路里": "calorie", "大卡": "kilocalorie", "千卡": "kilocalorie",
    "Cal": "kilocalorie", "千瓦时": "kilowatt_hour", "瓦时": "watt_hour", "瓦": "watt", "瓦特": "watt", "马力": "metric_horsepower", "匹": "metric_horsepower", "牛": "newton", "牛顿": "newton",
    "牛米": "newton*meter", "帕": "pascal", "帕斯卡": "pascal", "巴": "bar", "大气压": "standard_atmosphere", "标准大气压": "standard_atmosphere", "毫米汞柱": "millimeter_Hg", "伏": "volt", "伏特": "volt",
    "安": "ampere", "安培": "ampere", "欧": "ohm", "欧姆": "ohm", "Ω": "ohm", "赫": "hertz", "赫兹": "hertz", "转": "turn", "字节": "byte", "比特": "bit", "位": "bit", "KB": "kilobyte", "kb": "kilobyte kilobit", "mb": "megabyte megabit", "gb": "gigabyte gigabit", "千字节": "kilobyte", "兆字节": "megabyte",
    "吉字节": "gigabyte", "太字节": "terabyte", "mpg": "mile/gallon", "rpm": "turn/minute", "kwh": "kilowatt_hour", "mmhg": "millimeter_Hg", "bbl": "oil_bbl", "摩尔": "mole", "流明": "lumen", "勒克斯": "lux",
}  # fmt: skip
"""Names that pint does not know, or knows otherwise; of several the first that fits the other unit is taken."""
MARKET = (
    "market_li = 500 * meter", "market_zhang = 10 / 3 * meter", "market_chi = meter / 3", "market_cun = meter / 30", "market_jin = 500 * gram", "market_liang = 50 * gram",
    "market_qian = 5 * gram", "market_dan = 50000 * gram", "market_mu = 2000 / 3 * meter ** 2", "market_qing = 200000 / 3 * meter ** 2", "ping = 400 / 121 * meter ** 2",
    "quarter_hour = 15 * minute", "speed_of_sound_in_air = 340.3 * meter / second",
)  # fmt: skip
"""The Chinese market system, as it has been since 1930, and what else pint has to be told."""
COUNTS = {"十": 10.0, "百": 100.0, "千": 1e3, "万": 1e4, "亿": 1e8}
PREFIXES = {"太": "tera", "吉": "giga", "兆": "mega", "厘": "centi", "分": "deci", "毫": "milli", "微": "micro", "纳": "nano", "皮": "pico"}
MONEY = frozenset(
    "usd eur cny rmb jpy gbp hkd krw inr rub aud cad chf twd dollar dollars euro euros yuan yen pounds_sterling rupee ruble won bitcoin btc $ € £ ¥ 元 块 角 人民币 美元 美金 欧元 英镑 日元 "
    "港元 港币 台币 韩元 卢布 澳元 加元 瑞郎 比特币".split()
)
_FACTOR = re.compile(r"(?P<count>\d{1,6}(?:\.\d{1,6})?)?\s*(?P<name>.+?)\s*(?:\^?\s*\(?(?P<power>-?[1-6])\)?)?")
_SQUARED = re.compile(r"(?P<two>square |sq\.? |平方)|(?P<three>cubic |cu\.? |立方)", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-zµμÅåΩ_]+(?: [A-Za-z]+){0,3}")

Unit = tuple[float, Any]
"""A factor, and a unit of pint's."""


def convert_units() -> Tool:
    """A tool that converts lengths, weights, areas, temperatures … but no money. Raises ConfigError where pint is not installed."""
    if importlib.util.find_spec("pint") is None:
        raise ConfigError(both("the tool 'convert_units' needs pint: pip install 'tao-agent[units]'", "工具 'convert_units' 需要 pint：pip install 'tao-agent[units]'"))

    def run(value: float, unit: str, to: str) -> str:
        return converted(value, unit, to)

    return declare(
        run, name="convert_units", idempotent=True, example={"value": 3, "unit": "mile", "to": "km"},
        description="Convert a quantity to another unit (not money).\n\nArgs:\n    value: the number\n    unit: its unit, e.g. mile\n    to: the wanted unit, e.g. km",
        descriptions={"zh": "单位换算（不含货币）。\n\n参数：\n    value: 数值\n    unit: 原单位，例如 英里\n    to: 目标单位，例如 公里"},
    )  # fmt: skip


def converted(value: float, unit: str, to: str) -> str:
    """The quantity in both units. Raises ToolError for a unit that nobody knows, and for two that do not fit each other."""
    _, pint = _registry()
    if not math.isfinite(value):
        raise ToolError(say(f"{value} is no quantity", f"{value} 不是数量"))
    starts, ends = list(_read(unit)), list(_read(to))
    for start in starts:
        for end in ends:
            try:
                result = _converted(value, start, end)
            except pint.DimensionalityError:
                continue
            except (pint.PintError, ValueError, OverflowError, ZeroDivisionError, TypeError) as error:
                raise ToolError(say(f"cannot convert {unit} to {to}: {error}", f"无法把 {unit} 换算成 {to}：{error}")) from None
            return f"{value:.12g} {unit.strip()} = {result:.10g} {to.strip()}"
    raise ToolError(say(f"{unit} and {to} measure different things", f"{unit} 和 {to} 不是同一类量"))


def _converted(value: float, start: Unit, end: Unit) -> float:
    known, _ = _registry()
    quantity = known.Quantity(value * start[0], start[1])
    if dict(quantity.dimensionality) == {"[temperature]": 1} and quantity.to("kelvin").magnitude < -1e-9:
        raise ValueError(say("it lies below absolute zero", "低于绝对零度"))
    if quantity.dimensionality == (1 / known.Quantity(1, end[1])).dimensionality == known.Unit("mile/gallon").dimensionality:
        quantity = 1 / quantity  # litres per 100 km and miles per gallon
    elif quantity.dimensionality == known.Unit("gallon/mile").dimensionality == (1 / known.Quantity(1, end[1])).dimensionality:
        quantity = 1 / quantity
    return float(quantity.to(end[1]).magnitude / end[0])


# ── reading a unit ────────────────────────────────────────────────────────────


def _read(text: str) -> Iterator[Unit]:
    """What the text may mean, the likeliest first. Raises ToolError where it is no unit."""
    said = unicodedata.normalize("NFKC", text).strip().replace("**", "^").strip(" .。")
    found = False
    if 0 < len(said) <= 60:
        for unit in _meant(said):
            found = True
            yield unit
    if not found:
        if said.lower() in MONEY:
            raise ToolError(say("money is not converted here: rates change every day; look for today's rate", "这里不换算货币：汇率每天变化；请查询当天汇率"))
        raise ToolError(say(
            f"no unit {text[:60]!r} is known; write it like km, pound, m^2 or km/h", f"不认识单位 {text[:60]!r}；请写成 公里、斤、平方米、千米/小时 或 km、m^2 这样的形式",
        ))  # fmt: skip


def _meant(said: str) -> Iterator[Unit]:
    for whole in dict.fromkeys((said, said.lower())):
        yield from _alone(whole)
    parts = re.split(r"\s*/\s*|\s+per\s+|每", said)
    if parts[0] and (product := _product(parts)):
        yield product


def _product(parts: list[str]) -> Unit | None:
    """Numerator and denominators as one unit; None where a name in it is not known."""
    factor, unit = 1.0, _registry()[0].Unit("dimensionless")
    for at, part in enumerate(parts):
        for one in re.split(r"\s*[·*×⋅]\s*", part.strip().removeprefix("(").removesuffix(")")):
            read = _factor(one)
            if read is None:
                return None
            factor = factor / read[0] if at else factor * read[0]
            unit = unit / read[1] if at else unit * read[1]
    return factor, unit


def _factor(text: str) -> Unit | None:
    """One name with its number before and its power behind: 100 km, m^2, 平方米, cubic feet."""
    match = _FACTOR.fullmatch(text.strip())
    if match is None:
        return None
    name, power = match["name"], int(match["power"] or 1)
    if squared := _SQUARED.match(name):
        name, power = name[squared.end() :].strip(), power * (2 if squared["two"] else 3)
    read = next((unit for variant in dict.fromkeys((name, name.lower())) for unit in _alone(variant)), None)
    return None if read is None else (float(match["count"] or 1) * read[0] ** power, read[1] ** power)


def _alone(name: str) -> Iterator[Unit]:
    """What a single name may mean."""
    known, pint = _registry()
    if name in NAMES:
        yield from ((1.0, known.Unit(one)) for one in NAMES[name].split())
        return
    rest = name[1:]
    if rest in NAMES and name[0] in COUNTS:
        yield COUNTS[name[0]], known.Unit(NAMES[rest].split()[0])
    elif rest in NAMES and name[0] in PREFIXES and " " not in NAMES[rest]:
        yield 1.0, known.Unit(f"{PREFIXES[name[0]]}{NAMES[rest]}")
    elif _PLAIN.fullmatch(name):
        for spelled in dict.fromkeys((name.replace(" ", "_"), name.replace(" ", "_").removesuffix("s"))):
            try:
                yield 1.0, known.Unit(spelled)
            except (pint.PintError, AttributeError, ValueError, TypeError):
                continue
            return


@cache
def _registry() -> tuple[Any, Any]:
    import pint  # noqa: PLC0415 - optional and heavy: loaded on first use, only here

    known: Any = pint.UnitRegistry(autoconvert_offset_to_baseunit=True)
    for line in MARKET:
        known.define(line)
    return known, pint
