"""Writing to a file in the event loop's own thread: a commit takes a twentieth of a millisecond where it waits for nothing.

So it waits for nothing. Where another process writes, it fails; it does not copy the write-ahead log into the database; and for the
disk `synced` waits, after all commits so far, in a thread that can. Only where the log begins anew, once in several thousand pages, SQLite
waits for the disk itself.
"""

import os
from dataclasses import dataclass
from typing import Any, Self

from tao.stores.database import Sqlite, Unsynced, meaning

PRAGMAS = ("busy_timeout=0", "wal_autocheckpoint=0", "synchronous=NORMAL")


@dataclass(frozen=True, slots=True)
class AtOnce:
    """A connection that waits for nothing, and the descriptor of the write-ahead log where somebody is to wait for the disk."""

    database: Sqlite
    connection: Any
    log: int | None

    @classmethod
    def to(cls, database: Sqlite) -> Self:
        """Opens a file that another connection has opened and written to before."""
        connection, log = database.connect(), None
        try:
            for pragma in PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            if database.synchronous == "FULL":
                (_, _, file), *_ = connection.execute("PRAGMA database_list")
                log = os.open(f"{file}-wal", os.O_RDWR)
        except BaseException:
            connection.close()
            raise
        return cls(database, connection, log)

    def synced(self) -> None:
        """Wait until all that was committed is on the disk, as SQLite itself does after a commit where `synchronous` is FULL.

        Only the log has to be: https://sqlite.org/pragma.html#pragma_synchronous. Raises Unsynced.
        """
        if self.log is not None:
            try:
                self.database.sync(self.log)
            except OSError as error:
                raise Unsynced(meaning(self.database.place, "SQLITE_IOERR", error)) from error

    def close(self) -> None:
        """Let go of both."""
        if self.log is not None:
            os.close(self.log)
        self.connection.close()
