"""How many calls run at the same time."""

import asyncio
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from tao.errors import ConfigError, both
from tao.messages import Call, Observation
from tao.run import Run
from tao.seams import Act

Gates = dict[str, asyncio.Semaphore]


def limits(act: Act, at_once: int = 8, *, per_tool: Mapping[str, int] | None = None) -> Act:
    """Let at most `at_once` calls run together, and of a tool in `per_tool` at most so many; the others wait their turn.

    Counted over all runs that share this Act within one event loop. Raises ConfigError for a limit below 1.
    """
    own = dict(per_tool or {})
    if low := [f"{name or 'at_once'}={count}" for name, count in {"": at_once, **own}.items() if count < 1]:
        raise ConfigError(both(f"a limit of calls must be 1 or more, not {', '.join(low)}", f"调用数上限必须不小于 1，而不是 {'、'.join(low)}"))
    loops: WeakKeyDictionary[asyncio.AbstractEventLoop, Gates] = WeakKeyDictionary()

    async def limited(call: Call, run: Run) -> Observation:
        gates = loops.setdefault(asyncio.get_running_loop(), {})
        if call.tool not in own:
            async with gate(gates, "", at_once):
                return await act(call, run)
        async with gate(gates, call.tool, own[call.tool]), gate(gates, "", at_once):
            return await act(call, run)

    def gate(gates: Gates, name: str, count: int) -> asyncio.Semaphore:
        return gates.get(name) or gates.setdefault(name, asyncio.Semaphore(count))

    return limited
