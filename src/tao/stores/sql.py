"""The journal: every run, event by event, in SQLite or PostgreSQL.

One thread writes, and commits whatever has gathered meanwhile as one transaction (group commit): a run's own events are
durable as the loop awaits them, and two hundred runs at once share a disk wait. A reply alone is not waited for: nothing
happens in the world before what is read from it is told, and both are committed together. The thread serves callers on
any event loop. It speaks to the driver itself.
"""

import asyncio
import atexit
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Literal, Self, TypeVar
from weakref import WeakKeyDictionary

from tao.errors import StoreError, both
from tao.events import Event, Replied
from tao.run import Run
from tao.stores.database import Database, Locked, address, explained, transaction
from tao.stores.rows import EVENTS_OF, append, read, stored
from tao.stores.schema import HEAD, current, prepare
from tao.stores.shared import claim, state_of, swap

T = TypeVar("T")
LATEST = "SELECT id, question, model, state, started, ended, reason, answer, tokens, lang FROM runs ORDER BY started DESC, id"
FORGET = ("DELETE FROM claims WHERE run_id = :name", "DELETE FROM events WHERE run_id = :name", "DELETE FROM runs WHERE id = :name")
BATCH = 256
"""The most events that one transaction takes."""
IDLE = 8
"""So many connections are kept open between reads."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A run as a list shows it. Times are Unix seconds; `tokens` counts prompt and completion together."""

    id: str
    question: str
    model: str
    state: Literal["running", "paused", "ended"]
    started: float
    ended: float | None
    reason: str | None
    answer: str | None
    tokens: int | None
    lang: str


@dataclass(frozen=True, slots=True)
class _Wish:
    """To make durable the first `upto` events of a run; `done` is told when they are, or why not. Nobody waits where there is none."""

    run: Run
    upto: int
    done: asyncio.Future[None] | None = None


