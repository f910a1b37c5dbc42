"""What stands around a tool costs: processor time that all wrappers together add to one call of a trivial async tool.

    .venv/bin/python benchmarks/wrappers.py [--rounds 60]

Compared with the bare registry, for runs of 1, 10 and 30 events, for a tool that only looks and for one that changes something and
is allowed to (its claim is kept in memory). Figures are microseconds of processor time per call, the least of the rounds: what else a
machine does only adds to it. The last line is one JSON object; "most" is the largest figure, which is to stay below 150, "bare" what the
registry takes by itself, by which one machine can be set beside another.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Iterator

from tao.acting import acting
from tao.messages import Call
from tao.permissions import Rule
from tao.run import Run
from tao.seams import Act
from tao.testing import did, history
from tao.tools.declare import Tool, declare
from tao.tools.registry import registry, specs
from tao.wrappers.approval import permitted

EVENTS = (1, 10, 30)
CALLS = 50
BAR = 150.0


async def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def long(run: Run, events: int, tool: str) -> Run:
    """The run with so many events: calls of this tool and what they gave."""
    for number in range(1, events):
        run.events += did(number, tool, str(number), a=number, b=-number)
    del run.events[events:]
    return run


async def cost(act: Act, run: Run, tool: str, first: Iterator[int]) -> float:
    """Microseconds of processor time for one call."""
    calls = [Call(f"{number}.9", tool, {"a": number, "b": 1}) for number, _ in zip(first, range(CALLS), strict=False)]
    begun = time.process_time()
    for call in calls:
        await act(call, run)
    return (time.process_time() - begun) / CALLS * 1e6


async def measured(rounds: int) -> dict[str, float]:
    """Added microseconds, by tool and length of the run."""
    looks, changes = declare(add, name="looks"), declare(add, name="changes", effects="writes")
    tools: list[Tool] = [looks, changes]
    allowed: Callable[[Act], Act] = lambda act: permitted(act, [Rule("allow", tools=("*",))])  # noqa: E731
    acts = registry(tools), acting(tools, permitted=allowed)
    numbers = iter(range(1000, 10**9))
    found: dict[str, float] = {}
    for tool in tools:
        for events in EVENTS:
            run = long(history("q", tools=specs(tools)), events, tool.name)
            each = [[await cost(act, run, tool.name, numbers) for act in acts] for _ in range(rounds)]
            bare, whole = map(min, zip(*each, strict=True))
            found[f"{tool.name}, {events} events"] = round(whole - bare, 1)
            found["bare"] = round(min(bare, found.get("bare", bare)), 1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    found = asyncio.run(measured(parser.parse_args().rounds))
    bare = found.pop("bare")
    print(json.dumps({"added_us": found, "most": max(found.values()), "bar": BAR, "bare": bare}))


if __name__ == "__main__":
    main()
