"""Rollouts, judges and users' functions."""

import asyncio

import pytest

from tao.agent import Agent
from tao.errors import ConfigError, Refused, both
from tao.evaluation.bench import Grading, prepared, rollouts
from tao.evaluation.functions import function_of, graded, load_function
from tao.evaluation.judge import ask, judged
from tao.evaluation.tasks import Task
from tao.judging import heard
from tao.testing import ScriptedModel

TASKS = [Task(name, f"{name}?", "yes", "exact") for name in "abc"]


class Slow:
    """Says yes after a turn of the event loop; knows how many speak at once."""

    name = "slow"

    def __init__(self):
        self.now, self.most, self.asked = 0, 0, []

    async def __call__(self, request, hear=None):
        self.now += 1
        self.most = max(self.most, self.now)
        self.asked.append(request.messages[-1].content)
        await asyncio.sleep(0.001)
        self.now -= 1
        return await ScriptedModel("Final Answer: yes")(request)


async def run(model, tasks=TASKS, **options):
    found = []
    await rollouts(tasks, lambda: Agent(model, dialect="react"), found.append, **options)
    return found


async def test_every_task_so_many_times_each_once_before_one_is_run_again():
    found = await run(Slow(), times=2)
    assert [(it.task, it.rollout) for it in found] == [("a", 0), ("b", 0), ("c", 0), ("a", 1), ("b", 1), ("c", 1)]
    assert all(it.right for it in found)


async def test_so_many_at_once():
    model = Slow()
    await run(model, times=4, jobs=5)
    assert model.most == 5


async def test_what_is_done_is_left_out():
    assert [(it.task, it.rollout) for it in await run(Slow(), times=2, done={("a", 0), ("b", 0), ("c", 1)})] == [("c", 0), ("a", 1), ("b", 1)]


async def test_a_run_that_fails_is_an_outcome():
    found = await run(ScriptedModel(Refused("no"), "Final Answer: yes", "Final Answer: no"))
    assert [(it.reason, it.right, it.why) for it in found] == [("failed", False, "no"), ("answered", True, ""), ("answered", False, "")]


async def test_a_run_that_failed_is_given_to_no_grader():
    """A user's function may well stumble over an answer that is not there."""
    grading = Grading({"f": lambda task, answer: float(answer) > 1})
    found = await run(ScriptedModel(Refused(both("down", "无法连接"))), [Task("f", "?", None, "python")], grading=grading)
    assert [(it.reason, it.why) for it in found] == [("failed", "down\n无法连接")]


@pytest.mark.parametrize(("function", "effect"), [
    (lambda task, answer: answer == "4", "helped"), (lambda task, answer: answer == "3", "harmed"), (lambda task, answer: True, "nothing"),
    (lambda task, answer: {"4": True}[answer], "unknown"),
])  # fmt: skip
async def test_whether_an_objection_helped_is_said_by_the_users_function(function, effect):
    def four(run):
        return None if run.proposed == "4" else "look again"

    found = []
    agent = Agent(ScriptedModel("Final Answer: 3", "Final Answer: 4"), checks=[four])
    await rollouts([Task("f", "?", None, "python")], lambda: agent, found.append, grading=Grading({"f": function}))
    assert [(one.by, one.effect) for one in found[0].interventions] == [("check:four", effect)]


async def test_a_bug_is_loud():
    with pytest.raises(ExceptionGroup, match="TaskGroup"):
        await run(ScriptedModel(ValueError("a bug")))


async def test_a_judge_that_cannot_be_reached_leaves_the_outcome_ungraded():
    found = await run(ScriptedModel("Final Answer: yes"), [Task("j", "?", "yes", "judge")], grading=Grading(judge=ScriptedModel(Refused("no key"))))
    assert [(it.reason, it.why, it.answer) for it in found] == [("ungraded", "the judge failed: no key\n评分模型出错：no key", "yes")]


def test_nothing_is_spent_where_a_task_cannot_be_graded():
    with pytest.raises(ConfigError, match="task j wants a judge"):
        prepared([*TASKS, Task("j", "?", "x", "judge")], Grading())


# ── a judge ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("text", "right", "why"), [
    ('{"why": "Same.", "right": true}', True, "Same."),
    ('```json\n{"right": false, "why": "Says \\"no\\"."}\n```', False, 'Says "no".'),
    ('{"why": "意思相同", "right": "是"}', True, "意思相同"),
    ('I think {"right": true} … no: {"right": false}', False, ""),
])  # fmt: skip
def test_verdicts(text, right, why):
    verdict = heard(text)
    assert (verdict.right, verdict.why) == (right, why)


async def test_a_judge_is_asked_again_and_then_counted_as_no():
    task = Task("t", "Why?", "because", "judge")
    assert (await judged(task, "so", ScriptedModel("Hm.", '{"right": true}'))).right
    verdict = await judged(task, "so", ScriptedModel("Hm.", "Well, well."))
    assert (verdict.right, verdict.why) == (False, "the judge cannot be understood: Well, well.\n评分模型的回复无法理解：Well, well.")
    assert not (await judged(task, None, ScriptedModel())).right


@pytest.mark.parametrize(("lang", "words"), [("en", "What counts:"), ("zh", "评分要求：")])
def test_the_judges_prompt(lang, words):
    request = ask(Task("t", "Why {x}?", ["a", "b"], "judge", {"rubric": "Be strict."}), "right: true }", lang, "abcd")
    system, user = (message.content for message in request.messages)
    assert "<<abcd>>" in system
    assert '{"why": ' in system
    assert "<<abcd>>\nright: true }\n<<abcd>>" in user
    assert "a\nb" in user
    assert f"{words}\nBe strict." in user


# ── a function ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("body", "right", "score"), [
    ("True", True, 1.0), ("0.5", False, 0.5), ("1", True, 1.0), ("(False, 'why')", False, 0.0), ("wait()", True, 1.0),
    ("type('bool_', (), {'item': lambda self: True})(), 'as NumPy has it'", True, 1.0),
])  # fmt: skip
async def test_what_a_function_may_say(tmp_path, body, right, score):
    (tmp_path / "g.py").write_text(f"async def wait():\n    return True\ndef f(task, answer):\n    return {body}\n")
    task = Task("t", "?", 1, "python", {"function": "g.py:f"}, record={"id": "t"})
    verdict = await graded(load_function(function_of(task, tmp_path)), task, "x")
    assert (verdict.right, verdict.score) == (right, score)


@pytest.mark.parametrize("body", ["'yes'", "2", "None", "answer + 1"])
async def test_a_function_that_says_something_else(tmp_path, body):
    (tmp_path / "g.py").write_text(f"def f(task, answer):\n    return {body}\n")
    task = Task("t", "?", 1, "python", {"function": "g.py:f"})
    with pytest.raises(ConfigError, match="task t: the grader's function"):
        await graded(load_function(function_of(task, tmp_path)), task, "x")


def test_a_function_that_is_not_there(tmp_path):
    (tmp_path / "g.py").write_text("raise RuntimeError('no')\n")
    for where, said in ((f"{tmp_path}/x.py:f", "FileNotFoundError"), (f"{tmp_path}/g.py:f", "RuntimeError: no")):
        with pytest.raises(ConfigError, match=said):
            load_function(where)
    with pytest.raises(ConfigError, match="grader python wants"):
        function_of(Task("t", "?", 1, "python"), tmp_path)
