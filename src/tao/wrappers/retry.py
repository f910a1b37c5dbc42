"""Trying again, where that is harmless and can help."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace

from tao.messages import Call, Observation
from tao.run import Run
from tao.seams import Act
from tao.wrappers.words import only_looks

PATIENCE = 30.0
"""Seconds; a server that asks for a longer wait is not asked again."""


def retry(
    act: Act, *, idempotent: Collection[str] = (), attempts: int = 3, per_tool: Mapping[str, int] | None = None,
    first: float = 0.5, longest: float = 8.0,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep, chance: Callable[[], float] = random.random,
) -> Act:
    """Call again after a "transient" observation, `attempts` calls in all (`per_tool` for some), with waits that double from `first` seconds up to `longest`.

    Only tools that change nothing, and those named in `idempotent`, are called again. A wait that the server asked for
    goes before ours. Waits vary by up to a half, by `chance`, so that many callers do not come back at once.
    """
    safe, own = frozenset(idempotent), dict(per_tool or {})

    async def retried(call: Call, run: Run) -> Observation:
        observation = await act(call, run)
        if observation.kind != "transient" or not (call.tool in safe or only_looks(call, run)):
            return observation
        most, attempt = own.get(call.tool, attempts), 1
        while observation.kind == "transient" and attempt < most and (wait := _wait(observation, attempt)) <= PATIENCE:
            await sleep(wait)
            attempt += 1
            observation = await act(call, run)
        return observation if attempt == 1 else replace(observation, notes=(*observation.notes, f"{call.tool} ×{attempt}"))

    def _wait(observation: Observation, attempt: int) -> float:
        asked = observation.data.get("retry_after") if isinstance(observation.data, dict) else None
        if isinstance(asked, int | float):
            return float(asked)
        return float(min(longest, first * 2 ** (attempt - 1)) * (0.5 + chance() / 2))

    return retried
