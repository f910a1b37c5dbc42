"""A provider on loopback, over real HTTP: it answers as it is told and keeps what it was sent."""

import asyncio
import json
import os
import queue
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tao.models.catalogue import CATALOGUE, cache_folder

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Provider:
    """Answers requests in turn with JSON, event streams, or a handler of the test's own; the last answer is repeated."""

    def __init__(self) -> None:
        self.answers: list[Handler] = []
        self.bodies: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.peers: list[Any] = []
        self.gone = 0
        self.url = ""

    def will(self, *answers: Any) -> None:
        """Each answer: a dict (JSON), a list (an event stream of those pieces), a text (the reply), or a handler."""
        self.answers += [_handler(answer) for answer in answers]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.raw.append(await request.read())
        self.bodies.append(json.loads(self.raw[-1]))
        self.headers.append(dict(request.headers))
        self.peers.append(request.transport.get_extra_info("peername"))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return await answer(request)


def said(text: str | None = None, **message: Any) -> dict[str, Any]:
    """A whole answer with this text; further fields of the message, `usage` and `finish` by keyword."""
    usage, finish = message.pop("usage", {"prompt_tokens": 7, "completion_tokens": 2}), message.pop("finish", "stop")
    answer = {
        "id": "x", "object": "chat.completion", "model": "served", "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
    }  # fmt: skip
    return answer if usage is None else {**answer, "usage": usage}


def piece(text: str | None = None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """One piece of a stream."""
    if text is not None:
        delta["content"] = text
    return {"object": "chat.completion.chunk", "model": "served", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def message(*blocks: Any, stop: str = "end_turn", usage: Any = None, **more: Any) -> dict[str, Any]:
    """A whole answer in Anthropic's form; a text stands for a block of text."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    usage = {"input_tokens": 7, "output_tokens": 2} if usage is None else usage
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "served", "content": content, "stop_reason": stop, "usage": usage, **more}


def events(whole: dict[str, Any], size: int = 4, *, until: str = "") -> list[Any]:
    """The same answer as events of a stream, texts in pieces of `size`; `until`: the event before which it breaks off."""
    start = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    made: list[dict[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    fields = {"text": ("text", "text_delta"), "thinking": ("thinking", "thinking_delta"), "signature": ("signature", "signature_delta")}
    for place, block in enumerate(whole["content"]):
        calls = block["type"] == "tool_use"
        pieces = {name: block[name] for name in fields if name in block}
        made.append({"type": "content_block_start", "index": place, "content_block": {**block, **dict.fromkeys(pieces, ""), **({"input": {}} if calls else {})}})
        for name, value in pieces.items():
            key, kind = fields[name]
            step = size if name != "signature" else len(value) or 1
            made += [
                {"type": "content_block_delta", "index": place, "delta": {"type": kind, key: value[at : at + step]}}
                for at in range(0, len(value), step)
            ]
        if calls:
            text = json.dumps(block["input"], ensure_ascii=False) if block["input"] else ""
            made += [
                {"type": "content_block_delta", "index": place, "delta": {"type": "input_json_delta", "partial_json": text[at : at + size]}}
                for at in range(0, len(text), size)
            ]
        made.append({"type": "content_block_stop", "index": place})
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None, **{key: whole[key] for key in ("stop_details",) if key in whole}}
    made += [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": whole["usage"]["output_tokens"], **{
        key: value for key, value in whole["usage"].items() if key == "output_tokens_details"
    }}}, {"type": "message_stop"}]  # fmt: skip
    names = [event["type"] for event in made]
    kept = made[: names.index(until)] if until else made
    return [f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode() for event in kept]


def refuse(status: int, body: Any, **headers: str) -> Handler:
    """A handler that says no."""

    async def handler(_request: web.Request) -> web.StreamResponse:
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        return web.Response(status=status, text=text, headers={key.replace("_", "-"): value for key, value in headers.items()})

    return handler


def stream(*pieces: Any, done: bool = True, then: Callable[[web.Request, web.StreamResponse], Awaitable[None]] | None = None) -> Handler:
    """A handler that streams: dicts as events, bytes as they are; `then` takes over with the open response."""

    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for item in pieces:
            await response.write(item if isinstance(item, bytes) else b"data: " + json.dumps(item, ensure_ascii=False).encode() + b"\n\n")
        if then is not None:
            await then(request, response)
        if done:
            await response.write(b"data: [DONE]\n\n")
        return response

    return handler


def _handler(answer: Any) -> Handler:
    if callable(answer):
        return answer
    if isinstance(answer, list):
        return stream(*answer)
    return as_json(said(answer) if isinstance(answer, str) else answer)


def as_json(body: Any) -> Handler:
    """A handler that answers with this."""

    async def handler(_request: web.Request) -> web.StreamResponse:
        return web.json_response(body, dumps=lambda value: json.dumps(value, ensure_ascii=False))

    return handler


Provider.said, Provider.piece, Provider.refuse, Provider.stream = map(staticmethod, (said, piece, refuse, stream))
Provider.message, Provider.events = staticmethod(message), staticmethod(events)
Provider.json, Provider.answer_ok = staticmethod(as_json), staticmethod(as_json(said("ok")))


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    async with serving() as fake:
        yield fake


@pytest.fixture
def provider_in_thread() -> Iterator[str]:
    """The address of a provider that always says "ok", in a thread and event loop of its own."""
    ready: queue.Queue[str] = queue.Queue()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        async with serving() as fake:
            fake.will("ok")
            ready.put(fake.url)
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    yield ready.get(timeout=10)
    loop.call_soon_threadsafe(stop.set)
    thread.join()
    loop.close()


@asynccontextmanager
async def serving() -> AsyncIterator[Provider]:
    fake = Provider()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", fake.serve)
    app.router.add_post("/v1/messages", fake.serve)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    fake.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/v1"
    yield fake
    await runner.cleanup()


@pytest.fixture(scope="session")
def small_model() -> Path:
    """The small model's file; `tao model pull smollm2-135m` fetches it at set-up."""
    path = cache_folder(os.environ) / CATALOGUE["smollm2-135m"].file
    if not path.exists():
        pytest.skip("the small model is not here: tao model pull smollm2-135m")
    return path
