"""The tools `sql_query` and `sql_schema`: reading a database, and nothing but reading.

A query is read with `sqlglot` first: one statement that only selects, with functions that are known to change nothing. What
was read is written out again and run, so that the database sees just what was judged, in a transaction that may only read.
"""

import logging
import re
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import quote

from tao.errors import BadArguments, ConfigError, ToolError, both
from tao.messages import Observation
from tao.tools.declare import Tool, declare
from tao.tools.results import plain
from tao.tools.words import say

try:
    import sqlglot
    from sqlalchemy import Connection, Engine, create_engine, inspect, text
    from sqlalchemy.engine import URL, make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
    from sqlalchemy.pool import NullPool
    from sqlglot import exp
except ImportError as error:
    missing = f"SQL tools need the package {error.name}: pip install 'tao-agent[sql]'"
    raise ConfigError(both(missing, f"SQL 工具需要软件包 {error.name}：pip install 'tao-agent[sql]'")) from error

DIALECTS = {"postgresql": "postgres", "mysql": "mysql", "mariadb": "mysql", "sqlite": "sqlite", "mssql": "tsql", "oracle": "oracle"}
ROWS, CELL, SECONDS = 100, 200, 10.0
LARGEST, KEPT = 10_000_000, 10_000
"""Bytes of a value that SQLite may make; characters of one that are kept for people."""
HARMLESS = re.compile(
    r"(json|jsonb|array|st)_\w+|regexp_(match(es)?|replace|split_to_(array|table)|like|count|instr|substr)"
    r"|to_(char|date|timestamp|number|jsonb?|hex|bin|oct|ts(vector|query)|ascii|days|seconds|base64)|(plain|phrase|websearch_)to_tsquery|ts_(rank(_cd)?|headline)|numnode"
    r"|date_(trunc|part|bin|add|sub|format|diff)|date(time|diff|add|sub|name|part)?|dayname|monthname|dayof(week|month|year)|last_day|str_to_date|time_(format|to_sec)|timediff|timestampdiff"
    r"|make_(date|time|timestamp|timestamptz|interval)|justify_(days|hours|interval)|julianday|unixepoch|strftime|from_unixtime|age|now|isfinite"
    r"|year|month|day|hour|minute|second|quarter|week|weekday|printf|format|instr|hex|unhex|quote|quote_(ident|literal|nullable)|typeof|unicode|likelihood|likely|unlikely|total|i?if|ifnull|nullif|nvl"
    r"|string_(agg|to_array|to_table)|group_concat|grouping|row_(number|to_json)|bool_(and|or)|bit_(and|or|xor|count|length)|percent_rank|percentile_(cont|disc)|every"
    r"|mode|cume_dist|dense_rank|rank|ntile|lag|lead|width_bucket|initcap|ascii|chr|translate|overlay|position|locate|field|elt|find_in_set|substring_index|split_part|strpos|starts_with"
    r"|log|exp|ln|power|sqrt|cbrt|sign|trunc|ceil|ceiling|floor|round|mod|div|gcd|lcm|degrees|radians|pi|random|sin|cos|tan|asin|acos|atan|atan2|conv|strcmp"
    r"|md5|sha224|sha256|sha384|sha512|length|octet_length|char_length|reverse|repeat|space|concat|concat_ws|coalesce|greatest|least|unnest|cardinality|num_nonnulls|num_nulls"
    r"|pg_typeof|pg_size_pretty|pg_((total_)?relation|table|indexes|database|column)_size|pg_get_(view|constraint|index|function)def|(obj|col|shobj)_description|format_type"
    r"|similarity|levenshtein|soundex|difference|unaccent|xpath|xpath_exists",
    re.IGNORECASE,
)
"""Functions that change nothing and reach nothing outside; others have to be allowed by name."""
HARMFUL = re.compile(r"(to|string|row)_(xml|xmlschema|regclass|file|outfile)\w*|(query|table|cursor|database|schema)_to_\w+|l(o_\w+|oad_\w+)|regexp_file\w*", re.IGNORECASE)


