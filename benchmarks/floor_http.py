"""The floor: structured calls over aiohttp, JSON in and out, nothing else. No agent can cost less with this client."""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import aiohttp

TYPES = {int: "integer", str: "string", float: "number", bool: "boolean"}


def schema(tool: Callable[..., Any]) -> dict[str, Any]:
    """A function as the API wants it described: its name, the first line of its text, the types of its parameters."""
    hints = {name: hint for name, hint in tool.__annotations__.items() if name != "return"}
    properties = {name: {"type": TYPES[hint]} for name, hint in hints.items()}
    parameters = {"type": "object", "properties": properties, "required": list(hints)}
    function = {"name": tool.__name__, "description": str(tool.__doc__).splitlines()[0], "parameters": parameters}
    return {"type": "function", "function": function}


async def connect(base_url: str, tools: Sequence[Callable[..., Any]], system: str) -> Callable[[str], Awaitable[str]]:
    """A function that answers one question."""
    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers={"Content-Type": "application/json"})
    known, described = {tool.__name__: tool for tool in tools}, list(map(schema, tools))

    async def run(question: str) -> str:
        messages: list[dict[str, Any]] = [{"role": "system", "content": system}, {"role": "user", "content": question}]
        while True:
            body = json.dumps({"model": "scripted", "messages": messages, "tools": described}).encode()
            async with session.post(f"{base_url}/chat/completions", data=body) as response:
                said = json.loads(await response.read())["choices"][0]["message"]
            if not said.get("tool_calls"):
                return str(said["content"])
            messages.append(said)
            for call in said["tool_calls"]:
                function = call["function"]
                seen = str(known[function["name"]](**json.loads(function["arguments"])))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": seen})

    return run
