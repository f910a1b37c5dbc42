"""A plain ReAct loop as one writes it by hand in an hour, over HTTP: the text format, regular expressions, aiohttp and json.

No retries, no limits beyond a number of steps, no record, no checks of arguments. It bounds what tao may cost.
"""

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import aiohttp

PROMPT = """{system}

Tools:
{tools}

Write exactly this:
Thought: your reasoning
Action: one of {names}
Action Input: its arguments as a JSON object

Then wait for "Observation:" with the result. Repeat until you know the answer, then write:
Thought: your reasoning
Final Answer: the answer"""

STEP = re.compile(r"Action:\s*(\S+)\s*\nAction Input:\s*(\{.*\})", re.DOTALL)
FINAL = re.compile(r"Final Answer:\s*(.+)", re.DOTALL)


def opening(tools: Sequence[Callable[..., Any]], system: str) -> str:
    """The system message."""
    lines = [f"- {tool.__name__}{inspect.signature(tool)}: {inspect.getdoc(tool)}" for tool in tools]
    names = ", ".join(tool.__name__ for tool in tools)
    return PROMPT.format(system=system, tools="\n".join(lines), names=names)


async def connect(base_url: str, tools: Sequence[Callable[..., Any]], system: str) -> Callable[[str], Awaitable[str]]:
    """A function that answers one question."""
    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers={"Authorization": "Bearer none"})
    prompt, known = opening(tools, system), {tool.__name__: tool for tool in tools}

    async def complete(messages: list[dict[str, Any]]) -> str:
        body = {"model": "scripted", "messages": messages, "stop": ["\nObservation"]}
        async with session.post(f"{base_url}/chat/completions", json=body) as response:
            response.raise_for_status()
            return str((await response.json())["choices"][0]["message"]["content"])

    async def run(question: str) -> str:
        messages = [{"role": "system", "content": prompt}, {"role": "user", "content": question}]
        for _ in range(1000):
            text = await complete(messages)
            messages.append({"role": "assistant", "content": text})
            if final := FINAL.search(text):
                return final[1].strip()
            if step := STEP.search(text):
                try:
                    seen = str(known[step[1]](**json.loads(step[2])))
                except Exception as error:  # noqa: BLE001 - whatever goes wrong is shown to the model
                    seen = f"Error: {error!r}"
            else:
                seen = "Error: write Thought, Action, Action Input, or Final Answer"
            messages.append({"role": "user", "content": f"Observation: {seen}"})
        raise RuntimeError("no answer after 1000 steps")

    return run
