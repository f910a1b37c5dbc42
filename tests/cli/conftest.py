"""A provider on loopback that answers by script, and the command `tao` as a process of its own."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from aiohttp import web


class Scripted:
    """An OpenAI-compatible server that gives the next text of its script to each request; the last one again and again."""

    def __init__(self):
        self.replies = []
        self.bodies = []
        self.pause = 0.0
        self.on_request = lambda number: None
        self._loop = asyncio.new_event_loop()
        self._runner = None
        self.thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.thread.start()
        self.port = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)

    @property
    def model(self):
        return f"http://127.0.0.1:{self.port}/v1#scripted"

    def will(self, *replies):
        self.replies = list(replies)
        self.bodies.clear()

    async def _start(self):
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._answer)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        return self._runner.addresses[0][1]

    async def _answer(self, request):
        self.bodies.append(await request.json())
        number = len(self.bodies)
        self.on_request(number)
        text = self.replies[min(number, len(self.replies)) - 1]
        usage = {"prompt_tokens": 40, "completion_tokens": 12}
        if not self.bodies[-1].get("stream"):
            whole = {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}], "usage": usage}
            return web.json_response(whole)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        pieces = [{"choices": [{"index": 0, "delta": {"content": text[at : at + 5]}}]} for at in range(0, len(text), 5)]
        for piece in [
            *pieces,
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": usage},
        ]:
            await response.write(f"data: {json.dumps(piece, ensure_ascii=False)}\n\n".encode())
            await asyncio.sleep(self.pause)
        await response.write(b"data: [DONE]\n\n")
        return response

    def close(self):
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self.thread.join(10)
        self._loop.close()


@pytest.fixture(scope="session")
def _server():
    server = Scripted()
    yield server
    server.close()


@pytest.fixture
def server(_server):
    """The scripted provider, as new."""
    _server.will("Final Answer: ok")
    _server.pause, _server.on_request = 0.0, lambda number: None
    return _server


class Tao:
    """Runs `tao` in an empty folder of its own, with an environment of its own."""

    def __init__(self, home: Path, server):
        self.home, self.server = home, server
        self.journal = home / "runs.db"
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "COVERAGE_PROCESS_START") if name in os.environ}
        self.env = {
            **kept,
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PYTHONWARNINGS": "error",
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "100",
        }
        self.env |= {"TAO_JOURNAL": str(self.journal), "TAO_MODEL": server.model, "TAO_DIALECT": "react"}

    def start(self, *args, **env):
        command = [sys.executable, "-m", "tao", *map(str, args)]
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, cwd=self.home, env={**self.env, **env}, text=True, encoding="utf-8", **streams)

    def __call__(self, *args, stdin="", **env):
        process = self.start(*args, **env)
        out, err = process.communicate(stdin, timeout=60)
        return subprocess.CompletedProcess(args, process.returncode, out, err)


@pytest.fixture
def tao(tmp_path, server):
    """The command, against the scripted provider."""
    return Tao(tmp_path, server)
