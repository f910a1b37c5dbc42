"""Numbers, dates and codes as they stand in texts, in both languages."""

import datetime as dt
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tao.quantities import FULL_WIDTH, codes, dates, expressions, number_words, numbers, shape, without_dates

WIDE = {ord(plain): chr(wide) for wide, plain in FULL_WIDTH.items()}
HAN = "零一二三四五六七八九"


def values(text):
    return [number.value for number in numbers(text)]


def scaled(text):
    return [number.scaled for number in numbers(text)]


def han(number):
    """A whole number below 10^12 in Chinese numerals, as it is taught."""
    if number >= 10**8:
        head, rest = divmod(number, 10**8)
        return f"{han(head)}亿" + ("" if not rest else f"零{han(rest)}" if rest < 10**7 else han(rest))
    if number >= 10**4:
        head, rest = divmod(number, 10**4)
        return f"{han(head)}万" + ("" if not rest else f"零{han(rest)}" if rest < 1000 else han(rest))
    for size, unit in ((1000, "千"), (100, "百"), (10, "十")):
        if number >= size:
            head, rest = divmod(number, size)
            return f"{HAN[head]}{unit}" + ("" if not rest else f"零{han(rest)}" if rest * 10 < size else han(rest))
    return HAN[number]


# ── numbers in digits ─────────────────────────────────────────────────────────


@given(st.integers(0, 10**12), st.integers(0, 999))
def test_digits_of_any_width_with_separators_and_decimals(whole, part):
    for text in (f"{whole}.{part:03}", f"{whole:,}.{part:03}", f"{whole}.{part:03}".translate(WIDE)):
        for around in ("{}", "It is {} m.", "共{}元。", "（{}）", "={},", "a {}"):
            assert values(around.format(text)) == [float(f"{whole}.{part:03}")]


@pytest.mark.parametrize(("text", "found"), [
    ("-5度", [-5]), ("from -5 to 3", [-5, 3]), ("5-3", [5, 3]), ("5 - 3", [5, 3]), ("3-5天", [3, 5]), ("（-3）", [-3]), ("−7", [-7]), ("=-2", [-2]),
    ("1,2,3", [1, 2, 3]), ("1,23", [1, 23]), ("12,345,678", [12345678]), ("12\u00a0000 m", [12000]), ("3:30", [3, 30]), ("1/2", [1, 2]),
    ("v1.2.3", []), ("A10023", []), ("T9", []), ("x3", []), ("INV-2024-03-05-7", []), ("COVID-19", []), ("10km", [10]), ("2nd", [2]), ("5G", [5]),
    ("3.2e-05", [3.2e-05]), ("1.5e+16", [1.5e16]), ("1e5", []), ("第3章", [3]), ("$5", [5]), ("￥100", [100]), ("", []), ("no number", []),
])  # fmt: skip
def test_what_digits_are_numbers(text, found):
    assert values(text) == found


@pytest.mark.parametrize(("text", "value", "with_unit"), [
    ("12%", 12, 0.12), ("50％", 50, 0.5), ("5‰", 5, 0.005), ("5 percent", 5, 0.05), ("12 per cent", 12, 0.12), ("5个百分点", 5, 0.05),
    ("3.5万", 3.5, 35000), ("3亿", 3, 3e8), ("3 百万", 3, 3e6), ("5千万", 5, 5e7), ("3万亿", 3, 3e12), ("¥3.5亿", 3.5, 3.5e8), ("5千", 5, 5000),
    ("2 million", 2, 2e6), ("1.5bn", 1.5, 1.5e9), ("3k", 3, 3000), ("4 Billion", 4, 4e9), ("2 dozen", 2, 24), ("6m euros", 6, 6e6), ("$7M USD", 7, 7e6),
    ("5 m", 5, 5), ("100m", 100, 100), ("5千米", 5, 5), ("2.5千克", 2.5, 2.5), ("6成", 60, 0.6), ("9.5折", 95, 0.95), ("3成立", 3, 3), ("3折线", 3, 3),
])  # fmt: skip
def test_unit_words(text, value, with_unit):
    (number,) = numbers(text)
    assert number.value == value
    assert math.isclose(number.scaled, with_unit)


@pytest.mark.parametrize(("text", "value"), [("1万2千", 12000), ("3亿5000万", 3.5e8), ("2万5", 25000), ("2万500", 20500), ("1.5万", 1.5), ("3万5%", 3)])
def test_digits_with_a_scale_between_them(text, value):
    assert values(text)[0] == value


