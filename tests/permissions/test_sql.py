import pytest

from tao.permissions.sql import reads_only


@pytest.mark.parametrize("text", [
    "select 1", "SELECT name, count(*) AS n FROM t WHERE x IN (1, 2) GROUP BY name HAVING count(*) > 1 ORDER BY n DESC LIMIT 10;",
    "WITH a AS (SELECT * FROM t), b AS (SELECT max(x) FROM a) SELECT * FROM b;\n", "(SELECT 1) UNION ALL (SELECT 2)", "select 'it''s; drop table t'",
    'select "odd; name" from t', "select a.b, `c` from a join b using (id)", "select * from t where d >= date('now', '-30 days')",
    "select sum(x) over (partition by y order by z) from t", "select 1 -- a note\n", "select /* a note */ 1", "SELECT 名称 FROM 表 WHERE 价格 > 3.5",
    "select case when x > 1 then 'delete' else 'b' end from t", "select updated_at, deleted from t", "select * from t where a = $1 and b = ? and c = :name",
    "select a[1] from t", "select cast(x as decimal(10, 2)) from t", "select exists (select 1 from t)",
])  # fmt: skip
def test_one_plain_select(text):
    assert reads_only(text) is True


@pytest.mark.parametrize("text", [
    "drop table t", "DELETE FROM t", "update t set x = 1", "insert into t values (1)", "pragma writable_schema = 1", "explain analyze delete from t",
    "call f()", "create table t (x int)", "vacuum", "attach 'x' as y", "copy t to '/tmp/x'", "((delete from t))", "values (1)", "; delete from t",
])  # fmt: skip
def test_plainly_something_else(text):
    assert reads_only(text) is False


@pytest.mark.parametrize("text", [
    "", "  ", "select 1; drop table t", "select 1; select 2", "with x as (delete from t returning *) select * from x",
    "with x as (select 1) insert into t select * from x", "with x as (select 1) delete from t", "select * into new from t", "select 1 into outfile '/tmp/x'",
    "select * from t for update", "select * from t for share", "select pg_sleep(9)", "select setval('s', 1)", "select lo_import('/etc/passwd')",
    "select load_extension('x')", "select public.count(1)", 'select "pg_sleep"(9)', "select pg_sleep (9)", "select pg_sleep/* */(9)", "select a[pg_sleep(9)]",
    "select /*!50000 sleep(9) */ 1", "select 1 /* /* */ ; drop table t */", "select 'a\\'; drop table t --'", "select $$a$$; drop table t",
    "select $x$ ' $x$; drop table t --'", "select 1 -- it's\n; drop table t --'", "select 1 --'\n", "select 1 # '\n; drop table t -- '",
    "SELECT [a'] FROM t; DROP TABLE x --']", "select @x := 1", "select 1 drop table t", "SELECT 1 EXEC xp_cmdshell 'dir'", "select 'open", 'select "open',
    "select 1 \x00 ; drop table t", "select nextval('s')", "select * from dblink('x', 'delete from t')", "select query_to_xml('delete from t', true, true, '')",
    "select 1\u037e drop table t", "sélect 1 ; drop", "select --\u2028 1", "select * from f(1)", "select exec('x')",
    "select next value for s", "select NEXT /* a */ VALUE for s from t", "select s.nextval from dual", "select s . currval from dual",
    "select * from t with (tablockx)", "select * from t with (xlock, rowlock) where a = 1", "select * from t (updlock)",
])  # fmt: skip
def test_what_is_not_plainly_a_select_is_not_taken_for_one(text):
    assert reads_only(text) is not True
