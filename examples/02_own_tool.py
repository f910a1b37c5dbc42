"""Your own functions as tools: the model sees their names, docstrings and annotations.

    python examples/02_own_tool.py [MODEL]
"""

import asyncio
import sys
from dataclasses import dataclass
from typing import Annotated, Literal

from tao import Agent, tool

STOCK = {"tea": 12, "coffee": 3}


@dataclass
class Line:
    """One line of an order."""

    item: str
    count: int


@tool
def stock(item: Annotated[str, "what is looked for, in English"], unit: Literal["piece", "dozen"] = "piece") -> float:
    """How many of an item are in stock."""
    if item not in STOCK:
        raise ValueError(f"no {item!r}; there are: {', '.join(STOCK)}")  # the model reads this and tries again
    return STOCK[item] / (12 if unit == "dozen" else 1)


@tool(effects=("writes",), timeout=5)
async def order(lines: list[Line], express: bool = False) -> str:  # noqa: FBT001, FBT002 - a model passes it by name
    """Order items.

    Args:
        lines: what is ordered
        express: deliver today
    """
    await asyncio.sleep(0)
    return f"ordered {', '.join(f'{line.count} {line.item}' for line in lines)}{' by express' if express else ''}"


model = sys.argv[1] if len(sys.argv) > 1 else "local"
run = Agent(model, [stock, order]).run_sync("How many packs of tea are in stock?")
for call, observation in run.observed:
    print(f"{call.tool}({dict(call.args)}) → {'' if observation.ok else 'failed: '}{observation.text}")
print(run.answer)
