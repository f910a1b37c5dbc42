"""Numbers within limits as GBNF: which digits may follow which, so that a reply cannot leave the range that a schema names."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

DIGITS = 15
"""Most digits of a number that has no limit of its own, before the point and behind it: what a double holds exactly."""


def integers(low: int | None = None, high: int | None = None) -> str | None:
    """A GBNF body for whole numbers from `low` to `high`, both included; None where there are none."""
    arms = []
    if low is None or low < 0:
        least, most = 1 if high is None or high >= 0 else -high, None if low is None else -low
        arms += [f'"-" {arm}' for arm in _one_of(_natural(least, most))]
    if high is None or high >= 0:
        arms += _natural(max(low or 0, 0), high)
    return _group(arms)


def decimals(low: Decimal | None, high: Decimal | None, *, above: bool = False, below: bool = False) -> str | None:
    """A GBNF body for numbers from `low` to `high`, without `low` itself where `above`, without `high` where `below`.

    Limits with more digits than DIGITS are widened. None where there is no such number.
    """
    bottom, top = _limit(low, strict=above), _limit(high, strict=below)
    arms = []
    if bottom is None or bottom.value < 0:
        nearest = Limit(-top.value, top.strict) if top and (top.value < 0 or (top.value == 0 and top.strict)) else ZERO
        arms += [f'"-" {arm}' for arm in _one_of(_positive(nearest, bottom and Limit(-bottom.value, bottom.strict)))]
    if top is None or top.value >= 0:
        arms += _positive(bottom if bottom and bottom.value >= 0 else ZERO, top)
    return _group(arms)


@dataclass(frozen=True)
class Limit:
    """A number that others may reach, or (`strict`) only come near to."""

    value: Decimal
    strict: bool = False

    @property
    def whole(self) -> int:
        """What stands before the point."""
        return int(self.value)

    @property
    def part(self) -> "Part":
        """What stands behind the point."""
        return Part(f"{self.value:f}".partition(".")[2][:DIGITS].rstrip("0"), self.strict)


@dataclass(frozen=True)
class Part:
    """What is left of a limit's decimals, without zeros at the end."""

    digits: str
    strict: bool

    @property
    def rest(self) -> "Part":
        """Behind the first digit."""
        return Part(self.digits[1:], self.strict)


ZERO = Limit(Decimal(0))


def _limit(value: Decimal | None, *, strict: bool) -> Limit | None:
    """A limit that can be said in digits; a bigger one is as good as none, a finer one is kept as far as it goes."""
    if value is None or not value.is_finite() or abs(value) >= 10**DIGITS:
        return None
    return Limit(value, strict)


def _natural(low: int, high: int | None) -> list[str]:
    """Whole numbers ≥ 0, by length: shorter lengths that are complete as one."""
    top = len(str(high)) if high is not None else max(DIGITS, len(str(low)))
    arms: list[str] = []
    full: list[int] = []
    for length in range(len(str(low)), top + 1):
        first, last = 10 ** (length - 1) if length > 1 else 0, 10**length - 1
        least, most = max(first, low), last if high is None else min(last, high)
        if (least, most) in {(first, last), (1, 9)}:
            arms += ['"0"'] if least == 0 else []
            full.append(length)
        elif least <= most:
            arms.append(_same(str(least), str(most)))
    if full:
        arms.append(_join("[1-9]", _any(full[0] - 1, full[-1] - 1)))
    return arms


def _same(low: str, high: str) -> str:
    """Digits of this length between two texts of digits."""
    if not low.strip("0") and not high.strip("9"):
        return _any(len(low), len(low))
    first, last = int(low[0]), int(high[0])
    if first == last:
        return _join(_digit(first, last), _same(low[1:], high[1:]))
    arms, below, rest = [], "0" * (len(low) - 1), "9" * (len(low) - 1)
    if low[1:] != below:
        arms.append(_join(_digit(first, first), _same(low[1:], rest)))
        first += 1
    if high[1:] != rest:
        arms.append(_join(_digit(last, last), _same(below, high[1:])))
        last -= 1
    if first <= last:
        arms.append(_join(_digit(first, last), _any(len(below), len(below))))
    return _group(arms) or ""


def _positive(low: Limit, high: Limit | None) -> list[str]:
    """Numbers ≥ 0: the whole part of the lower limit, those in between with any decimals, that of the upper one."""
    if high is not None and (low.value > high.value or (low.value == high.value and (low.strict or high.strict))):
        return []
    if high is not None and low.whole == high.whole:
        return _with(low.whole, low.whole, _fraction(low.part, high.part))
    arms, least, most = [], low.whole, None if high is None else high.whole - 1
    if low.part.digits or low.strict:
        arms += _with(least, least, _fraction(low.part, None))
        least += 1
    if high is not None:
        arms += _with(high.whole, high.whole, _fraction(None, high.part))
    return arms + _with(least, most, _fraction(None, None)) if most is None or least <= most else arms


def _with(low: int, high: int | None, fraction: str | None) -> list[str]:
    return [_join(whole, fraction) for whole in _natural(low, high)] if fraction is not None else []


def _fraction(low: Part | None, high: Part | None) -> str | None:
    """The point and decimals between two texts of decimals, with none at all where that fits; None where nothing does."""
    body = _decimals(low, high, DIGITS, 1)
    none_fits = (low is None or not (low.digits or low.strict)) and (high is None or high.digits or not high.strict)
    if body is None:
        return "" if none_fits else None
    return f'("." {body})?' if none_fits else f'"." {body}'


def _decimals(low: Part | None, high: Part | None, left: int, least: int) -> str | None:
    """At least `least` and at most `left` more decimals, with what is left of the limits; None where there can be none."""
    if low is not None and not low.digits and not low.strict:
        low = None
    if high is not None and not high.digits:
        return None if low or high.strict else f'"0"{{{least},{left}}}'
    if low is None and high is None:
        return _any(least, left)
    if low is not None and not low.digits and high is None:
        return f'"0"{{0,{left}}} [1-9] {_any(0, left)}'
    nearest, farthest = int(low.digits[:1] or 0) if low else 0, int(high.digits[0]) if high else 9
    ways: dict[tuple[Part | None, Part | None], list[int]] = {}
    for digit in range(nearest, farthest + 1):
        way = low.rest if low and digit == nearest else None, high.rest if high and digit == farthest else None
        ways.setdefault(way, []).append(digit)
    arms = [
        _join(_digit(digits[0], digits[-1]), rest)
        for (lower, upper), digits in ways.items() if (rest := _decimals(lower, upper, left - 1, 0)) is not None
    ]  # fmt: skip
    body = _group(arms)
    return f"({body})?" if body and low is None and least == 0 else body


def _digit(first: int, last: int) -> str:
    return f'"{first}"' if first == last else f"[{first}-{last}]"


def _any(least: int, most: int) -> str:
    if most <= 0:
        return ""
    return "[0-9]" if (least, most) == (1, 1) else f"[0-9]{{{least}}}" if least == most else f"[0-9]{{{least},{most}}}"


def _join(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _one_of(arms: list[str]) -> list[str]:
    body = _group(arms)
    return [] if body is None else [body]


def _group(arms: Iterable[str]) -> str | None:
    listed = list(dict.fromkeys(arms))
    if not listed:
        return None
    return listed[0] if len(listed) == 1 else f"({' | '.join(listed)})"
