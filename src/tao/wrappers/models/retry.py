"""Asking a model again, where that can help: the one owner of retries."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from tao.errors import ConfigError, Transient, both
from tao.messages import Reply, Request
from tao.seams import Hear, Model
from tao.wrappers.models.around import Around, Voice
from tao.wrappers.models.breaker import LeftAlone

Told = Callable[[int, Transient, float], object]
"""Told of each attempt that failed: its number, the error, and the seconds until the next one."""


def retry(
    model: Model, attempts: int = 3, *, first: float = 1.0, longest: float = 30.0, patience: float = 60.0, told: Told | None = None,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep, chance: Callable[[], float] = random.random, replaced: bool = False,
) -> Model:
    """Ask again after a Transient error, at most `attempts` times in all.

    Waits are between 0 and a limit that doubles from `first` up to `longest` seconds ("full jitter", so that many callers do
    not come back at once). Where the server says how long to wait, it is that long and up to a tenth more; a wish over
    `patience` seconds is not waited for. A model that is left alone (see `breaker`) is not waited for either where another one stands
    in for it (`replaced`). Refused, TooLong and ToolsUnsupported are never tried again.
    """
    if attempts < 1:
        raise ConfigError(both(f"attempts must be 1 or more, not {attempts}", f"尝试次数必须不小于 1，而不是 {attempts}"))

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        voice = Voice(hear)
        for attempt in range(1, attempts + 1):
            listener = voice.now
            try:
                return voice.finish(await model(request, listener), heard=listener is not None)
            except Transient as error:
                wait = _wait(error.retry_after, attempt)
                if attempt == attempts or wait > patience * 1.1 or (replaced and isinstance(error, LeftAlone)):
                    raise _tired(error, attempt) from error
                if told:
                    told(attempt, error, wait)
                await sleep(wait)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _wait(asked: float | None, attempt: int) -> float:
        if asked is not None:
            return asked * (1 + chance() / 10)
        return min(longest, first * 2.0 ** (attempt - 1)) * chance()

    return Around(answer, model)


def _tired(error: Transient, attempts: int) -> Transient:
    """What is told in the end, without what only concerns us: whether something was sent."""
    tried = "" if attempts == 1 else f"\n{both(f'(tried {attempts} times)', f'（共尝试 {attempts} 次）')}"
    return error if not tried and not isinstance(error, LeftAlone) else Transient(f"{error}{tried}", error.retry_after)
