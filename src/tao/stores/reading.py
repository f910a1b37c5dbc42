"""What a journal is asked for: a run, the list of them, and to forget one. Each is done in the caller's transaction."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tao.errors import StoreError, both
from tao.run import Run
from tao.stores.database import Database
from tao.stores.rows import EVENTS_OF, read

LATEST = "SELECT id, question, model, state, started, ended, reason, answer, tokens, lang FROM runs ORDER BY started DESC, id"
FORGET = ("DELETE FROM claims WHERE run_id = :name", "DELETE FROM events WHERE run_id = :name", "DELETE FROM runs WHERE id = :name")


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


def load(database: Database, cursor: Any, run: str) -> Run:
    """The run of that id, or of the only one that begins so. Raises StoreError."""
    name = _find(database, cursor, run)
    cursor.execute(database.sql(EVENTS_OF), {"run_id": name})
    return Run(name, read(name, cursor.fetchall()))


def latest(database: Database, cursor: Any, limit: int | None) -> Sequence[Listed]:
    """So many runs, newest first; all without a limit."""
    if limit is None:
        cursor.execute(LATEST)
    else:
        cursor.execute(database.sql(f"{LATEST} LIMIT :limit"), {"limit": limit})
    return [Listed(*row) for row in cursor.fetchall()]


def count(database: Database, cursor: Any) -> int:  # noqa: ARG001 - one of those that a journal does in a transaction
    """How many runs there are."""
    cursor.execute("SELECT count(*) FROM runs")
    return int(cursor.fetchone()[0])


def delete(database: Database, cursor: Any, run: str) -> str:
    """Forget a run, its events and its claims; gives its id. Raises StoreError."""
    name = _find(database, cursor, run)
    for statement in FORGET:
        cursor.execute(database.sql(statement), {"name": name})
    return name
