"""Amounts and days as people and models write them, for grading."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.errors import ConfigError
from tao.evaluation.graders import check, grade
from tao.evaluation.spellings import amounts, days, two_ways
from tao.evaluation.tasks import Task
from tao.quantities import dates, numbers

AMOUNTS = {
    0.75: ("3/4", "四分之三", r"\frac{3}{4}", "¾", "0.75", "75%"), 1.5: ("1 1/2", "1½", "1.5", "一点五"), -5: ("负五", "minus 5", "negative 5", "零下5度", "–5", "-5°C", "−5", "minus five"),
    -0.05: ("负百分之五", "-5%"), -1 / 3: ("负三分之一", "-1/3", "负三分之一。"), 125000: ("12万5千", "12.5万", "十二万五"), 0.125: ("1/8", "⅛", "12.5%"),
    1200: ("$1,200", "USD1200", "RMB 1200", "¥1 200", "1_200", "1.200,00 €", "一千二百元"), -1200: ("-$1,200", "−¥1200", "-US$ 1,200.00"), 12.5: ("€12,50", "12,50 €", "$12.50"),
    1e6: ("1e6", "10^6", "10**6", "10⁶", "1 000 000", "100万", "1 million"), 1.5e-3: ("1.5×10^-3", "1.5x10^{-3}", r"1.5 \times 10^{-3}", "1.5*10⁻³", "1.5E-3"),
    6.02e23: ("6.02×10²³", "6.02e23", "6.02e+23"), 1024: ("2^10", "2¹⁰", "1,024"), 100: ("100 m^2", "100m2", "100 m²", "100 cm³"), 1234567: ("12,34,567", "1 234 567"), 1234.56: ("1.234,56", "1,234.56"),
    42: ("42 [1]", "42[2][3].", "**42**", r"$\boxed{42}$", "４２"), 0: ("zero", "-0", "零"), 1: ("one", "One.", "一个", "1"), 0.5: ("half", "1/2", "½", "50%", "五成"), 3200: ("三千二百", "3.2k", "３，２００"),
}  # fmt: skip


@pytest.mark.parametrize(("value", "text"), [(value, text) for value, texts in AMOUNTS.items() for text in texts])
def test_amounts(value, text):
    asked = Task("t", "How much?", value, "number")
    assert grade(asked, text).right
    assert grade(asked, f"The result is {text}").right or value == 1
    assert not grade(Task("t", "How much?", 7.25, "number"), text).right


@pytest.mark.parametrize("text", ["2026/03/05", "24/7/365", "10 minus 5", "$5-$10", "pages 3-5", "between 5 – 7", "胜负各半", "1/0", "10^999", "A1e6", "in 2020 500 people", "x [y]", "km/h", "a_1_000", "1,2"])
def test_what_is_no_such_amount_stays(text):
    assert amounts(text) == text


def test_a_wanted_fraction_is_one_number():
    asked = Task("t", "How much of 20?", "3/4", "number")
    assert [grade(asked, text).right for text in ("3/4", "0.75", "3", "4")] == [True, True, False, False]
    assert grade(Task("t", "What are 3/4 of 20?", 15, "number"), "15, which are 3/4 of 20").right


DAYS = (
    "2026年3月5日", "二〇二六年三月五日", "2026. 3. 5.", "20260305", "March 5,2026", "Mar. 5th, 2026", "5-Mar-2026", "2026 March 5", "2026-Mar-05", "March 5th of 2026", "2026‑03‑05", "2026–03–05",
    "5th of March, 2026", "05.03.2026", "２０２６－０３－０５", "**2026/3/5**.",
)  # fmt: skip


@pytest.mark.parametrize("text", DAYS)
def test_days(text):
    assert dates(days(f"It is {text}.")) == ("2026-03-05",)
    check(Task("t", "?", text, "date"))


@pytest.mark.parametrize(("text", "day"), [("25/12/2026", "2026-12-25"), ("12/25/2026", "2026-12-25"), ("3/3/2026", "2026-03-03"), ("12-25-2026", "2026-12-25")])
def test_a_day_that_can_be_but_one(text, day):
    assert dates(days(text)) == (day,)
    assert two_ways(text) == ()


def test_of_two_readings_none_is_taken():
    verdict = grade(Task("t", "?", "2026-03-05", "date"), "It is 3/5/2026.")
    assert (verdict.right, verdict.why) == (False, "dates in the answer: none; 3/5/2026 has two readings\n答案中的日期：没有；3/5/2026 有两种读法")
    with pytest.raises(ConfigError, match="wants a full date"):
        check(Task("t", "?", "5/3/2026", "date"))


@pytest.mark.parametrize("text", ["ORD20260305", "20261305", "99/99/2026", "1/2/26", "March 2026"])
def test_what_is_no_day(text):
    assert dates(days(text)) == ()


@given(st.text("0123456789 /.,-–^*×e()[]{}%$€万负minus½²年月日Mar", max_size=80))
def test_any_text_is_read(text):
    numbers(amounts(text))
    dates(days(text))
    assert len(amounts(text)) <= 30 * len(text) + 30


def test_long_texts_are_read_in_time():
    """None of the patterns looks at a text more often than it is long."""
    for piece in ("1/", "1 000 ", "10^", "1,", "2026-", "March 5 ", "-$", "9", "[1]", "1.5x", "负", "1e"):
        amounts(piece * 20_000)
        days(piece * 20_000)
