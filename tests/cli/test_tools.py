"""`tao tools`: what there is, what switches it on, and trying one."""

import json
import re
import sqlite3

import pytest

pytest.importorskip("pint")


def test_tools_that_are_off_are_listed_with_what_switches_them_on(tao):
    said = tao("tools").stdout
    assert "calculator  (expression: string) · reads" in said
    for line in ("files      read_file, write_file, list_files · reads writes · root = ", "python     python · executes", "search     reads · --docs DIR", "--offer NAME"):
        assert line in said
    chosen = tao("tools", "--offer", "units").stdout
    assert "convert_units  (value: number, unit: string, to: string) · reads" in chosen
    assert "units      " not in chosen
    assert "更多工具：用 --offer 名称" in tao("tools", TAO_LANG="zh", LANG="zh_CN.UTF-8").stdout


def test_limits_and_effects_are_shown(tao):
    sqlite3.connect(tao.home / "shop.db").execute("CREATE TABLE t (a)").connection.close()
    said = tao("tools", "--offer", "sql", "--offer", "files", TAO_DATABASE="sqlite:///shop.db", TAO_ROOT=".").stdout
    assert "sql_query  (query: string) · reads · ≤ 15 s" in said
    assert "write_file  (path: string, text: string, replace: boolean?) · writes · asks first" in said


@pytest.mark.parametrize(("words", "said"), [
    (["calculator", "expression=2*(3+4)^2"], "98"), (["calculator", '{"expression": "1+1"}'], "2"), (["convert_units", "value=3", "unit=斤", "to=公斤"], "3 斤 = 1.5 公斤"),
    (["date_diff", "start=2024-02-28", "end=2024-03-15"], "16"),
])  # fmt: skip
def test_one_is_tried_whether_or_not_it_is_on_offer(tao, words, said):
    done = tao("tools", "call", *words)
    assert (done.returncode, done.stdout.strip()) == (0, said), done.stderr


def test_what_was_mended_is_shown_and_what_does_not_fit_is_said(tao):
    assert tao("tools", "call", "convert_units", '{"value": "12", "unit": "km", "to": "m"}').stdout.splitlines() == ['· value: "12" → 12', "12 km = 12000 m"]
    wrong = tao("tools", "call", "convert_units", "value=abc", "unit=km", "to=m")
    assert (wrong.returncode, 'value: got "abc" (text), wanted a number' in wrong.stdout) == (1, True)
    unknown = tao("tools", "call", "calculater", "expression=1")
    assert (unknown.returncode, "Did you mean calculator?" in unknown.stdout) == (1, True)


def test_what_does_more_than_look_needs_a_yes(tao):
    words = ("tools", "call", "write_file", "path=a.txt", "text=42")
    refused = tao(*words, TAO_ROOT=".")
    assert (refused.returncode, "give --yes to run it" in refused.stderr, (tao.home / "a.txt").exists()) == (2, True, False)
    assert tao(*words, "--yes", TAO_ROOT=".").returncode == 0
    assert (tao.home / "a.txt").read_text() == "42"
    seen = json.loads(tao("tools", "call", "read_file", "path=a.txt", "--json", TAO_ROOT=".").stdout)
    assert (seen["text"], seen["ok"]) == ("42", True)


RULES = """
root = "."
offer = ["files", "convert_units"]

[[permissions.rules]]
deny = "write_file"
where = { path = { matches = ".*[.]env" } }
reason = "keys are not for agents"

[[permissions.rules]]
allow = "write_file"
where = { path = { under = "notes" } }

[[permissions.rules]]
deny = "list_files"

[[permissions.rules]]
ask = "read_file"

[[permissions.rules]]
deny = "convert_units"
where = { value = { at_least = 100 } }
"""


def test_what_the_rules_deny_is_not_done_by_hand_either(tao):
    (tao.home / "tao.toml").write_text(RULES)
    for words in (["path=a.env", "text=1"], ['{"path": "a.env", "text": "1"}', "--yes"]):
        denied = tao("tools", "call", "write_file", *words)
        assert (denied.returncode, (tao.home / "a.env").exists()) == (1, False)
        assert "write_file was not run: the permission rules deny this call (keys are not for agents)" in denied.stdout
    seen = json.loads(tao("tools", "call", "list_files", "--json").stdout)
    assert (seen["ok"], seen["kind"], seen["text"]) == (False, "denied", "list_files was not run: the permission rules deny this call (a rule says deny)")
    assert "权限规则禁止这次调用（规则禁止）" in tao("tools", "call", "list_files", TAO_LANG="zh", LANG="zh_CN.UTF-8").stdout
    late = tao("tools", "call", "convert_units", '{"value": "１００", "unit": "km", "to": "m"}')  # judged as it would run
    assert (late.returncode, "the permission rules deny this call" in late.stdout) == (1, True)


def test_what_a_run_would_do_is_said_and_the_call_goes_on(tao):
    (tao.home / "tao.toml").write_text(RULES)
    (tao.home / "notes").mkdir()
    done = tao("tools", "call", "write_file", "path=notes/a.txt", "text=42", "--yes")
    assert (done.returncode, done.stderr.strip()) == (0, "· In a run this would be done without asking: a rule allows it")
    done = tao("tools", "call", "write_file", "path=b.txt", "text=42", "--yes")
    assert (done.returncode, done.stderr.strip()) == (0, "· In a run a person would be asked first: it is allowed only where path under='notes'")
    done = tao("tools", "call", "read_file", "path=b.txt", "--json", TAO_LANG="zh", LANG="zh_CN.UTF-8")
    assert (json.loads(done.stdout)["text"], done.stderr.strip()) == ("42", "· 在运行中会先询问：规则要求询问")
    done = tao("tools", "call", "convert_units", "value=3", "unit=km", "to=m")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_rules_are_part_of_what_is_listed(tao):
    (tao.home / "tao.toml").write_text(RULES)
    said = tao("tools").stdout
    for line in (
        "write_file  (path: string, text: string, replace: boolean?) · writes · depends on arguments: allowed / asks first / denied\n",
        "· reads · asks first\n", "· reads · denied\n", "convert_units  (value: number, unit: string, to: string) · reads · depends on arguments: allowed / denied\n",
        "calculator  (expression: string) · reads\n",
    ):  # fmt: skip
        assert line in said
    zh = tao("tools", TAO_LANG="zh", LANG="zh_CN.UTF-8").stdout
    for line in ("取决于参数：允许 / 先询问 / 禁止\n", "· reads · 先询问\n", "· reads · 禁止\n"):
        assert line in zh


