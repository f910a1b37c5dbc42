"""Outcomes to summarise, made by real runs under a scripted model."""

import asyncio
from dataclasses import replace

import pytest

from tao.agent import Agent
from tao.evaluation.bench import Grading, assess
from tao.evaluation.tasks import Task
from tao.messages import Reply, Usage
from tao.testing import ScriptedModel


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def sum_of(a, b):
    return Reply(f'Thought: add them.\nAction: add\nAction Input: {{"a": {a}, "b": {b}}}', usage=Usage(100, 20, 40), first_token=0.2)


def says(answer):
    return Reply(f"Thought: done.\nFinal Answer: {answer}", usage=Usage(150, 10, 100), first_token=0.1)


@pytest.fixture
def lived():
    """`lived(task, *replies, rollout=0)`: the outcome of a run of that task on these replies."""

    def live(task: Task, *replies, rollout: int = 0, seconds: float = 2.0, **settings):
        agent = Agent(ScriptedModel(*replies), [add], dialect="react", settings=settings)
        run = asyncio.run(agent.run(task.question, id=f"{task.id}-{rollout}"))
        began = run.asked.at
        run.events[-1] = replace(run.events[-1], at=began + seconds)
        return asyncio.run(assess(task, rollout, run, Grading()))

    return live


@pytest.fixture
def some(lived):
    """Two kinds, three tasks, one of them wrong, one misread on the way."""
    two = Task("t1", "What is 1 + 1?", 2, "number", kind="sum")
    five = Task("t2", "2 加 3 等于几？<b>", 5, "number", kind="sum")
    city = Task("t3", "Which city?", "Paris", "exact", kind="place")
    return [
        lived(two, sum_of(1, 1), says("It is 2.")),
        lived(five, Reply("Thought: hm", usage=Usage(90, 3)), sum_of(2, 3), says("等于 5"), seconds=9.0),
        lived(city, says("Rome <script>alert(1)</script>")),
    ]
