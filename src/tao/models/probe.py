"""Trying an endpoint: three tiny calls (plain, with a tool, streamed) that show what it can do."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from tao.errors import ModelError
from tao.messages import Message, Reply, Request, ToolSpec
from tao.seams import Model

Part = Literal["plain", "tools", "stream"]
MOST = 1000
"""Tokens of a reply: a word is wanted, and some models think before it."""
ADD = ToolSpec(
    "add", "Add two whole numbers.",
    {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]},
)  # fmt: skip
PLAIN = Request((Message("system", "Answer with one word."), Message("user", "Say: ready")), max_tokens=MOST)
TOOLS = Request((Message("user", "What is 317 + 485? Use the tool."),), tools=(ADD,), max_tokens=MOST)
WANTED = {"a": 317, "b": 485}


@dataclass(frozen=True, slots=True)
class Tried:
    """One call: its reply, or the error that it ended in; `pieces` is how many a stream came in.

    `fault` is a word for what is wrong with a reply: "empty" (no text), "cut" (all its tokens went into thinking), "uncalled" (the
    tool was offered and not called), "miscalled" (called with other arguments), "uncounted" (no tokens told); empty: nothing is.
    """

    part: Part
    reply: Reply = field(default_factory=lambda: Reply(""))
    error: ModelError | None = None
    fault: str = ""
    pieces: int = 0


async def probe(model: Model, tell: Callable[[Tried], Awaitable[None] | None] = lambda _tried: None) -> list[Tried]:
    """Try the endpoint; each call is told as soon as it is over. Where the plain one fails, the others are not made."""
    done: list[Tried] = []
    for part in (_plain, _tools, _stream):
        done.append(await part(model))
        if (told := tell(done[-1])) is not None:
            await told
        if done[0].error:
            break
    return done


async def _plain(model: Model) -> Tried:
    try:
        reply = await model(PLAIN)
    except ModelError as error:
        return Tried("plain", error=error)
    return Tried("plain", reply, fault=_lacking(reply) or ("uncounted" if reply.usage.prompt is None else ""))


async def _tools(model: Model) -> Tried:
    try:
        reply = await model(TOOLS)
    except ModelError as error:
        return Tried("tools", error=error)
    if not reply.calls:
        return Tried("tools", reply, fault="cut" if _lacking(reply) == "cut" else "uncalled")
    try:
        right = [json.loads(call.arguments) for call in reply.calls if call.name == ADD.name] == [WANTED]
    except (ValueError, RecursionError):
        right = False
    return Tried("tools", reply, fault="" if right else "miscalled")


async def _stream(model: Model) -> Tried:
    pieces: list[str] = []

    def hear(text: str) -> bool:
        pieces.append(text)
        return False

    try:
        reply = await model(PLAIN, hear)
    except ModelError as error:
        return Tried("stream", error=error)
    fault = _lacking(reply) or ("uncounted" if reply.usage.prompt is None else "")
    return Tried("stream", reply, fault=fault, pieces=len(pieces))


def _lacking(reply: Reply) -> str:
    if reply.text.strip():
        return ""
    return "cut" if reply.finish == "length" else "empty"
