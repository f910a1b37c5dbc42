"""Events are written in the turn of the event loop in which they are told; the disk is waited for where somebody relies on it."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from tao.errors import StoreError
from tao.events import Asked, Decided, Ended, Misread, Nudged, Observed, Paused, Replied, Ruled
from tao.messages import Call, Observation, Reply
from tao.run import Run
from tao.stores.at_once import AtOnce
from tao.stores.database import LOG_PAGES, Sqlite
from tao.stores.sql import IN_A_ROW, LATER, PAGE, Journal

CALLS = (Call("1.1", "look_up", {"what": "x"}),)
PASSING = [
    Asked("q", lang="en", model="m", at=1.0),
    Decided("", calls=CALLS),
    Observed("1.1", Observation("x")),
    Misread("no_call", "what?"),
    Nudged("loop", "try something else"),
]
SETTLED = [Paused("approval", "1.1"), Ruled("1.1", "approve", "someone"), Ended("answered", "1")]


class Disk:
    """A disk that counts how often somebody waited for it; broken ones fail."""

    def __init__(self, *, broken=False):
        self.waits, self.broken = 0, broken

    def __call__(self, _):
        self.waits += 1
        if self.broken:
            raise OSError(5, "Input/output error")


def count(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM events").fetchone()[0]


def at_once(journal, run, event):
    """Tell an event; it has to be taken without the event loop going on."""
    run.events.append(event)
    with pytest.raises(StopIteration):
        journal(run, event).send(None)


async def opened(path, *, synchronous="FULL", disk=None):
    """A journal that writes at once, and a run with its question in it."""
    journal, run = Journal(path, synchronous=synchronous), Run("r", PASSING[:1])
    journal.database = Sqlite(str(path), synchronous, sync=disk or Disk())
    await journal(run, run.events[0])
    return journal, run


async def until(done):
    for _ in range(500):
        if done():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to that")


@pytest.mark.parametrize("synchronous", ["NORMAL", "FULL"])
@pytest.mark.parametrize("event", PASSING[1:], ids=lambda event: type(event).__name__)
async def test_an_event_is_in_the_file_when_telling_it_returns_and_the_event_loop_did_not_go_on(tmp_path, synchronous, event):
    journal, run = await opened(tmp_path / "runs.db", synchronous=synchronous)
    at_once(journal, run, event)
    assert count(tmp_path / "runs.db") == 2
    await journal.close()


async def test_a_new_run_begins_at_once_too(tmp_path):
    journal, _ = await opened(tmp_path / "runs.db")
    at_once(journal, Run("another"), PASSING[0])
    assert count(tmp_path / "runs.db") == 2
    assert {it.id for it in await journal.list()} == {"r", "another"}
    await journal.close()


async def test_a_reply_is_written_with_what_is_read_from_it_or_when_the_event_loop_goes_on(tmp_path):
    journal, run = await opened(tmp_path / "runs.db")
    at_once(journal, run, Replied(Reply("x")))
    assert count(tmp_path / "runs.db") == 1
    at_once(journal, run, Decided("", calls=CALLS))
    assert count(tmp_path / "runs.db") == 3
    at_once(journal, run, Replied(Reply("y")))
    await asyncio.sleep(0)
    assert count(tmp_path / "runs.db") == 4
    await journal.close()


@pytest.mark.parametrize("event", SETTLED, ids=lambda event: type(event).__name__)
async def test_what_somebody_outside_relies_on_is_on_the_disk_when_telling_it_returns(tmp_path, event):
    disk = Disk()
    journal, run = await opened(tmp_path / "runs.db", disk=disk)
    at_once(journal, run, PASSING[1])
    run.events.append(event)
    waited = disk.waits
    await journal(run, event)
    assert disk.waits == waited + 1
    assert count(tmp_path / "runs.db") == 3
    await journal.close()


@pytest.mark.parametrize("event", SETTLED, ids=lambda event: type(event).__name__)
async def test_normal_waits_for_no_disk(tmp_path, event):
    disk = Disk()
    journal, run = await opened(tmp_path / "runs.db", synchronous="NORMAL", disk=disk)
    at_once(journal, run, PASSING[1])
    at_once(journal, run, event)
    await asyncio.sleep(3 * LATER)
    await journal.close()
    assert not disk.waits


async def test_what_was_told_in_between_is_on_the_disk_a_little_later_and_in_one_wait(tmp_path):
    disk = Disk()
    journal, run = await opened(tmp_path / "runs.db", disk=disk)
    for event in PASSING[1:]:
        at_once(journal, run, event)
    await until(lambda: disk.waits == 1)
    await asyncio.sleep(3 * LATER)
    assert disk.waits == 1
    at_once(journal, run, PASSING[2])
    await until(lambda: disk.waits == 2)
    at_once(journal, run, PASSING[2])
    await journal.close()
    assert disk.waits == 3


@pytest.mark.parametrize("how", ["the next event", "close"])
async def test_a_disk_that_fails_later_is_told_once_in_both_languages(tmp_path, how):
    disk = Disk(broken=True)
    journal, run = await opened(tmp_path / "runs.db", disk=disk)
    at_once(journal, run, PASSING[1])
    await until(lambda: disk.waits == 1)
    await asyncio.sleep(2 * LATER)
    disk.broken = False
    run.events.append(PASSING[2])
    with pytest.raises(StoreError, match=r"(?s)could not be read or written by the disk; check the disk.*磁盘读写失败；请检查磁盘"):
        await (journal(run, PASSING[2]) if how == "the next event" else journal.close())
    run.events.append(SETTLED[-1])
    await journal(run, SETTLED[-1])
    assert (await journal.load("r")).events == run.events
    await journal.close()


async def test_a_disk_that_fails_is_told_to_whoever_waits_for_it(tmp_path):
    disk = Disk(broken=True)
    journal, run = await opened(tmp_path / "runs.db", disk=disk)
    run.events.append(SETTLED[-1])
    with pytest.raises(StoreError, match="could not be read or written by the disk"):
        await journal(run, SETTLED[-1])
    disk.broken = False
    await journal.close()


@pytest.mark.parametrize("mended", [False, True], ids=["for good", "once"])
async def test_a_disk_that_fails_is_told_to_everybody_whose_events_it_may_have_lost(tmp_path, mended):
    class Failing(Disk):
        def __call__(self, _):
            self.broken, broken = self.broken and not mended, self.broken
            self.waits += 1
            if broken:
                raise OSError(5, "Input/output error")

    disk = Failing()
    journal, _ = await opened(tmp_path / "runs.db", disk=disk)
    runs = [Run(f"r{number}") for number in range(5)]
    for run in runs:
        at_once(journal, run, PASSING[0])
    await until(lambda: disk.waits == 1)
    disk.broken = True
    for run in runs:
        run.events.append(SETTLED[-1])
    told = await asyncio.gather(*(journal(run, SETTLED[-1]) for run in runs), return_exceptions=True)
    assert isinstance(told[0], StoreError)
    assert mended or all(isinstance(one, StoreError) for one in told)
    disk.broken = False
    await journal.close()
    assert disk.waits > 2


async def test_where_nothing_was_to_be_written_the_disk_is_still_waited_for(tmp_path):
    disk = Disk()
    journal, run = await opened(tmp_path / "runs.db", disk=disk)
    at_once(journal, run, PASSING[1])
    waited, again = disk.waits, await journal.load("r")
    await journal(again, again.events[-1])
    assert disk.waits == waited + 1
    await journal.close()


async def test_where_another_process_writes_the_thread_waits_and_the_event_loop_goes_on(tmp_path):
    journal, run = await opened(tmp_path / "runs.db")
    with closing(sqlite3.connect(tmp_path / "runs.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        run.events.append(PASSING[1])
        telling = asyncio.create_task(journal(run, PASSING[1]))
        for _ in range(10):
            await asyncio.sleep(0.01)
        assert not telling.done()
        other.execute("COMMIT")
        await telling
    assert count(tmp_path / "runs.db") == 2
    at_once(journal, run, PASSING[2])
    await journal.close()


@pytest.mark.parametrize(("size", "events"), [(100, 8_000), (20_000, 3_000), (2_000_000, 40)])
async def test_the_write_ahead_log_is_copied_into_the_database_again_and_again(tmp_path, size, events):
    journal, run = await opened(tmp_path / "runs.db", synchronous="NORMAL")
    for _ in range(events):
        run.events.append(Observed("1.1", Observation("x" * size)))
        await journal(run, run.events[-1])
    pages = (tmp_path / "runs.db-wal").stat().st_size / 4096
    assert pages < LOG_PAGES + 2 * IN_A_ROW + 2 * size / PAGE
    assert len((await journal.load("r")).events) == events + 1
    await journal.close()


OTHER = "import sqlite3, sys; other = sqlite3.connect(sys.argv[1]); other.execute('SELECT * FROM events').fetchall(); other.close()"
TELLING = f"""
import asyncio, os, signal, subprocess, sys
from tao.events import Asked, Nudged
from tao.run import Run
from tao.stores.sql import Journal

