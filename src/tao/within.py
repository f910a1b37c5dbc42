"""So many seconds for what is done: what `asyncio.timeout` does, for what is done at every step.

A timer costs more than most tools do, and nearly none of them ever rings. So one serves all that wait equally long: it is
set for the one that is due first, and when it rings for the one that is due first then.
"""

import asyncio
from types import TracebackType
from typing import Self
from weakref import WeakKeyDictionary


class Within:
    """Cancels what is done inside after so many seconds (None: never) and raises TimeoutError in its place; `expired` says so."""

    __slots__ = ("_cancelling", "_row", "_task", "expired", "seconds")

    def __init__(self, seconds: float | None) -> None:
        self.seconds, self.expired = seconds, False

    def __enter__(self) -> Self:
        if self.seconds is None:
            return self
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("only what a task does can be given a time")
        self._task, self._cancelling = task, task.cancelling()
        rows = _ROWS.setdefault(task.get_loop(), {})
        self._row = rows.get(self.seconds) or rows.setdefault(self.seconds, Row(self.seconds))
        self._row.add(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.seconds is None:
            return
        self._row.due.pop(self, None)
        if self.expired and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def expire(self) -> None:
        """The time is over."""
        self.expired = True
        self._task.cancel()


class Row:
    """Those that wait equally long in one event loop, each with the time when it is due; the first is due first."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.due: dict[Within, float] = {}
        self._set = False

    def add(self, one: Within) -> None:
        """One more that waits, from now on."""
        loop = asyncio.get_running_loop()
        self.due[one] = due = loop.time() + self._seconds
        if not self._set:
            self._set = True
            loop.call_at(due, self._ring)

    def _ring(self) -> None:
        loop = asyncio.get_running_loop()
        while self.due:
            one, due = next(iter(self.due.items()))
            if due > loop.time():
                loop.call_at(due, self._ring)
                return
            del self.due[one]
            one.expire()
        self._set = False


_ROWS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[float, Row]] = WeakKeyDictionary()
