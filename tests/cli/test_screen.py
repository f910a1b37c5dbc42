import io
import re

import pytest
from wcwidth import width

from tao.cli.screen import Column, Screen, Table, Text, chopped, styled, wrapped

PROSE = "加上 --from 则从其中一步起，以新的运行继续（可更换模型或提示词），并指出“两者”从何处分开。And then it goes on in English, at http://127.0.0.1:8101/v1/of/a/long/address"
COLOURED = re.compile(r"\x1b\[[0-9;]*m")


def screen(columns=80, terminal=True, **env):
    return Screen(to=io.StringIO(), columns=columns, terminal=terminal, env=env)


def written(place):
    return place.to.getvalue()


# ── looks ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("terminal", "env", "shown"), [
    (True, {}, "\x1b[36m\x1b[2mx\x1b[0m"), (True, {"NO_COLOR": "1"}, "\x1b[2mx\x1b[0m"), (True, {"NO_COLOR": ""}, "\x1b[36m\x1b[2mx\x1b[0m"),
    (True, {"TERM": "dumb"}, "x"), (False, {}, "x"), (None, {}, "x"), (None, {"FORCE_COLOR": "1"}, "\x1b[36m\x1b[2mx\x1b[0m"), (None, {"FORCE_COLOR": ""}, "x"),
])  # fmt: skip
def test_looks_are_for_terminals_that_want_them(terminal, env, shown):
    assert screen(terminal=terminal, **env).rendered(styled(("x", "dim cyan"))) == shown


def test_what_is_told_cannot_draw_on_a_terminal_and_stays_whole_in_a_file():
    told = "a\x1b[2Jb\rc\u202ed\x07"
    assert screen().rendered(told) == "a[2Jbcd"
    assert screen(terminal=False).rendered(told) == told


def test_texts_are_put_together_piece_by_piece():
    text = styled("a", ("b", "bold"), styled(("c", "dim"), "d"))
    assert text == Text((("a", ""), ("b", "bold"), ("c", "dim"), ("d", "")))
    assert text.plain == "abcd"


@pytest.mark.parametrize(("env", "terminal", "cells"), [
    ({"COLUMNS": "61"}, False, 61), ({"COLUMNS": "61"}, True, 61), ({"COLUMNS": "61", "TERM": "dumb"}, True, 80), ({"COLUMNS": "61", "TERM": "dumb"}, False, 61),
])  # fmt: skip
def test_the_width_is_what_the_surroundings_say(env, terminal, cells):
    assert screen(0, terminal, **env).width == cells


# ── lines ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("columns", [7, 20, 44, 80, 200])
@pytest.mark.parametrize("look", ["", "bold cyan"])
def test_wrapped_lines_fit_and_lose_nothing(columns, look):
    place = screen(columns)
    place.print((PROSE, look), wrap=True)
    lines = written(place).splitlines()
    assert all(width(line) <= columns for line in lines)
    assert re.sub(r"\s", "", COLOURED.sub("", "".join(lines))) == re.sub(r"\s", "", PROSE)
    assert all(bool(COLOURED.search(line)) == bool(look) for line in lines)


def test_chinese_is_broken_between_characters_but_not_before_a_sign_that_closes_or_behind_one_that_opens():
    lines = [line for columns in range(14, 60) for text in ("再看（可更换模型或提示词），并指出“两者”从何处分开。" * 2, "工具：files、sql、notes，units；calendar（python）、web。" * 2, "位置  [默认：1；数量] 和 (可省略)  {必填}" * 2)
             for line in wrapped(text, columns)]  # fmt: skip
    assert not any(line[0] in "），。”)]}" or line[-1] in "（“([{" for line in lines)
    assert wrapped("添加 tao 自带的其他工具", 12) == ["添加 tao 自", "带的其他工具"]


def test_lines_of_the_text_itself_are_kept_and_stand_behind_as_many_blanks():
    place = screen(12)
    place.print("one two three four\n\nfive", wrap=True, indent=2)
    assert written(place) == "  one two\n  three four\n\n  five\n"


def test_without_wrapping_every_line_is_as_it_was():
    place = screen(5, terminal=False)
    place.print("a line that is longer  than\n the screen ", ("!", "bold"), end="")
    assert written(place) == "a line that is longer  than\n the screen !"


@pytest.mark.parametrize("text", ["", "abc", "今天是星期一", "a今b天", "👨‍👩‍👧x", "e\u0301" * 7])
@pytest.mark.parametrize("cells", [1, 2, 3, 5])
def test_pieces_hold_every_character(text, cells):
    pieces = chopped(text, cells)
    assert "".join(pieces) == text
    assert all(width(piece) <= max(cells, 2) for piece in pieces)


# ── tables ────────────────────────────────────────────────────────────────────

COLUMNS = (Column("run"), Column("tokens", right=True), Column("question", fit="cut"), Column("answer", fit="fold"))
ROWS = [
    ("0123abcd", "52", "哪座城市？", styled(("Paris", "dim"))), ("4567cdef", "1,234", "第二个问题：十七乘以二十三再加五等于多少？" * 2, styled((PROSE, "dim"))), ("89", "", "", ""),
]  # fmt: skip


@pytest.mark.parametrize("columns", [44, 60, 80, 120, 200])
@pytest.mark.parametrize("terminal", [True, False])
def test_a_table_fits_and_its_columns_stand_under_their_headings(columns, terminal):
    place = screen(columns, terminal)
    place.table(Table(COLUMNS, ROWS))
    head, *lines = COLOURED.sub("", written(place)).splitlines()
    assert all(width(line) <= columns and line == line.rstrip() for line in [head, *lines])
    assert head.split() == ["run", "tokens", "question", "answer"]
    at = head.index("answer")
    whole = "".join(line[next(n for n in range(len(line) + 1) if width(line[:n]) >= at) :] for line in lines if width(line) > at)
    assert re.sub(r"\s", "", whole) == re.sub(r"\s", "", "Paris" + PROSE)
    assert lines[0].startswith("0123abcd      52  哪座城市？")
    assert ("…" in "".join(lines)) == (columns < 200)
    assert ("\x1b[2m" in written(place)) == terminal


def test_columns_that_need_little_leave_the_rest_to_the_others():
    place = screen(30)
    place.table(Table((Column(fit="cut"), Column(fit="cut")), [("short", "x" * 40)]))
    assert written(place) == "short  " + "x" * 22 + "…\n"


def test_what_is_cut_keeps_its_look_up_to_the_dots():
    place = screen(6)
    place.table(Table((Column(fit="cut"),), [(styled(("abcdefgh", "dim")),)]))
    assert written(place) == "\x1b[2mabcde…\x1b[0m\n"


def test_a_table_without_rows_is_its_headings():
    place = screen(terminal=False)
    place.table(Table((Column("a"), Column("b")), []))
    assert written(place) == "a  b\n"


def test_what_a_cell_brings_along_does_not_move_the_others():
    place = screen()
    place.table(Table((Column(), Column(fit="cut")), [("\x1b[31mred\x1b[0m", "x"), ("y", "z")]))
    assert written(place) == "[31mred[0m  x\ny           z\n"
