"""The calculator's functions and constants, each bounded in the size of what it can give."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tao.tools.words import say

Number = Fraction | float

MOST_BITS = 20_000
"""Size of an exact result: about 6,000 digits."""

LARGEST_FACTORIAL = 1000
MANY = 1000


class CalculationError(ValueError):
    """An expression that cannot be worked out; the message says why, in the run's language."""


def sized(value: Number) -> Number:
    """The value, if it is a finite number of bearable size."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CalculationError(say("the result is too large or not a number", "结果过大或不是数"))
        return value
    value = Fraction(value)
    if value.numerator.bit_length() + value.denominator.bit_length() > MOST_BITS:
        raise CalculationError(say("the result is too large", "结果过大"))
    return value


def power(base: Number, exponent: Number) -> Number:
    """Base to the power of exponent: exact for whole exponents and for roots that come out, a float otherwise."""
    if base == 0 and exponent < 0:
        raise CalculationError(say("division by zero: 0 to a negative power", "除数为零：0 的负数次方"))
    if isinstance(base, float) or isinstance(exponent, float):
        return _real(float(base), float(exponent))
    if exponent.denominator == 1:
        times = abs(exponent.numerator)
        if (max(base.numerator.bit_length(), base.denominator.bit_length()) - 1) * times > MOST_BITS:
            raise CalculationError(say("the result of the power is too large", "乘方的结果过大"))
        return Fraction(base**exponent.numerator)
    if exponent.denominator <= 64 and base >= 0:
        exact = root(base, exponent.denominator)
        if isinstance(exact, Fraction):
            return power(exact, Fraction(exponent.numerator))
    return _real(float(base), float(exponent))


def _real(base: float, exponent: float) -> float:
    if base < 0 and not exponent.is_integer():
        raise CalculationError(say("a negative number has no real root here", "负数没有实数根"))
    return float(math.pow(base, exponent))


def root(value: Number, degree: int) -> Number:
    """The root of that degree; exact where it comes out."""
    if value < 0 and degree % 2 == 0:
        raise CalculationError(say("a negative number has no real square root", "负数没有实数平方根"))
    if isinstance(value, Fraction):
        tops, bottoms = _whole_root(abs(value.numerator), degree), _whole_root(value.denominator, degree)
        if tops is not None and bottoms is not None:
            return Fraction(tops if value >= 0 else -tops, bottoms)
    number = float(value)
    found = math.sqrt(number) if degree == 2 else math.cbrt(number) if degree == 3 else math.pow(abs(number), 1 / degree)
    return -found if number < 0 and degree > 3 else found


def _whole_root(value: int, degree: int) -> int | None:
    """The whole root of a whole number, if it has one (Newton's method on whole numbers)."""
    if value < 2:
        return value
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess if guess**degree == value else None
        guess = better


def factorial(value: Number) -> Number:
    """The factorial of a whole number from 0 to 1000."""
    if not isinstance(value, Fraction) or value.denominator != 1 or not 0 <= value <= LARGEST_FACTORIAL:
        raise CalculationError(say(f"factorial needs a whole number from 0 to {LARGEST_FACTORIAL}", f"阶乘只支持 0 到 {LARGEST_FACTORIAL} 的整数"))
    return Fraction(math.factorial(value.numerator))


def _whole(value: Number) -> int:
    if isinstance(value, float) and value.is_integer():
        value = Fraction(value)
    if not isinstance(value, Fraction) or value.denominator != 1:
        raise CalculationError(say("a whole number is needed here", "这里需要整数"))
    return value.numerator


def _round(value: Number, places: Number = Fraction(0)) -> Number:
    """Half away from zero, as people round."""
    digits = _whole(places)
    if abs(digits) > 100:
        raise CalculationError(say("round to at most 100 places", "最多保留 100 位"))
    scaled = Fraction(value) * Fraction(10) ** digits
    rounded = math.floor(abs(scaled) + Fraction(1, 2))
    return Fraction(rounded if scaled >= 0 else -rounded) / Fraction(10) ** digits


def _log(value: Number, base: Number | None = None) -> Number:
    if value <= 0 or (base is not None and (base <= 0 or base == 1)):
        raise CalculationError(say("a logarithm needs a positive number and a positive base other than 1", "对数需要正数，底数须为不等于 1 的正数"))
    if base is None:
        return _ln(value)
    found = math.log10(_operand(value)) if base == 10 else math.log2(_operand(value)) if base == 2 else _ln(value) / _ln(base)
    near = round(found)
    exact = isinstance(value, Fraction) and isinstance(base, Fraction) and abs(near) <= MANY and abs(found - near) < 1e-9
    return Fraction(near) if exact and power(base, Fraction(near)) == value else found


def _ln(value: Number) -> float:
    """The natural logarithm, of whole numbers beyond the range of floats too."""
    if isinstance(value, Fraction):
        return math.log(value.numerator) - math.log(value.denominator)
    return math.log(value)


def _operand(value: Number) -> Any:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else float(value)


def _comb(n: Number, k: Number, function: Callable[[int, int], int]) -> Number:
    if not 0 <= _whole(k) <= MANY or not 0 <= _whole(n) <= 10**6:
        raise CalculationError(say(f"needs whole numbers from 0, k at most {MANY}", f"需要非负整数，k 最大 {MANY}"))
    if _whole(k) * _whole(n).bit_length() > MOST_BITS:
        raise CalculationError(say("the result is too large", "结果过大"))
    return Fraction(function(_whole(n), _whole(k)))


def _smooth(function: Callable[[float], float]) -> Callable[[Number], Number]:
    """A function of floats whose rounding noise near zero is taken away: sin(pi) is 0."""

    def smoothed(value: Number) -> Number:
        return round(function(float(value)), 15) + 0.0

    return smoothed


def _floats(function: Callable[..., float]) -> Callable[..., Number]:
    def of_floats(*values: Number) -> Number:
        return function(*(float(value) for value in values))

    return of_floats


def _mean(*values: Number) -> Number:
    return _sum(*values) / len(values)


def _sum(*values: Number) -> Number:
    return math.fsum(values) if any(isinstance(value, float) for value in values) else Fraction(sum(values))


def _median(*values: Number) -> Number:
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else _mean(ordered[middle - 1], ordered[middle])


def _modulo(a: Number, b: Number) -> Number:
    if b == 0:
        raise CalculationError(say("division by zero", "除数为零"))
    return float(a) % float(b) if isinstance(a, float) or isinstance(b, float) else a % b


def _gcd(*values: Number) -> Number:
    return Fraction(math.gcd(*map(_whole, values)))


def _lcm(*values: Number) -> Number:
    found = Fraction(1)
    for value in values:
        found = Fraction(sized(Fraction(math.lcm(found.numerator, _whole(value)))))
    return found


CONSTANTS: dict[str, Number] = {"pi": math.pi, "e": math.e, "tau": math.tau}

FUNCTIONS: dict[str, tuple[int, int, Callable[..., Number]]] = {
    "sqrt": (1, 1, lambda x: root(x, 2)), "cbrt": (1, 1, lambda x: root(x, 3)), "abs": (1, 1, abs), "round": (1, 2, _round),
    "floor": (1, 1, lambda x: Fraction(math.floor(x))), "ceil": (1, 1, lambda x: Fraction(math.ceil(x))),
    "trunc": (1, 1, lambda x: Fraction(math.trunc(x))), "min": (1, MANY, min), "max": (1, MANY, max), "sum": (1, MANY, _sum),
    "avg": (1, MANY, _mean), "mean": (1, MANY, _mean), "average": (1, MANY, _mean), "median": (1, MANY, _median),
    "pow": (2, 2, power), "exp": (1, 1, _floats(math.exp)),
    "ln": (1, 1, _log), "log": (1, 2, _log), "log10": (1, 1, lambda x: _log(x, Fraction(10))), "lg": (1, 1, lambda x: _log(x, Fraction(10))),
    "log2": (1, 1, lambda x: _log(x, Fraction(2))),
    "sin": (1, 1, _smooth(math.sin)), "cos": (1, 1, _smooth(math.cos)), "tan": (1, 1, _smooth(math.tan)),
    "asin": (1, 1, _floats(math.asin)), "acos": (1, 1, _floats(math.acos)), "atan": (1, 1, _floats(math.atan)),
    "sinh": (1, 1, _floats(math.sinh)), "cosh": (1, 1, _floats(math.cosh)), "tanh": (1, 1, _floats(math.tanh)),
    "degrees": (1, 1, _floats(math.degrees)), "radians": (1, 1, _floats(math.radians)), "hypot": (1, MANY, _floats(math.hypot)),
    "gcd": (1, MANY, _gcd), "lcm": (1, MANY, _lcm), "mod": (2, 2, _modulo), "factorial": (1, 1, factorial),
    "comb": (2, 2, lambda n, k: _comb(n, k, math.comb)), "perm": (2, 2, lambda n, k: _comb(n, k, math.perm)),
}  # fmt: skip
"""Name → fewest and most values, and what it does. `log` with one value is the natural logarithm, `lg` has base 10."""