@pytest.mark.parametrize(("words", "said"), [
    (["call"], "tao tools call NAME"), (["nonsense"], "tao tools call NAME"), (["call", "calculator", "12"], "name=value or a JSON object, not '12'"), (["call", "calculator", "{x"], "not a JSON object"),
    (["call", "calculator", '{"a":' * 9000 + "1" + "}" * 9000], "not a JSON object"),
    (["call", "calculator", '{"expression": "1", "expression": "2"}'], "the arguments give 'expression' twice, with different values"),
    (["call", "calculator", "expression=1", "expression=2"], "the arguments give 'expression' twice, with different values"),
    (["call", "read_file", "path=x"], "need the setting 'root'"), (["--offer", "nope"], "no built-in tool 'nope'"), (["call", "sql_query", "query=SELECT 1"], "need the setting 'database'"),
])  # fmt: skip
def test_what_makes_no_sense(tao, words, said):
    done = tao("tools", *words)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_tools_are_switched_on_in_the_settings_file(tao):
    (tao.home / "tao.toml").write_text('offer = ["files", "convert_units"]\nroot = "."\n')
    names = [json.loads(line)["name"] for line in tao("tools", "--json").stdout.splitlines()]
    assert names[-4:] == ["read_file", "write_file", "list_files", "convert_units"]
    assert "convert_units" not in tao("tools", "--json", TAO_OFFER="calendar").stdout


def test_a_question_that_needs_a_file(tao, server):
    (tao.home / "notes.md").write_text("The code is 4711.\n")
    server.will('Thought: look\nAction: read_file\nAction Input: {"path": "notes.md"}', "Thought: there\nFinal Answer: The code is 4711.")
    done = tao("ask", "What is the code?", "--offer", "read_file", "--dialect", "react", TAO_ROOT=".")
    assert "The code is 4711." in done.stdout
    assert "notes.md" in json.dumps(server.bodies[-1])


def test_finding_tools_by_name_and_by_words(tao):
    assert tao("tools", "--find", "date_diff").stdout.startswith("date_diff  (")
    found = tao("tools", "--offer", "units", "--find", "convert a unit").stdout
    assert found.startswith("convert_units  (")
    assert "--offer NAME" not in found
    zh = tao("tools", "--offer", "calendar", "--find", "节假日", "--lang", "zh").stdout
    assert zh.startswith("chinese_calendar  (")
    lines = tao("tools", "--find", "date", "--json").stdout.splitlines()
    assert all("date" in json.loads(one)["name"] for one in lines)
    assert lines


def test_finding_nothing_and_finding_beside_a_call(tao):
    nothing = tao("tools", "--find", "helicopter")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "no tool on offer fits 'helicopter'; tao tools lists them all" in nothing.stderr
    assert "没有符合“直升机”的工具" in tao("tools", "--find", "直升机", TAO_LANG="zh", LANG="zh_CN.UTF-8").stderr
    wrong = tao("tools", "call", "calculator", "expression=1", "--find", "x")
    assert (wrong.returncode, "wanted: tao tools [--find TEXT]" in wrong.stderr) == (2, True)


def test_each_call_by_hand_has_an_idempotency_key_of_its_own(tao):
    (tao.home / "keyed.py").write_text(
        'from tao import tool\n\n@tool(effects=("writes",), key="key")\ndef pay(to: str, key: str = "") -> str:\n    """Pay."""\n    return key\n'
    )
    keys = {tao("tools", "call", "pay", "to=Bob", "--tools", "keyed.py", "--yes").stdout.strip() for _ in range(2)}
    assert sorted(map(len, keys)) == [32, 32]


LONG = '''
from tao import tool

@tool
def stock(item: str, warehouse: str) -> int:
    """How many pieces of an item are in stock, over all shelves of the warehouse that is named, without what has been promised to customers.

    Args:
        item: the article's name or its number, as it stands on the label; parts of a name are enough where only one article has them
    """
    return 1
'''


@pytest.mark.parametrize("width", [40, 100])
def test_descriptions_are_wrapped_on_a_screen_and_whole_in_a_pipe(tao, width):
    (tao.home / "long.py").write_text(LONG, encoding="utf-8")
    piped = tao("tools", "--tools", "long.py", COLUMNS=str(width)).stdout
    assert "  How many pieces of an item are in stock, over all shelves of the warehouse that is named, without what has been promised to customers.\n" in piped
    on_screen = tao("tools", "--tools", "long.py", COLUMNS=str(width), FORCE_COLOR="1", NO_COLOR="1").stdout
    lines = re.sub(r"\x1b\[[0-9;]*m", "", on_screen).splitlines()
    assert all(len(line) <= width for line in lines)
    assert "without what has been promised to customers." in " ".join(" ".join(lines).split())
    assert "parts of a name are enough where only one article has them" in " ".join(" ".join(lines).split())
