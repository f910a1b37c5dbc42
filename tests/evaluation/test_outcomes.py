"""What is read off a rollout, and whether who stepped in helped."""

import json

import pytest

from tao.errors import StoreError
from tao.evaluation.graders import grade, yes
from tao.evaluation.outcomes import Intervention, cost, from_record, interventions, outcome, to_record
from tao.evaluation.summary import paired, row, rows
from tao.evaluation.tasks import Task
from tao.events import Asked, Decided, Ended, Nudged, Replied
from tao.messages import Call, Observation, Reply, Usage
from tao.run import Run
from tao.testing import did, history


def test_everything_is_read_off_the_run(some):
    first, second, third = some
    assert (first.right, first.calls, first.acts, first.prompt, first.completion, first.cached) == (True, 2, 1, 250, 30, 140)
    assert (first.first_token, first.seconds, first.misreads, first.reason, first.wanted) == (0.2, 2.0, 0, "answered", "2")
    assert (second.misreads, second.calls, second.right) == (1, 3, True)
    assert (third.right, third.answer) == (False, "Rome <script>alert(1)</script>")


def test_a_record_is_read_back(some):
    for it in some:
        again = from_record(json.loads(json.dumps(to_record(it))))
        assert again == it
        assert again.events == it.events
    with pytest.raises(StoreError, match="no outcome of an evaluation"):
        from_record({"task": "x"})


def test_cost_is_known_only_where_every_price_is():
    run = history("q", Replied(Reply("a", usage=Usage(10, 5))), Replied(Reply("b", usage=Usage(10))))
    assert cost(run, lambda model, usage: 0.5) == 1.0
    assert cost(run, lambda model, usage: 0.5 if usage.completion else None) is None


TWO = Task("t", "1 + 1?", 2, "number")


def effects(*steps):
    run = history("1 + 1?", *steps)
    verdict = grade(TWO, run.answer) if run.answer is not None else yes(False)
    return [it.effect for it in interventions(run, verdict, lambda answer: grade(TWO, answer).right)]


@pytest.mark.parametrize(("before", "after", "effect"), [("3", "2", "helped"), ("2", "3", "harmed"), ("2", "2", "nothing"), ("3", "4", "nothing")])
def test_an_objection_is_judged_by_the_answers_on_both_sides(before, after, effect):
    assert effects(Decided(answer=before), Nudged("look again", "ungrounded"), Decided(answer=after), Ended("answered", after)) == [effect]


def test_a_nudge_helped_where_something_new_led_to_a_right_end():
    once, seen = did(1, "add", "2", a=1, b=1)
    nudge = Nudged("again?", "loop_guard")
    right = (Decided(answer="2"), Ended("answered", "2"))
    assert effects(once, seen, nudge, *right) == ["helped"]
    assert effects(once, seen, nudge, *did(2, "add", "2", a=1, b=1), *right) == ["nothing"]
    assert effects(once, seen, nudge, Decided(answer="5"), Ended("answered", "5")) == ["nothing"]


def test_without_a_pure_grader_it_cannot_be_told():
    run = history("q", Decided(answer="a"), Nudged("?", "unused"), Decided(answer="b"), Ended("answered", "b"))
    assert interventions(run, yes(True)) == (Intervention("unused", "unknown"),)


# ── together ──────────────────────────────────────────────────────────────────


def test_rows_by_kind(some):
    place, sums, whole = rows(some)
    assert [(it.kind, it.right, it.rollouts) for it in (place, sums, whole)] == [("place", 0, 1), ("sum", 2, 2), ("", 2, 3)]
    assert (whole.misreads, whole.seconds, whole.calls) == (1, 2.0, 2.0)
    assert whole.low < whole.rate < whole.high


def test_rollouts_of_a_task(lived):
    outcomes = [lived(TWO, f"Final Answer: {answer}", rollout=n) for n, answer in enumerate(["2", "3", "2"])]
    whole = row("", outcomes)
    assert (whole.tasks, whole.rollouts, whole.right, whole.any, whole.every) == (1, 3, 2, 1.0, 0.0)


def test_two_sets_beside_each_other(lived):
    tasks = [Task(str(n), f"{n} + 0?", n, "number") for n in range(6)]
    a = [lived(task, f"Final Answer: {n if n < 2 else 99}") for n, task in enumerate(tasks)]
    b = [lived(task, f"Final Answer: {n if n > 0 else 99}", seconds=4.0) for n, task in enumerate(tasks[:5])]
    both = paired(a, b)
    assert (both.tasks, both.only_a, both.only_b) == (5, 1, 0)
    assert (both.better, both.worse) == (("2", "3", "4"), ("0",))
    assert both.p == pytest.approx(0.625)
    seconds = next(it for it in both.measures if it.name == "seconds")
    assert (seconds.a, seconds.b, seconds.difference) == (2.0, 4.0, 2.0)


def test_no_two_rates_are_said_to_differ_by_more_than_all():
    """With two tasks the approximation alone would reach to 148 points."""
    run = history("q", Replied(Reply("x")), Ended("answered"))

    def graded(*right):
        return [outcome(Task(f"t{number}", "q", "5", "number"), 0, run, yes(it)) for number, it in enumerate(right)]

    few = paired(graded(True, True), graded(True, False))
    assert (few.difference, few.low) == (-0.5, -1.0)
    assert 0 < few.high < 1


def test_a_call_that_failed_is_counted():
    seen = Observation("no", ok=False, kind="bad_arguments", notes=('a: "1" → 1',))
    run = history("q", Replied(Reply("x")), Decided(calls=(Call("1.1", "add", {}),), notes=("json_repaired",)), *did(1, "add", seen)[1:], Ended("failed"))
    it = outcome(TWO, 0, run, yes(False))
    assert (it.failed_acts, it.coercions, it.reason) == (1, 2, "failed")


@pytest.mark.parametrize(("dialect", "tools", "mended"), [("auto", True, 0), ("native", False, 0), ("auto", False, 1), ("react", True, 1)])
def test_an_answer_without_a_label_is_mended_only_where_calls_are_text(dialect, tools, mended):
    asked = Asked("q", (), "en", dialect=dialect, settings={"abilities": {"tools": tools}})
    run = Run("r", [asked, Replied(Reply("2")), Decided(answer="2", notes=("plain_answer",)), Ended("answered", "2")])
    assert outcome(TWO, 0, run, yes(True)).coercions == mended


def test_tasks_of_one_id_with_other_questions_are_not_compared():
    run = history("q", Replied(Reply("x")), Ended("answered"))
    old, new = ([outcome(Task("1", question, "5", "number"), 0, run, yes(True)), outcome(Task("2", "q", "5", "number"), 0, run, yes(True))] for question in ("a", "b"))
    both = paired(old, new)
    assert (both.tasks, both.only_a, both.only_b) == (1, 1, 1)
