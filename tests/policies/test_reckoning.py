"""What the next call will take."""

import pytest

from tao.events import Misread, Replied
from tao.messages import Reply, Usage
from tao.policies.reckoning import coming, growth, ratio, reckoned, size
from tao.run import NO_TOOLS
from tao.testing import did, history


@pytest.mark.parametrize(("text", "units"), [("", 0), ("abcd", 1), ("中文", 2), ("中文ab", 2.5), ("é" * 4, 1)])
def test_units(text, units):
    assert size(text) == units


def conversation(text, tokens_a_unit, steps=3):
    """A run whose server counts so many tokens a unit: each step adds a reply and an observation to the prompt."""
    events, prompt = [], 200
    for number in range(1, steps + 1):
        said = "call it"
        completion = round(size(said) * tokens_a_unit)
        events += [Replied(Reply(said, usage=Usage(prompt, completion))), *did(number, "t", text)]
        prompt += completion + round(size(text) * tokens_a_unit)
    return history("q", *events), prompt


@pytest.mark.parametrize("tokens_a_unit", [0.6, 1.0, 1.4])
@pytest.mark.parametrize("text", ["北京今天多云转晴，最高气温二十三度。" * 20, "Cloudy in the morning, later sunny. " * 30, "气温 23 degrees 多云 " * 30])
def test_the_next_prompt_is_foreseen_to_a_few_percent(text, tokens_a_unit):
    run, really = conversation(text, tokens_a_unit)
    assert ratio(run) == pytest.approx(tokens_a_unit, rel=0.05)
    assert coming(run).prompt == pytest.approx(really, rel=0.03)


def test_before_there_are_two_prompts_the_ratio_is_that_of_the_replies():
    run = history("q", Replied(Reply("中" * 100, usage=Usage(50, 60))), *did(1, "t", "文" * 100))
    assert ratio(run) == 0.6
    assert coming(run).prompt == 50 + 60 + 60
    assert ratio(history("q")) == 1.0


def test_a_ratio_stays_plausible():
    run = history("q", Replied(Reply("x", usage=Usage(50, 1))), *did(1, "t", "x"), Replied(Reply("x", usage=Usage(5000, 1))), *did(2, "t", "x"))
    assert ratio(run) == 3.0


def test_a_first_call_is_reckoned_from_the_question():
    assert coming(history("数" * 100)).prompt == 100
    assert coming(history("数" * 100)).completion == 300


def test_reasoning_does_not_come_back_and_what_was_cached_is_cached_again():
    run = history("q", Replied(Reply("x", usage=Usage(1000, 500, 900, 480))), Misread("empty"))
    assert coming(run) == Usage(1020, 500, 900, 480)


def test_replies_that_were_not_counted_are_reckoned():
    run = history("数" * 100, Replied(Reply("文" * 50)), *did(1, "t", "字" * 30), Replied(Reply("文", usage=Usage(7, 1))), Replied(Reply("", finish=NO_TOOLS)))
    assert [usage for _, usage in reckoned(run)] == [Usage(100, 50), Usage(7, 1)]


def test_growth():
    run = history("q", *[Replied(Reply("x", usage=Usage(prompt, 1))) for prompt in (100, 150, 120, 180)])
    assert growth(run) == 60
    assert growth(history("q")) == 0
