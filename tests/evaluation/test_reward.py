"""Reward per step and run."""

import pytest

from tao.errors import ConfigError
from tao.evaluation.reward import Rewards, reward, rewards_from
from tao.events import Decided, Ended, Misread, Nudged, Paused
from tao.messages import Call, Observation
from tao.testing import did, history


def worth(run, **options):
    return [(it.kind, it.reward) for it in reward(run, **options).steps], reward(run, **options).total


def failed(number, kind):
    return did(number, "add", Observation("no", ok=False, kind=kind), a=1)


def test_the_process_of_the_articles():
    run = history("q", *did(1, "add", "2", a=1), Misread("no_step"), *did(2, "add", "3", a=2), Decided(answer="3"), Ended("answered", "3"))
    assert worth(run) == ([("action", 1.0), ("unreadable", -0.1), ("action", 1.0), ("answer", 0.0)], pytest.approx(11.9))


@pytest.mark.parametrize(("kind", "value"), [("unknown_tool", -0.1), ("bad_arguments", -0.1), ("error", 1.0), ("timeout", 1.0)])
def test_what_breaks_down_is_not_the_models_fault(kind, value):
    assert worth(history("q", *failed(1, kind), Ended("max_steps"))) == ([("action", value)], pytest.approx(value))


def test_the_grade_counts():
    run = history("q", *did(1, "add", "2"), Decided(answer="2"), Ended("answered", "2"))
    assert reward(run, right=True, score=1.0).total == 12
    assert reward(run, right=False, score=0.5).total == 1.5
    assert reward(run, right=False, score=0.0, rewards=Rewards(invalid=-1, score=0)).total == 1


def test_rewards_to_go_are_discounted():
    run = history("q", *did(1, "add", "2"), Decided(answer="2"), Ended("answered", "2"))
    steps = reward(run, rewards=Rewards(discount=0.5)).steps
    assert [(it.step, it.to_go) for it in steps] == [(1, 6.0), (2, 10.0)]


def test_an_answer_that_was_objected_to_is_no_end():
    run = history("q", Decided(answer="1"), Nudged("look", "unused"), *did(2, "add", "2"), Decided(answer="2"), Ended("answered", "2"))
    assert worth(run) == ([("answer", 0.0), ("action", 1.0), ("answer", 0.0)], 11.0)


def test_a_run_that_waits_is_not_done():
    run = history("q", Decided(calls=(Call("1.1", "pay", {}),)), Paused("approval", "1.1"))
    assert worth(run) == ([("action", 0.0)], 0.0)
    assert reward(history("q")).total == 0


def test_settings():
    assert rewards_from("valid=2, done=5,discount=0.9") == Rewards(valid=2, done=5, discount=0.9)
    for text in ("valid", "valid=x", "luck=1", "done=nan", "invalid=-inf", "discount=1.5", "discount=-0.1"):
        with pytest.raises(ConfigError, match=r"wanted: valid=1,invalid=-0\.1,done=10"):
            rewards_from(text)
