"""The schema's history. A new database is made as it is today; an old one is brought here step by step, by alembic."""

import importlib
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, inspect, select

from tao.errors import StoreError, both
from tao.stores.tables import METADATA

HEAD = "0002"
"""The newest revision in `versions/`; a test holds the two together."""

VERSION = Table(
    "tao_schema", MetaData(), Column("version_num", String(32)), PrimaryKeyConstraint("version_num", name="tao_schema_pkc")
)
"""What alembic makes itself, where it builds a database from nothing."""


def prepare(connection: Connection) -> None:
    """Make the database current, inside the caller's writing transaction.

    Only an old one loads alembic. Raises StoreError for a database that a newer tao
    wrote, and for one that belongs to something else.
    """
    version = current(connection)
    if version == HEAD:
        return
    if version is None:
        METADATA.create_all(connection, checkfirst=False)
        VERSION.create(connection)
        connection.execute(VERSION.insert(), {"version_num": HEAD})
    elif version > HEAD:
        raise StoreError(
            both(
                f"the journal has schema {version}, this tao knows {HEAD}: it was written by a newer tao; upgrade this one",
                f"运行记录的结构版本为 {version}，本程序只认识 {HEAD}：它由更新的 tao 写成；请升级",
            )
        )
    else:
        migrate(connection)


def is_current(connection: Connection) -> bool:
    """Whether nothing is to be done."""
    return current(connection) == HEAD


def current(connection: Connection) -> str | None:
    """The revision that the database is at; None where it is empty."""
    tables = inspect(connection).get_table_names()
    if VERSION.name in tables:
        return str(connection.execute(select(VERSION.c.version_num)).scalar_one())
    if foreign := sorted(set(METADATA.tables) & set(tables)):
        raise StoreError(
            both(
                f"the database has a table {foreign[0]!r} that is not tao's: give the journal a file or database of its own",
                f"数据库中的表 {foreign[0]!r} 不属于 tao：请为运行记录使用单独的文件或数据库",
            )
        )
    return None


def migrate(connection: Connection, target: str = "head") -> None:
    """Run alembic's upgrade over an open connection; from an empty database it builds every revision in turn.

    Raises StoreError where the database is at a revision that nobody knows.
    """
    command, config, util = (importlib.import_module(f"alembic.{name}") for name in ("command", "config", "util"))
    settings = config.Config()
    settings.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    settings.attributes["connection"] = connection
    try:
        command.upgrade(settings, target)
    except util.CommandError as error:
        version = current(connection)
        raise StoreError(
            both(
                f"the journal has schema {version}, which this tao cannot bring up to date: {error}",
                f"运行记录的结构版本为 {version}，本程序无法升级它：{error}",
            )
        ) from error
