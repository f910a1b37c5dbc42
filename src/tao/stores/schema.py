"""The tables of a journal, as they came to be: a database is brought from the revision it is at to the newest, one by one.

`events` is the truth; `runs` is what a list of runs shows, read off the same events. `claims` says which calls were about to be
carried out, `states` how tools are doing; both are for all processes that share the journal. `tao_schema` holds the revision,
in one row. Times are Unix seconds.
"""

from typing import Any

from tao.errors import StoreError, both
from tao.stores.database import Database

REVISIONS: dict[str, tuple[str, ...]] = {
    "0001": (
        """CREATE TABLE runs (
            id VARCHAR(64) NOT NULL, question TEXT NOT NULL, model TEXT NOT NULL,
            state VARCHAR(16) NOT NULL, -- running, paused or ended
            started DOUBLE PRECISION NOT NULL, ended DOUBLE PRECISION,
            reason TEXT, -- why it ended or paused
            answer TEXT,
            tokens INTEGER, -- prompt and completion together; null where no server counted
            lang VARCHAR(8) NOT NULL,
            CONSTRAINT pk_runs PRIMARY KEY (id))""",
        "CREATE INDEX ix_runs_started ON runs (started)",
        """CREATE TABLE events (
            run_id VARCHAR(64) NOT NULL,
            seq INTEGER NOT NULL, -- place in the run, from 0
            kind VARCHAR(16) NOT NULL,
            json TEXT NOT NULL, -- what tao.events.to_json gives
            at DOUBLE PRECISION NOT NULL,
            CONSTRAINT pk_events PRIMARY KEY (run_id, seq), -- two writers can never both append
            CONSTRAINT fk_events_run_id FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE CASCADE){by_key}""",
    ),
    "0002": (
        """CREATE TABLE claims (
            run_id VARCHAR(64) NOT NULL, call_id VARCHAR(64) NOT NULL,
            number INTEGER NOT NULL, -- how often a person ruled on its unknown outcome before
            at DOUBLE PRECISION NOT NULL,
            CONSTRAINT pk_claims PRIMARY KEY (run_id, call_id, number)){by_key}""",  # two processes can never both carry it out
        """CREATE TABLE states (
            key VARCHAR(200) NOT NULL, value TEXT NOT NULL, at DOUBLE PRECISION NOT NULL,
            CONSTRAINT pk_states PRIMARY KEY (key)){by_key}""",
    ),
}
"""What each revision does to the one before. A revision that was released is never changed."""

HEAD = max(REVISIONS)
OWN = {"runs", "events", "claims", "states"}


def prepare(database: Database, cursor: Any) -> None:
    """Make the database current, inside the caller's writing transaction.

    Raises StoreError for a database that a newer tao wrote, one at a revision that nobody knows, and one that belongs to
    something else.
    """
    if database.alone:
        cursor.execute(database.alone)
    at = current(database, cursor)
    if at is not None and at > HEAD:
        raise StoreError(both(
            f"the journal has schema {at}, this tao knows {HEAD}: it was written by a newer tao; upgrade this one",
            f"运行记录的结构版本为 {at}，本程序只认识 {HEAD}：它由更新的 tao 写成；请升级",
        ))  # fmt: skip
    if at is not None and at not in REVISIONS:
        raise StoreError(both(
            f"the journal has schema {at}, which this tao cannot bring up to date; it knows {', '.join(REVISIONS)}",
            f"运行记录的结构版本为 {at}，本程序无法升级它；已知版本：{'、'.join(REVISIONS)}",
        ))  # fmt: skip
    if at is None:
        cursor.execute("CREATE TABLE tao_schema (version_num VARCHAR(32) NOT NULL, CONSTRAINT tao_schema_pkc PRIMARY KEY (version_num))")
    upgrade(database, cursor, at or "", HEAD)


def upgrade(database: Database, cursor: Any, at: str, target: str) -> None:
    """Bring a database from revision `at` ("": it is empty but for the version's table) to `target`."""
    for revision in sorted(REVISIONS):
        if at < revision <= target:
            for statement in REVISIONS[revision]:
                cursor.execute(statement.format(by_key=database.by_key))
    cursor.execute("DELETE FROM tao_schema")
    cursor.execute(database.sql("INSERT INTO tao_schema VALUES (:target)"), {"target": target})


def current(database: Database, cursor: Any) -> str | None:
    """The revision that the database is at; None where it is empty. Raises StoreError where it is not a journal."""
    cursor.execute(database.tables)
    tables = {name for (name,) in cursor.fetchall()}
    if "tao_schema" in tables:
        cursor.execute("SELECT version_num FROM tao_schema")
        row = cursor.fetchone()
        return str(row[0]) if row else ""
    if foreign := sorted(OWN & tables):
        raise StoreError(both(
            f"the database has a table {foreign[0]!r} that is not tao's: give the journal a file or database of its own",
            f"数据库中的表 {foreign[0]!r} 不属于 tao：请为运行记录使用单独的文件或数据库",
        ))  # fmt: skip
    return None
