"""What processes share beside the runs: claims on calls, and small texts that are swapped one for another."""

import time

from sqlalchemy import Connection, Select, delete, exists, insert, select, update

from tao.stores.tables import CLAIMS, STATES


def claim(connection: Connection, run: str, call: str, number: int) -> bool:
    """Write the claim down; false where it is there already. In a race on PostgreSQL the loser gets an integrity error."""
    key = {"run_id": run, "call_id": call, "number": number}
    taken = select(exists().where(*(CLAIMS.c[name] == value for name, value in key.items())))
    if connection.execute(taken).scalar_one():
        return False
    connection.execute(insert(CLAIMS), {**key, "at": time.time()})
    return True


def state_of(key: str) -> Select[str]:
    """Asks for the text under a key."""
    return select(STATES.c.value).where(STATES.c.key == key)


def swap(connection: Connection, key: str, old: str | None, new: str | None) -> bool:
    """Put `new` where `old` is, None being nothing; false where something else is there."""
    now = {"value": new, "at": time.time()}
    if old is None:
        if connection.execute(state_of(key)).scalar_one_or_none() is not None:
            return False
        if new is not None:
            connection.execute(insert(STATES), {"key": key, **now})
        return True
    held = STATES.c.key == key, STATES.c.value == old
    changed = connection.execute(delete(STATES).where(*held) if new is None else update(STATES).where(*held).values(now))
    return changed.rowcount == 1
