"""One contestant of overhead.py in a process of its own. Commands come in and figures go out, a JSON object a line."""

import ast
import asyncio
import gc
import json
import operator
import sys
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from datetime import date
from importlib import import_module
from typing import Any

from scripted_server import answer

SYSTEM = "You are a careful assistant. Find out what you need with the tools, then answer."
TASK = "Look up how many people live in each district, work out what they pay together, count the days left, and give one number."
WORK: dict[type[ast.operator], Callable[[int, int], int]] = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
CALLED: list[str] = []


def look_up(what: str) -> str:
    """Look something up in the city's registers."""
    CALLED.append("look_up")
    return f"Register of the city, entry for '{what}': 48,213 as of the last census, 1.7 percent more than four years before."


def calculate(expression: str) -> str:
    """Work out an arithmetic expression such as (2 + 3) * 4."""
    CALLED.append("calculate")

    def value(node: ast.expr) -> Any:
        if isinstance(node, ast.BinOp):
            return WORK[type(node.op)](value(node.left), value(node.right))
        return ast.literal_eval(node)

    return str(value(ast.parse(expression, mode="eval").body))


def days_between(start: str, end: str) -> str:
    """Count the days between dates written as 2026-12-31."""
    CALLED.append("days_between")
    return str((date.fromisoformat(end) - date.fromisoformat(start)).days)


TOOLS = [look_up, calculate, days_between]
Run = Callable[[str], Awaitable[str]]


class Contestant:
    """Answers commands. `{"do": "steps", "k": 10, "runs": 5}` and the like; whatever else stands in one goes to `connect`."""

    def __init__(self, name: str, port: int) -> None:
        self.module = import_module(f"{name}_http")
        self.address = f"http://127.0.0.1:{port}"
        self.ready: dict[str, Run] = {}

    async def _to(self, path: str, **how: str) -> Run:
        key = json.dumps([path, how])
        if key not in self.ready:
            self.ready[key] = await self.module.connect(f"{self.address}/{path}/v1", TOOLS, SYSTEM, **how)
        return self.ready[key]

    async def _checked(self, run: Run, turns: int) -> None:
        said = await run(TASK)
        if said != answer(turns):
            raise SystemExit(f"{self.module.__name__} answered {said!r}; the script says {answer(turns)!r}")

    async def steps(self, k: int, runs: int, **how: str) -> float:
        """Milliseconds of processor time for each model call, over runs of `k` tool calls one after the other."""
        run = await self._to(f"{k}/0", **how)
        await self._checked(run, k)
        gc.collect()
        CALLED.clear()
        started = time.process_time()
        for _ in range(runs):
            await self._checked(run, k)
        took = time.process_time() - started
        if len(CALLED) != runs * k:
            raise SystemExit(f"{self.module.__name__} called tools {len(CALLED)} times, not {runs * k}")
        return took * 1000 / (runs * (k + 1))

    async def together(self, k: int, runs: int, width: int, latency: int) -> float:
        """Runs a second, `width` at a time, with a model that takes `latency` milliseconds."""
        run, left = await self._to(f"{k}/{latency}"), list(range(runs))

        async def take() -> None:
            while left:
                left.pop()
                await self._checked(run, k)

        await asyncio.gather(*(self._checked(run, k) for _ in range(width)))
        started = time.perf_counter()
        await asyncio.gather(*(take() for _ in range(width)))
        return runs / (time.perf_counter() - started)

    async def crowd(self, k: int, runs: int, latency: int) -> float:
        """How long so many runs begun at once take, as a multiple of what they must: the model's time, or the processor's where that is more."""
        run = await self._to(f"{k}/{latency}")
        await asyncio.gather(*(self._checked(run, k) for _ in range(runs)))
        started, worked = time.perf_counter(), time.process_time()
        await asyncio.gather(*(self._checked(run, k) for _ in range(runs)))
        took, worked = time.perf_counter() - started, time.process_time() - worked
        return took / max((k + 1) * latency / 1000, worked)

    async def keep(self, k: int, **how: str) -> None:
        """One run, whose prompts the server keeps."""
        await self._checked(await self._to(f"{k}/0/kept", **how), k)

    async def held(self, k: int, runs: int) -> float:
        """Kilobytes of memory for each of so many runs that go on at the same time, at the most."""
        run = await self._to(f"{k}/0")
        await self._checked(run, k)
        gc.collect()
        tracemalloc.start()
        await asyncio.gather(*(self._checked(run, k) for _ in range(runs)))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most / runs / 1000


async def main() -> None:
    """Answer until the input ends."""
    contestant = Contestant(sys.argv[1], int(sys.argv[2]))
    for line in sys.stdin:
        command = json.loads(line)
        print(json.dumps(await getattr(contestant, command.pop("do"))(**command)), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
