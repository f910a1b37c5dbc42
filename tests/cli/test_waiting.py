import io
import re

import pytest

from tao.cli.progress import bar, beside
from tao.cli.screen import Screen
from tao.cli.waiting import Spinner, ticking
from tao.cli.words import clock


class Terminal(io.StringIO):
    """What is written, with a wish to be woken when something is."""

    encoding = "utf-8"


def screen(terminal=True, columns=60):
    return Screen(to=Terminal(), terminal=terminal, columns=columns, env={})


def frames(place):
    return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frame) for frame in re.split(r"[\r\n]", place.to.getvalue())]


def test_something_is_drawn_at_once_and_never_again_after_the_end():
    drawn = []
    stop = ticking(lambda: drawn.append(1))
    assert drawn
    stop()
    count = len(drawn)
    stop()
    assert len(drawn) == count


def test_a_terminal_that_is_gone_ends_the_drawing_and_nothing_else():
    place = screen()
    spinner = Spinner(place, "thinking")
    place.to.close()
    spinner._stop()


def test_a_spinner_says_what_takes_time_on_one_line(tmp_path):
    place = screen(columns=20)
    spinner = Spinner(place, "思考" * 20)
    spinner.close()
    assert "思考" in frames(place)[1]
    assert "\n" not in place.to.getvalue()
    assert place.to.getvalue().endswith("\r\x1b[K\x1b[?25h")


@pytest.mark.parametrize("columns", [44, 80])
def test_a_bar_tells_how_much_is_done_and_stays_on_its_line(columns):
    place = screen(columns=columns)
    with bar(place, "问题", "{desc} {bar} {n_fmt}/{total_fmt}{postfix} {elapsed}<{remaining}", total=4, initial=1) as shown:
        for _ in range(3):
            shown.set_postfix_str("right", refresh=False)
            shown.update()
    first, *_, last, end = frames(place)[1:]
    assert first.startswith("问题 ━")
    assert re.search(r"─ 1/4 00:00<", first)
    assert re.search(r"━ 4/4, right 00:0\d<00:00$", last)
    assert end == ""


def test_a_bar_is_for_terminals():
    place = screen(terminal=False)
    with bar(place, "questions", "{desc} {bar}", total=2) as shown:
        shown.update(2)
    assert place.to.getvalue() == ""


def test_what_is_written_beside_a_bar_has_lines_of_its_own():
    place = screen()
    with bar(place, "questions", "{desc} {bar} {n_fmt}/{total_fmt}", total=2) as shown:
        with beside(place.to):
            place.to.write("a line\n")
        shown.update(2)
    assert "a line" in [frame.strip() for frame in frames(place)]


@pytest.mark.parametrize(("seconds", "said"), [(0, "0:00"), (65.4, "1:05"), (3599.6, "1:00:00"), (7322, "2:02:02")])
def test_a_clock(seconds, said):
    assert clock(seconds) == said