class Journal:
    """An `Emit` that returns when the event is durable, and a place to read runs from.

    Only for a `Replied` it does not wait: it is written at once all the same, mostly together with what is read from it. Where
    that fails, whatever is told or asked of that run next tries again and raises what is still wrong; `close` does so at last, and
    the end of the process closes what is open.

    `where` is a file's path or a database URL. It opens on first use. Every method raises StoreError with what to do. Two
    processes that go on with the same run cannot both append: the second one is told. What `synchronous` means stands at
    `tao.stores.database.Sqlite`.
    """

    def __init__(self, where: str | Path, *, synchronous: Literal["FULL", "NORMAL"] = "FULL") -> None:
        self.database = address(where, synchronous)
        self._opening, self._starting = threading.Lock(), threading.Lock()
        self._ready = False
        self._idle: deque[Any] = deque()
        self._writing: Any = None
        self._thread: threading.Thread | None = None
        self._wishes: SimpleQueue[_Wish | None] = SimpleQueue()
        self._durable: WeakKeyDictionary[Run, int] = WeakKeyDictionary()
        self._owed: dict[Run, int] = {}

    async def __call__(self, run: Run, event: Event) -> None:
        """Make the event, and all before it, durable. Cancelling does not take it back: it is written all the same."""
        at = next(index for index in range(len(run.events) - 1, -1, -1) if run.events[index] is event)
        if self._thread is None:
            self._start()
        if isinstance(event, Replied):
            self._wishes.put(_Wish(run, at + 1))
        else:
            await self._written(run, at + 1)

    async def _written(self, run: Run, upto: int) -> None:
        done = asyncio.get_running_loop().create_future()
        self._wishes.put(_Wish(run, upto, done))
        await done

    async def load(self, run: str) -> Run:
        """The run of that id, or of the only id that begins so; with all that this journal was told before, even if it still waits."""
        await self._settled()
        for owed, upto in list(self._owed.items()):
            if run and owed.id.startswith(run):
                await self._written(owed, upto)
        return await asyncio.to_thread(self._within, _load, run)

    async def _settled(self) -> None:
        """Wait until what was told before is written or has failed: neither for a reply nor for what was cancelled anybody waits."""
        if self._thread is not None:
            await self._written(Run(""), 0)

    async def list(self, limit: int | None = 20) -> Sequence[Listed]:
        """The latest runs, newest first."""
        return await asyncio.to_thread(self._within, _list, limit)

    async def count(self) -> int:
        """How many runs there are."""
        return await asyncio.to_thread(self._within, _count)

    async def delete(self, run: str) -> None:
        """Forget a run and its events."""
        await self._settled()
        name = await asyncio.to_thread(self._within, _delete, run, writes=True)
        self._owed = {owed: upto for owed, upto in self._owed.items() if owed.id != name}

    async def claim(self, run: Run, call_id: str, number: int) -> bool:
        """Claim a call's `number`-th carrying out: true for the first who does, in whatever process. Durable on return."""
        return await asyncio.to_thread(self._within, claim, run.id, call_id, number, writes=True)

    async def state(self, key: str) -> str | None:
        """The small text that processes share under this key."""
        return await asyncio.to_thread(self._within, state_of, key)

    async def swap(self, key: str, old: str | None, new: str | None) -> bool:
        """Put `new` in the place of `old` (None: nothing); false, and nothing done, where something else is there."""
        return await asyncio.to_thread(self._within, swap, key, old, new, writes=True)

    async def close(self) -> None:
        """Write what is still waiting and let go of the database. Raises StoreError where a reply that nobody waited for cannot be written."""
        await asyncio.to_thread(self._close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # ── the writing thread ────────────────────────────────────────────────────

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="tao-journal", daemon=True)
                self._thread.start()
                atexit.register(self._close)  # the thread would be stopped before it has written a last reply

    def _serve(self) -> None:
        """Take wishes until None comes; each round takes all that wait."""
        going = True
        while going:
            batch = [self._wishes.get()]
            with suppress(Empty):
                while len(batch) < BATCH:
                    batch.append(self._wishes.get_nowait())
            going = None not in batch
            wishes = [wish for wish in batch if wish is not None]
            if writing := [wish for wish in wishes if wish.upto]:
                self._settle(writing)
            _tell([wish for wish in wishes if not wish.upto], None)

    def _settle(self, batch: Sequence[_Wish]) -> None:
        """Write a batch in one transaction; where one run's wish spoils it, each is tried alone."""
        outcome: Exception | None = None
        try:
            self._write(batch)
        except Exception as error:  # noqa: BLE001 - whoever waits gets it
            self._release()
            if len(batch) > 1 and not isinstance(error, Locked):
                for wish in batch:
                    self._settle([wish])
                return
            outcome = error
        for wish in batch:
            if outcome and (wish.done is None or wish.done.cancelled()):  # nobody hears of it
                self._owed[wish.run] = wish.upto
            elif self._owed:
                self._owed.pop(wish.run, None)
        _tell(batch, outcome)

    def _write(self, batch: Sequence[_Wish]) -> None:
        """Make durable what a batch wishes. A run's events are written together, up to the last one that is wished for."""
        if not self._ready:
            self._open()
        database = self.database
        with explained(database):
            self._writing = self._writing or database.connect()
            with transaction(database, self._writing, writes=True) as cursor:
                starts: dict[Run, int] = {}
                ends: dict[Run, int] = {}
                for wish in batch:
                    run = wish.run
                    if run not in starts:
                        known = self._durable.get(run)
                        starts[run] = known if known is not None else 0 if wish.upto == 1 else stored(database, cursor, run)
                    ends[run] = max(wish.upto, ends.get(run, 0))
                reached = {run: end for run, end in ends.items() if starts[run] < end}
                for run, end in reached.items():
                    append(database, cursor, run, starts[run], end)
        self._durable.update(reached)

    def _release(self) -> None:
        """Let go of the writing connection; it may be broken."""
        if self._writing:
            with suppress(self.database.driver.Error):
                self._writing.close()
            self._writing = None

    def _close(self) -> None:
        if self._thread:
            self._wishes.put(None)
            self._thread.join()
            self._thread = None
            atexit.unregister(self._close)
        owed, self._owed = self._owed, {}
        failures = []
        for run, upto in owed.items():
            try:
                self._write([_Wish(run, upto)])
            except Exception as error:  # noqa: BLE001 - the others come first
                self._release()
                failures.append(error)
        self._release()
        while self._idle:
            self._idle.pop().close()
        self._ready = False
        if failures:
            raise failures[0]

    # ── reading, and what processes share ─────────────────────────────────────

    def _open(self) -> None:
        """The first call makes the database current."""
        with self._opening:
            if not self._ready:
                with self._connection() as connection:
                    with transaction(self.database, connection, writes=False) as cursor:
                        fresh = current(self.database, cursor) == HEAD
                    if not fresh:
                        with transaction(self.database, connection, writes=True) as cursor:
                            prepare(self.database, cursor)
                self._ready = True

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        """A connection of one's own; it is kept for the next one if nothing went wrong."""
        with explained(self.database):
            connection = self._kept() or self.database.connect()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            if len(self._idle) < IDLE:
                self._idle.append(connection)
            else:
                connection.close()

    def _kept(self) -> Any:
        """A connection that waits and is still good; None where none does."""
        with suppress(IndexError):
            while True:
                if self.database.alive(connection := self._idle.pop()):
                    return connection
        return None

    def _within(self, do: Callable[..., T], *args: Any, writes: bool = False) -> T:
        """Do something in a transaction of its own, given the database, a cursor and `args`."""
        self._open()
        with self._connection() as connection, transaction(self.database, connection, writes=writes) as cursor:
            return do(self.database, cursor, *args)


