"""Commands with the tools of an MCP server: listing, asking, a conversation, approval."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
SERVER = Path(__file__).parents[1] / "tools" / "mcp" / "plain_server.py"
ECHO = 'Thought: look\nAction: s__echo\nAction Input: {"city": "北京"}'
WRITES = "Thought: do\nAction: s__kinds\nAction Input: {}"
DONE = "Thought: done\nFinal Answer: It is 北京."


@pytest.fixture
def home(tao):
    entry = {"command": sys.executable, "args": ["-S", str(SERVER)], "env": {"NOTES": "${NOTES:-}"}, "allow": ["echo", "kinds", "garbage"]}
    (tao.home / "mcp.json").write_text(json.dumps({"mcpServers": {"s": entry}}))
    return tao.home


def test_the_tools_are_listed_and_can_be_tried(tao, home):
    done = tao("tools", "--mcp", "mcp.json", "--json")
    listed = [json.loads(line) for line in done.stdout.splitlines()]
    assert [spec["name"] for spec in listed if "__" in spec["name"]] == ["s__echo", "s__garbage", "s__kinds"]
    tried = tao("tools", "call", "s__echo", "city=北京", "--mcp", "mcp.json")
    assert (tried.returncode, '{"city": "北京"}' in tried.stdout) == (0, True)


def test_a_question_is_answered_with_them(tao, home, server):
    server.will(ECHO, DONE)
    done = tao("ask", "Which city?", "--mcp", "mcp.json")
    assert (done.returncode, done.stderr.count("a word on standard error")) == (0, 0)
    assert '{"city": "北京"}' in done.stdout
    assert "It is 北京." in done.stdout


def test_a_conversation_keeps_one_server(tao, home, server):
    server.will(ECHO, DONE)
    (home / "tao.toml").write_text('mcp = "mcp.json"\n')
    done = tao("chat", "-q", stdin="Which city?\nAgain?\n", NOTES=str(home / "notes.txt"))
    assert done.stdout.count("It is 北京.") == 2
    assert (home / "notes.txt").read_text().count("started") == 1


def test_what_may_change_something_waits_for_a_person(tao, home, server):
    (home / "tao.toml").write_text('mcp = "mcp.json"\n')
    server.will(WRITES, DONE)
    assert tao("ask", "Do it").returncode == 4
    assert "s__kinds" in tao("approve").stdout
    done = tao("approve", "--yes")
    assert (done.returncode, "It is 北京." in done.stdout) == (0, True)


def test_a_server_that_does_not_start_is_one_sentence(tao, home):
    (home / "mcp.json").write_text(json.dumps({"mcpServers": {"s": {"command": sys.executable, "args": ["-S", str(SERVER), "refuses"]}}}))
    done = tao("ask", "Which city?", "--mcp", "mcp.json")
    assert done.returncode == 2
    assert "the MCP server 's' could not be reached" in done.stderr
    assert "SECRET is not set" in done.stderr
    assert "Traceback" not in done.stderr


def test_stray_lines_of_a_server_do_not_reach_the_screen(tao, home):
    done = tao("tools", "call", "s__garbage", "--mcp", "mcp.json", "--yes")
    assert (done.returncode, "after the garbage" in done.stdout) == (0, True)
    (told,) = done.stderr.splitlines()
    assert told.startswith("· In a run a person would be asked first: s__garbage")
