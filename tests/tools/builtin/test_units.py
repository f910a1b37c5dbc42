"""Units by English and Chinese names; what is no unit is refused at once, however it is written."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.errors import ToolError
from tao.messages import Call
from tao.testing import history
from tao.tools.builtin.units import NAMES, _alone, convert_units, converted
from tao.tools.registry import registry
from tao.tools.words import speaking

pytest.importorskip("pint")


def number(text):
    return float(text.split(" = ")[1].split()[0])


@pytest.mark.parametrize(("value", "unit", "to", "result"), [
    (3, "mile", "km", 4.828032), (1, "miles", "kilometers", 1.609344), (5, "feet", "cm", 152.4), (1, "FT", "inches", 12), (1, "KM", "M", 1000), (1, "Kilogram", "lb", 2.204622622), (1, "km", "里", 2),
    (98.6, "°F", "℃", 37), (100, "华氏度", "摄氏度", 37.77777778), (0, "celsius", "fahrenheit", 32), (20, "C", "F", 68), (1, "℃", "K", 274.15), (-40, "degF", "degC", -40),
    (2, "斤", "公斤", 1), (1, "吨", "斤", 2000), (1, "斤", "两", 10), (1, "亩", "平方米", 666.6666667), (15, "亩", "公顷", 1), (1, "尺", "厘米", 33.33333333), (1, "万吨", "千克", 1e7), (3, "万亩", "平方公里", 20),
    (90, "公里/小时", "米/秒", 25), (90, "公里每小时", "m/s", 25), (60, "mph", "km/h", 96.56064), (1, "miles per hour", "kph", 1.609344), (1, "克/立方厘米", "千克/立方米", 1000), (1, "kg/m^3", "g/L", 1),
    (1, "m^2", "sq ft", 10.76391042), (1, "square feet", "m2", 0.09290304), (1, "㎡", "平方厘米", 1e4), (1, "cubic meters", "升", 1000), (1, "m³", "liters", 1000), (1, "acre", "平方米", 4046.872610),
    (1, "oz", "g", 28.34952313), (1, "oz", "ml", 29.57352956), (1, "fl oz", "ml", 29.57352956), (1, "盎司", "克", 28.34952313), (1, "加仑", "升", 3.785411784), (1, "杯", "毫升", 236.5882365),
    (1, "度", "千焦", 3600), (180, "度", "弧度", 3.141592654), (25, "度", "华氏度", 77), (1, "kWh", "MJ", 3.6), (500, "千卡", "kJ", 2092), (1, "匹", "瓦", 735.49875), (1, "大气压", "百帕", 1013.25),
    (1, "GB", "MB", 1000), (1, "GiB", "MiB", 1024), (1, "兆字节", "KB", 1000), (8, "Mbit/s", "MB/s", 1), (1, "N·m", "J", 1), (1, "kg*m/s^2", "N", 1), (10, "L/100km", "mpg", 23.52145833), (8, "升/百公里", "mpg", 29.40182292),
    (1, "光年", "km", 9.460730473e12), (1, "light years", "light year", 1), (1, "海里", "公里", 1.852), (2, "weeks", "天", 14), (1, "小时", "秒", 3600), (1, "世纪", "年", 100), (-3, "m", "cm", -300), (0, "kg", "lb", 0),
])  # fmt: skip
def test_conversions(value, unit, to, result):
    assert number(converted(value, unit, to)) == pytest.approx(result, rel=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_every_chinese_name_is_a_unit(name):
    assert len(list(_alone(name))) == len(NAMES[name].split())


@pytest.mark.parametrize(("unit", "to", "en", "zh"), [
    ("kg", "m", "kg and m measure different things", "kg 和 m 不是同一类量"), ("公里", "小时", "measure different things", "不是同一类量"), ("foo", "m", "no unit 'foo' is known; write it like km", "不认识单位 'foo'"),
    ("m", "", "no unit ''", "不认识单位"), ("USD", "EUR", "rates change every day", "汇率每天变化"), ("元", "美元", "rates change every day", "汇率每天变化"), ("m", "y" * 200, "no unit", "不认识单位"),
])  # fmt: skip
def test_what_cannot_be_converted(unit, to, en, zh):
    for lang, said in (("en", en), ("zh", zh)):
        with speaking(lang), pytest.raises(ToolError, match=said.replace("'", ".")):
            converted(1, unit, to)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_quantity(value):
    with pytest.raises(ToolError, match="no quantity"):
        converted(value, "m", "km")


@pytest.mark.parametrize("value", [-500, -274])
def test_below_absolute_zero(value):
    with pytest.raises(ToolError, match="below absolute zero"):
        converted(value, "℃", "K")


@pytest.mark.parametrize("unit", ["m**9**9**9", "(" * 40, "m" + "^9" * 20, "9" * 60, "__import__('os')", "m if 1 else m", "m; m", "1/0", "10**10**10", "m/" * 20, "[m]", "lambda: m", "m\nm", "\x00"])
def test_an_expression_is_no_unit_and_costs_nothing(unit):
    with pytest.raises(ToolError):
        converted(1, unit, "m")


@given(st.text(max_size=30) | st.lists(st.sampled_from(["m", "kg", "公里", "/", "*", "^", "2", "-", "(", ")", " ", "每", "平方", "per"]), max_size=12).map("".join))
def test_any_text_is_read_or_refused(unit):
    with suppress(ToolError):
        assert " = " in converted(1, unit, unit)


async def test_through_the_registry():
    tool = convert_units()
    run = history("q", tools=[tool.spec])
    assert (await registry([tool])(Call("1.1", "convert_units", {"value": "3", "unit": "mile", "to": "km"}), run)).text == "3 mile = 4.828032 km"
