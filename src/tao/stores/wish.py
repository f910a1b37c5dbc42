"""What the journal's thread is asked for, and telling those who wait for it."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from tao.run import Run


@dataclass(frozen=True, slots=True)
class Wish:
    """To make durable the first `upto` events of a run; `done` is told when they are, or why not. Nobody waits where there is none."""

    run: Run
    upto: int
    done: asyncio.Future[None] | None = None


def tell(wishes: Sequence[Wish], outcome: Exception | None) -> None:
    """Tell whoever waits, each on an event loop of its own."""
    waiting = [wish.done for wish in wishes if wish.done is not None]
    for loop in {done.get_loop() for done in waiting}:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_told, [done for done in waiting if done.get_loop() is loop], outcome)


def _told(waiting: Sequence[asyncio.Future[None]], outcome: Exception | None) -> None:
    for done in waiting:
        if not done.done():
            done.set_exception(outcome) if outcome else done.set_result(None)
