import asyncio
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, closing, suppress
from dataclasses import dataclass

import pytest

from tao.agent import Agent
from tao.dialects.react import React
from tao.errors import StoreError
from tao.events import Asked, Decided, Ended, Observed, Paused, Replied, Ruled
from tao.messages import Call, Observation, Reply, Usage
from tao.run import Run
from tao.stores.database import Sqlite, address, transaction
from tao.stores.schema import HEAD, REVISIONS, prepare, upgrade
from tao.stores.sql import Journal
from tao.testing import ScriptedModel


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.db"


@pytest.fixture
async def journal(path):
    async with Journal(path) as made:
        yield made


def asked(at=1.0, question="q"):
    return Asked(question, lang="en", model="m", at=at)


async def keep(journal, run, *events):
    for event in events:
        run.events.append(event)
        await journal(run, event)
    return run


def rows(path, sql):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


# ── the list of runs ──────────────────────────────────────────────────────────


async def test_the_list_shows_the_latest_first_and_what_became_of_them(journal):
    await keep(
        journal,
        Run("old"),
        asked(1.0),
        Replied(Reply("x", usage=Usage(10, 5))),
        Decided(answer="42"),
        Ended("answered", "42", at=9.0),
    )
    await keep(journal, Run("new"), asked(2.0), Paused("approval", "1.1"))
    await keep(journal, Run("newer"), asked(3.0), Paused("approval"), Ruled("1.1", "h", "approve"))
    newer, new, old = await journal.list()
    assert (old.id, old.state, old.reason, old.answer, old.tokens, old.ended) == ("old", "ended", "answered", "42", 15, 9.0)
    assert (new.state, new.reason, new.tokens) == ("paused", "approval", None)
    assert (newer.state, newer.reason, newer.question, newer.model, newer.lang) == ("running", None, "q", "m", "en")
    assert [run.id for run in await journal.list(1)] == ["newer"]
    assert len(await journal.list(None)) == 3


async def test_what_a_database_refuses_is_left_out_of_the_list_and_kept_in_the_event(journal):
    await keep(journal, Run("r"), asked(question="a\0b\ud800c"))
    assert (await journal.list())[0].question == "ab?c"
    assert (await journal.load("r")).asked.question == "a\0b\ud800c"


async def test_delete_forgets_the_run_and_its_events(journal, path):
    await keep(journal, Run("abc"), asked(), Ended("answered", "1"))
    await keep(journal, Run("other"), asked())
    await journal.delete("ab")
    assert [run.id for run in await journal.list()] == ["other"]
    assert rows(path, "SELECT DISTINCT run_id FROM events") == [("other",)]
    with pytest.raises(StoreError, match="no run 'ab'"):
        await journal.delete("ab")


# ── two writers ───────────────────────────────────────────────────────────────


async def test_two_processes_that_go_on_with_a_run_cannot_both_append(journal, path):
    await keep(journal, Run("r"), asked(), Replied(Reply("x")))
    async with Journal(path) as other:
        mine, theirs = await journal.load("r"), await other.load("r")
        await keep(other, theirs, Decided("theirs"))
        with pytest.raises(StoreError, match=r"event 2 was written by another process meanwhile; load the run again"):
            await keep(journal, mine, Decided("mine"))
        await keep(other, theirs, Ended("answered", "theirs"))
        assert (await journal.load("r")).answer == "theirs"


async def test_the_same_is_noticed_between_two_events(journal, path):
    run = await keep(journal, Run("r"), asked(), Observed("1.1", Observation("x")))
    async with Journal(path) as other:
        await keep(other, await other.load("r"), Decided("theirs"))
    with pytest.raises(StoreError, match="already written: another process has gone on with it"):
        await keep(journal, run, Decided("mine"))


async def test_two_copies_of_a_run_in_one_process_cannot_both_append(journal):
    await keep(journal, Run("r"), asked())
    one, two = await journal.load("r"), await journal.load("r")
    await keep(journal, one, Decided("one"))
    with pytest.raises(StoreError, match="event 1 was written by another process"):
        await keep(journal, two, Decided("two"))


async def test_an_id_is_used_once(journal):
    await keep(journal, Run("r"), asked())
    with pytest.raises(StoreError, match="its id was used before"):
        await keep(journal, Run("r"), asked())


