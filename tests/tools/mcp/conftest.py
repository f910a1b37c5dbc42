"""Servers to talk to, and a look at whether anything is left of them."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from tao.acting import Limits, acting
from tao.messages import Call
from tao.testing import history
from tao.tools.mcp import mcp_tools

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
HERE = Path(__file__).parent


def plain(mode="good", **more):
    """The entry of our plain server in a servers file."""
    return {"command": sys.executable, "args": ["-S", str(HERE / "plain_server.py"), mode], **more}


def held():
    """What a process may leak: tasks but our own, open files, children."""
    tasks = {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    opened = Path("/proc/self/fd")
    files = len(list(opened.iterdir())) if opened.is_dir() else 0
    return tasks, files, children.read_text().split() if children.exists() else []


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "notes.txt"


@pytest.fixture
def talking(notes):
    """`async with talking(mode) as (call, tools)`: a connected server named "s"; nothing of it is left afterwards."""

    @asynccontextmanager
    async def talk(mode="good", *, lang="en", limits=None, options=None, **more):
        before = held()
        given = more.pop("entry", None) or plain(mode, env={"NOTES": str(notes)}, **more)
        async with mcp_tools({"s": given}, env={}, **(options or {})) as tools:
            act = acting(tools, limits or Limits(fence="none", attempts=1, strikes=99, tokens=100_000))
            ids = count(1)

            async def call(name, **args):
                run = history("q", tools=[tool.spec for tool in tools], lang=lang)
                return await act(Call(f"{next(ids)}.1", f"s__{name}", args), run)

            yield call, tools
        tasks, files, children = held()
        assert tasks <= before[0]
        assert files <= before[1]
        assert set(children) <= set(before[2])

    return talk


@pytest.fixture
def until():
    """`await until(true)`: wait for something that another process does."""

    async def wait(true, seconds=30.0):
        async with asyncio.timeout(seconds):
            while not true():  # noqa: ASYNC110 - it happens in another process
                await asyncio.sleep(0.02)

    return wait


@pytest.fixture
def entry():
    """`entry(mode, **more)`: our plain server in a servers file."""
    return plain


@pytest.fixture
def left():
    """`left()`: tasks, files and children of this process."""
    return held