def _find(database: Database, cursor: Any, run: str) -> str:
    """The id of the only run that begins so. Raises StoreError."""
    pattern = re.sub(r"([%_!])", r"!\1", run) + "%"
    cursor.execute(database.sql("SELECT id FROM runs WHERE id LIKE :pattern ESCAPE '!' ORDER BY id LIMIT 50"), {"pattern": pattern})
    found = [name for (name,) in cursor.fetchall() if name.startswith(run)] if run else []
    if run in found or len(found) == 1:
        return run if run in found else found[0]
    if found:
        names = ", ".join(found[:5])
        raise StoreError(both(f"run {run!r} could be {names}; give more of its id", f"运行 {run!r} 可能是 {names}；请给出更长的编号"))
    raise StoreError(both(
        f"no run {run!r} in journal {database.place}; `tao runs` lists what is there",
        f"运行记录 {database.place} 中没有 {run!r}；`tao runs` 列出已有的运行",
    ))  # fmt: skip


def _load(database: Database, cursor: Any, run: str) -> Run:
    name = _find(database, cursor, run)
    cursor.execute(database.sql(EVENTS_OF), {"run_id": name})
    return Run(name, read(name, cursor.fetchall()))


def _list(database: Database, cursor: Any, limit: int | None) -> Sequence[Listed]:
    if limit is None:
        cursor.execute(LATEST)
    else:
        cursor.execute(database.sql(f"{LATEST} LIMIT :limit"), {"limit": limit})
    return [Listed(*row) for row in cursor.fetchall()]


def _count(database: Database, cursor: Any) -> int:  # noqa: ARG001 - one of those that `_within` does
    cursor.execute("SELECT count(*) FROM runs")
    return int(cursor.fetchone()[0])


def _delete(database: Database, cursor: Any, run: str) -> str:
    name = _find(database, cursor, run)
    for statement in FORGET:
        cursor.execute(database.sql(statement), {"name": name})
    return name


def _tell(wishes: Sequence[_Wish], outcome: Exception | None) -> None:
    """Tell whoever waits, each on an event loop of its own."""
    waiting = [wish.done for wish in wishes if wish.done is not None]
    for loop in {done.get_loop() for done in waiting}:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_told, [done for done in waiting if done.get_loop() is loop], outcome)


def _told(waiting: Sequence[asyncio.Future[None]], outcome: Exception | None) -> None:
    for done in waiting:
        if not done.done():
            done.set_exception(outcome) if outcome else done.set_result(None)
