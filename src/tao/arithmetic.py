"""Which numbers follow from others in one plain step: + - × ÷ or a percentage, up to rounding. Pure; standard library only."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from operator import mul, sub, truediv


def follows(value: float, values: Iterable[float]) -> bool:
    """Whether the number is known, or follows from two known ones by + - × ÷ or a percentage, up to rounding."""
    have = usual(sorted(set(values)))
    return stands(value, have) or made_of(value, have)


def usual(have: Sequence[float]) -> list[float]:
    """Those of the numbers, in ascending order, that are reckoned with: not the hugest, and not more than eighty."""
    return [v for v in have if abs(v) < 1e15][:80]


def made_of(value: float, have: Sequence[float]) -> bool:
    """Whether it follows from two of these numbers, in ascending order, by + - × ÷ or a percentage, up to rounding."""
    if not have:
        return False
    off = slack(value)
    percents = (near(part, have, 100 * off) for part in (value * 100, 100 - value * 100, value * 100 - 100, value / 100))
    if any(same(value, of) for found in percents for v in found for of in (v / 100, 1 - v / 100, 1 + v / 100, v * 100)):
        return True
    whole = [v for v in have if v.is_integer()] if not off and abs(value) < EXACT and value.is_integer() else []
    return bool(whole and _pairs(value, whole)) or any(_with(value, a, have, off) for a in have if not whole or not a.is_integer())


EXACT = 2.0**53
"""Whole numbers below it are reckoned with exactly."""
EDGE = 1e-9
"""The part of a number that reckoning with floats may lose."""


def _pairs(value: float, whole: Sequence[float]) -> bool:
    """Whether a whole number follows from two of these whole ones; asked of all of them at once, since most do not."""
    have, divisors = frozenset(whole), [v for v in whole if v]
    found = any(
        not have.isdisjoint(others)
        for others in (
            map(sub, repeat(value), whole), map(sub, whole, repeat(value)), map(truediv, repeat(value), divisors), map(mul, repeat(value), divisors),
        )
    )  # fmt: skip
    return found and any(_with(value, a, whole, 0) for a in whole)


def _with(value: float, a: float, have: Sequence[float], off: float) -> bool:
    """Whether the number follows from `a` and one of the others."""
    lost = off + 1e-12 * (abs(value) + abs(a))
    if (
        any(same(value, a + b) for b in near(value - a, have, lost)) or any(same(value, a - b) for b in near(a - value, have, lost))
        or any(same(value, b - a) for b in near(value + a, have, lost))
    ):  # fmt: skip
        return True
    if a and (any(same(value, a * b) for b in near(value / a, have, off / abs(a))) or any(b != a and same(value, b / a) for b in near(value * a, have, off * abs(a)))):
        return True
    return bool(value) and any(b not in {0, a} and same(value, a / b) for b in near(a / value, have, _spread(a, value, off)))


def _spread(a: float, value: float, off: float) -> float:
    """How far `b` may be from `a / value`, where `a / b` may be so far off."""
    return abs(a / value) * off / (abs(value) - off) if abs(value) > off else float("inf")


def stands(value: float, have: Sequence[float]) -> bool:
    """Whether the number is one of these, in ascending order, up to rounding and the sign."""
    off = slack(value)
    found = (*near(value, have, off), *near(-value, have, off))
    return bool(found) and any(same(value, v) or same(value, -v) for v in found)


def multiple(value: float, have: Sequence[float], factors: Iterable[float]) -> bool:
    """Whether it is one of these numbers, in ascending order, times one of the factors, or divided by it, up to rounding."""
    if not have:
        return False
    off, low, high = slack(value), have[0], have[-1]
    for factor in factors:
        part, whole = value / factor, value * factor
        if low <= part + EDGE * abs(part) + EDGE and part - EDGE * abs(part) - EDGE <= high and any(value == v * factor for v in near(part, have, 0)):
            return True
        lost = off * factor + EDGE * abs(whole) + EDGE
        if low <= whole + lost and whole - lost <= high and any(same(value, v / factor) for v in near(whole, have, off * factor)):
            return True
    return False


def near(value: float, have: Sequence[float], off: float) -> Sequence[float]:
    """Those of the numbers, in ascending order, that are this one or no more than so far off, give or take what reckoning with floats loses."""
    off += EDGE * (abs(value) + 1)
    first = bisect_left(have, value - off)
    if first == len(have) or have[first] > value + off:  # as mostly
        return ()
    return have[first : bisect_right(have, value + off)]


def same(a: float, b: float) -> bool:
    """Equal up to the rounding of a shown number `a`: half of the last of its decimals; a whole number has to be exact."""
    return a == b or ((off := slack(a)) > 0 and abs(a - b) <= off)


@lru_cache(maxsize=512)
def slack(a: float) -> float:
    """How far a number may be off that was rounded to what is shown of it; 0 for a whole one."""
    decimals = len(text.split(".")[1]) if "." in (text := f"{a:.10g}") and "e" not in text else 0
    return 0.5 * 10**-decimals + 1e-9 if decimals else 0.0
