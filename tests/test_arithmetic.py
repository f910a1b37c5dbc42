"""Which numbers follow from others in one plain step."""

from hypothesis import given
from hypothesis import strategies as st

from tao import arithmetic
from tao.arithmetic import follows, same

AMOUNTS = st.one_of(st.integers(-50, 50), st.integers(-(10**14), 10**14), st.decimals(-1000, 1000, places=2), st.floats(-1e14, 1e14), st.sampled_from([0.0, 0.5, 1e14, 0.001, 1e-12]))
KNOWN = st.lists(AMOUNTS.map(float), max_size=12)


@given(KNOWN, st.data())
def test_looking_near_a_number_finds_what_trying_every_pair_does(known, data):
    steps = [*known, *(a + b for a in known for b in known), *(a * b for a in known for b in known), *(a / b for a in known for b in known if b), 0.0]
    made = data.draw(st.sampled_from(steps))
    value = data.draw(st.one_of(AMOUNTS.map(float), st.just(made), st.integers(0, 3).map(lambda places: round(made, places))))
    have = sorted(set(known))
    assert arithmetic.stands(value, have) == any(same(value, v) or same(value, -v) for v in have)
    assert arithmetic.multiple(value, have, [7.0, 100.0]) == any(value == v * factor or same(value, v / factor) for v in have for factor in (7.0, 100.0))
    plain = arithmetic.stands(value, have) or any(same(value, one) for v in have for one in (v / 100, 1 - v / 100, 1 + v / 100, v * 100))
    pairs = any(same(value, a + b) or same(value, a - b) or same(value, a * b) or (b not in {0, a} and same(value, a / b)) for a in have for b in have)
    assert follows(value, known) == (plain or pairs)


def test_following_takes_little_more_work_from_many_numbers_than_from_few(work):
    few, many = ([number * 1.37 + number**2 for number in range(1, count)] for count in (9, 81))
    assert not follows(1234567.5, many)
    assert work(lambda: follows(1234567.5, many)) < 15 * work(lambda: follows(1234567.5, few))


number = st.integers(-1000, 1000).map(float)


@given(st.lists(number, min_size=1, max_size=6), st.data())
def test_one_plain_step_follows(known, data):
    a, b = data.draw(st.sampled_from(known)), data.draw(st.sampled_from(known))
    for value in (a, -a, a + b, a - b, a * b, a / 100, 1 - a / 100, 1 + a / 100, a * 100):
        assert follows(value, known)
    if b and a != b:  # that anything is one of itself says nothing
        assert follows(round(a / b, 2), known) or round(a / b, 2) == int(round(a / b, 2)) != a / b


@given(st.lists(st.integers(1, 50).map(float), min_size=1, max_size=3))
def test_what_is_out_of_reach_does_not_follow(known):
    assert not follows(123456.7, known)
    assert not follows(3.14159, [])


def test_rounding():
    assert same(3.33, 10 / 3)
    assert not same(3.34, 10 / 3)
    assert same(5, 5.0)
    assert not same(3, 10 / 3)
    assert not same(1e22, 1e22 + 1e10)
    assert not follows(2.0, [1e16])
    assert not follows(7.5, [0.0])
