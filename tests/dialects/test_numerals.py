"""Limits of numbers as grammars: exactly the numbers within them."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tao.dialects.numerals import decimals, integers

whole = st.integers(-2000, 2000) | st.integers(-30, 30)
part = st.builds(lambda digits, places: Decimal(digits).scaleb(-places), st.integers(-3000, 3000), st.integers(0, 3))


@given(st.none() | whole, st.none() | whole, st.data())
@example(0, 9, None)
@example(10, 99, None)
@example(3, 250, None)
@example(-5, 7, None)
@example(None, -3, None)
def test_integers_within_limits(gbnf, low, high, data):
    body = integers(low, high)
    near = [edge + step for edge in (low, high, 0) if edge is not None for step in range(-3, 4)] + [99, -100, 123456]
    for number in near if data is None else [*near, data.draw(whole)]:
        inside = (low is None or number >= low) and (high is None or number <= high)
        assert (body is not None and gbnf(f"root ::= {body}").accepts(str(number))) == inside


@given(st.none() | part, st.none() | part, st.booleans(), st.booleans(), part)
@example(Decimal("0.5"), Decimal(1), False, True, Decimal("0.75"))
@example(Decimal(0), Decimal(1), True, True, Decimal(1))
@example(Decimal("1.25"), Decimal("1.2575"), False, False, Decimal("1.256"))
@example(Decimal("-0.5"), Decimal(0), True, True, Decimal(0))
def test_decimals_within_limits(gbnf, low, high, above, below, other):
    body = decimals(low, high, above=above, below=below)
    holds = body and gbnf(f"root ::= {body}")
    steps = [Decimal(step) for step in ("0", "0.1", "-0.1", "0.001", "-0.001", "1", "-1")]
    for number in [edge + step for edge in (low, high, other) if edge is not None for step in steps]:
        inside = (low is None or (number > low if above else number >= low)) and (high is None or (number < high if below else number <= high))
        for text in {f"{number:f}", f"{number.normalize():f}", f"{number:.6f}"}:
            assert bool(holds and holds.accepts(text)) == inside


@pytest.mark.parametrize("text", ["", "-", "01", "1.", ".5", "1e5", "+1", "1 "])
def test_what_is_no_json_number(gbnf, text):
    assert not gbnf(f"root ::= {decimals(None, None)}").accepts(text)
    assert not gbnf(f"root ::= {decimals(Decimal('-1.5'), Decimal(12))}").accepts(text)
    assert not gbnf(f"root ::= {integers()}").accepts(text)


def test_nothing_between_crossed_limits():
    assert integers(5, 4) is None
    assert decimals(Decimal(1), Decimal(1), above=True) is None
    assert decimals(Decimal(2), Decimal(1)) is None
    assert decimals(Decimal(-1), Decimal(-2)) is None


def test_limits_that_digits_cannot_say_are_widened(gbnf):
    assert gbnf(f"root ::= {decimals(Decimal('-1e300'), Decimal('Infinity'))}").accepts("-12.5")
    fine = gbnf(f"root ::= {decimals(Decimal('1e-30'), Decimal(1), above=True)}")
    assert fine.accepts("0.5")
    assert not fine.accepts("1.5")


def test_a_limit_of_many_digits(gbnf):
    holds = gbnf(f"root ::= {integers(2**63, 2**64)}")
    assert holds.accepts(str(2**63 + 1))
    assert not holds.accepts(str(2**63 - 1))
