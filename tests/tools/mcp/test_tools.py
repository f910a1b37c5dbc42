"""Tools of a server that is spoken to for real, over its standard input and output."""

import asyncio
import json
import logging
import sys
from pathlib import Path

import pytest

from tao.agent import Agent
from tao.errors import ConfigError
from tao.testing import ScriptedModel
from tao.tools.mcp import mcp_tools
from tao.tools.mcp.tools import effects, untitled


async def test_a_call_goes_to_the_server_and_back(talking):
    async with talking() as (call, tools):
        assert tools[0].name == "s__echo"
        assert tools[0].spec.description == "does echo"
        assert json.loads((await call("echo", city="北京", days=3)).text) == {"city": "北京", "days": 3}


async def test_every_kind_of_content_has_words_for_the_model_and_data_for_people(talking):
    async with talking() as (call, _):
        seen = await call("kinds")
    assert seen.text.split("\n") == [
        "你好", "[image, image/png, 18 B]", "[audio, audio/wav, 4 B]", "[resource: file:///a.txt]", "在文件里", "[resource: file:///b.csv]",
        "城市,3", "[resource: file:///c.bin, application/zip, 3 B]", "[resource: d, file:///d.md, text/markdown, 12 B, a note]",
    ]  # fmt: skip
    assert [block["type"] for block in seen.data["content"]] == ["text", "image", "audio", "resource", "resource", "resource", "resource_link"]
    assert seen.data["content"][1]["data"]


async def test_texts_errors_and_structured_content(talking):
    async with talking(lang="zh") as (call, _):
        assert (await call("escaped")).text == '{"city": "北京"}'
        assert (await call("empty")).text == "已完成（没有返回内容）。"
        assert (await call("structured")).text == 'two cities\n{"cities": ["北京", "上海"]}'
        failed = await call("fails")
        assert (failed.ok, failed.kind, failed.text) == (False, "error", "s__fails 出错：城市不存在")
        refused = await call("refuse")
        assert (refused.ok, refused.kind, refused.text) == (False, "error", "s__refuse 出错：缺少城市。请修改参数或换一种方法。")


async def test_progress_is_passed_through(talking):
    heard = []
    async with talking(options={"progress": heard.append}) as (call, _):
        assert (await call("counts")).text == "counted"
    assert [(one.server, one.tool, one.done, one.total, one.message) for one in heard] == [
        ("s", "counts", number, 3, f"第 {number} 步") for number in (1, 2, 3)
    ]  # fmt: skip


async def test_a_server_may_change_its_tools(talking, until):
    told = []
    async with talking(options={"changed": lambda: told.append(1)}) as (call, tools):
        assert "s__grown" not in [tool.name for tool in tools]
        await call("grow")
        await until(lambda: told)
        grown = next(tool for tool in tools if tool.name == "s__grown")
        assert (await grown(a=1)).text == '{"a": 1}'


async def test_only_what_is_allowed_is_offered(talking):
    async with talking(allow=["e*", "die"], deny=["*empty*", "endless"]) as (call, tools):
        assert [tool.name for tool in tools] == ["s__echo", "s__die", "s__escaped", "s__environment"]
        assert (await call("hang")).kind == "unknown_tool"


