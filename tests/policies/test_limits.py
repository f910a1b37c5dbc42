"""Budgets of a run."""

import pytest

from tao.events import Asked, Decided, Ended, Misread, Nudged, Replied
from tao.messages import Reply, Usage
from tao.policies.limits import best_answer, deadline, max_steps, max_tokens
from tao.run import NO_TOOLS, Run
from tao.testing import did, history

NOTHING = {"en": "No answer was found within the limits that were set.", "zh": "在设定的限度内没有得到答案。"}


def steps(count, *after, lang="en"):
    """A run with so many replies, each of which made a call."""
    events = [event for number in range(1, count + 1) for event in (Replied(Reply("x")), *did(number, "t", "seen", n=number))]
    return history("q", *events, *after, lang=lang)


def answer(text):
    return Replied(Reply(text)), Decided(answer=text)


WRAP_UP = Nudged("", "wrap_up")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_before_the_last_reply_tools_are_taken_away(lang):
    policy = max_steps(3)
    assert policy(steps(0, lang=lang)) is None
    assert policy(steps(1, lang=lang)) is None
    nudge = policy(steps(2, lang=lang))
    assert (nudge.by, nudge.may_call, nudge.may_answer) == ("wrap_up", False, True)
    assert ("This is the last step" if lang == "en" else "这是最后一步") in nudge.text
    assert nudge.lead
    assert policy(steps(3, WRAP_UP, lang=lang)) == Ended("max_steps", None, NOTHING[lang])


def test_an_answer_near_the_end_is_accepted_without_more_questions():
    policy = max_steps(4)
    assert policy(steps(1, *answer("4"))) is None
    assert policy(steps(2, *answer("4"))) == Ended("answered", "4")
    assert policy(steps(2, Nudged("", "wrap_up"), *answer("4"))) == Ended("max_steps", "4")
    assert policy(steps(3, WRAP_UP, Replied(Reply("?")), Misread("empty"))) == Ended("max_steps", None, NOTHING["en"])


def test_the_wrap_up_is_said_once_and_not_before_a_single_reply():
    assert max_steps(2)(steps(1, WRAP_UP, Replied(Reply("?")), Misread("empty"))) == Ended("max_steps", None, NOTHING["en"])
    assert max_steps(1)(steps(0)) is None
    assert max_steps(1)(steps(0, *answer("4"))) == Ended("answered", "4")
    assert max_steps(3)(steps(2, WRAP_UP)) is None


def test_a_refusal_of_tools_takes_no_step():
    refused = (Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS))
    assert max_steps(1)(history("q", *refused)) is None


def test_the_best_answer_is_the_latest_even_if_it_was_objected_to():
    run = history("q", *answer("4"), Nudged("no", "verify"), *answer("5"), Nudged("no", "verify"), *did(3, "t", "x"))
    assert best_answer(run) == "5"
    assert best_answer(history("q")) is None
    assert max_steps(2)(run).answer == "5"


def used(*counts):
    return [Replied(Reply("x", usage=Usage(prompt, completion))) for prompt, completion in counts]


@pytest.mark.parametrize(("counts", "ends"), [
    ([], False), ([(40, 5)], False), ([(80, 20)], True), ([(40, 5), (50, 5)], True), ([(None, None)] * 9, False), ([(None, 100)], True), ([(100, None)], True),
])  # fmt: skip
def test_tokens(counts, ends):
    run = history("q", *used(*counts), Misread("empty"))
    assert max_tokens(100)(run) == (Ended("max_tokens", None, NOTHING["en"]) if ends else None)
    run.events.append(Decided(answer="4"))
    assert max_tokens(100)(run) is None


def test_time():
    def run(now, *events):
        return Run("x", [Asked("q", lang="zh", at=1000.0), *events, Misread("empty", at=now)])

    assert deadline(60)(run(1061.0)) is None  # nothing was tried yet
    assert deadline(60)(run(1060.0, Replied(Reply("x")))) is None
    assert deadline(60)(run(1060.1, Replied(Reply("x")))) == Ended("deadline", None, NOTHING["zh"])
    late = run(2000.0, Replied(Reply("x")))
    late.events.append(Decided(answer="4", at=2001.0))
    assert deadline(60)(late) is None
