"""The little statistics that an evaluation needs. Pure functions of numbers."""

import math
from collections.abc import Iterable, Sequence

Z95 = 1.959963984540054
"""Standard normal quantile of a two-sided interval of 95 %."""


def wilson(right: float, of: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval for a share: `right` out of `of` (E. B. Wilson, JASA 22, 1927). (0, 1) where `of` is 0."""
    if of <= 0:
        return 0.0, 1.0
    share = right / of
    centre = share + z * z / (2 * of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low, high = ((centre + sign * spread) / (1 + z * z / of) for sign in (-1, 1))
    return max(0.0, low), min(1.0, high)


def share(groups: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """A success rate with its 95 % interval, from the scores (0 to 1) of each task's rollouts.

    Rollouts of one task are alike, so they count for fewer than they are: their number is divided by the design effect
    1 + (m - 1) ρ of Kish ("Survey Sampling", 1965), ρ being the intraclass correlation by analysis of variance. With one
    rollout a task this is Wilson's interval.
    """
    scores = [score for group in groups for score in group]
    if not scores:
        return 0.0, 0.0, 1.0
    rate = sum(scores) / len(scores)
    effect = 1 + (len(scores) / len(groups) - 1) * _alike(groups)
    return (rate, *wilson(rate * len(scores) / effect, len(scores) / effect))


def _alike(groups: Sequence[Sequence[float]]) -> float:
    """The intraclass correlation, 0 to 1; 1 where it cannot be told, which gives the wider interval."""
    total, count = sum(map(len, groups)), len(groups)
    if count < 2 or total == count:
        return 1.0
    grand = sum(map(sum, groups)) / total
    means = [sum(group) / len(group) for group in groups]
    between = sum(len(group) * (mean - grand) ** 2 for group, mean in zip(groups, means, strict=True)) / (count - 1)
    within = sum((score - mean) ** 2 for group, mean in zip(groups, means, strict=True) for score in group) / (total - count)
    size = (total - sum(len(group) ** 2 for group in groups) / total) / (count - 1)
    below = between + (size - 1) * within
    return min(1.0, max(0.0, (between - within) / below)) if below > 0 else 1.0


def sign_test(better: int, worse: int) -> float:
    """The two-sided probability of so uneven a split, or a more uneven one, by chance; ties are left out.

    For yes-or-no results this is McNemar's exact test (Q. McNemar, Psychometrika 12, 1947). 1.0 where there is nothing to split.
    """
    pairs, few = better + worse, min(better, worse)
    tail: float = sum(math.comb(pairs, count) for count in range(few + 1)) / 2**pairs
    return min(1.0, 2 * tail)


def spread(differences: Sequence[float]) -> tuple[float, float, float]:
    """The mean of paired differences with its 95 % interval by the normal approximation; no interval for a single pair."""
    count = len(differences)
    mean = sum(differences) / count if count else 0.0
    if count < 2:
        return mean, -math.inf, math.inf
    error = math.sqrt(sum((it - mean) ** 2 for it in differences) / (count - 1) / count)
    return mean, mean - Z95 * error, mean + Z95 * error


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def quantile(values: Iterable[float | None], at: float) -> float | None:
    """The value below which the share `at` of what is known lies, by linear interpolation; None where nothing is known."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    place = at * (len(known) - 1)
    low = int(place)
    high = min(low + 1, len(known) - 1)
    return known[low] + (known[high] - known[low]) * (place - low)
