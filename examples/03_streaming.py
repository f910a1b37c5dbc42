"""Thoughts and the answer as they come in, and every event as it happens.

    python examples/03_streaming.py [MODEL]
"""

import asyncio
import sys

from tao import Agent, Decided, Delta, Ended, Observed
from tao.tools.builtin import builtin


async def main(model: str) -> None:
    """Print pieces of text at once and events on lines of their own."""
    async with Agent(model, builtin()) as agent:
        async for item in agent.stream("今天是几号？"):
            match item:
                case Delta(kind="thought" | "answer", text=text):
                    print(text, end="", flush=True)
                case Decided(calls=calls):
                    print(*(f"\n[{call.tool} {dict(call.args)} …]" for call in calls))
                case Observed(observation=seen):
                    print(f"[{seen.text}]")
                case Ended(reason=reason, answer=answer):
                    print(f"\n[{reason}] {answer}")


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "local"))
