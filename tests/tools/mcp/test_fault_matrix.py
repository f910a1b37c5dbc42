"""Everything that a server can do wrong, over both transports, alone and beside other calls: the run goes on, and nothing is left behind."""

import asyncio
import contextlib
import os
import socket
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tao import Agent
from tao.acting import Limits
from tao.events import Decided, Observed
from tao.messages import Reply, ToolCall
from tao.permissions import Rule
from tao.testing import ScriptedModel
from tao.tools.declare import declare
from tao.tools.mcp import mcp_tools

SERVER = Path(__file__).with_name("plain_server.py")
FAULTS = {
    "error": ("fails", "error", "城市不存在"), "refusal": ("refuse", "error", "缺少城市"), "hang": ("hang", "timeout", "took longer than"),
    "crash": ("die", "transient", "broke off"), "slow": ("slow", "", "slow but sure"), "flood": ("flood", "", "长"), "nonsense": ("mangled", "error", "cannot be used"),
}  # fmt: skip


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@asynccontextmanager
async def over_http(notes):
    """The plain server over HTTP, once it listens."""
    port = free_port()
    environment = {**os.environ, "PORT": str(port), "NOTES": str(notes)}
    process = await asyncio.create_subprocess_exec(sys.executable, "-S", str(SERVER), env=environment)
    try:
        async with asyncio.timeout(60):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.05)
                else:
                    writer.close()
                    await writer.wait_closed()
                    break
        yield {"url": f"http://127.0.0.1:{port}/mcp"}
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@asynccontextmanager
async def over_pipes(notes):
    yield {"command": sys.executable, "args": ["-S", str(SERVER)], "env": {"NOTES": str(notes)}}


def native(*calls):
    """A reply with these calls at once."""
    return Reply("", calls=tuple(ToolCall(name, "{}", f"c{number}") for number, name in enumerate(calls)), finish="tool_calls")


async def steady():
    """Always works."""
    await asyncio.sleep(0)
    return "steady"


@pytest.fixture(params=["pipes", "http"])
async def server(request, notes, left, until):
    """An entry of the servers file; afterwards there are as many tasks, threads, files and children as before."""
    async with (over_http if request.param == "http" else over_pipes)(notes) as entry:
        before, threads = left(), threading.active_count()
        yield entry
        await until(lambda: left()[1] <= before[1])
        tasks, _, children = left()
        assert tasks <= before[0]
        assert set(children) <= set(before[2])
        assert threading.active_count() <= threads + 1  # the pool of the event loop, which asks for addresses in a thread


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside others"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_run_goes_on(server, fault, beside):
    name, kind, said = FAULTS[fault]
    calls = ["s__echo", f"s__{name}", "steady"] if beside else [f"s__{name}"]
    model = ScriptedModel(native(*calls), Reply("done"))
    async with mcp_tools({"s": {**server, "timeout": 1.5 if fault == "hang" else 60}}, env={}) as tools:
        agent = Agent(
            model, [*tools, declare(steady)], dialect="native", permissions=[Rule("allow", tools=("*",))], limits=Limits(fence="none", attempts=1, tokens=500),
        )  # fmt: skip
        run = await agent.run("Do it")
    assert (run.ended.reason, run.answer) == ("answered", "done")
    seen = {call.tool: one for call, one in run.observed}
    assert len(run.observed) == len(calls) == len([event for event in run.events if isinstance(event, Observed)])
    assert (seen[f"s__{name}"].kind, said in seen[f"s__{name}"].text) == (kind, True), seen[f"s__{name}"].text
    if beside:
        assert seen["steady"].text == "steady"
        assert seen["s__echo"].ok or (fault == "crash" and seen["s__echo"].kind == "transient")


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside others"])
async def test_a_cancelled_run_lets_go_of_everything_and_can_be_resumed(server, notes, until, beside):
    calls = ["steady", "s__hang", "s__hang"] if beside else ["s__hang"]
    model = ScriptedModel(native(*calls), Reply("done"))
    events = []
    async with mcp_tools({"s": server}, env={}) as tools:
        agent = Agent(model, [*tools, declare(steady)], dialect="native", permissions=[Rule("allow", tools=("*",))], limits=Limits(fence="none"))
        task = asyncio.create_task(agent.run("Do it", on_event=events.append))
        await until(lambda: notes.exists() and notes.read_text().count("hanging") == calls.count("s__hang"))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert isinstance(events[2], Decided)
        echo = next(tool for tool in tools if tool.name == "s__echo")
        assert (await echo(still="there")).text == '{"still": "there"}'
    await until(lambda: notes.read_text().count("cancelled") + notes.read_text().count("left") >= calls.count("s__hang"))


async def test_a_server_that_keeps_crashing_ends_in_an_answer_without_it(server):
    model = ScriptedModel(*[native("s__die")] * 3, Reply("without"))
    async with mcp_tools({"s": server}, env={}) as tools:
        agent = Agent(model, [*tools], dialect="native", permissions=[Rule("allow", tools=("*",))], limits=Limits(fence="none", attempts=1, strikes=2))
        run = await agent.run("Do it")
    assert run.answer == "without"
    assert [one.ok for _, one in run.observed] == [False] * 3
    assert "s__die" in run.observed[-1][1].text
