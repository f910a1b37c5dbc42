"""Against the slow tail: a second request where the first takes unusually long."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from tao.errors import ConfigError, both
from tao.messages import Reply, Request
from tao.seams import Hear, Model
from tao.wrappers.models.around import Answer, Around, name_of

REMEMBERED = 100
ENOUGH = 20
"""So many latencies must be known before a percentile means anything."""


def hedged(
    model: Model, second: Model | None = None, *, percentile: float = 95.0, after: float | None = None,
    clock: Callable[[], float] = monotonic,
) -> Model:
    """Ask `second` (by default the same model) too, once the first takes longer than this percentile of its latest calls.

    The first to answer wins, the other is cancelled; where somebody listens, the first to speak wins. Until enough
    calls were seen it waits `after` seconds (None: no second request). Both requests are paid for.
    """
    if not 0 < percentile < 100:
        raise ConfigError(both(f"percentile must lie between 0 and 100, not {percentile}", f"百分位必须在 0 与 100 之间，而不是 {percentile}"))
    took: deque[float] = deque(maxlen=REMEMBERED)
    other = model if second is None else Around(_standing_in(second), second)

    def patience() -> float | None:
        if len(took) < ENOUGH:
            return after
        return sorted(took)[min(len(took) - 1, int(len(took) * percentile / 100))]

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        race = _Race(hear)
        started = clock()
        race.start(model, request)
        try:
            reply = await race.wait(patience())
            if reply is None:
                race.start(other, request)
                reply = await race.wait(None)
            assert reply is not None
            took.append(clock() - started)
            return reply
        finally:
            await race.end()

    return Around(answer, *([model] if second is None else [model, second]))


class _Race:
    """Attempts at one reply, of which one may win."""

    def __init__(self, hear: Hear | None) -> None:
        self.hear = hear
        self.tasks: list[asyncio.Task[Reply]] = []
        self.speaker: asyncio.Task[Reply] | None = None

    def start(self, model: Model, request: Request) -> None:
        """Begin one."""
        listener = self._listen if self.hear else None
        self.tasks.append(asyncio.ensure_future(_asked(model, request, listener)))

    def _listen(self, text: str) -> bool:
        current = asyncio.current_task()
        if self.speaker is None:
            self.speaker = current
            for task in self.tasks:
                if task is not current:
                    task.cancel()
        if self.speaker is not current or self.hear is None:
            return True
        return self.hear(text)

    async def wait(self, seconds: float | None) -> Reply | None:
        """The winner's reply; None where the time ran out before anybody spoke. Raises ModelError where all failed."""
        running = {task for task in self.tasks if not task.done()}
        end = None if seconds is None else asyncio.get_running_loop().time() + seconds
        while running:
            left = None if end is None or self.speaker else max(0.0, end - asyncio.get_running_loop().time())
            done, running = await asyncio.wait(running, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if not task.cancelled() and task.exception() is None:
                    return task.result()
            if not done and not self.speaker:
                return None
        raise next(error for task in self.tasks if not task.cancelled() and (error := task.exception()))

    async def end(self) -> None:
        """Stop who has not won."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


def _standing_in(model: Model) -> Answer:
    """Another model than the one that was asked: its replies say so."""

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        reply = await model(request, hear)
        return reply if reply.by else replace(reply, by=name_of(model))

    return answer


async def _asked(model: Model, request: Request, hear: Hear | None) -> Reply:
    return await model(request, hear)
