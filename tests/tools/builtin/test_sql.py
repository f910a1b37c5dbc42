"""Reading a database and nothing but reading: on SQLite and on a real PostgreSQL."""

import sqlite3

import pytest
from sqlalchemy import make_url

from tao.errors import ConfigError, ToolError
from tao.messages import Call, Observation
from tao.testing import history
from tao.tools.builtin.sql import Database, database, judged
from tao.tools.registry import registry

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers(id), amount NUMERIC, placed TEXT);
INSERT INTO customers VALUES (1, '王芳', '上海'), (2, 'Lee: 50% off', 'Lima'), (3, 'a | b', NULL);
INSERT INTO orders VALUES (1, 1, 12.5, '2025-03-01'), (2, 1, 30, '2025-03-09'), (3, 2, 7, '2025-02-11');
"""

READS = [
    "SELECT name FROM customers WHERE id = 1", "select count(*) from orders", "WITH o AS (SELECT * FROM orders) SELECT max(amount) FROM o",
    "SELECT name FROM customers UNION SELECT city FROM customers", "SELECT 'it''s; DROP TABLE orders' AS said", "SELECT 1 -- ; DELETE FROM orders",
    "SELECT name, (SELECT sum(amount) FROM orders WHERE customer = c.id) FROM customers c ORDER BY 2 DESC LIMIT 2;", "SELECT ':x' || '%s' AS marks",
    "SELECT count(*) FROM customers WHERE name LIKE '%50\\% off%'", "(SELECT 1)", "VALUES (1), (2)", "SELECT upper(name), coalesce(city, '-') FROM customers",
    "SELECT row_number() OVER (ORDER BY amount) FROM orders", "SELECT name FROM customers WHERE name = '王芳'",
]  # fmt: skip

WRITES = [
    "DELETE FROM orders", "INSERT INTO orders VALUES (9, 1, 1, '')", "UPDATE orders SET amount = 0", "DROP TABLE orders", "ALTER TABLE orders ADD x int",
    "CREATE TABLE x (a int)", "CREATE TABLE x AS SELECT 1", "TRUNCATE orders", "SELECT 1; DELETE FROM orders", "SELECT 1;;UPDATE orders SET amount=0;--",
    "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone", "WITH n AS (INSERT INTO orders VALUES (9,1,1,'') RETURNING id) SELECT id FROM n",
    "SELECT * INTO copied FROM orders", "SELECT * FROM orders FOR UPDATE", "SELECT * FROM orders FOR SHARE", "/* SELECT */ DELETE FROM orders",
    "--\nDELETE FROM orders", "EXPLAIN ANALYZE DELETE FROM orders", "EXPLAIN SELECT 1", "PREPARE p AS DELETE FROM orders", "EXECUTE p", "DO $$ BEGIN DELETE FROM orders; END $$",
    "CALL wipe()", "COPY orders TO '/tmp/x'", "COPY orders FROM PROGRAM 'id'", "VACUUM", "SET default_transaction_read_only = off", "RESET ALL", "BEGIN", "COMMIT",
    "COMMIT; DELETE FROM orders", "ATTACH DATABASE '/tmp/x' AS x", "DETACH x", "PRAGMA query_only = OFF", "PRAGMA journal_mode = DELETE", "REPLACE INTO orders VALUES (1,1,1,'')",
    "MERGE INTO orders USING customers ON true WHEN MATCHED THEN DELETE", "GRANT ALL ON orders TO public", "LOCK TABLE orders", "LISTEN x", "NOTIFY x", "REFRESH MATERIALIZED VIEW v",
    "SELECT load_extension('x')", "SELECT writefile('/tmp/x', 'y')", "", "   ", ";", "SELECT", "nonsense", "SELECT ?", "SELECT :x",
]  # fmt: skip

FUNCTIONS = [
    "nextval('s')", "setval('s', 1)", "pg_sleep(60)", "pg_terminate_backend(1)", "pg_cancel_backend(1)", "pg_reload_conf()", "pg_read_file('/etc/passwd')",
    "pg_read_binary_file('/etc/passwd')", "pg_ls_dir('/')", "pg_stat_file('/etc/passwd')", "lo_import('/etc/passwd')", "lo_export(1, '/tmp/x')", "lo_unlink(1)", "lo_create(0)",
    "dblink('host=x', 'select 1')", "dblink_exec('host=x', 'drop table orders')", "set_config('a.b', 'c', false)", "query_to_xml('select 1', true, true, '')",
    "table_to_xml('orders', true, true, '')", "database_to_xml(true, true, '')", "pg_advisory_lock(1)", "pg_logical_emit_message(true, 'a', 'b')", "pg_notify('a', 'b')",
    "public.lower('X')", '"public"."evil"(1)', "evil(1)", "EVIL (1)", "pg_catalog.pg_sleep(1)", "current_setting('data_directory')", "inet_server_addr()", "pg_switch_wal()",
    "pg_create_restore_point('x')", "txid_current()", "cursor_to_xml('x', 1, true, true, '')", "load_file('/etc/passwd')", "sleep(10)", "benchmark(100000, md5('x'))", "get_lock('x', 1)",
]  # fmt: skip


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "my shop.db"
    with sqlite3.connect(path) as made:
        made.executescript(SHOP)
    made.close()
    return path


async def ask(tools, name, lang="en", **args):
    act = registry(tools)
    specs = [tool.spec for tool in tools]
    return await act(Call("1.1", name, args), history("q", tools=specs, lang=lang))


async def seen(tools, query):
    found = await ask(tools, "sql_query", query=query)
    assert found.ok, found.text
    return found


def untouched(path):
    with sqlite3.connect(path) as looked:
        rows = looked.execute("SELECT * FROM orders ORDER BY id").fetchall()
        tables = looked.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
    looked.close()
    return len(rows) == 3 and rows[0][2] == 12.5 and tables == [("customers",), ("orders",)]


@pytest.mark.parametrize("query", READS)
async def test_what_only_reads_is_run(shop, query):
    await seen(database(f"sqlite:///{shop}"), query)
    assert untouched(shop)


@pytest.mark.parametrize("query", WRITES)
@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql"])
def test_what_does_anything_else_is_refused(query, dialect):
    with pytest.raises(ToolError):
        judged(query, dialect)


@pytest.mark.parametrize("call", FUNCTIONS)
@pytest.mark.parametrize("form", ["SELECT {}", "SELECT * FROM orders WHERE {} IS NOT NULL", "SELECT * FROM {} AS f", "WITH x AS (SELECT {} AS v) SELECT v FROM x",
                                  "SELECT 1 ORDER BY {}", "SELECT CASE WHEN true THEN {} END", "SELECT upper(({})::text)"])  # fmt: skip
def test_functions_that_do_something_are_refused(call, form):
    with pytest.raises(ToolError):
        judged(form.format(call), "postgres")


@pytest.mark.parametrize("call", ["lower('X')", "date_trunc('month', now())", "to_char(now(), 'YYYY')", "jsonb_build_object('a', 1)", "generate_series(1, 3)", "string_agg('a', ',')",
                                  "regexp_replace('a', 'b', 'c')", "percentile_cont(0.5) WITHIN GROUP (ORDER BY 1)", "age(now())", "round(1.5)", "md5('x')", "unnest(ARRAY[1])"])  # fmt: skip
def test_functions_that_compute_are_allowed(call):
    assert judged(f"SELECT {call}", "postgres")


@pytest.mark.parametrize(("dialect", "query"), [
    ("mysql", "SELECT 1 INTO OUTFILE '/tmp/x'"), ("mysql", "SELECT 1 INTO DUMPFILE '/tmp/x'"), ("mysql", "SELECT 1 INTO @x"), ("mysql", "SELECT * FROM t LOCK IN SHARE MODE"), ("mysql", "SELECT @x := 1"),
    ("mysql", "LOAD DATA INFILE 'x' INTO TABLE t"), ("mysql", "HANDLER t OPEN"), ("mysql", "SELECT /*! SLEEP(5) */"), ("mysql", "SELECT load_file('/etc/passwd')"),
    ("tsql", "SELECT * FROM OPENROWSET('a', 'b', 'c')"), ("tsql", "SELECT * FROM OPENQUERY(x, 'y')"), ("tsql", "EXEC xp_cmdshell 'x'"), ("tsql", "SELECT 1 EXEC xp_cmdshell 'dir'"),
    ("tsql", "SELECT NEXT VALUE FOR s"), ("tsql", "SELECT * FROM t WITH (TABLOCKX)"), ("tsql", "SELECT * INTO y FROM t"), ("oracle", "SELECT s.NEXTVAL FROM dual"), ("oracle", "SELECT utl_http.request('http://x') FROM dual"),
    ("postgres", 'SELECT "nextval"(\'s\')'), ("postgres", "SELECT * FROM ROWS FROM (nextval('s'))"), ("postgres", "SELECT lower(x) FROM t, LATERAL pg_sleep(1)"), ("postgres", "SELECT 1 OPERATOR(public.+) 2"),
    ("postgres", "SELECT 1 WHERE EXISTS (SELECT pg_sleep(1))"), ("postgres", "SELECT U&\"nextv\\0061l\"('s')"), ("postgres", "SELECT to_disk('x')"), ("postgres", "SELECT is_evil(1)"), ("postgres", "SELECT make_dir('x')"),
    ("sqlite", "SELECT readfile('x')"), ("sqlite", "SELECT * FROM pragma_table_info('x')"), ("sqlite", "SELECT fts3_tokenizer('x')"), ("sqlite", "SELECT edit('x')"), ("sqlite", "SELECT zeroblob(1000000000)"),
])  # fmt: skip
def test_what_each_database_has_of_its_own_is_refused(dialect, query):
    with pytest.raises(ToolError):
        judged(query, dialect)


@pytest.mark.parametrize(("dialect", "query"), [
    ("mysql", "SELECT DATE_FORMAT(NOW(), '%Y-%m'), IFNULL(a, 0), GROUP_CONCAT(b), FIND_IN_SET('a', b), SUBSTRING_INDEX(a, ',', 1) FROM t GROUP BY c"), ("mysql", "SELECT `a b` FROM `t` LIMIT 5, 10"),
    ("tsql", "SELECT TOP 5 [a b], GETDATE(), DATEDIFF(day, x, y), ISNULL(a, 0) FROM [t]"), ("oracle", "SELECT NVL(a, 0), TO_CHAR(d, 'YYYY') FROM t WHERE ROWNUM <= 5"),
    ("postgres", "SELECT version(), current_user, current_database(), pg_total_relation_size('orders')"), ("postgres", "SELECT count(*) FILTER (WHERE a > 1) OVER (PARTITION BY b) FROM t"), ("postgres", "TABLE orders"),
    ("postgres", "SELECT $$a;b$$, E'\\'; DELETE FROM x; --'"), ("sqlite", "SELECT value FROM json_each('[1]')"), ("sqlite", "SELECT date(x), strftime('%Y', x), printf('%d', 1) FROM t WHERE x >= date('now', '-7 days')"),
])  # fmt: skip
def test_what_each_database_reads_with_is_allowed(dialect, query):
    assert judged(query, dialect)


def test_functions_may_be_allowed_by_name():
    assert judged("SELECT my_score(1)", "postgres", {"my_score"})


def test_what_is_judged_is_what_runs():
    assert judged("SELECT 1 /* DELETE */ -- x", "postgres") == "SELECT 1"
    assert judged("SELECT /*! sleep(5), */ 1", "mysql") == "SELECT 1"


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_rows_for_the_model_and_for_people(shop, lang):
    tools = database(f"sqlite:///{shop}", rows=2)
    found = await ask(tools, "sql_query", lang, query="SELECT id, name, city FROM customers ORDER BY id")
    assert found.text.splitlines()[:3] == ["id | name | city", "1 | 王芳 | 上海", "2 | Lee: 50% off | Lima"]
    assert ("more than 2 rows" if lang == "en" else "超过 2 行") in found.text
    assert found.data == {"columns": ["id", "name", "city"], "rows": [[1, "王芳", "上海"], [2, "Lee: 50% off", "Lima"]]}
    none = await ask(tools, "sql_query", lang, query="SELECT name FROM customers WHERE id > 9")
    assert none.text == ("No rows. Columns: name" if lang == "en" else "没有符合的行。列：name")
    odd = await seen(tools, "SELECT name, city, 'x' || char(10) || 'y' AS t FROM customers WHERE id = 3")
    assert odd.text.splitlines()[1] == "a ¦ b | NULL | x ⏎ y"


async def test_a_long_cell_is_cut_for_the_model_alone(shop):
    found = await seen(database(f"sqlite:///{shop}", cell=5), "SELECT 'abcdefghij' AS long")
    assert (found.text, found.data["rows"]) == ("long\nabcde…", [["abcdefghij"]])


async def test_a_huge_value_is_neither_made_nor_kept(shop):
    tools = database(f"sqlite:///{shop}")
    assert not (await ask(tools, "sql_query", query="SELECT hex(printf('%.*c', 9000000, 'x'))")).ok
    kept = await seen(tools, "SELECT printf('%.*c', 50000, 'x') AS x")
    assert len(kept.data["rows"][0][0]) == 10_001


async def test_the_schema_on_demand(shop):
    tools = database(f"sqlite:///{shop}")
    whole = await ask(tools, "sql_schema")
    assert "customers(id integer, name text, city text)" in whole.text
    assert "orders.customer → customers.id" in whole.text
    one = await ask(tools, "sql_schema", table="orders")
    assert one.text.startswith("orders(id integer, customer integer")
    wrong = await ask(tools, "sql_schema", table="orderz")
    assert not wrong.ok
    assert "customers, orders" in wrong.text


async def test_errors_are_the_databases_own_words(shop):
    found = await ask(database(f"sqlite:///{shop}"), "sql_query", query="SELECT nam FROM customers")
    assert (found.ok, "no such column: nam" in found.text, str(shop) in found.text) == (False, True, False)


async def test_a_query_that_takes_too_long_is_stopped(shop):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    found = await ask(database(f"sqlite:///{shop}", seconds=0.2), "sql_query", query=endless)
    assert (found.ok, "took too long" in found.text) == (False, True)


@pytest.mark.parametrize("statement", ["DELETE FROM orders", "DROP TABLE orders", "PRAGMA query_only = OFF", "ATTACH DATABASE ':memory:' AS x", "CREATE TEMP TABLE x (a)"])
def test_where_reading_the_sql_failed_the_connection_still_refuses(shop, statement):
    base = database_of(shop)
    with pytest.raises(ToolError), base.reading() as connection:
        connection.exec_driver_sql(statement)
    assert untouched(shop)


def database_of(shop):
    return Database(make_url(f"sqlite:///{shop}"))


@pytest.mark.parametrize(("url", "said"), [
    ("nonsense", "makes no sense"), ("oops://x/y", "makes no sense"), ("sqlite:////nowhere/at/all.db", "there is no SQLite file"), ("sqlite://", "there is no SQLite file"),
])  # fmt: skip
def test_a_url_that_makes_no_sense(url, said):
    with pytest.raises(ConfigError, match=said):
        database(url)


# ── PostgreSQL ────────────────────────────────────────────────────────────────


@pytest.fixture
def postgres_shop(postgres):
    psycopg = pytest.importorskip("psycopg")
    plain = postgres.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain, autocommit=True) as made:
        made.execute("DROP TABLE IF EXISTS orders; DROP TABLE IF EXISTS customers; DROP SEQUENCE IF EXISTS s; CREATE SEQUENCE s")
        made.execute(SHOP)
        made.execute("CREATE OR REPLACE FUNCTION evil(int) RETURNS int LANGUAGE sql AS 'DELETE FROM orders; SELECT 1'")
    yield postgres
    with psycopg.connect(plain, autocommit=True) as left:
        assert left.execute("SELECT count(*), min(amount) FROM orders").fetchone() == (3, 7)
        left.execute("DROP FUNCTION evil; DROP TABLE orders; DROP TABLE customers; DROP SEQUENCE s")


async def test_postgres_reads(postgres_shop):
    tools = database(postgres_shop)
    for query in READS:
        if "char(10)" not in query:
            await seen(tools, query)
    assert "customers" in (await ask(tools, "sql_schema")).text
    found = await seen(tools, "SELECT amount, now()::date AS today, ARRAY[1,2] AS a, '{\"k\": 1}'::jsonb AS j FROM orders WHERE id = 1")
    assert found.data["rows"][0][2:] == [[1, 2], {"k": 1}]


async def test_postgres_refuses_writes_even_where_reading_the_sql_failed(postgres_shop):
    tools = database(postgres_shop, functions=["evil", "nextval"])
    for query in ["SELECT evil(1)", "SELECT nextval('s')", *WRITES, *(f"SELECT {call}" for call in FUNCTIONS if "evil" not in call and "nextval" not in call)]:
        found: Observation = await ask(tools, "sql_query", query=query)
        assert not found.ok, query
    base = Database(make_url(postgres_shop))
    for statement in ["DELETE FROM orders", "DROP TABLE orders", "CREATE TABLE x (a int)", "SELECT evil(1)", "SELECT nextval('s')", "SELECT * INTO y FROM orders"]:
        with pytest.raises(ToolError), base.reading() as connection:
            connection.exec_driver_sql(statement)


async def test_postgres_sends_no_more_rows_than_are_shown(postgres_shop):
    many = "SELECT 7 AS n FROM generate_series(1, 1000) AS a, generate_series(1, 1000) AS b, generate_series(1, 1000) AS c"
    found = await seen(database(postgres_shop, rows=3), many)
    assert (found.data["rows"], "more than 3 rows" in found.text) == ([[7], [7], [7]], True)


async def test_postgres_stops_what_takes_too_long(postgres_shop):
    tools = database(postgres_shop, seconds=0.2, functions=["pg_sleep"])
    found = await ask(tools, "sql_query", query="SELECT pg_sleep(30)")
    assert (found.ok, "took too long" in found.text) == (False, True)
    assert "password" not in (await ask(database("postgresql+psycopg://u:password@127.0.0.1:1/x"), "sql_query", query="SELECT 1")).text
