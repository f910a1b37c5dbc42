import pytest

from tao.cli.asking import visible


@pytest.mark.parametrize(("text", "shown"), [
    ("pay 5 to Bob, 请付款", "pay 5 to Bob, 请付款"), ("a\u202eb\u200bc\x1b[2Kd", "a\\u202eb\\u200bc\\u001b[2Kd"), ("a\u3164b\u2800c\ufe0fd\u00ade", "a\\u3164b\\u2800c\\ufe0fd\\u00ade"),
    ("x\U000e0073y\U000e0100", "x\\U000e0073y\\U000e0100"), ("p\u0430yp\u0430l.com", "p\\u0430yp\\u0430l.com"), ("Привет, мир; λόγος", "Привет, мир; λόγος"), ("α-helix 3β", "α-helix 3β"),
])  # fmt: skip
def test_what_a_person_is_shown_is_what_runs(text, shown):
    assert visible(text) == shown
