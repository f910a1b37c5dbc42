"""Sync functions beside the event loop, in daemon threads that are used again.

Unlike an executor's, such a thread can be given up: one that hangs takes no slot, and does not hold up the end of the process.
To wake a thread, and to tell the loop, costs more than most tools do. So what comes while a thread is at work waits for that one,
and the loop is told once of all that was done meanwhile; but when for a moment nothing gets on, each that waits has a thread of its own.
"""

import asyncio
import contextlib
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar
from weakref import WeakSet

T = TypeVar("T")
Outcome = tuple[asyncio.Future[Any], Any, BaseException | None]
Job = Callable[[], Outcome]
Inbox = SimpleQueue[Job]
MOMENT = 0.001
"""Seconds that a function may take while others wait for its thread."""


class Threads:
    """A stock of threads, each made by `thread`; one that has had no work for `idle` seconds ends."""

    def __init__(self, idle: float = 10.0, thread: Callable[..., threading.Thread] = threading.Thread) -> None:
        self.idle, self._thread = idle, thread
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._free: list[Inbox] = []
        self._quick: Inbox | None = None
        """The thread that will look for more when it is done with what it does."""
        self._waiting: deque[Job] = deque()
        self._begun = 0
        self._watching: WeakSet[asyncio.AbstractEventLoop] = WeakSet()
        self._done: dict[asyncio.AbstractEventLoop, list[Outcome]] = {}

    async def run(self, fn: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Call a sync function in a thread, with this task's context variables, and wait for it.

        When the waiting is cancelled the function goes on to its end, and its result is dropped. Raises RuntimeError, and does
        not call it, where the system has no thread left.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        context = contextvars.copy_context()

        def job() -> Outcome:
            try:
                return done, context.run(fn, *args, **kwargs), None
            except StopIteration as stop:  # a future cannot carry it
                return done, None, RuntimeError(f"StopIteration: {stop}")
            except BaseException as failure:  # noqa: BLE001 - handed on whole to the one who waits
                return done, None, failure

        with self._lock:
            if self._quick is None:
                self._quick = self._give(job)
            else:
                self._wait(job, done.get_loop())
        return await done

    # ── doing it ──────────────────────────────────────────────────────────────

    def _give(self, job: Job) -> Inbox:
        """Have a thread do this next. Raises RuntimeError where there is none."""
        if self._free:
            inbox = self._free.pop()
        else:
            inbox = SimpleQueue()
            self._thread(target=self._work, args=(inbox,), name="tao-tool", daemon=True).start()
        inbox.put(job)
        return inbox

    def _work(self, inbox: Inbox) -> None:
        job: Job | None = inbox.get()
        while job:
            outcome = job()
            job = self._next(inbox)
            self._tell(outcome)  # only now, so that whoever then comes with more finds this thread free
            del outcome
            job = job or self._given(inbox)

    def _next(self, inbox: Inbox) -> Job | None:
        with self._lock:
            if inbox is self._quick:
                if self._waiting:
                    self._begun += 1
                    return self._waiting.popleft()
                self._quick = None
            self._free.append(inbox)
        return None

    def _given(self, inbox: Inbox) -> Job | None:
        try:
            return inbox.get(timeout=self.idle)
        except Empty:
            with self._lock:
                if inbox in self._free:
                    self._free.remove(inbox)
                    return None
        return inbox.get()  # given in this very moment

    # ── seeing that it gets on ────────────────────────────────────────────────

    def _wait(self, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        self._waiting.append(job)
        if loop not in self._watching:
            self._watching.add(loop)
            loop.call_later(MOMENT, self._look, loop, -1)

    def _look(self, loop: asyncio.AbstractEventLoop, begun: int) -> None:
        """Where nothing was begun since the last look, each that waits has a thread of its own, as far as there are any."""
        with self._lock, contextlib.suppress(RuntimeError):
            while begun == self._begun and self._waiting:
                self._quick = None
                self._give(self._waiting[0])
                self._waiting.popleft()
        with self._lock:
            if self._waiting:
                loop.call_later(MOMENT, self._look, loop, self._begun)
            else:
                self._watching.discard(loop)

    # ── telling of it ─────────────────────────────────────────────────────────

    def _tell(self, outcome: Outcome) -> None:
        loop = outcome[0].get_loop()
        with self._lock:
            outcomes = self._done.setdefault(loop, [])
            outcomes.append(outcome)
            told = len(outcomes) > 1  # and has not looked yet
        if told:
            return
        try:
            loop.call_soon_threadsafe(self._hand_out, loop)
        except RuntimeError:  # it has been closed: nobody waits any more
            self._taken(loop)

    def _taken(self, loop: asyncio.AbstractEventLoop) -> list[Outcome]:
        with self._lock:
            return self._done.pop(loop, [])

    def _hand_out(self, loop: asyncio.AbstractEventLoop) -> None:
        for done, value, error in self._taken(loop):
            if done.done():
                continue
            if error is None:
                done.set_result(value)
            else:
                done.set_exception(error)


in_thread = Threads().run
"""Run in the process's own stock of threads."""
