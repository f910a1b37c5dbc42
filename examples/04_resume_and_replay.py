"""A run that is cut off goes on where it was, and a finished one can be decided again without any model.

    python examples/04_resume_and_replay.py [MODEL]
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from tao import Agent, Journal, Observed
from tao.agent import recorded_abilities, recorded_dialect
from tao.policies import default
from tao.replay import replay
from tao.tools.builtin import builtin


async def main(model: str, folder: Path) -> None:
    """Interrupt, resume, replay."""
    journal = Journal(folder / "runs.db")
    async with Agent(model, builtin(), journal=journal) as agent:
        async for item in agent.stream("What is 17*23+5?", id="demo"):
            if isinstance(item, Observed):
                break  # as if the process had been killed here
        cut = await journal.load("demo")
        print(f"interrupted after {cut.steps} model call(s), {len(cut.events)} events in the journal")

        run = await agent.resume("demo")
        print(f"resumed: {run.steps} model calls in all, answer: {run.answer}")

        rules = default(run.asked.settings, recorded_abilities(run.asked))
        differences = await replay(run, recorded_dialect(run.asked), rules)
        print(f"replayed: {len(differences)} differences")


with tempfile.TemporaryDirectory() as name:
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "local", Path(name)))
