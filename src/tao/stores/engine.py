"""One SQLAlchemy engine for a journal, and what its errors mean to a person."""

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, PoolProxiedConnection, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from tao.errors import StoreError, both

BUSY_SECONDS = 10.0
"""How long a statement waits for another process's transaction before it gives up."""

LOG_PAGES = 4000
"""So many pages of 4 kB gather in the write-ahead log before they are copied into the database: four times SQLite's usual number.

Most of them are the same few pages, changed by one event after the other, and each is copied once.
"""

MEANINGS = {
    "SQLITE_BUSY": (
        "is locked by another process; wait for it to finish, or give this one a journal of its own (--journal PATH)",
        "被另一个进程锁定；请等待它结束，或为本进程另设记录文件（--journal PATH）",
    ),
    "SQLITE_LOCKED": (
        "is locked by another connection; try again, or give this process a journal of its own (--journal PATH)",
        "被另一个连接锁定；请重试，或为本进程另设记录文件（--journal PATH）",
    ),
    "SQLITE_FULL": (
        "cannot grow: the disk is full; free some space, or move the journal (--journal PATH)",
        "无法写入：磁盘已满；请清理空间，或改用其他位置（--journal PATH）",
    ),
    "SQLITE_READONLY": (
        "is read-only; make it writable, or choose another one (--journal PATH)", "只读；请改为可写，或另选位置（--journal PATH）",
    ),
    "SQLITE_PERM": (
        "may not be accessed; change its permissions, or choose another one (--journal PATH)",
        "无权访问；请修改权限，或另选位置（--journal PATH）",
    ),
    "SQLITE_CANTOPEN": (
        "cannot be opened; check that its folder exists and may be written, or choose another one (--journal PATH)",
        "无法打开；请确认所在文件夹存在且可写，或另选位置（--journal PATH）",
    ),
    "SQLITE_IOERR": (
        "could not be read or written by the disk; check the disk, or choose another one (--journal PATH)",
        "磁盘读写失败；请检查磁盘，或另选位置（--journal PATH）",
    ),
    "SQLITE_NOTADB": (
        "is not an SQLite database; move the file away or choose another one (--journal PATH)",
        "不是 SQLite 数据库；请移走该文件，或另选位置（--journal PATH）",
    ),
    "SQLITE_CORRUPT": (
        "is damaged; move the file away (`sqlite3 FILE .recover` may save its contents) and start a new one",
        "已损坏；请移走该文件（`sqlite3 FILE .recover` 或可挽救内容），再用新的文件",
    ),
}  # fmt: skip
"""By the beginning of SQLite's error name: what has happened to the journal, and what to do."""


def address(where: str | Path) -> URL:
    """A file's path or a database URL, as SQLAlchemy's URL. Raises StoreError for a URL that cannot be read."""
    text = str(where)
    if "://" not in text:
        return URL.create("sqlite", database=str(Path(text).expanduser()))
    try:
        url = make_url(text)
        url.get_dialect()
    except (ArgumentError, NoSuchModuleError) as error:
        text = re.sub(r"//[^/@]*@", "//***@", text)  # a password may be in it
        raise StoreError(
            both(
                f"journal address {text!r} cannot be read ({error}): give a file's path or sqlite:///PATH, postgresql://…",
                f"无法识别运行记录的地址 {text!r}（{error}）：请给出文件路径，或 sqlite:///PATH、postgresql://…",
            )
        ) from error
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise StoreError(
            both(
                f"journal address {text!r} names no file; give one, or use tao.testing.MemoryJournal",
                f"运行记录的地址 {text!r} 没有指明文件；请指明，或使用 tao.testing.MemoryJournal",
            )
        )
    return url


def connect(url: URL, synchronous: str) -> Engine:
    """The engine: SQLite in WAL mode, transactions opened by us and not by the driver; any other database as it is.

    WAL lets readers go on while one writes. `synchronous` FULL waits for the disk at every commit, so what `await` said
    is durable survives a power cut as well; NORMAL survives only the end of the process, and is faster on slow disks.
    """
    if url.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    _private_file(url)
    engine = create_engine(url, connect_args={} if "timeout" in url.query else {"timeout": BUSY_SECONDS}, paramstyle="named")

    @event.listens_for(engine, "connect")
    def _opened(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        _into_wal(connection, float(str(url.query.get("timeout", BUSY_SECONDS))))
        for pragma in (f"wal_autocheckpoint={LOG_PAGES}", f"synchronous={synchronous}", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _into_wal(connection: Any, seconds: float) -> None:
    """Switch a journal to WAL, which it then stays in. SQLite does not wait where others are switching or opening it, so we do."""
    end = time.monotonic() + seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def _private_file(url: URL) -> None:
    """Make the file and its folder readable by their owner only: questions and tool results are in it."""
    path = str(url.database)
    if path.startswith("file:"):
        return
    try:
        Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDONLY, 0o600))
    except OSError as error:
        raise StoreError(_said(path, "SQLITE_CANTOPEN", error.strerror)) from error


def place(url: URL) -> str:
    """The journal's address for people, without a password."""
    return url.database or "" if url.get_backend_name() == "sqlite" else url.render_as_string(hide_password=True)


class Conflict(StoreError):
    """Somebody else has written what was to be written."""


class Locked(StoreError):
    """Another process held the database for too long."""


@contextmanager
def explained(url: URL) -> Iterator[None]:
    """Turn a driver's error into a StoreError that says what to do."""
    driver = _driver(url)
    try:
        yield
    except (DBAPIError, driver.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(cause, driver.IntegrityError):
            raise Conflict(
                both(
                    f"journal {place(url)}: this part of the run is already written: another process has gone on with it, or its"
                    f" id was used before; load the run again, or take another id ({cause})",
                    f"运行记录 {place(url)}：这一部分已经写入：另一个进程继续了该运行，或编号已被使用；请重新载入该运行，或换一个编号（{cause}）",
                )
            ) from error
        code = getattr(cause, "sqlite_errorname", "")
        kind = Locked if code.startswith("SQLITE_BUSY") else StoreError
        raise kind(_said(place(url), code, cause)) from error


def _said(where: str, code: str, cause: Any) -> str:
    cause = " ".join(str(cause).split())
    english, chinese = next((texts for name, texts in MEANINGS.items() if code.startswith(name)), ("failed", "出错"))
    return both(f"journal {where} {english} ({cause})", f"运行记录 {where} {chinese}（{cause}）")


@contextmanager
def transaction(connection: PoolProxiedConnection, *, immediate: bool) -> Iterator[DBAPICursor]:
    """One transaction over the driver itself; an exception takes it back. `immediate`: SQLite is to lock at once."""
    cursor = connection.cursor()
    try:
        if immediate:
            cursor.execute("BEGIN IMMEDIATE")
        yield cursor
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
    finally:
        cursor.close()


@cache
def _driver(url: URL) -> Any:
    """The database's driver. Raises StoreError where it is not installed."""
    try:
        return url.get_dialect().import_dbapi()
    except ModuleNotFoundError as error:
        english = f"journal {place(url)} needs the package {error.name!r}; install it (for PostgreSQL: pip install 'psycopg[binary]')"
        chinese = f"运行记录 {place(url)} 需要软件包 {error.name!r}；请安装（PostgreSQL：pip install 'psycopg[binary]'）"
        raise StoreError(both(english, chinese)) from error