async def test_a_server_sees_no_more_of_our_environment_than_it_needs(talking, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    async with talking() as (call, _):
        names = set(json.loads((await call("environment")).text))
    assert "OPENAI_API_KEY" not in names
    assert {"NOTES", "PATH"} <= names


async def test_names_are_such_as_every_provider_takes_and_titles_cost_nothing(talking):
    async with talking("names") as (_, tools):
        names = [tool.name for tool in tools]
        schema = tools[0].spec.parameters
    assert names[0] == "s__a_b"
    assert names[1].startswith("s__a_b_")
    assert len(set(names)) == 5
    assert all(len(name) <= 64 and name.isascii() for name in names)
    assert schema == {"type": "object", "properties": {"title": {"type": "string"}}}


@pytest.mark.parametrize(("mode", "word"), [("twice", "two tools"), ("huge", "left out")])
async def test_what_no_prompt_can_carry_is_left_out_and_said(talking, caplog, mode, word):
    with caplog.at_level(logging.WARNING, "tao.tools.mcp"):
        async with talking(mode) as (_, tools):
            names = [tool.name for tool in tools]
    assert word in caplog.text
    assert names.count("s__echo") == 1
    assert "s__huge" not in names


async def test_a_tool_whose_schema_makes_no_sense_is_left_out_alone_and_said(talking, caplog):
    with caplog.at_level(logging.WARNING, "tao.tools.mcp"):
        async with talking() as (_, tools):
            good = [tool.name for tool in tools]
        assert caplog.text == ""
        async with talking("malformed") as (call, tools):
            assert [tool.name for tool in tools] == [*good, "s__untyped"]
            assert (await call("echo", a=1)).text == '{"a": 1}'
            assert (await call("untyped", a="x")).text == '{"a": "x"}'
            refused = await call("untyped", a=[1, 2])
            assert refused.kind == "bad_arguments"
    for number in range(12):
        assert f"tool 'bad{number}' of MCP server s is left out" in caplog.text
    assert "tool 'bad0' of MCP server s is left out: inputSchema: Input should be" in caplog.text
    assert "tool 'bad11' of MCP server s is left out, its schema makes no sense: properties.a.properties.b: got 'text', wanted a schema" in caplog.text
    for name in ("'bare'", "'output'", "22", "23"):
        assert f"tool {name} of MCP server s is left out" in caplog.text


def test_hints_of_strangers_are_hints():
    assert effects(readonly=False, closed=True, trusted=False) == ("writes", "network", "untrusted")
    assert effects(readonly=True, closed=True, trusted=False) == ("reads", "network", "untrusted")
    assert effects(readonly=True, closed=True, trusted=True) == ("reads",)
    assert effects(readonly=False, closed=False, trusted=True) == ("writes", "network")


async def test_a_trusted_server_is_believed(talking):
    async with talking(trust=True, timeout=7) as (_, tools):
        echo, other = tools[0], tools[1]
    assert (echo.spec.effects, echo.idempotent, echo.volatile, echo.timeout) == (("reads",), True, False, 7)
    assert (other.spec.effects, other.idempotent, other.volatile) == (("writes", "network"), False, True)
    async with talking() as (_, tools):
        assert (tools[0].spec.effects, tools[0].idempotent) == (("reads", "network", "untrusted"), False)


def test_a_property_named_title_stays():
    schema = {"title": "T", "properties": {"title": {"title": "Title", "enum": [{"title": "x"}]}}, "anyOf": [{"title": "A"}]}
    assert untitled(schema) == {"properties": {"title": {"enum": [{"title": "x"}]}}, "anyOf": [{}]}


# ── servers that cannot be reached ────────────────────────────────────────────


@pytest.mark.parametrize(("given", "said"), [
    ({"command": "no-such-program-anywhere"}, "No such file or directory"),
    ("refuses", "it wrote: a word on standard error | SECRET is not set"),
    ("silent", "no answer within 0.5 s"),
])  # fmt: skip
async def test_a_server_that_does_not_start_is_said_with_its_own_last_words(entry, left, given, said):
    before = left()
    wanted = entry(given, connect_timeout=0.5 if given == "silent" else 30) if isinstance(given, str) else given
    with pytest.raises(ConfigError) as caught:
        async with mcp_tools({"mine": wanted}, env={}):
            pass
    text = str(caught.value)
    assert said in text
    assert "'mine'" in text
    assert '"optional": true' in text
    assert "无法连接 MCP 服务器 'mine'" in text
    assert left() == before


async def test_the_others_go_on_without_an_optional_server(entry, caplog):
    both = {"good": entry(), "bad": {"command": "no-such-program-anywhere", "optional": True}, "off": {"command": "x", "disabled": True}}
    with caplog.at_level(logging.WARNING, "tao.tools.mcp"):
        async with mcp_tools({"mcpServers": both}, env={}) as tools:
            assert {tool.name.split("__")[0] for tool in tools} == {"good"}
    assert "bad could not be reached" in caplog.text


async def test_a_servers_own_error_of_any_number_is_what_the_server_said(talking, notes):
    async with talking() as (call, _):
        refused = await call("quota")
        assert (refused.ok, refused.kind) == (False, "error")
        assert "the quota of today is used up" in refused.text
        assert (await call("echo", a=1)).ok
    assert notes.read_text().count("started") == 1


async def test_another_event_loop_is_told_so():
    entry = {"command": sys.executable, "args": ["-S", str(Path(__file__).parent / "plain_server.py"), "good"]}
    async with mcp_tools({"s": entry}, env={}) as tools:
        agent = Agent(ScriptedModel('Action: s__echo\nAction Input: {"a": 1}'), [*tools], dialect="react")
        run = await asyncio.to_thread(agent.run_sync, "q")
        assert run.ended.reason == "failed"
        assert "another event loop" in run.ended.detail
