"""Servers that crash, hang, flood and send nonsense: the call says so, the next one works, and nothing is left behind."""

import asyncio

import pytest

from tao.acting import Limits
from tao.tools.mcp import Unreached, mcp_tools


async def test_a_crash_is_said_and_the_next_call_starts_the_server_again(talking, notes):
    async with talking() as (call, _):
        seen = await call("die")
        assert (seen.ok, seen.kind) == (False, "transient")
        assert seen.text.startswith("s__die failed: the connection to the MCP server s broke off; whether it was done is not known")
        assert (await call("echo", a=1)).text == '{"a": 1}'
    assert notes.read_text().split("\n")[:3] == ["started", "died", "started"]


async def test_a_call_that_may_have_been_done_is_not_done_again(talking, notes):
    limits = Limits(fence="none", attempts=3)
    async with talking(limits=limits, lang="zh") as (call, _):
        seen = await call("die")
    assert "无法确定是否已执行" in seen.text
    assert notes.read_text().count("died") == 1


async def test_others_of_the_same_server_are_told_as_well(talking, until, notes):
    async with talking() as (call, _):
        hanging = asyncio.create_task(call("hang"))
        await until(lambda: "hanging" in notes.read_text())
        assert (await call("die")).kind == "transient"
        assert (await hanging).kind == "transient"
        assert (await call("echo")).ok


async def test_a_server_that_died_while_nobody_asked_is_started_again(talking, until):
    async with talking() as (call, tools):
        link = tools.connections[0]._link
        await call("die")
        await until(lambda: link.gone)
        assert (await call("echo")).ok


async def test_a_server_that_cannot_be_started_again_is_left_alone_for_longer_and_longer(talking):
    async with talking("once") as (call, tools):
        await call("die")
        seen = [await call("echo") for _ in range(4)]
        waits = [one.data["retry_after"] for one in seen if one.data]
        assert all(one.kind == "transient" for one in seen)
        assert "could not be reached: MCPError: Connection closed; it wrote: a word on standard error | SECRET is not set" in seen[0].text
        assert "is not there" in seen[-1].text
        assert waits
        assert tools.connections[0]._failures == 3


async def test_a_call_that_takes_too_long_is_cancelled_at_the_server(talking, until, notes):
    async with talking(timeout=0.5) as (call, _):
        seen = await call("hang")
        assert (seen.kind, seen.text.split(".")[0]) == ("timeout", "s__hang took longer than 0")
        await until(lambda: "cancelled" in notes.read_text())
        assert (await call("echo", still="there")).text == '{"still": "there"}'
    assert notes.read_text().count("started") == 1


async def test_a_cancelled_call_is_cancelled_at_the_server(talking, until, notes):
    async with talking() as (call, _):
        task = asyncio.create_task(call("hang"))
        await until(lambda: "hanging" in notes.read_text())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: "cancelled" in notes.read_text())
        assert (await call("echo")).ok


async def test_a_flood_is_taken_and_cut_in_the_one_place_where_texts_are_cut(talking):
    async with talking(limits=Limits(fence="none", tokens=200)) as (call, _):
        seen = await call("flood")
        assert len(seen.text) < 2000
        assert len(seen.full) == 1_000_000
        assert (await call("echo")).ok


async def test_lines_that_are_no_messages_are_passed_over(talking):
    async with talking() as (call, _):
        assert (await call("garbage")).text == "after the garbage"


async def test_a_result_that_is_none_is_said_to_be_unusable(talking):
    async with talking() as (call, _):
        seen = await call("mangled")
        assert (seen.ok, seen.kind) == (False, "error")
        assert "may have done it, but what it sent back cannot be used" in seen.text
        assert "validation errors" not in seen.text  # the first is named, in a line
        assert len(seen.text) < 500
        assert (await call("echo")).ok


async def test_calls_run_together(talking):
    async with talking() as (call, _):
        seen = await asyncio.gather(*(call("echo", n=number) for number in range(20)))
    assert [one.text for one in seen] == [f'{{"n": {number}}}' for number in range(20)]


async def test_leaving_while_a_call_is_under_way_ends_it(entry, left, until, notes):
    before = left()
    async with mcp_tools({"s": entry(env={"NOTES": str(notes)})}, env={}) as tools:
        task = asyncio.create_task(next(tool for tool in tools if tool.name == "s__hang")())
        await until(lambda: "hanging" in notes.read_text())
    with pytest.raises(Unreached, match="broke off"):
        await task
    assert left() == before


async def test_it_may_be_entered_and_left_in_different_tasks(entry, left):
    before = left()
    block = mcp_tools({"s": entry()}, env={})
    tools = await asyncio.create_task(block.__aenter__())
    assert (await tools[0](a=1)).text == '{"a": 1}'
    await asyncio.create_task(block.__aexit__(None, None, None))
    assert left() == before


async def test_a_message_without_end_breaks_the_connection_and_says_so(talking, until, notes):
    async with talking() as (call, _):
        seen = await call("endless")
        assert (seen.kind, "it sent a message of more than 32000000 characters" in seen.text) == ("transient", True)
        assert (await call("echo")).ok
    assert notes.read_text().count("started") == 2


async def test_a_result_that_does_not_fit_the_tools_own_schema_is_given_and_said(talking):
    async with talking() as (call, _):
        seen = await call("misfit")
        assert seen.ok
        assert seen.text.startswith('warm\n{"degrees": "warm"}\n[this does not fit the tool\'s own output schema: ')
        assert "'warm' is not of type 'number'" in seen.text
        assert "did not return structured content" in (await call("missing")).text
    async with talking(lang="zh") as (call, _):
        assert "[该结果不符合工具自己的输出 Schema：" in (await call("misfit")).text
