"""Figures of an evaluation on screens of several widths."""

import io

import pytest

from tao.cli.measured import measured
from tao.cli.screen import Screen
from tao.evaluation.outcomes import Outcome
from tao.evaluation.summary import rows


def solved(task, kind, *, right):
    return Outcome(
        task, 0, kind, "q", "w", "a", right, float(right), "", "answered", task, calls=3, acts=2, failed_acts=0, prompt=123456, completion=4321,
        cached=99000, cost=None, first_token=1.5, seconds=12.5, misreads=0, coercions=7,
    )  # fmt: skip


@pytest.mark.parametrize(("width", "there", "gone"), [
    (40, [], ["calls", "cached", "mended"]), (60, ["calls", "prompt"], ["cached", "mended"]), (80, ["calls", "prompt", "compl."], []),
    (120, ["calls", "tools", "prompt", "cached", "compl.", "first s", "mended"], []),
])  # fmt: skip
def test_a_narrow_table_has_fewer_columns_and_every_figure_whole(width, there, gone):
    outcomes = [solved("a", "order_history", right=True), solved("b", "date", right=True), solved("c", "date", right=False)]
    screen = Screen(to=io.StringIO(), columns=width)
    measured(screen, rows(outcomes))
    head, *lines = [line.rstrip() for line in screen.file.getvalue().splitlines() if line.strip()]
    assert [line.split()[:2] for line in lines] == [["date", "1/2"], ["order_history", "1/1"], ["all", "2/3"]]
    assert "…" not in screen.file.getvalue()
    for heading, figure in {"cached": "99,000", "compl.": "4,321", "prompt": "123,456", "calls": "3.0"}.items():
        assert all((heading in head) == (figure in line) for line in lines), heading
    assert all(heading in head for heading in there)
    assert not any(heading in head for heading in gone)
