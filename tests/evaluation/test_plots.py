"""Scales: round, and wide enough."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.evaluation.plots import bins, columns, histogram, stacks, ticks, whiskers


@pytest.mark.parametrize(("most", "wanted"), [(1, [0, 1]), (3, [0, 1, 2, 3]), (100, [0, 25, 50, 75, 100]), (0.9, [0, 0.25, 0.5, 0.75, 1.0]), (37, [0, 10, 20, 30, 40])])
def test_ticks_are_round(most, wanted):
    assert ticks(most) == wanted


@given(st.lists(st.floats(0, 1e7), min_size=1, max_size=30))
def test_bins_hold_every_value(values):
    edges = bins(values)
    assert edges[0] == 0
    assert edges[-1] > max(values)
    assert edges == sorted(set(edges))
    assert len(edges) < 40


@given(st.lists(st.floats(0, 1000), max_size=9), st.lists(st.floats(0, 1000), max_size=9))
def test_a_histogram_is_sound_and_loses_nothing(right, wrong):
    text = histogram(right, wrong, ("a & b", "<c>"), ("s", "秒"))
    assert bool(text) == bool(right or wrong)
    if text:
        counts = [int(node.text.rpartition(": ")[2]) for node in ET.fromstring(text).iter("title")]
        assert sum(counts) == len(right) + len(wrong)


def test_long_labels_keep_their_beginning_and_reach_into_nothing():
    long, chinese = "a very long kind of task", "一个名字很长的任务类别"
    tree = ET.fromstring(whiskers([((long, chinese), 1.0, 0.9, 1.0, "100000/100000"), (("sum", "求和"), 0.0, 0.0, 0.1, "0/9")], ("t", "题")))
    shown = [node.text for node in tree.iter("text")]
    assert "a very long kind…" in shown
    assert next(it for it in shown if it.startswith("一个")).endswith("…")
    assert {"sum", "求和", "100000/100000"} <= set(shown)
    note = next(node for node in tree.iter("text") if node.text == "100000/100000")
    assert float(tree.find("circle").get("cx")) + 5 < float(note.get("x")) - 13 * 6.5


def test_the_others_are_sound():
    for text in (
        whiskers([(("a<b", "甲"), 0.5, 0.2, 0.8, "1/2")], ("t", "题")), columns([(1, 2, 0), (2, 0, 3)], ("t", "题"), ("n", "数")),
        stacks([(("x", "某"), [("helped", 2), ("harmed", 0)])], ("t", "题")), stacks([], ("t", "题")),
    ):  # fmt: skip
        assert ET.fromstring(text).tag == "svg"
