"""A rule of your own about runs: a pure function of what happened so far.

    python examples/05_own_policy.py [MODEL]
"""

import sys

from tao import Agent, Ended, Nudged, Policy, Run
from tao.policies import first_of, loop_guard, max_steps, misreads
from tao.tools.builtin import builtin


def at_most(calls: int, tool: str) -> Policy:
    """After so many calls of a tool, take it away for the next reply and say why."""

    def policy(run: Run) -> Nudged | None:
        used = sum(call.tool == tool for call, _ in run.observed)
        if run.proposed is not None or used < calls:
            return None
        return Nudged(f"{tool} may not be called again; answer with what you know.", by="at_most", without=(tool,))

    return policy


def polite(run: Run) -> Ended | None:
    """Accept an answer, with thanks."""
    return None if run.proposed is None else Ended("answered", f"{run.proposed} Thank you for asking.")


model = sys.argv[1] if len(sys.argv) > 1 else "local"
rules = first_of(max_steps(6), misreads(2), loop_guard, at_most(1, "calculator"), polite)
run = Agent(model, builtin(), policy=rules).run_sync("What is 17*23+5?")
for event in run.events:
    print(type(event).__name__, *([event.by] if isinstance(event, Nudged) else []))
print(run.answer)