async def main(path, number):
    journal, run = Journal(path), Run("r")
    for event in (Asked("q", lang="en", model="m"), *(Nudged("loop", "x") for _ in range(3))):
        run.events.append(event)
        await journal(run, event)
        if number == "two":
            await asyncio.gather(*(journal.list() for _ in range(3)))
        subprocess.run([sys.executable, "-c", {OTHER!r}, path], check=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("linked", [False, True], ids=["path", "link"])
@pytest.mark.parametrize("number", ["one", "two"])
def test_another_process_that_closes_the_file_does_not_take_the_log_away(tmp_path, number, linked):
    path = tmp_path / "runs.db"
    if linked:
        path.symlink_to(tmp_path / "elsewhere.db")
    code = subprocess.run([sys.executable, "-c", TELLING, str(path), number], check=False).returncode
    assert code == -signal.SIGKILL
    assert count(path) == 4
    assert (path.resolve().stat().st_mode & 0o777) == 0o600


@pytest.mark.parametrize("synchronous", ["NORMAL", "FULL"])
async def test_a_journal_is_closed_again_and_again_while_runs_are_written(tmp_path, synchronous):
    journal = Journal(tmp_path / "runs.db", synchronous=synchronous)
    runs = [Run(f"r{number}") for number in range(10)]

    async def go(run):
        for number in range(60):
            run.events.append(PASSING[0] if number == 0 else SETTLED[-1] if number % 7 == 0 else Replied(Reply("x")) if number % 2 else PASSING[2])
            await journal(run, run.events[-1])
            await asyncio.sleep(0)

    going = asyncio.gather(*(go(run) for run in runs))
    while not going.done():
        await asyncio.gather(journal.close(), journal.close())
        await asyncio.sleep(0.003)
    await going
    for run in runs:
        assert (await journal.load(run.id)).events == run.events
    await journal.close()


def test_threads_and_journals_that_write_at_the_same_time_all_get_through(tmp_path):
    journals = [Journal(tmp_path / "runs.db", synchronous="NORMAL") for _ in range(2)]
    runs = [Run(f"r{number}") for number in range(40)]
    failed = []

    async def go(journal, run):
        for number in range(30):
            run.events.append(PASSING[0] if number == 0 else Replied(Reply("x")) if number % 2 else PASSING[2])
            await journal(run, run.events[-1])
            await asyncio.sleep(0)

    async def together(at):
        await asyncio.gather(*(go(journals[at % 2], run) for run in runs[at::4]))

    def work(at):
        try:
            asyncio.run(together(at))
        except Exception as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    for journal in journals:
        asyncio.run(journal.close())
    for run in runs:
        assert asyncio.run(journals[0].load(run.id)).events == run.events
    asyncio.run(journals[0].close())


def test_the_log_cannot_be_opened_where_there_is_none(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        AtOnce.to(Sqlite(str(tmp_path / "fresh.db")))
