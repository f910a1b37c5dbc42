"""Kill the process at any event: the run goes on from there, reaches the same end, and asks nothing again that was answered."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tao.agent import Agent
from tao.events import Observed, Replied
from tao.run import Run
from tao.stores.sql import Journal
from tao.testing import MemoryJournal, ScriptedModel
from tao.tools.declare import declare

REPLIES = [
    'Thought: First the sum.\nAction: add\nAction Input: {"a": 2, "b": 3}',
    "Thought: I am not sure what to do.",
    'Thought: Both at once.\n[{"name": "add", "arguments": {"a": 5, "b": 1}}, {"name": "mul", "arguments": {"a": 5, "b": 2}}]',
    "Thought: Now it is clear.\nFinal Answer: 6 and 10",
]  # fmt: skip

CHILD = """
import asyncio, os, signal, sys
sys.path.insert(0, sys.argv[3])
from test_crash_matrix import QUESTION, REPLIES, agent
from tao.stores.sql import Journal

told = 0

async def killer(event):
    global told
    told += 1
    if told == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(agent(REPLIES, Journal(sys.argv[1])).run(QUESTION, id="run", on_event=killer))
"""
QUESTION = "What are 2+3+1 and (2+3)*2?"


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def mul(a: int, b: int) -> int:
    """Multiply."""
    return a * b


def agent(replies, journal):
    """Its tools run one after the other, so that the order of events is the same every time."""
    tools = [declare(add, inline=True), declare(mul, inline=True)]
    return Agent(ScriptedModel(*replies), tools, dialect="react", journal=journal, settings={"reflect": 3})


@pytest.fixture(scope="module")
def whole():
    """The run as it goes where nothing happens to it."""
    return agent(REPLIES, MemoryJournal()).run_sync(QUESTION, id="run")


EVENTS = 14


def test_the_run_is_as_long_as_the_matrix(whole):
    assert len(whole.events) == EVENTS
    assert whole.answer == "6 and 10"
    assert sum(isinstance(event, Observed) for event in whole.events) == 3


async def gone_on_with(path, whole):
    """Load the run, go on with it, and check that it ends like the whole one; gives how far it had come."""
    async with Journal(path) as journal:
        part = await journal.load("run")
        came = len(part.events)
        assert part.events == whole.events[:came]
        answered = sum(isinstance(event, Replied) for event in part.events)
        again = agent(REPLIES[answered:], journal)
        assert (await again.resume("run")).events == whole.events
        assert (await journal.load("run")).events == whole.events
        assert len(again.model.requests) == len(REPLIES) - answered
        return came


@pytest.mark.parametrize("stop", range(1, EVENTS + 1))
async def test_stopped_after_any_event_it_reaches_the_same_end(whole, stop, tmp_path):
    async with Journal(tmp_path / "runs.db") as journal:
        part = Run("run", whole.events[:stop])
        await journal(part, part.events[-1])
    assert await gone_on_with(tmp_path / "runs.db", whole) == stop


@pytest.mark.parametrize("stop", range(1, EVENTS + 1))
def test_killed_at_any_event_it_reaches_the_same_end(whole, stop, tmp_path):
    path = tmp_path / "runs.db"
    child = [sys.executable, "-c", CHILD, str(path), str(stop), str(Path(__file__).parent)]
    killed = subprocess.run(child, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    waited = not isinstance(whole.events[stop - 1], Replied)  # nobody waits for a reply's own commit
    assert asyncio.run(gone_on_with(path, whole)) >= stop - 1 + waited
