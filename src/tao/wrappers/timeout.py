"""No call takes for ever."""

import asyncio
from collections.abc import Mapping

from tao.messages import Call, Observation
from tao.run import Run
from tao.seams import Act
from tao.wrappers.words import say


def timeout(act: Act, seconds: float | None = 60.0, *, per_tool: Mapping[str, float | None] | None = None, grace: float = 1.0) -> Act:
    """Give up after so many seconds (None: never), with an observation of kind "timeout".

    What is running is cancelled and given `grace` seconds to tidy up. What comes in that time is still taken: it has
    happened. What does not stop even then is left to itself, and the observation says so.
    """
    own = dict(per_tool or {})
    if seconds is None and all(limit is None for limit in own.values()):
        return act
    left: set[asyncio.Task[Observation]] = set()

    async def timed(call: Call, run: Run) -> Observation:
        limit = own.get(call.tool, seconds)
        if limit is None:
            return await act(call, run)
        loop = asyncio.get_running_loop()
        enough = loop.create_future()  # told by the work's own last step: a turn of the loop less than asyncio.wait takes

        def tell() -> None:
            if not enough.done():
                enough.set_result(None)

        async def work() -> Observation:
            try:
                return await act(call, run)
            finally:
                tell()

        task, alarm = loop.create_task(work()), loop.call_later(limit, tell)
        try:
            await enough
        except asyncio.CancelledError:
            await _stop(task)
            raise
        finally:
            alarm.cancel()
        if task.cancelled():
            text = say(run, f"{call.tool} was cancelled from within. Try another way.", f"{call.tool} 自行取消了。请换一种方法。")
            return Observation(text, ok=False, kind="error")
        if not task.done():
            await _stop(task)
        if task.done() and not task.cancelled():
            return task.result()
        return _late(call, run, limit, stopped=task.done())

    async def _stop(task: asyncio.Task[Observation]) -> None:
        task.cancel()
        await asyncio.wait({task}, timeout=grace)
        if not task.done():
            left.add(task)
            task.add_done_callback(forget)

    def forget(task: asyncio.Task[Observation]) -> None:
        left.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, so that nobody complains about it later

    return timed


def _late(call: Call, run: Run, limit: float, *, stopped: bool) -> Observation:
    if stopped:
        text = say(
            run,
            f"{call.tool} took longer than {limit:g} s and was stopped. Change the arguments or try another way.",
            f"{call.tool} 超过 {limit:g} 秒没有完成，已停止。请修改参数或换一种方法。",
        )
    else:
        text = say(
            run,
            f"{call.tool} took longer than {limit:g} s and cannot be stopped; it may still have an effect. Try another way.",
            f"{call.tool} 超过 {limit:g} 秒没有完成且无法停止，可能仍会产生影响。请换一种方法。",
        )
    return Observation(text, ok=False, kind="timeout")
