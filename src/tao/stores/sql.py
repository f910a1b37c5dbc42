"""The journal: every run, event by event, in SQLite or PostgreSQL.

An event for a file is committed in the turn of the event loop in which it is told (`AtOnce`), so whatever happens to the process
after that, it is there; what a power cut would take is on the disk soon after, and before the run ends, pauses or goes on with what a
person said. Where committing would mean to wait (a server, another process that writes, the first event), one thread does it, for whoever
gathered meanwhile in one transaction (group commit). It serves callers on any event loop. It speaks to the driver itself.
"""

import asyncio
import atexit
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Literal, Self, TypeVar
from weakref import WeakKeyDictionary

from tao.errors import StoreError
from tao.events import Ended, Event, Paused, Replied, Ruled
from tao.run import Run
from tao.stores.at_once import AtOnce
from tao.stores.database import Locked, Sqlite, Unsynced, address, explained, transaction
from tao.stores.forked import watch
from tao.stores.reading import Listed, count, delete, latest, load
from tao.stores.rows import append, stored
from tao.stores.schema import HEAD, current, prepare
from tao.stores.shared import claim, state_of, swap
from tao.stores.wish import Wish, tell

T = TypeVar("T")
BATCH = 256
"""The most events that one transaction takes."""
IDLE = 8
"""So many connections are kept open between reads."""
LATER = 0.02
"""Seconds after which the disk is waited for at the latest."""
IN_A_ROW = 1000
"""After so many pages that the event loop has committed, one commit is the thread's, which copies the write-ahead log into the database when that has grown."""
COMMIT, PAGE = 3, 4096
"""Pages that a commit changes, about, and characters of events that fill one more."""
SETTLED = (Ruled, Paused, Ended)
"""Events that somebody outside the run relies on."""


