"""tao as a user sets it up: an Agent over an address, plain functions as tools, nothing tuned but the number of steps."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from tao import Agent, Journal
from tao.dialects.react import React


async def connect(
    base_url: str, tools: Sequence[Callable[..., Any]], system: str, *, how: str = "", journal: str = "", synchronous: Any = "FULL",
) -> Callable[[str], Awaitable[str]]:
    """A function that answers one question. `how`: "stream" hears every piece of a reply, "text" is the dialect `react`, "brief" that without examples."""
    dialect: Any = {"text": "react", "brief": React(few_shot=False)}.get(how, "auto")
    agent = Agent(
        f"{base_url}#scripted", tools, instructions=system, max_steps=1000,
        dialect=dialect, journal=Journal(journal, synchronous=synchronous) if journal else None,
    )
    heard = (lambda _: None) if how == "stream" else None

    async def run(question: str) -> str:
        return str((await agent.run(question, on_delta=heard)).answer)

    return run
