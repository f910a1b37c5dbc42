import pytest

from tao.tools.docstring import read

GOOGLE = """Look up an order.

    Longer text that
    wraps.

    Args:
        order_id (str): the letter A and
            five digits: always.
        n: how many
        stranger: not a parameter

    Returns:
        The order.

    Raises:
        ValueError: bad
    """
NUMPY = """Look up an order.

Longer text that wraps.

Parameters
----------
order_id : str
    the letter A and
    five digits: always.
n : int, optional
    how many

Returns
-------
The order.

Raises
------
ValueError
    bad
"""
REST = """Look up an order.

Longer text that wraps.

:param str order_id: the letter A and
    five digits: always.
:param n: how many
:type n: int
:returns: The order.
:raises ValueError: bad
"""
EPYTEXT = """Look up an order.

Longer text that wraps.

@param order_id: the letter A and five digits: always.
@type order_id: str
@param n: how many
@return: The order.
"""
CHINESE = """Look up an order.

Longer text that wraps.

参数：
    order_id（str）：the letter A and five digits: always.
    n: how many

Returns: The order.
"""


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST, EPYTEXT, CHINESE], ids=["google", "numpy", "rest", "epytext", "chinese"])
def test_every_style_gives_the_same_doc(text):
    doc = read(text, ["order_id", "n"])
    assert doc.params == {"order_id": "the letter A and five digits: always.", "n": "how many"}
    assert doc.description == "Look up an order.\nLonger text that wraps.\nReturns: The order."
    assert doc.types["order_id"] == "str"


def test_prose_is_kept_whole_and_its_parameters_are_lifted():
    text = 'Add days to a date. date: YYYY-MM-DD. days: whole number, may be negative. Example: {"date": "2025-01-01", "days": 3}'
    doc = read(text, ["date", "days"])
    assert doc.description == text
    assert doc.params == {"date": "YYYY-MM-DD", "days": "whole number, may be negative"}
    assert doc.example == {"date": "2025-01-01", "days": 3}


def test_chinese_prose():
    doc = read('查询订单。订单号：字母A加五位数字。数量：整数，可省略。示例：{"订单号": "A10023"}', ["订单号", "数量"])
    assert doc.params == {"订单号": "字母A加五位数字", "数量": "整数，可省略"}
    assert doc.example == {"订单号": "A10023"}


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("Weather. city: its English name, e.g. Paris. Example: none", "city", "its English name, e.g. Paris"),
        ("Weather; city: a name. Slow.", "city", "a name"),
        ("The time: is now", "time", ""),
        ("at 10:30 it runs", "at", ""),
        ("a: one. a: two.", "a", ""),
        ("Search. note: this is slow.", "note", ""),
        ("Runs it.\npath: where\n  it is", "path", "where it is"),
    ],
)
def test_prose_is_lifted_only_where_it_is_certain(text, name, said):
    assert read(text, [name]).params.get(name, "") == said


def test_parameters_on_lines_of_their_own():
    doc = read("Copy.\nsource: from here\ntarget: to there", ["source", "target"])
    assert doc.params == {"source": "from here", "target": "to there"}
    assert doc.description == "Copy.\nsource: from here\ntarget: to there"


def test_lists_keep_their_lines_and_chinese_lines_join_without_a_space():
    assert read("Does:\n- one\n- two\n\n第一行\n第二行").description == "Does:\n- one\n- two\n第一行第二行"


def test_google_heading_without_indentation():
    doc = read("参数：\n城市: 中文名\n天数: 几天\n别的。", ["城市", "天数"])
    assert doc.params == {"城市": "中文名", "天数": "几天"}
    assert doc.description == "别的。"


def test_numpy_names_together_and_unknown_sections_stay():
    doc = read("Sum.\n\nParameters\n----------\na, b : int\n    The numbers.\n\nNotes\n-----\nSlow.\n", ["a", "b"])
    assert doc.params == {"a": "The numbers.", "b": "The numbers."}
    assert doc.description == "Sum.\nNotes: Slow."


def test_a_heading_with_nothing_below_it_is_prose():
    assert read("Args:\n\nnothing").description == "Args:\nnothing"


def test_nothing_gives_nothing():
    assert read(None).description == ""
    assert read('Uses {braces} and {"other": 1}.', ["a"]).example is None
