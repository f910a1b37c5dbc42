"""Where a journal may be: in an SQLite file, or in PostgreSQL. And what their errors mean to a person."""

import importlib
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from tao.errors import StoreError, both

BUSY_SECONDS = 10.0
"""How long a statement waits for another process's transaction before it gives up."""

LOG_PAGES = 4000
"""So many pages of 4 kB gather in the write-ahead log before they are copied into the database: four times SQLite's usual number.

Most of them are the same few pages, changed by one event after the other, and each is copied once.
"""

_MAKING = Lock()
"""Nobody opens a new file before it is closed by whoever made it."""

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


class Database(Protocol):
    """A database behind its driver; statements have `:names` for values."""

    begin: ClassVar[str]
    """Begins a transaction that writes."""
    alone: ClassVar[str]
    """Keeps others out of the schema for the rest of a transaction."""
    tables: ClassVar[str]
    """Asks for the names of all tables."""
    by_key: ClassVar[str]
    """Ends the making of a table that is kept in the order of its primary key."""

    @property
    def place(self) -> str:
        """The address for people, without a password."""

    @property
    def driver(self) -> Any:
        """The driver's module, as PEP 249 has it. Raises StoreError where it is not installed."""

    def connect(self) -> Any:
        """A new connection, which opens no transaction by itself and may go from thread to thread."""

    def alive(self, connection: Any) -> bool:
        """Whether a connection that was not used for a while still is one."""

    def sql(self, statement: str) -> str:
        """The statement as the driver wants it."""


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it has been deleted
        return Path()


@dataclass(frozen=True)
class Sqlite:
    """A file, in WAL mode: readers go on while one writes. A relative path is one from where the process was when this was made.

    With `synchronous` FULL a connection waits for the disk at every commit, so it survives a power cut; with NORMAL it survives only
    the end of the process. `path` may be a URI ("file:runs.db?mode=ro"). `sync` waits until a file, given by its descriptor, is on the disk.
    """

    path: str
    synchronous: str = "FULL"
    timeout: float = BUSY_SECONDS
    sync: Callable[[int], None] = field(default=getattr(os, "fdatasync", os.fsync), repr=False, compare=False)
    here: Path = field(default_factory=_here, repr=False, compare=False)

    begin: ClassVar[str] = "BEGIN IMMEDIATE"
    alone: ClassVar[str] = ""
    tables: ClassVar[str] = "SELECT name FROM sqlite_master WHERE type = 'table'"
    by_key: ClassVar[str] = " WITHOUT ROWID"
    driver: ClassVar[Any] = sqlite3

    @property
    def place(self) -> str:
        """The file."""
        return self.path

    def connect(self) -> sqlite3.Connection:
        """A new connection to the file, which is made where there is none."""
        uri = self.path.startswith("file:")
        path = self.path if uri else str(self.here / self.path)
        if not uri:
            _private_file(path)
        made = sqlite3.connect(path, timeout=self.timeout, isolation_level=None, check_same_thread=False, uri=uri)
        try:
            _into_wal(made, self.timeout)
            for pragma in (f"wal_autocheckpoint={LOG_PAGES}", f"synchronous={self.synchronous}", "foreign_keys=ON"):
                made.execute(f"PRAGMA {pragma}")
        except BaseException:
            made.close()
            raise
        return made

    def alive(self, connection: Any) -> bool:  # noqa: ARG002 - a file does not go away
        """Always."""
        return True

    def sql(self, statement: str) -> str:
        """As it is."""
        return statement


@dataclass(frozen=True)
class Postgres:
    """A PostgreSQL database, through psycopg."""

    url: str = field(repr=False)

    begin: ClassVar[str] = "BEGIN"
    alone: ClassVar[str] = "SELECT pg_advisory_xact_lock(7234017283807667300)"
    tables: ClassVar[str] = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
    by_key: ClassVar[str] = ""

    @property
    def place(self) -> str:
        """The URL without its password."""
        return hidden(self.url)

    @property
    def driver(self) -> Any:
        """The package psycopg. Raises StoreError where it is not installed."""
        try:
            return importlib.import_module("psycopg")
        except ImportError as error:
            english = f"journal {self.place} needs the package 'psycopg': pip install 'tao-agent[postgres]'"
            chinese = f"运行记录 {self.place} 需要软件包 'psycopg'：pip install 'tao-agent[postgres]'"
            raise StoreError(both(english, chinese)) from error

    def connect(self) -> Any:
        """A new connection."""
        return self.driver.connect(self.url, autocommit=True)

    def alive(self, connection: Any) -> bool:
        """Asks the server, which may have been started anew meanwhile."""
        try:
            connection.execute("SELECT 1")
        except self.driver.Error:
            connection.close()
            return False
        return True

    def sql(self, statement: str) -> str:
        """With `%(names)s` for `:names`."""
        return _percent(statement)


