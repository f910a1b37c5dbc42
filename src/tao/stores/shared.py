"""What processes share beside the runs: claims on calls, and small texts that are swapped one for another."""

import time
from typing import Any

from tao.stores.database import Database

CLAIM = "INSERT INTO claims (run_id, call_id, number, at) VALUES (:run, :call, :number, :at) ON CONFLICT DO NOTHING"
STATE = "SELECT value FROM states WHERE key = :key"
PUT = "INSERT INTO states (key, value, at) VALUES (:key, :new, :at) ON CONFLICT DO NOTHING"
CHANGE = "UPDATE states SET value = :new, at = :at WHERE key = :key AND value = :old"
DROP = "DELETE FROM states WHERE key = :key AND value = :old"


def claim(database: Database, cursor: Any, run: str, call: str, number: int) -> bool:
    """Write the claim down; false where it is there already."""
    cursor.execute(database.sql(CLAIM), {"run": run, "call": call, "number": number, "at": time.time()})
    return int(cursor.rowcount) == 1


def state_of(database: Database, cursor: Any, key: str) -> str | None:
    """The text under a key."""
    cursor.execute(database.sql(STATE), {"key": key})
    row = cursor.fetchone()
    return None if row is None else str(row[0])


def swap(database: Database, cursor: Any, key: str, old: str | None, new: str | None) -> bool:
    """Put `new` where `old` is, None being nothing; false where something else is there."""
    if old is None and new is None:
        return state_of(database, cursor, key) is None
    statement = PUT if old is None else DROP if new is None else CHANGE
    values = {"key": key, "old": old, "new": new, "at": time.time()}
    named = {name: value for name, value in values.items() if f":{name}" in statement}
    cursor.execute(database.sql(statement), named)
    return int(cursor.rowcount) == 1