# ── Chinese numerals ──────────────────────────────────────────────────────────


@given(st.integers(0, 10**12 - 1))
@example(10**8)
@example(20_003)
@example(100_000_005)
def test_chinese_numerals(number):
    found = [] if number == 1 else [number]  # a bare 一 is a word
    assert values(f"共{han(number)}元") == found
    assert values(f"共{han(number).replace('一十', '十') if number < 20 else han(number)}元") == found
    if number > 1:
        assert values(f"{han(number)}点五") == [number + 0.5]
        assert scaled(f"{han(number % 1000 + 2)}点五万") == [(number % 1000 + 2.5) * 10_000]


@pytest.mark.parametrize(("text", "found"), [
    ("两百", [200]), ("一千二", [1200]), ("三万五", [35000]), ("二百五", [250]), ("一百零五", [105]), ("一百一", [110]), ("十二", [12]), ("二十", [20]),
    ("一九九八年", [1998]), ("二〇二四年", [2024]), ("三〇二房", [302]), ("三千五百万", [35e6]), ("一亿两千万", [1.2e8]), ("壹万贰仟元", [12000]), ("三兩", [3]),
    ("零点五", [0.5]), ("三点一四", [3.14]), ("五点三十分", [5, 30]), ("十点三刻", [10, 3]), ("五十多个", [50]), ("十分钟", [10]), ("二十分", [20]), ("一万亿", [1e12]),
    ("三加一", [3, 1]), ("一加二等于几", [1, 2]), ("买了三十本，每本二十五元", [30, 25]), ("第三章", [3]), ("五周", [5]),
])  # fmt: skip
def test_chinese_numerals_as_they_are_said(text, found):
    assert values(text) == [pytest.approx(value) for value in found]


@pytest.mark.parametrize("text", [
    "一共", "十分重要", "万一下雨", "千万不要", "一下子", "一些", "唯一", "统一", "一致", "一起", "第一", "百姓", "千岁", "百度", "万达", "十全十美", "一带一路",
    "五六个", "两三千", "十五六岁", "几十个", "十几个", "二十几", "十来个", "数百", "好几千", "周五", "星期一", "礼拜二", "哪一年", "每一个", "一周有几天", "一点",
])  # fmt: skip
def test_words_that_are_no_numbers(text):
    assert values(text) == []


@pytest.mark.parametrize(("text", "value", "part"), [
    ("百分之五十", 50, 0.5), ("百分之十二点五", 12.5, 0.125), ("百分之百", 100, 1), ("百分之一百二十", 120, 1.2), ("千分之五", 5, 0.005),
    ("三分之一", 1 / 3, 1 / 3), ("十分之一", 0.1, 0.1), ("八折", 80, 0.8), ("八五折", 85, 0.85), ("六成", 60, 0.6), ("百成", 1000, 10),
])  # fmt: skip
def test_shares(text, value, part):
    (number,) = numbers(text)
    assert (number.value, number.scaled) == (pytest.approx(value), pytest.approx(part))


def test_a_share_of_nothing():
    assert values("零分之一") == []


# ── numbers in words ──────────────────────────────────────────────────────────


@pytest.mark.parametrize(("text", "found"), [
    ("twenty-five", [25]), ("two hundred and fifty", [250]), ("Three thousand five hundred", [3500]), ("a dozen", [12]), ("two dozen", [24]),
    ("twice as much", [2]), ("half", [0.5]), ("one or two", [1, 2]), ("one two three", [1, 2, 3]), ("fifty-one hundred", [5100]), ("half of ten", [0.5, 10]),
    ("five hundred thousand", [500000]), ("one hundred and one", [101]), ("one million two hundred thousand", [1200000]), ("zero", [0]), ("thousand", [1000]),
    ("anyone", []), ("often", []), ("一个", [1]), ("第一个", []), ("半年", [0.5]), ("半径", []), ("双倍", [2]), ("", []),
])  # fmt: skip
def test_numbers_in_words(text, found):
    assert list(number_words(text)) == found


