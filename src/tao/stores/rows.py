"""A run's events as rows of the two tables, and back."""

import json
from collections.abc import Iterable
from typing import Any

from tao.errors import StoreError, both
from tao.events import Ended, Event, Paused, Ruled, from_json, to_json
from tao.run import Run
from tao.stores.database import Conflict, Database

NEW_RUN = (
    "INSERT INTO runs (id, question, model, state, started, ended, reason, answer, tokens, lang)"
    " VALUES (:id, :question, :model, :state, :started, :ended, :reason, :answer, :tokens, :lang)"
)
NEW_EVENT = "INSERT INTO events (run_id, seq, kind, json, at) VALUES (:run_id, :seq, :kind, :json, :at)"
SET_HEAD = "UPDATE runs SET state = :state, ended = :ended, reason = :reason, answer = :answer, tokens = :tokens WHERE id = :run_id"
EVENTS_OF = "SELECT seq, json FROM events WHERE run_id = :run_id ORDER BY seq"

TEXT = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"), default=str)
ASCII = json.JSONEncoder(separators=(",", ":"), default=str)
"""Only for text with half a surrogate pair in it, which no database takes as it is; it reads back the same."""


def append(database: Database, cursor: Any, run: Run, start: int, upto: int) -> int:
    """Write the events from `start` up to, not including, `upto`, and what they change in the list of runs; gives how many characters they are."""
    head: dict[str, Any] = {}
    for event in run.events[start:upto]:
        head = _head(run, event) or head
    if start == 0:
        asked = run.asked
        first = {"id": run.id, "question": _plain(asked.question), "model": _plain(asked.model), "lang": asked.lang}
        cursor.execute(database.sql(NEW_RUN), {**(head or _state("running")), **first, "started": asked.at})
    elif head:
        cursor.execute(database.sql(SET_HEAD), {**head, "run_id": run.id})
    rows: list[dict[str, Any]] = [
        {"run_id": run.id, "seq": seq, "kind": type(event).__name__.lower(), "json": _dump(event), "at": event.at}
        for seq, event in enumerate(run.events[start:upto], start)
    ]
    cursor.executemany(database.sql(NEW_EVENT), rows)
    return sum(len(row["json"]) for row in rows)


def stored(database: Database, cursor: Any, run: Run) -> int:
    """How many of a run's events are stored, for a run that this journal has not written so far.

    Raises Conflict where the stored ones are not the run's own: somebody else has gone on with it.
    """
    cursor.execute(database.sql(EVENTS_OF), {"run_id": run.id})
    events = read(run.id, cursor.fetchall())
    for number, event in enumerate(events):
        if number >= len(run.events) or _dump(event) != _dump(from_json(json.loads(_dump(run.events[number])))):
            raise Conflict(
                both(
                    f"run {run.id}: event {number} was written by another process meanwhile; load the run again",
                    f"运行 {run.id}：事件 {number} 已被另一个进程写入；请重新载入该运行",
                )
            )
    return len(events)


def read(run: str, rows: Iterable[Any]) -> list[Event]:
    """Events from rows of (seq, json). Raises StoreError where one is missing or cannot be read."""
    events = []
    for number, (seq, text) in enumerate(rows):
        if seq != number:
            raise StoreError(
                both(
                    f"run {run}: event {number} is missing from the journal; the run cannot be read",
                    f"运行 {run}：记录中缺少事件 {number}，无法读取该运行",
                )
            )
        try:
            events.append(from_json(json.loads(text)))
        except (ValueError, AttributeError, TypeError, StoreError, RecursionError) as error:
            raise StoreError(both(f"run {run}, event {number}: {error}", f"运行 {run}，事件 {number}：{error}")) from error
    return events


def _head(run: Run, event: Event) -> dict[str, Any]:
    """What an event changes in the list of runs."""
    if isinstance(event, Ended):
        counts = [count for count in (run.usage.prompt, run.usage.completion) if count is not None]
        return _state("ended", event.reason, ended=event.at, answer=event.answer, tokens=sum(counts) if counts else None)
    if isinstance(event, Paused):
        return _state("paused", event.reason)
    if isinstance(event, Ruled):  # other calls may still wait
        return {} if run.unruled else _state("running")
    return {}


def _state(
    state: str, reason: str | None = None, *, ended: float | None = None, answer: str | None = None, tokens: int | None = None,
) -> dict[str, Any]:
    reason, answer = (None if text is None else _plain(text) for text in (reason, answer))
    return {"state": state, "reason": reason, "ended": ended, "answer": answer, "tokens": tokens}


def _dump(event: Event) -> str:
    """An event as JSON text that any database takes. What is not JSON (a tool's own data) is kept as its text."""
    record = to_json(event)
    text = TEXT.encode(record)
    return text if _encodes(text) else ASCII.encode(record)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(text: str) -> str:
    """Text for a column that people read: without what a database refuses (half a surrogate pair, NUL)."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")
