"""Rollouts: every task so many times, so many at once, graded, and told as each one ends."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from tao.agent import Agent, language
from tao.errors import AgentError, ConfigError, ModelError, both
from tao.evaluation.functions import Function
from tao.evaluation.functions import graded as by_function
from tao.evaluation.graders import Grade, check, grade, kind_of
from tao.evaluation.judge import judged
from tao.evaluation.outcomes import Outcome, Price, Right, outcome
from tao.evaluation.tasks import Task
from tao.evaluation.words import in_both
from tao.events import Decided, Nudged
from tao.run import Run
from tao.seams import Model


@dataclass(frozen=True, slots=True)
class Grading:
    """What grading needs beside the task: users' functions by `FILE.py:function` as each task's id names it, and a judge."""

    functions: Mapping[str, Function] = field(default_factory=dict)
    judge: Model | None = None


def prepared(tasks: Sequence[Task], grading: Grading) -> None:
    """Raise ConfigError where a task cannot be graded, before anything is spent on it."""
    for task in tasks:
        check(task)
        if kind_of(task) == "judge" and grading.judge is None:
            raise ConfigError(both(
                f"task {task.id} wants a judge; name its model with --judge", f"任务 {task.id} 需要评分模型；请用 --judge 指定",
            ))  # fmt: skip


async def graded(task: Task, run: Run, grading: Grading) -> Grade:
    """The grade of a run's answer, by whichever grader the task names. A run that failed has none, and `why` says what failed."""
    if run.ended and run.ended.reason == "failed" and run.answer is None:
        name, _, said = run.ended.detail.partition(": ")
        return Grade(right=False, score=0.0, why=said if name.isidentifier() else run.ended.detail)
    name = kind_of(task)
    if name == "python":
        return await by_function(grading.functions[task.id], task, run.answer)
    if name == "judge":
        assert grading.judge is not None, "see `prepared`"
        return await judged(task, run.answer, grading.judge, language(task.question))
    return grade(task, run.answer)


async def rollouts(
    tasks: Sequence[Task], agent: Callable[[], Agent], told: Callable[[Outcome], None], *, times: int = 1, jobs: int = 1,
    done: Collection[tuple[str, int]] = (), grading: Grading | None = None, price: Price | None = None,
) -> None:
    """Run every task `times` times, `jobs` at once; `told` hears each outcome as it is known.

    `agent` is asked for the agent of each rollout. `done` (task, rollout) are left out. Every task is run once before one is
    run again. A run that fails is an outcome like others; ConfigError and bugs end it all, after the rollouts that are under way
    were cancelled.
    """
    grading = grading or Grading()
    prepared(tasks, grading)
    left = iter([(task, number) for number in range(times) for task in tasks if (task.id, number) not in done])

    async def work() -> None:
        for task, number in left:
            run = await agent().run(task.question, on_delta=lambda _: None)  # listened to, so that the first token has a time
            told(await assess(task, number, run, grading, price))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(jobs):
                group.create_task(work())
    except* AgentError as failures:
        raise failures.exceptions[0] from None


async def assess(task: Task, number: int, run: Run, grading: Grading, price: Price | None = None) -> Outcome:
    """The outcome of a finished run; where the judge cannot be reached, its reason is "ungraded"."""
    try:
        verdict, reason = await graded(task, run, grading), None
    except ModelError as error:
        english, chinese = in_both(str(error))
        verdict, reason = Grade(right=False, score=0.0, why=both(f"the judge failed: {english}", f"评分模型出错：{chinese}")), "ungraded"
    it = outcome(task, number, run, verdict, price=price, right=await _earlier(task, run, grading, verdict))
    return replace(it, reason=reason or it.reason)


async def _earlier(task: Task, run: Run, grading: Grading, last: Grade) -> Right | None:
    """Whether an answer that was objected to was right; None where it cannot be told: a judge is not asked once more for that."""
    name = kind_of(task)
    if name not in {"python", "judge"}:
        return lambda answer: grade(task, answer).right
    objected = {before.answer for before, event in pairwise(run.events) if isinstance(event, Nudged) and isinstance(before, Decided)}
    known = {run.answer: last.right}
    if name == "judge" and not objected <= {None, *known}:
        return None
    try:
        known |= {answer: (await by_function(grading.functions[task.id], task, answer)).right for answer in objected - {None, *known}}
    except ConfigError:
        return None
    return lambda answer: known[answer]
