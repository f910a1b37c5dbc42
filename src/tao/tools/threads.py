"""Sync functions beside the event loop, in daemon threads that are used again.

Unlike an executor's, such a thread can be given up: one that hangs takes no slot, and does not hold up the end of the
process. A hop costs about what `asyncio.to_thread` costs.
"""

import asyncio
import contextlib
import contextvars
import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
Job = Callable[[], Callable[[], object]]

class Threads:
    """A stock of threads; one that has had no work for `idle` seconds ends."""

    def __init__(self, idle: float = 10.0) -> None:
        self.idle = idle
        self._lock = threading.Lock()
        self._free: list[SimpleQueue[Job]] = []
        os.register_at_fork(after_in_child=self._free.clear)

    async def run(self, fn: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Call a sync function in a thread, with this task's context variables, and wait for it.

        When the waiting is cancelled the function goes on to its end, and its result is dropped.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        context = contextvars.copy_context()

        def settle(value: Any, error: BaseException | None) -> None:
            if not done.done():
                if error is None:
                    done.set_result(value)
                else:
                    done.set_exception(error)

        def job() -> Callable[[], object]:
            value: Any = None
            error: BaseException | None = None
            try:
                value = context.run(fn, *args, **kwargs)
            except StopIteration as stop:  # a future cannot carry it
                error = RuntimeError(f"StopIteration: {stop}")
            except BaseException as failure:  # noqa: BLE001 - handed on whole to the one who waits
                error = failure
            return lambda: loop.call_soon_threadsafe(settle, value, error)

        self._start(job)
        return await done

    def _start(self, job: Job) -> None:
        with self._lock:
            inbox = self._free.pop() if self._free else None
        if inbox is None:
            inbox = SimpleQueue()
            threading.Thread(target=self._work, args=(inbox,), name="tao-tool", daemon=True).start()
        inbox.put(job)

    def _work(self, inbox: SimpleQueue[Job]) -> None:
        while True:
            try:
                job = inbox.get(timeout=self.idle)
            except Empty:
                with self._lock:
                    if inbox in self._free:
                        self._free.remove(inbox)
                        return
                job = inbox.get()  # taken in this very moment: its work is on the way
            deliver = job()
            del job
            with self._lock:
                self._free.append(inbox)
            with contextlib.suppress(RuntimeError):  # the loop has been closed: nobody waits any more
                deliver()
            del deliver


in_thread = Threads().run
"""Run in the process's own stock of threads."""
