"""An answer that a program can use: an object of your own type, held to its rules.

    python examples/07_structured.py [MODEL]
"""

import sys
from dataclasses import dataclass

from tao import Agent, InvalidOutput, Run
from tao.tools.builtin import builtin


@dataclass
class Sum:
    """What a calculation came to."""

    result: float
    explained: str


def explained(run: Run) -> str | None:
    """A check of our own: an explanation is more than one word."""
    return None if " " in (run.proposed or "") else "Explain the result in a few words."


model = sys.argv[1] if len(sys.argv) > 1 else "local"
agent = Agent(model, builtin(), output=Sum, checks=[explained])
invalid = 0
for question in ("What is 17*23+5?", "17*23+5 等于多少？"):
    run = agent.run_sync(question)
    try:
        print(agent.parse(run))
    except InvalidOutput as error:
        invalid += 1
        print(error)
print(f"invalid: {invalid}")
