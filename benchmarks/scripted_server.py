"""A model that costs nothing: an OpenAI-compatible server with a script, for measuring what stands before it.

    python scripted_server.py          prints its port, then serves until it is killed

The address says what is wanted: `/K/MS/v1/chat/completions` calls tools K times, then answers, each time after MS
milliseconds. It remembers nothing of a run: results of tools are counted in the conversation that it is sent. With "tools" in the
request it calls them in the API's own form, without in the text form Thought / Action / Action Input. A reply that is asked
for as a stream comes word by word. `/K/MS/kept/v1/…` keeps the requests' bodies, `GET /kept` gives them once.
"""

import asyncio
import json
import re
from functools import lru_cache
from typing import Any

WORDS = re.compile(r"\s*\S+\s*")
HEAD = "HTTP/1.1 200 OK\r\ncontent-type: {}\r\ncontent-length: {}\r\n\r\n"
KEPT: list[Any] = []


def turn(number: int) -> tuple[str, str, dict[str, Any]]:
    """What the model thinks and calls when it has `number` results; never the same call twice."""
    tool, args = (
        ("look_up", {"what": f"inhabitants of district {number}"}),
        ("calculate", {"expression": f"({number} + 4) * 365 - {number}"}),
        ("days_between", {"start": "2026-01-01", "end": f"2027-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}"}),
    )[number % 3]
    return f"{number} facts so far; {tool} can give the next one.", tool, args


def answer(turns: int) -> str:
    """What the model says in the end."""
    return f"It took {turns} facts to find out: seven."


def results(messages: list[dict[str, Any]]) -> int:
    """How many results of tools stand behind the question; a prompt may show other questions, as examples, before it.

    What a user says right after a result is no new question but a word on the way.
    """
    count, before = 0, ""
    for message in messages:
        if message["role"] == "tool" or (message["role"] == "user" and message["content"].startswith("Observation:")):
            count += 1
        elif message["role"] == "user" and before != "tool":
            count = 0
        before = message["role"]
    return count


@lru_cache
def reply(number: int, turns: int, *, text: bool) -> dict[str, Any]:
    """The assistant's message once there are `number` results."""
    thought, tool, args = turn(number)
    if number >= turns:
        return {"role": "assistant", "content": f"Thought: That is all.\nFinal Answer: {answer(turns)}" if text else answer(turns)}
    written = json.dumps(args)
    if text:
        return {"role": "assistant", "content": f"Thought: {thought}\nAction: {tool}\nAction Input: {written}"}
    call = {"id": f"call_{number:08}", "type": "function", "function": {"name": tool, "arguments": written}}
    return {"role": "assistant", "content": thought, "tool_calls": [call]}


@lru_cache
def whole(number: int, turns: int, *, text: bool) -> bytes:
    """The body of an answer that comes at once."""
    message = reply(number, turns, text=text)
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
    return _body(choices=[choice], object="chat.completion", usage=usage)


@lru_cache
def streamed(number: int, turns: int, *, text: bool) -> bytes:
    """The same as server-sent events, one a word."""
    message = reply(number, turns, text=text)
    deltas: list[dict[str, Any]] = [{"content": word} for word in WORDS.findall(message["content"])]
    for call in message.get("tool_calls", ()):
        deltas.append({"tool_calls": [{**call, "index": 0, "function": {**call["function"], "arguments": ""}}]})
        words = WORDS.findall(call["function"]["arguments"])
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": word}}]} for word in words]
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"})
    events = [_body(choices=[choice], object="chat.completion.chunk") for choice in choices]
    return b"".join(b"data: " + event + b"\n\n" for event in [*events, b"[DONE]"])


def _body(**fields: Any) -> bytes:
    return json.dumps({"id": "chatcmpl-scripted", "created": 1_780_000_000, "model": "scripted", **fields}).encode()


class Serving(asyncio.Protocol):
    """One connection: requests with a content-length, one after the other."""

    def __init__(self) -> None:
        self.received = b""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        while (end := self.received.find(b"\r\n\r\n")) >= 0:
            head = self.received[:end].decode("latin-1").lower()
            length = re.search(r"\r\ncontent-length: *(\d+)", head)
            body = end + 4 + (int(length[1]) if length else 0)
            if len(self.received) < body:
                return
            request, self.received = self.received[end + 4 : body], self.received[body:]
            self._serve(head.split(" ", 2)[1], request)

    def _serve(self, path: str, request: bytes) -> None:
        if path == "/kept":
            self._write(json.dumps(KEPT).encode())
            KEPT.clear()
            return
        turns, milliseconds, kind = path.split("/")[1:4]
        asked = json.loads(request)
        if kind == "kept":
            KEPT.append(asked)
        make = streamed if asked.get("stream") else whole
        data = make(results(asked["messages"]), int(turns), text="tools" not in asked)
        form = "text/event-stream" if asked.get("stream") else "application/json"
        if int(milliseconds):
            asyncio.get_running_loop().call_later(int(milliseconds) / 1000, self._write, data, form)
        else:
            self._write(data, form)

    def _write(self, data: bytes, form: str = "application/json") -> None:
        if not self.transport.is_closing():
            self.transport.write(HEAD.format(form, len(data)).encode() + data)


async def main() -> None:
    """Serve until killed."""
    server = await asyncio.get_running_loop().create_server(Serving, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
