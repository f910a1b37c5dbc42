"""Solve a folder of tasks with a closed world of tools, and print what was solved at what price.

    .venv/bin/python benchmarks/suite.py --suite FOLDER [--ids a,b,c] [--model M] [--max-steps 8] [--agent tao|hand] [--out runs.jsonl]

FOLDER holds `tools.py` (a class `World(path)` with `.tools()`, and `grade(task, answer)`), `world.json` and `tasks.jsonl`
(`id`, `kind`, `lang`, `question`, `answer`, `grader`). `--agent hand` runs the plain hand-written agent beside tao.
The last line is `right/total`.
"""

import argparse
import asyncio
import importlib.util
import json
import os
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from hand_written import answer as answer_by_hand

from tao.agent import Agent
from tao.errors import AgentError
from tao.events import to_json
from tao.models import connect
from tao.run import Run
from tao.seams import Model


@dataclass
class Outcome:
    """One task solved or not."""

    task: dict[str, Any]
    answer: str | None
    right: bool
    reason: str
    calls: int
    prompt: int
    cached: int
    completion: int
    misreads: int
    seconds: float


def load(folder: Path) -> tuple[ModuleType, Any, list[dict[str, Any]]]:
    """The suite's module, its world, and its tasks."""
    if lacking := [name for name in ("tools.py", "world.json", "tasks.jsonl") if not (folder / name).is_file()]:
        raise SystemExit(f"{folder} is no suite, it has no {', '.join(lacking)}; your own tasks: make eval TASKS=tasks.jsonl TOOLS=tools.py:make")
    spec = importlib.util.spec_from_file_location("suite_tools", folder / "tools.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"no tools.py in {folder}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tasks = [json.loads(line) for line in (folder / "tasks.jsonl").read_text(encoding="utf-8").splitlines() if line.strip()]
    return module, module.World(folder / "world.json"), tasks


async def by_tao(task: dict[str, Any], model: Model, world: Any, steps: int) -> Run:
    """The task under tao, with nothing set but the model, the tools and the step limit."""
    return await Agent(model, world.tools(), max_steps=steps).run(task["question"], id=task["id"])


async def solve(task: dict[str, Any], args: argparse.Namespace, model: Model, module: ModuleType, world: Any) -> tuple[Outcome, Run]:
    """One task, graded."""
    started = time.perf_counter()
    run = await (answer_by_hand if args.agent == "hand" else by_tao)(task, model, world, args.max_steps)
    usage = run.usage
    misreads = sum(type(event).__name__ == "Misread" for event in run.events)
    ended = run.ended
    return Outcome(
        task, run.answer, bool(module.grade(task, run.answer)), ended.reason if ended else run.state, run.steps,
        usage.prompt or 0, usage.cached or 0, usage.completion or 0, misreads, time.perf_counter() - started,
    ), run  # fmt: skip


def table(outcomes: list[Outcome]) -> str:
    """Success and mean price by kind."""
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        kinds[outcome.task["kind"]].append(outcome)
    head = f"{'kind':14}{'right':>9}{'calls':>7}{'prompt':>8}{'cached':>8}{'compl.':>8}{'misread':>9}{'s/task':>8}"
    rows = [head, "-" * len(head)]
    for kind, group in [*sorted(kinds.items()), ("all", outcomes)]:
        mean = {key: sum(getattr(o, key) for o in group) / len(group) for key in ("calls", "prompt", "cached", "completion", "seconds")}
        rows.append(
            f"{kind:14}{sum(o.right for o in group):>5}/{len(group):<3}{mean['calls']:>7.1f}{mean['prompt']:>8.0f}{mean['cached']:>8.0f}"
            f"{mean['completion']:>8.0f}{sum(o.misreads for o in group):>9}{mean['seconds']:>8.1f}"
        )
    return "\n".join(rows)


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, required=True, help="folder with tools.py, world.json, tasks.jsonl")
    parser.add_argument("--ids", default="", help="only these tasks, separated by commas")
    parser.add_argument("--model", default="local", help="model name, as for `tao ask --model`")
    parser.add_argument("--max-steps", type=int, default=8)
    parser.add_argument("--agent", choices=("tao", "hand"), default="tao", help="tao, or the plain hand-written agent")
    parser.add_argument("--out", type=Path, help="also write every run's events to this JSONL file")
    return parser.parse_args()


async def main() -> int:
    """Run the tasks one after the other."""
    args = options()
    module, world, tasks = load(args.suite)
    wanted = set(filter(None, args.ids.split(",")))
    tasks = [task for task in tasks if not wanted or task["id"] in wanted]
    if not tasks:
        raise SystemExit("no task has one of these ids")
    model = connect(args.model, env=os.environ)
    outcomes = []
    out = args.out.open("w", encoding="utf-8") if args.out else None
    for task in tasks:
        outcome, run = await solve(task, args, model, module, world)
        outcomes.append(outcome)
        right = sum(o.right for o in outcomes)
        mark = "ok   " if outcome.right else "WRONG"
        print(f"{mark} {task['id']} {outcome.reason:10} {outcome.seconds:5.1f}s {right}/{len(outcomes)}  {outcome.answer!r}", flush=True)
        if out:
            record = {"id": task["id"], "right": outcome.right, "events": [to_json(event) for event in run.events]}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            out.flush()
    print(f"\n{table(outcomes)}\n")
    print(f"{sum(o.right for o in outcomes)}/{len(outcomes)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except AgentError as error:
        sys.exit(f"{type(error).__name__}: {error}")