@given(st.integers(0, 99), st.integers(1, 9))
def test_english_numbers_below_ten_thousand(rest, hundreds):
    small = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen").split()
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()
    below = small[rest] if rest < 20 else tens[rest // 10 - 2] + (f"-{small[rest % 10]}" if rest % 10 else "")
    assert number_words(f"about {below} things") == (rest,)
    if rest:
        assert number_words(f"{small[hundreds]} hundred and {below}") == (hundreds * 100 + rest,)
        assert number_words(f"{below} thousand {small[hundreds]} hundred") == (rest * 1000 + hundreds * 100,)


# ── dates and codes ───────────────────────────────────────────────────────────


@settings(max_examples=40)
@given(st.dates(dt.date(1000, 1, 1), dt.date(2999, 12, 31)))
def test_dates_in_every_writing(day):
    year, month, number = day.year, day.month, day.day
    digits = "".join("〇一二三四五六七八九"[int(digit)] for digit in str(year))
    spelled = f"{digits}年{han(month).replace('一十', '十')}月{han(number).replace('一十', '十')}日"
    for text in (
        day.isoformat(), f"{year}/{month}/{number}", f"{year}.{month}.{number}", f"{year}年{month}月{number}日", f"{year} 年 {month} 月 {number} 号", spelled,
        f"{number} {day:%B} {year}", f"{day:%B} {number}, {year}", f"{number} {day:%b} {year}", f"{day:%b}. {number} {year}", f"{number}.{month}.{year}",
        f"{number}th of {day:%B} {year}", day.isoformat().translate(WIDE), f"{day.isoformat()}T10:00",
    ):
        assert dates(f"on {text}, 那天") == (day.isoformat(),)
        assert not any(character.isdigit() for character in without_dates(text).replace("T10:00", ""))


@pytest.mark.parametrize("text", ["2024-02-30", "2024-13-01", "31 April 2024", "Mayor 5 2024", "12345-01-01", "A-2024-03-05", "2024-03-05-7", "1.2.3.2024", "3月5日"])
def test_what_is_no_date(text):
    assert dates(text) == ()


def test_dates_once_each_in_order():
    assert dates("2024-03-05, 1 Sept 2023 and March 5, 2024") == ("2024-03-05", "2023-09-01")
    assert numbers("2024-03-05 - 3")[0].value == 3


@pytest.mark.parametrize(("text", "found"), [
    ("order A10023 and B-7, a10023", ("A10023", "B-7", "a10023")), ("订单A10023的", ("A10023",)), ("Ａ１００２３", ("A10023",)), ("INV-2024-7.", ("INV-2024-7",)),
    ("A-2024-03-05", ("A-2024-03-05",)), ("10km, 2nd, 5G, 12th, 3.2e-05", ()), ("2024-03-05", ()), ("hello 42", ()), ("T9 T9", ("T9",)),
])  # fmt: skip
def test_codes(text, found):
    assert codes(text) == found


def test_the_shape_of_a_code():
    assert shape("A10023") == shape("B20001") == "A99999"
    assert shape("x-7Z") == "a-9A"


@pytest.mark.parametrize(("text", "found"), [
    ("What is (614-55)*9?", ("(614-55)*9",)), ("（614－55）×9等于几", ("(614-55)*9",)), ("17*23+5", ("17*23+5",)), ("3/4", ()), ("5-3", ()), ("5 - 3", ("5 - 3",)),
    ("2^10", ("2^10",)), ("1/2/3", ("1/2/3",)), ("1-2-3", ("1-2-3",)), ("(1+2", ()), ("2024-03-05", ()), ("A10-3+2", ()), ("12 ÷ 4", ("12 / 4",)),
])  # fmt: skip
def test_sums_written_out(text, found):
    assert expressions(text) == found


@pytest.mark.parametrize("text", ["What is 17*23+5.", "It is 17*23+5. Then more.", "17*23+5", "算17*23+5。"])
def test_a_full_stop_is_no_part_of_a_sum(text):
    assert expressions(text) == ("17*23+5",)


@pytest.mark.parametrize(("text", "found"), [
    ("7" * 60_000, 1), ("0" * 60_000 + "万", 1), ("三月十四日和一万二千，" * 6_000, 18_000), ("1 " * 30_000, 30_000), ("一" + " " * 60_000 + "加", 0),
])  # fmt: skip
def test_long_texts_are_read_in_passing(text, found):
    assert len(numbers(text)) == found


def test_long_texts_are_looked_through_for_sums_in_passing():
    assert expressions("(" * 60_000 + "1+2") == ()
    assert expressions("1 +" + " " * 60_000 + "2") == (f"1 +{' ' * 60_000}2",)
