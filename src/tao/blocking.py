"""Asynchronous work for code that is not: in an event loop of its own, or in a thread beside one that runs."""

import asyncio
import contextvars
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

T = TypeVar("T")


def blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in an event loop of its own; in a thread of its own where a loop runs here already.

    An interrupt cancels the work, waits for it to let go of things, and is raised again.
    """
    try:
        outer = asyncio.current_task()
    except RuntimeError:
        return asyncio.run(work)
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

    async def tracked() -> T:
        running.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await work

    def stop() -> None:
        while running:
            loop, task = running.pop()
            if task is not None:
                loop.call_soon_threadsafe(task.cancel)

    with ThreadPoolExecutor(1, "tao") as thread:
        future = thread.submit(contextvars.copy_context().run, asyncio.run, tracked())
        try:
            while not wait([future], timeout=0.1).done:
                if outer is not None and outer.cancelling():  # asyncio's way to tell of an interrupt
                    stop()
        except BaseException:
            stop()
            raise
        return future.result()