class Journal:
    """An `Emit` that returns when the event is written, and a place to read runs from.

    Written means that it survives the end of the process. With `synchronous` FULL it survives a power cut, too: a call that changes
    something is carried out (`claim`), and a run ends, pauses or takes a person's ruling, only when all before is on the disk; what
    is told in between is there after 20 ms. NORMAL leaves that to the operating system. A server's commit is waited for in any case.

    Only for a `Replied` it does not wait: it is written when the event loop goes on, mostly together with what is read from it. Where
    that fails, whatever is told or asked of that run next tries again and raises what is still wrong; `close` does so at last, and
    the end of the process closes what is open.

    `where` is a file's path or a database URL. It opens on first use. Every method raises StoreError with what to do. Two
    processes that go on with the same run cannot both append: the second one is told.
    """

    def __init__(self, where: str | Path, *, synchronous: Literal["FULL", "NORMAL"] = "FULL") -> None:
        self.database = address(where, synchronous)
        self._begin()
        watch(self)

    def _begin(self) -> None:
        self._opening, self._starting, self._closing, self.turn = (threading.Lock() for _ in range(4))
        self._ready = False
        self._idle: deque[Any] = deque()
        self._writing: Any = None
        self._at_once: AtOnce | None = None
        self._pages = 0
        self._unsynced = False
        self._unsaid: Exception | None = None
        self._failures: list[Exception] = []
        self._thread: threading.Thread | None = None
        self._wishes: SimpleQueue[Wish | None] = SimpleQueue()
        self._durable: WeakKeyDictionary[Run, int] = WeakKeyDictionary()
        self._owed: dict[Run, int] = {}

    async def __call__(self, run: Run, event: Event) -> None:
        """Write the event and all before it. Cancelling does not take it back: it is written all the same."""
        upto = next(index for index in range(len(run.events) - 1, -1, -1) if run.events[index] is event) + 1
        if self._thread is None:
            self._start()
        if self._unsaid:
            failed, self._unsaid = self._unsaid, None
            raise failed
        if isinstance(event, Replied):
            self._owed[run] = upto
            asyncio.get_running_loop().call_soon(self._soon, run)
        elif not self._now(run, upto) or (isinstance(event, SETTLED) and (at_once := self._at_once) and at_once.log is not None):
            self._owed.pop(run, None)  # it is in this wish
            await self._written(run, upto)

    def _soon(self, run: Run) -> None:
        """Write a reply, unless it was written together with what came after it."""
        if (upto := self._owed.get(run)) and not self._now(run, upto):
            self._wish(Wish(run, upto))

    def _now(self, run: Run, upto: int) -> bool:
        """Write here and now the first `upto` events of a run; false where that means to wait or goes wrong: the thread does it, or says why not."""
        start = self._durable.get(run, 0 if upto == 1 else None)
        if start is None or not self.turn.acquire(blocking=False):
            return False
        try:
            if self._at_once is None or self._pages >= IN_A_ROW:
                return False
            if start >= upto:
                return True
            with transaction(self.database, self._at_once.connection, writes=True) as cursor:
                size = append(self.database, cursor, run, start, upto)
        except Exception:  # noqa: BLE001 - it will come again
            return False
        else:
            self._noted({run: upto})
            self._pages += COMMIT + size // PAGE
            if self._at_once.log is not None and not self._unsynced:
                self._unsynced = True
                self._wish(Wish(run, 0))
            return True
        finally:
            self.turn.release()

    def _noted(self, written: dict[Run, int]) -> None:
        """Note that the first so many events of runs are written."""
        self._durable.update(written)
        for run, upto in written.items():
            if self._owed and self._owed.get(run, upto) <= upto:
                self._owed.pop(run, None)

    async def _written(self, run: Run, upto: int) -> None:
        done = asyncio.get_running_loop().create_future()
        self._wish(Wish(run, upto, done))
        await done

    async def load(self, run: str) -> Run:
        """The run of that id, or of the only id that begins so; with all that this journal was told before, even if it still waits."""
        await self._settled()
        for owed, upto in list(self._owed.items()):
            if run and owed.id.startswith(run):
                await self._written(owed, upto)
        return await asyncio.to_thread(self._within, load, run)

    async def _settled(self) -> None:
        """Wait until what was told before is written or has failed: neither for a reply nor for what was cancelled anybody waits."""
        await asyncio.sleep(0)  # replies first
        if self._thread is not None:
            await self._written(Run(""), 0)

    async def list(self, limit: int | None = 20) -> Sequence[Listed]:
        """The latest runs, newest first."""
        return await asyncio.to_thread(self._within, latest, limit)

    async def count(self) -> int:
        """How many runs there are."""
        return await asyncio.to_thread(self._within, count)

    async def delete(self, run: str) -> None:
        """Forget a run and its events."""
        await self._settled()
        name = await asyncio.to_thread(self._within, delete, run, writes=True)
        for owed in list(self._owed):
            if owed.id == name:
                self._owed.pop(owed, None)

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

    def begin_anew(self, *, closes: bool) -> object:
        """In a forked process, with nothing of the parent's; gives back what has to stay open."""
        atexit.unregister(self._close)
        opened = (self._at_once, self._writing, self._idle)
        if closes and isinstance(self.database, Sqlite):  # a server would close the parent's
            self._let_go()
        self._begin()
        return opened

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

    def _wish(self, wish: Wish) -> None:
        """Leave it to the thread; a new one, where the last was closed."""
        self._wishes.put(wish)
        if self._thread is None:
            self._start()

    def _serve(self) -> None:
        """Take wishes until None comes; each round takes all that wait. Wait for the disk when nobody else has done so for a while."""
        going, due = True, None
        while going:
            batch: list[Wish | None] = []
            with suppress(Empty):
                batch.append(self._wishes.get(timeout=None if due is None else max(0.0, due - time.monotonic())))
                while len(batch) < BATCH:
                    batch.append(self._wishes.get_nowait())
            going = None not in batch
            wishes = [wish for wish in batch if wish is not None]
            if writing := [wish for wish in wishes if wish.upto]:
                self._settle(writing)
            tell([wish for wish in wishes if not wish.upto], None)
            if due is not None and time.monotonic() >= due:
                self._synced_late()
            due = None if not self._unsynced else due or time.monotonic() + LATER
        self._finish()

    def _settle(self, batch: Sequence[Wish]) -> None:
        """Write a batch in one transaction; where one run's wish spoils it, each is tried alone."""
        outcome: Exception | None = None
        try:
            self._write(batch)
        except Exception as error:  # noqa: BLE001 - whoever waits gets it
            self._release()
            if len(batch) > 1 and not isinstance(error, Locked | Unsynced):
                for wish in batch:
                    self._settle([wish])
                return
            outcome = error
        for wish in batch if outcome else ():
            if wish.done is not None and not wish.done.cancelled():
                self._owed.pop(wish.run, None)
            elif wish.upto > self._durable.get(wish.run, 0):  # nobody hears of it
                self._owed[wish.run] = max(wish.upto, self._owed.get(wish.run, 0))
        tell(batch, outcome)

    def _write(self, batch: Sequence[Wish]) -> None:
        """Make durable what a batch wishes. A run's events are written together, up to the last one that is wished for."""
        if not self._ready:
            self._open()
        if all(wish.upto <= self._durable.get(wish.run, 0) for wish in batch):
            self._synced()
            return
        database = self.database
        with self.turn, explained(database):
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
            self._noted({**starts, **reached})
            self._pages, self._unsynced = 0, self._unsynced and not reached  # the disk is waited for where something was written
            if isinstance(database, Sqlite) and self._at_once is None:
                with suppress(Exception):  # without it this thread writes
                    self._at_once = AtOnce.to(database)
        self._synced()

    def _synced(self) -> None:
        """Wait for the disk, if anything was committed without."""
        if self._at_once and self._unsynced:
            self._unsynced = False
            try:
                self._at_once.synced()
            except StoreError:
                self._unsynced = True  # for whoever relies on it next
                raise

    def _synced_late(self) -> None:
        """The same where nobody waits for it: whatever is told next raises what went wrong."""
        try:
            self._synced()
        except StoreError as error:
            self._unsynced, self._unsaid = False, error

    def _release(self) -> None:
        """Let go of the writing connection; it may be broken."""
        if self._writing:
            with suppress(self.database.driver.Error):
                self._writing.close()
            self._writing = None

    def _close(self) -> None:
        """End the thread, which writes what is still owed. What comes meanwhile has a new thread."""
        with self._closing:
            if self._thread:
                self._wishes.put(None)
                self._thread.join()
                atexit.unregister(self._close)
            else:
                self._let_go()
            failures, self._failures = self._failures, []
            self._thread = None
            if not self._wishes.empty():
                self._start()
        if failures:
            raise failures[0]

    def _finish(self) -> None:
        """The last that the thread does: write what is owed and let go of its connections."""
        for run in list(self._owed):
            try:
                self._write([Wish(run, self._owed.pop(run, 0))])
            except Exception as error:  # noqa: BLE001 - the others come first
                self._release()
                self._failures.append(error)
        with self.turn:
            self._synced_late()
            if self._unsaid:
                self._failures.append(self._unsaid)
            self._let_go()
            self._ready, self._unsaid = False, None

    def _let_go(self) -> None:
        """Close all that waits."""
        self._release()
        if self._at_once:
            self._at_once.close()
        self._at_once = None
        while self._idle:
            self._idle.pop().close()

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
