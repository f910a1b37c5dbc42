"""A small model, a large one, and cascades of both on the same tasks: what is solved, who answered, and what it cost.

    .venv/bin/python benchmarks/cascade.py [--small local] [--large openai:gpt-5.5] [--tasks 12] [--max-steps 6] [--when "after_misread,final_answer"] [--out FOLDER]

Writes a file of results for each, which `tao eval --compare A B` sets beside each other, and prints one line for each. Without `--large`
a scripted model stands in for it, which takes the right tool, answers with what it says, and is charged at 2 and 8 dollars a
million tokens: then the figures show what the rules hand over, not how good a large model is.
"""

import argparse
import asyncio
import json
import os
import re
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from tao.agent import Agent
from tao.errors import AgentError
from tao.evaluation.bench import rollouts
from tao.evaluation.outcomes import Outcome
from tao.evaluation.results import add, appending
from tao.evaluation.tasks import Task
from tao.events import Replied
from tao.messages import Reply, Request, ToolCall, Usage
from tao.models import connect
from tao.models.pricing import price_of
from tao.policies.reckoning import size
from tao.prices import Price, Rate
from tao.routing import cascade
from tao.seams import Abilities, Hear, Model
from tao.tools.declare import tool

HEIGHTS = {"Mount Orsel": 4127, "Mount Tavik": 2954, "Corvin Tower": 318, "Lake Brenna": 871, "Halden Bridge": 1640, "Port Iven": 23}
SUMS = ("37*48", "(614-55)*9", "1287+4596", "9312/24", "45*45-17", "830-276")
PRICE = Price((Rate(Decimal(2), Decimal(8), currency="USD"),))
NAME = "scripted:large"


@tool
def calculate(expression: str) -> str:
    """Work out an arithmetic expression of digits and + - * / ( )."""
    if not re.fullmatch(r"[\d+\-*/(). ]{1,100}", expression):
        raise ValueError("only digits and + - * / ( ) are allowed")
    return f"{eval(expression, {'__builtins__': {}}):g}"


@tool
def look_up(name: str) -> str:
    """The height in metres of a mountain, tower or other place, by its name."""
    found = next((place for place in HEIGHTS if place.lower() == name.strip().lower()), None)
    if found is None:
        raise ValueError(f"nothing is known of {name!r}: give the name as it stands in the question")
    return f"{found} is {HEIGHTS[found]} metres high."


def tasks(count: int) -> list[Task]:
    """Sums and heights by turns."""
    sums = [Task(f"s{n}", f"What is {one}?", f"{eval(one):g}", "number", kind="sum") for n, one in enumerate(SUMS, 1)]
    heights = [Task(f"h{n}", f"How high is {place}, in metres?", str(high), "number", kind="height") for n, (place, high) in enumerate(HEIGHTS.items(), 1)]
    return [task for pair in zip(sums, heights, strict=True) for task in pair][:count]


class Knowing:
    """The scripted large model: one right call, then what it gave."""

    def __init__(self) -> None:
        self.name = NAME
        self.abilities = Abilities()

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:  # noqa: ARG002 - it has nothing to stream
        """Answer. Tokens are estimated from the texts."""
        question = next(message.content for message in request.messages if message.role == "user")
        asked = re.match(r"(?:Question: )?What is (.+)\?", question)
        place = next((place for place in HEIGHTS if place in question), "")
        told = [message.content for message in request.messages if message.role == "tool"]
        seen = [text for text in told if (re.fullmatch(r"-?[\d.]+", text.strip()) if asked else text.startswith(f"{place} is "))]
        calls: tuple[ToolCall, ...] = ()
        text = seen[-1] if seen else "That could not be found out."
        if not seen and request.tool_choice != "none":
            name, args = ("calculate", {"expression": asked[1]}) if asked else ("look_up", {"name": place})
            text, calls = "", (ToolCall(name, json.dumps(args, ensure_ascii=False), "call_1"),)
        prompt = "".join(message.content for message in request.messages) + "".join(spec.description + str(spec.parameters) for spec in request.tools)
        return Reply(text, calls, usage=Usage(round(size(prompt)), 20, 0, 0), model=self.name)


async def measured(name: str, model: Model, args: argparse.Namespace) -> list[Outcome]:
    """Every task once; written down as they end."""
    chosen = tasks(args.tasks)
    agent = Agent(model, [calculate, look_up], max_steps=args.max_steps, prices=lambda name: PRICE if name == NAME else price_of(name), lang="en")
    found: list[Outcome] = []
    args.out.mkdir(parents=True, exist_ok=True)
    with appending(args.out / f"{name}.results.jsonl", {"model": name, "tasks": len(chosen), "max_steps": args.max_steps}) as file:

        def told(it: Outcome) -> None:
            add(file, it)
            found.append(it)
            print(f"{name}: {len(found)}/{len(chosen)} {'right' if it.right else 'wrong'} {it.seconds:.1f} s", file=sys.stderr, flush=True)

        await rollouts(chosen, lambda: agent, told)
    return found


def line(name: str, found: Sequence[Outcome]) -> str:
    """One row of the table."""
    replies = [event.reply for it in found for event in it.events if isinstance(event, Replied)]
    large = sum(bool(reply.by) for reply in replies) if name not in {"small", "large"} else len(replies) * (name == "large")
    costs = [it.cost or 0.0 for it in found]
    return f"{name:42}{sum(it.right for it in found):>5}/{len(found):<4}{len(replies):>7}{large:>7}{sum(costs):>11.5f}{sum(it.seconds for it in found):>9.0f}"


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", default="local")
    parser.add_argument("--large", help="a model's name; none: a scripted one")
    parser.add_argument("--tasks", type=int, default=12)
    parser.add_argument("--max-steps", type=int, default=6)
    parser.add_argument("--when", action="append", help="rules with commas between; may be repeated")
    parser.add_argument("--out", type=Path, default=Path("cascade-results"))
    return parser.parse_args()


async def main() -> int:
    """The small one alone, the large one alone, and the cascades."""
    args = options()
    small = connect(args.small, env=os.environ)
    large: Model = connect(args.large, env=os.environ) if args.large else Knowing()
    models: dict[str, Model] = {"small": small, "large": large}
    for when in args.when or ["after_misread,after_failed_tool,after_objection", "final_answer", "first_step"]:
        models[when.replace(",", "+")] = cascade(small, large, when.split(","))
    rows = [f"{'':42}{'right':>9}{'calls':>8}{'large':>7}{'$':>11}{'seconds':>9}"]
    rows += [line(name, await measured(name, model, args)) for name, model in models.items()]
    print("\n".join(rows))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except AgentError as error:
        sys.exit(f"{type(error).__name__}: {error}")
