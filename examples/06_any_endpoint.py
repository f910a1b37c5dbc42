"""Any OpenAI-compatible endpoint: by provider (with its key in the environment or in .env), or by address.

    DEEPSEEK_API_KEY=… python examples/06_any_endpoint.py deepseek:deepseek-chat
    python examples/06_any_endpoint.py ollama:qwen3
    python examples/06_any_endpoint.py http://127.0.0.1:8000/v1#my-model
"""

import asyncio
import sys

from tao import Agent, ConfigError, connect
from tao.tools.builtin import builtin


async def main(name: str) -> None:
    """Ask two questions at the same time over one connection pool."""
    model = connect(name, thinking=False)
    async with Agent(model, builtin(), max_steps=5) as agent:
        first, second = await asyncio.gather(agent.run("What is 17*23+5?"), agent.run("2024年2月28日之后30天是几号？"))
    for run in (first, second):
        tokens = (run.usage.prompt or 0) + (run.usage.completion or 0)
        said = run.answer if run.answer is not None or run.ended is None else run.ended.detail
        print(f"{run.asked.question} → {said}   ({model.name}, {run.steps} calls, {tokens} tokens)")


try:
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "ollama:qwen3"))
except ConfigError as error:
    sys.exit(str(error))
