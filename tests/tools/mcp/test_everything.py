"""The protocol's own test server (`@modelcontextprotocol/server-everything`, from npm), over both transports."""

import asyncio
import os
import shutil
import socket
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tao.tools.mcp import mcp_tools

PACKAGE = "@modelcontextprotocol/server-everything"
NODE, NPM = shutil.which("node"), shutil.which("npm")


@pytest.fixture(scope="module")
def script():
    """The server's script, from the cache; fetched once where npm can."""
    if not NODE:
        pytest.skip("node is not installed")
    folder = Path(os.environ.get("TAO_CACHE") or "~/.cache/tao").expanduser() / "npm"
    found = folder / "node_modules" / PACKAGE / "dist" / "index.js"
    if not found.exists():
        if not NPM:
            pytest.skip("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        command = [NPM, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0", "--prefix", str(folder), PACKAGE]
        try:
            subprocess.run(command, check=True, timeout=120, capture_output=True)
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"{PACKAGE} could not be fetched: {error}")
    return str(found)


@asynccontextmanager
async def serving(script):
    """The server over HTTP, once it listens; gives its address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        NODE, script, "streamableHttp", env={**os.environ, "PORT": str(port)}, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
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
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.wait()


async def talk(tools, heard):
    by_name = {tool.name: tool for tool in tools}

    async def call(name, **args):
        return await by_name[f"e__{name}"](**args)

    assert (await call("echo", message="你好")).text == "Echo: 你好"
    assert "3" in (await call("get-sum", a=1, b=2)).text
    image = await call("get-tiny-image")
    assert "[image, image/png, " in image.text
    assert any(block["type"] == "image" and block["data"] for block in image.data["content"])
    assert (await call("get-resource-links", count=2)).text.count("[resource: ") == 2
    assert "[resource: demo://resource/" in (await call("get-resource-reference", resourceType="Text", resourceId=1)).text
    structured = await call("get-structured-content", location="Chicago")
    assert set(structured.data["structured"]) == {"temperature", "conditions", "humidity"}
    assert structured.text.count("humidity") == 1
    assert "completed" in (await call("trigger-long-running-operation", duration=0.2, steps=2)).text
    assert [(one.done, one.total) for one in heard] == [(1, 2), (2, 2)]
    refused = await call("get-sum", a="x", b=2)
    assert not refused.ok
    assert by_name["e__echo"].spec.effects == ("reads", "network", "untrusted")
    assert by_name["e__gzip-file-as-resource"].spec.effects[0] == "writes"


async def test_over_standard_input_and_output(script, left):
    before, heard = left(), []
    entry = {"command": NODE, "args": [script, "stdio"], "connect_timeout": 60}
    async with mcp_tools({"e": entry}, env={}, progress=heard.append) as tools:
        await talk(tools, heard)
    assert left() == before


async def test_over_http(script):
    heard = []
    async with serving(script) as url, mcp_tools({"e": {"type": "http", "url": url, "connect_timeout": 60}}, env={}, progress=heard.append) as tools:
        await talk(tools, heard)
