"""What the figures and ends are called, in both languages."""

import re

import pytest

from tao.evaluation import words
from tao.evaluation.words import ENDS, both_ways, in_both
from tao.policies.uncertain import CAUSES, LIMITS


@pytest.mark.parametrize(("text", "told"), [
    ("no answer\n没有回答", ("no answer", "没有回答")), ("near enough", ("near enough", "near enough")), ("意思相同", ("意思相同", "意思相同")), ("", ("", "")),
    ("one\ntwo", ("one\ntwo", "one\ntwo")), ("a\n一\n二", ("a\n一\n二", "a\n一\n二")),
])  # fmt: skip
def test_a_text_of_two_lines_is_one_in_each_language(text, told):
    assert in_both(text) == told


def test_ends_have_names():
    for reason in (*LIMITS, *CAUSES, "misreads", "refused", "failed", "invalid_output", "ungraded", "paused"):
        assert reason in ENDS
    assert both_ways(ENDS, "my_limit") == ("my limit", "my_limit")
    assert both_ways(words.POLICIES, "check:my_rule") == ("my rule", "my_rule")
    tables = (words.MEASURES, words.SHORT, words.EFFECTS, words.POLICIES, ENDS)
    chinese = [text for table in tables for _, text in table.values()]
    assert not [text for text in chinese if not re.search("[\u4e00-\u9fff]", text)]
