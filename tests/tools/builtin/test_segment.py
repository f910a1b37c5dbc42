import pytest

from tao.tools.builtin import segment


def letters(text):
    """A segmenter that cuts every character apart."""
    return list(text)


def test_words():
    assert segment.words("Prices: 1,234 ＡＢＣ café", letters) == ["prices", "1234", "abc", "café"]
    assert segment.words("用Python3写的", letters) == ["用", "python3", "写", "的"]


def test_pairs():
    assert segment.pairs("北京市 ok 天") == ["北京", "京市", "市", "天"]
    assert segment.pairs("none here") == []


def test_terms_leave_out_what_says_nothing_unless_nothing_remains():
    assert segment.terms("What is the height of Mount Velmor?", letters) == ["height", "mount", "velmor"]
    assert segment.terms("the", letters) == ["the"]
    assert segment.terms("?!", letters) == []


def test_with_rjieba():
    pytest.importorskip("rjieba")
    cut = segment.cutter()
    assert {"今天", "北京", "天气"} <= set(segment.words("今天北京的天气怎么样", cut))
    assert {"清华", "大学", "清华大学"} <= set(segment.words("清华大学", cut))
    assert "北京" in segment.terms("请问北京的天气怎么样", cut)
    assert "的" not in segment.terms("请问北京的天气怎么样", cut)


def test_without_a_segmenter_pairs_are_looked_for():
    assert {"北京", "天气"} <= set(segment.terms("请问北京的天气", None))
    assert segment.terms("鲸", None) == ["鲸"]