@dataclass(frozen=True)
class Database:
    """A database that is only read: at most so many rows, characters in a cell, and seconds. `functions` are allowed besides."""

    url: URL
    rows: int = ROWS
    cell: int = CELL
    seconds: float = SECONDS
    functions: frozenset[str] = frozenset()

    @property
    def dialect(self) -> str:
        """The name that sqlglot has for its SQL; empty where it has none."""
        return DIALECTS.get(self.url.get_backend_name(), "")

    @cached_property
    def engine(self) -> Engine:
        """Connections are opened when one is needed and closed after it."""
        if self.dialect == "sqlite":
            return create_engine("sqlite://", creator=lambda: _sqlite(str(self.url.database)), poolclass=NullPool)
        return create_engine(self.url, poolclass=NullPool)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection in a transaction that can change nothing, and in which no statement takes longer than it may."""
        try:
            with self.engine.connect() as connection, connection.begin() as transaction:
                _only_read(connection, self.dialect, self.seconds)
                yield connection
                transaction.rollback()
        except SQLAlchemyError as error:
            raise ToolError(_said(error)) from None


def database(url: str, *, rows: int = ROWS, cell: int = CELL, seconds: float = SECONDS, functions: Collection[str] = ()) -> list[Tool]:
    """The two tools over the database of this SQLAlchemy URL ("sqlite:///shop.db", "postgresql+psycopg://user@host/shop").

    `functions` are names of the database's own functions that a query may use. Raises ConfigError for a URL that makes no
    sense, an SQLite file that is not there.
    """
    try:
        place = make_url(url)
        driver = place.get_dialect()
    except (ArgumentError, NoSuchModuleError) as error:
        raise ConfigError(both(
            f"the database URL makes no sense ({type(error).__name__}); wanted e.g. sqlite:///shop.db or postgresql+psycopg://user@host/shop",
            f"数据库地址无法识别（{type(error).__name__}）；例如 sqlite:///shop.db 或 postgresql+psycopg://user@host/shop",
        )) from None  # fmt: skip
    if place.get_backend_name() not in DIALECTS:
        known = ", ".join(DIALECTS)
        raise ConfigError(both(f"no reading of {driver.name} databases yet; there are: {known}", f"尚不支持 {driver.name} 数据库；现有：{known}"))
    if place.get_backend_name() == "sqlite" and not Path(str(place.database)).is_file():
        raise ConfigError(both(f"there is no SQLite file {place.database}", f"没有 SQLite 文件 {place.database}"))
    base = Database(place, rows, cell, seconds, frozenset(name.lower() for name in functions))
    return [_query(base), _schema(base)]


def _query(base: Database) -> Tool:
    def run(query: str) -> Observation:
        statement = judged(query, base.dialect, base.functions)
        streamed = text(statement.replace(":", r"\:")).execution_options(stream_results=True)
        with base.reading() as connection, connection.execute(streamed) as result:
            columns = list(result.keys())
            found = result.fetchmany(base.rows + 1)
        rows = [[_bounded(plain(value)) for value in row] for row in found[: base.rows]]
        return _table(columns, rows, base.cell, more=len(found) > base.rows)

    return declare(
        run, name="sql_query", timeout=base.seconds + 5,
        description=f"Read from the {base.url.get_backend_name()} database with one SELECT. sql_schema lists tables and columns.\n\n"
        "Args:\n    query: one SELECT statement",
        descriptions={"zh": f"用一条 SELECT 语句查询 {base.url.get_backend_name()} 数据库。表和列见 sql_schema。\n\n参数：\n    query: 一条 SELECT 语句"},
    )  # fmt: skip


def _schema(base: Database) -> Tool:
    def run(table: str = "") -> str:
        with base.reading() as connection:
            looked = inspect(connection)
            names = sorted([*looked.get_table_names(), *looked.get_view_names()])
            if table and table not in names:
                raise BadArguments(say(f"no table {table[:80]!r}; there are: {', '.join(names)}", f"没有表 {table[:80]!r}；现有：{'、'.join(names)}"))
            shown = [table] if table else names[:100]
            lines = [f"{name}({', '.join(_column(column) for column in looked.get_columns(name))})" for name in shown]
            lines += [
                f"{name}.{', '.join(key['constrained_columns'])} → {key['referred_table']}.{', '.join(key['referred_columns'])}"
                for name in shown if name in looked.get_table_names() for key in looked.get_foreign_keys(name)
            ]  # fmt: skip
        return "\n".join(lines) or say("The database has no tables.", "数据库中没有表。")

    return declare(
        run, name="sql_schema", idempotent=True, timeout=base.seconds + 5,
        description="List the database's tables with their columns.\n\nArgs:\n    table: only this one",
        descriptions={"zh": "列出数据库的表和列。\n\n参数：\n    table: 只看这个表"},
    )  # fmt: skip


def _column(column: Mapping[str, Any]) -> str:
    return f"{column['name']} {str(column['type']).lower()}"


# ── judging ───────────────────────────────────────────────────────────────────


def judged(query: str, dialect: str, functions: Collection[str] = ()) -> str:
    """The query written anew, where it does nothing but read. Raises ToolError that says what it does besides."""
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        found = [one for one in sqlglot.parse(query, dialect=dialect or None) if one is not None]
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError) as error:
        why = re.sub(r"\x1b\[\d*m", "", str(error)).splitlines()[0][:300] if str(error) else type(error).__name__
        raise ToolError(say(f"the SQL cannot be read: {why}", f"无法解析 SQL：{why}")) from None
    if len(found) != 1:
        raise ToolError(say(f"one statement at a time, not {len(found)}", f"每次只能有一条语句，而不是 {len(found)} 条"))
    tree = found[0].unnest() if isinstance(found[0], exp.Subquery) else found[0]
    if not isinstance(tree, exp.Query | exp.Values) or (isinstance(tree, exp.Select) and not tree.expressions):
        raise ToolError(say(f"only SELECT is allowed here, not {tree.key.upper()}", f"这里只允许 SELECT，不允许 {tree.key.upper()}"))
    allowed = {name.lower() for name in functions}
    for node in tree.walk():
        if isinstance(node, _effects()) and not isinstance(node, exp.Query):
            raise ToolError(say(f"a query that only reads is allowed here, without {node.key.upper()}", f"这里只允许只读查询，不能包含 {node.key.upper()}"))
        if isinstance(node, exp.Column) and dialect == "oracle" and node.name.lower() in {"nextval", "currval"}:
            raise ToolError(say("sequences are not allowed here", "这里不允许使用序列"))
        if isinstance(node, exp.Func) and (name := _forbidden(node, allowed)):
            raise ToolError(say(f"the function {name} is not allowed here", f"这里不允许使用函数 {name}"))
    return tree.sql(dialect=dialect or None, comments=False)


@cache
def _effects() -> tuple[Any, ...]:
    """What a query that only reads has nowhere in it."""
    return (
        exp.DML, exp.DDL, exp.Command, exp.Into, exp.Lock, exp.Pragma, exp.Set, exp.Copy, exp.Placeholder, exp.Parameter, exp.NextValueFor,
        exp.WithTableHint, exp.Operator,
    )


def _forbidden(node: Any, allowed: Collection[str]) -> str:
    """The name of a function that may do more than compute; empty where it may be used."""
    name = str(node.name if node.key in {"anonymous", "anonymousaggfunc"} else node.sql_name()).strip('"`[]')
    own = node.key in {"anonymous", "anonymousaggfunc"}
    if name.lower() in allowed:
        return ""
    if (type(node.parent).__name__ == "Dot" and own) or (type(node.parent).__name__ == "Table" and node.parent.args.get("db")):
        return name  # a schema's own function, whatever its name
    if HARMFUL.fullmatch(name) or (own and not HARMLESS.fullmatch(name)):
        return name
    return ""


# ── running ───────────────────────────────────────────────────────────────────

_SQLITE_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, getattr(sqlite3, "SQLITE_RECURSIVE", 33)}


def _sqlite(path: str) -> sqlite3.Connection:
    """A connection that the file system, the connection and its authorizer each keep from writing."""
    made = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, check_same_thread=False)
    made.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
    return made


def _only_read(connection: Connection, dialect: str, seconds: float) -> None:
    if dialect == "sqlite":
        raw: Any = connection.connection.dbapi_connection
        raw.execute("PRAGMA query_only = ON")
        end = monotonic() + seconds
        raw.set_progress_handler(lambda: int(monotonic() > end), 10_000)
        looking = frozenset({"table_info", "table_xinfo", "table_list", "foreign_key_list", "index_list", "index_info", "index_xinfo"})

        def authorize(action: int, first: str | None, *_: object) -> int:
            reads = action in _SQLITE_READS or (action == sqlite3.SQLITE_PRAGMA and first in looking)
            return sqlite3.SQLITE_OK if reads and first != "load_extension" else sqlite3.SQLITE_DENY

        raw.set_authorizer(authorize)
    elif dialect == "postgres":
        connection.execute(text("SET TRANSACTION READ ONLY"))
        connection.execute(text(f"SET LOCAL statement_timeout = {int(seconds * 1000)}"))
    elif dialect == "mysql":
        connection.execute(text("SET TRANSACTION READ ONLY"))
        connection.execute(text(f"SET SESSION MAX_EXECUTION_TIME = {int(seconds * 1000)}"))
    elif dialect == "oracle":
        connection.execute(text("SET TRANSACTION READ ONLY"))


def _said(error: SQLAlchemyError) -> str:
    """The database's own words, without the statement and the address."""
    own = str(getattr(error, "orig", None) or error).strip().splitlines() or [type(error).__name__]
    if "interrupted" in own[0] or "statement timeout" in own[0]:
        return say("the query took too long and was stopped; narrow it", "查询用时过长，已停止；请缩小范围")
    return "\n".join(own[:3])[:500]


def _table(columns: list[str], rows: list[list[Any]], cell: int, *, more: bool) -> Observation:
    """Rows as lines for the model, whole values for people."""
    if not rows:
        return Observation(say(f"No rows. Columns: {', '.join(columns)}", f"没有符合的行。列：{'、'.join(columns)}"), data={"columns": columns, "rows": []})
    lines = [" | ".join(columns), *(" | ".join(_cell(value, cell) for value in row) for row in rows)]
    if more:
        lines.append(say(f"(more than {len(rows)} rows; narrow the query or aggregate)", f"（超过 {len(rows)} 行；请缩小查询范围或做汇总）"))
    return Observation("\n".join(lines), data={"columns": columns, "rows": rows})


def _bounded(value: Any) -> Any:
    """The value, or its beginning where it is a very long text."""
    shown = value if isinstance(value, str) else str(value)
    return value if len(shown) <= KEPT else f"{shown[:KEPT]}…"


def _cell(value: Any, most: int) -> str:
    shown = "NULL" if value is None else re.sub(r"\s*\n\s*", " ⏎ ", str(value)).replace(" | ", " ¦ ")
    return shown if len(shown) <= most else f"{shown[:most]}…"
