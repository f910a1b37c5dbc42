"""A question, and the built-in tools to answer it with.

    python examples/01_hello.py [MODEL]

MODEL is a name as for `tao ask --model`; without one, the local model answers (`tao model pull` fetches it).
"""

import sys

from tao import Agent
from tao.tools.builtin import builtin

model = sys.argv[1] if len(sys.argv) > 1 else "local"
run = Agent(model, builtin()).run_sync("What is 17*23+5?")

for call, observation in run.observed:
    print(f"{call.tool}({dict(call.args)}) → {observation.text}")
print(run.answer)
