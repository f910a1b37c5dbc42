import pytest

from tao.errors import ConfigError
from tao.permissions import Rule, read_rules


def test_a_text_is_a_list_of_one_and_all_fields_are_read():
    (rule,) = read_rules([{
        "allow": "read_*", "effects": ["reads"], "where": {"path": {"under": "/data"}}, "unless": {"path": {"matches": ".*key"}},
        "users": "ann", "roles": ["clerk"], "tenants": ["t"], "sessions": ["s"], "tainted": True, "reason": "r",
    }])  # fmt: skip
    assert rule == Rule(
        "allow", ("read_*",), ("reads",), {"path": {"under": "/data"}}, {"path": {"matches": ".*key"}}, ("ann",), ("clerk",), ("t",), ("s",), True, "r",
    )  # fmt: skip


@pytest.mark.parametrize(("table", "field", "english", "chinese"), [
    ({}, "allow, ask, deny", "exactly one of them was wanted, with names of tools; got: none", "应恰好写其中一个"),
    ({"allow": "a", "deny": "b"}, "allow, ask, deny", "got: allow, deny", "得到：allow、deny"),
    ({"alow": "a"}, "alow", "there is no such field; known: allow, ask, deny, effects, ", "没有这个字段"),
    ({"allow": []}, "allow", 'names no tool and no effect; for every tool write "*"', "若指全部工具请写"),
    ({"deny": []}, "deny", "names no tool and no effect", "没有写明"),
    ({"allow": 3}, "allow", "got 3; wanted: a list of names", "得到 3；应为：名称列表"),
    ({"allow": [""]}, "allow", "wanted: a list of names", "应为：名称列表"),
    ({"allow": "a", "effects": "reads", "roles": [1]}, "roles", "got [1]; wanted: a list of names", "名称列表"),
    ({"allow": "a", "where": "x"}, "where", "got 'x'; wanted: parameters with constraints", "应为参数及其约束"),
    ({"allow": "a", "where": {"path": "/data"}}, "where.path", 'a constraint such as {under = "/data"} was wanted', "应为约束"),
    ({"allow": "a", "where": {"path": {}}}, "where.path", "a constraint such as", "应为约束"),
    ({"allow": "a", "where": {"path": {"unter": "/d"}}}, "where.path.unter", "there is no such constraint; known: under, only, ", "没有这种约束"),
    ({"allow": "a", "where": {"path": {"under": ""}}}, "where.path.under", "got ''; wanted: a text", "得到 ''"),
    ({"allow": "a", "where": {"path": {"under": 3}}}, "where.path.under", "got 3; wanted: a text", "得到 3"),
    ({"allow": "a", "where": {"path": {"from": "/d"}}}, "where.path.from", "is where the paths of `under` begin", "相对路径起点"),
    ({"allow": "a", "where": {"q": {"only": "insert"}}}, "where.q.only", 'got \'insert\'; wanted: "select"', "应为"),
    ({"allow": "a", "where": {"d": {"within_days": "30"}}}, "where.d.within_days", "wanted: a whole number of days, 0 or more", "天数"),
    ({"allow": "a", "where": {"n": {"at_most": True}}}, "where.n.at_most", "got True; wanted: a number", "应为：数字"),
    ({"allow": "a", "where": {"u": {"hosts": ["https://x.org/"]}}}, "where.u.hosts", 'wanted: hosts such as "example.com"', "主机"),
    ({"allow": "a", "where": {"u": {"hosts": []}}}, "where.u.hosts", "got []", "主机"),
    ({"allow": "a", "where": {"u": {"matches": "("}}}, "where.u.matches", "wanted: a regular expression", "正则表达式"),
    ({"deny": "a", "unless": {"u": {"one_of": "x"}}}, "unless.u.one_of", "wanted: a list of values, not empty", "非空的值列表"),
    ({"deny": "a", "tainted": True}, "tainted", "only an allow can cover tainted changes", "只有 allow"),
    ({"allow": "a", "tainted": "yes"}, "tainted", "got 'yes'; wanted: true or false", "true 或 false"),
    ({"allow": "a", "reason": 3}, "reason", "got 3; wanted: a text", "文本"),
    ("allow", "rule", "got 'allow'; wanted: a table", "应为表"),
])  # fmt: skip
def test_a_bad_rule_names_file_rule_and_field(table, field, english, chinese):
    with pytest.raises(ConfigError) as caught:
        read_rules([{"deny": "x"}, table], "my.toml")
    first, second = str(caught.value).split("\n")
    assert first.startswith(f"my.toml, permissions rule 2, {field}: ")
    assert english in first
    assert second.startswith(f"my.toml，第 2 条权限规则，{field}：")
    assert chinese in second


def test_rules_are_a_list_of_tables():
    with pytest.raises(ConfigError, match=r"my.toml: permissions.rules is 3; wanted: tables \[\[permissions.rules\]\]"):
        read_rules(3, "my.toml")


@pytest.mark.parametrize(("make", "said"), [
    (lambda: Rule("may", ("a",)), "permission rule, verdict: got 'may'; wanted: allow, ask or deny"),
    (lambda: Rule("allow"), 'permission rule, allow: names no tool and no effect; to allow everything write "\\*"'),
    (lambda: Rule("deny", where={"p": {}}), "permission rule, where.p: "),
])  # fmt: skip
def test_a_bad_rule_in_python_says_what_is_wrong(make, said):
    with pytest.raises(ConfigError, match=said):
        make()


def test_names_are_matched_with_stars_and_case_counts():
    rule = Rule("deny", ("read_*", "db.query"))
    assert [rule.names(name) for name in ("read_file", "read_", "aread_", "db.query", "dbxquery", "Read_file")] == [True, True, False, True, False, False]
    assert Rule("deny").names("anything")


def test_an_allow_covers_tools_with_no_other_effects_and_a_deny_those_with_one():
    allow, deny = Rule("allow", effects=("reads", "network")), Rule("deny", effects=("network", "money"))
    sets = [("reads",), ("reads", "network"), ("writes", "network"), ("money",), ()]
    assert [allow.covers(effects) for effects in sets] == [True, True, False, False, False]
    assert [deny.covers(effects) for effects in sets] == [False, True, True, True, False]


@pytest.mark.parametrize(("who", "answer"), [
    ({"role": "clerk", "tenant": "acme-eu"}, True), ({"role": ["guest", "clerk"], "tenant": "acme-us"}, True), ({"roles": ["clerk"], "tenant": "acme-x"}, True),
    ({"role": "clerk"}, False), ({"tenant": "acme-eu"}, False), ({"role": "boss", "tenant": "acme-eu"}, False), ({}, False), ({"role": None, "tenant": 3}, False),
])  # fmt: skip
def test_whom_a_rule_is_for(who, answer):
    assert Rule("deny", roles=("clerk",), tenants=("acme-*",)).concerns(who) is answer
    assert Rule("deny").concerns(who)
