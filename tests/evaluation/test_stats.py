"""Intervals and tests, against values that others publish."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.evaluation.stats import mean, quantile, share, sign_test, spread, wilson


@pytest.mark.parametrize(("right", "of", "low", "high"), [
    (8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962), (81, 263, 0.2553, 0.3662),
])  # fmt: skip
def test_wilson(right, of, low, high):
    assert wilson(right, of) == pytest.approx((low, high), abs=1e-4)


def test_nothing_is_known_of_nothing():
    assert wilson(0, 0) == (0.0, 1.0)
    assert share([]) == (0.0, 0.0, 1.0)
    assert (mean([None]), quantile([], 0.5)) == (None, None)


def test_one_rollout_a_task_is_wilson():
    assert share([[1.0], [0.0], [1.0], [1.0]]) == pytest.approx((0.75, *wilson(3, 4)))


def test_rollouts_that_are_all_alike_count_once():
    assert share([[1.0] * 5, [0.0] * 5, [1.0] * 5])[1:] == pytest.approx(wilson(2, 3))


def test_rollouts_that_differ_at_random_count_in_full():
    groups = [[1.0, 0.0], [0.0, 1.0]] * 10
    assert share(groups)[1:] == pytest.approx(wilson(20, 40))


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=6), min_size=1, max_size=12))
def test_an_interval_holds_its_rate(groups):
    rate, low, high = share(groups)
    assert 0 <= low <= rate + 1e-12
    assert rate - 1e-12 <= high <= 1


@pytest.mark.parametrize(("better", "worse", "p"), [(0, 0, 1.0), (5, 5, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (10, 2, 0.03857), (2, 10, 0.03857)])
def test_the_sign_test(better, worse, p):
    assert sign_test(better, worse) == pytest.approx(p, abs=1e-5)


def test_spread():
    middle, low, high = spread([1.0, 2.0, 3.0, 4.0])
    assert (middle, high - middle, middle - low) == pytest.approx((2.5, 1.2652, 1.2652), abs=1e-3)
    assert spread([1.0]) == (1.0, -math.inf, math.inf)


def test_quantiles():
    assert quantile([4, None, 1, 3, 2], 0.5) == 2.5
    assert quantile([1, 2, 3], 1.0) == 3
