"""What tao itself costs, without a model: starting, thinking about a reply, keeping a journal, many runs at once.

    .venv/bin/python benchmarks/overhead.py [--rounds 200]

Every figure is a median. A run is one question, one tool call and one answer: two model calls and seven events.
"""

import argparse
import asyncio
import gc
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tao.agent import Agent
from tao.dialects.react import React
from tao.dialects.read import read
from tao.messages import Reply, Request
from tao.seams import Abilities, Hear
from tao.stores.sql import Journal
from tao.testing import did, history
from tao.tools.registry import specs

CALL = 'Thought: I multiply first.\nAction: multiply\nAction Input: {"a": 17, "b": 23}'
ANSWER = "Thought: I know the answer\nFinal Answer: 391"


def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


async def quick(request: Request, hear: Hear | None = None) -> Reply:
    """A model that needs no time: calls the tool, then answers."""
    text = ANSWER if len(request.messages) > 2 and "391" in request.messages[-1].content else CALL
    if hear:
        hear(text)
    return Reply(text)


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Median time of one call."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


async def awaited(work: Callable[[], Awaitable[object]], rounds: int) -> float:
    """Median time of one awaited call."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        await work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


@contextmanager
def journals() -> Iterator[Callable[[str], Journal]]:
    """Makes journals in a folder that goes away."""
    with tempfile.TemporaryDirectory() as folder:
        yield lambda synchronous: Journal(Path(folder) / f"{synchronous}.db", synchronous="FULL" if synchronous == "FULL" else "NORMAL")


def starting() -> Iterator[tuple[str, float]]:
    """Fresh processes."""
    bare = seconds(lambda: subprocess.run([sys.executable, "-c", ""], check=True), 10)
    for said, command in (
        ("import tao", ["-c", "import tao"]),
        ("from tao import Agent", ["-c", "from tao import Agent"]),
        ("tao --help", ["-m", "tao", "--help"]),
    ):
        whole = seconds(lambda command=command: subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL), 10)  # type: ignore[misc]
        yield f"{said}  (Python itself: {bare * 1e3:.0f} ms)", whole


def thinking(rounds: int) -> Iterator[tuple[str, float]]:
    """Reading replies and making prompts."""
    tools = specs([multiply])
    yield "read a reply", seconds(lambda: read(CALL, tools), rounds * 5)
    run = history("What is 17*23?", *(event for n in range(1, 9) for event in did(n, "multiply", "391", a=17, b=n)), tools=tools)
    free, held = React(), React(constrained=True, grounded=True)
    yield "make the prompt of step 9", seconds(lambda: free.render(run), rounds)
    yield "… with its grammar", seconds(lambda: held.render(run), rounds)


async def running(rounds: int) -> list[tuple[str, float]]:
    """Whole runs."""
    abilities = Abilities(tools=False)
    quick.abilities = abilities  # type: ignore[attr-defined]
    found = []
    with journals() as make:
        plain = Agent(quick, [multiply])
        found.append(("a run, nothing recorded", await awaited(lambda: plain.run("What is 17*23?"), rounds)))
        for synchronous in ("NORMAL", "FULL"):
            async with Agent(quick, [multiply], journal=make(synchronous)) as kept:
                alone = await awaited(lambda kept=kept: kept.run("What is 17*23?"), rounds)  # type: ignore[misc]
                gc.collect()
                many = await awaited(lambda kept=kept: asyncio.gather(*(kept.run("What is 17*23?") for _ in range(200))), 3)  # type: ignore[misc]
            found.append((f"a run, journal {synchronous}", alone))
            found.append((f"… 200 at once, each, journal {synchronous}", many / 200))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    for said, took in (*starting(), *thinking(rounds), *asyncio.run(running(rounds))):
        print(f"{said:48} {took * 1e3:10.3f} ms", flush=True)


if __name__ == "__main__":
    main()