def address(where: str | Path, synchronous: str = "FULL") -> Database:
    """The database at a file's path or a URL. Raises StoreError for a URL that cannot be read."""
    text = str(where)
    if "://" not in text:
        return Sqlite(str(Path(text).expanduser()), synchronous)
    scheme, _, rest = text.partition("://")
    if scheme in {"postgresql", "postgresql+psycopg", "postgres"}:
        return Postgres(f"postgresql://{rest}")
    if scheme != "sqlite" or (rest and not rest.startswith(("/", "?"))):
        raise StoreError(both(
            f"journal address {hidden(text)!r} cannot be read: give a file's path or sqlite:///PATH, or postgresql://user@host/database",
            f"无法识别运行记录的地址 {hidden(text)!r}：请给出文件路径或 sqlite:///PATH，或 postgresql://user@host/database",
        ))  # fmt: skip
    path, _, query = rest.removeprefix("/").partition("?")
    options = dict(parse_qsl(query))
    try:
        timeout = float(options.pop("timeout", BUSY_SECONDS))
    except ValueError as error:
        raise StoreError(both(
            f"journal address {text!r}: timeout is a number of seconds, e.g. ?timeout=10", f"运行记录的地址 {text!r}：timeout 应为秒数，例如 ?timeout=10"
        )) from error  # fmt: skip
    if path in {"", ":memory:"}:
        raise StoreError(both(
            f"journal address {text!r} names no file; give one, or use tao.testing.MemoryJournal",
            f"运行记录的地址 {text!r} 没有指明文件；请指明，或使用 tao.testing.MemoryJournal",
        ))  # fmt: skip
    options.pop("uri", None)
    if path.startswith("file:") and options:
        path = f"{path}?{urlencode(options)}"
    return Sqlite(path, synchronous, timeout)


def hidden(url: str) -> str:
    """The URL without a password, for people."""
    password = urlsplit(url).password if "@" in url else None
    return url.replace(f":{password}@", ":***@", 1) if password else url


@cache
def _percent(statement: str) -> str:
    return re.sub(r":(\w+)", r"%(\1)s", statement)


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


def _private_file(path: str) -> None:
    """Make the file and its folder readable by their owner only: questions and tool results are in it.

    A file that is there is not touched: closing it would give up all locks on it that this process holds, and the next process to close
    it would take itself for the last and delete the write-ahead log: https://sqlite.org/howtocorrupt.html (2.2).
    """
    try:
        Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _MAKING, suppress(FileExistsError):
            os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600))
    except OSError as error:
        raise StoreError(meaning(path, "SQLITE_CANTOPEN", error.strerror)) from error


class Conflict(StoreError):
    """Somebody else has written what was to be written."""


class Locked(StoreError):
    """Another process held the database for too long."""


class Unsynced(StoreError):
    """The disk failed when what was committed was waited for."""


@contextmanager
def explained(database: Database) -> Iterator[None]:
    """Turn a driver's error into a StoreError that says what to do."""
    driver = database.driver
    try:
        yield
    except driver.IntegrityError as error:
        raise Conflict(both(
            f"journal {database.place}: this part of the run is already written: another process has gone on with it, or its"
            f" id was used before; load the run again, or take another id ({error})",
            f"运行记录 {database.place}：这一部分已经写入：另一个进程继续了该运行，或编号已被使用；请重新载入该运行，或换一个编号（{error}）",
        )) from error  # fmt: skip
    except driver.Error as error:
        code = getattr(error, "sqlite_errorname", "")
        kind = Locked if code.startswith("SQLITE_BUSY") else StoreError
        raise kind(meaning(database.place, code, error)) from error


def meaning(where: str, code: str, cause: Any) -> str:
    """What an error of the database means to a person, by SQLite's name for it."""
    cause = " ".join(str(cause).split())
    english, chinese = next((texts for name, texts in MEANINGS.items() if code.startswith(name)), ("failed", "出错"))
    return both(f"journal {where} {english} ({cause})", f"运行记录 {where} {chinese}（{cause}）")


@contextmanager
def transaction(database: Database, connection: Any, *, writes: bool) -> Iterator[Any]:
    """A cursor in one transaction; an exception takes it back."""
    cursor = connection.cursor()
    try:
        cursor.execute(database.begin if writes else "BEGIN")
        yield cursor
        connection.commit()
    except BaseException:
        with suppress(database.driver.Error):
            connection.rollback()
        raise
    finally:
        cursor.close()
