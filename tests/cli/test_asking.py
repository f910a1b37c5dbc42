import pytest
from wcwidth import width as cells

from tao.cli.asking import KEYS, described, visible
from tao.cli.words import packed
from tao.messages import Call
from tao.rulings import Waiting


@pytest.mark.parametrize(("text", "shown"), [
    ("pay 5 to Bob, 请付款", "pay 5 to Bob, 请付款"), ("a\u202eb\u200bc\x1b[2Kd", "a\\u202eb\\u200bc\\u001b[2Kd"), ("a\u3164b\u2800c\ufe0fd\u00ade", "a\\u3164b\\u2800c\\ufe0fd\\u00ade"),
    ("x\U000e0073y\U000e0100", "x\\U000e0073y\\U000e0100"), ("p\u0430yp\u0430l.com", "p\\u0430yp\\u0430l.com"), ("Привет, мир; λόγος", "Привет, мир; λόγος"), ("α-helix 3β", "α-helix 3β"),
])  # fmt: skip
def test_what_a_person_is_shown_is_what_runs(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize("reason", ["unknown outcome: it was interrupted, and it may have been carried out or not; look for its effect first", "结果未知：被中断，可能已执行，也可能没有。" * 4])
def test_a_reason_is_folded_between_words_and_an_argument_is_shown_to_the_last_character(reason):
    value = "spaces  and   more " * 9
    text = described(Waiting(Call("1.1", "pay", {"to": value}), reason, ("writes",), (), "0" * 16), 60).plain
    rows = [line.partition(" │ ") for line in text.splitlines()]
    told = [row[2] for row in rows[1 : next(at for at, row in enumerate(rows) if row[0].strip() == "to")]]
    assert len(told) > 1
    assert (" " if reason.isascii() else "").join(told) == reason
    assert value in "".join(row[2] for row in rows)


@pytest.mark.parametrize("width", [20, 40, 50, 80, 100])
@pytest.mark.parametrize("keys", KEYS)
def test_the_keys_are_broken_between_two_of_them(keys, width):
    parts = keys.split("  ")
    lines = packed(parts, width, "  ").split("\n")
    assert [part for line in lines for part in line.split("  ")] == parts
    assert all(cells(line) <= width or line in parts for line in lines)
