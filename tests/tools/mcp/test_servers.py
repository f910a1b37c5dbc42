"""The file of servers: what entries mean, and what is said of those that make no sense."""

import json

import pytest

from tao.errors import ConfigError
from tao.tools.mcp.servers import Server, servers

ENV = {"TOKEN": "秘密", "EMPTY": ""}


def one(entry, env=ENV):
    (found,) = servers({"mcpServers": {"s": entry}}, env)
    return found


def test_a_program_with_all_it_may_say():
    found = one({
        "type": "stdio", "command": "npx", "args": ["-y", "pkg"], "env": {"KEY": "${TOKEN}"}, "cwd": "/srv", "timeout": 5, "connect_timeout": 2.5,
        "allow": ["read_*"], "deny": ["read_all"], "trust": True, "optional": True, "description": "left alone", "autoApprove": [],
    })  # fmt: skip
    assert found == Server(
        "s", "npx", ("-y", "pkg"), {"KEY": "秘密"}, "/srv", timeout=5, connect=2.5, allow=("read_*",), deny=("read_all",), trusted=True, optional=True,
    )  # fmt: skip
    assert [found.offers(name) for name in ("read_one", "read_all", "write")] == [True, False, False]


@pytest.mark.parametrize("kind", ["http", "streamable-http", "streamableHttp", None])
def test_an_address(kind):
    found = one({"url": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}, **({"type": kind} if kind else {})})
    assert (found.url, found.headers, found.command) == ("https://example.org/mcp", {"Authorization": "Bearer 秘密"}, "")


def test_secrets_are_not_shown():
    assert "秘密" not in repr(one({"url": "https://example.org/mcp?key=${TOKEN}", "headers": {"Authorization": "Bearer ${TOKEN}"}}))
    assert "秘密" not in repr(one({"command": "x", "env": {"KEY": "${TOKEN}"}}))


@pytest.mark.parametrize(("text", "read"), [
    ("${TOKEN}", "秘密"), ("a-${env:TOKEN}-b", "a-秘密-b"), ("${NONE:-default}", "default"), ("${NONE:-}", ""), ("${EMPTY:-default}", "default"),
    ("${EMPTY}", ""), ("$TOKEN", "$TOKEN"), ("${TOKEN}${TOKEN}", "秘密秘密"),
])  # fmt: skip
def test_variables(text, read):
    assert one({"command": "x", "args": [text]}).args == (read,)


def test_a_value_is_not_looked_into_for_further_variables():
    assert one({"command": "x", "args": ["${A}"]}, {"A": "${B}"}).args == ("${B}",)


@pytest.mark.parametrize("held", [{"mcpServers": {"s": {"command": "x"}}}, {"servers": {"s": {"command": "x"}}, "inputs": []}, {"s": {"command": "x"}}])
def test_the_forms_that_other_clients_write(held):
    assert servers(held, {}) == (Server("s", "x"),)


def test_a_file_and_its_folder(tmp_path):
    path = tmp_path / "mcp.json"
    path.write_text("\ufeff" + json.dumps({"mcpServers": {"s": {"command": "x", "cwd": "sub"}, "off": {"disabled": True}}}), encoding="utf-8")
    assert servers(path, {}) == (Server("s", "x", cwd=str(tmp_path / "sub")),)
    assert servers(str(path), {}) == servers(path, {})


@pytest.mark.parametrize(("entry", "english", "chinese"), [
    ({}, 'wanted "command" (a program) or "url" (an address), one of the two', '应为"command"（程序）或 "url"（地址）二者之一'),
    ({"command": "x", "url": "https://e.org"}, 'got ["command", "url"], wanted "command"', "二者之一"),
    ({"command": ["x"]}, 's → command: got ["x"], wanted a text', "应为文本"),
    ({"command": ""}, 's → command: got "", wanted the program to start', "要启动的程序"),
    ({"command": "x", "args": "-y"}, 's → args: got "-y", wanted a list of texts', "文本列表"),
    ({"command": "x", "env": {"PORT": 80}}, "s → env → PORT: got 80, wanted a text", "应为文本"),
    ({"command": "x", "env": []}, "s → env: got [], wanted an object of texts", "值为文本的对象"),
    ({"command": "x", "timeout": 0}, "s → timeout: got 0, wanted a number of seconds, more than 0", "大于 0 的秒数"),
    ({"command": "x", "timeout": True}, "s → timeout: got true, wanted a number", "大于 0 的秒数"),
    ({"command": "x", "trust": "yes"}, 's → trust: got "yes", wanted true or false', "true 或 false"),
    ({"command": "x", "disabled": 1}, "s → disabled: got 1, wanted true or false", "true 或 false"),
    ({"command": "x", "alow": ["a"]}, "there is no 'alow'; did you mean 'allow'?", "是否想写 'allow'"),
    ({"command": "x", "args": ["${MISSING}"]}, "s → args → 0 needs the environment variable MISSING", "需要环境变量 MISSING"),
    ({"command": "x", "args": ["${input:key}"]}, "wanted a value without ${input:…}", "只有编辑器能询问"),
    ({"url": "example.org"}, 's → url: got "example.org", wanted an address that begins with http', "以 http:// 或 https:// 开头"),
    ({"url": "https://e.org", "type": "sse"}, 's → type: got "sse", wanted "stdio" or "http"', "不支持旧的"),
    ({"url": "https://e.org", "type": 3}, "s → type: got 3", "收到 3"),
    ("npx", 's: got "npx", wanted an object with "command" or "url"', '含 "command" 或 "url" 的对象'),
])  # fmt: skip
def test_what_makes_no_sense_is_said_with_its_place(entry, english, chinese):
    with pytest.raises(ConfigError) as caught:
        one(entry)
    first, second = str(caught.value).split("\n")
    assert english in first
    assert chinese in second


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read the MCP servers of .*nowhere.json"):
        servers(tmp_path / "nowhere.json", {})
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(ConfigError, match=r"bad.json is not valid JSON: .*line 1"):
        servers(tmp_path / "bad.json", {})
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(ConfigError, match=r"list.json: got \[\], wanted an object"):
        servers(tmp_path / "list.json", {})