async def test_one_spoilt_run_does_not_spoil_the_others_of_its_batch(journal):
    await keep(journal, Run("taken"), asked())
    results = await asyncio.gather(*(keep(journal, Run(name), asked()) for name in ("a", "taken", "b")), return_exceptions=True)
    assert [isinstance(result, StoreError) for result in results] == [False, True, False]
    assert {run.id for run in await journal.list()} == {"a", "b", "taken"}


async def test_a_run_made_elsewhere_is_taken_in_whole(journal):
    run = Run("made", [asked(), Replied(Reply("x")), Decided(answer="1"), Ended("answered", "1")])
    await journal(run, run.events[-1])
    assert (await journal.load("made")).events == run.events


# ── what goes wrong ───────────────────────────────────────────────────────────


async def test_a_locked_journal_says_so_and_catches_up_afterwards(journal, path):
    run = await keep(journal, Run("r"), asked())
    await journal.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as blocker:
        blocker.execute("BEGIN IMMEDIATE")
        impatient = Journal(f"sqlite:///{path}?timeout=0.05")
        with pytest.raises(StoreError, match=r"runs.db is locked by another process; wait .* \(--journal PATH\)"):
            await keep(impatient, run, Observed("1.1", Observation("x")))
        blocker.execute("ROLLBACK")
        await keep(impatient, run, Decided(answer="1"))
        assert (await impatient.load("r")).events == run.events
        await impatient.close()


async def test_a_full_disk_says_so_and_writes_nothing(journal, path):
    run = await keep(journal, Run("r"), asked())
    pages = rows(path, "PRAGMA page_count")[0][0]
    await journal.close()
    limited = Journal(path)
    limited._open()
    limited._writing = limited.database.connect()
    limited._writing.execute(f"PRAGMA max_page_count={pages + 2}")
    with pytest.raises(StoreError, match="cannot grow: the disk is full; free some space"):
        await keep(limited, run, Observed("1.1", Observation("x" * 100_000)))
    assert (await limited.load("r")).events == run.events[:1]
    await limited.close()


async def test_a_read_only_journal_can_be_read_and_says_so_when_written(journal, path):
    run = await keep(journal, Run("r"), asked())
    await journal.close()
    async with Journal(f"sqlite:///file:{path}?mode=ro&uri=true") as reader:
        assert (await reader.load("r")).events == run.events
        with pytest.raises(StoreError, match="is read-only; make it writable"):
            await keep(reader, run, Observed("1.1", Observation("x")))


async def test_a_file_that_is_no_database_is_named(path):
    path.write_text("these are not the bytes of a database, and there are enough of them " * 10)
    async with Journal(path) as journal:
        with pytest.raises(StoreError, match=r"runs.db is not an SQLite database; move the file away"):
            await journal.list()


async def test_damaged_pages_are_named(journal, path):
    for n in range(50):
        await keep(journal, Run(f"r{n}"), asked(question="x" * 1000))
    await journal.close()
    data = bytearray(path.read_bytes())
    data[4096 * 2 :] = b"\xff" * (len(data) - 4096 * 2)
    path.write_bytes(data)
    async with Journal(path) as again:
        with pytest.raises(StoreError, match="is damaged; move the file away"):
            await again.list()


async def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    async with Journal(tmp_path / "file" / "runs.db") as journal:
        with pytest.raises(StoreError, match="cannot be opened; check that its folder exists"):
            await journal.list()


