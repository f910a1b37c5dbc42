"""The loop. A run is a list of events; each turn looks at how the list ends and adds what comes next."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from tao.errors import AgentError, Pause
from tao.events import Ended, Event, Observed, Paused, Replied
from tao.messages import Call
from tao.run import Run
from tao.seams import Act, Dialect, Emit, Model, Policy


async def react(run: Run, model: Model, dialect: Dialect, act: Act, policy: Policy, emit: Emit) -> Run:
    """Think, act, observe, until the run has ended or waits for a person.

    Works from any prefix of a run: after a crash, a pause or in a replay it goes on from the last event.
    """

    async def record(event: Event) -> None:
        run.events.append(event if event.at else replace(event, at=time.time()))
        await emit(run, run.events[-1])

    async def perform(call: Call) -> None:
        await record(Observed(call.id, await act(call, run), at=time.time()))

    try:
        while not run.ended:
            if run.state == "unread":
                await record(dialect.parse(run))
            elif calls := run.pending:
                failures = sorted(await together(perform, calls), key=lambda error: isinstance(error, Pause | AgentError))
                if failures and not isinstance(failures[0], Pause):
                    raise failures[0]  # a bug before all else: bugs are loud
                for reason, call_id in dict.fromkeys((it.reason, it.call_id) for it in failures if isinstance(it, Pause)):
                    await record(Paused(reason, call_id))
                if failures:
                    break
            elif not run.nudge and (verdict := policy(run)):
                await record(verdict)
            elif (answer := run.proposed) is not None:
                await record(Ended("answered", answer))
            else:
                request = dialect.render(run)
                await record(Replied(await model(request), request.digest(), at=time.time()))
    except Pause as pause:
        await record(Paused(pause.reason, pause.call_id))
    except AgentError as error:
        await record(Ended(error.ends, detail=f"{type(error).__name__}: {error}"))
    return run


async def together(perform: Callable[[Call], Awaitable[None]], calls: Sequence[Call]) -> list[BaseException]:
    """Perform all calls at the same time; gives what went wrong. One alone, as mostly, needs no task of its own."""
    if len(calls) > 1:
        results = await asyncio.gather(*map(perform, calls), return_exceptions=True)
        return [error for error in results if error is not None]
    try:
        await perform(calls[0])
    except Exception as error:  # noqa: BLE001 - the loop decides what becomes of it
        return [error]
    return []
