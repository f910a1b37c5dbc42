import pytest

from tao.tools.builtin.functions import CalculationError
from tao.tools.builtin.spelling import plain
from tao.tools.words import speaking


@pytest.mark.parametrize(("written", "read"), [
    ("2*(3+4)^2", "2*(3+4)^2"), (" ＝ ３×４ ", "3*4"), ("2½", "(2+1/2)"), ("5²⁻¹", "5^(2-1)"), ("$5 + 3$", "5 + 3"), ("三乘以四", "3*4"), ("两千零五减1", "2005-1"), ("2\u00a0000", "2000"),
    ("2 000", "2 000"), ("1 1/2", "(1+1/2)"), ("3/4", "3/4"), ("四分之三", "(3/4)"), ("百分之7", "(7/100)"), ("20% of 5", "20%*5"), ("max([1,2])", "max(1,2)"), ("[1+2]*{3}", "(1+2)*(3)"), ("1+1等于？", "1+1"),
    ("12万", "12万"), ("", ""),
])  # fmt: skip
def test_into_the_readers_signs(written, read):
    assert plain(written) == read


def test_what_cannot_be_read_says_so_in_both_languages():
    for lang, said in (("en", "different currencies"), ("zh", "货币不同")):
        with speaking(lang), pytest.raises(CalculationError, match=said):
            plain("€1+¥2")