async def test_a_missing_and_a_damaged_event_are_named(journal, path):
    await keep(journal, Run("gap"), asked(), Replied(Reply("x")), Decided(answer="1"))
    await keep(journal, Run("bad"), asked(), Decided("x"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM events WHERE run_id='gap' AND seq=1")
        connection.execute("UPDATE events SET json='{' WHERE run_id='bad' AND seq=1")
    with pytest.raises(StoreError, match="run gap: event 1 is missing"):
        await journal.load("gap")
    with pytest.raises(StoreError, match="run bad, event 1: "):
        await journal.load("bad")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("nonsense://x", "cannot be read"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite://", "names no file"),
        ("://", "cannot be read"),
    ],
)
def test_an_address_that_makes_no_sense_is_refused(where, said):
    with pytest.raises(StoreError, match=said):
        Journal(where)


def test_a_database_whose_driver_is_not_installed_says_what_to_install_and_no_password():
    code = """
import asyncio, sys
sys.modules["psycopg"] = None
from tao.errors import StoreError
from tao.stores.sql import Journal
try:
    asyncio.run(Journal("postgresql://somebody:secret@127.0.0.1/runs").list())
except StoreError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "somebody:***@127.0.0.1/runs needs the package 'psycopg': pip install 'tao-agent[postgres]'" in said
    assert "secret" not in said


@pytest.mark.parametrize(
    ("where", "made"),
    [
        ("runs.db", Sqlite("runs.db")),
        ("sqlite:///runs.db", Sqlite("runs.db")),
        ("sqlite:////var/lib/runs.db?timeout=2.5", Sqlite("/var/lib/runs.db", timeout=2.5)),
        ("sqlite:///file:a.db?mode=ro&uri=true", Sqlite("file:a.db?mode=ro")),
    ],
)
def test_addresses_of_files(where, made):
    assert address(where) == made


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_the_usual_names_of_postgresql_are_understood(scheme):
    assert address(f"{scheme}://u:p@host:5433/runs").place == "postgresql://u:***@host:5433/runs"


async def test_a_tools_own_data_does_not_have_to_be_json(journal):
    run = await keep(journal, Run("r"), asked(), Observed("1.1", Observation("x", data={"path": object, "n": 1})))
    data = next((await journal.load("r")).all(Observed)).observation.data
    assert data == {"path": "<class 'object'>", "n": 1}
    await keep(journal, run, Ended("answered"))


async def test_a_cancelled_wait_does_not_take_the_event_back(journal):
    run = await keep(journal, Run("r"), asked())
    run.events.append(Replied(Reply("paid for")))
    waiting = asyncio.create_task(journal(run, run.events[-1]))
    await asyncio.sleep(0)
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    await keep(journal, run, Decided(answer="1"))
    assert (await journal.load("r")).events == run.events


async def test_a_relative_path_stays_where_it_was_when_the_process_goes_to_another_folder(tmp_path):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    with chdir(tmp_path / "here"):
        journal = Journal("runs.db")
        run = await keep(journal, Run("r"), asked())
        with chdir(tmp_path / "there"):
            assert await asyncio.gather(*(journal.count() for _ in range(4))) == [1] * 4
            await journal.close()
            await keep(journal, run, Ended("answered", "1"))
            assert (await journal.load("r")).events == run.events
            await journal.close()
    assert not list((tmp_path / "there").iterdir())


def test_a_process_whose_folder_was_deleted_can_open_a_journal_elsewhere(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    with chdir(gone):
        gone.rmdir()
        journal = Journal(tmp_path / "runs.db")
        assert asyncio.run(journal.count()) == 0
        asyncio.run(journal.close())


async def test_a_closed_journal_opens_again(journal):
    await keep(journal, Run("a"), asked())
    await journal.close()
    await keep(journal, Run("b"), asked())
    assert len(await journal.list()) == 2


def test_one_journal_serves_several_event_loops(path):
    journal = Journal(path)
    run = Run("r")
    asyncio.run(keep(journal, run, asked()))
    asyncio.run(keep(journal, run, Ended("answered")))
    assert asyncio.run(journal.load("r")).ended
    asyncio.run(journal.close())


async def test_the_file_is_its_owners_alone(journal, path):
    await keep(journal, Run("r"), asked())
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


# ── a reply, for which nobody waits ───────────────────────────────────────────


LOST = "run.events.append(Replied(Reply('paid for')))\n    await journal(run, run.events[-1])"
SCRIPT = """
import asyncio, os, signal, sys
from tao.events import Asked, Decided, Observed, Replied
from tao.messages import Observation, Reply
from tao.run import Run
from tao.stores.sql import Journal

async def main():
    journal, run = Journal(sys.argv[1]), Run("r", [Asked("q", at=1.0)])
    await journal(run, run.events[-1])
    {}
    {}

asyncio.run(main())
"""


async def owing(path):
    """A journal that could not write a reply and has told nobody so far, its run, and what keeps it from writing."""
    journal = Journal(f"sqlite:///{path}?timeout=0.05")
    run = await keep(journal, Run("r"), asked())
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    await keep(journal, run, Replied(Reply("paid for")))
    await journal._settled()
    assert list(journal._owed) == [run]
    return journal, run, blocker


async def test_a_reply_is_not_waited_for_and_written_all_the_same(journal, path):
    run = await keep(journal, Run("r"), asked(), Replied(Reply("paid for")))
    assert (await journal.load("r")).events == run.events
    await keep(journal, run, Replied(Reply("a second one")))
    await journal.close()
    assert rows(path, "SELECT seq, kind FROM events") == [(0, "asked"), (1, "replied"), (2, "replied")]


@pytest.mark.parametrize(("how", "code"), [("pass", 0), ("raise RuntimeError('a bug')", 1), ("sys.exit(3)", 3), ("asyncio.current_task().cancel()", 1)])
def test_a_process_that_ends_in_order_has_written_the_last_reply(path, how, code):
    ended = subprocess.run([sys.executable, "-c", SCRIPT.format(LOST, how), str(path)], capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stderr
    assert rows(path, "SELECT kind FROM events ORDER BY seq") == [("asked",), ("replied",)]


@pytest.mark.parametrize("event", ["Decided(answer='1')", "Observed('1.1', Observation('x'))"])
def test_a_process_that_is_killed_after_an_event_has_written_it_and_the_reply_before(path, event):
    then = f"run.events.append({event})\n    await journal(run, run.events[-1])\n    os.kill(os.getpid(), signal.SIGKILL)"
    killed = subprocess.run([sys.executable, "-c", SCRIPT.format(LOST, then), str(path)], capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert asyncio.run(Journal(path).load("r")).events[1] == Replied(Reply("paid for"))
    assert rows(path, "SELECT count(*) FROM events") == [(3,)]


async def test_what_is_told_next_raises_why_a_reply_could_not_be_written(path):
    journal, run, blocker = await owing(path)
    with pytest.raises(StoreError, match="is locked by another process"):
        await keep(journal, run, Decided(answer="1"))
    blocker.close()
    await journal.close()  # it was said once
    assert rows(path, "SELECT kind FROM events") == [("asked",)]
    await keep(journal, run, Ended("answered", "1"))
    assert (await journal.load("r")).events == run.events
    await journal.close()


async def test_what_is_told_next_writes_a_reply_that_could_not_be_written(path):
    journal, run, blocker = await owing(path)
    blocker.close()
    await keep(journal, run, Decided(answer="1"))
    assert (await journal.load("r")).events == run.events
    assert not journal._owed
    await journal.close()


@pytest.mark.parametrize("how", ["load", "close"])
async def test_whoever_loads_or_closes_hears_that_a_reply_could_not_be_written(path, how):
    journal, run, blocker = await owing(path)
    with pytest.raises(StoreError, match="is locked by another process"):
        await (journal.load("r") if how == "load" else journal.close())
    assert len((await journal.load("r")).events) == 1  # it was said once
    blocker.close()
    await keep(journal, run, Decided(answer="1"))
    assert (await journal.load("r")).events == run.events
    await journal.close()


@pytest.mark.parametrize("how", ["load", "close"])
async def test_whoever_loads_or_closes_writes_a_reply_that_could_not_be_written(path, how):
    journal, run, blocker = await owing(path)
    blocker.close()
    await (journal.load("r") if how == "load" else journal.close())
    assert rows(path, "SELECT count(*) FROM events") == [(2,)]
    assert (await journal.load("r")).events == run.events
    await journal.close()


async def test_another_run_can_be_loaded_meanwhile_and_an_owed_one_deleted(path):
    async with Journal(path) as first:
        await keep(first, Run("other"), asked())
    journal, run, blocker = await owing(path)
    assert (await journal.load("other")).asked
    assert list(journal._owed) == [run]
    blocker.close()
    await journal.delete("r")
    await journal.close()
    assert rows(path, "SELECT DISTINCT run_id FROM events") == [("other",)]


@dataclass(frozen=True)
class Small(Sqlite):
    """A file on a disk with room for so many pages."""

    pages: int = 0

    def connect(self):
        made = super().connect()
        made.execute(f"PRAGMA max_page_count={self.pages}")
        return made


async def test_a_full_disk_is_told_after_a_reply(journal, path):
    run = await keep(journal, Run("r"), asked())
    await journal.close()
    journal.database = Small(str(path), pages=rows(path, "PRAGMA page_count")[0][0] + 2)
    await keep(journal, run, Replied(Reply("x" * 100_000)))
    with pytest.raises(StoreError, match="cannot grow: the disk is full; free some space"):
        await keep(journal, run, Observed("1.1", Observation("x")))
    assert (await journal.load("r")).events == run.events[:1]
    await keep(journal, run, Replied(Reply("y" * 100_000)))
    with pytest.raises(StoreError, match="cannot grow: the disk is full; free some space"):
        await journal.close()
    journal.database = Sqlite(str(path))
    await keep(journal, run, Decided(answer="1"))
    assert (await journal.load("r")).events == run.events


async def test_a_cancelled_run_owes_what_could_not_be_written(path):
    journal, run, blocker = await owing(path)
    run.events.append(Decided(answer="1"))
    waiting = asyncio.create_task(journal(run, run.events[-1]))
    await asyncio.sleep(0)
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    await journal._settled()
    blocker.close()
    assert (await journal.load("r")).events == run.events
    await journal.close()


async def test_one_spoilt_reply_does_not_spoil_the_others_that_are_owed(journal, path):
    await journal.close()
    journal = Journal(f"sqlite:///{path}?timeout=0.05")
    runs = [await keep(journal, Run(name), asked()) for name in ("a", "b", "c")]
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    for run in runs:
        await keep(journal, run, Replied(Reply(run.id)))
    await journal._settled()
    blocker.execute("INSERT INTO events SELECT run_id, 1, 'decided', '{}', 0 FROM events WHERE run_id = 'a'")
    blocker.execute("COMMIT")
    blocker.close()
    with pytest.raises(StoreError, match="already written: another process has gone on with it"):
        await journal.close()
    assert rows(path, "SELECT run_id FROM events WHERE kind = 'replied'") == [("b",), ("c",)]


async def test_a_bug_in_reading_leaves_the_reply_in_the_journal(path):
    class Odd(React):
        def parse(self, run):
            raise ZeroDivisionError(run.id)

    with pytest.raises(ZeroDivisionError):
        async with Agent(ScriptedModel("Final Answer: 5"), dialect=Odd(), journal=Journal(path)) as agent:
            await agent.run("2+3?", id="r")
    assert rows(path, "SELECT kind FROM events ORDER BY seq") == [("asked",), ("replied",)]


def test_runs_on_two_event_loops_at_once_keep_every_event(path):
    journal = Journal(path)
    replies = ["Thought: more\nAction: look\nAction Input: {}" for _ in range(20)] + ["Final Answer: 5"]

    def look() -> str:
        """Look."""
        return "nothing"

    def one(name):
        return asyncio.run(Agent(ScriptedModel(*replies), [look], dialect="react", journal=journal, max_steps=30).run("q", id=name))

    with ThreadPoolExecutor(2) as threads:
        runs = list(threads.map(one, ["a", "b"]))
    for run in runs:
        assert asyncio.run(journal.load(run.id)).events == run.events
    asyncio.run(journal.close())


# ── the schema's history ──────────────────────────────────────────────────────


def at_revision(path, revision):
    database = address(path)
    with closing(database.connect()) as connection, transaction(database, connection, writes=True) as cursor:
        cursor.execute("CREATE TABLE tao_schema (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
        upgrade(database, cursor, "", revision)


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_database_of_any_revision_becomes_what_a_new_one_is(tmp_path, revision):
    at_revision(tmp_path / "old.db", revision)
    for name in ("old.db", "new.db"):
        async with Journal(tmp_path / name) as journal:
            await keep(journal, Run("r"), asked())
            assert (await journal.load("r")).asked.question == "q"
    kinds = "SELECT name, wr FROM pragma_table_list ORDER BY name"
    assert rows(tmp_path / "new.db", kinds) == rows(tmp_path / "old.db", kinds)
    columns = "SELECT m.name, c.name, c.type, c.pk, c.\"notnull\" FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.name <> 'tao_schema' ORDER BY 1, 2"
    assert rows(tmp_path / "new.db", columns) == rows(tmp_path / "old.db", columns)
    assert rows(tmp_path / "old.db", "SELECT * FROM tao_schema") == [(HEAD,)]


async def test_a_revision_that_fails_leaves_the_database_as_it_was(tmp_path):
    path = tmp_path / "old.db"
    at_revision(path, "0001")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE states (x)")
    async with Journal(path) as journal:
        with pytest.raises(StoreError, match="table states already exists"):
            await journal.list()
    assert rows(path, "SELECT * FROM tao_schema") == [("0001",)]
    assert rows(path, "SELECT name FROM sqlite_master WHERE name = 'claims'") == []


async def test_connections_are_kept_and_given_back(journal):
    await keep(journal, Run("r"), asked())
    await asyncio.gather(*(journal.load("r") for _ in range(30)))
    assert 1 <= len(journal._idle) <= 8
    await journal.close()
    assert not journal._idle


async def test_a_database_of_the_first_version_is_brought_up_to_date_with_its_runs(tmp_path):
    at_revision(tmp_path / "old.db", "0001")
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection, connection:
        connection.execute("INSERT INTO runs (id, question, model, state, started, lang) VALUES ('r', 'q', 'm', 'running', 1.0, 'en')")
        connection.execute("""INSERT INTO events VALUES ('r', 0, 'asked', '{"kind": "asked", "question": "q"}', 1.0)""")
    async with Journal(tmp_path / "old.db") as journal:
        run = await journal.load("r")
        assert await journal.claim(run, "1.1", 0)
        await journal.delete("r")
        assert await journal.claim(run, "1.1", 0)
    assert rows(tmp_path / "old.db", "SELECT version_num FROM tao_schema") == [(HEAD,)]


async def test_a_database_at_an_unknown_older_revision_is_refused(tmp_path):
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE tao_schema (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
        connection.execute("INSERT INTO tao_schema VALUES ('0000')")
    async with Journal(path) as journal:
        with pytest.raises(StoreError, match="schema 0000, which this tao cannot bring up to date"):
            await journal.list()


async def test_a_database_of_a_newer_tao_is_refused(journal, path):
    await keep(journal, Run("r"), asked())
    await journal.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE tao_schema SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"has schema 9999, this tao knows .*: it was written by a newer tao; upgrade this one"):
        await journal.list()


async def test_somebody_elses_database_is_left_alone(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE events (x)")
    async with Journal(path) as journal:
        with pytest.raises(StoreError, match="has a table 'events' that is not tao's"):
            await journal.list()


def test_two_processes_that_open_a_new_journal_at_once_both_can(path):
    code = f"""
import asyncio
from tao.stores.sql import Journal
async def main():
    async with Journal({str(path)!r}) as journal:
        await journal.list()
asyncio.run(main())
"""
    both = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) for _ in range(2)]
    assert [(process.communicate()[1], process.returncode) for process in both] == [("", 0), ("", 0)]


async def test_a_cancelled_writer_is_waited_for_before_a_run_is_read(tmp_path):
    async with Journal(tmp_path / "runs.db") as journal:
        for number in range(30):
            run = Run(f"run{number}", [Asked("q")])
            await journal(run, run.asked)
            run.events.append(Decided("", (Call("1.1", "x", {}),)))
            writing = asyncio.create_task(journal(run, run.events[-1]))
            await asyncio.sleep(0)
            writing.cancel()
            assert len((await journal.load(run.id)).events) == 2


def test_many_may_open_a_new_journal_at_once(tmp_path):
    for number in range(15):
        database = address(tmp_path / f"new{number}.db")
        start = threading.Barrier(8)

        def opened(_, database=database, start=start):
            start.wait()
            with closing(database.connect()) as connection:
                mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
                with transaction(database, connection, writes=True) as cursor:
                    prepare(database, cursor)
            return mode

        with ThreadPoolExecutor(8) as threads:
            assert set(threads.map(opened, range(8))) == {"wal"}
